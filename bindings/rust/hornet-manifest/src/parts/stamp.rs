// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What tells, together with its length, that a file may have changed since it was read.

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

/// The length of what stands for the version of an object.
pub const PIN_BYTES: usize = 16;

/// Where the pin of an object is, in place of a stamp.
const PIN_AT: usize = 16;

impl Stamp {
    /// The length of its form in a parts file.
    pub(super) const BYTES: usize = 40;
    /// The numbers of the file system and of the file, in what has a pin in place of a stamp: no file
    /// has the number 0.
    const OF_PIN: [u64; 2] = [1, 0];

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
        (stamp.inode != 0).then_some(stamp)
    }

    /// Appends the pin of an object in place of a stamp.
    pub(super) fn write_pin(pin: &[u8; PIN_BYTES], to: &mut Vec<u8>) {
        let start = to.len();
        for number in Self::OF_PIN {
            to.extend_from_slice(&number.to_le_bytes());
        }
        to.extend_from_slice(pin);
        to.resize(start + Self::BYTES, 0);
    }

    pub(super) fn read_pin(bytes: &[u8; Self::BYTES]) -> Option<[u8; PIN_BYTES]> {
        let (numbers, rest) = bytes.split_at(PIN_AT);
        let is_pin = numbers == Self::OF_PIN.map(u64::to_le_bytes).concat();
        rest.first_chunk().filter(|_| is_pin).copied()
    }
}
