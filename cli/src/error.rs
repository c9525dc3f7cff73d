// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The error that ends the command with status 2.

use std::fmt;

/// A one-line error message: the subject, then the problem.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn new(about: &dyn fmt::Display, problem: impl fmt::Display) -> Self {
        Self(format!("{about}: {problem}"))
    }
}

impl From<hornet_age::Error> for Error {
    fn from(error: hornet_age::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<hornet_age::TooLong> for Error {
    fn from(error: hornet_age::TooLong) -> Self {
        Self(error.to_string())
    }
}

/// The message already begins with the path.
impl From<hornet_key_file::Error> for Error {
    fn from(error: hornet_key_file::Error) -> Self {
        Self(error.to_string())
    }
}

/// As above.
impl From<hornet_manifest::parts::Error> for Error {
    fn from(error: hornet_manifest::parts::Error) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
