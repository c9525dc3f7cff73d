// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The manifest and the parts that are replaced.

use crate::commands::tag::no_nonce;
use crate::error::Error;
use crate::tree::values::whole;
use hornet::Tag;
use hornet::aes::{Key, Nonce, Partial};
use hornet_key_file::Nonces;
use hornet_manifest::Line;
use hornet_manifest::escape::Escaped;
use hornet_manifest::parts::{Entry, Reader};
use std::path::Path;

/// What was known of files before.
#[derive(Clone, Copy)]
pub(super) struct Old<'a> {
    pub(super) key: &'a Key,
    pub(super) parts: &'a Reader,
    pub(super) lines: &'a [Line],
    /// One for each line.
    pub(super) entries: &'a [Entry],
    /// Whether no line is kept.
    pub(super) all_new: bool,
}

impl<'a> Old<'a> {
    /// Returns a line that is kept if the content of its file is still the same.
    pub(super) fn line_to_keep(&self, index: Option<usize>) -> Option<&'a Line> {
        self.lines.get(index?).filter(|_| !self.all_new)
    }

    /// Returns nonce and tag for content that has this value: the old ones if it is that of the line.
    pub(super) fn tag(
        &self,
        index: Option<usize>,
        whole: &Partial,
        nonces: &mut Nonces,
    ) -> Result<([u8; Nonce::BYTES], Tag), Error> {
        if let Some(line) = self.line_to_keep(index) {
            let nonce = Nonce::new(line.nonce);
            if self.key.verify_partial(&nonce, whole, &line.tag).is_ok() {
                return Ok((line.nonce, line.tag));
            }
        }
        let nonce = nonces.next().ok_or_else(no_nonce)??;
        let shown = *nonce.nonce().as_bytes();
        Ok((shown, self.key.finish(nonce, whole)))
    }

    /// Returns the value of a file. Nothing but its tag is kept of it, so it is made of the values of all
    /// segments: one multiplication for each, less than opening and sealing them takes.
    pub(super) fn whole(&self, path: &Path, values: &[Partial]) -> Result<Partial, Error> {
        whole(self.key, values).map_err(|failure| Error::new(&Escaped::new(path), failure))
    }
}
