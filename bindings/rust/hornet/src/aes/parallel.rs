// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One message, on all threads of the current rayon pool.

use crate::aes::key::Key;
use crate::aes::partial::Partial;
use crate::aes::{Nonce, UnusedNonce};
use crate::tag::{Mismatch, Tag};
use core::iter::zip;

/// Bytes that one thread takes at a time: enough to make the costs of a task and of combining the
/// results negligible, and few enough to keep all threads busy.
pub(super) const CHUNK_BYTES: usize = 512 << 10;

/// These functions require the feature `rayon`. Each gives the same result as the function without
/// `_parallel`. The first use of rayon's global pool starts its threads, and panics if that fails.
impl Key {
    /// Computes the partial evaluation of a segment, like [`partial`](Self::partial), on all
    /// threads of the current rayon pool.
    #[must_use]
    pub fn partial_parallel(&self, segment: &[u8]) -> Partial {
        let mut partial = Partial::default();
        self.partial_parallel_into(&mut partial, segment);
        partial
    }

    /// Computes the tag of a message, like [`mac`](Self::mac), on all threads of the current rayon
    /// pool.
    ///
    /// ```
    /// use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    ///
    /// let message = vec![7; 3 << 20];
    /// let tag = key.mac_parallel(UnusedNonce::assume_unused([1; 16]), &message);
    /// assert!(key.verify(&Nonce::new([1; 16]), &message, &tag).is_ok());
    /// ```
    #[must_use]
    pub fn mac_parallel(&self, nonce: UnusedNonce, msg: &[u8]) -> Tag {
        self.finish(nonce, &self.partial_parallel(msg))
    }

    /// Verifies the tag of a message, like [`verify`](Self::verify), on all threads of the current
    /// rayon pool.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key and nonce.
    pub fn verify_parallel(&self, nonce: &Nonce, msg: &[u8], tag: &Tag) -> Result<(), Mismatch> {
        self.verify_partial(nonce, &self.partial_parallel(msg), tag)
    }

    /// Computes a partial evaluation in place, because a value that moves between threads leaves
    /// copies.
    pub(super) fn partial_parallel_into(&self, partial: &mut Partial, segment: &[u8]) {
        let chunks = segment.len().div_ceil(CHUNK_BYTES);
        if chunks <= 1 {
            self.partial_into(partial, segment);
            return;
        }
        let (left, right) = segment.split_at(chunks / 2 * CHUNK_BYTES);
        let mut right_partial = Partial::default();
        rayon::join(
            || self.partial_parallel_into(partial, left),
            || self.partial_parallel_into(&mut right_partial, right),
        );
        self.join(partial, &right_partial);
    }

    /// Computes the partial evaluation of each segment of a message, and appends those of full
    /// length to `full`, which must be empty.
    pub(super) fn partials_parallel_into(
        &self,
        partials: &mut [Partial],
        full: &mut Partial,
        msg: &[u8],
        segment_bytes: usize,
    ) {
        if partials.len() <= 1 || msg.len() <= CHUNK_BYTES {
            for (partial, segment) in zip(partials, msg.chunks(segment_bytes)) {
                self.partial_parallel_into(partial, segment);
                if segment.len() == segment_bytes {
                    self.join(full, partial);
                }
            }
            return;
        }
        let half = partials.len() / 2;
        let (left_partials, right_partials) = partials.split_at_mut(half);
        let (left, right) = msg.split_at(half * segment_bytes);
        let mut right_full = Partial::default();
        rayon::join(
            || self.partials_parallel_into(left_partials, full, left, segment_bytes),
            || self.partials_parallel_into(right_partials, &mut right_full, right, segment_bytes),
        );
        self.join(full, &right_full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::samples::{key, message, nonce, on_pools, unused};

    #[test]
    fn same_as_on_one_thread() {
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
                let serial = key().mac(unused(0), msg);
                let parallel = key().mac_parallel(unused(0), msg);
                assert_eq!(serial.as_bytes(), parallel.as_bytes(), "{length}");
                assert_eq!(key().verify_parallel(&nonce(0), msg, &serial), Ok(()));
                assert_eq!(key().partial_parallel(msg).len_bytes(), length as u64);
            }
        });
    }

    #[test]
    fn a_flipped_bit_is_a_mismatch() {
        let message = message(3 * CHUNK_BYTES);
        let valid = *key().mac(unused(0), &message).as_bytes();
        for bit in 0..128 {
            let mut wrong = valid;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let result = key().verify_parallel(&nonce(0), &message, &wrong.into());
            assert_eq!(result, Err(Mismatch));
        }
    }
}
