// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ring, which works in place.

use crate::{Keyed, Tag, Text};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};

crate::aead!(LessSafeKey);

impl Keyed for LessSafeKey {
    fn new(key: &[u8; 32]) -> Self {
        LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key has 32 bytes"))
    }

    fn seal(&self, text: Text) -> Option<Tag> {
        text.out.copy_from_slice(text.input);
        let nonce = Nonce::assume_unique_for_key(*text.nonce);
        let sealed = self.seal_in_place_separate_tag(nonce, Aad::from(text.aad), text.out);
        sealed.ok()?.as_ref().try_into().ok()
    }

    fn open(&self, text: Text, tag: &Tag) -> bool {
        text.out.copy_from_slice(text.input);
        let (nonce, aad) = (
            Nonce::assume_unique_for_key(*text.nonce),
            Aad::from(text.aad),
        );
        self.open_in_place_separate_tag(nonce, aad, (*tag).into(), text.out, 0..)
            .is_ok()
    }
}
