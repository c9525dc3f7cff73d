// SPDX-License-Identifier: Apache-2.0 OR MIT

//! TLS over TCP.

use super::{CALLS, Certificate, LENGTHS, PAIRS, Side, Version, message, read, write_vectored};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConnection, ServerConnection, StreamOwned};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Sends messages in both directions.
fn exchange(client: Side, server: Side, version: Version) {
    let certificate = Certificate::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();

    let config = Arc::new(server.server(&certificate, version));
    let serving = thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
        for len_bytes in LENGTHS {
            let received = read(&mut stream, len_bytes);
            stream.write_all(&received).unwrap();
            stream.flush().unwrap();
        }
        CALLS.get()
    });

    let config = Arc::new(client.client(&certificate, version));
    let name = "localhost".try_into().unwrap();
    let connection = ClientConnection::new(config, name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
    let calls = CALLS.get();
    for len_bytes in LENGTHS {
        let sent = message(len_bytes);
        write_vectored(&mut stream, &sent);
        assert_eq!(read(&mut stream, len_bytes), sent);
    }
    assert_eq!(stream.conn.protocol_version(), Some(version.version));
    client.check_calls(CALLS.get() - calls);
    server.check_calls(serving.join().unwrap());
}

#[test]
fn tls_1_3() {
    for (client, server) in PAIRS {
        exchange(client, server, &TLS13);
    }
}

#[test]
fn tls_1_2() {
    for (client, server) in PAIRS {
        exchange(client, server, &TLS12);
    }
}
