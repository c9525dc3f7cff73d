// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Partial evaluations.

use crate::aes::key::Key;
use crate::aes::{Nonce, UnusedNonce};
use crate::ffi;
use crate::tag::{Mismatch, Tag};
use core::error::Error;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A partial evaluation: the value of the polynomial over one segment of a message, under one key
/// and without a pad.
///
/// [`Key::partial`](Key::partial) computes it, [`append`](Key::append) combines those of adjacent
/// segments, and [`finish`](Key::finish) makes the tag. Only the last segment of a message may end
/// within a 16-byte block. The default value is the partial evaluation of the empty segment.
///
/// **It is secret**: together with its segment, it reveals r. Wiped when dropped.
#[derive(Clone)]
#[repr(transparent)]
pub struct Partial(pub(super) ffi::hornet_poly1305_partial);

impl Partial {
    /// Returns the length of the segment in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        // SAFETY: `self.0` is a partial evaluation.
        unsafe { ffi::hornet_poly1305_partial_len_bytes(&raw const self.0) }
    }
}

/// The partial evaluation of the empty segment.
impl Default for Partial {
    fn default() -> Self {
        Self(ffi::hornet_poly1305_partial { opaque: [0; 4] })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.0.opaque.zeroize();
    }
}

impl ZeroizeOnDrop for Partial {}

/// Does not show the value.
impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Partial(..)")
    }
}

impl Key {
    /// Computes the partial evaluation of a segment of a message.
    #[must_use]
    pub fn partial(&self, segment: &[u8]) -> Partial {
        let mut partial = Partial::default();
        self.partial_into(&mut partial, segment);
        partial
    }

    /// Appends the segment of `right` to that of `left`, which becomes the partial evaluation of
    /// both. Takes at most 2 log2(n) + 2 multiplications if the right segment has n blocks.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let mut partial = key.partial(b"A 16-byte block,");
    /// key.append(&mut partial, &key.partial(b" and any number"))?;
    /// let tag = key.finish(UnusedNonce::assume_unused([1; 16]), &partial);
    ///
    /// let message = b"A 16-byte block, and any number";
    /// assert!(key.verify(&Nonce::new([1; 16]), message, &tag).is_ok());
    /// # Ok::<(), hornet::aes::PartialError>(())
    /// ```
    ///
    /// Both must be partial evaluations under this key; this is not checked.
    ///
    /// # Errors
    ///
    /// [`PartialError`] if the lengths do not allow it. `left` is then unchanged.
    pub fn append(&self, left: &mut Partial, right: &Partial) -> Result<(), PartialError> {
        // SAFETY: both are partial evaluations, `left` is writable, and r has 16 bytes.
        let appended = unsafe {
            ffi::hornet_poly1305_partial_append(&raw mut left.0, &raw const right.0, self.r())
        };
        if appended {
            Ok(())
        } else if left.len_bytes() % 16 != 0 {
            Err(PartialError::WithinBlock)
        } else {
            Err(PartialError::TooLong)
        }
    }

    /// Computes the partial evaluation of a segment of `len_bytes` zeros, such as a hole of a file,
    /// without any bytes to read. Takes at most 3 log2(n) + 6 multiplications for n blocks.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let mut partial = key.partial(b"A 16-byte block,");
    /// key.append(&mut partial, &key.partial_zeros(5000))?;
    /// let tag = key.finish(UnusedNonce::assume_unused([1; 16]), &partial);
    ///
    /// let message = [&b"A 16-byte block,"[..], &[0; 5000]].concat();
    /// assert!(key.verify(&Nonce::new([1; 16]), &message, &tag).is_ok());
    /// # Ok::<(), hornet::aes::PartialError>(())
    /// ```
    #[must_use]
    pub fn partial_zeros(&self, len_bytes: u64) -> Partial {
        let mut partial = Partial::default();
        // SAFETY: `partial` is writable, and r has 16 bytes.
        unsafe {
            ffi::hornet_poly1305_partial_zeros(&raw mut partial.0, len_bytes, self.r());
        }
        partial
    }

    /// Appends segments to that of `left`, in their order. Gives what [`append`](Self::append) of
    /// each gives, and takes one multiplication for a segment with as many blocks as the one before
    /// it.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let message = vec![1; 10_000];
    /// let segments: Vec<Partial> = message.chunks(4096).map(|segment| key.partial(segment)).collect();
    /// let mut whole = Partial::default();
    /// key.append_all(&mut whole, &segments)?;
    /// let tag = key.finish(UnusedNonce::assume_unused([1; 16]), &whole);
    /// assert!(key.verify(&Nonce::new([1; 16]), &message, &tag).is_ok());
    /// # Ok::<(), hornet::aes::PartialError>(())
    /// ```
    ///
    /// All must be partial evaluations under this key; this is not checked.
    ///
    /// # Errors
    ///
    /// [`PartialError`] if the lengths do not allow it. `left` is then unchanged.
    pub fn append_all(&self, left: &mut Partial, segments: &[Partial]) -> Result<(), PartialError> {
        // SAFETY: all are partial evaluations, and `Partial` has the layout of the library's type.
        // `left` is writable, and r has 16 bytes.
        let appended = unsafe {
            ffi::hornet_poly1305_partial_join(
                &raw mut left.0,
                segments.as_ptr().cast(),
                segments.len(),
                self.r(),
            )
        };
        if appended {
            return Ok(());
        }
        let mut lengths = segments.iter().map(Partial::len_bytes);
        let total = lengths.try_fold(left.len_bytes(), u64::checked_add);
        Err(match total {
            None => PartialError::TooLong,
            Some(_) => PartialError::WithinBlock,
        })
    }

    /// Makes the tag of a message from its partial evaluation, which must be one under this key;
    /// this is not checked.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn finish(&self, nonce: UnusedNonce, partial: &Partial) -> Tag {
        let mut tag = [0; Tag::BYTES];
        let pad = self.pad_of(&nonce.nonce());
        // SAFETY: the tag and the pad have 16 bytes, and `partial` is a partial evaluation.
        unsafe {
            ffi::hornet_poly1305_partial_tag(tag.as_mut_ptr(), &raw const partial.0, pad.as_ptr());
        }
        tag.into()
    }

    /// Verifies the tag of a message against its partial evaluation, in constant time.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key and nonce.
    pub fn verify_partial(
        &self,
        nonce: &Nonce,
        partial: &Partial,
        tag: &Tag,
    ) -> Result<(), Mismatch> {
        let pad = self.pad_of(nonce);
        // SAFETY: the tag and the pad have 16 bytes, and `partial` is a partial evaluation.
        let valid = unsafe {
            ffi::hornet_poly1305_partial_verify(tag.as_ptr(), &raw const partial.0, pad.as_ptr())
        };
        if valid { Ok(()) } else { Err(Mismatch) }
    }

    /// Computes a partial evaluation in place, because moving a value leaves a copy.
    pub(super) fn partial_into(&self, partial: &mut Partial, segment: &[u8]) {
        // SAFETY: `partial` is writable, r has 16 bytes and the segment `segment.len()`.
        unsafe {
            ffi::hornet_poly1305_partial_compute(
                &raw mut partial.0,
                segment.as_ptr().cast(),
                segment.len(),
                self.r(),
            );
        }
    }

    /// Appends where the lengths are known to allow it.
    #[cfg(feature = "std")]
    pub(super) fn join(&self, left: &mut Partial, right: &Partial) {
        let result = self.append(left, right);
        debug_assert_eq!(result, Ok(()));
    }
}

/// Two partial evaluations cannot be combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartialError {
    /// The left segment ends within a 16-byte block, so nothing can follow it.
    WithinBlock,
    /// The segments together have more than 2^64 - 1 bytes.
    TooLong,
}

impl fmt::Display for PartialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WithinBlock => {
                "no bytes can follow a segment that ends within a block of 16 bytes"
            }
            Self::TooLong => "a message has at most 2^64 - 1 bytes",
        })
    }
}

impl Error for PartialError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::samples::{key, message, nonce, unused};
    use core::mem::ManuallyDrop;
    use std::format;
    use std::vec::Vec;

    /// Checks that the partial evaluation gives the tag of these bytes.
    #[track_caller]
    fn assert_partial_of(partial: &Partial, bytes: &[u8]) {
        assert_eq!(partial.len_bytes(), bytes.len() as u64);
        let key = key();
        let expected = key.mac(unused(0), bytes);
        assert_eq!(
            key.finish(unused(0), partial).as_bytes(),
            expected.as_bytes()
        );
        assert_eq!(key.verify_partial(&nonce(0), partial, &expected), Ok(()));
    }

    fn joined(left: &Partial, right: &Partial) -> Result<Partial, PartialError> {
        let mut whole = left.clone();
        key().append(&mut whole, right).map(|()| whole)
    }

    #[test]
    fn every_cut_in_two() {
        for length in 0..=200 {
            let message = message(length);
            for cut in 0..=length {
                let (left, right) = message.split_at(cut);
                let mut whole = key().partial(left);
                let result = key().append(&mut whole, &key().partial(right));
                if cut % 16 == 0 || right.is_empty() {
                    assert_eq!(result, Ok(()));
                    assert_partial_of(&whole, &message);
                } else {
                    assert_eq!(result, Err(PartialError::WithinBlock));
                    assert_partial_of(&whole, left);
                }
            }
        }
    }

    #[test]
    fn every_cut_in_three_blocks() {
        for length in 0..=200 {
            let message = message(length);
            for second in (0..=length).step_by(16) {
                for first in (0..=second).step_by(16) {
                    let [a, b, c] = [
                        &message[..first],
                        &message[first..second],
                        &message[second..],
                    ]
                    .map(|segment| key().partial(segment));
                    let from_left = joined(&joined(&a, &b).unwrap(), &c).unwrap();
                    let from_right = joined(&a, &joined(&b, &c).unwrap()).unwrap();
                    assert_partial_of(&from_left, &message);
                    assert_partial_of(&from_right, &message);
                }
            }
        }
    }

    /// Lengths with many bits set; the right segment is longer than the left, or shorter.
    #[test]
    fn long_segments() {
        let message = message(70_000);
        for cut in [16, 48, 1_024, 4_096 - 16, 4_096, 32_768, 65_536, 69_984] {
            let (left, right) = message.split_at(cut);
            let whole = joined(&key().partial(left), &key().partial(right)).unwrap();
            assert_partial_of(&whole, &message);
        }
    }

    #[test]
    fn doubled_again_and_again() {
        let block = message(16);
        let mut bytes: Vec<u8> = block.clone();
        let mut partial = key().partial(&block);
        for _ in 0..14 {
            partial = joined(&partial, &partial).unwrap();
            bytes.extend_from_within(..);
            assert_partial_of(&partial, &bytes);
        }
    }

    #[test]
    fn at_most_2_to_the_64_bytes() {
        let block = key().partial(&[7; 16]);
        // 2^64 - 16 bytes.
        let mut most = block.clone();
        for _ in 5..64 {
            most = joined(&joined(&most, &most).unwrap(), &block).unwrap();
        }
        assert_eq!(most.len_bytes(), u64::MAX - 15);
        let full = joined(&most, &key().partial(&[7; 15])).unwrap();
        assert_eq!(full.len_bytes(), u64::MAX);

        let before = key().finish(unused(0), &most);
        let result = key().append(&mut most, &block);
        assert_eq!(result, Err(PartialError::TooLong));
        assert_eq!(most.len_bytes(), u64::MAX - 15);
        let after = key().finish(unused(0), &most);
        assert_eq!(before.as_bytes(), after.as_bytes());
    }

    /// All short lengths, and those around powers of two, after other bytes and alone.
    #[test]
    fn zeros_as_if_read() {
        let around = [512, 4_096, 65_536].map(|length| length - 17..=length + 17);
        let mut most = message(64);
        most.resize(64 + 70_000, 0);
        for length in (0..=300).chain(around.into_iter().flatten()) {
            let zeros = key().partial_zeros(length as u64);
            assert_partial_of(&zeros, &most[64..][..length]);
            let whole = joined(&key().partial(&most[..64]), &zeros).unwrap();
            assert_partial_of(&whole, &most[..64 + length]);
        }
    }

    /// Every length that is a power of two, one block less, and one byte more, by doubling.
    #[test]
    fn zeros_of_any_length() {
        let block = key().partial(&[0; 16]);
        let byte = key().partial(&[0]);
        // 2^n and 2^n - 16 bytes.
        let (mut power, mut below) = (block.clone(), Partial::default());
        let same = |doubled: &Partial| {
            let zeros = key().partial_zeros(doubled.len_bytes());
            assert_eq!(zeros.0.opaque, doubled.0.opaque);
        };
        for _ in 4..64 {
            same(&power);
            same(&below);
            same(&joined(&power, &byte).unwrap());
            below = joined(&below, &power).unwrap();
            match joined(&power, &power) {
                Ok(doubled) => power = doubled,
                Err(error) => assert_eq!(error, PartialError::TooLong),
            }
        }
        assert_eq!(power.len_bytes(), 1 << 63);
        assert_eq!(below.len_bytes(), u64::MAX - 15);
        same(&below);
        same(&joined(&below, &key().partial(&[0; 15])).unwrap());
    }

    /// As each appended, whatever their lengths: equal ones, others, none and short ones.
    #[test]
    fn many_appended_at_once() {
        let message = message(2_000);
        for lengths in [
            &[][..],
            &[0],
            &[5],
            &[64, 64, 64, 64, 7],
            &[16, 0, 0, 16, 32, 48, 32, 32, 1, 0, 0],
            &[512, 512, 256, 256, 256, 15],
        ] {
            for before in [0, 16, 160] {
                let mut end = before;
                let segments: Vec<Partial> = lengths
                    .iter()
                    .map(|length| {
                        end += length;
                        key().partial(&message[end - length..end])
                    })
                    .collect();
                let mut whole = key().partial(&message[..before]);
                assert_eq!(key().append_all(&mut whole, &segments), Ok(()));
                assert_partial_of(&whole, &message[..end]);
            }
        }
    }

    #[test]
    fn many_that_cannot_be_appended() {
        let [short, block] = [&message(15)[..], &message(16)].map(|segment| key().partial(segment));
        let long = key().partial_zeros(u64::MAX - 31);
        let within = Err(PartialError::WithinBlock);
        let too_long = Err(PartialError::TooLong);
        for (left, segments, expected) in [
            (&short, &[&block][..], within),
            (&block, &[&block, &short, &block], within),
            (&block, &[&long, &block], too_long),
            (&long, &[&block, &block], too_long),
        ] {
            let segments: Vec<Partial> = segments.iter().copied().cloned().collect();
            let mut whole = left.clone();
            assert_eq!(key().append_all(&mut whole, &segments), expected);
            assert_eq!(whole.0.opaque, left.0.opaque);
        }
    }

    #[test]
    fn the_default_is_of_no_bytes() {
        assert_partial_of(&Partial::default(), b"");
        assert_partial_of(&key().partial(b""), b"");
        let partial = key().partial(b"segment");
        assert_partial_of(&joined(&Partial::default(), &partial).unwrap(), b"segment");
        assert_partial_of(&joined(&partial, &Partial::default()).unwrap(), b"segment");
    }

    #[test]
    fn dropped_partial_is_wiped() {
        let mut partial = ManuallyDrop::new(key().partial(b"segment"));
        assert_ne!(partial.0.opaque, [0; 4]);
        // SAFETY: dropped once, and the words that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut partial) };
        assert_eq!(partial.0.opaque, [0; 4]);
    }

    #[test]
    fn a_flipped_bit_is_a_mismatch() {
        let partial = key().partial(&message(100));
        let valid = *key().finish(unused(0), &partial).as_bytes();
        for bit in 0..128 {
            let mut wrong = valid;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let result = key().verify_partial(&nonce(0), &partial, &wrong.into());
            assert_eq!(result, Err(Mismatch));

            let mut other = *nonce(0).as_bytes();
            other[bit / 8] ^= 1 << (bit % 8);
            let result = key().verify_partial(&Nonce::new(other), &partial, &valid.into());
            assert_eq!(result, Err(Mismatch));
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", key().partial(b"segment")), "Partial(..)");
    }

    #[test]
    fn partial_is_send_and_sync() {
        fn assert_send_sync<T: Send + Sync>() {}
        assert_send_sync::<Partial>();
    }
}
