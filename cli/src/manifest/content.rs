// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The content of a manifest.

use hornet::Tag;
use hornet::aes::Nonce;
use std::path::PathBuf;

/// A file and its tag.
pub(crate) struct Line {
    pub(crate) nonce: [u8; Nonce::BYTES],
    pub(crate) tag: Tag,
    pub(crate) path: PathBuf,
}

/// The content of a manifest, in the order of its lines.
pub struct Manifest {
    pub(crate) follow_symlinks: bool,
    /// The PATH arguments.
    pub(crate) arguments: Vec<PathBuf>,
    /// Sorted by the bytes of their paths, and so are `unread`.
    pub(crate) files: Vec<Line>,
    /// Files and folders that existed and could not be read.
    pub(crate) unread: Vec<PathBuf>,
}

impl Manifest {
    /// The line before the seal, without its end.
    pub(super) fn count(&self) -> String {
        format!("files {} unread {}", self.files.len(), self.unread.len())
    }
}
