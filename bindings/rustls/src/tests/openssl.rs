// SPDX-License-Identifier: Apache-2.0 OR MIT

//! OpenSSL's `s_server` and `s_client`, if the command `openssl` is installed.

use super::{CALLS, Certificate, Side, Version, message, read, write_vectored};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, ClientConnection, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::{env, fs, process, thread};

const VERSIONS: [(Version, &str); 2] = [(&TLS12, "-tls1_2"), (&TLS13, "-tls1_3")];

/// Options that select the suites by OpenSSL's names.
const SUITES: [&str; 4] = [
    "-cipher",
    "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-CHACHA20-POLY1305",
    "-ciphersuites",
    "TLS_CHACHA20_POLY1305_SHA256",
];

fn is_installed() -> bool {
    let found = Command::new("openssl").arg("version").output().is_ok();
    if !found {
        eprintln!("no command openssl: nothing is tested");
    }
    found
}

/// A folder for the files of a test, which is removed with its contents.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("hornet-rustls-{}-{name}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).into_os_string().into_string().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A process that is ended together with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes a certificate with an RSA key, so that both suites of TLS 1.2 are used.
fn rsa_certificate(folder: &Folder) -> Certificate {
    let config = "[req]\ndistinguished_name = name\n[name]\n";
    fs::write(folder.path("config"), config).unwrap();
    let made = Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ])
        .args(["-config", &folder.path("config")])
        .args([
            "-keyout",
            &folder.path("key"),
            "-out",
            &folder.path("certificate"),
        ])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    Certificate {
        certificate: PemObject::from_pem_file(folder.path("certificate")).unwrap(),
        key: PrivateKeyDer::from_pem_file(folder.path("key")).unwrap(),
    }
}

/// `s_server -rev` sends each line back in reverse.
#[test]
fn client_of_s_server() {
    if !is_installed() {
        return;
    }
    let folder = Folder::new("s_server");
    let certificate = rsa_certificate(&folder);
    for (version, option) in VERSIONS {
        let mut server = Command::new("openssl")
            .args(["s_server", "-accept", "127.0.0.1:0", "-rev", option])
            .args([
                "-cert",
                &folder.path("certificate"),
                "-key",
                &folder.path("key"),
            ])
            .args(SUITES)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .unwrap();
        let lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
        // Keep the pipe open: a server whose output is closed exits.
        let mut lines = lines.map(Result::unwrap);
        let address = lines
            .find_map(|line| Some(line.strip_prefix("ACCEPT ")?.to_owned()))
            .unwrap();

        let config = Arc::new(Side::Hornet.client(&certificate, version));
        let name = "localhost".try_into().unwrap();
        let connection = ClientConnection::new(config, name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
        let calls = CALLS.get();
        for len_bytes in (0..200).chain((200..10_000).step_by(199)) {
            let line: Vec<u8> = (b'a'..=b'z').cycle().take(len_bytes).collect();
            let mut sent = line.clone();
            sent.push(b'\n');
            write_vectored(&mut stream, &sent);
            let mut received = read(&mut stream, len_bytes + 1);
            assert_eq!(received.pop(), Some(b'\n'));
            received.reverse();
            assert_eq!(received, line);
        }
        let suite = stream.conn.negotiated_cipher_suite().unwrap().suite();
        if option == "-tls1_2" {
            assert_eq!(
                suite,
                CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
            );
        }
        Side::Hornet.check_calls(CALLS.get() - calls);
    }
}

#[test]
fn server_of_s_client() {
    if !is_installed() {
        return;
    }
    let certificate = Certificate::new();
    for (version, option) in VERSIONS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut client = Command::new("openssl")
            .args(["s_client", "-connect", &address, "-quiet", option])
            .args(SUITES)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let sent = message(200_000);
        let mut input = client.stdin.take().unwrap();
        let for_client = sent.clone();
        // Keep the input open until the server has answered: the client exits at the end of its
        // input.
        let writing = thread::spawn(move || {
            input.write_all(&for_client).unwrap();
            input
        });
        let output = thread::spawn(move || client.wait_with_output().unwrap());

        let config = Arc::new(Side::Hornet.server(&certificate, version));
        let (socket, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
        let calls = CALLS.get();
        let received = read(&mut stream, sent.len());
        assert_eq!(received, sent);
        stream.write_all(&received).unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
        Side::Hornet.check_calls(CALLS.get() - calls);
        drop(stream);
        let input = writing.join().unwrap();
        assert_eq!(output.join().unwrap().stdout, sent);
        drop(input);
    }
}
