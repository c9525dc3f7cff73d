// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes the text of a manifest up to the seal.

use crate::manifest::content::{Line, Manifest, Other};
use crate::manifest::escape::Escaped;
use crate::manifest::text::{HEADER, OTHER, PATH, SEALED, UNREAD, links_line, push_digits};
use std::path::Path;

impl Manifest {
    /// Returns the text without the seal. Does not use `format!`, because there may be millions of
    /// lines.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(128 * (self.files.len() + 1));
        text.extend_from_slice(HEADER);
        text.extend_from_slice(SEALED);
        text.extend_from_slice(self.sealed.to_string().as_bytes());
        text.push(b'\n');
        text.extend_from_slice(links_line(self.follow_symlinks).as_bytes());
        text.push(b'\n');
        for path in &self.arguments {
            text.extend_from_slice(PATH);
            push_path(&mut text, path);
        }
        for Line { nonce, tag, path } in &self.files {
            push_digits(&mut text, nonce);
            text.push(b' ');
            push_digits(&mut text, tag.as_bytes());
            text.extend_from_slice(b"  ");
            push_path(&mut text, path);
        }
        for path in &self.unread {
            text.extend_from_slice(UNREAD);
            push_path(&mut text, path);
        }
        for Other { path, kind } in &self.others {
            text.extend_from_slice(OTHER);
            text.extend_from_slice(kind.word().as_bytes());
            text.push(b' ');
            push_path(&mut text, path);
        }
        text.extend_from_slice(self.count().as_bytes());
        text.push(b'\n');
        text
    }
}

/// Appends a path and ends the line.
fn push_path(text: &mut Vec<u8>, path: &Path) {
    Escaped::new(path).push_to(text);
    text.push(b'\n');
}
