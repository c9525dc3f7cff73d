// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What `seal` and `open` share: their input, their output, and their threads.

use crate::age::Stopped;
use crate::age::armor::BadLine;
use crate::age::pipeline::{Failure, FirstFailed, From, Patient, Pipeline};
use crate::error::Error;
use crate::mapping::Mapping;
use crate::output;
use crate::progress::Progress;
use crate::save::Target;
use crate::source::Source;
use crate::tree::excluded::identity;
use crate::tree::failure;
use clap::Args;
use hornet::stream::{CHUNK_BYTES, OpenError};
use hornet_age::Malformed;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::thread::available_parallelism;

#[derive(Args)]
pub(super) struct Threads {
    /// Use N threads, 1 to 32, instead of one per CPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=32))]
    threads: Option<u8>,
}

impl Threads {
    pub(super) fn get(&self) -> usize {
        let all = || available_parallelism().map_or(1, Into::into);
        self.threads.map_or_else(all, Into::into)
    }
}

#[derive(Args)]
pub(super) struct Output {
    /// Write to FILE instead of standard output
    ///
    /// FILE appears only when all of it is on disk.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace FILE if it exists, keeping its permissions
    #[arg(long, requires = "output")]
    force: bool,
}

/// A file that is written, and whether it is new and empty.
pub(super) struct Written<'a> {
    pub(super) file: &'a File,
    pub(super) is_new: bool,
}

/// Why writing stopped: within it, or reading.
pub(super) enum NotWritten {
    Write(io::Error),
    Stopped(Stopped),
    Failure(Failure),
}

impl std::convert::From<io::Error> for NotWritten {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl std::convert::From<Stopped> for NotWritten {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl Output {
    /// Returns where to write, if that is not standard output. Refuses to replace the files that are used, or
    /// to write to them, and standard input for two of them.
    pub(super) fn target<'s>(
        &self,
        input: &'s Source,
        used: impl Iterator<Item = &'s Source>,
    ) -> Result<Option<Target>, Error> {
        let used: Vec<&Source> = used.chain([input]).collect();
        if used
            .iter()
            .filter(|source| matches!(source, Source::Stdin))
            .count()
            > 1
        {
            return Err(Error::new(&Source::Stdin, "can be only one of the inputs"));
        }
        let is = |source: &Source, other: &Metadata| {
            let found = source.metadata();
            found.is_ok_and(|found| identity(&found) == identity(other))
        };
        let Some(path) = &self.output else {
            output::check()?;
            let stdout = output::file();
            for source in used {
                if stdout.as_ref().is_some_and(|stdout| is(source, stdout)) {
                    let why = "is an input and standard output";
                    return Err(Error::new(source, why));
                }
            }
            return Ok(None);
        };
        let target = Target::new(path, self.force)?;
        for source in used {
            target.spare("an input", |old| is(source, old))?;
        }
        Ok(Some(target))
    }

    /// Lets `fill` write to the target or standard output.
    pub(super) fn write(
        input: &Source,
        target: Option<Target>,
        mut fill: impl FnMut(&Written) -> Result<u64, NotWritten>,
    ) -> Result<(), Stopped> {
        let Some(target) = target else {
            let problem = |error| Error::new(&output::STDOUT, error);
            let stdout = output::open().map_err(problem)?;
            let written = fill(&Written {
                file: &stdout,
                is_new: false,
            });
            return written.map(drop).map_err(|stopped| match stopped {
                NotWritten::Write(error) | NotWritten::Failure(Failure::Write(error)) => {
                    problem(error).into()
                }
                stopped => stopped.of(input),
            });
        };
        let mut stopped = None;
        let written = target.write_with(|file| {
            let written = fill(&Written { file, is_new: true });
            written.map(drop).map_err(|why| match why {
                NotWritten::Write(error) | NotWritten::Failure(Failure::Write(error)) => error,
                why => {
                    stopped = Some(why.of(input));
                    io::Error::other("not written")
                }
            })
        });
        match stopped {
            Some(stopped) => Err(stopped),
            None => Ok(written?),
        }
    }
}

impl NotWritten {
    fn of(self, input: &Source) -> Stopped {
        let failure = match self {
            Self::Stopped(stopped) => return stopped,
            Self::Write(error) => return unread(input, error),
            Self::Failure(failure) => failure,
        };
        match failure {
            Failure::Read(error) | Failure::Write(error) => unread(input, error),
            Failure::Resized => Error::new(input, failure::Failure::CHANGED).into(),
            Failure::Interrupted => Error::new(input, "interrupted by a signal").into(),
            Failure::Open(error) => Stopped::refused(input, place_of(error)),
        }
    }
}

/// Returns what does not open, and where in the text that is.
pub(super) fn place_of(error: OpenError) -> String {
    match error {
        OpenError::Changed(chunk) => {
            let begin = u128::from(chunk) * CHUNK_BYTES as u128;
            format!("{error}: changed, cut off or moved, at byte {begin} of the text")
        }
        error => error.to_string(),
    }
}

/// Returns why an input was not read: it is no sealed file, or an error.
pub(super) fn unread(input: &Source, error: io::Error) -> Stopped {
    let inner = error.get_ref();
    let malformed = inner.is_some_and(|inner| inner.is::<Malformed>() || inner.is::<BadLine>());
    if malformed {
        return Stopped::refused(input, error);
    }
    Error::new(input, error).into()
}

/// Runs the threads.
pub(super) fn process(pipeline: &Pipeline, threads: usize) -> Result<u64, NotWritten> {
    pipeline.run(threads).map_err(NotWritten::Failure)
}

/// What is read.
pub(super) struct Input {
    source: Source,
    pub(super) file: File,
    /// Where it begins: standard input may have been read before.
    pub(super) begin: u64,
    /// The number of bytes from there on of a regular file that ends where it says. Those of /proc say that they
    /// have no bytes, and those of /sys that they fill a page: they are read to their end.
    pub(super) bytes: Option<u64>,
    /// What a regular file says that its length is.
    length: Option<u64>,
    read: std::cell::Cell<bool>,
}

impl Input {
    pub(super) fn open(source: &Source) -> Result<Self, Error> {
        let fail = |error: io::Error| Error::new(source, error);
        let mut file = source.open().map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        let begin = if metadata.is_file() {
            file.stream_position().map_err(fail)?
        } else {
            file.stream_position().unwrap_or(0)
        };
        let length = metadata.is_file().then_some(metadata.len());
        let has = |at| match file.read_exact_at(&mut [0], at) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            read => read.map(|()| true).map_err(fail),
        };
        let bytes = match length {
            Some(end) if end > begin && has(end - 1)? && !has(end)? => Some(end - begin),
            _ => None,
        };
        Ok(Self {
            source: source.clone(),
            file,
            begin,
            bytes,
            length,
            read: false.into(),
        })
    }

    pub(super) fn progress(&self) -> Progress {
        Progress::of_input(self.bytes, &self.file)
    }

    /// What may have nothing for a while.
    pub(super) fn pipe(&self) -> Option<&File> {
        self.length.is_none().then_some(&self.file)
    }

    pub(super) fn patient<'a>(&'a self, failed: &'a FirstFailed) -> Patient<'a> {
        Patient {
            file: &self.file,
            failed,
            length: self.length,
        }
    }

    /// Returns what is sealed: of a regular file all from `begin` on, through a mapping if that is possible.
    pub(super) fn to_seal<'a>(&'a self, stream: &'a mut Patient<'a>) -> Result<From<'a>, Stopped> {
        if let Some(bytes) = self.bytes {
            let mapping = match self.source {
                Source::File(_) => Mapping::of(&self.file, self.begin + bytes),
                Source::Stdin => Ok(None),
            };
            return Ok(From::File {
                file: &self.file,
                begin: self.begin,
                bytes,
                chunks: 0..bytes.div_ceil(CHUNK_BYTES as u64),
                mapping: mapping.map_err(|error| Error::new(&self.source, error))?,
            });
        }
        self.start()?;
        Ok(From::stream(stream, self.pipe()))
    }

    /// To be called before it is read in sequence: goes to the beginning if it was read before, as is needed
    /// where a file system cannot give a file its name, and refuses to read a stream again.
    pub(super) fn start(&self) -> Result<(), Stopped> {
        let begin = SeekFrom::Start(self.begin);
        if self.read.replace(true) && (&self.file).seek(begin).is_err() {
            return Err(
                Error::new(&self.source, "cannot be read twice, as writing there needs").into(),
            );
        }
        Ok(())
    }
}
