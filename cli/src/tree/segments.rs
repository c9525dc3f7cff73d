// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads segments of open files.

use crate::buffer::Buffer;
use crate::progress::Progress;
use crate::tree::failure::Failure;
use crate::tree::holes::{Holes, read_extents};
use crate::tree::opener::Opener;
use crate::tree::reading::{PIECE_BYTES, read_exact, regular, unchanged};
use crate::tree::roots::Roots;
use crate::tree::snapshot::Snapshot;
use crate::tree::values::Values;
use crate::tree::windows::{self, Evaluation, HUGE_BYTES};
use hornet::aes::Key;
use hornet_manifest::parts::SegmentBytes;
use rayon::ThreadPool;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// How the segments of open files are evaluated.
pub(crate) struct Segments<'a> {
    pub(crate) key: &'a Key,
    pub(crate) pool: &'a ThreadPool,
    /// Whether files may be mapped into memory.
    pub(crate) map: bool,
    pub(crate) holes: &'a Holes,
    pub(crate) segment_bytes: SegmentBytes,
}

impl Segments<'_> {
    /// Evaluates a range of an open file, which begins at a segment and does not go beyond the end:
    /// on this thread, or on all if it is huge. Whether the file changes meanwhile, the caller finds
    /// out.
    pub(crate) fn of(
        &self,
        file: &File,
        bytes: Range<u64>,
        progress: &Progress,
    ) -> Result<Values, Failure> {
        if bytes.end - bytes.start >= HUGE_BYTES {
            let of = Evaluation {
                key: self.key,
                pool: self.pool,
                map: self.map,
                holes: self.holes,
                segment_bytes: Some(self.segment_bytes),
            };
            let values = windows::values(of, file, bytes, progress)?;
            self.holes.add(values.holes());
            return Ok(values);
        }
        let mut values = Values::new(Some(self.segment_bytes), bytes.start, bytes.end)?;
        let mut buffer = Buffer::default();
        buffer.allocate(PIECE_BYTES);
        let extents = self.holes.extents(file, bytes)?;
        let count = |count| progress.add(count);
        read_extents(self.key, file, extents, &mut buffer, &mut values, count)?;
        self.holes.add(values.holes());
        Ok(values)
    }
}

/// An open file whose segments are read.
pub(crate) struct Open {
    file: File,
    before: Snapshot,
}

impl Open {
    /// Opens a file below an argument, which must be regular.
    pub(crate) fn new(path: &Path, roots: &Roots) -> Result<Self, Failure> {
        let file = Opener::new(roots, 1).file(path)?;
        let before = regular(&file)?;
        Ok(Self { file, before })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the length that it had when it was opened.
    pub(crate) fn len_bytes(&self) -> u64 {
        self.before.length
    }

    /// Checks that it has not changed since.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        unchanged(self.before, &self.file)
    }

    /// Reads bytes of a segment, of which there are at most 2^30, into a buffer that grows as needed.
    pub(crate) fn read<'b>(
        &self,
        bytes: Range<u64>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], Failure> {
        let length = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
        let more = length.saturating_sub(buffer.len());
        buffer
            .try_reserve_exact(more)
            .map_err(|error| Failure::Unreadable(error.to_string()))?;
        buffer.resize(buffer.len() + more, 0);
        let content = &mut buffer[..length];
        read_exact(&self.file, content, bytes.start)?;
        Ok(content)
    }
}
