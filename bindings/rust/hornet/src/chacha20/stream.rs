// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Streams: a key, a nonce and a position.

use crate::chacha20::{ChaCha20, CounterOverflow, hchacha20};
use crate::ffi;
use crate::key::wipe;
use core::fmt;
use zeroize::ZeroizeOnDrop;

pub(crate) const BLOCK_BYTES: u64 = 64;

/// Of a keystream: its blocks are numbered with 32 bits.
pub(crate) const STREAM_BYTES: u64 = BLOCK_BYTES << 32;

/// The keystream of `ChaCha20` (`NONCE_BYTES` is 12) or `XChaCha20` (24) and a position in it, in bytes. Its
/// secrets are wiped when it is dropped.
///
/// With the feature `cipher`, it implements `KeyIvInit`, `StreamCipher` and `StreamCipherSeek` of the crate
/// `cipher` 0.5.
///
/// ```
/// use hornet::chacha20::XChaCha20Stream;
///
/// let mut text = *b"a text in two pieces";
/// let mut stream = XChaCha20Stream::new(&[7; 32], &[1; 24]);
/// stream.apply(&mut text[..6])?;
/// stream.apply(&mut text[6..])?;
///
/// // Decrypts from the middle on.
/// let mut stream = XChaCha20Stream::new(&[7; 32], &[1; 24]);
/// stream.set_position(7)?;
/// stream.apply(&mut text[7..])?;
/// assert_eq!(&text[7..], b"in two pieces");
/// # Ok::<(), hornet::chacha20::CounterOverflow>(())
/// ```
pub struct Stream<const NONCE_BYTES: usize> {
    key: ChaCha20,
    nonce: [u8; 12],
    position: u64,
    /// The block of the position, if the position is within it and `kept` is true.
    block: [u8; 64],
    kept: bool,
}

/// `ChaCha20` (RFC 8439, section 2.4) from block 0 on. Nonces are too short to be random.
pub type ChaCha20Stream = Stream<12>;

/// `XChaCha20` (draft-irtf-cfrg-xchacha-03, section 2.3) from block 0 on. Nonces may be random.
pub type XChaCha20Stream = Stream<24>;

impl Stream<12> {
    /// Starts at position 0. Two texts under the same key and nonce give away both.
    #[must_use]
    pub const fn new(key: &[u8; 32], nonce: &[u8; 12]) -> Self {
        Self::of(ChaCha20::new(key), *nonce)
    }
}

impl Stream<24> {
    /// Starts at position 0. Two texts under the same key and nonce give away both.
    #[must_use]
    pub fn new(key: &[u8; 32], nonce: &[u8; 24]) -> Self {
        let mut first = [0; 16];
        let mut rest = [0; 12];
        first.copy_from_slice(&nonce[..16]);
        rest[4..].copy_from_slice(&nonce[16..]);
        let mut subkey = hchacha20(key, &first);
        let stream = Self::of(ChaCha20::new(&subkey), rest);
        wipe(&mut subkey);
        stream
    }
}

impl<const NONCE_BYTES: usize> Stream<NONCE_BYTES> {
    const fn of(key: ChaCha20, nonce: [u8; 12]) -> Self {
        Self {
            key,
            nonce,
            position: 0,
            block: [0; 64],
            kept: false,
        }
    }

    /// Returns the position in bytes, up to 2^38.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Sets the position in bytes, forward or back. Who encrypts another text with bytes of the keystream that
    /// were used before gives away both.
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`] if it is above 2^38, the end of the keystream. It is then not changed.
    pub fn set_position(&mut self, position: u64) -> Result<(), CounterOverflow> {
        if position > STREAM_BYTES {
            return Err(CounterOverflow);
        }
        self.kept =
            self.kept && self.is_within() && position / BLOCK_BYTES == self.position / BLOCK_BYTES;
        self.position = position;
        Ok(())
    }

    /// Encrypts or decrypts `text` in place, by XOR with the keystream from the position on, which then is
    /// behind it. How a text is divided does not matter.
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`] if the keystream, 2^38 bytes, ends before the text. Nothing is then changed.
    pub fn apply(&mut self, text: &mut [u8]) -> Result<(), CounterOverflow> {
        let start = text.as_mut_ptr();
        // SAFETY: `text` has as many bytes, which are readable and writable.
        unsafe { self.apply_raw(start, start, text.len()) }
    }

    /// Does the same with `len_bytes` bytes of memory to which Rust may not make a reference, from `input` to `output`.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply).
    ///
    /// # Safety
    ///
    /// `input` must be readable and `output` writable for `len_bytes` bytes; they must be the same or not overlap.
    pub unsafe fn apply_raw(
        &mut self,
        output: *mut u8,
        input: *const u8,
        len_bytes: usize,
    ) -> Result<(), CounterOverflow> {
        if !self.has(len_bytes) {
            return Err(CounterOverflow);
        }
        let mut done = 0;
        if self.is_within() && len_bytes != 0 {
            if !self.kept {
                self.keep();
            }
            // SAFETY: see above.
            done = unsafe { self.apply_block(output, input, len_bytes) };
        }
        let left = len_bytes - done;
        if left == 0 {
            return Ok(());
        }
        // SAFETY: `left` bytes follow.
        let (output, input) = unsafe { (output.add(done), input.add(done)) };
        if left < self.block.len() {
            self.keep();
            // SAFETY: see above.
            unsafe { self.apply_block(output, input, left) };
            return Ok(());
        }
        // If the last block is not whole, it is made again when the next call continues it.
        self.kept = false;
        // SAFETY: see above; nonce and key have their lengths. There are enough blocks left, so it returns true.
        let _fits = unsafe {
            ffi::hornet_chacha20(
                output.cast(),
                input.cast(),
                left,
                self.counter(),
                self.nonce.as_ptr(),
                self.key.0.as_ptr(),
            )
        };
        self.position += left as u64;
        Ok(())
    }

    /// Whether that many bytes of the keystream are left.
    pub(crate) fn has(&self, len_bytes: usize) -> bool {
        u64::try_from(len_bytes).is_ok_and(|len_bytes| len_bytes <= STREAM_BYTES - self.position)
    }

    /// Whether the position is not at the beginning of a block.
    const fn is_within(&self) -> bool {
        self.position % BLOCK_BYTES != 0
    }

    /// The number of the block of the position, which is not the end of the keystream.
    #[allow(clippy::cast_possible_truncation, reason = "a position is below 2^38")]
    const fn counter(&self) -> u32 {
        (self.position / BLOCK_BYTES) as u32
    }

    /// Makes the block of the position.
    fn keep(&mut self) {
        let counter = self.counter();
        self.block = [0; 64];
        // One block is always left.
        self.kept = self
            .key
            .apply(&self.nonce, counter, &mut self.block)
            .is_ok();
    }

    /// Applies the rest of the block that is kept to up to `len_bytes` bytes, and returns to how many.
    ///
    /// # Safety
    ///
    /// As for `apply_raw`.
    unsafe fn apply_block(&mut self, output: *mut u8, input: *const u8, len_bytes: usize) -> usize {
        let used = (self.position % BLOCK_BYTES) as usize;
        let stream = &self.block[used..];
        let count = stream.len().min(len_bytes);
        for (index, byte) in stream[..count].iter().enumerate() {
            // SAFETY: index is below `len_bytes`.
            unsafe { output.add(index).write(input.add(index).read() ^ byte) };
        }
        self.position += count as u64;
        count
    }
}

impl<const NONCE_BYTES: usize> Drop for Stream<NONCE_BYTES> {
    fn drop(&mut self) {
        wipe(&mut self.block);
    }
}

impl<const NONCE_BYTES: usize> ZeroizeOnDrop for Stream<NONCE_BYTES> {}

/// Does not show key, nonce or keystream.
impl<const NONCE_BYTES: usize> fmt::Debug for Stream<NONCE_BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::vec::Vec;

    /// The keystream of the first bytes, by one call.
    fn keystream<const BYTES: usize>(key: &ChaCha20, nonce: [u8; 12], first: u32) -> [u8; BYTES] {
        let mut text = [0; BYTES];
        key.apply(&nonce, first, &mut text).unwrap();
        text
    }

    #[test]
    fn pieces_of_all_lengths() {
        let expected: [u8; 1000] = keystream(&ChaCha20::new(&[7; 32]), [1; 12], 0);
        for piece in 1..200 {
            let mut stream = ChaCha20Stream::new(&[7; 32], &[1; 12]);
            let mut text = [0; 1000];
            for (number, piece) in text.chunks_mut(piece).enumerate() {
                stream
                    .apply(if number == 1 { &mut [] } else { &mut *piece })
                    .unwrap();
                if number == 1 {
                    stream.apply(piece).unwrap();
                }
            }
            assert_eq!(text, expected, "{piece}");
            assert_eq!(stream.position(), 1000);
        }
    }

    #[test]
    fn any_position() {
        let expected: [u8; 500] = keystream(&ChaCha20::new(&[7; 32]), [1; 12], 0);
        let mut stream = ChaCha20Stream::new(&[7; 32], &[1; 12]);
        let mut position = 1;
        for _ in 0..3000 {
            position = (position * 167 + 13) % 431;
            let len_bytes = position % 69;
            stream.set_position(position as u64).unwrap();
            let mut text: Vec<u8> = std::vec![0; len_bytes];
            stream.apply(&mut text).unwrap();
            assert_eq!(text, expected[position..position + len_bytes], "{position}");
            assert_eq!(stream.position(), (position + len_bytes) as u64);
        }
    }

    #[test]
    fn end_of_the_keystream() {
        let expected: [u8; 192] = keystream(&ChaCha20::new(&[7; 32]), [1; 12], u32::MAX - 2);
        for left in 0..192 {
            let mut stream = ChaCha20Stream::new(&[7; 32], &[1; 12]);
            stream.set_position(STREAM_BYTES - left as u64).unwrap();
            let mut text = [0; 193];
            assert_eq!(stream.apply(&mut text[..=left]), Err(CounterOverflow));
            assert_eq!(
                (text, stream.position()),
                ([0; 193], STREAM_BYTES - left as u64)
            );
            stream.apply(&mut text[..left]).unwrap();
            assert_eq!(text[..left], expected[192 - left..]);
            assert_eq!(stream.position(), STREAM_BYTES);
            assert_eq!(stream.apply(&mut []), Ok(()));
            assert_eq!(stream.apply(&mut [0]), Err(CounterOverflow));
            assert_eq!(stream.set_position(STREAM_BYTES + 1), Err(CounterOverflow));
            // A block that was kept is not that of another position.
            stream.set_position(STREAM_BYTES - 191).unwrap();
            stream.apply(&mut text[..1]).unwrap();
            assert_eq!(stream.position(), STREAM_BYTES - 190);
        }
    }

    /// draft-irtf-cfrg-xchacha-03, section A.3.2.1: the first bytes of block 1.
    #[test]
    fn extended_nonce() {
        let key: [u8; 32] = core::array::from_fn(|index| 0x80 + u8::try_from(index).unwrap());
        let nonce: [u8; 24] = core::array::from_fn(|index| {
            let byte = 0x40 + u8::try_from(index).unwrap();
            if index == 23 { 0x58 } else { byte }
        });
        let mut stream = XChaCha20Stream::new(&key, &nonce);
        let mut text = *b"The dhole (pronounced \"dole\")";
        stream.set_position(64).unwrap();
        stream.apply(&mut text).unwrap();
        assert_eq!(text[..8], [0x7d, 0x0a, 0x2e, 0x6b, 0x7f, 0x7c, 0x65, 0xa2]);
    }

    #[test]
    fn debug_shows_no_secret() {
        let stream = ChaCha20Stream::new(&[7; 32], &[1; 12]);
        assert_eq!(format!("{stream:?}"), "Stream(..)");
    }
}
