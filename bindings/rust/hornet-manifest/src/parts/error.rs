// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of parts files.

use crate::escape::Escaped;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a parts file, or of the manifest beside it. Its message is one line, which begins with
/// the path and contains no value.
#[derive(Debug)]
pub struct Error {
    /// On the heap, to keep results short.
    inner: Box<(PathBuf, Problem)>,
}

impl Error {
    pub(super) fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        Self {
            inner: Box::new((path.into(), problem.into())),
        }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.0
    }

    /// Returns what is wrong with the file.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.inner.1
    }

    /// Returns whether another process has the lock that was to be taken without waiting.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.is_io(io::ErrorKind::WouldBlock)
    }

    /// Returns whether it is an error of this kind from the operating system.
    pub(super) fn is_io(&self, kind: io::ErrorKind) -> bool {
        self.io().is_some_and(|error| error.kind() == kind)
    }

    fn io(&self) -> Option<&io::Error> {
        match self.problem() {
            Problem::File(hornet_key_file::Problem::Io(_, error)) => Some(error),
            _ => None,
        }
    }

    /// Returns whether the file was read, and must not be trusted. Otherwise it could not be read or
    /// written.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        !matches!(self.problem(), Problem::File(_) | Problem::SameName)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problem) = &*self.inner;
        write!(f, "{}: {problem}", Escaped::new(path))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.io().map(|error| error as _)
    }
}

/// What is wrong with a parts file or its manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be opened, read, locked or written.
    File(hornet_key_file::Problem),
    /// The manifest is refused.
    Manifest(crate::Problem),
    /// At this byte, something is not what it should be.
    Malformed {
        /// The offset in bytes.
        at: u64,
        /// The part of the file that begins there, if it has a name.
        part: Option<Part>,
        /// What is wrong with it.
        what: &'static str,
    },
    /// It has another length in bytes than its header says.
    Length {
        /// Its length.
        found: u64,
        /// What it should be.
        expected: u64,
    },
    /// Its header is that of another manifest.
    OtherManifest,
    /// The path of the manifest is also that of its parts, or of a file that is written beside them.
    SameName,
    /// There is no value, entry or segment of this number, counted from 0.
    Missing(u64),
}

/// A part of a parts file that is sealed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The header.
    Header,
    /// A page of values, counted from 0.
    Values(u64),
    /// A page of the index, counted from 0.
    Index(u64),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Values(page) => write!(f, "page {page} of values"),
            Self::Index(page) => write!(f, "page {page} of the index"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => problem.fmt(f),
            Self::Manifest(problem) => problem.fmt(f),
            Self::Malformed { at, part, what } => {
                write!(f, "at byte {at}: ")?;
                if let Some(part) = part {
                    write!(f, "{part}: ")?;
                }
                f.write_str(what)
            }
            Self::Length { found, expected } => write!(
                f,
                "at byte {}: {}: it has {found} bytes, and its header says {expected}",
                found.min(expected),
                if found < expected {
                    "cut here"
                } else {
                    "does not end here"
                },
            ),
            Self::OtherManifest => f.write_str("these parts belong to another manifest"),
            Self::SameName => f.write_str(
                "the name of the manifest is that of its parts, or of a file written beside them",
            ),
            Self::Missing(number) => write!(f, "has nothing of number {number}"),
        }
    }
}

impl From<hornet_key_file::Problem> for Problem {
    fn from(problem: hornet_key_file::Problem) -> Self {
        Self::File(problem)
    }
}

impl From<crate::Problem> for Problem {
    fn from(problem: crate::Problem) -> Self {
        Self::Manifest(problem)
    }
}

/// Converts an operating system error.
pub(super) fn io<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> Problem {
    move |error| Problem::File(hornet_key_file::Problem::Io(what, error.into()))
}
