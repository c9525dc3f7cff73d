// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The partial evaluations of a long message, to compute new tags after changes.

use crate::aes::key::Key;
use crate::aes::partial::Partial;
use crate::aes::{Nonce, UnusedNonce};
use crate::ffi;
use crate::tag::{Mismatch, Tag};
use core::error::Error;
use core::fmt;
use std::vec::Vec;
use zeroize::ZeroizeOnDrop;

/// The partial evaluations of a long message in segments of equal length, of which only the last
/// may be shorter. The bytes of the message are not kept. After a change in one segment, a new tag
/// takes the time to evaluate that segment, plus at most 2 log2(n) + 3 multiplications if n blocks
/// follow it.
///
/// **Each tag needs a new nonce**, because the changed message is another message.
///
/// ```
/// use hornet::aes::{Key, Nonce, Segments, UnusedNonce};
/// # let key = Key::clamped(&[7; 32]);
///
/// let mut message = vec![0; 1_000_000];
/// let mut segments = Segments::new(&key, 4096)?;
/// for segment in message.chunks(4096) {
///     segments.push(segment)?;
/// }
/// let first = segments.tag(UnusedNonce::assume_unused([1; 16]));
/// assert!(key.verify(&Nonce::new([1; 16]), &message, &first).is_ok());
///
/// message[7 * 4096] = 1;
/// segments.replace(7, &message[7 * 4096..8 * 4096])?;
/// let second = segments.tag(UnusedNonce::assume_unused([2; 16]));
/// assert!(key.verify(&Nonce::new([2; 16]), &message, &second).is_ok());
/// # Ok::<(), hornet::aes::SegmentError>(())
/// ```
///
/// Takes 32 bytes of memory per segment. They are secret like any [`Partial`], and wiped when
/// dropped.
pub struct Segments<'k> {
    key: &'k Key,
    segment_bytes: usize,
    partials: Vec<Partial>,
    /// The partial evaluation of all full-length segments together.
    full: Partial,
}

impl<'k> Segments<'k> {
    /// Creates an empty message, to which segments of `segment_bytes` bytes can be added.
    ///
    /// # Errors
    ///
    /// [`SegmentError::SegmentBytes`] if `segment_bytes` is 0 or not a multiple of 16.
    pub fn new(key: &'k Key, segment_bytes: usize) -> Result<Self, SegmentError> {
        if segment_bytes == 0 || segment_bytes % 16 != 0 {
            return Err(SegmentError::SegmentBytes);
        }
        Ok(Self {
            key,
            segment_bytes,
            partials: Vec::new(),
            full: Partial::default(),
        })
    }

    /// Splits a whole message into segments of `segment_bytes` bytes, and evaluates them on all
    /// threads of the current rayon pool. Requires the feature `rayon`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::SegmentBytes`] if `segment_bytes` is 0 or not a multiple of 16.
    #[cfg(feature = "rayon")]
    pub fn of(key: &'k Key, segment_bytes: usize, msg: &[u8]) -> Result<Self, SegmentError> {
        let mut segments = Self::new(key, segment_bytes)?;
        let count = msg.len().div_ceil(segment_bytes);
        segments.partials.resize_with(count, Partial::default);
        segments.key.partials_parallel_into(
            &mut segments.partials,
            &mut segments.full,
            msg,
            segment_bytes,
        );
        Ok(segments)
    }

    /// Appends a segment to the message.
    ///
    /// # Errors
    ///
    /// [`SegmentError`] if the segment is empty or too long, if the last segment so far is short, or
    /// if there is no memory. Nothing is then changed.
    pub fn push(&mut self, segment: &[u8]) -> Result<(), SegmentError> {
        if self.short().is_some() {
            return Err(SegmentError::AfterShort);
        }
        if segment.is_empty() || segment.len() > self.segment_bytes {
            return Err(SegmentError::Length);
        }
        if self.len_bytes().checked_add(segment.len() as u64).is_none() {
            return Err(SegmentError::MessageTooLong);
        }
        self.reserve(1)?;
        self.partials.push(Partial::default());
        // Computed in place, because moving a value leaves a copy.
        if let Some(partial) = self.partials.last_mut() {
            self.key.partial_into(partial, segment);
            if segment.len() == self.segment_bytes {
                self.key.join(&mut self.full, partial);
            }
        }
        Ok(())
    }

    /// Appends `len_bytes` zeros to the message, such as a hole of a file: as many segments as that
    /// takes, of which the last may be short. Evaluates two of them, whatever their number.
    ///
    /// ```
    /// use hornet::aes::{Key, Nonce, Segments, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    ///
    /// let mut segments = Segments::new(&key, 4096)?;
    /// segments.push(&[1; 4096])?;
    /// segments.push_zeros(100_000)?;
    /// let tag = segments.tag(UnusedNonce::assume_unused([1; 16]));
    ///
    /// let message = [vec![1; 4096], vec![0; 100_000]].concat();
    /// assert!(key.verify(&Nonce::new([1; 16]), &message, &tag).is_ok());
    /// # Ok::<(), hornet::aes::SegmentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SegmentError`] if the last segment so far is short, if the message becomes too long, or if
    /// there is no memory for the segments. Nothing is then changed.
    pub fn push_zeros(&mut self, len_bytes: u64) -> Result<(), SegmentError> {
        if len_bytes == 0 {
            return Ok(());
        }
        if self.short().is_some() {
            return Err(SegmentError::AfterShort);
        }
        if self.len_bytes().checked_add(len_bytes).is_none() {
            return Err(SegmentError::MessageTooLong);
        }
        let segment_bytes = self.segment_bytes as u64;
        let count = usize::try_from(len_bytes.div_ceil(segment_bytes));
        self.reserve(count.map_err(|_| SegmentError::OutOfMemory)?)?;
        let (full, short) = (len_bytes / segment_bytes, len_bytes % segment_bytes);
        let segment = self.key.partial_zeros(segment_bytes);
        for _ in 0..full {
            self.partials.push(segment.clone());
        }
        let zeros = self.key.partial_zeros(full * segment_bytes);
        self.key.join(&mut self.full, &zeros);
        if short > 0 {
            self.partials.push(self.key.partial_zeros(short));
        }
        Ok(())
    }

    /// Replaces a segment with one of the same length. The value of the old segment is the one
    /// that was computed when it was added, so it does not matter what has become of its bytes.
    ///
    /// # Errors
    ///
    /// [`SegmentError`] if there is no segment with that index, or if the lengths differ. Nothing
    /// is then changed.
    pub fn replace(&mut self, index: usize, segment: &[u8]) -> Result<(), SegmentError> {
        self.replace_partial(index, self.key.partial(segment))
    }

    /// Replaces a segment, like [`replace`](Self::replace), with one of the same length that has been
    /// evaluated under the same key.
    ///
    /// # Errors
    ///
    /// [`SegmentError`], like `replace`.
    pub fn replace_partial(
        &mut self,
        index: usize,
        replacement: Partial,
    ) -> Result<(), SegmentError> {
        let partial = self.partials.get_mut(index).ok_or(SegmentError::Index)?;
        if partial.len_bytes() != replacement.len_bytes() {
            return Err(SegmentError::OtherLength);
        }
        if replacement.len_bytes() == self.segment_bytes as u64 {
            let end = replacement.len_bytes() * (index as u64 + 1);
            // SAFETY: all are partial evaluations, `self.full` is writable, and r has 16 bytes.
            unsafe {
                ffi::hornet_poly1305_partial_replace(
                    &raw mut self.full.0,
                    &raw const partial.0,
                    &raw const replacement.0,
                    self.full.len_bytes() - end,
                    self.key.r(),
                );
            }
        }
        *partial = replacement;
        Ok(())
    }

    /// Shortens the message to its first `count` segments. Does nothing if it has no more than
    /// that. To lengthen a short last segment, remove it with this function and push the longer
    /// one.
    ///
    /// Combines all remaining segments again, unless only a short one is removed.
    pub fn truncate(&mut self, count: usize) {
        if count >= self.partials.len() {
            return;
        }
        let only_short = count + 1 == self.partials.len() && self.short().is_some();
        self.partials.truncate(count);
        if !only_short {
            self.join_full();
        }
    }

    /// Combines the segments of full length.
    fn join_full(&mut self) {
        let full = self.partials.len() - usize::from(self.short().is_some());
        self.full = Partial::default();
        let result = self.key.append_all(&mut self.full, &self.partials[..full]);
        debug_assert_eq!(result, Ok(()));
    }

    /// Returns the number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.partials.len()
    }

    /// Returns whether there are no segments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partials.is_empty()
    }

    /// Returns the length of the message in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.full.len_bytes() + self.short().map_or(0, Partial::len_bytes)
    }

    /// Returns the tag of the current message.
    #[must_use]
    pub fn tag(&self, nonce: UnusedNonce) -> Tag {
        self.key.finish(nonce, &self.whole())
    }

    /// Verifies the tag of the current message in constant time.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key and nonce.
    pub fn verify(&self, nonce: &Nonce, tag: &Tag) -> Result<(), Mismatch> {
        self.key.verify_partial(nonce, &self.whole(), tag)
    }

    /// Returns the partial evaluation of the current message.
    #[must_use]
    pub fn whole(&self) -> Partial {
        let mut whole = self.full.clone();
        if let Some(short) = self.short() {
            self.key.join(&mut whole, short);
        }
        whole
    }

    /// Returns the last segment if it is short.
    fn short(&self) -> Option<&Partial> {
        let last = self.partials.last()?;
        (last.len_bytes() < self.segment_bytes as u64).then_some(last)
    }

    /// Makes room for more partial evaluations. `Vec` would free its old memory without wiping it.
    fn reserve(&mut self, more: usize) -> Result<(), SegmentError> {
        let length = self.partials.len();
        let needed = length.checked_add(more).ok_or(SegmentError::OutOfMemory)?;
        if needed > self.partials.capacity() {
            let mut grown = Vec::new();
            grown
                .try_reserve_exact(needed.max(length.saturating_mul(2)).max(8))
                .map_err(|_| SegmentError::OutOfMemory)?;
            grown.extend(self.partials.iter().cloned());
            self.partials = grown;
        }
        Ok(())
    }
}

impl Key {
    /// Computes the partial evaluation of each segment of `segment_bytes` bytes of a message, of
    /// which the last may be shorter. [`append_all`](Self::append_all) combines them.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let message = vec![1; 10_000];
    /// let segments = key.partial_segments(&message, 4096)?;
    /// let lengths: Vec<u64> = segments.iter().map(Partial::len_bytes).collect();
    /// assert_eq!(lengths, [4096, 4096, 1808]);
    /// # Ok::<(), hornet::aes::SegmentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SegmentError::SegmentBytes`] if `segment_bytes` is 0 or not a multiple of 16, and
    /// [`SegmentError::OutOfMemory`] if there is no memory for the result.
    pub fn partial_segments(
        &self,
        msg: &[u8],
        segment_bytes: usize,
    ) -> Result<Vec<Partial>, SegmentError> {
        if segment_bytes == 0 || segment_bytes % 16 != 0 {
            return Err(SegmentError::SegmentBytes);
        }
        let count = msg.len().div_ceil(segment_bytes);
        let mut partials = Vec::new();
        partials
            .try_reserve_exact(count)
            .map_err(|_| SegmentError::OutOfMemory)?;
        partials.resize_with(count, Partial::default);
        // SAFETY: there are as many partial evaluations as segments, and `Partial` has the layout
        // of the library's type. The message has `msg.len()` bytes, and r 16.
        unsafe {
            ffi::hornet_poly1305_partial_segments(
                partials.as_mut_ptr().cast(),
                segment_bytes,
                msg.as_ptr().cast(),
                msg.len(),
                self.r(),
            );
        }
        Ok(partials)
    }
}

/// Each `Partial` wipes itself, and there are no other secrets.
impl ZeroizeOnDrop for Segments<'_> {}

/// Shows neither the key nor the partial evaluations.
impl fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments")
            .field("segment_bytes", &self.segment_bytes)
            .field("len_bytes", &self.len_bytes())
            .finish_non_exhaustive()
    }
}

/// An incorrect use of [`Segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SegmentError {
    /// The segment length is 0 or not a multiple of 16.
    SegmentBytes,
    /// The segment is empty or longer than `segment_bytes`.
    Length,
    /// The last segment is shorter than `segment_bytes`, so nothing can follow it.
    AfterShort,
    /// There is no segment with that index.
    Index,
    /// The segment and its replacement differ in length.
    OtherLength,
    /// The message would have more than 2^64 - 1 bytes.
    MessageTooLong,
    /// The values of all segments do not fit into memory.
    OutOfMemory,
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SegmentBytes => "the length of segments must be a multiple of 16, and not 0",
            Self::Length => "a segment must have at least one byte, and no more than the others",
            Self::AfterShort => "only the last segment may be shorter than the others",
            Self::Index => "there is no segment of that index",
            Self::OtherLength => "a segment can only be replaced by one of the same length",
            Self::MessageTooLong => "a message has at most 2^64 - 1 bytes",
            Self::OutOfMemory => "the values of all segments do not fit into memory",
        })
    }
}

impl Error for SegmentError {}

mod of_parts;

#[cfg(test)]
mod tests;
