// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of manifests.

use std::fmt;

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
