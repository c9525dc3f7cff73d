//! What ends the command with status 2.

use std::fmt;

/// One line for the user: what it is about, and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn new(about: &dyn fmt::Display, problem: impl fmt::Display) -> Self {
        Self(format!("{about}: {problem}"))
    }
}

/// Its message begins with the path already.
impl From<hornet::key_file::Error> for Error {
    fn from(error: hornet::key_file::Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
