// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Loopback connections, with either Hornet or the base provider, `ring`, on each side. Each side
//! has its own thread, and counts the calls to Hornet there, so a test sees which implementation
//! was used.

mod openssl;
mod quic;
mod records;
mod suites;
mod tls;

use crate::provider;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::cell::Cell;
use std::io::{IoSlice, Read, Write};
use std::sync::Arc;

thread_local! {
    /// The number of calls to Hornet in this thread.
    pub(crate) static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// The implementation that encrypts and decrypts on one side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Hornet,
    Base,
}

/// All pairs of a client and a server.
const PAIRS: [(Side, Side); 4] = [
    (Side::Hornet, Side::Hornet),
    (Side::Hornet, Side::Base),
    (Side::Base, Side::Hornet),
    (Side::Base, Side::Base),
];

impl Side {
    /// Returns its provider, restricted to ChaCha20-Poly1305 suites.
    fn provider(self) -> Arc<CryptoProvider> {
        let mut provider = match self {
            Self::Hornet => provider(ring::default_provider()),
            Self::Base => ring::default_provider(),
        };
        let is_chacha = |name: String| name.contains("CHACHA20_POLY1305");
        provider
            .cipher_suites
            .retain(|suite| is_chacha(format!("{:?}", suite.suite())));
        assert_eq!(provider.cipher_suites.len(), 3);
        Arc::new(provider)
    }

    fn client(self, certificate: &Certificate, version: Version) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(certificate.certificate.clone()).unwrap();
        ClientConfig::builder_with_provider(self.provider())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }

    fn server(self, certificate: &Certificate, version: Version) -> ServerConfig {
        let chain = vec![certificate.certificate.clone()];
        ServerConfig::builder_with_provider(self.provider())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, certificate.key.clone_key())
            .unwrap()
    }

    /// Checks that this side used Hornet if, and only if, it should.
    fn check_calls(self, calls: usize) {
        assert_eq!(calls > 0, self == Self::Hornet, "{self:?}: {calls}");
    }
}

type Version = &'static SupportedProtocolVersion;

/// A self-signed certificate for `localhost`.
struct Certificate {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Certificate {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Self {
            certificate: made.cert.der().clone(),
            key: PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into()),
        }
    }
}

/// Message lengths around the sizes of blocks, vectors, records and buffers.
const LENGTHS: [usize; 23] = [
    0, 1, 2, 15, 16, 17, 47, 63, 64, 65, 191, 255, 256, 257, 500, 1_350, 4_096, 9_999, 16_383,
    16_384, 16_385, 40_000, 70_000,
];

fn message(len_bytes: usize) -> Vec<u8> {
    (0..=250)
        .cycle()
        .skip(len_bytes % 251)
        .take(len_bytes)
        .collect()
}

/// Writes everything in pieces, with as many per call as the other end accepts.
fn write_vectored(to: &mut impl Write, message: &[u8]) {
    let mut pieces: Vec<IoSlice> = message.chunks(1_001).map(IoSlice::new).collect();
    let mut left = &mut pieces[..];
    while !left.is_empty() {
        let written = to.write_vectored(left).unwrap();
        IoSlice::advance_slices(&mut left, written);
    }
    to.flush().unwrap();
}

fn read(from: &mut impl Read, len_bytes: usize) -> Vec<u8> {
    let mut message = vec![0; len_bytes];
    from.read_exact(&mut message).unwrap();
    message
}
