// SPDX-License-Identifier: Apache-2.0 OR MIT

//! QUIC: quinn, and the example in the RFC.

use super::{CALLS, Certificate, LENGTHS, PAIRS, Side, message};
use crate::quic::Quic;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, ServerConfig};
use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::quic::{Algorithm, Suite};
use rustls::version::TLS13;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread;
use tokio::runtime::{Builder, Runtime};

/// The suite of the first packets, which always use AES with a publicly known key.
fn initial() -> Suite {
    let suite = TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    suite.quic_suite().unwrap()
}

/// Runs everything in this thread, whose calls are counted.
fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

const ANY_PORT: &str = "127.0.0.1:0";

/// Sends messages in both directions, each on its own stream.
fn exchange(client: Side, server: Side) {
    let certificate = Certificate::new();
    let crypto = Arc::new(server.server(&certificate, &TLS13));
    let crypto = QuicServerConfig::with_initial(crypto, initial()).unwrap();
    let config = ServerConfig::with_crypto(Arc::new(crypto));
    let (send_address, address) = mpsc::channel();
    let serving = thread::spawn(move || {
        runtime().block_on(async {
            let endpoint = Endpoint::server(config, ANY_PORT.parse().unwrap()).unwrap();
            send_address.send(endpoint.local_addr().unwrap()).unwrap();
            let connection = endpoint.accept().await.unwrap().await.unwrap();
            while let Ok((mut to, mut from)) = connection.accept_bi().await {
                let received = from.read_to_end(1 << 20).await.unwrap();
                to.write_all(&received).await.unwrap();
                to.finish().unwrap();
            }
            endpoint.wait_idle().await;
        });
        CALLS.get()
    });

    let crypto = Arc::new(client.client(&certificate, &TLS13));
    let crypto = QuicClientConfig::with_initial(crypto, initial()).unwrap();
    let config = ClientConfig::new(Arc::new(crypto));
    let address: SocketAddr = address.recv().unwrap();
    let calls = CALLS.get();
    runtime().block_on(async {
        let endpoint = Endpoint::client(ANY_PORT.parse().unwrap()).unwrap();
        let connecting = endpoint.connect_with(config, address, "localhost");
        let connection = connecting.unwrap().await.unwrap();
        for len_bytes in LENGTHS {
            let sent = message(len_bytes);
            let (mut to, mut from) = connection.open_bi().await.unwrap();
            to.write_all(&sent).await.unwrap();
            to.finish().unwrap();
            assert_eq!(from.read_to_end(1 << 20).await.unwrap(), sent);
        }
        // The packets that follow are under different keys.
        connection.force_key_update();
        let (mut to, mut from) = connection.open_bi().await.unwrap();
        to.write_all(b"after a change of keys").await.unwrap();
        to.finish().unwrap();
        let received = from.read_to_end(100).await.unwrap();
        assert_eq!(received, b"after a change of keys");
        connection.close(0_u32.into(), b"");
        endpoint.wait_idle().await;
    });
    client.check_calls(CALLS.get() - calls);
    server.check_calls(serving.join().unwrap());
}

#[test]
fn quinn() {
    for (client, server) in PAIRS {
        exchange(client, server);
    }
}

/// RFC 9001, appendix A.5.
#[test]
fn packet_of_the_rfc() {
    let key = AeadKey::from([
        0xc6, 0xd9, 0x8f, 0xf3, 0x44, 0x1c, 0x3f, 0xe1, 0xb2, 0x18, 0x20, 0x94, 0xf6, 0x9c, 0xaa,
        0x2e, 0xd4, 0xb7, 0x16, 0xb6, 0x54, 0x88, 0x96, 0x0a, 0x7a, 0x98, 0x49, 0x79, 0xfb, 0x23,
        0xe1, 0xc8,
    ]);
    let iv = Iv::from([
        0xe0, 0x45, 0x9b, 0x34, 0x74, 0xbd, 0xd0, 0xe4, 0x4a, 0x41, 0xc1, 0x44,
    ]);
    let header_key = AeadKey::from([
        0x25, 0xa2, 0x82, 0xb9, 0xe8, 0x2f, 0x06, 0xf2, 0x1f, 0x48, 0x89, 0x17, 0xa4, 0xfc, 0x8f,
        0x1b, 0x73, 0x57, 0x36, 0x85, 0x60, 0x85, 0x97, 0xd0, 0xef, 0xcb, 0x07, 0x6b, 0x0a, 0xb7,
        0xa7, 0xa4,
    ]);
    let packets = Quic.packet_key(key, iv);
    let headers = Quic.header_protection_key(header_key);
    let number = 654_360_564;

    let mut packet = vec![0x42, 0x00, 0xbf, 0xf4, 0x01];
    let (header, payload) = packet.split_at_mut(4);
    let tag = packets.encrypt_in_place(number, header, payload).unwrap();
    packet.extend(tag.as_ref());
    let (header, sample) = packet.split_at_mut(5);
    let (first, rest) = header.split_at_mut(1);
    headers
        .encrypt_in_place(sample, &mut first[0], &mut rest[..3])
        .unwrap();
    assert_eq!(
        packet,
        [
            0x4c, 0xfe, 0x41, 0x89, 0x65, 0x5e, 0x5c, 0xd5, 0x5c, 0x41, 0xf6, 0x90, 0x80, 0x57,
            0x5d, 0x79, 0x99, 0xc2, 0x5a, 0x5b, 0xfb
        ]
    );

    // A caller that passes 4 bytes for the packet number before it knows their number.
    let (header, sample) = packet.split_at_mut(5);
    let (first, rest) = header.split_at_mut(1);
    headers
        .decrypt_in_place(sample, &mut first[0], rest)
        .unwrap();
    assert_eq!(packet[..4], [0x42, 0x00, 0xbf, 0xf4]);
    let (header, payload) = packet.split_at_mut(4);
    let mut forged = payload.to_vec();
    forged[0] ^= 1;
    assert!(
        packets
            .decrypt_in_place(number, header, &mut forged)
            .is_err()
    );
    assert!(
        packets
            .decrypt_in_place(number, header, &mut [0; 15])
            .is_err()
    );
    let mut for_path = payload.to_vec();
    assert!(
        packets
            .decrypt_in_place_for_path(1, number, header, &mut for_path)
            .is_err()
    );
    let opened = packets.decrypt_in_place(number, header, payload).unwrap();
    assert_eq!(opened, [0x01]);
}

#[test]
fn headers_of_impossible_lengths() {
    let headers = Quic.header_protection_key(AeadKey::from([7; 32]));
    let mut first = 0x42;
    for sample in [15, 17] {
        let result = headers.encrypt_in_place(&vec![0; sample], &mut first, &mut [1; 4]);
        assert_eq!(
            result.unwrap_err().to_string(),
            "unexpected error: a sample of a header has 16 bytes"
        );
    }
    let result = headers.decrypt_in_place(&[0; 16], &mut first, &mut [1; 5]);
    assert_eq!(
        result.unwrap_err().to_string(),
        "unexpected error: a packet number has at most 4 bytes"
    );
    assert_eq!(first, 0x42);
}
