// SPDX-License-Identifier: Apache-2.0 OR MIT

//! RustCrypto.

use crate::{Keyed, Tag, Text};
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit};
use poly1305::Poly1305;

crate::mac!(|key: &[u8; 32], msg| Poly1305::new(key.into()).compute_unpadded(msg).into());
crate::aead!(ChaCha20Poly1305);

impl Keyed for ChaCha20Poly1305 {
    fn new(key: &[u8; 32]) -> Self {
        KeyInit::new(key.into())
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let buffer = InOutBuf::new(text.input, text.out).ok()?;
        let tag = self.encrypt_inout_detached(text.nonce.into(), text.aad, buffer);
        tag.ok().map(Into::into)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        let buffer = InOutBuf::new(text.input, text.out).expect("both have the same length");
        self.decrypt_inout_detached(text.nonce.into(), text.aad, buffer, tag.into())
            .is_ok()
    }
}
