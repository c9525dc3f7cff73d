// SPDX-License-Identifier: Apache-2.0 OR MIT

//! [`ChaCha20`] alone (RFC 8439, section 2.4), QUIC's header masks, `HChaCha20`; [`Stream`]s of `ChaCha20` and
//! `XChaCha20`.
//!
//! **It does not authenticate**: an attacker who changes the ciphertext changes the message, bit by
//! bit. For messages, use [`aead`](crate::aead).

mod stream;
#[cfg(feature = "cipher")]
mod traits;

pub use stream::{ChaCha20Stream, Stream, XChaCha20Stream};

use crate::batch::{CHUNK, InChunks};
use crate::ffi;
use crate::key::{from_bytes, wiped_key};
use core::error::Error;
use core::fmt;
use core::iter::FusedIterator;

/// Computes `HChaCha20`: a key from a key and a nonce (draft-irtf-cfrg-xchacha-03, section 2.2). The result
/// is secret, and the caller should wipe it.
#[must_use]
pub fn hchacha20(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    let mut subkey = [0; 32];
    // SAFETY: key and result have 32 bytes, the nonce has 16.
    unsafe { ffi::hornet_hchacha20(subkey.as_mut_ptr(), nonce.as_ptr(), key.as_ptr()) };
    subkey
}

/// A `ChaCha20` key. Wiped when dropped.
pub struct ChaCha20([u8; 32]);

impl ChaCha20 {
    /// Copies the bytes of a key: 32 secret bytes. The caller should wipe its own copy.
    #[must_use]
    pub const fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    /// Encrypts or decrypts `text` in place, by XOR with the keystream of key and nonce, starting
    /// at block `counter`. A block has 64 bytes. Two texts under the same key, nonce and block give
    /// away both.
    ///
    /// ```
    /// use hornet::chacha20::ChaCha20;
    ///
    /// let mut mask = [0; 5]; // of a QUIC header
    /// ChaCha20::new(&[7; 32]).apply(&[1; 12], 3, &mut mask)?;
    /// # assert_ne!(mask, [0; 5]);
    /// # Ok::<(), hornet::chacha20::CounterOverflow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`] if the text needs blocks beyond number 2^32 - 1. Nothing is then
    /// changed.
    pub fn apply(
        &self,
        nonce: &[u8; 12],
        counter: u32,
        text: &mut [u8],
    ) -> Result<(), CounterOverflow> {
        let (start, len_bytes) = (text.as_mut_ptr(), text.len());
        // SAFETY: `text` has `len_bytes` bytes, which are readable and writable; the nonce has 12
        // bytes and the key 32.
        let fits = unsafe {
            ffi::hornet_chacha20(
                start.cast(),
                start.cast(),
                len_bytes,
                counter,
                nonce.as_ptr(),
                self.0.as_ptr(),
            )
        };
        fits.then_some(()).ok_or(CounterOverflow)
    }

    /// Returns the mask of a QUIC header (RFC 9001, section 5.4.4): the beginning of the block whose
    /// counter and nonce are the sample. The key is that of header protection.
    #[must_use]
    pub fn header_mask(&self, sample: &[u8; 16]) -> [u8; 5] {
        let mut mask = [[0; 5]];
        self.masks(&[sample], &mut mask);
        mask[0]
    }

    /// Returns the masks of many packets under one key. Each is the same as from
    /// [`header_mask`](Self::header_mask), but many take less time than one after another.
    ///
    /// Takes samples from the iterator 64 at a time, when their masks are requested. Allocates nothing.
    ///
    /// ```
    /// use hornet::chacha20::ChaCha20;
    ///
    /// let key = ChaCha20::new(&[7; 32]);
    /// let packets = [[1; 40], [2; 40], [3; 40]];
    /// let samples = packets.iter().map(|packet| packet[7..23].try_into().unwrap());
    /// let masks: Vec<[u8; 5]> = key.header_masks(samples).collect();
    /// assert_eq!(masks[2], key.header_mask(&[3; 16]));
    /// ```
    #[must_use = "nothing is computed until the masks are taken"]
    pub fn header_masks<'a>(
        &'a self,
        samples: impl IntoIterator<Item = &'a [u8; 16]>,
    ) -> impl FusedIterator<Item = [u8; 5]> {
        InChunks::new(samples, [0; 5], move |samples, masks| {
            let mut chunk = [&[0; 16]; CHUNK];
            let mut count = 0;
            for (slot, sample) in chunk.iter_mut().zip(samples) {
                *slot = sample;
                count += 1;
            }
            self.masks(&chunk[..count], &mut masks[..count]);
            count
        })
    }

    /// Writes the masks of as many samples.
    fn masks(&self, samples: &[&[u8; 16]], masks: &mut [[u8; 5]]) {
        let count = samples.len().min(masks.len());
        // SAFETY: there are `count` masks, and `count` addresses of samples, which references are; a sample
        // has 16 bytes and the key 32.
        unsafe {
            ffi::hornet_chacha20_header_masks(
                masks.as_mut_ptr(),
                samples.as_ptr().cast(),
                self.0.as_ptr(),
                count,
            );
        }
    }
}

wiped_key!(ChaCha20);
from_bytes!(ChaCha20, 32);

/// The text needs blocks beyond the last one, whose number is 2^32 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOverflow;

impl fmt::Display for CounterOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counter of blocks would pass 2^32 - 1")
    }
}

impl Error for CounterOverflow {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    /// RFC 8439, section 2.4.2: the first and the last bytes of the ciphertext.
    #[test]
    fn example_of_the_rfc() {
        let key: [u8; 32] = core::array::from_fn(|index| u8::try_from(index).unwrap());
        let nonce = [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0];
        let mut text = *b"Ladies and Gentlemen of the class of '99: \
            If I could offer you only one tip for the future, sunscreen would be it.";
        let message = text;
        let cipher = ChaCha20::new(&key);
        cipher.apply(&nonce, 1, &mut text).unwrap();
        assert_eq!(text[..8], [0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80]);
        assert_eq!(text[text.len() - 4..], [0x5e, 0x42, 0x87, 0x4d]);
        // Starting one block later gives the same keystream.
        let mut rest = message;
        cipher.apply(&nonce, 2, &mut rest[64..]).unwrap();
        assert_eq!(rest[64..], text[64..]);
    }

    #[test]
    fn counter_ends() {
        let cipher = ChaCha20::new(&[7; 32]);
        let mut text = [1; 65];
        assert_eq!(
            cipher.apply(&[0; 12], u32::MAX, &mut text),
            Err(CounterOverflow)
        );
        assert_eq!(text, [1; 65]);
        assert_eq!(cipher.apply(&[0; 12], u32::MAX, &mut text[..64]), Ok(()));
        assert_ne!(text[..64], [1; 64]);
    }

    /// draft-irtf-cfrg-xchacha-03, section 2.2.1.
    #[test]
    fn subkey_of_the_draft() {
        let key: [u8; 32] = core::array::from_fn(|index| u8::try_from(index).unwrap());
        let nonce = [
            0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0, 0x31, 0x41, 0x59, 0x27,
        ];
        let subkey = hchacha20(&key, &nonce);
        assert_eq!(
            subkey[..8],
            [0x82, 0x41, 0x3b, 0x42, 0x27, 0xb2, 0x7b, 0xfe]
        );
        assert_eq!(subkey[28..], [0x26, 0xd3, 0xec, 0xdc]);
    }

    /// RFC 9001, section A.5, and any number of samples.
    #[test]
    fn masks_of_headers() {
        let key = [
            0x25, 0xa2, 0x82, 0xb9, 0xe8, 0x2f, 0x06, 0xf2, 0x1f, 0x48, 0x89, 0x17, 0xa4, 0xfc,
            0x8f, 0x1b, 0x73, 0x57, 0x36, 0x85, 0x60, 0x85, 0x97, 0xd0, 0xef, 0xcb, 0x07, 0x6b,
            0x0a, 0xb7, 0xa7, 0xa4,
        ];
        let sample = [
            0x5e, 0x5c, 0xd5, 0x5c, 0x41, 0xf6, 0x90, 0x80, 0x57, 0x5d, 0x79, 0x99, 0xc2, 0x5a,
            0x5b, 0xfb,
        ];
        let key = ChaCha20::new(&key);
        assert_eq!(key.header_mask(&sample), [0xae, 0xfe, 0xfe, 0x7d, 0x03]);
        let samples: std::vec::Vec<[u8; 16]> = (0..200)
            .map(|number| sample.map(|byte| byte.wrapping_mul(number | 1) ^ number))
            .collect();
        for count in 0..samples.len() {
            let mut masks = key.header_masks(&samples[..count]);
            for sample in &samples[..count] {
                let [c0, c1, c2, c3, nonce @ ..] = *sample;
                let mut mask = [0; 5];
                key.apply(&nonce, u32::from_le_bytes([c0, c1, c2, c3]), &mut mask)
                    .unwrap();
                assert_eq!(masks.next(), Some(mask));
            }
            assert_eq!(masks.next(), None);
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", ChaCha20::new(&[7; 32])), "ChaCha20(..)");
    }
}
