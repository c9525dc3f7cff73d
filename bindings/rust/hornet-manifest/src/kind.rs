// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The kinds of files that are not regular, and the words for them.

use rustix::fs::FileType;
use std::fmt;

/// What has no tag: something that is not a regular file, or a folder without files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A folder that is empty or was not entered.
    Folder,
    /// A symbolic link that was not followed.
    Symlink,
    /// A fifo.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// Something else.
    Unknown,
}

impl Kind {
    /// Returns the kind of a file that is not regular.
    #[must_use]
    pub fn of(file_type: FileType) -> Self {
        match file_type {
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            _ => Self::Unknown,
        }
    }

    /// Returns the word for the kind in manifests.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Folder => "folder",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the kind with this word.
    #[must_use]
    pub fn named(word: &[u8]) -> Option<Self> {
        let all = [
            Self::Folder,
            Self::Symlink,
            Self::Fifo,
            Self::Socket,
            Self::Device,
            Self::Unknown,
        ];
        all.into_iter().find(|kind| kind.word().as_bytes() == word)
    }
}

/// Writes the kind as part of a sentence.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a fifo",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "a file of unknown type",
        })
    }
}
