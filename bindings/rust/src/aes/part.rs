//! What a segment of a message contributes to its tag.

use crate::ffi;
use core::error::Error;
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// What a segment of a message contributes to its tag, under one key:
/// [`Key::part`](super::Key::part) makes it, [`append`](super::Key::append) joins neighbours and
/// [`finish`](super::Key::finish) makes the tag. Only the last segment of a message may end within a
/// block of 16 bytes. The default is the part of nothing.
///
/// **A part is a secret**: with its segment, it reveals r. Overwritten when dropped.
#[derive(Clone)]
pub struct Part(pub(super) ffi::Part);

impl Part {
    /// The length of the segment in bytes.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        // SAFETY: it is a part.
        unsafe { ffi::hornet_poly1305_partial_len_bytes(&raw const self.0) }
    }
}

/// The part of nothing.
impl Default for Part {
    fn default() -> Self {
        Self(ffi::Part { opaque: [0; 4] })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.0.opaque.zeroize();
    }
}

impl ZeroizeOnDrop for Part {}

/// Shows nothing of the value.
impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Part(..)")
    }
}

/// Two parts do not join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartError {
    /// The left one ends within a block of 16 bytes: nothing can follow it.
    WithinBlock,
    /// Together they have more than 2^64 - 1 bytes.
    TooLong,
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WithinBlock => "nothing can follow a part that ends within a block of 16 bytes",
            Self::TooLong => "a message has at most 2^64 - 1 bytes",
        })
    }
}

impl Error for PartError {}

#[cfg(test)]
mod tests {
    use super::super::samples::{key, message, nonce};
    use super::*;
    use core::mem::ManuallyDrop;
    use std::vec::Vec;

    /// The tag of a part and the tag of its bytes.
    #[track_caller]
    fn assert_part_of(part: &Part, bytes: &[u8]) {
        assert_eq!(part.len_bytes(), bytes.len() as u64);
        let key = key();
        let right = key.mac(nonce(0), bytes);
        assert_eq!(key.finish(nonce(0), part).as_bytes(), right.as_bytes());
        assert_eq!(key.verify_part(&nonce(0), part, &right), Ok(()));
    }

    fn joined(left: &Part, right: &Part) -> Result<Part, PartError> {
        let mut whole = left.clone();
        key().append(&mut whole, right).map(|()| whole)
    }

    #[test]
    fn every_cut_in_two() {
        for length in 0..=200 {
            let message = message(length);
            for cut in 0..=length {
                let (left, right) = message.split_at(cut);
                let mut whole = key().part(left);
                let result = key().append(&mut whole, &key().part(right));
                if cut % 16 == 0 || right.is_empty() {
                    assert_eq!(result, Ok(()));
                    assert_part_of(&whole, &message);
                } else {
                    assert_eq!(result, Err(PartError::WithinBlock));
                    assert_part_of(&whole, left);
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
                    .map(|segment| key().part(segment));
                    let from_left = joined(&joined(&a, &b).unwrap(), &c).unwrap();
                    let from_right = joined(&a, &joined(&b, &c).unwrap()).unwrap();
                    assert_part_of(&from_left, &message);
                    assert_part_of(&from_right, &message);
                }
            }
        }
    }

    /// Lengths of which all bits are tried, and of which the right part is the longer.
    #[test]
    fn long_ones() {
        let message = message(70_000);
        for cut in [16, 48, 1_024, 4_096 - 16, 4_096, 32_768, 65_536, 69_984] {
            let (left, right) = message.split_at(cut);
            let whole = joined(&key().part(left), &key().part(right)).unwrap();
            assert_part_of(&whole, &message);
        }
    }

    #[test]
    fn one_part_again_and_again() {
        let block = message(16);
        let mut bytes: Vec<u8> = block.clone();
        let mut part = key().part(&block);
        for _ in 0..14 {
            part = joined(&part, &part).unwrap();
            bytes.extend_from_within(..);
            assert_part_of(&part, &bytes);
        }
    }

    #[test]
    fn not_more_than_can_be_counted() {
        let block = key().part(&[7; 16]);
        // 2^64 - 16 bytes.
        let mut most = block.clone();
        for _ in 5..64 {
            most = joined(&joined(&most, &most).unwrap(), &block).unwrap();
        }
        assert_eq!(most.len_bytes(), u64::MAX - 15);
        let full = joined(&most, &key().part(&[7; 15])).unwrap();
        assert_eq!(full.len_bytes(), u64::MAX);

        let before = key().finish(nonce(0), &most);
        let result = key().append(&mut most, &block);
        assert_eq!(result, Err(PartError::TooLong));
        assert_eq!(most.len_bytes(), u64::MAX - 15);
        let after = key().finish(nonce(0), &most);
        assert_eq!(before.as_bytes(), after.as_bytes());
    }

    #[test]
    fn the_default_is_of_nothing() {
        assert_part_of(&Part::default(), b"");
        assert_part_of(&key().part(b""), b"");
        let part = key().part(b"segment");
        assert_part_of(&joined(&Part::default(), &part).unwrap(), b"segment");
        assert_part_of(&joined(&part, &Part::default()).unwrap(), b"segment");
    }

    #[test]
    fn dropped_part_is_wiped() {
        let mut part = ManuallyDrop::new(key().part(b"segment"));
        assert_ne!(part.0.opaque, [0; 4]);
        // SAFETY: dropped once, and what is read afterwards is plain numbers.
        unsafe { ManuallyDrop::drop(&mut part) };
        assert_eq!(part.0.opaque, [0; 4]);
    }
}
