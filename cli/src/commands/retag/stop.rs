// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why `hornet retag` has written nothing.

use crate::commands::opened::NotOpened;
use crate::commands::retag::outcome::Status;
use crate::error::Error;
use crate::output::{self, complain};
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why nothing was written.
pub(super) enum Stop {
    /// Something cannot be read or written, or was not given correctly; or the manifest or its parts must
    /// not be trusted.
    NotOpened(NotOpened),
    /// This file was changed against the word of the caller.
    Changed { path: PathBuf, why: String },
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::NotOpened(NotOpened::Failed(error.into()))
    }
}

/// Tells what must not be trusted from what cannot be read.
pub(super) fn refused(error: parts::Error) -> Stop {
    Stop::NotOpened(error.into())
}

impl Stop {
    /// Reports it, and returns the exit status.
    pub(super) fn report(self, json: bool) -> Result<ExitCode, Error> {
        #[derive(Serialize)]
        struct File<'a> {
            path: &'a str,
            status: &'a str,
            reason: &'a str,
        }
        let error = match self {
            Self::NotOpened(error) => return error.report(json),
            Self::Changed { path, why } => {
                let path = Escaped::new(&path).to_string();
                let status = Status::Changed.word();
                if json {
                    let file = File {
                        path: &path,
                        status,
                        reason: &why,
                    };
                    output::print_all(|stdout| {
                        serde_json::to_writer(&mut *stdout, &file)?;
                        writeln!(stdout)
                    })?;
                }
                Error::new(&path, format_args!("{status}: {why}"))
            }
        };
        complain(&error);
        Ok(ExitCode::from(1))
    }
}
