// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Errors that end the command with status 2.

use std::fmt;

/// A line for the user: the subject of the error, and what is wrong.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn new(about: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self(format!("{about}: {problem}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
