// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet keygen`: creates a key file.

use crate::error::Error;
use clap::Args;
use hornet_key_file::KeyFile;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Keygen {
    /// The file to create; an existing file is never overwritten
    #[arg(value_name = "KEYFILE")]
    new: PathBuf,

    /// Derive the new key from the key in OLD
    ///
    /// Afterwards the two are independent: each file counts its own nonces, and the new key reveals
    /// nothing about the old one. Do this instead of copying a key file. NEVER use a copy, or a
    /// restored backup, for 'hornet tag': it counts from the same nonce as the original, so that
    /// two files get the same nonce, and that lets anyone forge.
    #[arg(long, value_name = "OLD")]
    fork: Option<PathBuf>,
}

impl Keygen {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        match &self.fork {
            None => KeyFile::create(&self.new)?,
            Some(old) => KeyFile::open(old)?.fork(&self.new)?,
        };
        Ok(ExitCode::SUCCESS)
    }
}
