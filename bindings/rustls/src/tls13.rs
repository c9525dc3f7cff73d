// SPDX-License-Identifier: Apache-2.0 OR MIT

//! TLS 1.3 (RFC 8446, section 5.2).

use crate::protection::{KEY_BYTES, Protection, TAG_BYTES};
use crate::quic::Quic;
use rustls::crypto::CipherSuiteCommon;
use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, Tls13AeadAlgorithm, UnsupportedOperationError,
    make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, Tls13CipherSuite};

/// Makes a ChaCha20-Poly1305 suite whose records, and QUIC packets if it supports QUIC, use Hornet.
pub(crate) fn suite(base: &Tls13CipherSuite) -> Tls13CipherSuite {
    Tls13CipherSuite {
        common: CipherSuiteCommon { ..base.common },
        hkdf_provider: base.hkdf_provider,
        aead_alg: &Algorithm,
        quic: base.quic.map(|_| &Quic as _),
    }
}

struct Algorithm;

impl Tls13AeadAlgorithm for Algorithm {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records(Protection::new(&key, iv)))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records(Protection::new(&key, iv)))
    }

    fn key_len(&self) -> usize {
        KEY_BYTES
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
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
        let aad = make_tls13_aad(self.encrypted_payload_len(msg.payload.len()));
        let payload = self
            .0
            .seal_record(&msg.payload, &[msg.typ.into()], &aad, seq)?;
        // Every record claims to be application data of TLS 1.2 (RFC 8446, section 5.2).
        Ok(OutboundOpaqueMessage::new(
            ContentType::ApplicationData,
            ProtocolVersion::TLSv1_2,
            payload,
        ))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + size_of::<u8>() + TAG_BYTES
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut msg: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(msg.payload.len());
        self.0.open_record(&mut msg, &aad, seq)?;
        msg.into_tls13_unpadded_message()
    }
}
