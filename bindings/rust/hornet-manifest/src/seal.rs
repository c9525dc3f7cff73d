// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Makes and verifies the seal, which authenticates a manifest.

use crate::content::{Line, Manifest, Other};
use crate::problem::{OpenError, Problem};
use crate::read::read;
use crate::text::{CHUNK_BYTES, DIGITS, HEADER, SEAL, TITLE, digits};
use crate::write::Writer;
use hornet::Tag;
use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
use hornet_key_file::Purpose;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

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
        let (body, seal) = split_seal(text)?;
        seal.verify(key, &key.partial(body))?;
        match read(body) {
            Ok(manifest) => Ok((manifest, seal.nonce)),
            Err(OpenError::Refused(problem)) => Err(problem),
            Err(OpenError::Io(error)) => unreachable!("in memory: {error}"),
        }
    }

    /// Like [`open_sealed`](Self::open_sealed), from a regular file, whose text is not held in
    /// memory: of one that is refused, no more than a chunk is.
    ///
    /// The file is read twice, and verified both times: what is returned is what the seal is of,
    /// also if the file is written to meanwhile.
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the file cannot be read, is malformed, or does not have a valid seal of
    /// this key.
    pub fn open_file(file: &File, key: &Key) -> Result<(Self, Nonce), OpenError> {
        let mut head = vec![0; HEADER.len()];
        let count = read_at(file, &mut head, 0)?;
        if head != HEADER {
            return Err(wrong_header(&head[..count]).into());
        }
        let length = file.metadata()?.len();
        let end = length.saturating_sub(SEAL_LINE_BYTES as u64);
        // With the newline before it.
        let mut tail = [0; SEAL_LINE_BYTES + 1];
        let count = read_at(file, &mut tail, end.saturating_sub(1))?;
        let (_, seal) = split_seal(&tail[..count])?;

        let mut verified = Evaluated::new(file, end, key);
        let mut chunk = vec![0; CHUNK_BYTES];
        while verified.read(&mut chunk)? > 0 {}
        seal.verify(key, &verified.whole)?;

        let body = Evaluated::new(file, end, key);
        let mut body = BufReader::with_capacity(CHUNK_BYTES, body);
        let manifest = read(&mut body);
        io::copy(&mut body, &mut io::sink())?;
        seal.verify(key, &body.get_ref().whole)?;
        Ok((manifest?, seal.nonce))
    }
}

/// The beginning of a file, which is evaluated as it is read, in chunks.
struct Evaluated<'a> {
    file: &'a File,
    at: u64,
    end: u64,
    key: &'a Key,
    /// The evaluation of what was read.
    whole: Partial,
}

impl<'a> Evaluated<'a> {
    fn new(file: &'a File, end: u64, key: &'a Key) -> Self {
        Self {
            file,
            at: 0,
            end,
            key,
            whole: Partial::default(),
        }
    }
}

impl Read for Evaluated<'_> {
    /// Fills the buffer, whose length is a multiple of a block's, unless the end comes before.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let count = read_at(self.file, &mut buffer[..wanted], self.at)?;
        if count > 0 {
            self.key
                .append(&mut self.whole, &self.key.partial(&buffer[..count]))
                .map_err(io::Error::other)?;
            self.at += count as u64;
        }
        Ok(count)
    }
}

/// Reads as many bytes as fit in the buffer, unless the file ends before.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match file.read_at(&mut buffer[count..], at + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
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

/// The seal of a manifest: its last line. It stands for the whole text, since no other text of the
/// same key has it.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    /// The nonce, whose counter tells the order of manifests of one key file.
    pub nonce: Nonce,
    /// The tag of every byte before the last line.
    pub tag: Tag,
}

impl Seal {
    /// Returns the seal of a text, or of its end. It is not verified: the text must be one that
    /// [`Manifest::open`] has accepted, or that [`Writer::seal`](crate::Writer::seal) has written.
    ///
    /// # Errors
    ///
    /// [`Problem`] if the last line is not a seal.
    pub fn of(text: &[u8]) -> Result<Self, Problem> {
        split_seal(text).map(|(_, seal)| seal)
    }

    /// Returns whether both are the same. Each must have been verified: seals are not secret, and
    /// nobody learns from this how much of a guess is correct.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (self.nonce, self.tag.as_bytes()) == (other.nonce, other.tag.as_bytes())
    }

    /// Verifies the seal of a text, given by its evaluation.
    fn verify(&self, key: &Key, whole: &Partial) -> Result<(), Problem> {
        key.verify_partial(&self.nonce, whole, &self.tag)
            .map_err(|_| {
                Problem::seal(
                    "changed since it was made, or made with another key: the seal does not match",
                )
            })?;
        if Purpose::of(&self.nonce) == PURPOSE {
            Ok(())
        } else {
            Err(Problem::seal(
                "the seal is the tag of a file, not of a manifest",
            ))
        }
    }
}

/// The length of the last line, with its newline.
pub(crate) const SEAL_LINE_BYTES: usize = SEAL.len() + DIGITS + 1 + DIGITS + 1;

/// Splits a manifest into the text that the seal authenticates, and the seal.
fn split_seal(text: &[u8]) -> Result<(&[u8], Seal), Problem> {
    let split = || {
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
    };
    split().ok_or_else(|| Problem::seal("truncated or changed: the last line is not a seal"))
}
