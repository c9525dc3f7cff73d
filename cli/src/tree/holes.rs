// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Holes of files, which need not be read.

use crate::output::say;
use crate::tree::failure::Failure;
use crate::tree::reading::{append, read_on, read_range, unchanged};
use crate::tree::snapshot::Snapshot;
use hornet::aes::{Key, Partial};
use hornet_manifest::holes::Extents;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Whether holes are skipped, and how many bytes that was.
pub(crate) struct Holes {
    skip: bool,
    not_read: AtomicU64,
}

impl Holes {
    pub(crate) fn new(skip: bool) -> Self {
        Self {
            skip,
            not_read: AtomicU64::new(0),
        }
    }

    /// Returns what a file of this length consists of.
    pub(super) fn extents<'f>(&self, file: &'f File, length: u64) -> io::Result<Extents<'f>> {
        let extents = Extents::of(file, length)?;
        Ok(if self.skip {
            extents
        } else {
            extents.with_holes_as_data()
        })
    }

    /// Counts the holes of a file that has been evaluated.
    pub(super) fn add(&self, bytes: u64) {
        // No sum of lengths overflows in practice, but three files of 2^63 - 1 bytes would do.
        let add = |sum: u64| Some(sum.saturating_add(bytes));
        let _ = self.not_read.fetch_update(Relaxed, Relaxed, add);
    }

    /// Returns the number of bytes that were not read, of all files that were evaluated.
    pub(crate) fn not_read(&self) -> u64 {
        self.not_read.load(Relaxed)
    }

    /// Says how many bytes were not read, if any.
    pub(crate) fn say(&self) {
        let bytes = self.not_read();
        if bytes > 0 {
            say(format_args!(
                "{bytes} bytes were not read: holes, which consist of zeros"
            ));
        }
    }

    /// Evaluates a file on this thread, through a buffer.
    pub(super) fn evaluate(
        &self,
        key: &Key,
        file: &File,
        before: Snapshot,
        buffer: &mut [u8],
        count: impl Fn(usize),
    ) -> Result<Partial, Failure> {
        let extents = self.extents(file, before.length)?;
        if extents.is_dense() {
            return read_on(key, file, before, buffer, 0, count);
        }
        let mut whole = Partial::default();
        let mut not_read = 0;
        for extent in extents {
            let extent = extent?;
            if extent.is_hole {
                append(key, &mut whole, &key.partial_zeros(extent.len_bytes()))?;
                not_read += extent.len_bytes();
            } else {
                read_range(key, file, extent.start, extent.end, buffer, &mut whole)?;
            }
            count(usize::try_from(extent.len_bytes()).unwrap_or(usize::MAX));
        }
        unchanged(before, file)?;
        self.add(not_read);
        Ok(whole)
    }
}
