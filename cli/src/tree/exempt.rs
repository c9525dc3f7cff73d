// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The files that are never tagged: the key file and the manifest.

use hornet_key_file::KeyFile;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(crate) struct Exempt<'a> {
    key_file: &'a KeyFile,
    /// The inodes of both, so that other files need no `stat`.
    inodes: Vec<u64>,
    manifest: Option<(u64, u64)>,
}

impl<'a> Exempt<'a> {
    /// `manifest` is `None` if no manifest exists yet.
    pub(crate) fn new(key_file: &'a KeyFile, key_path: &Path, manifest: Option<&Metadata>) -> Self {
        let key_inode = fs::metadata(key_path).ok().map(|key| key.ino());
        Self {
            key_file,
            inodes: key_inode
                .into_iter()
                .chain(manifest.map(MetadataExt::ino))
                .collect(),
            manifest: manifest.map(|manifest| (manifest.dev(), manifest.ino())),
        }
    }

    pub(crate) fn is(&self, metadata: &Metadata) -> bool {
        self.manifest == Some((metadata.dev(), metadata.ino())) || self.key_file.is(metadata)
    }

    /// Whether a file with this inode, on any device, can be one of them.
    pub(crate) fn may_be(&self, inode: u64) -> bool {
        self.inodes.contains(&inode)
    }

    pub(crate) fn is_at(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|metadata| self.is(&metadata))
    }
}
