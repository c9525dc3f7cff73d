//! Authenticates the contents of many files with all threads.
//!
//! Small files are read whole and go to the vector lanes together. Larger ones pass through a buffer, and
//! those that would keep the other threads waiting come last, when it is known how much there is:
//! first one to a thread, then the huge ones, each with all threads.

use crate::error::Error;
use crate::opener::{Failure, Opener, Roots};
use crate::progress::{Progress, Unit};
use crate::snapshot::{Settled, Snapshot};
use crate::source::read_some;
use crate::windows::{self, PIECE_BYTES};
use clap::Args;
use hornet::aes::{Key, Part};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::fs::fstat;
use std::fs::File;
use std::io;
use std::mem;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Up to here, files are batched. Lanes gain up to a few hundred bytes, one read instead of several
/// some KiB further.
const SMALL_BYTES: u64 = SMALL_ROOM as u64 - 1;

/// What is read at once to see that a file is small: one byte more.
const SMALL_ROOM: usize = (16 << 10) + 1;

/// From here on, a file waits until all others have been looked at: a thread that takes 64 at a time
/// should not have much more to do than another.
const LATER_BYTES: u64 = 1 << 20;

/// From here on, all threads work on one file: on less, starting them together would be felt.
const HUGE_BYTES: u64 = 32 << 20;

/// As many as the library works on at once.
const BATCH: usize = 64;

/// Small files lie here together, in a core's second cache. Behind them there is always room for a
/// piece of a larger one.
const BUFFER_BYTES: usize = 256 << 10;
const _: () = assert!(SMALL_BYTES < PIECE_BYTES as u64 && PIECE_BYTES <= BUFFER_BYTES / 2);

#[derive(Args)]
pub(crate) struct Options {
    /// Work with N threads and not with as many as there are CPUs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Never map files into memory, read them
    ///
    /// A mapping of a huge file is faster. The tags are the same.
    #[arg(long)]
    no_mmap: bool,
}

impl Options {
    /// The threads to work with.
    pub(crate) fn pool(&self) -> Result<ThreadPool, Error> {
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0).into())
            .build()
            .map_err(|error| Error::new(&"threads", error))
    }
}

/// One file, and what is to be done with its content.
pub(crate) trait Task: Sized + Send {
    type Done: Send;

    fn path(&self) -> &Path;

    /// Many contents at once.
    fn batch(key: &Key, files: Vec<(Self, &[u8])>) -> Vec<Self::Done>;

    /// One content, by its part.
    fn finish(self, key: &Key, part: &Part) -> Self::Done;

    /// No content.
    fn fail(self, failure: Failure) -> Self::Done;
}

pub(crate) struct Work<'a> {
    key: &'a Key,
    roots: &'a Roots,
    pool: &'a ThreadPool,
    map: bool,
    settled: Option<Settled>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        key: &'a Key,
        roots: &'a Roots,
        pool: &'a ThreadPool,
        options: &Options,
    ) -> Self {
        Self {
            key,
            roots,
            pool,
            map: !options.no_mmap,
            settled: None,
        }
    }

    /// Says since when files are at rest, to save a look at each.
    pub(crate) fn settled(mut self, settled: Option<Settled>) -> Self {
        self.settled = settled;
        self
    }

    /// Does all tasks and gives their results in the same order.
    pub(crate) fn run<T: Task>(&self, tasks: Vec<T>) -> Vec<T::Done> {
        let mut slots: Vec<Slot<T>> = tasks.into_iter().map(Slot::Todo).collect();
        self.look(&mut slots);

        let mut total = 0;
        let (mut large, mut huge) = (Vec::new(), Vec::new());
        for slot in &mut slots {
            if let Slot::Later(_, length) = slot {
                total += *length;
                let is_huge = *length >= HUGE_BYTES;
                if is_huge { &mut huge } else { &mut large }.push(slot);
            }
        }
        let progress = Progress::new(Unit::Bytes, Some(total));
        self.share_out(large.into_iter(), |worker, slot| {
            slot.finish(self.key, |path| worker.large(self.key, path, &progress));
        });
        for slot in huge {
            slot.finish(self.key, |path| self.huge(path, &progress));
        }
        slots.into_iter().filter_map(Slot::done).collect()
    }

    /// Opens all files, and does what is not long.
    fn look<T: Task>(&self, slots: &mut [Slot<T>]) {
        let progress = Progress::new(Unit::Files, Some(slots.len() as u64));
        // Fewer at a time where there would not be enough for all threads.
        let batch = (slots.len() / (4 * self.pool.current_num_threads())).clamp(1, BATCH);
        self.share_out(slots.chunks_mut(batch), |worker, slots| {
            worker.look(self.key, slots);
            progress.add(slots.len());
        });
    }

    /// One file with all threads.
    fn huge(&self, path: &Path, progress: &Progress) -> Result<Part, Failure> {
        let file = Opener::new(self.roots).file(path)?;
        let before = regular(&file)?;
        let part = windows::part(
            self.key,
            self.pool,
            &file,
            before.length,
            self.map,
            progress,
        )?;
        unchanged(before, &file)?;
        Ok(part)
    }

    /// Has as many threads as the pool's take items, each with a worker, until there are no more.
    ///
    /// Not the pool's own: these have descriptors of their own, so that the system need not keep them
    /// from one another's, a tenth of the time of small files. What one of them opens, no other could
    /// use. It all stays in its worker, and goes with it.
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
            let mut worker = Worker::new(self.roots, self.settled);
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
                // Where no more can be had, those that there are do it all.
                let _ = thread::Builder::new().spawn_scoped(scope, with_own_descriptors);
            }
        });
        // Or else this one.
        run();
    }
}

/// Gives a thread descriptors of its own, which begin as those of all. Where that cannot be, it shares
/// them, and is slower.
fn own_descriptors() {
    #[cfg(target_os = "linux")]
    // SAFETY: this thread was just started. It uses no descriptor that another opens later, and what it
    // opens itself, it closes.
    unsafe {
        libc::unshare(libc::CLONE_FILES);
    }
}

/// A task and what becomes of it, in one place: threads that allocate get in each other's way.
enum Slot<T: Task> {
    Todo(T),
    /// The file has so many bytes.
    Later(T, u64),
    /// Somebody has the task.
    Taken,
    Done(T::Done),
}

impl<T: Task> Slot<T> {
    fn take(&mut self) -> Option<T> {
        match mem::replace(self, Self::Taken) {
            Self::Todo(task) | Self::Later(task, _) => Some(task),
            Self::Taken | Self::Done(_) => None,
        }
    }

    fn done(self) -> Option<T::Done> {
        match self {
            Self::Done(done) => Some(done),
            _ => None,
        }
    }

    /// Does a task that has a file to itself.
    fn finish(&mut self, key: &Key, read: impl FnOnce(&Path) -> Result<Part, Failure>) {
        if let Some(task) = self.take() {
            *self = Self::Done(match read(task.path()) {
                Ok(part) => task.finish(key, &part),
                Err(failure) => task.fail(failure),
            });
        }
    }
}

/// What a file turned out to be.
enum Content {
    /// It lies in this part of the buffer.
    Small(Range<usize>),
    /// It was read to its end.
    Read(Part),
    /// It was not read yet.
    Later(u64),
}

/// What one thread keeps from file to file.
struct Worker<'a> {
    settled: Option<Settled>,
    opener: Opener<'a>,
    buffer: Vec<u8>,
    /// How much of the buffer small files take already.
    used: usize,
}

impl<'a> Worker<'a> {
    fn new(roots: &'a Roots, settled: Option<Settled>) -> Self {
        Self {
            settled,
            opener: Opener::new(roots),
            buffer: Vec::new(),
            used: 0,
        }
    }

    fn look<T: Task>(&mut self, key: &Key, slots: &mut [Slot<T>]) {
        let mut batch = Batch(Vec::with_capacity(slots.len()));
        self.used = 0;
        for index in 0..slots.len() {
            // Room for the next one, whatever it is.
            if self.used > BUFFER_BYTES / 2 {
                batch.flush(key, &self.buffer, slots);
                self.used = 0;
            }
            let Some(task) = slots[index].take() else {
                continue;
            };
            slots[index] = match self.read(key, task.path()) {
                Ok(Content::Small(range)) => {
                    batch.0.push((index, task, range));
                    Slot::Taken
                }
                Ok(Content::Read(part)) => Slot::Done(task.finish(key, &part)),
                Ok(Content::Later(length)) => Slot::Later(task, length),
                Err(failure) => Slot::Done(task.fail(failure)),
            };
        }
        batch.flush(key, &self.buffer, slots);
    }

    /// Reads a file, with as few system calls as will do, if that does not take long.
    fn read(&mut self, key: &Key, path: &Path) -> Result<Content, Failure> {
        let file = self.opener.file(path)?;
        match self.read_settled(&file)? {
            Some(content) => Ok(content),
            None => self.read_file(key, &file, regular(&file)?),
        }
    }

    /// One read and one look, afterwards: enough for a small file that nobody has touched since.
    fn read_settled(&mut self, file: &File) -> Result<Option<Content>, Failure> {
        let Some(settled) = self.settled else {
            return Ok(None);
        };
        self.buffer.resize(BUFFER_BYTES, 0);
        // From its start, and without a step on: it may have to be read once more.
        let free = &mut self.buffer[self.used..][..SMALL_ROOM];
        let Ok(length) = file.read_at(free, 0) else {
            return Ok(None);
        };
        let status = fstat(file).map_err(io::Error::from)?;
        let after = Snapshot::from(&status);
        let is_whole = after.is_not().is_none() && after.length == length as u64;
        if !is_whole || after.length > SMALL_BYTES || !settled.is(&status) {
            return Ok(None);
        }
        let end = self.used + length;
        Ok(Some(Content::Small(mem::replace(&mut self.used, end)..end)))
    }

    fn read_file(&mut self, key: &Key, file: &File, before: Snapshot) -> Result<Content, Failure> {
        if before.length >= LATER_BYTES {
            return Ok(Content::Later(before.length));
        }
        // Allocated here, and so by the thread that uses it.
        self.buffer.resize(BUFFER_BYTES, 0);
        let start = self.used;
        let free = &mut self.buffer[start..];
        if before.length > SMALL_BYTES {
            return read_on(key, file, before, free, 0, |_| {}).map(Content::Read);
        }
        // One byte more, which is not there. A regular file gives all it has at once.
        let room = usize::try_from(before.length).unwrap_or(0) + 1;
        let length = read_some(file, &mut free[..room])?;
        if length != room - 1 {
            // It has grown; or has been cut short; or is one under /proc, and has no length.
            return read_on(key, file, before, free, length, |_| {}).map(Content::Read);
        }
        unchanged(before, file)?;
        self.used += length;
        Ok(Content::Small(start..self.used))
    }

    /// Reads a large file.
    fn large(&mut self, key: &Key, path: &Path, progress: &Progress) -> Result<Part, Failure> {
        let file = self.opener.file(path)?;
        let before = regular(&file)?;
        self.buffer.resize(BUFFER_BYTES, 0);
        read_on(key, &file, before, &mut self.buffer, 0, |count| {
            progress.add(count);
        })
    }
}

/// Small files that wait for one another: of each its place among the tasks and in the buffer.
struct Batch<T>(Vec<(usize, T, Range<usize>)>);

impl<T: Task> Batch<T> {
    fn flush(&mut self, key: &Key, buffer: &[u8], slots: &mut [Slot<T>]) {
        let (indices, files): (Vec<_>, Vec<_>) = self
            .0
            .drain(..)
            .map(|(index, task, range)| (index, (task, &buffer[range])))
            .unzip();
        for (index, done) in indices.into_iter().zip(T::batch(key, files)) {
            slots[index] = Slot::Done(done);
        }
    }
}

/// How a file looks that is about to be read.
fn regular(file: &File) -> Result<Snapshot, Failure> {
    let snapshot = Snapshot::of(file)?;
    match snapshot.is_not() {
        None => Ok(snapshot),
        Some(kind) => Err(Failure::NotRegular(kind)),
    }
}

fn unchanged(before: Snapshot, file: &File) -> Result<(), Failure> {
    if before.has_changed(file)? {
        return Err(Failure::changed());
    }
    Ok(())
}

/// Reads a file to its end, through a buffer in which `filled` bytes of it are already.
fn read_on(
    key: &Key,
    file: &File,
    before: Snapshot,
    buffer: &mut [u8],
    filled: usize,
    count: impl Fn(usize),
) -> Result<Part, Failure> {
    // Full, it holds whole blocks: only the last part may end within one.
    let buffer = &mut buffer[..PIECE_BYTES];
    let mut filled = filled;
    let mut whole = Part::default();
    let mut total = 0;
    loop {
        let got = read_some(file, &mut buffer[filled..])?;
        filled += got;
        let is_end = got == 0;
        if is_end || filled == buffer.len() {
            append(key, &mut whole, &key.part(&buffer[..filled]))?;
            count(filled);
            total += filled as u64;
            filled = 0;
        }
        if is_end {
            break;
        }
        // Longer by now: no need to follow it for as long as it grows.
        if before.length != 0 && total > before.length {
            return Err(Failure::changed());
        }
    }
    unchanged(before, file)?;
    // Files under /proc are regular but of length 0. Those under /sys say that they fill a page.
    if before.length != 0 && total != before.length {
        return Err(Failure::Unreadable(
            "has not as many bytes as it says".into(),
        ));
    }
    Ok(whole)
}

pub(crate) fn append(key: &Key, left: &mut Part, right: &Part) -> Result<(), Failure> {
    key.append(left, right)
        .map_err(|error| Failure::Unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use tempfile::NamedTempFile;

    fn key() -> Key {
        Key::clamped(&[7; 32])
    }

    /// What is read of a file of `length` bytes that is changed when `first` bytes of it have been.
    fn read(
        length: u64,
        first: usize,
        change: impl FnOnce(&mut NamedTempFile),
    ) -> Result<u64, Failure> {
        let mut file = NamedTempFile::new().unwrap();
        file.as_file().set_len(length).unwrap();
        let reader = File::open(file.path()).unwrap();
        let before = regular(&reader).unwrap();
        let mut buffer = vec![0; PIECE_BYTES];
        read_some(&reader, &mut buffer[..first]).unwrap();
        change(&mut file);
        let part = read_on(&key(), &reader, before, &mut buffer, first, |_| {})?;
        Ok(part.len_bytes())
    }

    #[test]
    fn changes_are_noticed() {
        for length in [100, PIECE_BYTES as u64, 200_000] {
            assert_eq!(read(length, 10, |_| {}), Ok(length));
            let grows = |file: &mut NamedTempFile| {
                file.as_file().set_len(length + 1).unwrap();
            };
            assert_eq!(read(length, 10, grows), Err(Failure::changed()));
            let shrinks = |file: &mut NamedTempFile| {
                file.as_file().set_len(length - 1).unwrap();
            };
            assert_eq!(read(length, 10, shrinks), Err(Failure::changed()));
            let written = |file: &mut NamedTempFile| {
                // The clock of a file system may tick a hundred times a second.
                std::thread::sleep(std::time::Duration::from_millis(20));
                file.write_all(b"other").unwrap();
            };
            assert_eq!(read(length, 10, written), Err(Failure::changed()));
        }
    }

    /// A small file, which is read at once, too.
    #[test]
    fn changes_of_small_files_are_noticed() {
        let roots = Roots::new(&[], false);
        let mut worker = Worker::new(&roots, None);
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(b"content").unwrap();
        let reader = || File::open(file.path()).unwrap();
        let before = regular(&reader()).unwrap();
        let mut read = |before| {
            worker
                .read_file(&key(), &reader(), before)
                .map(|content| matches!(content, Content::Small(_)))
        };
        assert_eq!(read(before), Ok(true));
        for content in ["shorter", "short", "a longer one"] {
            std::thread::sleep(std::time::Duration::from_millis(20));
            std::fs::write(file.path(), content).unwrap();
            assert_eq!(read(before), Err(Failure::changed()), "{content}");
        }
    }

    /// However fast it grows, it is not read for ever.
    #[test]
    fn a_file_that_never_ends() {
        let grows = |file: &mut NamedTempFile| {
            // Sparse: to read it all would take an hour.
            file.as_file().set_len(8 << 40).unwrap();
        };
        assert_eq!(read(1000, 10, grows), Err(Failure::changed()));
    }

    #[test]
    fn what_is_not_regular() {
        let folder = File::open("/").unwrap();
        assert!(matches!(
            regular(&folder),
            Err(Failure::NotRegular("a directory"))
        ));
    }
}
