// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The files that are never tagged: the key file, the manifest, its parts and standard output. They are recognized by device
//! and inode, because links and mounts give them any number of paths.

use crate::tree::failure::Failure;
use crate::tree::snapshot::Snapshot;
use hornet_key_file::KeyFile;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(crate) struct Excluded<'a> {
    key_file: &'a KeyFile,
    /// Device and inode of the excluded files other than the key file.
    others: Vec<(u64, u64)>,
}

impl<'a> Excluded<'a> {
    /// Excludes the key file and other existing files.
    pub(crate) fn new(key_file: &'a KeyFile, others: impl IntoIterator<Item = Metadata>) -> Self {
        Self {
            key_file,
            others: others.into_iter().map(|other| identity(&other)).collect(),
        }
    }

    pub(crate) fn is(&self, metadata: &Metadata) -> bool {
        self.others.contains(&identity(metadata)) || self.key_file.is(metadata)
    }

    pub(crate) fn is_at(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|metadata| self.is(&metadata))
    }

    /// Refuses an open file that is excluded.
    pub(super) fn check(&self, file: &File, snapshot: Snapshot) -> Result<(), Failure> {
        if self.others.contains(&snapshot.identity) {
            return Err(Failure::Excluded);
        }
        // Finding where the key file is now takes a system call, which is saved for files that
        // cannot be the key file.
        if snapshot.is_private {
            let metadata = file.metadata()?;
            if self.key_file.is(&metadata) {
                return Err(Failure::Excluded);
            }
            // The file may be a key file that was replaced in the meantime.
            if metadata.nlink() == 0 {
                return Err(Failure::Missing);
            }
        }
        Ok(())
    }
}

/// Returns device and inode, which tell files apart.
pub(crate) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
