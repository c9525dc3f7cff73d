// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why a file could not be read.

use hornet_manifest::Kind;
use std::fmt;
use std::io;

/// Why a file has no content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing exists at this path.
    Missing,
    /// It is the key file, the manifest or standard output.
    Excluded,
    /// It is not a regular file but of this kind.
    NotRegular(Kind),
    /// It cannot be read, for this reason.
    Unreadable(String),
}

impl Failure {
    pub(crate) const CHANGED: &str = "changed while it was being read";
    pub(crate) const SHRANK: &str = "shrank or became unreadable while it was being read";

    /// The bytes from `start` to `end` could not all be read.
    pub(super) fn shrank(start: u64, end: u64) -> Self {
        Self::Unreadable(format!("{}: bytes {start} to {end}", Self::SHRANK))
    }

    pub(crate) fn changed() -> Self {
        Self::Unreadable(Self::CHANGED.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no longer exists"),
            Self::Excluded => f.write_str("is the key file or the manifest"),
            Self::NotRegular(kind) => write!(f, "not a regular file but {kind}"),
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}
