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
        self.reserve(1)?;
        if len_bytes == self.segment_bytes as u64 {
            self.key.join(&mut self.full, &segment);
        }
        self.partials.push(segment);
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aead;
    use crate::aes::parts::PartsKey;
    use crate::aes::samples::{key, message, nonce, unused};
    use crate::ffi;
    use crate::tag::Mismatch;
    use std::vec;
    use std::vec::Vec;

    const SEGMENT: usize = 64;

    /// Seals the values of a message, and opens them again.
    fn parts(partials: &[Partial]) -> SealedParts {
        let parts_key = PartsKey::new(&[7; 32]);
        let unused = aead::UnusedNonce::assume_unused([1; 24]);
        let nonce = unused.nonce();
        let mut sealed = Vec::new();
        parts_key
            .seal_partials(unused, b"", partials, &mut sealed)
            .unwrap();
        let mut parts = SealedParts::default();
        parts_key
            .open_partials(&nonce, b"", &mut sealed, 0..partials.len(), &mut parts)
            .unwrap();
        parts
    }

    fn parts_of(message: &[u8]) -> SealedParts {
        parts(&key().partial_segments(message, SEGMENT).unwrap())
    }

    #[track_caller]
    fn assert_of(segments: &Segments, message: &[u8]) {
        let expected = key().mac(unused(0), message);
        assert_eq!(segments.verify(&nonce(0), &expected), Ok(()));
        assert_eq!(segments.len_bytes(), message.len() as u64);
        let lengths: Vec<_> = segments.partials().iter().map(Partial::len_bytes).collect();
        let expected: Vec<_> = message.chunks(SEGMENT).map(|s| s.len() as u64).collect();
        assert_eq!(lengths, expected);
    }

    #[test]
    fn every_change_of_what_was_kept() {
        let key = key();
        for length in [0, 1, 63, 64, 65, 128, 300, 640] {
            let before = message(length);
            let kept = || Segments::of_parts(&key, SEGMENT, parts_of(&before)).unwrap();
            assert_of(&kept(), &before);
            for index in 0..length.div_ceil(SEGMENT) {
                let mut after = before.clone();
                let segment = after.chunks_mut(SEGMENT).nth(index).unwrap();
                for byte in segment.iter_mut() {
                    *byte ^= 0x5a;
                }
                let mut segments = kept();
                let replacement = key.partial(segment);
                segments.replace_partial(index, replacement).unwrap();
                assert_of(&segments, &after);

                let mut segments = kept();
                segments.truncate(index);
                assert_of(&segments, &before[..SEGMENT * index]);
            }
            // Longer by any number of bytes, with the last segment extended if it was short.
            for more in [1, 15, 16, 64, 200] {
                let after = message(length + more);
                assert_eq!(after[..length], before);
                let mut segments = kept();
                let mut chunks = after.chunks(SEGMENT).skip(length / SEGMENT);
                if length % SEGMENT != 0 {
                    segments.truncate(length / SEGMENT);
                    let last = key.partial(chunks.next().unwrap());
                    segments.push_partial(last).unwrap();
                }
                for chunk in chunks {
                    segments.push_partial(key.partial(chunk)).unwrap();
                }
                assert_of(&segments, &after);
            }
        }
    }

    /// The storage says that a block which is to be replaced was `old + new - other`.
    #[test]
    fn an_old_segment_that_the_storage_has_chosen() {
        const AT: usize = 5 * SEGMENT;
        let key = key();
        // Numbers of 128 bits of which no sum wraps around.
        let block = |text: &[u8; 16]| u128::from_le_bytes(*text);
        let (old, new, other) = (
            b"old trusted text",
            b"pay bob    1 EUR",
            b"pay eve 9999 EUR",
        );
        let chosen = block(old) + block(new) - block(other);
        let with = |block: &[u8; 16]| {
            let mut message = message(20 * SEGMENT + 7);
            message[AT..AT + 16].copy_from_slice(block);
            message
        };
        let segment = |message: &[u8]| key.partial(&message[AT..AT + SEGMENT]);
        let passes = |whole: &Partial, message: &[u8]| {
            let tag = key.finish(unused(0), whole);
            key.verify(&nonce(0), message, &tag).is_ok()
        };

        // Who reads the old segment again makes a tag of what the storage wants.
        let before = with(old);
        let mut whole = key.partial(&before);
        let (read, replacement) = (segment(&with(&chosen.to_le_bytes())), segment(&with(new)));
        let after = (before.len() - AT - SEGMENT) as u64;
        // SAFETY: all are partial evaluations, `whole` is writable, and r has 16 bytes.
        let replaced = unsafe {
            ffi::hornet_poly1305_partial_replace(
                &raw mut whole.0,
                &raw const read.0,
                &raw const replacement.0,
                after,
                key.r(),
            )
        };
        assert!(replaced && passes(&whole, &with(other)) && !passes(&whole, &with(new)));

        // Who kept the value does not, and notices.
        let kept = parts_of(&before);
        let read = with(&chosen.to_le_bytes());
        let result = key.verify_segment(&kept[5], &read[AT..AT + SEGMENT]);
        assert_eq!(result, Err(Mismatch));
        let mut segments = Segments::of_parts(&key, SEGMENT, kept).unwrap();
        segments.replace_partial(5, replacement).unwrap();
        let whole = segments.whole();
        assert!(passes(&whole, &with(new)) && !passes(&whole, &with(other)));
    }

    #[test]
    fn wrong_uses_are_refused() {
        let key = key();
        let of = |lengths: &[usize]| {
            let partials: Vec<_> = lengths.iter().map(|&n| key.partial(&vec![1; n])).collect();
            Segments::of_parts(&key, SEGMENT, parts(&partials)).map(|_| ())
        };
        assert_eq!(of(&[64, 64, 1]), Ok(()));
        assert_eq!(of(&[64, 63, 64]), Err(SegmentError::AfterShort));
        assert_eq!(of(&[64, 32, 32]), Err(SegmentError::AfterShort));
        assert_eq!(of(&[64, 0]), Err(SegmentError::Length));
        assert_eq!(of(&[65]), Err(SegmentError::Length));
        let error = Segments::of_parts(&key, 8, SealedParts::default()).unwrap_err();
        assert_eq!(error, SegmentError::SegmentBytes);

        let before = message(100);
        let mut segments = Segments::of_parts(&key, SEGMENT, parts_of(&before)).unwrap();
        let zeros = |count| key.partial(&vec![0; count]);
        for (result, expected) in [
            (segments.push_partial(zeros(1)), SegmentError::AfterShort),
            (
                segments.replace_partial(1, zeros(35)),
                SegmentError::OtherLength,
            ),
            (segments.replace_partial(2, zeros(36)), SegmentError::Index),
        ] {
            assert_eq!(result, Err(expected));
            assert_of(&segments, &before);
        }
        segments.truncate(1);
        for count in [0, 65] {
            let result = segments.push_partial(zeros(count));
            assert_eq!(result, Err(SegmentError::Length));
        }
        assert_of(&segments, &before[..64]);
    }
}
