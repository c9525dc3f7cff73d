// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Evaluates the segments of a file that are said to have changed, and no others.

use crate::buffer::Buffer;
use crate::progress::{Progress, Unit};
use crate::tree::failure::Failure;
use crate::tree::reading::{PIECE_BYTES, append, read_piece, taggable, unchanged};
use crate::tree::segments;
use crate::tree::snapshot::Snapshot;
use crate::tree::windows::{self, Evaluation};
use crate::tree::work::{HUGE_BYTES, Work};
use hornet::aes::{Key, OldPartial, Partial};
use hornet_manifest::parts::SegmentBytes;
use rayon::ThreadPool;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What to evaluate of a file.
pub(crate) struct Changes<'a> {
    /// The length that it must have.
    pub(crate) length: u64,
    /// The segments, counted from 0: sorted, apart from each other, and none of them empty.
    pub(crate) runs: Vec<Range<u64>>,
    /// If the first segment of the last run begins with bytes that were tagged: their value.
    pub(crate) extended: Option<&'a OldPartial>,
}

/// The values of segments.
pub(crate) struct Changed {
    /// Those of each run.
    pub(crate) runs: Vec<Vec<Partial>>,
    /// How many bytes that took.
    pub(crate) read: u64,
    /// The metadata, which did not change meanwhile.
    pub(crate) snapshot: Snapshot,
}

/// Why there are no values.
pub(crate) enum NotChanged {
    Failed(Failure),
    /// These bytes are not those that were tagged.
    Differs(Range<u64>),
}

impl<F: Into<Failure>> From<F> for NotChanged {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

/// What one thread reads: segments of a run, by their bytes.
struct Piece {
    run: usize,
    bytes: Range<u64>,
}

impl Work<'_> {
    /// Evaluates segments of a file. The old bytes of an extended one are verified, in memory, before
    /// anything else is read.
    pub(crate) fn changed(
        &self,
        path: &Path,
        segment_bytes: SegmentBytes,
        changes: &Changes,
    ) -> Result<Changed, NotChanged> {
        let file = self.opener().file(path)?;
        let before = taggable(&file, self.excluded())?;
        if before.length != changes.length {
            return Err(Failure::changed().into());
        }
        let of = self.evaluation();
        let unit = segment_bytes.get();
        let bytes_of = |run: &Range<u64>| {
            let end = run.end.saturating_mul(unit).min(changes.length);
            run.start * unit..end
        };
        let total = changes.runs.iter().map(bytes_of);
        let total = total.map(|bytes| bytes.end - bytes.start).sum();
        let progress = Progress::new(Unit::Bytes, Some(total));

        let mut runs: Vec<Vec<Partial>> = Vec::with_capacity(changes.runs.len());
        let (mut pieces, mut holes) = (Vec::new(), 0);
        for (index, run) in changes.runs.iter().enumerate() {
            let mut bytes = bytes_of(run);
            runs.push(Vec::new());
            let is_last = index + 1 == changes.runs.len();
            if let Some(old) = changes.extended.filter(|_| is_last) {
                let first = bytes.start..bytes.end.min(bytes.start + unit);
                runs[index].push(extended(of.key, &file, first.clone(), old)?);
                bytes.start = first.end;
            }
            if bytes.end - bytes.start >= HUGE_BYTES {
                let (values, not_read) = windows::values(of, &file, bytes, &progress)?;
                runs[index].extend(values.into_segments());
                holes += not_read;
            } else if !bytes.is_empty() {
                pieces.push(Piece { run: index, bytes });
            }
        }
        for (run, values) in read_all(of, &file, segment_bytes, &pieces, &progress)? {
            runs[run].extend(values);
        }
        unchanged(before, &file)?;
        of.holes.add(holes);
        Ok(Changed {
            runs,
            read: total - holes,
            snapshot: before,
        })
    }
}

/// Evaluates pieces on all threads, each on one.
fn read_all(
    of: Evaluation,
    file: &File,
    segment_bytes: SegmentBytes,
    pieces: &[Piece],
    progress: &Progress,
) -> Result<Vec<(usize, Vec<Partial>)>, Failure> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffer = Buffer::default();
        let mut done = Vec::new();
        while let Some(Piece { run, bytes }) = pieces.get(next.fetch_add(1, Relaxed)) {
            let values = segments::read(of.key, file, bytes.clone(), segment_bytes, &mut buffer);
            // After an error, the other threads need not continue.
            let values = values.inspect_err(|_| next.store(pieces.len(), Relaxed))?;
            progress.add(usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX));
            done.push((*run, values.into_segments()));
        }
        Ok(done)
    };
    // For one piece, no other thread need wake up.
    if pieces.len() <= 1 {
        return work();
    }
    on_all(of.pool, work)
}

/// Runs the same on all threads, and returns all results.
fn on_all<T: Send>(
    pool: &ThreadPool,
    work: impl Fn() -> Result<Vec<T>, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let all: Result<Vec<_>, Failure> = pool.broadcast(|_| work()).into_iter().collect();
    Ok(all?.into_iter().flatten().collect())
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

#[cfg(test)]
mod tests;
