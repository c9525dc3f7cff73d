// SPDX-License-Identifier: Apache-2.0 OR MIT

//! TLS 1.2 (RFC 7905).

use crate::protection::{KEY_BYTES, Protection, TAG_BYTES, iv};
use rustls::crypto::CipherSuiteCommon;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, NONCE_LEN, OutboundOpaqueMessage, OutboundPlainMessage, Tls12AeadAlgorithm,
    UnsupportedOperationError, make_tls12_aad,
};
use rustls::{CipherSuite, ConnectionTrafficSecrets, Error, Tls12CipherSuite};

/// The suites of RFC 7905. They differ in the key exchange, which remains that of the base.
pub(crate) const SUITES: [CipherSuite; 7] = [
    CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_PSK_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256,
];

/// The maximum length of a record's text (RFC 5246, section 6.2.1).
const MAX_TEXT_BYTES: usize = 1 << 14;

/// Makes a ChaCha20-Poly1305 suite whose records use Hornet.
pub(crate) fn suite(base: &Tls12CipherSuite) -> Tls12CipherSuite {
    Tls12CipherSuite {
        common: CipherSuiteCommon { ..base.common },
        prf_provider: base.prf_provider,
        kx: base.kx,
        sign: base.sign,
        aead_alg: &Algorithm,
    }
}

struct Algorithm;

impl Tls12AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, fixed: &[u8], _: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(Records(Protection::new(&key, iv(fixed))))
    }

    fn decrypter(&self, key: AeadKey, fixed: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Records(Protection::new(&key, iv(fixed))))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape {
            enc_key_len: KEY_BYTES,
            fixed_iv_len: NONCE_LEN,
            explicit_nonce_len: 0,
        }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        fixed: &[u8],
        _: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        let iv = iv(fixed);
        Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv })
    }
}

/// Record protection for one direction.
struct Records(Protection);

impl MessageEncrypter for Records {
    fn encrypt(
        &mut self,
        msg: OutboundPlainMessage<'_>,
        seq: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let aad = make_tls12_aad(seq, msg.typ, msg.version, msg.payload.len());
        let payload = self.0.seal_record(&msg.payload, &[], &aad, seq)?;
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut msg: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let len_bytes = msg
            .payload
            .len()
            .checked_sub(TAG_BYTES)
            .ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, msg.typ, msg.version, len_bytes);
        self.0.open_record(&mut msg, &aad, seq)?;
        if len_bytes > MAX_TEXT_BYTES {
            return Err(Error::PeerSentOversizedRecord);
        }
        Ok(msg.into_plain_message())
    }
}
