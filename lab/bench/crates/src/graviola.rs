// SPDX-License-Identifier: Apache-2.0 OR MIT

//! graviola, which works in place.

use crate::{Keyed, Tag, Text};
use graviola::aead::ChaCha20Poly1305;

crate::aead!(ChaCha20Poly1305);

impl Keyed for ChaCha20Poly1305 {
    fn new(key: &[u8; 32]) -> Self {
        ChaCha20Poly1305::new(*key)
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let mut tag = [0; 16];
        text.out.copy_from_slice(text.input);
        self.encrypt(text.nonce, text.aad, text.out, &mut tag);
        Some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        text.out.copy_from_slice(text.input);
        self.decrypt(text.nonce, text.aad, text.out, tag).is_ok()
    }
}
