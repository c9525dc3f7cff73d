// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Partial evaluations that their owner keeps, sealed, to replace segments later.

use crate::aead::{self, LengthError, OpenError, XChaCha20Poly1305};
use crate::aes::key::Key;
use crate::aes::partial::Partial;
use crate::ffi;
use crate::tag::{Mismatch, Tag};
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::Range;
use core::slice;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The words of a partial evaluation: three of the value, the highest at most 4, and the length of
/// the segment in bytes.
const WORDS: usize = 4;

/// The most that the highest word of a value can be; `HORNET_H2_MAX` in the library.
const HIGHEST_WORD_MAX: u64 = 4;

impl Partial {
    /// The length in bytes of a partial evaluation in a message that [`PartsKey`] seals: 32.
    pub const SEALED_BYTES: usize = WORDS * size_of::<u64>();

    fn write(&self, bytes: &mut [u8]) {
        for (word, bytes) in self.0.opaque.iter().zip(bytes.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Writes the bytes, by which bindings to other languages pass it on. They are secret.
    #[cfg(feature = "sys")]
    pub fn to_bytes(&self, bytes: &mut [u8; Self::SEALED_BYTES]) {
        self.write(bytes);
    }

    /// Returns the partial evaluation with these bytes: one that was computed from a segment, which
    /// can be a new value, but never an [`OldPartial`]. `None` if no segment has this value.
    #[cfg(feature = "sys")]
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::SEALED_BYTES]) -> Option<Self> {
        Self::read(bytes)
    }

    /// Returns `None` if no segment has this value.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut partial = Self::default();
        for (word, bytes) in partial.0.opaque.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().ok()?);
        }
        (partial.0.opaque[2] <= HIGHEST_WORD_MAX).then_some(partial)
    }
}

/// A key that seals partial evaluations, with XChaCha20-Poly1305: 32 secret bytes that are used for
/// nothing else. Of a key file, `hornet_key_file::parts_keys` derives it. Wiped when dropped.
///
/// Under such a key nothing is sealed but partial evaluations, so whatever opens under it is one
/// that the owner of the key computed.
pub struct PartsKey(XChaCha20Poly1305);

impl PartsKey {
    /// Copies the bytes of a key. The caller should wipe its own copy.
    #[must_use]
    pub const fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(key))
    }

    /// Seals partial evaluations, and appends 32 bytes for each and the tag, 16 bytes, to `sealed`.
    ///
    /// `aad` is what is needed to open them: it says what they are the values of, so that one sealed
    /// message cannot stand in for another. The nonce does the same if it is never used again.
    ///
    /// # Errors
    ///
    /// [`LengthError::TooLong`] if they have more than 2^38 - 64 bytes. Nothing is then appended.
    pub fn seal_partials(
        &self,
        nonce: aead::UnusedNonce<24>,
        aad: &[u8],
        partials: &[Partial],
        sealed: &mut Vec<u8>,
    ) -> Result<(), LengthError> {
        let len_bytes = partials.len().checked_mul(Partial::SEALED_BYTES);
        let len_bytes = len_bytes
            .filter(|&len_bytes| !aead::too_long(len_bytes))
            .ok_or(LengthError::TooLong)?;
        let start = sealed.len();
        // At once, because a vector that grows frees its old memory without wiping it.
        sealed.reserve(len_bytes + Tag::BYTES);
        sealed.resize(start + len_bytes, 0);
        let text = &mut sealed[start..];
        for (partial, bytes) in partials
            .iter()
            .zip(text.chunks_exact_mut(Partial::SEALED_BYTES))
        {
            partial.write(bytes);
        }
        let tag = self.0.seal_in_place(nonce, aad, text)?;
        sealed.extend_from_slice(tag.as_bytes());
        Ok(())
    }

    /// Opens what [`seal_partials`](Self::seal_partials) appended, with the same nonce and `aad`, and
    /// appends the partial evaluations whose indices are in `range` to `parts`. `sealed` is opened in
    /// place, and then filled with zeros.
    ///
    /// # Errors
    ///
    /// [`PartsError`] if they were not sealed so, or do not have this range. Nothing is then
    /// appended.
    pub fn open_partials(
        &self,
        nonce: &aead::Nonce<24>,
        aad: &[u8],
        sealed: &mut [u8],
        range: Range<usize>,
        parts: &mut SealedParts,
    ) -> Result<(), PartsError> {
        let found = sealed.len();
        let (text, tag) = sealed
            .split_last_chunk_mut()
            .ok_or(LengthError::NoTag(found))?;
        self.0.open_in_place(nonce, aad, text, &(*tag).into())?;
        let appended = parts.append_opened(text, range);
        text.zeroize();
        appended
    }
}

impl ZeroizeOnDrop for PartsKey {}

/// Does not show the key.
impl fmt::Debug for PartsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PartsKey(..)")
    }
}

/// The value of a segment as it was when its owner evaluated and sealed it. It stands for bytes that
/// need not exist any more, and is what a segment may be [verified](Key::verify_segment) against.
///
/// It comes from [`PartsKey::open_partials`] only, by way of [`SealedParts`]. Bytes that are read
/// again, from where others may have written meanwhile, give a [`Partial`], which is none:
///
/// ```compile_fail,E0308
/// # use hornet::aes::Key;
/// # let key = Key::clamped(&[7; 32]);
/// let old = key.partial(b"what the storage says is the old content");
/// key.verify_segment(&old, b"new content"); // expected `&OldPartial`
/// ```
///
/// ```compile_fail,E0277
/// # use hornet::aes::{Key, OldPartial};
/// # let key = Key::clamped(&[7; 32]);
/// let old: OldPartial = key.partial(b"what the storage says").into(); // not implemented
/// ```
///
/// **It is secret**, like a [`Partial`]. Wiped when dropped.
#[repr(transparent)]
pub struct OldPartial(Partial);

impl OldPartial {
    /// Returns the length of the segment in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.0.len_bytes()
    }
}

/// An old value is also the partial evaluation of its segment.
impl AsRef<Partial> for OldPartial {
    fn as_ref(&self) -> &Partial {
        &self.0
    }
}

impl ZeroizeOnDrop for OldPartial {}

/// Does not show the value.
impl fmt::Debug for OldPartial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OldPartial(..)")
    }
}

/// Partial evaluations of adjacent segments that were sealed by their owner and opened again, in
/// order. [`Segments::of_parts`](crate::aes::Segments::of_parts) (feature `std`) makes of them a
/// message whose segments can be replaced.
///
/// **Why old values come from here only.** A tag is made for a changed message by subtracting the
/// value of the old segment and adding that of the new one. If the old segment is read where an
/// attacker writes, he chooses what is subtracted: with `old + new - other` modulo 2^128 in place of
/// a block `old`, the result is a valid tag for a message with the block `other`, which the owner
/// never saw. What was sealed cannot be chosen.
///
/// ```
/// use hornet::aead;
/// use hornet::aes::{Key, Nonce, PartsKey, SealedParts, Segments, UnusedNonce};
/// # let key = Key::clamped(&[7; 32]);
/// # let parts_key = PartsKey::new(&[8; 32]);
///
/// // The owner evaluates the segments once, and seals the values.
/// let mut message = vec![0; 1_000_000];
/// let partials: Vec<_> = message.chunks(4096).map(|segment| key.partial(segment)).collect();
/// let unused = aead::UnusedNonce::assume_unused([1; 24]);
/// let nonce = unused.nonce();
/// let mut sealed = Vec::new();
/// parts_key.seal_partials(unused, b"disk 1, version 1", &partials, &mut sealed)?;
///
/// // Later, some bytes change; nothing else is read.
/// message[7 * 4096] = 1;
/// let mut parts = SealedParts::default();
/// parts_key.open_partials(&nonce, b"disk 1, version 1", &mut sealed, 0..245, &mut parts)?;
/// assert!(key.verify_segment(&parts[8], &message[8 * 4096..9 * 4096]).is_ok());
/// assert!(key.verify_segment(&parts[7], &message[7 * 4096..8 * 4096]).is_err());
/// let mut segments = Segments::of_parts(&key, 4096, parts)?;
/// segments.replace(7, &message[7 * 4096..8 * 4096])?;
/// let tag = segments.tag(UnusedNonce::assume_unused([2; 16]));
/// assert!(key.verify(&Nonce::new([2; 16]), &message, &tag).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Takes 32 bytes of memory per segment. Wiped when dropped.
#[derive(Default)]
pub struct SealedParts(Vec<OldPartial>);

impl SealedParts {
    /// Creates one with room for this number of partial evaluations.
    #[must_use]
    pub fn with_capacity(count: usize) -> Self {
        Self(Vec::with_capacity(count))
    }

    /// Returns the number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no segments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of the segment with this index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&OldPartial> {
        self.0.get(index)
    }

    /// Returns the values in order.
    pub fn iter(&self) -> slice::Iter<'_, OldPartial> {
        self.0.iter()
    }

    /// Returns the values as partial evaluations, to seal them again or to combine them.
    #[must_use]
    pub fn partials(&self) -> &[Partial] {
        let (first, count) = (self.0.as_ptr().cast(), self.0.len());
        // SAFETY: `repr(transparent)` gives an old value the layout of a partial evaluation.
        unsafe { slice::from_raw_parts(first, count) }
    }

    /// Appends copies of the values of `from` whose indices are in `range`.
    ///
    /// # Errors
    ///
    /// [`PartsError::Range`] if it does not have this range. Nothing is then appended.
    pub fn append(&mut self, from: &Self, range: Range<usize>) -> Result<(), PartsError> {
        let wanted = from.0.get(range).ok_or(PartsError::Range(from.len()))?;
        self.grow(wanted.len());
        let copies = wanted.iter().map(|old| OldPartial(old.0.clone()));
        self.0.extend(copies);
        Ok(())
    }

    /// Gives the values up.
    #[cfg(feature = "std")]
    pub(super) fn into_partials(self) -> Vec<Partial> {
        let mut old = core::mem::ManuallyDrop::new(self.0);
        let (first, count, capacity) = (old.as_mut_ptr().cast(), old.len(), old.capacity());
        // SAFETY: as above, and nothing else owns the memory.
        unsafe { Vec::from_raw_parts(first, count, capacity) }
    }

    fn append_opened(&mut self, text: &[u8], range: Range<usize>) -> Result<(), PartsError> {
        let values = text.chunks_exact(Partial::SEALED_BYTES);
        if !values.remainder().is_empty() {
            return Err(PartsError::NotPartials);
        }
        let count = values.len();
        if range.start > range.end || range.end > count {
            return Err(PartsError::Range(count));
        }
        let wanted = range.len();
        let before = self.0.len();
        self.grow(wanted);
        for value in values.skip(range.start).take(wanted) {
            let Some(partial) = Partial::read(value) else {
                self.0.truncate(before);
                return Err(PartsError::NotPartials);
            };
            self.0.push(OldPartial(partial));
        }
        Ok(())
    }

    /// Makes room for more. `Vec` would free its old memory without wiping it.
    fn grow(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            let capacity = (self.0.len() + more).max(2 * self.0.len());
            let mut grown = Vec::with_capacity(capacity);
            grown.extend(self.0.iter().map(|old| OldPartial(old.0.clone())));
            self.0 = grown;
        }
    }
}

impl core::ops::Index<usize> for SealedParts {
    type Output = OldPartial;

    fn index(&self, index: usize) -> &OldPartial {
        &self.0[index]
    }
}

impl<'a> IntoIterator for &'a SealedParts {
    type Item = &'a OldPartial;
    type IntoIter = slice::Iter<'a, OldPartial>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Each value wipes itself.
impl ZeroizeOnDrop for SealedParts {}

/// Shows how many there are.
impl fmt::Debug for SealedParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedParts({} values)", self.0.len())
    }
}

impl Key {
    /// Verifies a segment against the value that its owner kept, in constant time.
    ///
    /// A different segment of the same length passes with a probability of at most 8 L / 2^106 a
    /// try, where L is the number of its blocks of 16 bytes: 2^-87 for 1 MiB (Bernstein 2005,
    /// theorem 3.3: polynomials of that degree agree modulo 2^130 - 5 and then 2^128).
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the segment that was evaluated, or if the value is one under
    /// another key.
    pub fn verify_segment(&self, old: &OldPartial, segment: &[u8]) -> Result<(), Mismatch> {
        if old.len_bytes() != segment.len() as u64 {
            return Err(Mismatch);
        }
        self.verify_evaluated(old, &self.partial(segment))
    }

    /// Like [`verify_segment`](Self::verify_segment), of a segment that has been evaluated, in
    /// pieces or on several threads.
    ///
    /// # Errors
    ///
    /// [`Mismatch`], like `verify_segment`.
    pub fn verify_evaluated(&self, old: &OldPartial, segment: &Partial) -> Result<(), Mismatch> {
        // The same value can have two forms, which differ by 2^130 - 5. The tags under one pad are
        // equal if the values are equal modulo 2^130 - 5 and then 2^128, and leave the function no
        // more than a yes or no does.
        let pad = [0; 16];
        let mut tag = [0; Tag::BYTES];
        // SAFETY: the tag and the pad have 16 bytes, and both are partial evaluations.
        let equal = unsafe {
            ffi::hornet_poly1305_partial_tag(
                tag.as_mut_ptr(),
                &raw const old.as_ref().0,
                pad.as_ptr(),
            );
            ffi::hornet_poly1305_partial_verify(tag.as_ptr(), &raw const segment.0, pad.as_ptr())
        };
        tag.zeroize();
        if equal && old.len_bytes() == segment.len_bytes() {
            Ok(())
        } else {
            Err(Mismatch)
        }
    }
}

/// Sealed partial evaluations cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartsError {
    /// The tag does not match, or the length is not allowed.
    Open(OpenError),
    /// What was sealed are not partial evaluations.
    NotPartials,
    /// There are this many, fewer than the range ends at, or it ends before it begins.
    Range(usize),
}

impl fmt::Display for PartsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => error.fmt(f),
            Self::NotPartials => f.write_str("what was sealed are not partial evaluations"),
            Self::Range(count) => write!(f, "not a range of {count} partial evaluations"),
        }
    }
}

impl Error for PartsError {}

impl From<OpenError> for PartsError {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<LengthError> for PartsError {
    fn from(error: LengthError) -> Self {
        Self::Open(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::samples::{key, message};
    use core::mem::ManuallyDrop;
    use std::format;
    use std::string::ToString;
    use std::vec;

    const NONCE: [u8; 24] = [1; 24];

    fn parts_key() -> PartsKey {
        PartsKey::new(&[7; 32])
    }

    fn partials(count: usize) -> Vec<Partial> {
        (0..count).map(|n| key().partial(&message(n))).collect()
    }

    fn sealed(partials: &[Partial]) -> Vec<u8> {
        let mut sealed = vec![9; 3];
        let nonce = aead::UnusedNonce::assume_unused(NONCE);
        let result = parts_key().seal_partials(nonce, b"aad", partials, &mut sealed);
        assert_eq!(result, Ok(()));
        // It is appended.
        assert_eq!(sealed[..3], [9; 3]);
        sealed.split_off(3)
    }

    fn open(sealed: &[u8], range: Range<usize>) -> Result<SealedParts, PartsError> {
        let mut sealed = sealed.to_vec();
        let mut parts = SealedParts::default();
        let nonce = NONCE.into();
        parts_key().open_partials(&nonce, b"aad", &mut sealed, range, &mut parts)?;
        // The values do not remain, and whoever has the tag learns nothing.
        let text = sealed.len() - Tag::BYTES;
        assert!(sealed[..text].iter().all(|&byte| byte == 0));
        Ok(parts)
    }

    #[test]
    fn every_range_opens() {
        let partials = partials(5);
        let sealed = sealed(&partials);
        assert_eq!(sealed.len(), 5 * 32 + 16);
        for start in 0..=5 {
            for end in start..=5 {
                let parts = open(&sealed, start..end).unwrap();
                assert_eq!((parts.len(), parts.is_empty()), (end - start, start == end));
                for ((old, partial), index) in parts.iter().zip(&partials[start..end]).zip(start..)
                {
                    assert_eq!(old.0.0.opaque, partial.0.opaque);
                    assert_eq!(key().verify_segment(old, &message(index)), Ok(()));
                }
                assert!(parts.get(end - start).is_none());
            }
        }
        assert_eq!(open(&sealed, 0..6).unwrap_err(), PartsError::Range(5));
        let backwards = Range { start: 3, end: 2 };
        assert_eq!(open(&sealed, backwards).unwrap_err(), PartsError::Range(5));
    }

    #[test]
    fn appended_to_what_is_there() {
        let partials = partials(40);
        let mut parts = SealedParts::with_capacity(3);
        for chunk in partials.chunks(7) {
            let mut sealed = sealed(chunk);
            let (nonce, all) = (NONCE.into(), 0..chunk.len());
            parts_key()
                .open_partials(&nonce, b"aad", &mut sealed, all, &mut parts)
                .unwrap();
        }
        for (old, partial) in parts.partials().iter().zip(&partials) {
            assert_eq!(old.0.opaque, partial.0.opaque);
        }
        assert_eq!(parts.len(), 40);

        let mut copied = SealedParts::default();
        copied.append(&parts, 0..0).unwrap();
        copied.append(&parts, 38..40).unwrap();
        copied.append(&parts, 0..30).unwrap();
        assert_eq!(copied.append(&parts, 39..41), Err(PartsError::Range(40)));
        let indices = (38..40).chain(0..30);
        assert_eq!(copied.len(), 32);
        for (old, index) in copied.iter().zip(indices) {
            assert_eq!(old.0.0.opaque, partials[index].0.opaque);
        }
    }

    #[test]
    fn every_changed_byte_is_refused() {
        let sealed = sealed(&partials(3));
        let mismatch = PartsError::Open(OpenError::Mismatch);
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert_eq!(open(&changed, 0..3).unwrap_err(), mismatch);
            let error = open(&sealed[..index], 0..0).unwrap_err();
            let short = PartsError::Open(LengthError::NoTag(index).into());
            assert_eq!(error, if index < 16 { short } else { mismatch });
        }
        let nonce = NONCE.into();
        let mut parts = SealedParts::default();
        for (key, aad) in [
            (PartsKey::new(&[8; 32]), b"aad".as_slice()),
            (parts_key(), b"aae"),
        ] {
            let result = key.open_partials(&nonce, aad, &mut sealed.clone(), 0..3, &mut parts);
            assert_eq!(result, Err(mismatch));
        }
        assert!(parts.is_empty());
    }

    /// Sealed with the same key, which is against its rule, so that the cipher accepts it.
    #[test]
    fn what_are_no_values() {
        let of = |text: &[u8]| {
            let nonce = aead::UnusedNonce::assume_unused(NONCE);
            let mut text = text.to_vec();
            let tag = parts_key()
                .0
                .seal_in_place(nonce, b"aad", &mut text)
                .unwrap();
            text.extend_from_slice(tag.as_bytes());
            open(&text, 0..text.len() / 32).map(|parts| parts.len())
        };
        let mut highest = [0xff; 64];
        assert_eq!(of(&highest), Err(PartsError::NotPartials));
        highest[48..56].copy_from_slice(&5_u64.to_le_bytes());
        assert_eq!(of(&highest[32..]), Err(PartsError::NotPartials));
        assert_eq!(of(&highest), Err(PartsError::NotPartials));
        highest[48..56].copy_from_slice(&4_u64.to_le_bytes());
        assert_eq!(of(&highest[32..]), Ok(1));
        // One that is, before one that is not: neither is kept.
        highest.rotate_left(32);
        let nonce = aead::UnusedNonce::assume_unused(NONCE);
        let tag = parts_key().0.seal_in_place(nonce, b"", &mut highest);
        let mut sealed = [&highest[..], tag.unwrap().as_bytes()].concat();
        let mut parts = SealedParts::default();
        let result = parts_key().open_partials(&NONCE.into(), b"", &mut sealed, 0..2, &mut parts);
        assert_eq!(result, Err(PartsError::NotPartials));
        assert!(parts.is_empty());
        assert_eq!(of(&[0; 33]), Err(PartsError::NotPartials));
    }

    #[test]
    fn another_segment_is_a_mismatch() {
        let bytes = message(100);
        let parts = open(&sealed(&[key().partial(&bytes)]), 0..1).unwrap();
        assert_eq!(key().verify_segment(&parts[0], &bytes), Ok(()));
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(key().verify_segment(&parts[0], &changed), Err(Mismatch));
        }
        assert_eq!(key().verify_segment(&parts[0], &bytes[..99]), Err(Mismatch));
        let longer = key().partial(&[&bytes[..], &[0]].concat());
        assert_eq!(key().verify_evaluated(&parts[0], &longer), Err(Mismatch));
        let other = Key::clamped(&[9; 32]);
        assert_eq!(other.verify_segment(&parts[0], &bytes), Err(Mismatch));
    }

    /// Of the two forms of a value below 5, the one that no segment is written with.
    #[test]
    fn both_forms_of_a_value_are_equal() {
        let of = |words: [u64; 3]| {
            let mut partial = key().partial(&[0; 16]);
            partial.0.opaque[..3].copy_from_slice(&words);
            partial
        };
        for small in 0..5 {
            let parts = open(&sealed(&[of([small, 0, 0])]), 0..1).unwrap();
            let form = of([u64::MAX - 4 + small, u64::MAX, 3]);
            assert_eq!(key().verify_evaluated(&parts[0], &form), Ok(()));
            let next = of([u64::MAX - 4 + (small + 1) % 5, u64::MAX, 3]);
            assert_eq!(key().verify_evaluated(&parts[0], &next), Err(Mismatch));
        }
        // The same bytes with another length, which no segment has.
        let mut longer = of([1, 0, 0]);
        longer.0.opaque[3] = 32;
        let parts = open(&sealed(&[of([1, 0, 0])]), 0..1).unwrap();
        assert_eq!(key().verify_evaluated(&parts[0], &longer), Err(Mismatch));
    }

    #[test]
    fn dropped_values_are_wiped() {
        let mut parts = ManuallyDrop::new(open(&sealed(&partials(3)), 2..3).unwrap());
        assert_ne!(parts.0[0].0.0.opaque, [0; 4]);
        let value: *const OldPartial = &raw const parts.0[0];
        parts.0.truncate(0);
        // SAFETY: the memory is still allocated, and its words are plain integers.
        assert_eq!(unsafe { (*value).0.0.opaque }, [0; 4]);
        // SAFETY: dropped once.
        unsafe { ManuallyDrop::drop(&mut parts) };
    }

    #[test]
    fn debug_shows_no_secret() {
        let parts = open(&sealed(&partials(3)), 0..3).unwrap();
        assert_eq!(format!("{parts:?}"), "SealedParts(3 values)");
        assert_eq!(format!("{:?}", parts[0]), "OldPartial(..)");
        assert_eq!(format!("{:?}", parts_key()), "PartsKey(..)");
        assert_eq!(
            PartsError::Range(3).to_string(),
            "not a range of 3 partial evaluations"
        );
    }
}
