// SPDX-License-Identifier: Apache-2.0 OR MIT

//! One of the threads that read files: small ones in batches, larger ones through its buffer.

use crate::buffer::{ALIGNMENT, Buffer};
use crate::progress::Progress;
use crate::source::read_some;
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::holes::Holes;
use crate::tree::opener::Opener;
use crate::tree::reading::{PIECE_BYTES, read_on, taggable, unchanged};
use crate::tree::snapshot::{Settled, Snapshot};
use crate::tree::task::{Evaluated, Slot, Task};
use crate::tree::values::Values;
use hornet::aes::Key;
use hornet_manifest::parts::SegmentBytes;
use rustix::fs::fstat;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The length of the longest file in a batch. Lanes pay off up to a few hundred bytes, reading the
/// whole file at once up to some KiB more.
const SMALL_BYTES: u64 = SMALL_ROOM as u64 - 1;

/// Bytes requested at once to find out whether a file is small: one more than `SMALL_BYTES`.
const SMALL_ROOM: usize = (16 << 10) + 1;

/// Files of at least this length wait until all others are done: a thread that takes 64 files at a
/// time should not have much more work than another.
const LATER_BYTES: u64 = 1 << 20;

/// The size of a thread's buffer, which fits in L2. It holds a batch of small files, and always has
/// room after them for a piece of a larger file.
const BUFFER_BYTES: usize = 256 << 10;
const _: () =
    assert!(SMALL_BYTES < PIECE_BYTES as u64 && PIECE_BYTES < BUFFER_BYTES / 2 - ALIGNMENT);

/// The state of a file after it was opened.
enum Content {
    /// The file was read into this range of the buffer.
    Small(Snapshot, Range<usize>),
    /// The file was read to its end.
    Read(Evaluated),
    /// The file was not read; this is its length in bytes.
    Later(u64),
}

/// The state of one thread.
pub(super) struct Worker<'a> {
    settled: Option<Settled>,
    excluded: Option<&'a Excluded<'a>>,
    holes: &'a Holes,
    segment_bytes: Option<SegmentBytes>,
    opener: Opener<'a>,
    buffer: Buffer,
    /// The number of bytes of the buffer that small files occupy.
    used: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        settled: Option<Settled>,
        excluded: Option<&'a Excluded<'a>>,
        holes: &'a Holes,
        segment_bytes: Option<SegmentBytes>,
        opener: Opener<'a>,
    ) -> Self {
        Self {
            settled,
            excluded,
            holes,
            segment_bytes,
            opener,
            buffer: Buffer::default(),
            used: 0,
        }
    }

    /// Processes files, except for those that must wait.
    pub(super) fn look<T: Task>(&mut self, key: &Key, slots: &mut [Slot<T>]) {
        let mut batch = Batch(Vec::with_capacity(slots.len()));
        self.used = 0;
        for index in 0..slots.len() {
            // Makes room for the next file, whatever its length.
            if self.used > BUFFER_BYTES / 2 {
                batch.flush(key, &self.buffer, slots);
                self.used = 0;
            }
            let Some(task) = slots[index].take() else {
                continue;
            };
            slots[index] = match self.read(key, task.path()) {
                Ok(Content::Small(snapshot, range)) => {
                    batch.0.push((index, task, snapshot, range));
                    Slot::Taken
                }
                Ok(Content::Read(evaluated)) => Slot::Done(task.finish(key, evaluated)),
                Ok(Content::Later(length)) => Slot::Later(task, length),
                Err(failure) => Slot::Done(task.fail(failure)),
            };
        }
        batch.flush(key, &self.buffer, slots);
    }

    /// Reads a file with as few system calls as possible, unless it is long.
    fn read(&mut self, key: &Key, path: &Path) -> Result<Content, Failure> {
        let file = self.opener.file(path)?;
        match self.read_settled(&file)? {
            Some(content) => Ok(content),
            None => self.read_file(key, &file, taggable(&file, self.excluded)?),
        }
    }

    /// Reads a small file and checks its metadata only once, afterwards. That suffices if the file
    /// did not change recently.
    fn read_settled(&mut self, file: &File) -> Result<Option<Content>, Failure> {
        let Some(settled) = self.settled else {
            return Ok(None);
        };
        self.buffer.allocate(BUFFER_BYTES);
        // Reads from the start, without moving the position, because the file may have to be read
        // again.
        let free = &mut self.buffer[self.used..][..SMALL_ROOM];
        let Ok(length) = file.read_at(free, 0) else {
            return Ok(None);
        };
        let status = fstat(file).map_err(io::Error::from)?;
        let after = Snapshot::from(&status);
        let is_whole = after.is_not().is_none() && after.length == length as u64;
        if !is_whole || after.length > SMALL_BYTES || !settled.is(after) {
            return Ok(None);
        }
        if let Some(excluded) = self.excluded {
            excluded.check(file, after)?;
        }
        Ok(Some(self.small(after, length)))
    }

    /// Reads a file whose metadata is known, unless the file is long.
    fn read_file(&mut self, key: &Key, file: &File, before: Snapshot) -> Result<Content, Failure> {
        if before.length >= LATER_BYTES {
            return Ok(Content::Later(before.length));
        }
        self.buffer.allocate(BUFFER_BYTES);
        let start = self.used;
        let free = &mut self.buffer[start..];
        let values = || Values::new(self.segment_bytes, 0, before.length);
        if before.length > SMALL_BYTES {
            let mut values = values()?;
            self.holes
                .evaluate(key, file, before, free, &mut values, |_| {})?;
            return Evaluated::new(key, values, before).map(Content::Read);
        }
        // Requests one byte more than there should be. A regular file returns all its bytes at
        // once.
        let room = usize::try_from(before.length).unwrap_or(0) + 1;
        let length = read_some(file, &mut free[..room])?;
        if length != room - 1 {
            // The file has grown or shrunk, or is under /proc, where files have length 0.
            let mut values = values()?;
            read_on(key, file, before, free, length, &mut values, |_| {})?;
            return Evaluated::new(key, values, before).map(Content::Read);
        }
        unchanged(before, file)?;
        Ok(self.small(before, length))
    }

    /// Keeps the small file of this length that was read into the free part of the buffer.
    fn small(&mut self, snapshot: Snapshot, length: usize) -> Content {
        let start = self.used;
        self.used = (start + length).next_multiple_of(ALIGNMENT);
        Content::Small(snapshot, start..start + length)
    }

    /// Reads a large file.
    pub(super) fn large(
        &mut self,
        key: &Key,
        path: &Path,
        progress: &Progress,
    ) -> Result<Evaluated, Failure> {
        let file = self.opener.file(path)?;
        let before = taggable(&file, self.excluded)?;
        self.buffer.allocate(BUFFER_BYTES);
        let count = |count| progress.add(count);
        let mut values = Values::new(self.segment_bytes, 0, before.length)?;
        let buffer = &mut self.buffer;
        self.holes
            .evaluate(key, &file, before, buffer, &mut values, count)?;
        Evaluated::new(key, values, before)
    }
}

/// Small files in the buffer: for each, its index among the slots, its task, its metadata and its range.
struct Batch<T>(Vec<(usize, T, Snapshot, Range<usize>)>);

impl<T: Task> Batch<T> {
    fn flush(&mut self, key: &Key, buffer: &[u8], slots: &mut [Slot<T>]) {
        let (indices, files): (Vec<_>, Vec<_>) = self
            .0
            .drain(..)
            .map(|(index, task, snapshot, range)| (index, (task, snapshot, &buffer[range])))
            .unzip();
        for (index, done) in indices.into_iter().zip(T::batch(key, files)) {
            slots[index] = Slot::Done(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::reading::regular;
    use crate::tree::roots::Roots;
    use std::io::Write;
    use tempfile::NamedTempFile;

    /// This includes changes of a small file, which is read at once.
    #[test]
    fn changes_of_small_files_are_detected() {
        let key = Key::clamped(&[7; 32]);
        let roots = Roots::new(&[], false);
        let holes = Holes::new(true);
        let mut worker = Worker::new(None, None, &holes, None, Opener::new(&roots, 1));
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(b"content").unwrap();
        let reader = || File::open(file.path()).unwrap();
        let before = regular(&reader()).unwrap();
        let mut read = |before| {
            worker
                .read_file(&key, &reader(), before)
                .map(|content| matches!(content, Content::Small(..)))
        };
        assert_eq!(read(before), Ok(true));
        for content in ["shorter", "short", "a longer one"] {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(read(before), Err(Failure::changed()), "{content}");
        }
    }
}
