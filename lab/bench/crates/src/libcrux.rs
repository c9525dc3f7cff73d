// SPDX-License-Identifier: Apache-2.0 OR MIT

//! libcrux.

use crate::{Keyed, Tag, Text};
use libcrux_chacha20poly1305::{decrypt_detached, encrypt_detached};

struct Key([u8; 32]);

// The functions fail only for messages of 2^32 bytes and more.
crate::mac!(|key: &[u8; 32], msg| {
    let mut tag = [0; 16];
    libcrux_poly1305::mac(key, msg, &mut tag)
        .map(|()| tag)
        .unwrap_or([0; 16])
});
crate::aead!(Key);

impl Keyed for Key {
    fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        let mut tag = [0; 16];
        encrypt_detached(
            &self.0, text.input, text.out, &mut tag, text.aad, text.nonce,
        )
        .ok()?;
        Some(tag)
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        decrypt_detached(&self.0, text.out, text.input, tag, text.aad, text.nonce).is_ok()
    }
}
