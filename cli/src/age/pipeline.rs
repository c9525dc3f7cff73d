// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Chunks on several threads: each takes a job of a few consecutive chunks, reads, seals or opens, and
//! writes them, so that reading, the cipher and writing of different jobs overlap.
//!
//! From and to files, threads read and write at the places of their chunks. From and to anything else, one
//! after another does, in the order of the jobs.

use crate::defer_signals::DeferredSignals;
use crate::mapping::Mapping;
use crate::progress::Progress;
use crate::source::{has_input, wait};
use crate::tree::failure;
use hornet::stream::{self, CHUNK_BYTES, Key, OpenError, SEALED_CHUNK_BYTES};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// The most chunks of a job: what it reads and writes is 1 MiB, so that it stays in a core's cache.
const JOB_CHUNKS: usize = 8;

/// Files are written in pieces of this size, at multiples of it: Linux gives such a piece memory of its size
/// at once, where larger and other ones took its kernel up to twice as long.
const WRITTEN_BYTES: u64 = 128 * 1024;

/// More need more memory than 64 MiB: each has twice 512 KiB.
const MOST_THREADS: usize = 32;

/// What was read of a stream is released after this time, if there is nothing more.
const MOMENT: Duration = Duration::from_millis(10);

const CHUNK: u64 = CHUNK_BYTES as u64;
const SEALED_CHUNK: u64 = SEALED_CHUNK_BYTES as u64;
const TAG_BYTES: usize = SEALED_CHUNK_BYTES - CHUNK_BYTES;

/// Which way: what is read is chunks of `unit` bytes, and what is written of `written` bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Seal,
    Open,
}

impl Way {
    fn unit(self) -> usize {
        match self {
            Self::Seal => CHUNK_BYTES,
            Self::Open => SEALED_CHUNK_BYTES,
        }
    }

    fn written(self) -> usize {
        CHUNK_BYTES + SEALED_CHUNK_BYTES - self.unit()
    }
}

/// Where chunks are read.
pub(crate) enum From<'a> {
    /// `bytes` bytes of a file from `begin` on, of which the chunks `chunks` are read.
    File {
        file: &'a File,
        begin: u64,
        bytes: u64,
        chunks: Range<u64>,
        /// Only to seal: what is opened must be the bytes that were verified, which others could change.
        mapping: Option<Mapping>,
    },
    Stream(Mutex<Stream<'a>>),
}

/// A stream, and what is known of its end.
pub(crate) struct Stream<'a> {
    from: &'a mut (dyn Read + Send),
    /// Where `from` reads, if that may have nothing for a while.
    pipe: Option<&'a File>,
    /// What was read after the chunks of the last job.
    rest: Zeroizing<Vec<u8>>,
    /// The numbers of the next job and of its first chunk.
    next: u64,
    first: u64,
    ended: bool,
}

impl<'a> From<'a> {
    /// What `from` reads, perhaps from a pipe.
    pub(crate) fn stream(from: &'a mut (dyn Read + Send), pipe: Option<&'a File>) -> Self {
        Self::Stream(Mutex::new(Stream {
            from,
            pipe,
            // As it does not grow, it leaves no copies.
            rest: Vec::with_capacity(SEALED_CHUNK_BYTES).into(),
            next: 0,
            first: 0,
            ended: false,
        }))
    }
}

/// Where the results are written.
pub(crate) enum To<'a> {
    /// At their places in a file, from `begin` on. If `sparse`, zeros are left out.
    File {
        file: &'a File,
        begin: u64,
        sparse: bool,
    },
    /// One after another: the number of the job that may write.
    Stream(Mutex<(u64, &'a mut (dyn Write + Send))>, Condvar),
}

impl<'a> To<'a> {
    pub(crate) fn stream(to: &'a mut (dyn Write + Send)) -> Self {
        Self::Stream(Mutex::new((0, to)), Condvar::new())
    }
}

/// Why not all was done.
#[derive(Debug)]
pub(crate) enum Failure {
    Read(io::Error),
    Write(io::Error),
    /// The file has no longer the bytes that it had.
    Resized,
    Open(OpenError),
    Interrupted,
}

/// What all threads share.
pub(crate) struct Pipeline<'a> {
    pub(crate) way: Way,
    pub(crate) key: &'a Key,
    pub(crate) from: From<'a>,
    pub(crate) to: To<'a>,
    /// The bytes of the text that are wanted.
    pub(crate) wanted: Range<u64>,
    pub(crate) progress: &'a Progress,
    pub(crate) failed: &'a FirstFailed,
}

/// The first job that failed, after which no thread need do more.
pub(crate) struct FirstFailed(AtomicU64);

impl Default for FirstFailed {
    fn default() -> Self {
        Self(u64::MAX.into())
    }
}

impl FirstFailed {
    fn is_before(&self, number: u64) -> bool {
        self.0.load(Relaxed) < number
    }

    fn is_any(&self) -> bool {
        self.is_before(u64::MAX)
    }
}

/// Some chunks that were read, or are mapped.
struct Job {
    number: u64,
    first: u64,
    len_bytes: usize,
    last: bool,
}

#[derive(Default)]
struct State {
    claimed: AtomicU64,
    /// The length of the text, once its end is known.
    text_bytes: AtomicU64,
    /// Why the first job failed that did.
    why: Mutex<Option<Failure>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pipeline<'_> {
    /// Processes all chunks on at most `threads` threads, and returns the length of the text, or of what is
    /// known of it.
    pub(crate) fn run(&self, threads: usize) -> Result<u64, Failure> {
        let state = State::default();
        let jobs = match &self.from {
            From::File { chunks, .. } => (chunks.end - chunks.start).div_ceil(JOB_CHUNKS as u64),
            From::Stream(_) => u64::MAX,
        };
        let most = usize::try_from(jobs).unwrap_or(MOST_THREADS);
        let others = threads.min(most).clamp(1, MOST_THREADS) - 1;
        thread::scope(|scope| {
            for _ in 0..others {
                // With fewer threads it takes longer.
                let thread = thread::Builder::new().spawn_scoped(scope, || self.work(&state));
                if thread.is_err() {
                    break;
                }
            }
            self.work(&state);
        });
        match locked(&state.why).take() {
            Some(failure) => Err(failure),
            None => Ok(state.text_bytes.load(Relaxed)),
        }
    }

    fn work(&self, state: &State) {
        let is_mapped = matches!(&self.from, From::File { mapping, .. } if mapping.is_some());
        let read_bytes = if is_mapped {
            0
        } else {
            // What follows the chunks shows that they are not the last.
            JOB_CHUNKS * self.way.unit() + 1
        };
        let mut input = Zeroizing::new(vec![0; read_bytes]);
        let mut output = Zeroizing::new(vec![0; JOB_CHUNKS * self.way.written()]);
        while !self.failed.is_any() {
            let job = match self.read(&mut input, state) {
                Ok(Some(job)) => job,
                Ok(None) => return,
                Err((number, failure)) => return self.fail(state, number, failure),
            };
            let done = match self.way {
                Way::Seal => self.seal(&job, &input, &mut output),
                Way::Open => self.open(&job, &input[..job.len_bytes], &mut output),
            };
            match done {
                Ok(len_bytes) if job.last => {
                    let end = job.first * CHUNK + len_bytes as u64;
                    state.text_bytes.store(end, Relaxed);
                }
                Ok(_) => {}
                Err(failure) => return self.fail(state, job.number, failure),
            }
        }
    }

    /// Stops all threads whose jobs come later.
    fn fail(&self, state: &State, number: u64, failure: Failure) {
        let mut why = locked(&state.why);
        if number < self.failed.0.load(Relaxed) {
            self.failed.0.store(number, Relaxed);
            *why = Some(failure);
        }
        drop(why);
        if let To::Stream(turn, changed) = &self.to {
            // Whoever tests it now waits before it is told.
            drop(locked(turn));
            changed.notify_all();
        }
    }

    /// Reads the next job.
    fn read(&self, buffer: &mut [u8], state: &State) -> Result<Option<Job>, (u64, Failure)> {
        match &self.from {
            From::File {
                file,
                begin,
                bytes,
                chunks,
                mapping,
            } => {
                let number = state.claimed.fetch_add(1, Relaxed);
                let first = chunks.start + number * JOB_CHUNKS as u64;
                if first >= chunks.end {
                    return Ok(None);
                }
                let end = chunks.end.min(first + JOB_CHUNKS as u64);
                let unit = self.way.unit() as u64;
                let (from, to) = (first * unit, (end * unit).min(*bytes));
                let job = Job {
                    number,
                    first,
                    len_bytes: usize::try_from(to - from).unwrap_or(usize::MAX),
                    last: to == *bytes,
                };
                let read = match mapping {
                    _ if DeferredSignals::came() => Err(Failure::Interrupted),
                    Some(_) => Ok(()),
                    None => read_at(file, begin + from, &mut buffer[..job.len_bytes], job.last),
                };
                read.map(|()| Some(job))
                    .map_err(|failure| (number, failure))
            }
            From::Stream(stream) => {
                let stream = &mut *locked(stream);
                let number = stream.next;
                if stream.ended || self.failed.is_any() {
                    return Ok(None);
                }
                let unit = self.way.unit();
                let job = stream.read(buffer, unit, |number, chunk| self.may_end(number, chunk));
                stream.next += 1;
                job.map(Some)
                    .map_err(|error| (number, Failure::Read(error)))
            }
        }
    }

    /// Returns whether a chunk may be the last, if it is not known what follows.
    fn may_end(&self, number: u64, chunk: &[u8]) -> bool {
        match self.way {
            Way::Seal => true,
            Way::Open => {
                let mut text = Zeroizing::new(vec![0; CHUNK_BYTES]);
                self.key.open(number, true, chunk, &mut text).is_ok()
            }
        }
    }

    /// Seals and writes a job, and returns the length of its text.
    fn seal(&self, job: &Job, read: &[u8], buffer: &mut [u8]) -> Result<usize, Failure> {
        let chunks = job.len_bytes.div_ceil(CHUNK_BYTES).max(1);
        let sealed = &mut buffer[..job.len_bytes + chunks * TAG_BYTES];
        let mut seal = |text: &[u8]| {
            let done = self.key.seal(job.first, job.last, text, sealed);
            done.map_err(|error| Failure::Write(io::Error::other(error)))
        };
        if let From::File {
            file,
            begin,
            mapping: Some(mapping),
            ..
        } = &self.from
        {
            let at = begin + job.first * CHUNK;
            let Some(done) = mapping.with(at, job.len_bytes, &mut seal) else {
                // Reading it may tell why.
                let mut read = Zeroizing::new(vec![0; job.len_bytes]);
                read_at(file, at, &mut read, job.last)?;
                return Err(Failure::Resized);
            };
            done?;
            if job.last {
                ends_at(file, at + job.len_bytes as u64)?;
            }
        } else {
            seal(&read[..job.len_bytes])?;
        }
        self.write(job, job.first * SEALED_CHUNK, sealed, true)?;
        self.progress.add(job.len_bytes);
        Ok(job.len_bytes)
    }

    /// Opens and writes a job, and returns the length of its text.
    fn open(&self, job: &Job, sealed: &[u8], buffer: &mut [u8]) -> Result<usize, Failure> {
        let (len, opened) = self.open_chunks(job, sealed, buffer);
        let (at, text) = self.wanted(job.first * CHUNK, &buffer[..len]);
        self.write(job, at, text, opened.is_ok())?;
        self.progress.add(len);
        opened.map(|()| len).map_err(Failure::Open)
    }

    /// Opens the chunks of a job, up to the first that is not authentic, and returns the length of their text.
    fn open_chunks(
        &self,
        job: &Job,
        sealed: &[u8],
        buffer: &mut [u8],
    ) -> (usize, Result<(), OpenError>) {
        let whole = sealed.len() / SEALED_CHUNK_BYTES;
        let only = job.first == 0 && whole == 0;
        let opened = match stream::text_bytes(sealed.len() as u64) {
            Some(bytes) if bytes > 0 || only => {
                let len = usize::try_from(bytes).unwrap_or(buffer.len());
                let opened = self
                    .key
                    .open(job.first, job.last, sealed, &mut buffer[..len]);
                if opened.is_ok() {
                    return (len, opened);
                }
                opened
            }
            // The last chunk has not even a tag, or no text.
            _ => {
                let before = &sealed[..whole * SEALED_CHUNK_BYTES];
                let text = &mut buffer[..whole * CHUNK_BYTES];
                let opened = match before {
                    [] => Ok(()),
                    before => self.key.open(job.first, false, before, text),
                };
                opened.and(Err(OpenError::CutOff(job.first + whole as u64)))
            }
        };
        let end = match opened {
            Err(OpenError::GoesOn(number)) => Some(number),
            _ => None,
        };
        let last = end.unwrap_or(u64::MAX);
        let chunks = sealed.chunks_exact(SEALED_CHUNK_BYTES);
        let chunks = chunks.zip(job.first..=last);
        let mut places = buffer.chunks_mut(CHUNK_BYTES);
        let good = chunks.take_while(|(chunk, number)| {
            let text = places.next().unwrap_or_default();
            let ends = end == Some(*number);
            self.key.open(*number, ends, chunk, text).is_ok()
        });
        (good.count() * CHUNK_BYTES, opened)
    }

    /// Returns the bytes that are wanted of a text that begins at `begin`, and where they belong.
    fn wanted<'t>(&self, begin: u64, text: &'t [u8]) -> (u64, &'t [u8]) {
        let Range { start, end } = self.wanted;
        let inside = |at: u64| {
            usize::try_from(at.saturating_sub(begin)).map_or(text.len(), |at| at.min(text.len()))
        };
        (start.max(begin) - start, &text[inside(start)..inside(end)])
    }

    /// Writes what a job made. Nothing may follow it in a stream unless `goes_on`.
    fn write(&self, job: &Job, at: u64, piece: &[u8], goes_on: bool) -> Result<(), Failure> {
        match &self.to {
            To::File {
                file,
                begin,
                sparse,
            } => {
                let written = if *sparse {
                    write_sparse(file, piece, begin + at)
                } else {
                    write_at(file, piece, begin + at)
                };
                written.map_err(Failure::Write)
            }
            To::Stream(turn, changed) => {
                let mut turn = locked(turn);
                while turn.0 != job.number {
                    if self.failed.is_before(job.number) {
                        return Ok(());
                    }
                    turn = changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
                }
                turn.1.write_all(piece).map_err(Failure::Write)?;
                turn.0 += u64::from(goes_on);
                drop(turn);
                changed.notify_all();
                Ok(())
            }
        }
    }
}

impl Stream<'_> {
    /// Reads the chunks of a job: as many as the buffer has room for, or those that are there when a moment
    /// has passed, so that they need not wait for what a slow pipe has later.
    fn read(
        &mut self,
        buffer: &mut [u8],
        unit: usize,
        may_end: impl Fn(u64, &[u8]) -> bool,
    ) -> io::Result<Job> {
        let mut len_bytes = self.rest.len();
        buffer[..len_bytes].copy_from_slice(&self.rest);
        let mut until = None;
        let job_bytes = loop {
            let mut chunks = len_bytes / unit;
            let is_full = len_bytes == buffer.len();
            if chunks > 0
                && (is_full
                    || !self.has_more(*until.get_or_insert_with(|| Instant::now() + MOMENT)))
            {
                let last = (chunks - 1) * unit..len_bytes;
                let number = self.first + chunks as u64 - 1;
                chunks -= usize::from(last.len() == unit && may_end(number, &buffer[last]));
                if chunks > 0 {
                    break chunks * unit;
                }
            }
            match self.from.read(&mut buffer[len_bytes..]) {
                Ok(0) => {
                    self.ended = true;
                    break len_bytes;
                }
                Ok(count) => len_bytes += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        self.rest.clear();
        self.rest.extend_from_slice(&buffer[job_bytes..len_bytes]);
        let first = self.first;
        self.first += (job_bytes / unit) as u64;
        Ok(Job {
            number: self.next,
            first,
            len_bytes: job_bytes,
            last: self.ended,
        })
    }

    /// Waits until there is something to read, or its end, but not longer than `until`.
    fn has_more(&self, until: Instant) -> bool {
        let Some(pipe) = self.pipe else { return true };
        // An error comes again when it is read.
        has_input(pipe, until.saturating_duration_since(Instant::now())).unwrap_or(true)
    }
}

/// Reads from a place, and after the last bytes looks whether there are more.
fn read_at(file: &File, at: u64, buffer: &mut [u8], last: bool) -> Result<(), Failure> {
    file.read_exact_at(buffer, at)
        .map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Failure::Resized,
            _ => Failure::Read(error),
        })?;
    if last {
        ends_at(file, at + buffer.len() as u64)?;
    }
    Ok(())
}

/// Fails unless the file has this length.
fn ends_at(file: &File, end: u64) -> Result<(), Failure> {
    let length = file.metadata().map_err(Failure::Read)?.len();
    if length == end {
        Ok(())
    } else {
        Err(Failure::Resized)
    }
}

/// Writes to a place, in pieces that end at multiples of `WRITTEN_BYTES`.
fn write_at(file: &File, mut piece: &[u8], mut at: u64) -> io::Result<()> {
    while !piece.is_empty() {
        let room = WRITTEN_BYTES - at % WRITTEN_BYTES;
        let len_bytes = usize::try_from(room).map_or(piece.len(), |room| room.min(piece.len()));
        file.write_all_at(&piece[..len_bytes], at)?;
        piece = &piece[len_bytes..];
        at += len_bytes as u64;
    }
    Ok(())
}

/// Writes all but chunks of zeros, for which a new file has holes.
fn write_sparse(file: &File, mut piece: &[u8], mut at: u64) -> io::Result<()> {
    while !piece.is_empty() {
        let zero = |chunk: &[u8]| chunk.iter().all(|&byte| byte == 0);
        let chunks = || piece.chunks(CHUNK_BYTES);
        let zeros = chunks().take_while(|chunk| zero(chunk)).count();
        let others = chunks()
            .skip(zeros)
            .take_while(|chunk| !zero(chunk))
            .count();
        let begin = piece.len().min(zeros * CHUNK_BYTES);
        let end = piece.len().min((zeros + others) * CHUNK_BYTES);
        write_at(file, &piece[begin..end], at + begin as u64)?;
        piece = &piece[end..];
        at += end as u64;
    }
    Ok(())
}

/// A file that is read in sequence, such as a pipe: waits for what it reads, but ends when a signal came, or
/// another thread failed. A regular file must not change its length.
pub(crate) struct Patient<'a> {
    pub(crate) file: &'a File,
    pub(crate) failed: &'a FirstFailed,
    /// What a regular file said that its length is.
    pub(crate) length: Option<u64>,
}

impl Read for Patient<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        wait(self.file, || {
            DeferredSignals::came() || self.failed.is_any()
        })?;
        let count = self.file.read(to)?;
        if let Some(length) = self.length {
            // What a file of /proc or /sys says is another length than it has, but stays the same.
            let is_over = count == 0 || self.file.stream_position()? > length;
            if is_over && self.file.metadata()?.len() != length {
                return Err(io::Error::other(failure::Failure::CHANGED));
            }
        }
        Ok(count)
    }
}
