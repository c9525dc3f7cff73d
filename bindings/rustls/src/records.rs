// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The common part of TLS 1.2 and 1.3 records: the layout of text and tag, and the nonce derived
//! from the record's number.

use crate::protection::{Protection, TAG_BYTES};
use rustls::Error;
use rustls::crypto::cipher::{InboundOpaqueMessage, Nonce, OutboundChunks, PrefixedPayload};

impl Protection {
    /// Encrypts a text and the bytes that end it, and appends the tag. The chunks are copied once,
    /// to behind the space for the header, as rustls 0.23 expects a record, and encrypted there.
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

    /// Decrypts a record in place, and leaves only the text.
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
