// SPDX-License-Identifier: Apache-2.0 OR MIT

//! File metadata that shows whether a file changed while it was read.

use hornet_manifest::Kind;
use hornet_manifest::parts::Stamp;
use rustix::fs::{FileType, Mode, Stat, fstat};
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::time::{SystemTime, UNIX_EPOCH};

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

    /// Returns what a parts file keeps of it.
    pub(crate) fn stamp(self) -> Stamp {
        let time = |(seconds, nanoseconds): (i64, i64)| {
            // There are fewer than 10^9.
            (seconds, u32::try_from(nanoseconds).unwrap_or(0))
        };
        Stamp {
            device: self.identity.0,
            inode: self.identity.1,
            modified: time(self.modified),
            changed: time(self.changed),
        }
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
    pub(crate) fn is(self, file: Snapshot) -> bool {
        file.identity.0 == self.device && file.changed < self.since
    }
}

/// When files began to be read, by the clocks of file systems.
#[derive(Clone, Copy)]
pub(crate) struct Began {
    settled: Option<Settled>,
    /// Seconds since 1970, by the clock of this machine.
    seconds: i64,
}

impl Began {
    /// The coarsest times, those of FAT, are multiples of 2 seconds.
    const COARSEST_SECONDS: i64 = 2;

    /// To be called before the first file is read.
    pub(crate) fn now(settled: Option<Settled>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = since
            .ok()
            .and_then(|since| i64::try_from(since.as_secs()).ok());
        Self {
            settled,
            seconds: seconds.unwrap_or(i64::MIN),
        }
    }

    /// Returns what tells later whether a file was changed after it was read.
    ///
    /// `None` if it has just been changed: a further change could give it the same times, and would not
    /// be noticed.
    pub(crate) fn stamp(self, file: Snapshot) -> Option<Stamp> {
        let is_old = self.settled.is_some_and(|settled| settled.is(file))
            || file.changed.0 < self.seconds.saturating_sub(Self::COARSEST_SECONDS);
        is_old.then(|| file.stamp())
    }
}

/// Returns what a file's metadata, as the standard library gives them, say of changes.
#[cfg(test)]
pub(crate) fn stamp_of(metadata: &Metadata) -> Stamp {
    Stamp {
        device: metadata.dev(),
        inode: metadata.ino(),
        modified: (metadata.mtime(), metadata.mtime_nsec().try_into().unwrap()),
        changed: (metadata.ctime(), metadata.ctime_nsec().try_into().unwrap()),
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
        let is = |file: &fs::File| settled.is(Snapshot::of(file).unwrap());
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

        // What is kept to tell changes: only of what was not changed just before it was read.
        let stamp = |began: Began, file| began.stamp(Snapshot::of(file).unwrap());
        let began = Began::now(Some(settled));
        let found = stamp(began, &written);
        assert_eq!(found, None);
        fs::write(folder.path().join("written"), "changed").unwrap();
        tick();
        let key_file = file("key file");
        let began = Began::now(Some(Settled::since(&key_file.metadata().unwrap())));
        let found = stamp(began, &written);
        assert_eq!(found, Some(stamp_of(&written.metadata().unwrap())));
        assert_eq!(stamp(began, &key_file), None);
        // By the clock of the machine.
        let later = |seconds| Began {
            settled: None,
            seconds: key_file.metadata().unwrap().ctime() + seconds,
        };
        assert_eq!(stamp(later(2), &key_file), None);
        assert!(stamp(later(3), &key_file).is_some());
    }
}
