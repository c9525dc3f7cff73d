// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The file that becomes a key file when it is complete.
//!
//! If the system supports it (Linux, `O_TMPFILE`), it has no name until then, so that nothing is
//! left behind when the process is killed. Elsewhere, and during the moment in which it replaces
//! another file, its name ends in a random number, and creating it fails if the name is taken. So
//! no other file is ever written or removed.

use crate::content::Text;
use crate::error::{Problem, io};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::fd::OwnedFd;

const MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A temporary file. Its temporary name, if it has one, is removed when it is dropped.
pub(crate) struct Temporary<'a> {
    folder: &'a OwnedFd,
    /// The name of the file to create or replace.
    target: &'a OsStr,
    file: File,
    /// The temporary name, as long as it has one.
    name: Option<String>,
}

impl<'a> Temporary<'a> {
    /// Creates it in the folder of the file that it will become.
    pub(crate) fn create(folder: &'a OwnedFd, target: &'a OsStr) -> Result<Self, Problem> {
        let temporary = match without_name(folder)? {
            Some(file) => Self {
                folder,
                target,
                file: file.into(),
                name: None,
            },
            None => Self::with_name(folder, target)?,
        };
        // Independent of the umask.
        rustix::fs::fchmod(&temporary.file, MODE).map_err(io(CREATE))?;
        Ok(temporary)
    }

    fn with_name(folder: &'a OwnedFd, target: &'a OsStr) -> Result<Self, Problem> {
        let name = random_name()?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder, &name, flags, MODE).map_err(io(CREATE))?;
        Ok(Self {
            folder,
            target,
            file: file.into(),
            name: Some(name),
        })
    }

    /// Writes the whole text and flushes it to the disk.
    pub(crate) fn write(&self, text: &Text) -> Result<(), Problem> {
        (&self.file)
            .write_all(text)
            .and_then(|()| self.file.sync_all())
            .map_err(io("a temporary file beside it cannot be written"))
    }

    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    /// Gives it the name of the target, which it replaces.
    pub(crate) fn replace(mut self) -> Result<(), Problem> {
        const REPLACE: &str = "cannot be replaced";
        let name = if let Some(name) = self.name.take() {
            name
        } else {
            // A link cannot replace a file; only `rename` can.
            let name = random_name()?;
            link(&self.file, self.folder, &*name).map_err(io(REPLACE))?;
            name
        };
        let name = self.name.insert(name);
        rustix::fs::renameat(self.folder, name.as_str(), self.folder, self.target)
            .map_err(io(REPLACE))?;
        self.name = None;
        Ok(())
    }

    /// Gives it the name of the target, unless the name is taken.
    pub(crate) fn become_new(mut self) -> Result<(), Problem> {
        let result = match &self.name {
            None => link(&self.file, self.folder, self.target),
            Some(name) => match rename_to_new(self.folder, name, self.target) {
                Ok(()) => {
                    self.name = None;
                    Ok(())
                }
                // Not all systems and file systems support this. The temporary name is removed when
                // `self` is dropped.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                    let flags = AtFlags::empty();
                    rustix::fs::linkat(self.folder, name, self.folder, self.target, flags)
                }
                Err(error) => Err(error),
            },
        };
        result.map_err(|error| match error {
            Errno::EXIST => Problem::Exists,
            error => io("cannot be created")(error),
        })
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If this fails too, the file remains.
            let _ = rustix::fs::unlinkat(self.folder, name, AtFlags::empty());
        }
    }
}

const CREATE: &str = "a temporary file cannot be created beside it";

/// Returns a name that no other file has: hidden, with a random number.
fn random_name() -> Result<String, Problem> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io("no random bytes for a temporary name"))?;
    Ok(format!(".hornet-key-{:016x}", u64::from_ne_bytes(random)))
}

/// Creates a file without a name, if the file system supports it and `link` can name it later.
#[cfg(target_os = "linux")]
fn without_name(folder: &OwnedFd) -> Result<Option<OwnedFd>, Problem> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    match rustix::fs::openat(folder, ".", flags, MODE) {
        Ok(file) => {
            let nameable = rustix::fs::stat(path_of(&file)).is_ok();
            Ok(nameable.then_some(file))
        }
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => Ok(None),
        Err(error) => Err(io(CREATE)(error)),
    }
}

#[cfg(not(target_os = "linux"))]
fn without_name(_: &OwnedFd) -> Result<Option<OwnedFd>, Problem> {
    Ok(None)
}

/// Gives a name to a file that has none, unless the name is taken.
fn link(file: &File, folder: &OwnedFd, name: impl Arg) -> rustix::io::Result<()> {
    let flags = AtFlags::SYMLINK_FOLLOW;
    rustix::fs::linkat(rustix::fs::CWD, path_of(file), folder, name, flags)
}

/// Returns a path under which the system finds an open file.
fn path_of(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_to_new(folder: &OwnedFd, from: &str, to: &OsStr) -> rustix::io::Result<()> {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    rustix::fs::renameat_with(folder, from, folder, to, flags)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_to_new(_: &OwnedFd, _: &str, _: &OsStr) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}
