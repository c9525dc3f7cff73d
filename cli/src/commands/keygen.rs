// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet keygen`: creates a key file.

use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::output;
use crate::save::Target;
use clap::Args;
use hornet_age::{new_hybrid_identity, new_identity};
use hornet_key_file::KeyFile;
use std::path::PathBuf;
use std::process::ExitCode;
use zeroize::Zeroizing;

#[derive(Args)]
pub(crate) struct Keygen {
    /// The file to create; an existing file is never overwritten
    #[arg(value_name = "KEYFILE")]
    new: PathBuf,

    /// Derive the new key from the key in OLD
    ///
    /// Afterwards the two are independent: neither key verifies what was tagged under the other,
    /// and the new key reveals nothing about the old one. Use this to give each machine a key of its
    /// own. A key file may also be copied or restored from a backup, because each 'hornet tag' draws
    /// new random bits for its nonces; 'hornet bound' gives the probability that two
    /// copies repeat a nonce.
    #[arg(long, value_name = "OLD")]
    fork: Option<PathBuf>,

    /// Create an identity of age for 'hornet open' instead, and print its recipient, for 'hornet seal'
    #[arg(long, conflicts_with = "fork")]
    age: bool,

    /// With --age: an identity of ML-KEM-768 with X25519, whose files quantum computers do not open
    ///
    /// Its recipient has 1959 characters. A file is sealed either to recipients of this kind only, or to others only.
    #[arg(long, requires = "age")]
    post_quantum: bool,
}

impl Keygen {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        if self.age {
            return self.identity();
        }
        let old = self.fork.as_deref().map(KeyFile::open).transpose()?;
        if let Some(old) = &old {
            // Waits for other processes here, where signals can still interrupt it.
            old.reserve(0)?;
        }
        // New files may briefly have temporary names, and must not be left under them.
        let _deferred = DeferredSignals::new();
        match old {
            None => KeyFile::create(&self.new)?,
            Some(old) => old.fork(&self.new)?,
        };
        Ok(ExitCode::SUCCESS)
    }

    fn identity(&self) -> Result<ExitCode, Error> {
        output::check()?;
        let target = Target::new(&self.new, false)?;
        let (secret, recipient) = if self.post_quantum {
            new_hybrid_identity()?
        } else {
            new_identity()?
        };
        let text = Zeroizing::new(format!("# public key: {recipient}\n{}\n", *secret));
        target.secret().write(text.as_bytes())?;
        output::print(format_args!("{recipient}\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}
