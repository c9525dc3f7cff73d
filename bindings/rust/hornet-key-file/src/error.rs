// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of key files.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error of a key file. Its message is one line that begins with the path and shows no byte of a
/// key.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    problem: Problem,
}

impl Error {
    pub(crate) fn new(path: &Path, problem: Problem) -> Self {
        Self {
            path: path.into(),
            problem,
        }
    }

    /// The path of the file, as the caller gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

/// Shows the path unchanged if it is UTF-8 and every character of it can be shown on one line as it
/// is, else quoted and escaped.
impl fmt::Display for Error {
    #[expect(clippy::unnecessary_debug_formatting, reason = "it escapes")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Escapes control characters, separators of lines, and what reorders the text.
        let quoted = format!("{:?}", self.path);
        match self.path.to_str() {
            Some(path) if quoted.len() == path.len() + 2 => f.write_str(path)?,
            _ => f.write_str(&quoted)?,
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// What is wrong with a key file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// An error of the operating system, and what failed.
    Io(&'static str, io::Error),
    /// The path does not end in a name.
    NoName,
    /// Something of that name exists already, and is not overwritten.
    Exists,
    /// It is not a regular file.
    NotRegular,
    /// It has this many hard links instead of one: under the other names, old copies would remain.
    Links(u64),
    /// It belongs to another user.
    Owner,
    /// Its permissions let the group or others access it.
    Mode(u32),
    /// This line is malformed in the way described.
    Malformed(u8, &'static str),
    /// It holds another key than when it was opened.
    OtherKey,
    /// Not that many nonces are left of the 2^48 - 1 that a file gives out.
    Exhausted,
}

/// Of a key file, whose second line has the key.
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
            Self::Malformed(line, what) => write!(f, "line {line}: {what}"),
            Self::OtherKey => f.write_str("now holds another key than when it was opened"),
            Self::Exhausted => f.write_str(
                "not enough nonces left: a key file gives out 2^48 - 1; derive another key or make one",
            ),
        }
    }
}

/// Makes a `Problem` of an error of the operating system.
pub(crate) fn io<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> Problem {
    move |error| Problem::Io(what, error.into())
}
