// SPDX-License-Identifier: Apache-2.0 OR MIT

//! File metadata that shows whether a file changed while it was read.

use hornet_manifest::Kind;
use rustix::fs::{FileType, Mode, Stat, fstat};
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Device and inode.
    pub(crate) identity: (u64, u64),
    /// Whether only its owner has permissions.
    pub(crate) is_private: bool,
    pub(crate) length: u64,
    modified: (i64, i64),
    /// When content or metadata last changed. Programs cannot set this time, except by setting the
    /// clock.
    changed: (i64, i64),
    file_type: FileType,
}

impl Snapshot {
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }

    /// Returns the kind of a file that is not regular.
    pub(crate) fn is_not(self) -> Option<Kind> {
        (self.file_type != FileType::RegularFile).then(|| Kind::of(self.file_type))
    }

    /// Returns whether the length, modification time or change time of a regular file has changed.
    /// Detects changes as far as the file system's timestamps distinguish writes, even if a program
    /// sets the modification time back. A change of metadata alone (mode, owner, links) counts too.
    pub(crate) fn has_changed(self, file: impl AsFd) -> io::Result<bool> {
        Ok(self.is_not().is_none() && self != Self::of(file)?)
    }
}

impl From<&Stat> for Snapshot {
    #[expect(
        clippy::allow_attributes,
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        reason = "the types differ between systems, and are only compared"
    )]
    #[allow(
        clippy::cast_lossless,
        clippy::cast_sign_loss,
        reason = "on some systems"
    )]
    fn from(stat: &Stat) -> Self {
        Self {
            identity: (stat.st_dev as u64, stat.st_ino as u64),
            is_private: !Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO),
            // No file has a negative length.
            length: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            file_type: FileType::from_raw_mode(stat.st_mode),
        }
    }
}

/// A point in time by the clock of one file system. A file whose last change precedes it is not
/// being changed now.
#[derive(Clone, Copy)]
pub(crate) struct Settled {
    device: u64,
    since: (i64, i64),
}

impl Settled {
    /// Returns the change time of this file, which was just written.
    pub(crate) fn since(written: &Metadata) -> Self {
        Self {
            device: written.dev(),
            since: (written.ctime(), written.ctime_nsec()),
        }
    }

    /// Returns whether a file is on the same file system and neither its content nor its metadata
    /// has changed since. Programs cannot set this time, except by setting the clock back.
    #[expect(
        clippy::allow_attributes,
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        reason = "the types differ between systems, and are only compared"
    )]
    #[allow(
        clippy::cast_lossless,
        clippy::cast_sign_loss,
        reason = "on some systems"
    )]
    pub(crate) fn is(self, stat: &Stat) -> bool {
        stat.st_dev as u64 == self.device
            && (stat.st_ctime as i64, stat.st_ctime_nsec as i64) < self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::thread::sleep;
    use std::time::Duration;

    /// Sets the time back as `touch -r` does, to hide a change.
    #[test]
    fn a_change_whose_time_is_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "before").unwrap();
        let file = fs::File::open(&path).unwrap();
        let before = Snapshot::of(&file).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        assert!(!before.has_changed(&file).unwrap());
        sleep(Duration::from_millis(20));
        fs::write(&path, "hidden").unwrap();
        let writer = fs::File::options().write(true).open(&path).unwrap();
        writer.set_modified(modified).unwrap();
        assert_eq!(file.metadata().unwrap().modified().unwrap(), modified);
        assert!(before.has_changed(&file).unwrap());
    }

    #[test]
    fn settled() {
        let folder = tempfile::tempdir().unwrap();
        let tick = || sleep(Duration::from_millis(20));
        let file = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, name).unwrap();
            tick();
            fs::File::open(path).unwrap()
        };
        let before = file("before");
        let written = file("written");
        let after = file("after");
        let settled = Settled::since(&written.metadata().unwrap());
        let is = |file: &fs::File| settled.is(&fstat(file).unwrap());
        assert!(is(&before));
        // The same time as the reference.
        assert!(!is(&written));
        assert!(!is(&after));

        // The modification time, which programs can set, does not count.
        fs::write(folder.path().join("before"), "changed").unwrap();
        before.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(!is(&before));

        let elsewhere = fs::File::open("/proc/self/stat").unwrap();
        assert!(!is(&elsewhere));
    }
}
