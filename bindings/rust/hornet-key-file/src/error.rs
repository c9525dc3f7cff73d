// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of key files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a key file. Its message is one line, which begins with the path and contains no byte
/// of a key.
#[derive(Debug)]
pub struct Error {
    /// On the heap, because a nonce and an error are returned in the same space.
    inner: Box<(PathBuf, Problem)>,
}

impl Error {
    pub(crate) fn new(path: &Path, problem: Problem) -> Self {
        Self {
            inner: Box::new((path.into(), problem)),
        }
    }

    /// Returns the path of the file, as the caller gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.0
    }

    /// Returns what is wrong with the file.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.inner.1
    }
}

/// Shows the path unchanged if it is UTF-8 and all its characters can be printed on one line as
/// they are, otherwise quoted and escaped.
impl fmt::Display for Error {
    #[expect(clippy::unnecessary_debug_formatting, reason = "it escapes")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Escapes control characters, line separators, and characters that reorder the text.
        let (path, problem) = &*self.inner;
        let quoted = format!("{path:?}");
        match path.to_str() {
            Some(path) if quoted.len() == path.len() + 2 => f.write_str(path)?,
            _ => f.write_str(&quoted)?,
        }
        write!(f, ": {problem}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.problem() {
            Problem::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a key file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// An operating system error, and what failed.
    Io(&'static str, io::Error),
    /// The path does not end in a file name.
    NoName,
    /// A file with that name already exists, and is not overwritten.
    Exists,
    /// It is not a regular file.
    NotRegular,
    /// It has this number of hard links instead of one: old copies would remain under the other
    /// names.
    Links(u64),
    /// It belongs to another user.
    Owner,
    /// Its mode gives the group or others access.
    Mode(u32),
    /// Its file system gives it this mode, which allows more users to access it than should.
    FixedMode(u32),
    /// It was read from a pipe, or from a file without a name, where nonces cannot be counted.
    NoFile,
    /// This line is malformed, for this reason.
    Malformed(u8, &'static str),
    /// It contains another key than when it was opened.
    OtherKey,
    /// It was opened, or its nonces were reserved, by another process, of which `fork` made this
    /// one: both would use the same nonces.
    OtherProcess,
    /// Not enough nonces are left of the 2^48 - 1 that a file gives out.
    Exhausted,
}

/// The error for a key file whose r is not clamped; the key is in the second line.
pub(crate) const R_PROBLEM: Problem =
    Problem::Malformed(2, "r, the second half of the key, is not clamped");

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(what, error) => write!(f, "{what}: {error}"),
            Self::NoName => f.write_str("not a file name"),
            Self::Exists => f.write_str("exists, and is not overwritten"),
            Self::NotRegular => f.write_str("not a regular file"),
            Self::Links(0) => f.write_str("was replaced by another file"),
            Self::Links(count) => write!(
                f,
                "has {count} hard links: under the other names, old copies would remain"
            ),
            Self::Owner => f.write_str("belongs to another user"),
            Self::Mode(mode) => write!(
                f,
                "accessible by others than its owner (mode {mode:04o}): use chmod 600"
            ),
            Self::FixedMode(mode) => write!(
                f,
                "too many users could access it: its file system gives it mode {mode:04o}"
            ),
            Self::NoFile => f.write_str(
                "nonces are counted in a key file, and this is a pipe or has no name",
            ),
            Self::Malformed(line, what) => write!(f, "line {line}: {what}"),
            Self::OtherKey => f.write_str("now holds another key than when it was opened"),
            Self::OtherProcess => f.write_str(
                "was opened before a fork, in another process, which may use the same nonces: open it again in this one",
            ),
            Self::Exhausted => f.write_str(
                "not enough nonces left: a key file gives out 2^48 - 1; derive another key or make one",
            ),
        }
    }
}

/// Converts an operating system error to a `Problem`.
pub(crate) fn io<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> Problem {
    move |error| Problem::Io(what, error.into())
}
