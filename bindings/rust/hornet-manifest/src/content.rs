// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The content of a manifest.

use crate::kind::Kind;
use crate::time::Time;
use hornet::Tag;
use hornet::aes::Nonce;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A file and its tag.
#[derive(Debug)]
pub struct Line {
    /// The nonce of the tag; its purpose is that of a message.
    pub nonce: [u8; Nonce::BYTES],
    /// The tag of the content.
    pub tag: Tag,
    /// The path, as found below an argument.
    pub path: PathBuf,
}

/// Something that was found but has no tag.
#[derive(Debug)]
pub struct Other {
    /// The path, as found below an argument.
    pub path: PathBuf,
    /// What it is.
    pub kind: Kind,
}

/// The content of a manifest, in the order of its lines.
#[derive(Debug)]
pub struct Manifest {
    /// Whether symbolic links were followed.
    pub follow_symlinks: bool,
    /// The PATH arguments.
    pub arguments: Vec<PathBuf>,
    /// The patterns of what was left out below them, as given.
    pub exclude: Vec<String>,
    /// Sorted by the bytes of their paths, and so are `unread` and `others`.
    pub files: Vec<Line>,
    /// Files and folders that existed and could not be read.
    pub unread: Vec<PathBuf>,
    /// Entries that are not files, and folders that are empty or were not entered.
    pub others: Vec<Other>,
    /// When the manifest was sealed.
    pub sealed: Time,
}

impl Manifest {
    /// Returns the index of the file with this path, as the manifest spells it.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<usize> {
        let of = path.as_os_str().as_bytes();
        self.files
            .binary_search_by(|line| line.path.as_os_str().as_bytes().cmp(of))
            .ok()
    }
}

/// Returns the line before the seal, without the newline.
pub(crate) fn count_line(files: usize, unread: usize, others: usize) -> String {
    format!("files {files} unread {unread} others {others}")
}
