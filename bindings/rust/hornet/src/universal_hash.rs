// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The traits of the crate `universal-hash` for Poly1305.
//!
//! They take keys by reference and messages in whole blocks, with the last one zero-padded, as
//! ChaCha20-Poly1305 needs. **The caller must use each key for one message only.**

use crate::key::Key;
use crate::poly1305::Poly1305;
use crate::tag::Tag;
use universal_hash::common::{BlockSizeUser, KeySizeUser, ParBlocksSizeUser};
use universal_hash::consts::{U1, U16, U32};
use universal_hash::{Block, KeyInit, UhfBackend, UhfClosure, UniversalHash};

impl KeySizeUser for Poly1305 {
    type KeySize = U32;
}

impl KeyInit for Poly1305 {
    fn new(key: &universal_hash::Key<Self>) -> Self {
        Self::new(Key::new(&key.0))
    }
}

impl BlockSizeUser for Poly1305 {
    type BlockSize = U16;
}

impl UniversalHash for Poly1305 {
    fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = Self::BlockSize>) {
        f.call(&mut Backend(self));
    }

    /// Passes all blocks at once, so that vector kernels can be used.
    fn update(&mut self, blocks: &[Block<Self>]) {
        Self::update(
            self,
            Block::<Self>::cast_slice_to_core(blocks).as_flattened(),
        );
    }

    fn finalize(self) -> Block<Self> {
        (*Self::finalize(self).as_bytes()).into()
    }

    fn verify(self, expected: &Block<Self>) -> Result<(), universal_hash::Error> {
        Self::verify(self, &Tag::from(expected.0)).map_err(|_| universal_hash::Error)
    }
}

/// Takes blocks one at a time.
struct Backend<'a>(&'a mut Poly1305);

impl BlockSizeUser for Backend<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Backend<'_> {
    type ParBlocksSize = U1;
}

impl UhfBackend for Backend<'_> {
    fn proc_block(&mut self, block: &Block<Self>) {
        self.0.update(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly1305::mac;
    use std::vec::Vec;
    use universal_hash::UniversalHash;

    fn fresh<U: KeyInit<KeySize = U32>>() -> U {
        U::new(&[7; 32].into())
    }

    /// The tag of the message, zero-padded to whole blocks.
    fn expected(message: &[u8]) -> Tag {
        let mut padded = message.to_vec();
        padded.resize(message.len().next_multiple_of(16), 0);
        mac(Key::new(&[7; 32]), &padded)
    }

    #[test]
    fn padded_messages() {
        for len_bytes in 0..600 {
            let message: Vec<u8> = (0..=255).cycle().take(len_bytes).collect();
            let mut hash: Poly1305 = fresh();
            hash.update_padded(&message);
            let tag = UniversalHash::finalize(hash);
            assert_eq!(tag.0, *expected(&message).as_bytes(), "{len_bytes}");

            let mut hash: Poly1305 = fresh();
            hash.update_padded(&message);
            assert!(UniversalHash::verify(hash, &tag).is_ok());
            let mut hash: Poly1305 = fresh();
            hash.update_padded(&message);
            let mut wrong = tag;
            wrong[len_bytes % 16] ^= 1;
            assert!(UniversalHash::verify(hash, &wrong).is_err());
        }
    }

    /// A caller that feeds its own blocks to the backend.
    #[test]
    fn block_by_block() {
        struct Feed<'a>(&'a [Block<Poly1305>]);
        impl BlockSizeUser for Feed<'_> {
            type BlockSize = U16;
        }
        impl UhfClosure for Feed<'_> {
            fn call<B: UhfBackend<BlockSize = U16>>(self, backend: &mut B) {
                for block in self.0 {
                    backend.proc_block(block);
                }
            }
        }
        let message: Vec<u8> = (0..=255).cycle().take(640).collect();
        let (blocks, _) = Block::<Poly1305>::slice_as_chunks(&message);
        let mut hash: Poly1305 = fresh();
        hash.update_with_backend(Feed(blocks));
        assert_eq!(
            UniversalHash::finalize(hash).0,
            *expected(&message).as_bytes()
        );
    }
}
