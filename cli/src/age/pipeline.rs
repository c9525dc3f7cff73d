// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Chunks on several threads: each takes a job of a few consecutive chunks, reads, seals or opens, and
//! writes them, so that reading, the cipher and writing of different jobs overlap.
//!
//! From and to files, threads read and write at the places of their chunks. From and to anything else, one
//! after another does, in the order of the jobs.

use crate::age::passphrase::wait;
use crate::defer_signals::DeferredSignals;
use crate::progress::Progress;
use hornet::stream::{CHUNK_BYTES, Key, OpenError, SEALED_CHUNK_BYTES};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use zeroize::Zeroizing;

/// The most chunks of a job: threads wait for each other once a job.
const MOST_JOB_CHUNKS: usize = 8;

/// The chunks of a job from a file to a file: so few that they stay in a core's cache.
const FILE_JOB_CHUNKS: usize = 2;

/// More need more memory than 64 MiB: each has up to twice 512 KiB.
const MOST_THREADS: usize = 32;

const CHUNK: u64 = CHUNK_BYTES as u64;
const SEALED_CHUNK: u64 = SEALED_CHUNK_BYTES as u64;

/// Which way: what is read is chunks of `unit` bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Seal,
    Open,
}

impl Way {
    pub(crate) fn unit(self) -> usize {
        match self {
            Self::Seal => CHUNK_BYTES,
            Self::Open => SEALED_CHUNK_BYTES,
        }
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
    },
    Stream(Mutex<Stream<'a>>),
}

/// A stream, and what is known of its end.
pub(crate) struct Stream<'a> {
    from: &'a mut (dyn Read + Send),
    /// The first byte of the next job, if it was read to see whether there is one.
    ahead: Option<u8>,
    next: u64,
    ended: bool,
}

impl<'a> From<'a> {
    pub(crate) fn stream(from: &'a mut (dyn Read + Send)) -> Self {
        Self::Stream(Mutex::new(Stream {
            from,
            ahead: None,
            next: 0,
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
    pub(crate) deferred: Option<&'a DeferredSignals>,
}

/// Some chunks that were read.
struct Job {
    number: u64,
    first: u64,
    count: usize,
    /// Of the last of them.
    last_bytes: usize,
    last: bool,
}

#[derive(Default)]
struct State {
    claimed: AtomicU64,
    /// The length of the text, once its end is known.
    text_bytes: AtomicU64,
    /// The first job that failed.
    failed: AtomicU64,
    why: Mutex<Option<Failure>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pipeline<'_> {
    /// Processes all chunks on at most `threads` threads, and returns the length of the text, or of what is
    /// known of it.
    pub(crate) fn run(&self, threads: usize) -> Result<u64, Failure> {
        let state = State {
            failed: AtomicU64::new(u64::MAX),
            ..State::default()
        };
        let jobs = match &self.from {
            From::File { chunks, .. } => {
                (chunks.end - chunks.start).div_ceil(self.job_chunks() as u64)
            }
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

    fn job_chunks(&self) -> usize {
        match (&self.from, &self.to) {
            (From::File { .. }, To::File { .. }) => FILE_JOB_CHUNKS,
            _ => MOST_JOB_CHUNKS,
        }
    }

    fn work(&self, state: &State) {
        let most = self.job_chunks();
        let mut buffer = Zeroizing::new(vec![0; most * SEALED_CHUNK_BYTES]);
        let opens = self.way == Way::Open;
        let mut texts = Zeroizing::new(vec![0; if opens { most * CHUNK_BYTES } else { 0 }]);
        while state.failed.load(Relaxed) == u64::MAX {
            let job = match self.read(&mut buffer, state) {
                Ok(Some(job)) => job,
                Ok(None) => return,
                Err((number, failure)) => return self.fail(state, number, failure),
            };
            let done = if opens {
                self.open(&job, &buffer, &mut texts, state)
            } else {
                self.seal(&job, &mut buffer, state)
            };
            if let Err(failure) = done {
                return self.fail(state, job.number, failure);
            }
            if job.last {
                let len = (job.first + job.count as u64 - 1) * CHUNK + job.last_bytes as u64;
                let tag = if opens { SEALED_CHUNK - CHUNK } else { 0 };
                state.text_bytes.store(len - tag, Relaxed);
            }
        }
    }

    /// Stops all threads whose jobs come later.
    fn fail(&self, state: &State, number: u64, failure: Failure) {
        let mut why = locked(&state.why);
        if number < state.failed.load(Relaxed) {
            state.failed.store(number, Relaxed);
            *why = Some(failure);
        }
        drop(why);
        if let To::Stream(turn, changed) = &self.to {
            // Whoever tests it now waits before it is told.
            drop(locked(turn));
            changed.notify_all();
        }
    }

    /// Reads the next job: each chunk to a place of 65552 bytes.
    fn read(&self, buffer: &mut [u8], state: &State) -> Result<Option<Job>, (u64, Failure)> {
        let unit = self.way.unit();
        match &self.from {
            From::File {
                file,
                begin,
                bytes,
                chunks,
            } => {
                let number = state.claimed.fetch_add(1, Relaxed);
                let most = self.job_chunks();
                let first = chunks.start + number * most as u64;
                if first >= chunks.end {
                    return Ok(None);
                }
                let count = (chunks.end - first).min(most as u64);
                let (end, all) = (first + count, bytes.div_ceil(unit as u64).max(1));
                let last = end == all;
                let last_bytes = if last {
                    bytes - (end - 1) * unit as u64
                } else {
                    unit as u64
                };
                let job = Job {
                    number,
                    first,
                    count: usize::try_from(count).unwrap_or(most),
                    last_bytes: usize::try_from(last_bytes).unwrap_or(unit),
                    last,
                };
                let read = self.read_at(file, *begin, *bytes, &job, buffer);
                read.map(|()| Some(job))
                    .map_err(|failure| (number, failure))
            }
            From::Stream(stream) => {
                let stream = &mut *locked(stream);
                let number = stream.next;
                if stream.ended || state.failed.load(Relaxed) != u64::MAX {
                    return Ok(None);
                }
                let job = stream.read(unit, buffer);
                stream.next += 1;
                job.map(Some)
                    .map_err(|error| (number, Failure::Read(error)))
            }
        }
    }

    fn read_at(
        &self,
        file: &File,
        begin: u64,
        bytes: u64,
        job: &Job,
        buffer: &mut [u8],
    ) -> Result<(), Failure> {
        let unit = self.way.unit();
        if self.deferred.is_some_and(DeferredSignals::came) {
            return Err(Failure::Interrupted);
        }
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => Failure::Resized,
            _ => Failure::Read(error),
        };
        for (index, (to, number)) in buffer
            .chunks_mut(SEALED_CHUNK_BYTES)
            .zip(job.first..)
            .enumerate()
            .take(job.count)
        {
            let len = if index + 1 == job.count {
                job.last_bytes
            } else {
                unit
            };
            file.read_exact_at(&mut to[..len], begin + number * unit as u64)
                .map_err(failed)?;
        }
        if job.last {
            match file.read_exact_at(&mut [0], begin + bytes) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {}
                Err(error) => return Err(Failure::Read(error)),
                Ok(()) => return Err(Failure::Resized),
            }
        }
        Ok(())
    }

    fn seal(&self, job: &Job, buffer: &mut [u8], state: &State) -> Result<(), Failure> {
        let mut end = 0;
        for (index, (chunk, number)) in buffer
            .chunks_mut(SEALED_CHUNK_BYTES)
            .zip(job.first..)
            .enumerate()
            .take(job.count)
        {
            let ends = index + 1 == job.count;
            let len =
                if ends { job.last_bytes } else { CHUNK_BYTES } + SEALED_CHUNK_BYTES - CHUNK_BYTES;
            let sealed = self
                .key
                .seal_in_place(number, job.last && ends, &mut chunk[..len]);
            sealed.map_err(|error| Failure::Write(io::Error::other(error)))?;
            end = index * SEALED_CHUNK_BYTES + len;
        }
        let place = job.first * SEALED_CHUNK;
        self.write(job, [(place, &buffer[..end])].into_iter(), true, state)?;
        self.progress
            .add(end - job.count * (SEALED_CHUNK_BYTES - CHUNK_BYTES));
        Ok(())
    }

    fn open(
        &self,
        job: &Job,
        buffer: &[u8],
        texts: &mut [u8],
        state: &State,
    ) -> Result<(), Failure> {
        let mut good = Ok(());
        let mut lens = [0; MOST_JOB_CHUNKS];
        let mut count = 0;
        for (sealed, text) in buffer
            .chunks(SEALED_CHUNK_BYTES)
            .zip(texts.chunks_mut(CHUNK_BYTES))
            .take(job.count)
        {
            let ends = count + 1 == job.count;
            let number = job.first + count as u64;
            let len = if ends {
                job.last_bytes
            } else {
                SEALED_CHUNK_BYTES
            };
            let Some(text_len) = len
                .checked_sub(SEALED_CHUNK_BYTES - CHUNK_BYTES)
                .filter(|len| *len > 0 || number == 0)
            else {
                good = Err(OpenError::CutOff(number));
                break;
            };
            good = self.key.open(
                number,
                job.last && ends,
                &sealed[..len],
                &mut text[..text_len],
            );
            if good.is_err() {
                break;
            }
            lens[count] = text_len;
            count += 1;
        }
        // What was verified before is released to a stream.
        let wanted = texts
            .chunks(CHUNK_BYTES)
            .zip(job.first..)
            .zip(lens)
            .take(count);
        let wanted =
            wanted.filter_map(|((text, number), len)| self.wanted(number * CHUNK, &text[..len]));
        self.write(job, wanted, good.is_ok(), state)?;
        self.progress.add(lens.iter().sum());
        good.map_err(Failure::Open)
    }

    /// Returns the bytes of a chunk that are wanted, and where they belong.
    fn wanted<'t>(&self, begin: u64, text: &'t [u8]) -> Option<(u64, &'t [u8])> {
        let Range { start, end } = self.wanted;
        let first = start.max(begin);
        let end = end.min(begin + text.len() as u64);
        let inside = |at: u64| usize::try_from(at.checked_sub(begin)?).ok();
        let wanted = text.get(inside(first)?..inside(end)?)?;
        (!wanted.is_empty()).then_some((first - start, wanted))
    }

    /// Writes what a job made. Nothing may follow it in a stream unless `goes_on`.
    fn write<'t>(
        &self,
        job: &Job,
        mut pieces: impl Iterator<Item = (u64, &'t [u8])>,
        goes_on: bool,
        state: &State,
    ) -> Result<(), Failure> {
        match &self.to {
            To::File {
                file,
                begin,
                sparse,
            } => {
                let written = pieces.try_for_each(|(at, piece)| {
                    if *sparse && piece.iter().all(|&byte| byte == 0) {
                        return Ok(());
                    }
                    file.write_all_at(piece, begin + at)
                });
                written.map_err(Failure::Write)
            }
            To::Stream(turn, changed) => {
                let mut turn = locked(turn);
                while turn.0 != job.number {
                    if state.failed.load(Relaxed) < job.number {
                        return Ok(());
                    }
                    turn = changed.wait(turn).unwrap_or_else(PoisonError::into_inner);
                }
                let written = pieces.try_for_each(|(_, piece)| turn.1.write_all(piece));
                written.map_err(Failure::Write)?;
                turn.0 += u64::from(goes_on);
                drop(turn);
                changed.notify_all();
                Ok(())
            }
        }
    }
}

impl Stream<'_> {
    fn read(&mut self, unit: usize, buffer: &mut [u8]) -> io::Result<Job> {
        let most = buffer.len() / SEALED_CHUNK_BYTES;
        let first = self.next * most as u64;
        let mut job = Job {
            number: self.next,
            first,
            count: 0,
            last_bytes: 0,
            last: false,
        };
        for to in buffer.chunks_mut(SEALED_CHUNK_BYTES) {
            let mut len = 0;
            if let Some(byte) = self.ahead.take() {
                to[0] = byte;
                len = 1;
            }
            len += fill(self.from, &mut to[len..unit])?;
            // An empty chunk is none, except for the only one.
            if len > 0 || (first == 0 && job.count == 0) {
                job.count += 1;
                job.last_bytes = len;
            }
            if len < unit {
                self.ended = true;
                job.last = true;
                return Ok(job);
            }
        }
        let mut byte = [0];
        let more = fill(self.from, &mut byte)? == 1;
        self.ahead = more.then_some(byte[0]);
        self.ended = !more;
        job.last = !more;
        Ok(job)
    }
}

/// Reads until the buffer is full or there is no more, and returns the number of bytes.
fn fill(from: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match from.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A file that is no regular one, such as a pipe: waits for what it reads, but ends when a signal came.
pub(crate) struct Patient<'a> {
    pub(crate) file: &'a File,
    pub(crate) deferred: Option<&'a DeferredSignals>,
}

impl Read for Patient<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if let Some(deferred) = self.deferred {
            wait(self.file, deferred)?;
        }
        self.file.read(to)
    }
}
