// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Sealed files in the format of age v1: c2sp.org/age.
//!
//! ```text
//! age-encryption.org/v1               the header: a stanza for each recipient,
//! -> X25519 TEiF0ypqr+bpvcqXNyCV...   in which the file's key is sealed,
//! hjabGXwSLQ9c3S6Lw2i+S2Tu2fiwQHH...
//! --- WyJp9R/9FOZh7gJdhez1Z...        and its authenticator
//! nonce | chunk | chunk | ...         the payload: hornet::stream
//! ```
//!
//! The header is that of the crate `hornet_age`.

pub(crate) mod armor;
pub(crate) mod keys;
pub(crate) mod passphrase;
pub(crate) mod pipeline;

use crate::error::Error;
use crate::output::complain;
use std::fmt;
use std::process::ExitCode;

/// Why a file was not sealed or opened.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// It is not authentic, or not for this key: exit status 1.
    Refused(Error),
    /// A file cannot be read or written: exit status 2.
    Failed(Error),
}

impl Stopped {
    pub(crate) fn refused(about: &dyn fmt::Display, problem: impl fmt::Display) -> Self {
        Self::Refused(Error::new(about, problem))
    }

    /// Reports it, and returns the exit status.
    pub(crate) fn report(self) -> Result<ExitCode, Error> {
        match self {
            Self::Refused(error) => {
                complain(&error);
                Ok(ExitCode::from(1))
            }
            Self::Failed(error) => Err(error),
        }
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
