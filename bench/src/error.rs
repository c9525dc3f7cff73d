//! What ends the command with status 2.

use std::fmt;

/// One line for the user: what it is about, and what is wrong with it.
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
