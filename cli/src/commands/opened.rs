// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads and verifies a manifest, and compares its age.

use crate::error::Error;
use crate::output::say;
use crate::source::Source;
use hornet::aes::Nonce;
use hornet_key_file::{KeyFile, Nonces};
use hornet_manifest::{HEADER, Manifest};
use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read};

/// A manifest whose seal matches.
pub(super) struct Opened<'a> {
    source: &'a Source,
    pub(super) manifest: Manifest,
    pub(super) metadata: Metadata,
    seal: Nonce,
}

/// Why a manifest was not opened.
pub(super) enum NotOpened<'a> {
    /// The file cannot be read.
    Failed(Error),
    /// It is not a manifest sealed with the key, or is too old; the text says why. A manifest whose
    /// first line was changed cannot be told from any other file.
    Refused(&'a Source, String),
}

impl<'a> Opened<'a> {
    pub(super) fn new(source: &'a Source, key_file: &KeyFile) -> Result<Self, NotOpened<'a>> {
        let read = read(source).map_err(|error| Error::new(source, error));
        let (text, metadata) = read.map_err(NotOpened::Failed)?;
        match Manifest::open_sealed(&text, key_file.key()) {
            Ok((manifest, seal)) => Ok(Self {
                source,
                manifest,
                metadata,
                seal,
            }),
            Err(problem) => Err(NotOpened::Refused(source, problem.to_string())),
        }
    }

    /// Returns the counter of the seal.
    pub(super) fn counter(&self) -> u64 {
        Nonces::counter_of(&self.seal)
    }

    /// Refuses the manifest unless it is `other` itself or was sealed after `other`.
    pub(super) fn not_older_than(self, other: &Opened) -> Result<Self, NotOpened<'a>> {
        let is_same = self.seal.as_bytes() == other.seal.as_bytes();
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
        Err(NotOpened::Refused(self.source, why))
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

/// Reads the whole manifest. Stops after the first line if it is not that of a manifest, because
/// the input may be endless.
fn read(source: &Source) -> io::Result<(Vec<u8>, Metadata)> {
    let mut file = source.open()?;
    let metadata = file.metadata()?;
    let mut text = Vec::new();
    (&mut file)
        .take(HEADER.len() as u64)
        .read_to_end(&mut text)?;
    if text == HEADER {
        file.read_to_end(&mut text)?;
    }
    Ok((text, metadata))
}
