// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Makes and verifies the seal, which authenticates a manifest.

use crate::content::{Line, Manifest, Other};
use crate::problem::Problem;
use crate::read::read;
use crate::text::{HEADER, SEAL, TITLE, digits};
use crate::write::Writer;
use hornet::Tag;
use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_key_file::Purpose;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// The purpose of a manifest's tag. The tags of files have the purpose `MESSAGE`. If the two were
/// the same, anyone able to write a file that gets tagged could write a manifest into it and append
/// the file's nonce and tag as the seal.
pub const PURPOSE: Purpose = Purpose::new(1).unwrap();

impl Manifest {
    /// Returns the text with its seal, made under a nonce that must have the purpose [`PURPOSE`].
    #[must_use]
    pub fn seal(&self, key: &Key, nonce: UnusedNonce) -> Vec<u8> {
        let text = Vec::with_capacity(128 * (self.files.len() + 4));
        // Writing to a vector cannot fail.
        self.write(text, key, nonce).unwrap_or_default()
    }

    fn write(&self, to: Vec<u8>, key: &Key, nonce: UnusedNonce) -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(to, key, self.sealed, self.follow_symlinks)?;
        for path in &self.arguments {
            writer.argument(path.as_os_str().as_bytes())?;
        }
        for pattern in &self.exclude {
            writer.exclude(pattern)?;
        }
        for Line { nonce, tag, path } in &self.files {
            writer.file(nonce, tag, path.as_os_str().as_bytes())?;
        }
        for path in &self.unread {
            writer.unread(path.as_os_str().as_bytes())?;
        }
        for Other { path, kind } in &self.others {
            writer.other(*kind, path.as_os_str().as_bytes())?;
        }
        writer.seal(nonce)
    }

    /// Verifies and parses a manifest.
    ///
    /// Only the first line and the form of the seal are examined before the tag is verified, so
    /// nothing else depends on bytes that were not written by a holder of the key.
    ///
    /// # Errors
    ///
    /// Returns a [`Problem`] if the text is malformed or does not have a valid seal of this key.
    pub fn open(text: &[u8], key: &Key) -> Result<Self, Problem> {
        Self::open_sealed(text, key).map(|(manifest, _)| manifest)
    }

    /// Like [`open`](Self::open), but also returns the nonce of the seal.
    ///
    /// # Errors
    ///
    /// Like [`open`](Self::open).
    pub fn open_sealed(text: &[u8], key: &Key) -> Result<(Self, Nonce), Problem> {
        if !text.starts_with(HEADER) {
            return Err(wrong_header(text));
        }
        let (body, seal) = split_seal(text).ok_or(Problem::seal(
            "truncated or changed: the last line is not a seal",
        ))?;
        key.verify(&seal.nonce, body, &seal.tag).map_err(|_| {
            Problem::seal(
                "changed since it was made, or made with another key: the seal does not match",
            )
        })?;
        if Purpose::of(&seal.nonce) != PURPOSE {
            return Err(Problem::seal(
                "the seal is the tag of a file, not of a manifest",
            ));
        }
        Ok((read(body)?, seal.nonce))
    }
}

fn wrong_header(text: &[u8]) -> Problem {
    let what = if text.is_empty() {
        "empty"
    } else if HEADER.starts_with(text) {
        "truncated in the first line"
    } else if text.starts_with(TITLE) {
        "changed, or a manifest of a version that this program does not support"
    } else {
        "not a manifest, or changed: it does not begin with `hornet manifest 1`"
    };
    Problem::in_line(1, what)
}

struct Seal {
    nonce: Nonce,
    tag: Tag,
}

/// Splits a manifest into the text that the seal authenticates, and the seal.
fn split_seal(text: &[u8]) -> Option<(&[u8], Seal)> {
    let lines = text.strip_suffix(b"\n")?;
    let start = lines.iter().rposition(|&byte| byte == b'\n')? + 1;
    let (body, seal) = lines.split_at(start);
    let (nonce, rest) = digits(seal.strip_prefix(SEAL)?)?;
    let (tag, rest) = digits(rest.strip_prefix(b" ")?)?;
    let seal = Seal {
        nonce: Nonce::new(nonce),
        tag: tag.into(),
    };
    rest.is_empty().then_some((body, seal))
}
