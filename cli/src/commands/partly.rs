// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One file of a manifest, of which segments are read and verified alone.

use crate::commands::opened::{NotOpened, Opened};
use crate::error::Error;
use crate::progress::Progress;
use crate::report::{Differs, Status};
use crate::size::Bytes;
use crate::tree::failure::Failure;
use crate::tree::roots::Roots;
use crate::tree::segments::{self, Segments};
use hornet::aes::Key;
use hornet_manifest::Manifest;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{self, Entry, Reader};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// The number of values that are opened at a time: about a page of them, 32 KiB.
const VALUES: usize = 1024;

/// A file that a manifest lists, and what its parts keep of it.
pub(super) struct Partly<'a> {
    manifest: &'a Manifest,
    parts: &'a Reader,
    path: &'a Path,
    entry: Entry,
}

/// Bytes of a file, and the segments that have them.
pub(super) struct Touched {
    pub(super) bytes: Range<u64>,
    segments: Range<u64>,
}

/// Why bytes were not copied.
pub(super) enum NotCopied {
    /// The bytes of this segment are not those that were tagged.
    Differs(Range<u64>),
    /// They cannot be read.
    File(Failure),
    Parts(parts::Error),
    /// They were verified, and cannot be written.
    Write(io::Error),
}

impl<'a> Partly<'a> {
    /// Finds the file that the manifest lists under this path.
    pub(super) fn find(
        opened: &'a Opened,
        parts: &'a Reader,
        path: &'a Path,
    ) -> Result<Self, NotOpened> {
        let manifest = &opened.manifest;
        let Some(index) = manifest.find(path) else {
            let why = if manifest.unread.iter().any(|unread| unread == path) {
                "could not be read when the manifest was made, which has no tag of it"
            } else {
                "is no file in the manifest, which spells paths as they were tagged"
            };
            return Err(Error::new(&Escaped::new(path), why).into());
        };
        Ok(Self {
            manifest,
            parts,
            path,
            entry: parts.entry(&manifest.files, index)?,
        })
    }

    /// Returns the segments of ranges of bytes. They must have been in the file when it was tagged.
    pub(super) fn touched(&self, ranges: &[Bytes]) -> Result<Vec<Touched>, Error> {
        let touched = ranges.iter().map(|Bytes(bytes)| {
            let segments = self.entry.touched(bytes.clone()).ok_or_else(|| {
                let (start, end) = (bytes.start, bytes.end);
                Error::new(
                    &Escaped::new(self.path),
                    format_args!(
                        "has {} bytes in the manifest, and the range from {start} ends at {end}",
                        self.entry.len_bytes
                    ),
                )
            })?;
            let bytes = bytes.clone();
            Ok(Touched { bytes, segments })
        });
        touched.collect()
    }

    /// Returns all of it; nothing if it is empty.
    pub(super) fn whole(&self) -> Vec<Touched> {
        let bytes = 0..self.entry.len_bytes;
        let segments = self.entry.touched(bytes.clone());
        let whole = segments.map(|segments| Touched { bytes, segments });
        whole.into_iter().collect()
    }

    pub(super) fn path(&self) -> Escaped<'_> {
        Escaped::new(self.path)
    }

    /// Opens the file. Returns its length too if that is another than it was.
    pub(super) fn open(&self) -> Result<(segments::Open, Option<Differs>), Failure> {
        let roots = Roots::new(&self.manifest.arguments, self.manifest.follow_symlinks);
        let open = segments::Open::new(self.path, &roots)?;
        let (found, tagged) = (open.len_bytes(), self.entry.len_bytes);
        let differs = (found != tagged).then_some(Differs::Length(found, tagged));
        Ok((open, differs))
    }

    /// Compares the segments of each range with their values.
    pub(super) fn check(
        &self,
        segments: &Segments,
        touched: &[Touched],
        progress: &Progress,
    ) -> Result<Vec<(Status, Option<Differs>)>, parts::Error> {
        let all = |failure: &Failure| {
            let each = touched.iter();
            each.map(|_| (Status::from(failure.clone()), None))
                .collect()
        };
        let open = match self.open() {
            Ok((open, None)) => open,
            Ok((_, Some(differs))) => {
                let each = touched.iter();
                let changed = |_| (Status::Changed, Some(differs.clone()));
                return Ok(each.map(changed).collect());
            }
            Err(failure) => return Ok(all(&failure)),
        };
        let mut found = Vec::new();
        for Touched { segments: of, .. } in touched {
            found.push(match self.differing(segments, open.file(), of, progress)? {
                Ok(runs) if runs.is_empty() => (Status::Ok, None),
                Ok(runs) => (Status::Changed, Some(Differs::Segments(runs))),
                Err(failure) => (Status::from(failure), None),
            });
        }
        Ok(match open.unchanged() {
            Ok(()) => found,
            Err(failure) => all(&failure),
        })
    }

    /// Returns the bytes of those segments that differ, adjacent ones together.
    fn differing(
        &self,
        segments: &Segments,
        file: &File,
        of: &Range<u64>,
        progress: &Progress,
    ) -> Result<Result<Vec<Range<u64>>, Failure>, parts::Error> {
        let mut runs: Vec<Range<u64>> = Vec::new();
        for some in pages(of) {
            let old = self.parts.values(&self.entry, some.clone())?;
            let (first, last) = (self.bytes_of(some.start), self.bytes_of(some.end - 1));
            let values = match segments.of(file, first.start..last.end, progress) {
                Ok(values) => values.into_segments(),
                Err(failure) => return Ok(Err(failure)),
            };
            for (index, segment) in some.enumerate() {
                let value = old.get(index).zip(values.get(index));
                if value
                    .is_some_and(|(old, value)| segments.key.verify_evaluated(old, value).is_ok())
                {
                    continue;
                }
                let bytes = self.bytes_of(segment);
                match runs.last_mut() {
                    Some(run) if run.end == bytes.start => run.end = bytes.end,
                    _ => runs.push(bytes),
                }
            }
        }
        Ok(Ok(runs))
    }

    /// Reads each segment once and verifies it, and then gives those of its bytes which were asked for to
    /// `write`, from the memory that was verified.
    pub(super) fn copy(
        &self,
        key: &Key,
        open: &segments::Open,
        touched: &[Touched],
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), NotCopied> {
        let mut buffer = Vec::new();
        for Touched { bytes, segments } in touched {
            for some in pages(segments) {
                let old = self.parts.values(&self.entry, some.clone());
                let old = old.map_err(NotCopied::Parts)?;
                for (old, segment) in old.iter().zip(some) {
                    let of = self.bytes_of(segment);
                    let read = open.read(of.clone(), &mut buffer);
                    let content = read.map_err(NotCopied::File)?;
                    if key.verify_segment(old, content).is_err() {
                        return Err(NotCopied::Differs(of));
                    }
                    let within = |at: u64| {
                        let at = at.clamp(of.start, of.end) - of.start;
                        // It is at most the length of the content.
                        usize::try_from(at).unwrap_or(usize::MAX)
                    };
                    write(&content[within(bytes.start)..within(bytes.end)])
                        .map_err(NotCopied::Write)?;
                }
            }
        }
        Ok(())
    }

    fn bytes_of(&self, segment: u64) -> Range<u64> {
        self.entry.bytes_of(segment)
    }
}

/// Divides segments into those whose values are opened at a time.
fn pages(segments: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = segments.end;
    let starts = (segments.start..end).step_by(VALUES);
    starts.map(move |start| start..end.min(start + VALUES as u64))
}
