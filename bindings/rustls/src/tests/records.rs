// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Records that a peer should not send, and the keys that are handed to other code.

use crate::provider;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks,
    OutboundPlainMessage,
};
use rustls::crypto::ring;
use rustls::{
    CipherSuite, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion,
    SupportedCipherSuite,
};

const IV: [u8; 12] = [1; 12];

fn key() -> AeadKey {
    AeadKey::from([7; 32])
}

fn suite(name: CipherSuite) -> SupportedCipherSuite {
    let suites = provider(ring::default_provider()).cipher_suites;
    suites
        .into_iter()
        .find(|suite| suite.suite() == name)
        .unwrap()
}

/// Both ends of one direction in each version of TLS.
fn directions() -> [(Box<dyn MessageEncrypter>, Box<dyn MessageDecrypter>); 2] {
    let tls13 = suite(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    let tls13 = tls13.tls13().unwrap().aead_alg;
    let tls12 = suite(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256);
    let SupportedCipherSuite::Tls12(tls12) = tls12 else {
        panic!("{tls12:?}");
    };
    let tls12 = tls12.aead_alg;
    [
        (
            tls13.encrypter(key(), Iv::from(IV)),
            tls13.decrypter(key(), Iv::from(IV)),
        ),
        (
            tls12.encrypter(key(), &IV, &[]),
            tls12.decrypter(key(), &IV),
        ),
    ]
}

/// Encrypts `len_bytes` bytes as record 5, changes the record, and decrypts it as record 5.
fn send(
    (encrypter, decrypter): &mut (Box<dyn MessageEncrypter>, Box<dyn MessageDecrypter>),
    len_bytes: usize,
    change: impl Fn(&mut Vec<u8>),
    seq: u64,
) -> Result<Vec<u8>, Error> {
    let (typ, version) = (ContentType::ApplicationData, ProtocolVersion::TLSv1_2);
    let text = vec![3; len_bytes];
    let message = OutboundPlainMessage {
        typ,
        version,
        payload: OutboundChunks::Single(&text),
    };
    let record = encrypter.encrypt(message, 5).unwrap();
    let mut record = record.payload.as_ref().to_vec();
    assert_eq!(record.len(), encrypter.encrypted_payload_len(len_bytes));
    change(&mut record);
    let message = InboundOpaqueMessage::new(typ, version, &mut record);
    Ok(decrypter.decrypt(message, seq)?.payload.to_vec())
}

#[test]
fn records_that_are_refused() {
    for mut direction in directions() {
        let mut send = |len_bytes, change: fn(&mut Vec<u8>), seq| {
            send(&mut direction, len_bytes, change, seq).map_err(|error| error.to_string())
        };
        let refused = Err(Error::DecryptError.to_string());
        let oversized = Err(Error::PeerSentOversizedRecord.to_string());
        assert_eq!(send(100, |_| {}, 5), Ok(vec![3; 100]));
        assert_eq!(send(100, |_| {}, 6), refused);
        assert_eq!(send(100, |record| record[0] ^= 1, 5), refused);
        assert_eq!(send(100, |record| record[99] ^= 0x80, 5), refused);
        assert_eq!(
            send(100, |record| *record.last_mut().unwrap() ^= 1, 5),
            refused
        );
        assert_eq!(send(100, |record| record.truncate(15), 5), refused);
        assert_eq!(send(100, Vec::clear, 5), refused);
        assert_eq!(send(1 << 14, |_| {}, 5), Ok(vec![3; 1 << 14]));
        assert_eq!(send((1 << 14) + 1, |_| {}, 5), oversized);
    }
}

/// For applications that let the kernel encrypt, or that log keys.
#[test]
fn keys_for_others() {
    let tls13 = suite(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    let tls13 = tls13.tls13().unwrap().aead_alg;
    let SupportedCipherSuite::Tls12(tls12) =
        suite(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256)
    else {
        panic!("it is of TLS 1.2");
    };
    for secrets in [
        tls13.extract_keys(key(), Iv::from(IV)).unwrap(),
        tls12.aead_alg.extract_keys(key(), &IV, &[]).unwrap(),
    ] {
        let ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } = secrets else {
            panic!("secrets of another cipher");
        };
        assert_eq!((key.as_ref(), iv.as_ref()), (&[7; 32][..], &IV[..]));
    }
}
