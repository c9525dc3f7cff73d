// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The values of a file's segments, of which a parts file keeps one each.
//!
//! ```text
//! file      |--------|--------|--------|--------|--------|---|
//! values        |-+--|--------|-----+--|                        at: where the last one ends
//!            start          each ends at a multiple of the length of segments, except for the last
//! ```

use crate::tree::failure::Failure;
use hornet::aes::{Key, Partial};
use hornet_manifest::parts::{SegmentBytes, Stamp};

/// The most values of one file that are kept: 2^28, which take 8 GiB. With segments of 1 MiB, those
/// of 256 TiB.
const MOST: u64 = 1 << 28;

/// What a parts file keeps of a file.
pub(crate) struct Kept {
    /// What tells whether it was changed since.
    pub(crate) stamp: Option<Stamp>,
    /// The values of its segments.
    pub(crate) values: Vec<Partial>,
}

/// The values of adjacent pieces of a file, none of which goes beyond the end of a segment.
pub(crate) struct Values {
    /// `None` if all is one segment.
    segment_bytes: Option<SegmentBytes>,
    /// The offset in the file at which the first piece begins.
    start: u64,
    /// The offset at which the last piece ends.
    at: u64,
    /// How many of the bytes are in holes.
    holes: u64,
    pieces: Vec<Partial>,
}

impl Values {
    /// Begins at an offset in the file, with room for what follows up to `end`.
    pub(crate) fn new(
        segment_bytes: Option<SegmentBytes>,
        start: u64,
        end: u64,
    ) -> Result<Self, Failure> {
        let mut values = Self {
            segment_bytes,
            start,
            at: start,
            holes: 0,
            pieces: Vec::new(),
        };
        values.reserve(values.count(end.saturating_sub(start)))?;
        Ok(values)
    }

    /// Evaluates bytes and appends their values.
    pub(crate) fn push(&mut self, key: &Key, bytes: &[u8]) -> Result<(), Failure> {
        let room = usize::try_from(self.room()).unwrap_or(usize::MAX);
        let room = if self.is_at_segment() && room < bytes.len() {
            // All that follow begin a segment.
            0
        } else {
            room
        };
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.push_piece(key, &key.partial(first))?;
        let Some(segment_bytes) = self.segment_bytes.filter(|_| !rest.is_empty()) else {
            return Ok(());
        };
        // It is at most 2^30, and `rest` begins at a multiple of it.
        let segment_bytes = usize::try_from(segment_bytes.get()).unwrap_or(usize::MAX);
        let values = key
            .partial_segments(rest, segment_bytes)
            .map_err(|error| Failure::Unreadable(error.to_string()))?;
        self.extend(&values, rest.len() as u64)
    }

    /// Appends the values of the zeros of a hole.
    pub(crate) fn push_hole(&mut self, key: &Key, len_bytes: u64) -> Result<(), Failure> {
        self.holes += len_bytes;
        let first = self.room().min(len_bytes);
        self.push_piece(key, &key.partial_zeros(first))?;
        let rest = len_bytes - first;
        let Some(segment_bytes) = self.segment_bytes.filter(|_| rest > 0) else {
            return Ok(());
        };
        let segment_bytes = segment_bytes.get();
        self.reserve(self.count(rest))?;
        let whole = key.partial_zeros(segment_bytes);
        for _ in 0..rest / segment_bytes {
            self.pieces.push(whole.clone());
        }
        if rest % segment_bytes > 0 {
            self.pieces.push(key.partial_zeros(rest % segment_bytes));
        }
        self.at += rest;
        Ok(())
    }

    /// Appends what follows.
    pub(crate) fn append(&mut self, key: &Key, next: &Self) -> Result<(), Failure> {
        debug_assert_eq!(self.at, next.start);
        self.holes += next.holes;
        let Some((first, rest)) = next.pieces.split_first() else {
            return Ok(());
        };
        let length = first.len_bytes();
        self.push_piece(key, first)?;
        self.extend(rest, next.at - next.start - length)
    }

    /// Returns the value of all pieces together.
    pub(crate) fn whole(&self, key: &Key) -> Result<Partial, Failure> {
        whole(key, &self.pieces)
    }

    /// Returns how many of the bytes are in holes.
    pub(crate) fn holes(&self) -> u64 {
        self.holes
    }

    /// Returns what a parts file keeps of the file, if this is all of it.
    pub(crate) fn keep(self, stamp: Option<Stamp>) -> Kept {
        Kept {
            stamp,
            values: self.pieces,
        }
    }

    /// Returns the values, in the order of the segments.
    pub(crate) fn into_segments(self) -> Vec<Partial> {
        self.pieces
    }

    /// Appends a value of bytes that do not go beyond the end of the segment.
    fn push_piece(&mut self, key: &Key, piece: &Partial) -> Result<(), Failure> {
        let length = piece.len_bytes();
        if length == 0 {
            return Ok(());
        }
        debug_assert!(length <= self.room());
        let begins = self.is_at_segment();
        match self.pieces.last_mut() {
            Some(last) if !begins => append(key, last, piece)?,
            _ => {
                self.reserve(1)?;
                self.pieces.push(piece.clone());
            }
        }
        self.at += length;
        Ok(())
    }

    /// Appends values of this many bytes, which begin a segment.
    fn extend(&mut self, values: &[Partial], len_bytes: u64) -> Result<(), Failure> {
        self.reserve(values.len() as u64)?;
        self.pieces.extend_from_slice(values);
        self.at += len_bytes;
        Ok(())
    }

    /// Returns whether a segment begins here.
    fn is_at_segment(&self) -> bool {
        self.segment_bytes
            .is_some_and(|segment_bytes| self.at % segment_bytes.get() == 0)
    }

    /// Returns the number of bytes up to the end of the segment.
    fn room(&self) -> u64 {
        self.segment_bytes.map_or(u64::MAX, |segment_bytes| {
            segment_bytes.get() - self.at % segment_bytes.get()
        })
    }

    /// Returns how many values this many bytes add, at most.
    fn count(&self, len_bytes: u64) -> u64 {
        let count = |segment_bytes: SegmentBytes| len_bytes.div_ceil(segment_bytes.get()) + 1;
        self.segment_bytes.map_or(1, count)
    }

    /// Makes room for more values. `Vec` would free its old memory without wiping it.
    fn reserve(&mut self, more: u64) -> Result<(), Failure> {
        let length = self.pieces.len();
        let needed = (length as u64).saturating_add(more);
        if needed <= self.pieces.capacity() as u64 {
            return Ok(());
        }
        // Twice the room, so that a value is copied twice at most, on average.
        let mut grown = room(needed.max(MOST.min(2 * length as u64)))?;
        grown.extend(self.pieces.iter().cloned());
        self.pieces = grown;
        Ok(())
    }
}

/// Returns an empty vector with room for this many values, so that it need not grow: what it would free is
/// not wiped.
pub(super) fn room(count: u64) -> Result<Vec<Partial>, Failure> {
    let mut values = Vec::new();
    let reserved = usize::try_from(count)
        .is_ok_and(|room| count <= MOST && values.try_reserve_exact(room).is_ok());
    if reserved {
        Ok(values)
    } else {
        Err(Failure::Unreadable(
            "has too many segments to keep their values; use longer ones".into(),
        ))
    }
}

/// Returns the value of adjacent pieces together.
pub(crate) fn whole(key: &Key, pieces: &[Partial]) -> Result<Partial, Failure> {
    let mut whole = Partial::default();
    key.append_all(&mut whole, pieces)
        .map_err(|error| Failure::Unreadable(error.to_string()))?;
    Ok(whole)
}

/// Appends a partial evaluation to that of the preceding bytes.
pub(super) fn append(key: &Key, left: &mut Partial, right: &Partial) -> Result<(), Failure> {
    key.append(left, right)
        .map_err(|error| Failure::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hornet::aes::{Nonce, UnusedNonce};

    const SEGMENT: usize = 4096;

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    fn segments() -> Option<SegmentBytes> {
        SegmentBytes::new(SEGMENT as u64)
    }

    fn same(found: &Partial, bytes: &[u8]) {
        let nonce = || UnusedNonce::assume_unused([1; 16]);
        let tag = key().mac(nonce(), bytes);
        assert_eq!(found.len_bytes(), bytes.len() as u64);
        assert!(
            key()
                .verify_partial(&Nonce::new([1; 16]), found, &tag)
                .is_ok()
        );
    }

    /// Pieces of many lengths, some of them zeros that are not read, in runs that begin anywhere.
    #[test]
    fn pieces_become_segments() {
        let blocks = [1, 16, 100, 4096, 4097, 255, 256, 257, 1024, 3000, 20, 5000];
        let mut content = Vec::new();
        for (index, blocks) in blocks.into_iter().enumerate() {
            let byte = if index % 3 == 0 {
                0
            } else {
                u8::try_from(index).unwrap()
            };
            content.resize(content.len() + 16 * blocks, byte);
        }
        content.extend_from_slice(b"the end");
        for cut in [segments(), None] {
            for runs in [1, 2, 5, blocks.len()] {
                let mut all = Values::new(cut, 0, content.len() as u64).unwrap();
                let mut run = Values::new(cut, 0, 0).unwrap();
                let mut at = 0;
                for (index, blocks) in blocks.into_iter().enumerate() {
                    let piece = &content[at..at + 16 * blocks];
                    if index % 3 == 0 {
                        run.push_hole(&key(), piece.len() as u64).unwrap();
                    } else {
                        run.push(&key(), piece).unwrap();
                    }
                    at += piece.len();
                    if index % runs == 0 {
                        all.append(&key(), &run).unwrap();
                        run = Values::new(cut, at as u64, 0).unwrap();
                    }
                }
                run.push(&key(), &content[at..]).unwrap();
                all.append(&key(), &run).unwrap();
                same(&all.whole(&key()).unwrap(), &content);
                let values = all.into_segments();
                let bytes = cut.map_or(content.len(), |_| SEGMENT);
                assert_eq!(values.len(), content.len().div_ceil(bytes));
                for (value, segment) in values.iter().zip(content.chunks(bytes)) {
                    same(value, segment);
                }
            }
        }
    }

    #[test]
    fn zeros_that_are_not_read() {
        let mut values = Values::new(segments(), 0, 1 << 20).unwrap();
        values.push(&key(), &[1; 16]).unwrap();
        values.push_hole(&key(), (1 << 20) - 17).unwrap();
        let mut content = vec![0; (1 << 20) - 1];
        content[..16].fill(1);
        same(&values.whole(&key()).unwrap(), &content);
        assert_eq!(values.into_segments().len(), 256);
    }

    /// No memory is asked for first.
    #[test]
    fn too_many_segments() {
        let error = |values: Result<Values, Failure>| values.err().map(|error| error.to_string());
        let all = error(Values::new(segments(), 0, u64::MAX)).unwrap();
        assert!(all.contains("too many segments"), "{all}");
        assert_eq!(error(Values::new(None, 0, u64::MAX)), None);
        let mut values = Values::new(segments(), 0, 0).unwrap();
        assert!(values.push_hole(&key(), 1 << 50).is_err());
    }
}
