// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of manifests.

use std::fmt;
use std::io;

/// What is wrong with a manifest, and in which line, if known.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    line: Option<usize>,
    what: String,
}

impl Problem {
    /// A problem with the seal, and so with the manifest as a whole.
    pub(crate) fn seal(what: &str) -> Self {
        Self {
            line: None,
            what: what.into(),
        }
    }

    /// A problem with a line, counted from 1.
    pub(crate) fn in_line(line: usize, what: impl fmt::Display) -> Self {
        Self {
            line: Some(line),
            what: what.to_string(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

/// Why a manifest in a file was not opened.
#[derive(Debug)]
pub enum OpenError {
    /// The file could not be read.
    Io(io::Error),
    /// It is not a manifest sealed with the key.
    Refused(Problem),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Problem> for OpenError {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Refused(problem) => problem.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}
