// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages of segments whose values were kept, sealed.

use crate::aes::key::Key;
use crate::aes::partial::Partial;
use crate::aes::parts::SealedParts;
use crate::aes::segments::{SegmentError, Segments};

impl<'k> Segments<'k> {
    /// Makes the message whose segments have these values, which were sealed by the owner of the
    /// key. The bytes of the message are not needed: to make a new tag, only segments that change
    /// are read.
    ///
    /// # Errors
    ///
    /// [`SegmentError`] if `segment_bytes` is 0 or not a multiple of 16, if a segment is empty or
    /// longer, if one that is not the last is shorter, or if the message is too long.
    pub fn of_parts(
        key: &'k Key,
        segment_bytes: usize,
        parts: SealedParts,
    ) -> Result<Self, SegmentError> {
        let mut segments = Self::new(key, segment_bytes)?;
        let mut whole = 0_u64;
        for part in &parts {
            let len_bytes = part.len_bytes();
            segments.accepts(whole, len_bytes)?;
            whole += len_bytes;
        }
        segments.partials = parts.into_partials();
        segments.join_full();
        Ok(segments)
    }

    /// Appends a segment, like [`push`](Self::push), that has been evaluated under the same key.
    ///
    /// # Errors
    ///
    /// [`SegmentError`], like `push`.
    pub fn push_partial(&mut self, segment: Partial) -> Result<(), SegmentError> {
        let len_bytes = segment.len_bytes();
        self.accepts(self.len_bytes(), len_bytes)?;
        if len_bytes == self.segment_bytes as u64 {
            self.key.join(&mut self.full, &segment);
        }
        self.grow();
        self.partials.push(segment);
        Ok(())
    }

    /// Replaces the last segment with a longer one, which has been evaluated under the same key: what
    /// a file that grew needs. The old bytes of that segment are part of the new one, and were read
    /// again: [verify](Key::verify_segment) them against the old value first.
    ///
    /// # Errors
    ///
    /// [`SegmentError::Index`] if there is no segment, [`SegmentError::OtherLength`] if the new one is
    /// not longer than the last, and others like `push`. Nothing is then changed.
    pub fn extend_last(&mut self, longer: Partial) -> Result<(), SegmentError> {
        let last = self.partials.last().ok_or(SegmentError::Index)?.len_bytes();
        let len_bytes = longer.len_bytes();
        if len_bytes > self.segment_bytes as u64 {
            return Err(SegmentError::Length);
        }
        if len_bytes <= last {
            return Err(SegmentError::OtherLength);
        }
        // It is longer than the last, which was therefore short and is not part of `full`.
        self.accepts(self.full.len_bytes(), len_bytes)?;
        self.truncate(self.partials.len() - 1);
        self.push_partial(longer)
    }

    /// Returns the partial evaluations of the segments, to be [sealed](crate::aes::PartsKey).
    #[must_use]
    pub fn partials(&self) -> &[Partial] {
        &self.partials
    }

    /// Returns an error unless a segment of this length can follow this many bytes.
    fn accepts(&self, before: u64, len_bytes: u64) -> Result<(), SegmentError> {
        let segment_bytes = self.segment_bytes as u64;
        if before % segment_bytes != 0 {
            return Err(SegmentError::AfterShort);
        }
        if len_bytes == 0 || len_bytes > segment_bytes {
            return Err(SegmentError::Length);
        }
        match before.checked_add(len_bytes) {
            Some(_) => Ok(()),
            None => Err(SegmentError::MessageTooLong),
        }
    }
}
