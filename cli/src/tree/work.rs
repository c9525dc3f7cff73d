// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Authenticates the contents of many files on all threads.
//!
//! Small files are read whole and evaluated in batches. Larger ones are read through a buffer.
//! Files that would keep other threads waiting come last, when the total length is known: first
//! those read by one thread each, then the huge ones, each read by all threads.

use crate::progress::{Progress, Unit};
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::holes::Holes;
use crate::tree::opener::Opener;
use crate::tree::reading::{taggable, unchanged};
use crate::tree::roots::Roots;
use crate::tree::snapshot::Settled;
use crate::tree::task::{Evaluated, Slot, Task};
use crate::tree::windows::{self, Evaluation, HUGE_BYTES};
use crate::tree::worker::Worker;
use hornet::aes::Key;
use hornet_manifest::parts::SegmentBytes;
use rayon::ThreadPool;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of messages that the library processes at once.
const BATCH: usize = 64;

/// The work on many files.
pub(crate) struct Work<'a> {
    key: &'a Key,
    roots: &'a Roots,
    pool: &'a ThreadPool,
    map: bool,
    holes: &'a Holes,
    settled: Option<Settled>,
    excluded: Option<&'a Excluded<'a>>,
    afresh: bool,
    segment_bytes: Option<SegmentBytes>,
}

impl<'a> Work<'a> {
    /// `map` says whether huge files may be mapped into memory, and `holes` counts what is skipped.
    pub(crate) fn new(
        key: &'a Key,
        roots: &'a Roots,
        pool: &'a ThreadPool,
        map: bool,
        holes: &'a Holes,
    ) -> Self {
        Self {
            key,
            roots,
            pool,
            map,
            holes,
            settled: None,
            excluded: None,
            afresh: false,
            segment_bytes: None,
        }
    }

    /// Sets the time before which files must have last changed to need no second check of their
    /// metadata.
    pub(crate) fn settled(mut self, settled: Option<Settled>) -> Self {
        self.settled = settled;
        self
    }

    /// Sets the files that are refused.
    pub(crate) fn excluding(mut self, excluded: &'a Excluded<'a>) -> Self {
        self.excluded = Some(excluded);
        self
    }

    /// Reads from the disk or the server again what only this process has read.
    pub(crate) fn afresh(mut self) -> Self {
        self.afresh = true;
        self
    }

    /// Sets the length of the segments whose values are wanted, of files that are not small.
    pub(crate) fn in_segments(mut self, segment_bytes: Option<SegmentBytes>) -> Self {
        self.segment_bytes = segment_bytes;
        self
    }

    /// Runs all tasks and returns their results in the same order.
    pub(crate) fn run<T: Task>(&self, tasks: Vec<T>) -> Vec<T::Done> {
        let mut slots: Vec<Slot<T>> = tasks.into_iter().map(Slot::Todo).collect();
        self.look(&mut slots);

        let mut total: u64 = 0;
        let (mut large, mut huge) = (Vec::new(), Vec::new());
        for slot in &mut slots {
            if let Slot::Later(_, length) = slot {
                total = total.saturating_add(*length);
                let is_huge = *length >= HUGE_BYTES;
                if is_huge { &mut huge } else { &mut large }.push(slot);
            }
        }
        let progress = Progress::new(Unit::Bytes, Some(total));
        self.share_out(large.into_iter(), |worker, slot| {
            slot.finish(self.key, |path| worker.large(self.key, path, &progress));
        });
        let mut opener = self.opener();
        for slot in huge {
            slot.finish(self.key, |path| self.huge(path, &mut opener, &progress));
        }
        slots.into_iter().filter_map(Slot::done).collect()
    }

    /// Opens all files and processes those that are not long.
    fn look<T: Task>(&self, slots: &mut [Slot<T>]) {
        let progress = Progress::new(Unit::Files, Some(slots.len() as u64));
        // Uses smaller batches if there are too few files for all threads.
        let batch = (slots.len() / (4 * self.pool.current_num_threads())).clamp(1, BATCH);
        self.share_out(slots.chunks_mut(batch), |worker, slots| {
            worker.look(self.key, slots);
            progress.add(slots.len());
        });
    }

    /// Evaluates one file on all threads.
    fn huge(
        &self,
        path: &Path,
        opener: &mut Opener,
        progress: &Progress,
    ) -> Result<Evaluated, Failure> {
        let file = opener.file(path)?;
        let before = taggable(&file, self.excluded)?;
        let of = Evaluation {
            key: self.key,
            pool: self.pool,
            map: self.map,
            holes: self.holes,
            segment_bytes: self.segment_bytes,
        };
        let values = windows::values(of, &file, 0..before.length, progress)?;
        unchanged(before, &file)?;
        self.holes.add(values.holes());
        Evaluated::new(self.key, values, before)
    }

    fn opener(&self) -> Opener<'a> {
        let opener = Opener::new(self.roots, self.pool.current_num_threads());
        if self.afresh { opener.afresh() } else { opener }
    }

    /// Processes items on as many threads as the pool has, each with a worker.
    ///
    /// These are not the pool's threads, because each has its own file descriptor table. The system
    /// then need not synchronize access to the table, which saves a tenth of the time for small
    /// files. No thread can use another's descriptors; each descriptor stays within its worker.
    fn share_out<I: Send>(
        &self,
        items: impl Iterator<Item = I> + Send,
        work: impl Fn(&mut Worker<'a>, I) + Sync,
    ) {
        let mut items = items.peekable();
        if items.peek().is_none() {
            return;
        }
        let items = Mutex::new(items);
        let run = || {
            let mut worker = Worker::new(
                self.settled,
                self.excluded,
                self.holes,
                self.segment_bytes,
                self.opener(),
            );
            loop {
                let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(item) = next else { return };
                work(&mut worker, item);
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.pool.current_num_threads() {
                let with_own_descriptors = || {
                    own_descriptors();
                    run();
                };
                // If no more threads can be started, those already running do all the work.
                let _ = thread::Builder::new().spawn_scoped(scope, with_own_descriptors);
            }
        });
        // If none could be started, this thread does the work.
        run();
    }
}

/// Gives this thread its own table of file descriptors, a copy of the common one. If that fails,
/// the thread keeps sharing the common one and is slower.
fn own_descriptors() {
    #[cfg(target_os = "linux")]
    // SAFETY: this thread was just started. It uses no descriptor that another thread opens later,
    // and closes those that it opens.
    unsafe {
        libc::unshare(libc::CLONE_FILES);
    }
}
