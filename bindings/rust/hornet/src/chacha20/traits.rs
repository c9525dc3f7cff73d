// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The traits of the crate `cipher` 0.5.
//!
//! They take any nonce: **the caller must ensure that none repeats**.

use crate::chacha20::stream::{BLOCK_BYTES, STREAM_BYTES};
use crate::chacha20::{ChaCha20Stream, Stream, XChaCha20Stream};
use cipher::consts::{U12, U24, U32};
use cipher::inout::InOutBuf;
use cipher::{
    Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek,
};

impl<const NONCE_BYTES: usize> KeySizeUser for Stream<NONCE_BYTES> {
    type KeySize = U32;
}

impl IvSizeUser for ChaCha20Stream {
    type IvSize = U12;
}

impl IvSizeUser for XChaCha20Stream {
    type IvSize = U24;
}

impl KeyIvInit for ChaCha20Stream {
    fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        Self::new(&key.0, &nonce.0)
    }
}

impl KeyIvInit for XChaCha20Stream {
    fn new(key: &Key<Self>, nonce: &Iv<Self>) -> Self {
        Self::new(&key.0, &nonce.0)
    }
}

impl<const NONCE_BYTES: usize> StreamCipher for Stream<NONCE_BYTES> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        self.has(data_len).then_some(()).ok_or(StreamCipherError)
    }

    /// Begins with block 0 again after the last one.
    fn unchecked_apply_keystream_inout(&mut self, mut buf: InOutBuf<'_, '_, u8>) {
        while !buf.is_empty() {
            if self.position() == STREAM_BYTES {
                let _in_range = self.set_position(0);
            }
            let left = usize::try_from(STREAM_BYTES - self.position()).unwrap_or(usize::MAX);
            let len_bytes = left.min(buf.len());
            let (now, rest) = buf.split_at(len_bytes);
            let (input, output) = now.into_raw();
            // SAFETY: both have `len_bytes` bytes, and are either the same or do not overlap.
            let _enough_is_left = unsafe { self.apply_raw(output, input, len_bytes) };
            buf = rest;
        }
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.unchecked_apply_keystream(buf);
    }
}

impl<const NONCE_BYTES: usize> StreamCipherSeek for Stream<NONCE_BYTES> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // Counts from the end of a block: `byte` is never 0.
        let blocks = self.position().div_ceil(BLOCK_BYTES);
        let before = blocks * BLOCK_BYTES - self.position();
        let byte = u8::try_from(BLOCK_BYTES - before).map_err(|_| OverflowError)?;
        T::from_block_byte(blocks, byte, 64)
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte): (u64, u8) = pos.into_block_byte(64).map_err(|_| StreamCipherError)?;
        block
            .checked_mul(BLOCK_BYTES)
            .and_then(|start| start.checked_add(u64::from(byte)))
            .and_then(|position| self.set_position(position).ok())
            .ok_or(StreamCipherError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// What generic code gets from the traits, at many positions and lengths.
    fn stream<C: KeyIvInit + StreamCipher + StreamCipherSeek>() -> Vec<u8> {
        let key = Key::<C>::try_from(&[7; 32][..]).unwrap();
        let nonce = Iv::<C>::try_from(&[9; 24][..C::iv_size()]).unwrap();
        let mut cipher = C::new(&key, &nonce);
        let mut all = Vec::new();
        for position in [0_u64, 1, 63, 64, 65, 1000, (1 << 31) + 5, (1 << 38) - 1000] {
            cipher.seek(position);
            for len_bytes in [0, 1, 5, 63, 64, 65, 400] {
                assert!(cipher.current_pos::<u64>() >= position);
                let message = std::vec![0x55; len_bytes];
                let mut apart = std::vec![0; len_bytes];
                cipher.apply_keystream_b2b(&message, &mut apart);
                all.extend(&apart);
                let mut inside = message;
                let at: u128 = cipher.current_pos();
                cipher.seek(at - len_bytes as u128);
                cipher.apply_keystream(&mut inside);
                assert_eq!(inside, apart);
                let mut bare = std::vec![1; len_bytes];
                cipher.try_seek(at - len_bytes as u128).unwrap();
                cipher.write_keystream(&mut bare);
                for byte in &mut bare {
                    *byte ^= 0x55;
                }
                assert_eq!(bare, apart);
            }
        }
        all
    }

    #[test]
    fn same_as_another_implementation_of_the_traits() {
        assert_eq!(stream::<ChaCha20Stream>(), stream::<chacha20::ChaCha20>());
        assert_eq!(stream::<XChaCha20Stream>(), stream::<chacha20::XChaCha20>());
    }

    #[test]
    fn ends() {
        let mut cipher = ChaCha20Stream::new(&[7; 32], &[9; 12]);
        assert!(cipher.try_seek(STREAM_BYTES + 1).is_err());
        assert!(cipher.try_seek(u128::MAX).is_err());
        assert!(cipher.try_seek(u64::MAX).is_err());
        cipher.seek(STREAM_BYTES - 10);
        assert!(cipher.try_current_pos::<u32>().is_err());
        assert_eq!(cipher.current_pos::<u64>(), STREAM_BYTES - 10);
        let mut text = [0; 20];
        assert!(cipher.try_apply_keystream(&mut text[..11]).is_err());
        assert_eq!(text, [0; 20]);
        // What is unchecked begins again.
        cipher.unchecked_write_keystream(&mut text);
        let mut first = [0; 10];
        cipher.seek(0);
        cipher.apply_keystream(&mut first);
        assert_eq!(text[10..], first);
        cipher.seek(STREAM_BYTES);
        assert_eq!(cipher.current_pos::<u64>(), STREAM_BYTES);
        assert!(cipher.check_remaining(0).is_ok() && cipher.check_remaining(1).is_err());
    }
}
