// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads and verifies a manifest, and compares its age.

use crate::error::Error;
use crate::output::{self, complain, say};
use crate::report::write_json_refusal;
use crate::source::Source;
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{self, Reader};
use hornet_manifest::{Manifest, Problem, Seal, read_text};
use rustix::io::Errno;
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// How often a manifest is read again that is being replaced.
const ATTEMPTS: usize = 100;

/// A manifest whose seal matches.
pub(super) struct Opened<'a> {
    source: &'a Source,
    pub(super) manifest: Manifest,
    pub(super) metadata: Metadata,
    pub(super) seal: Seal,
}

/// Why a manifest was not opened.
pub(super) enum NotOpened {
    /// The file cannot be read.
    Failed(Error),
    /// It is not a manifest sealed with the key, or is too old, or its parts are not those of the
    /// manifest, or were changed. A manifest whose first line was changed cannot be told from any other
    /// file.
    Refused(Refusal),
}

/// Why a file must not be trusted.
pub(super) struct Refusal {
    /// What it should be.
    kind: &'static str,
    name: String,
    why: String,
}

impl NotOpened {
    /// Reports what must not be trusted, and returns the exit status.
    pub(super) fn report(self, json: bool) -> Result<ExitCode, Error> {
        let Refusal { kind, name, why } = match self {
            Self::Failed(error) => return Err(error),
            Self::Refused(refusal) => refusal,
        };
        if json {
            output::print_all(|stdout| write_json_refusal(stdout, kind, &name, &why))?;
        }
        complain(&Error::new(&name, why));
        Ok(ExitCode::from(1))
    }

    fn refused(manifest: &Source, why: &dyn fmt::Display) -> Self {
        Self::Refused(Refusal {
            kind: "manifest",
            name: manifest.to_string(),
            why: why.to_string(),
        })
    }
}

/// Of parts, or of the manifest.
impl From<parts::Error> for NotOpened {
    fn from(error: parts::Error) -> Self {
        if error.is_refusal() {
            let is_manifest = matches!(error.problem(), parts::Problem::Manifest(_));
            Self::Refused(Refusal {
                kind: if is_manifest { "manifest" } else { "parts" },
                name: Escaped::new(error.path()).to_string(),
                why: error.problem().to_string(),
            })
        } else {
            Self::Failed(error.into())
        }
    }
}

impl From<Error> for NotOpened {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<'a> Opened<'a> {
    pub(super) fn new(source: &'a Source, key_file: &KeyFile) -> Result<Self, NotOpened> {
        let read = read(source).map_err(|error| Error::new(source, error));
        let (text, metadata) = read.map_err(NotOpened::Failed)?;
        let open = || {
            let manifest = Manifest::open(&text, key_file.key())?;
            Ok((manifest, Seal::of(&text)?))
        };
        match open() {
            Ok((manifest, seal)) => Ok(Self {
                source,
                manifest,
                metadata,
                seal,
            }),
            Err::<_, Problem>(problem) => Err(NotOpened::refused(source, &problem)),
        }
    }

    /// Like `new`, but refuses a manifest that is older than another.
    pub(super) fn newer_than(
        source: &'a Source,
        other: Option<&Source>,
        key_file: &KeyFile,
    ) -> Result<Self, NotOpened> {
        let opened = Self::new(source, key_file)?;
        match other {
            Some(other) => opened.not_older_than(&Opened::new(other, key_file)?),
            None => Ok(opened),
        }
    }

    /// Opens the parts that belong to the manifest. If both are being replaced, opens the new manifest
    /// instead, with `again`.
    pub(super) fn with_parts(
        mut self,
        path: &Path,
        key_file: &KeyFile,
        again: impl Fn() -> Result<Self, NotOpened>,
    ) -> Result<(Self, Reader), NotOpened> {
        for _ in 0..ATTEMPTS {
            let error = match Reader::find(path, key_file.key(), &self.seal) {
                Ok(parts) => return Ok((self, parts)),
                Err(error) => error,
            };
            // Standard input cannot be read again.
            if matches!(self.source, Source::Stdin) {
                return Err(error.into());
            }
            let before = self.seal;
            self = again()?;
            if self.seal.is(&before) {
                return Err(error.into());
            }
        }
        let busy = io::Error::from(Errno::BUSY);
        Err(NotOpened::Failed(Error::new(self.source, busy)))
    }

    /// Returns the counter of the seal.
    pub(super) fn counter(&self) -> u64 {
        Nonces::counter_of(&self.seal.nonce)
    }

    /// Refuses the manifest unless it is `other` itself or was sealed after `other`.
    fn not_older_than(self, other: &Opened) -> Result<Self, NotOpened> {
        let is_same = self.seal.nonce.as_bytes() == other.seal.nonce.as_bytes();
        let (this, that, other) = (self.counter(), other.counter(), other.source);
        if is_same || this > that {
            return Ok(self);
        }
        let why = if this < that {
            format!(
                "older than {other}: sealed at nonce counter {this} of their key, {other} at {that}"
            )
        } else {
            format!(
                "not known to be newer than {other}: both were sealed at nonce counter {this} of \
                 their key, whose file was probably copied or restored from a backup in between"
            )
        };
        Err(NotOpened::refused(self.source, &why))
    }

    /// Says when the manifest was sealed.
    pub(super) fn say_when(&self) {
        let (source, counter) = (self.source, self.counter());
        let time = self.manifest.sealed;
        say(format_args!(
            "{source}: sealed {time} at nonce counter {counter} of its key"
        ));
    }

    /// Warns if there may be a newer manifest.
    pub(super) fn warn_of_newer(&self, key_file: &KeyFile) -> Result<(), Error> {
        let lines = self.manifest.files.len();
        warn_of_newer(self.source, self.counter(), lines, key_file)
    }
}

/// Warns if the key has since been used for at least as many tags as a newer manifest would take. The
/// counter is that of the seal.
pub(super) fn warn_of_newer(
    manifest: &dyn fmt::Display,
    counter: u64,
    lines: usize,
    key_file: &KeyFile,
) -> Result<(), Error> {
    let since = key_file.next_counter()?.saturating_sub(counter + 1);
    let takes = lines as u64 + 1;
    if since >= takes {
        say(format_args!(
            "{manifest}: {since} nonces of its key have been reserved since, enough for a newer \
             manifest; use --newer-than to refuse an older one",
        ));
    }
    Ok(())
}

/// Reads the whole manifest.
fn read(source: &Source) -> io::Result<(Vec<u8>, Metadata)> {
    let file = source.open()?;
    let metadata = file.metadata()?;
    Ok((read_text(file)?, metadata))
}
