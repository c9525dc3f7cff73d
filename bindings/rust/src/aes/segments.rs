//! The parts of a long message of which one segment changes at a time.

use super::{Key, Nonce, Part};
use crate::{Mismatch, Tag, ffi};
use core::error::Error;
use core::fmt;
use std::vec::Vec;
use zeroize::ZeroizeOnDrop;

/// A long message in segments of equal length, of which only the last may be shorter: their parts,
/// not their bytes. After a change of one segment, the new tag takes time for that segment, and for
/// the logarithm of what is behind it.
///
/// **Each tag takes a new nonce**: the changed message is another message.
///
/// ```
/// use hornet::aes::{Key, Nonce, Segments};
/// # let key = Key::clamped(&[7; 32]);
///
/// let mut message = vec![0; 1_000_000];
/// let mut segments = Segments::new(&key, 4096)?;
/// for segment in message.chunks(4096) {
///     segments.push(segment)?;
/// }
/// let first = segments.tag(Nonce::new([1; 16]));
/// assert!(key.verify(&Nonce::new([1; 16]), &message, &first).is_ok());
///
/// message[7 * 4096] = 1;
/// segments.replace(7, &message[7 * 4096..8 * 4096])?;
/// let second = segments.tag(Nonce::new([2; 16]));
/// assert!(key.verify(&Nonce::new([2; 16]), &message, &second).is_ok());
/// # Ok::<(), hornet::aes::SegmentError>(())
/// ```
///
/// 32 bytes of memory for each segment hold its part, which is a secret like any [`Part`], and are
/// overwritten when dropped.
pub struct Segments<'k> {
    key: &'k Key,
    segment_bytes: usize,
    parts: Vec<Part>,
    /// Of all segments of full length together.
    full: Part,
}

impl<'k> Segments<'k> {
    /// An empty message, to be cut into segments of so many bytes.
    ///
    /// # Errors
    ///
    /// [`SegmentError::SegmentBytes`] if that is 0 or no multiple of 16.
    pub fn new(key: &'k Key, segment_bytes: usize) -> Result<Self, SegmentError> {
        if segment_bytes == 0 || segment_bytes % 16 != 0 {
            return Err(SegmentError::SegmentBytes);
        }
        Ok(Self {
            key,
            segment_bytes,
            parts: Vec::new(),
            full: Part::default(),
        })
    }

    /// A whole message, cut into segments of so many bytes and worked out by all threads of the
    /// current rayon pool. Feature `rayon`.
    ///
    /// # Errors
    ///
    /// [`SegmentError::SegmentBytes`] if that is 0 or no multiple of 16.
    #[cfg(feature = "rayon")]
    pub fn of(key: &'k Key, segment_bytes: usize, msg: &[u8]) -> Result<Self, SegmentError> {
        let mut segments = Self::new(key, segment_bytes)?;
        let count = msg.len().div_ceil(segment_bytes);
        segments.parts.resize_with(count, Part::default);
        segments.key.parts_parallel_into(
            &mut segments.parts,
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
    /// [`SegmentError`], and no change, if the segment is empty or too long, or if the last one
    /// before was short.
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
        self.grow();
        self.parts.push(Part::default());
        // Where it is to stay: moved, it would leave a copy behind.
        if let Some(part) = self.parts.last_mut() {
            self.key.part_into(part, segment);
            if segment.len() == self.segment_bytes {
                self.key.join(&mut self.full, part);
            }
        }
        Ok(())
    }

    /// Exchanges a segment for one of the same length.
    ///
    /// # Errors
    ///
    /// [`SegmentError`], and no change, if there is no segment of that index or its length is
    /// another.
    pub fn replace(&mut self, index: usize, segment: &[u8]) -> Result<(), SegmentError> {
        let part = self.parts.get_mut(index).ok_or(SegmentError::Index)?;
        let after = self.key.part(segment);
        if part.len_bytes() != after.len_bytes() {
            return Err(SegmentError::OtherLength);
        }
        if segment.len() == self.segment_bytes {
            let until = after.len_bytes() * (index as u64 + 1);
            // SAFETY: all are parts, the whole may be written, and r has 16 bytes.
            unsafe {
                ffi::hornet_poly1305_partial_replace(
                    &raw mut self.full.0,
                    &raw const part.0,
                    &raw const after.0,
                    self.full.len_bytes() - until,
                    self.key.r(),
                );
            }
        }
        part.0 = after.0;
        Ok(())
    }

    /// Shortens the message to its first segments, so many of them. Without any effect if there are
    /// no more. To lengthen a short last segment, take it away and push the longer one.
    ///
    /// Takes time for each segment that is left, to join its part anew, unless only a short one
    /// goes.
    pub fn truncate(&mut self, count: usize) {
        let only_short = count + 1 == self.parts.len() && self.short().is_some();
        if count >= self.parts.len() {
            return;
        }
        self.parts.truncate(count);
        if !only_short {
            self.full = Part::default();
            for part in &self.parts {
                self.key.join(&mut self.full, part);
            }
        }
    }

    /// The number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The length of the message in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.full.len_bytes() + self.short().map_or(0, Part::len_bytes)
    }

    /// The tag of the message as it is now.
    #[must_use]
    pub fn tag(&self, nonce: Nonce) -> Tag {
        self.key.finish(nonce, &self.whole())
    }

    /// Checks the tag of the message as it is now, in time that does not depend on the tag.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is the tag of another message, nonce or key.
    pub fn verify(&self, nonce: &Nonce, tag: &Tag) -> Result<(), Mismatch> {
        self.key.verify_part(nonce, &self.whole(), tag)
    }

    fn whole(&self) -> Part {
        let mut whole = self.full.clone();
        if let Some(short) = self.short() {
            self.key.join(&mut whole, short);
        }
        whole
    }

    /// The last segment, if it is short.
    fn short(&self) -> Option<&Part> {
        let last = self.parts.last()?;
        (last.len_bytes() < self.segment_bytes as u64).then_some(last)
    }

    /// Makes place for one part more. `Vec` would leave the old place as it is, full of secrets.
    fn grow(&mut self) {
        if self.parts.len() == self.parts.capacity() {
            let mut grown = Vec::with_capacity((2 * self.parts.len()).max(8));
            grown.extend(self.parts.iter().cloned());
            self.parts = grown;
        }
    }
}

/// All of it is in the parts.
impl ZeroizeOnDrop for Segments<'_> {}

/// Shows nothing of key and parts.
impl fmt::Debug for Segments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments")
            .field("segment_bytes", &self.segment_bytes)
            .field("len_bytes", &self.len_bytes())
            .finish_non_exhaustive()
    }
}

/// What [`Segments`] cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SegmentError {
    /// Segments of 0 bytes, or not of whole blocks.
    SegmentBytes,
    /// A segment that is empty or longer than the others.
    Length,
    /// A segment behind one that is shorter than the others.
    AfterShort,
    /// There is no segment of that index.
    Index,
    /// The segment to be replaced has another length.
    OtherLength,
    /// More than 2^64 - 1 bytes.
    MessageTooLong,
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SegmentBytes => "the length of segments is a multiple of 16, and not 0",
            Self::Length => "a segment has at least one byte, and at most as many as the others",
            Self::AfterShort => "only the last segment may be shorter than the others",
            Self::Index => "there is no segment of that index",
            Self::OtherLength => "a segment can be exchanged for one of the same length only",
            Self::MessageTooLong => "a message has at most 2^64 - 1 bytes",
        })
    }
}

impl Error for SegmentError {}

#[cfg(test)]
mod tests {
    use super::super::samples::{key, message, nonce};
    use super::*;
    use std::format;

    fn pushed<'k>(key: &'k Key, segment_bytes: usize, message: &[u8]) -> Segments<'k> {
        let mut segments = Segments::new(key, segment_bytes).unwrap();
        for segment in message.chunks(segment_bytes) {
            segments.push(segment).unwrap();
        }
        segments
    }

    #[track_caller]
    fn assert_of(segments: &Segments, message: &[u8]) {
        let count = message.len().div_ceil(segments.segment_bytes);
        assert_eq!(segments.len(), count);
        assert_eq!(segments.is_empty(), message.is_empty());
        assert_eq!(segments.len_bytes(), message.len() as u64);
        let right = key().mac(nonce(0), message);
        assert_eq!(segments.tag(nonce(0)).as_bytes(), right.as_bytes());
        assert_eq!(segments.verify(&nonce(0), &right), Ok(()));
        assert_eq!(segments.verify(&nonce(1), &right), Err(Mismatch));
    }

    /// Lengths of segments, and of messages: with and without a short last segment.
    fn cases() -> impl Iterator<Item = (usize, usize)> {
        let of = |segment_bytes| {
            let whole = [0, 1, 2, 9, 20].map(|count| count * segment_bytes);
            whole.into_iter().flat_map(move |length| {
                [0, 1, 15, 16, segment_bytes - 1]
                    .into_iter()
                    .filter(move |&more| more < segment_bytes)
                    .map(move |more| (segment_bytes, length + more))
            })
        };
        [16, 32, 48, 1_008].into_iter().flat_map(of)
    }

    #[test]
    fn every_segment_replaced() {
        for (segment_bytes, length) in cases() {
            let key = key();
            let mut message = message(length);
            let mut segments = pushed(&key, segment_bytes, &message);
            assert_of(&segments, &message);
            for index in 0..segments.len() {
                let segment = message.chunks_mut(segment_bytes).nth(index).unwrap();
                for byte in &mut *segment {
                    *byte ^= 0x5a;
                }
                segments.replace(index, segment).unwrap();
                assert_of(&segments, &message);
            }
        }
    }

    #[test]
    fn shorter_and_longer_again() {
        for (segment_bytes, length) in cases() {
            let key = key();
            let message = message(length);
            let all = length.div_ceil(segment_bytes);
            for count in 0..=all + 1 {
                let mut segments = pushed(&key, segment_bytes, &message);
                segments.truncate(count);
                assert_of(&segments, &message[..length.min(count * segment_bytes)]);
                for segment in message.chunks(segment_bytes).skip(count) {
                    segments.push(segment).unwrap();
                }
                assert_of(&segments, &message);
            }
        }
    }

    /// The short last segment gives way to a longer one.
    #[test]
    fn growing_at_the_end() {
        let key = key();
        let message = message(300);
        let mut segments = Segments::new(&key, 64).unwrap();
        for length in 1..=message.len() {
            let last = (length - 1) / 64;
            segments.truncate(last);
            segments.push(&message[64 * last..length]).unwrap();
            assert_of(&segments, &message[..length]);
        }
    }

    #[test]
    fn what_cannot_be_done() {
        let key = key();
        for wrong in [0, 1, 15, 17, 31] {
            let result = Segments::new(&key, wrong).map(|_| ());
            assert_eq!(result, Err(SegmentError::SegmentBytes));
        }
        let message = message(100);
        let mut segments = pushed(&key, 32, &message[..64]);
        let mut refused = |change: &dyn Fn(&mut Segments) -> Result<(), SegmentError>, error| {
            let before = segments.tag(nonce(0));
            assert_eq!(change(&mut segments), Err(error));
            let after = segments.tag(nonce(0));
            assert_eq!(before.as_bytes(), after.as_bytes());
            assert_eq!(segments.len_bytes(), 64);
        };
        refused(&|segments| segments.push(&[]), SegmentError::Length);
        refused(&|segments| segments.push(&[0; 33]), SegmentError::Length);
        refused(
            &|segments| segments.replace(2, &[0; 32]),
            SegmentError::Index,
        );
        refused(
            &|segments| segments.replace(usize::MAX, &[0; 32]),
            SegmentError::Index,
        );
        refused(
            &|segments| segments.replace(1, &[0; 31]),
            SegmentError::OtherLength,
        );
        refused(
            &|segments| segments.replace(1, &[0; 48]),
            SegmentError::OtherLength,
        );

        segments.push(&message[64..90]).unwrap();
        assert_eq!(segments.push(&[0; 32]), Err(SegmentError::AfterShort));
        assert_eq!(segments.push(&[0; 1]), Err(SegmentError::AfterShort));
        assert_eq!(
            segments.replace(2, &[0; 27]),
            Err(SegmentError::OtherLength)
        );
        assert_of(&segments, &message[..90]);
    }

    #[test]
    fn not_more_than_can_be_counted() {
        let key = key();
        let mut segments = Segments::new(&key, 32).unwrap();
        // 2^64 - 32 bytes, whoever pushed them.
        let segment = key.part(&[7; 32]);
        segments.full = segment.clone();
        for _ in 6..64 {
            let half = segments.full.clone();
            key.append(&mut segments.full, &half).unwrap();
            key.append(&mut segments.full, &segment).unwrap();
        }
        assert_eq!(segments.len_bytes(), u64::MAX - 31);
        assert_eq!(segments.push(&[7; 32]), Err(SegmentError::MessageTooLong));
        assert_eq!(segments.push(&[7; 31]), Ok(()));
        assert_eq!(segments.len_bytes(), u64::MAX);
    }

    #[test]
    fn nothing_is_shown() {
        let key = key();
        let segments = pushed(&key, 32, &message(40));
        assert_eq!(
            format!("{segments:?}"),
            "Segments { segment_bytes: 32, len_bytes: 40, .. }"
        );
    }
}
