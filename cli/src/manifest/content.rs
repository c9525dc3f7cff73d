// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The content of a manifest.

use crate::time::Time;
use crate::tree::kind::Kind;
use hornet::Tag;
use hornet::aes::Nonce;
use std::path::PathBuf;

/// A file and its tag.
pub(crate) struct Line {
    pub(crate) nonce: [u8; Nonce::BYTES],
    pub(crate) tag: Tag,
    pub(crate) path: PathBuf,
}

/// Something that was found but has no tag.
pub(crate) struct Other {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

/// The content of a manifest, in the order of its lines.
pub struct Manifest {
    pub(crate) follow_symlinks: bool,
    /// The PATH arguments.
    pub(crate) arguments: Vec<PathBuf>,
    /// Sorted by the bytes of their paths, and so are `unread` and `others`.
    pub(crate) files: Vec<Line>,
    /// Files and folders that existed and could not be read.
    pub(crate) unread: Vec<PathBuf>,
    /// Entries that are not files, and folders that are empty or were not entered.
    pub(crate) others: Vec<Other>,
    /// When the manifest was sealed.
    pub(crate) sealed: Time,
}

impl Manifest {
    /// Returns the line before the seal, without the newline.
    pub(super) fn count(&self) -> String {
        let (files, unread, others) = (self.files.len(), self.unread.len(), self.others.len());
        format!("files {files} unread {unread} others {others}")
    }
}
