//! `hornet keygen`: a new key file.

use crate::error::Error;
use clap::Args;
use hornet::key_file::KeyFile;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Args)]
pub(crate) struct Keygen {
    /// The file to create; nothing is ever overwritten
    #[arg(value_name = "KEYFILE")]
    new: PathBuf,

    /// Derive the new key from this one
    ///
    /// The two have nothing to do with each other afterwards: each counts its own nonces, and the
    /// new one tells nothing about the old one. Do this where you would copy a key file. NEVER use a
    /// copy, or a backup that was restored, for `hornet tag`: it counts from where the original
    /// stood, gives out the same nonces again, and two tags under one nonce let anyone forge.
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
