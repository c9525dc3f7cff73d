// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The holes of a file: parts for which the file system keeps nothing, and which read as zeros. The value of the
//! polynomial over zeros has a closed form, so they need not be read.
//!
//! ```
//! use hornet::aes::{Key, Partial};
//! use hornet_manifest::holes::Extents;
//! use std::os::unix::fs::FileExt;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("disk");
//! # std::fs::File::create(&path)?.write_all_at(b"content", 3 << 20)?;
//! # let key = Key::clamped(&[7; 32]);
//! let file = std::fs::File::open(&path)?;
//! let mut whole = Partial::default();
//! for extent in Extents::of(&file, file.metadata()?.len())? {
//!     let extent = extent?;
//!     let partial = if extent.is_hole {
//!         key.partial_zeros(extent.len_bytes())
//!     } else {
//!         // For long files, through a buffer of some whole blocks.
//!         let mut content = vec![0; extent.len_bytes().try_into()?];
//!         file.read_exact_at(&mut content, extent.start)?;
//!         key.partial(&content)
//!     };
//!     key.append(&mut whole, &partial)?;
//! }
//! assert_eq!(whole.len_bytes(), (3 << 20) + 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Where holes are skipped.** On Linux, on ext4, XFS, Btrfs and tmpfs, whose answers to `SEEK_DATA` and `SEEK_HOLE` take
//! into account what is not on the disk yet. Those of ZFS did not for years (openzfs/zfs#11900, #15526), and of others
//! nothing is known: there, all of a file is data.
//!
//! **If the file changes meanwhile**, what has been said of it may no longer be so. As for data that is read, the length,
//! the modification time and the change time from before and after tell.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// The length of the shortest hole that is skipped: 64 KiB. Reading that takes 10 to 20 µs; skipping it, with two system
/// calls, a value of zeros and one more segment to append, 2 to 4 µs. Shorter holes are data.
pub const SHORTEST_BYTES: u64 = 64 << 10;

/// Two neighbouring extents meet at a multiple of this: the length of a block of Poly1305.
#[cfg(target_os = "linux")]
const BLOCK_BYTES: u64 = 16;

/// After this many holes in succession that are too short, the next `LEAP_BYTES` are data without a look at them, which
/// limits the looking to some 16 µs for 16 MiB, where reading takes 3 ms.
#[cfg(target_os = "linux")]
const PATIENCE: u32 = 16;
#[cfg(target_os = "linux")]
const LEAP_BYTES: u64 = 16 << 20;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The offset of its first byte. A multiple of 16.
    pub start: u64,
    /// The offset behind its last byte. A multiple of 16, or the length of the file.
    pub end: u64,
    /// Whether it need not be read, since it consists of zeros: a hole of at least [`SHORTEST_BYTES`].
    pub is_hole: bool,
}

impl Extent {
    /// Returns its length in bytes, which is not 0.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        self.end - self.start
    }
}

/// What a file consists of, in order and without gaps, found out step by step: an iterator that takes no memory for each
/// hole. Two holes or two extents of data in succession are possible.
///
/// It moves the position of the file. An item is an error if the file system cannot tell, or if the file has become
/// shorter; the error names the place.
#[derive(Debug)]
pub struct Extents<'f> {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "all is data"))]
    file: BorrowedFd<'f>,
    /// What comes before was returned.
    at: u64,
    length: u64,
    /// Whether to ask for holes.
    look: bool,
    /// What comes next, if that is known.
    next: Option<Extent>,
    /// The number of holes in succession that were too short.
    #[cfg(target_os = "linux")]
    short: u32,
    fills_if_mapped: bool,
}

impl<'f> Extents<'f> {
    /// Returns what the first `length` bytes of a file consist of. The length should be that of the file: beyond its end is
    /// nothing, not even a hole.
    ///
    /// Takes no system call for a file of less than [`SHORTEST_BYTES`], and two or three for one without holes. The position
    /// of the file may then be at its start.
    ///
    /// # Errors
    ///
    /// If the position cannot be set.
    pub fn of(file: &'f impl AsFd, length: u64) -> io::Result<Self> {
        let mut extents = Self::of_data(file, length);
        if length >= SHORTEST_BYTES {
            extents.find_out()?;
        }
        Ok(extents)
    }

    /// Returns what the bytes from `start`, a multiple of 16, to `end` consist of, like [`of`](Self::of): a part of a file
    /// whose other parts are looked at elsewhere.
    ///
    /// # Errors
    ///
    /// If the position cannot be set.
    pub fn of_part(file: &'f impl AsFd, start: u64, end: u64) -> io::Result<Self> {
        debug_assert!(start % 16 == 0, "extents are of whole blocks");
        let mut extents = Self::of_data(file, end);
        extents.at = start;
        if end.saturating_sub(start) >= SHORTEST_BYTES {
            extents.find_out()?;
        }
        Ok(extents)
    }

    /// Returns all of it as data, without asking the file system.
    fn of_data(file: &'f impl AsFd, length: u64) -> Self {
        Self {
            file: file.as_fd(),
            at: 0,
            length,
            look: false,
            next: None,
            #[cfg(target_os = "linux")]
            short: 0,
            fills_if_mapped: false,
        }
    }

    /// Returns what comes next as data, to the end.
    #[must_use]
    pub fn with_holes_as_data(mut self) -> Self {
        self.look = false;
        if let Some(next) = &mut self.next {
            next.is_hole = false;
        }
        self
    }

    /// Returns whether all of it is known to be data.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        !self.look
    }

    /// Returns whether memory would be allocated for holes, and stay with the file, if they were read through a mapping. On
    /// tmpfs it is, also for those that are shorter than [`SHORTEST_BYTES`].
    #[must_use]
    pub fn fills_if_mapped(&self) -> bool {
        self.fills_if_mapped
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "all is data")]
    fn find_out(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod looking {
    use super::{BLOCK_BYTES, Extent, Extents, LEAP_BYTES, PATIENCE, SHORTEST_BYTES};
    use rustix::fs::{SeekFrom, StatFs, fstat, fstatfs, seek};
    use rustix::io::Errno;
    use std::io::{self, ErrorKind};

    const EXT4: u32 = 0xef53;
    const XFS: u32 = u32::from_be_bytes(*b"XFSB");
    const BTRFS: u32 = 0x9123_683e;
    const TMPFS: u32 = 0x0102_1994;

    /// What `st_blocks` counts, on every file system.
    const STAT_BLOCK_BYTES: u64 = 512;

    impl Extents<'_> {
        /// Finds out whether to look for holes.
        pub(super) fn find_out(&mut self) -> io::Result<()> {
            let kind = fstatfs(self.file).map_or(0, |stat| kind_of(&stat));
            let is_known = [EXT4, XFS, BTRFS, TMPFS].contains(&kind);
            if !is_known || (kind == TMPFS && self.has_all_pages()) {
                return Ok(());
            }
            // Also fails if the file is empty by now, which reading it will show.
            let Ok(hole) = seek(self.file, SeekFrom::Hole(self.at)) else {
                return Ok(());
            };
            if hole < self.length {
                self.look = true;
                self.fills_if_mapped = kind == TMPFS;
            }
            seek(self.file, SeekFrom::Start(0))?;
            Ok(())
        }

        /// Returns whether a file on tmpfs has as many pages as its length takes. There, to seek a hole takes 0.1 µs for
        /// each page. Elsewhere, blocks that were never written are holes too.
        fn has_all_pages(&self) -> bool {
            let Ok(stat) = fstat(self.file) else {
                return false;
            };
            let bytes =
                u64::try_from(stat.st_blocks).map(|blocks| blocks.saturating_mul(STAT_BLOCK_BYTES));
            bytes.is_ok_and(|bytes| bytes >= self.length)
        }

        /// Returns the next data, or the next hole if there is none before it.
        pub(super) fn search(&mut self) -> io::Result<Extent> {
            let start = self.at;
            while self.at < self.length {
                let hole = self.next_hole()?;
                self.at = hole.end;
                if hole.end - hole.start >= SHORTEST_BYTES {
                    self.short = 0;
                    if hole.start == start {
                        return Ok(hole);
                    }
                    return Ok(Extent {
                        start,
                        end: self.next.insert(hole).start,
                        is_hole: false,
                    });
                }
                self.short += 1;
                if self.short == PATIENCE {
                    self.short = 0;
                    self.at = self.at.saturating_add(LEAP_BYTES).min(self.length);
                }
            }
            Ok(Extent {
                start,
                end: self.length,
                is_hole: false,
            })
        }

        /// Returns the next hole, of any length; one of no bytes at the end if there are no more.
        fn next_hole(&self) -> io::Result<Extent> {
            let start = match seek(self.file, SeekFrom::Hole(self.at)) {
                Err(Errno::NXIO) => return Err(self.shrank()),
                start => start?,
            };
            // The blocks of file systems are longer than these, but this costs nothing.
            let start = start.clamp(self.at, self.length);
            let start = start
                .checked_next_multiple_of(BLOCK_BYTES)
                .unwrap_or(self.length);
            let end = if start >= self.length {
                self.length
            } else {
                match seek(self.file, SeekFrom::Data(start)) {
                    // No data follows. Behind the end of the file, there would not be any either.
                    Err(Errno::NXIO) if seek(self.file, SeekFrom::End(0))? < self.length => {
                        return Err(self.shrank());
                    }
                    Err(Errno::NXIO) => self.length,
                    end => match end? {
                        end if end >= self.length => self.length,
                        // If the hole was filled in between, the search goes on behind its first block.
                        end => {
                            (end / BLOCK_BYTES * BLOCK_BYTES).max(start.saturating_add(BLOCK_BYTES))
                        }
                    },
                }
            };
            Ok(Extent {
                start: start.min(self.length),
                end: end.min(self.length),
                is_hole: true,
            })
        }

        fn shrank(&self) -> io::Error {
            let Self { at, length, .. } = self;
            let end = match seek(self.file, SeekFrom::End(0)) {
                Ok(end) if end < *length => end,
                Ok(_) => *at,
                Err(error) => return error.into(),
            };
            io::Error::new(
                ErrorKind::UnexpectedEof,
                format!(
                    "shrank while it was being read: ends at byte {end}, before the end of its hole map at byte {length}"
                ),
            )
        }
    }

    #[expect(
        clippy::allow_attributes,
        clippy::cast_possible_truncation,
        reason = "the type differs between architectures, and the numbers have 32 bits"
    )]
    #[allow(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "on some architectures"
    )]
    fn kind_of(stat: &StatFs) -> u32 {
        stat.f_type as u32
    }
}

impl Iterator for Extents<'_> {
    type Item = io::Result<Extent>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(next) = self.next.take() {
            return Some(Ok(next));
        }
        if self.at >= self.length {
            return None;
        }
        #[cfg(target_os = "linux")]
        if self.look {
            let found = self.search();
            if found.is_err() {
                // Nothing comes after an error.
                self.at = self.length;
            }
            return Some(found);
        }
        let start = self.at;
        self.at = self.length;
        Some(Ok(Extent {
            start,
            end: self.length,
            is_hole: false,
        }))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
