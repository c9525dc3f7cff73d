// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What tells, together with its length, that a file may have changed since it was read.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The identity and the times of a file when it was read. If they and the length are still the same,
/// the file was not changed, as far as its file system tells: see "Files that are written while they
/// are read" in docs/manifest.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The number of the file system (`st_dev`).
    pub device: u64,
    /// The number of the file there (`st_ino`).
    pub inode: u64,
    /// When the content was last changed, or a program says it was (`mtime`): seconds since 1970, and
    /// nanoseconds.
    pub modified: (i64, u32),
    /// When content or metadata were last changed (`ctime`), which programs cannot set.
    pub changed: (i64, u32),
}

impl Stamp {
    /// The length of its form in a parts file.
    pub(super) const BYTES: usize = 40;

    /// Appends the stamp, or zeros where there is none.
    pub(super) fn write(stamp: Option<&Self>, to: &mut Vec<u8>) {
        let Some(stamp) = stamp else {
            to.extend_from_slice(&[0; Self::BYTES]);
            return;
        };
        for number in [stamp.device, stamp.inode] {
            to.extend_from_slice(&number.to_le_bytes());
        }
        for (seconds, nanoseconds) in [stamp.modified, stamp.changed] {
            to.extend_from_slice(&seconds.to_le_bytes());
            to.extend_from_slice(&nanoseconds.to_le_bytes());
        }
    }

    pub(super) fn read(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let array = |at| <[u8; 8]>::try_from(&bytes[at..at + 8]).unwrap_or_default();
        let number = |at| u64::from_le_bytes(array(at));
        let time = |at| {
            let nanoseconds = <[u8; 4]>::try_from(&bytes[at + 8..at + 12]).unwrap_or_default();
            (
                i64::from_le_bytes(array(at)),
                u32::from_le_bytes(nanoseconds),
            )
        };
        let stamp = Self {
            device: number(0),
            inode: number(8),
            modified: time(16),
            changed: time(28),
        };
        // No file has the number 0.
        (*bytes != [0; Self::BYTES]).then_some(stamp)
    }
}

impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        // There are fewer than 10^9.
        let nanoseconds = |count: i64| u32::try_from(count).unwrap_or(0);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), nanoseconds(metadata.mtime_nsec())),
            changed: (metadata.ctime(), nanoseconds(metadata.ctime_nsec())),
        }
    }
}
