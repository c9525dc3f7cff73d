//! One message over all threads of the current rayon pool.

use super::{Key, Nonce, Part};
use crate::{Mismatch, Tag};
use core::iter::zip;

/// What one thread works on at a time. Long enough that handing it over and joining its part cost
/// little beside it, short enough that all threads have something to do.
pub(super) const CHUNK_BYTES: usize = 512 << 10;

/// Feature `rayon`. Each gives the same as its kin without `_parallel`. Threads are started, or not,
/// as rayon does it: the first use of its global pool starts them, and panics if it cannot.
impl Key {
    /// What a segment of a message contributes to its tag, as [`part`](Self::part) gives it, worked
    /// out by all threads of the current rayon pool.
    #[must_use]
    pub fn part_parallel(&self, segment: &[u8]) -> Part {
        let mut part = Part::default();
        self.part_parallel_into(&mut part, segment);
        part
    }

    /// The tag of a message, as [`mac`](Self::mac) gives it, worked out by all threads of the
    /// current rayon pool.
    ///
    /// ```
    /// use hornet::aes::{Key, Nonce};
    /// # let key = Key::clamped(&[7; 32]);
    ///
    /// let message = vec![7; 3 << 20];
    /// let tag = key.mac_parallel(Nonce::new([1; 16]), &message);
    /// assert!(key.verify(&Nonce::new([1; 16]), &message, &tag).is_ok());
    /// ```
    #[must_use]
    pub fn mac_parallel(&self, nonce: Nonce, msg: &[u8]) -> Tag {
        self.finish(nonce, &self.part_parallel(msg))
    }

    /// Checks the tag of a message, as [`verify`](Self::verify) does, worked out by all threads of
    /// the current rayon pool.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is the tag of another message, nonce or key.
    pub fn verify_parallel(&self, nonce: &Nonce, msg: &[u8], tag: &Tag) -> Result<(), Mismatch> {
        self.verify_part(nonce, &self.part_parallel(msg), tag)
    }

    /// The part of a segment, where it is to stay: moved between threads, it would leave copies
    /// behind.
    pub(super) fn part_parallel_into(&self, part: &mut Part, segment: &[u8]) {
        let chunks = segment.len().div_ceil(CHUNK_BYTES);
        if chunks <= 1 {
            self.part_into(part, segment);
            return;
        }
        let (left, right) = segment.split_at(chunks / 2 * CHUNK_BYTES);
        let mut right_part = Part::default();
        rayon::join(
            || self.part_parallel_into(part, left),
            || self.part_parallel_into(&mut right_part, right),
        );
        self.join(part, &right_part);
    }

    /// The parts of the segments of a message, one for each, and of those of full length together:
    /// `full` is the part of nothing before.
    pub(super) fn parts_parallel_into(
        &self,
        parts: &mut [Part],
        full: &mut Part,
        msg: &[u8],
        segment_bytes: usize,
    ) {
        if parts.len() <= 1 || msg.len() <= CHUNK_BYTES {
            for (part, segment) in zip(parts, msg.chunks(segment_bytes)) {
                self.part_parallel_into(part, segment);
                if segment.len() == segment_bytes {
                    self.join(full, part);
                }
            }
            return;
        }
        let half = parts.len() / 2;
        let (left_parts, right_parts) = parts.split_at_mut(half);
        let (left, right) = msg.split_at(half * segment_bytes);
        let mut right_full = Part::default();
        rayon::join(
            || self.parts_parallel_into(left_parts, full, left, segment_bytes),
            || self.parts_parallel_into(right_parts, &mut right_full, right, segment_bytes),
        );
        self.join(full, &right_full);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{key, message, nonce};
    use super::super::{SegmentError, Segments};
    use super::*;
    use rayon::ThreadPoolBuilder;
    use std::vec::Vec;

    /// Calls it on pools of several sizes, and in none.
    fn on_pools(test: impl Fn() + Sync) {
        test();
        for threads in [1, 2, 3, 7] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(&test);
        }
    }

    #[test]
    fn as_on_one_thread() {
        let message = message(5 << 20);
        let mut lengths = [0, 1, 15, 16, 17, 100, 4_096, 100_000].to_vec();
        for chunks in [1, 2, 3, 4, 5, 8, 11, 20] {
            let whole = chunks * CHUNK_BYTES;
            let around = [
                whole - 17,
                whole - 1,
                whole,
                whole + 1,
                whole + 16,
                whole + 33,
            ];
            lengths.extend(around.into_iter().filter(|&length| length <= message.len()));
        }
        on_pools(|| {
            for &length in &lengths {
                let msg = &message[..length];
                let serial = key().mac(nonce(0), msg);
                let parallel = key().mac_parallel(nonce(0), msg);
                assert_eq!(serial.as_bytes(), parallel.as_bytes(), "{length}");
                assert_eq!(key().verify_parallel(&nonce(0), msg, &serial), Ok(()));
                assert_eq!(key().part_parallel(msg).len_bytes(), length as u64);
            }
        });
    }

    #[test]
    fn every_wrong_bit_is_noticed() {
        let message = message(3 * CHUNK_BYTES);
        let right = *key().mac(nonce(0), &message).as_bytes();
        for bit in 0..128 {
            let mut wrong = right;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let result = key().verify_parallel(&nonce(0), &message, &wrong.into());
            assert_eq!(result, Err(Mismatch));
        }
    }

    #[test]
    fn segments_as_pushed() {
        let message = message(1 << 20);
        on_pools(|| {
            for segment_bytes in [16, 4_096, 65_536, CHUNK_BYTES + 16, 1 << 20, 1 << 30] {
                let lengths = [
                    0,
                    1,
                    segment_bytes - 1,
                    segment_bytes,
                    segment_bytes + 1,
                    100_000,
                ];
                for length in lengths
                    .into_iter()
                    .chain([message.len() - 7, message.len()])
                {
                    let Some(msg) = message.get(..length) else {
                        continue;
                    };
                    let key = key();
                    let mut segments = Segments::of(&key, segment_bytes, msg).unwrap();
                    assert_eq!(segments.len(), length.div_ceil(segment_bytes));
                    assert_eq!(segments.len_bytes(), length as u64);
                    let right = key.mac(nonce(0), msg);
                    assert_eq!(
                        segments.verify(&nonce(0), &right),
                        Ok(()),
                        "{segment_bytes} {length}"
                    );

                    // Each segment's own part is where it belongs.
                    let last = segments.len().saturating_sub(1);
                    for index in [0, last / 2, last] {
                        let Some(segment) = msg.chunks(segment_bytes).nth(index) else {
                            continue;
                        };
                        segments
                            .replace(
                                index,
                                &segment.iter().map(|byte| !byte).collect::<Vec<u8>>(),
                            )
                            .unwrap();
                        assert_eq!(segments.verify(&nonce(0), &right), Err(Mismatch));
                        segments.replace(index, segment).unwrap();
                        assert_eq!(
                            segments.verify(&nonce(0), &right),
                            Ok(()),
                            "{segment_bytes} {length} {index}"
                        );
                    }
                }
            }
        });
        for wrong in [0, 1, 15, 17] {
            let result = Segments::of(&key(), wrong, b"").map(|_| ());
            assert_eq!(result, Err(SegmentError::SegmentBytes));
        }
    }
}
