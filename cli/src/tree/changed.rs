// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Evaluates the segments of a file that are said to have changed, and no others.

use crate::buffer::Buffer;
use crate::progress::{Progress, Unit};
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::opener::Opener;
use crate::tree::reading::{PIECE_BYTES, read_piece, taggable, unchanged};
use crate::tree::segments::Segments;
use crate::tree::snapshot::Snapshot;
use crate::tree::values::{Values, append, room};
use crate::tree::windows::HUGE_BYTES;
use hornet::aes::{Key, OldPartial, Partial};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What to evaluate of a file.
pub(crate) struct Changes<'a> {
    /// The length that it must have.
    pub(crate) length: u64,
    /// The segments, counted from 0: in order, without overlaps, and none of the runs is empty.
    pub(crate) runs: Vec<Range<u64>>,
    /// If the first segment of the last run begins with bytes that were tagged: their value.
    pub(crate) extended: Option<&'a OldPartial>,
}

/// What was found.
pub(crate) struct Changed {
    /// The values of the segments of each run.
    pub(crate) runs: Vec<Vec<Partial>>,
    /// The bytes of the runs, some of which may be holes.
    pub(crate) evaluated: u64,
    /// How many of them were holes, and not read.
    pub(crate) holes: u64,
    /// The metadata, which did not change meanwhile.
    pub(crate) snapshot: Snapshot,
}

/// Why there are no values.
pub(crate) enum NotChanged {
    Failed(Failure),
    /// These bytes are not those that were tagged.
    Differs(Range<u64>),
}

impl From<Failure> for NotChanged {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for NotChanged {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Evaluates segments of a file. The old bytes of an extended one are verified before anything else is
/// read.
pub(crate) fn evaluate(
    segments: &Segments,
    opener: &mut Opener,
    excluded: &Excluded,
    path: &Path,
    changes: &Changes,
) -> Result<Changed, NotChanged> {
    let file = opener.file(path)?;
    let before = taggable(&file, Some(excluded))?;
    if before.length != changes.length {
        return Err(Failure::changed().into());
    }
    let segment_bytes = segments.segment_bytes.get();
    let mut all: Vec<Range<u64>> = Vec::with_capacity(changes.runs.len());
    for run in &changes.runs {
        let end = run.end.saturating_mul(segment_bytes).min(changes.length);
        all.push(run.start * segment_bytes..end);
    }
    let evaluated = all.iter().map(|bytes| bytes.end - bytes.start).sum();
    let progress = Progress::new(Unit::Bytes, Some(evaluated));

    let mut runs: Vec<Vec<Partial>> = all.iter().map(|_| Vec::new()).collect();
    let mut holes = 0;
    if let (Some(old), Some(bytes), Some(run)) = (changes.extended, all.last_mut(), runs.last_mut())
    {
        let first = bytes.start..bytes.end.min(bytes.start + segment_bytes);
        let count = (bytes.end - bytes.start).div_ceil(segment_bytes);
        *run = room(count)?;
        run.push(extended(segments.key, &file, first.clone(), old)?);
        progress.add(usize::try_from(first.end - first.start).unwrap_or(usize::MAX));
        bytes.start = first.end;
    }
    for (run, values) in each(segments, &file, &all, &progress)? {
        holes += values.holes();
        let values = values.into_segments();
        if runs[run].is_empty() {
            runs[run] = values;
        } else {
            // There is room. To move the values out would leave a copy in memory that is not wiped.
            runs[run].extend_from_slice(&values);
        }
    }
    unchanged(before, &file)?;
    Ok(Changed {
        runs,
        evaluated,
        holes,
        snapshot: before,
    })
}

/// Evaluates runs, given by their bytes: huge ones one after another, each on all threads, and then the
/// others, each on one.
fn each(
    segments: &Segments,
    file: &File,
    runs: &[Range<u64>],
    progress: &Progress,
) -> Result<Vec<(usize, Values)>, Failure> {
    let of = |run: &usize| Ok((*run, segments.of(file, runs[*run].clone(), progress)?));
    let all = (0..runs.len()).filter(|&run| !runs[run].is_empty());
    let (huge, others): (Vec<_>, Vec<_>) =
        all.partition(|&run| runs[run].end - runs[run].start >= HUGE_BYTES);
    let mut done: Vec<_> = huge.iter().map(of).collect::<Result<_, Failure>>()?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(run) = others.get(next.fetch_add(1, Relaxed)) {
            // After an error, the other threads need not continue.
            done.push(of(run).inspect_err(|_| next.store(others.len(), Relaxed))?);
        }
        Ok(done)
    };
    if others.len() <= 1 {
        // No other thread need wake up.
        done.extend(work()?);
    } else {
        let all: Result<Vec<_>, Failure> =
            segments.pool.broadcast(|_| work()).into_iter().collect();
        done.extend(all?.into_iter().flatten());
    }
    Ok(done)
}

/// Evaluates a segment whose first bytes must be those with this value. They are verified as they are
/// in memory, and the value is made of the same bytes.
fn extended(
    key: &Key,
    file: &File,
    bytes: Range<u64>,
    old: &OldPartial,
) -> Result<Partial, NotChanged> {
    let mut buffer = Buffer::default();
    buffer.allocate(PIECE_BYTES);
    let known = bytes.start..bytes.start + old.len_bytes();
    let mut whole = Partial::default();
    let mut at = bytes.start;
    while at < bytes.end {
        let piece = read_piece(file, at..bytes.end, &mut buffer)?;
        let end = at + piece.len() as u64;
        if (at + 1..=end).contains(&known.end) {
            // At most the length of the piece.
            let count = usize::try_from(known.end - at).unwrap_or(usize::MAX);
            let mut begin = whole.clone();
            append(key, &mut begin, &key.partial(&piece[..count]))?;
            if key.verify_evaluated(old, &begin).is_err() {
                return Err(NotChanged::Differs(known));
            }
        }
        append(key, &mut whole, &key.partial(piece))?;
        at = end;
    }
    Ok(whole)
}
