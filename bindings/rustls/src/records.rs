// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What records of TLS 1.2 and 1.3 have in common: where text and tag stand, and that the nonce is
//! made of the record's number.

use crate::protection::{Protection, TAG_BYTES};
use rustls::Error;
use rustls::crypto::cipher::{InboundOpaqueMessage, Nonce, OutboundChunks, PrefixedPayload};

impl Protection {
    /// Text and what ends it, encrypted, and the tag. Copies the chunks once, behind the place of
    /// the header, which is how rustls 0.23 wants a record, and encrypts them there.
    pub(crate) fn seal_record(
        &self,
        text: &OutboundChunks<'_>,
        end: &[u8],
        aad: &[u8],
        seq: u64,
    ) -> Result<PrefixedPayload, Error> {
        let total_bytes = text.len() + end.len() + TAG_BYTES;
        let mut payload = PrefixedPayload::with_capacity(total_bytes);
        payload.extend_from_chunks(text);
        payload.extend_from_slice(end);
        let tag = self.seal(&Nonce::new(&self.iv, seq), aad, payload.as_mut())?;
        payload.extend_from_slice(tag.as_bytes());
        Ok(payload)
    }

    /// Decrypts a record where it is, and leaves the text only.
    pub(crate) fn open_record(
        &self,
        record: &mut InboundOpaqueMessage<'_>,
        aad: &[u8],
        seq: u64,
    ) -> Result<(), Error> {
        let nonce = Nonce::new(&self.iv, seq);
        let len_bytes = self.open(&nonce, aad, &mut record.payload)?;
        record.payload.truncate(len_bytes);
        Ok(())
    }
}
