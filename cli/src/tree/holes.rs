// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Holes of files, which need not be read.

use crate::output::say;
use crate::tree::failure::Failure;
use crate::tree::reading::{read_on, read_range, unchanged};
use crate::tree::snapshot::Snapshot;
use crate::tree::values::Values;
use hornet::aes::Key;
use hornet_manifest::holes::Extents;
use std::fs::File;
use std::io;
use std::ops::Range;
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

    /// Returns what these bytes of a file consist of. They begin at a multiple of 16.
    pub(super) fn extents<'f>(&self, file: &'f File, bytes: Range<u64>) -> io::Result<Extents<'f>> {
        let extents = Extents::of_part(file, bytes.start, bytes.end)?;
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

    /// Evaluates a file on this thread, through a buffer, and appends its values.
    pub(super) fn evaluate(
        &self,
        key: &Key,
        file: &File,
        before: Snapshot,
        buffer: &mut [u8],
        values: &mut Values,
        count: impl Fn(usize),
    ) -> Result<(), Failure> {
        let extents = self.extents(file, 0..before.length)?;
        if extents.is_dense() {
            return read_on(key, file, before, buffer, 0, values, count);
        }
        read_extents(key, file, extents, buffer, values, count)?;
        unchanged(before, file)?;
        self.add(values.holes());
        Ok(())
    }
}

/// Reads data through a buffer, and appends its values and those of holes.
pub(super) fn read_extents(
    key: &Key,
    file: &File,
    extents: Extents,
    buffer: &mut [u8],
    values: &mut Values,
    count: impl Fn(usize),
) -> Result<(), Failure> {
    for extent in extents {
        let extent = extent?;
        if extent.is_hole {
            values.push_hole(key, extent.len_bytes())?;
        } else {
            read_range(key, file, extent.start..extent.end, buffer, values)?;
        }
        count(usize::try_from(extent.len_bytes()).unwrap_or(usize::MAX));
    }
    Ok(())
}
