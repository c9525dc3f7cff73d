// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Files of which the caller says what has changed.

use crate::commands::retag::old::Old;
use crate::commands::retag::stop::{Stop, refused};
use crate::error::Error;
use crate::ranges::Ranges;
use crate::tree::changed::{Changed, Changes, NotChanged, evaluate};
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::opener::Opener;
use crate::tree::segments::Segments;
use crate::tree::snapshot::Snapshot;
use hornet::aes::Partial;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::Entry;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// A file, and on what word most of it is not read.
pub(super) struct Given {
    pub(super) path: PathBuf,
    pub(super) word: Word,
}

pub(super) enum Word {
    /// Only these ranges have changed, and what was appended.
    Ranges(Ranges),
    /// Bytes were only appended.
    Appended,
}

/// Shows what is trusted.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranges(ranges) => ranges.source().fmt(f),
            Self::Appended => f.write_str("--appended"),
        }
    }
}

/// The values of a file that was read in part.
pub(super) struct PartlyRead {
    pub(super) values: Vec<Partial>,
    pub(super) snapshot: Snapshot,
    /// The number of bytes that were evaluated, some of which may be holes.
    pub(super) evaluated: u64,
    /// How many of them were holes, and not read.
    pub(super) holes: u64,
}

impl Given {
    /// Checks that the word can be true of a file that has this length and was tagged with another.
    pub(super) fn check(&self, before: u64, now: u64) -> Result<(), Error> {
        match &self.word {
            Word::Ranges(ranges) => ranges.within(now).map(|_| ()),
            Word::Appended if now < before => Err(Error::new(
                &Escaped::new(&self.path),
                format_args!("became shorter, from {before} bytes to {now}: not only appended"),
            )),
            Word::Appended => Ok(()),
        }
    }

    /// Evaluates what has changed, and takes the values of all other segments from the parts.
    pub(super) fn evaluate(
        &self,
        index: usize,
        now: u64,
        old: &Old,
        segments: &Segments,
        (opener, excluded): (&mut Opener, &Excluded),
    ) -> Result<Result<PartlyRead, Failure>, Stop> {
        let entry = &old.entries[index];
        let segment_bytes = segments.segment_bytes.get();
        let ranges = match &self.word {
            Word::Ranges(ranges) => ranges.within(now)?,
            Word::Appended => &[],
        };
        let is_appended = matches!(self.word, Word::Appended);
        let touched = Runs::of(entry, now, ranges, is_appended, segment_bytes);
        let before = old.parts.all_values(entry).map_err(refused)?;
        let extended = touched.is_extended.then(|| before.iter().last()).flatten();
        let changes = Changes {
            length: now,
            runs: touched.runs,
            extended,
        };
        let found = match evaluate(segments, opener, excluded, &self.path, &changes) {
            Ok(found) => found,
            Err(NotChanged::Failed(failure)) => return Ok(Err(failure)),
            Err(NotChanged::Differs(Range { start, end })) => {
                return Err(Stop::Changed {
                    path: self.path.clone(),
                    why: format!(
                        "bytes {start} to {end} are not those that were tagged, against the word of {}",
                        self.word
                    ),
                });
            }
        };
        let Changed {
            runs,
            evaluated,
            holes,
            snapshot,
        } = found;
        // No more than were kept or read.
        let count = usize::try_from(now.div_ceil(segment_bytes)).unwrap_or(usize::MAX);
        let mut values = Vec::with_capacity(count);
        let before = before.partials();
        for (run, new) in changes.runs.iter().zip(runs) {
            let start = usize::try_from(run.start).unwrap_or(usize::MAX);
            values.extend_from_slice(&before[values.len()..start]);
            // To move them would leave a copy in memory that is not wiped.
            values.extend_from_slice(&new);
        }
        if values.len() < count {
            values.extend_from_slice(&before[values.len()..count]);
        }
        Ok(Ok(PartlyRead {
            values,
            snapshot,
            evaluated,
            holes,
        }))
    }
}

/// The segments to be evaluated of a file.
#[derive(Debug, PartialEq, Eq)]
struct Runs {
    runs: Vec<Range<u64>>,
    /// Whether the last run begins with the last segment of before, whose bytes have not changed as far
    /// as they were there.
    is_extended: bool,
}

impl Runs {
    fn of(
        entry: &Entry,
        now: u64,
        ranges: &[Range<u64>],
        is_appended: bool,
        segment_bytes: u64,
    ) -> Self {
        let before = entry.len_bytes;
        let within = |length: u64| length % segment_bytes != 0;
        let mut runs: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            let start = range.start / segment_bytes;
            let end = range.end.div_ceil(segment_bytes);
            match runs.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => runs.push(start..end),
            }
        }
        // Where the file was cut or continued. A value of a part of a segment is not known, and bytes
        // cannot be appended to one that does not end with a block.
        let end = now.div_ceil(segment_bytes);
        let start = before.min(now) / segment_bytes;
        let is_extended = within(before)
            && (now > before || (is_appended && now == before))
            && ranges
                .iter()
                .all(|range| range.end <= start * segment_bytes || range.start >= before);
        if now > before || (now < before && within(now)) || is_extended {
            // The ranges from here on are within this one.
            runs.retain(|run| run.start < start);
            if let Some(last) = runs.last_mut() {
                last.end = last.end.min(start);
            }
            match runs.last_mut() {
                Some(last) if last.end == start && !is_extended => last.end = end,
                _ => runs.push(start..end),
            }
        }
        Self { runs, is_extended }
    }
}
