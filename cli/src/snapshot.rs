//! How a file looks from outside, so that a change while it is being read is noticed.

use crate::opener::kind;
use rustix::fs::{FileType, Stat, fstat};
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) length: u64,
    modified: (i64, i64),
    file_type: FileType,
}

impl Snapshot {
    pub(crate) fn of(file: impl AsFd) -> io::Result<Self> {
        Ok(Self::from(&fstat(file)?))
    }

    /// What it is if it is not a regular file.
    pub(crate) fn is_not(self) -> Option<&'static str> {
        (self.file_type != FileType::RegularFile).then(|| kind(self.file_type))
    }

    /// Whether a regular file is longer, shorter or newer by now. Catches what honest programs do to
    /// it, as far as the clock of the file system tells their writes apart.
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
    #[allow(clippy::cast_lossless, reason = "on some systems")]
    fn from(stat: &Stat) -> Self {
        Self {
            // No file has a negative length.
            length: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            file_type: FileType::from_raw_mode(stat.st_mode),
        }
    }
}

/// A moment by the clock of one file system: what was last changed before it is not being changed now.
#[derive(Clone, Copy)]
pub(crate) struct Settled {
    device: u64,
    since: (i64, i64),
}

impl Settled {
    /// When this file, which was just written, was.
    pub(crate) fn since(written: &Metadata) -> Self {
        Self {
            device: written.dev(),
            since: (written.ctime(), written.ctime_nsec()),
        }
    }

    /// Whether a file is on the same file system, and neither its content nor anything about it has
    /// changed since. Programs cannot set this time; who sets the clock back can.
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
        // In the same tick, who knows.
        assert!(!is(&written));
        assert!(!is(&after));

        // Whatever time the file claims for itself.
        fs::write(folder.path().join("before"), "changed").unwrap();
        before.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(!is(&before));

        let elsewhere = fs::File::open("/proc/self/stat").unwrap();
        assert!(!is(&elsewhere));
    }
}
