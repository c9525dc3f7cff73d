// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes manifests.

use crate::content::count_line;
use crate::escape::Escaped;
use crate::kind::Kind;
use crate::text::{
    CHUNK_BYTES, EXCLUDE, HEADER, OTHER, PATH, SEAL, SEALED, UNREAD, links_line, push_digits,
};
use crate::time::Time;
use hornet::Tag;
use hornet::aes::{Key, Nonce, Partial, UnusedNonce};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Writes a manifest line by line. Its memory does not depend on the number of lines.
///
/// The lines come in this order: arguments, patterns, files, unread paths, others, and the seal. The caller
/// passes the last three kinds sorted by the bytes of their paths, each path once; a manifest that
/// is out of order is refused when it is read.
pub struct Writer<'k, W> {
    to: W,
    key: &'k Key,
    /// Text that is not yet written.
    text: Vec<u8>,
    /// The evaluation of what is written.
    whole: Partial,
    files: usize,
    unread: usize,
    others: usize,
}

impl<'k, W: Write> Writer<'k, W> {
    /// Begins a manifest.
    ///
    /// # Errors
    ///
    /// Those of writing, like all methods.
    pub fn new(to: W, key: &'k Key, sealed: Time, follow_symlinks: bool) -> io::Result<Self> {
        let mut writer = Self {
            to,
            key,
            text: Vec::with_capacity(CHUNK_BYTES),
            whole: Partial::default(),
            files: 0,
            unread: 0,
            others: 0,
        };
        let text = &mut writer.text;
        text.extend_from_slice(HEADER);
        text.extend_from_slice(SEALED);
        text.extend_from_slice(sealed.to_string().as_bytes());
        text.push(b'\n');
        text.extend_from_slice(links_line(follow_symlinks).as_bytes());
        writer.end_line()?;
        Ok(writer)
    }

    /// Writes an argument: a path that was given to be tagged.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn argument(&mut self, path: &[u8]) -> io::Result<()> {
        self.text.extend_from_slice(PATH);
        self.end_path(path)
    }

    /// Writes a pattern of what was left out below the arguments, which must not be empty.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn exclude(&mut self, pattern: &str) -> io::Result<()> {
        self.text.extend_from_slice(EXCLUDE);
        self.end_path(pattern.as_bytes())
    }

    /// Writes a file and its tag under a nonce.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn file(&mut self, nonce: &[u8; Nonce::BYTES], tag: &Tag, path: &[u8]) -> io::Result<()> {
        self.files += 1;
        // Does not use `format!`, because there may be millions of lines.
        push_digits(&mut self.text, nonce);
        self.text.push(b' ');
        push_digits(&mut self.text, tag.as_bytes());
        self.text.extend_from_slice(b"  ");
        self.end_path(path)
    }

    /// Writes the path of something that could not be read.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn unread(&mut self, path: &[u8]) -> io::Result<()> {
        self.unread += 1;
        self.text.extend_from_slice(UNREAD);
        self.end_path(path)
    }

    /// Writes the path of something without a tag.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn other(&mut self, kind: Kind, path: &[u8]) -> io::Result<()> {
        self.others += 1;
        self.text.extend_from_slice(OTHER);
        self.text.extend_from_slice(kind.word().as_bytes());
        self.text.push(b' ');
        self.end_path(path)
    }

    /// Ends the manifest with a seal under a nonce, which must have the purpose
    /// [`PURPOSE`](crate::PURPOSE). Returns where it was written.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn seal(mut self, nonce: UnusedNonce) -> io::Result<W> {
        let count = count_line(self.files, self.unread, self.others);
        self.text.extend_from_slice(count.as_bytes());
        self.end_line()?;
        self.flush(self.text.len())?;
        let shown = *nonce.nonce().as_bytes();
        let tag = self.key.finish(nonce, &self.whole);
        self.text.extend_from_slice(SEAL);
        push_digits(&mut self.text, &shown);
        self.text.push(b' ');
        push_digits(&mut self.text, tag.as_bytes());
        self.text.push(b'\n');
        self.to.write_all(&self.text)?;
        Ok(self.to)
    }

    fn end_path(&mut self, path: &[u8]) -> io::Result<()> {
        Escaped::new(Path::new(OsStr::from_bytes(path))).push_to(&mut self.text);
        self.end_line()
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.text.push(b'\n');
        while self.text.len() >= CHUNK_BYTES {
            self.flush(CHUNK_BYTES)?;
        }
        Ok(())
    }

    /// Writes and evaluates the first `count` bytes: a chunk, or all that is left.
    fn flush(&mut self, count: usize) -> io::Result<()> {
        let chunk = &self.text[..count];
        self.to.write_all(chunk)?;
        self.key
            .append(&mut self.whole, &self.key.partial(chunk))
            .map_err(io::Error::other)?;
        self.text.drain(..count);
        Ok(())
    }
}
