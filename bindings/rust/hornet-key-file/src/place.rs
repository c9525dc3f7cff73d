// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The location of a key file: reading and replacing the file there.

use crate::content::{self, Content, Text};
use crate::error::{Problem, io};
use crate::temporary::Temporary;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How often to retry the lock after another user has replaced the file.
const ATTEMPTS: usize = 100_000;

/// The device and inode of a file.
pub(crate) type Identity = (u64, u64);

/// The folder of a key file and its name there, with all symbolic links resolved, so that the file
/// can be replaced.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    folder: PathBuf,
    name: OsString,
    /// The path that the caller gave.
    shown: PathBuf,
}

impl Place {
    /// Finds the place of an existing file.
    pub(crate) fn of(path: &Path) -> Result<Self, Problem> {
        let real = fs::canonicalize(path).map_err(io("cannot be opened"))?;
        Self::new(&real, path)
    }

    /// Finds the place for a new file.
    pub(crate) fn of_new(path: &Path) -> Result<Self, Problem> {
        let name = path.file_name().ok_or(Problem::NoName)?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).map_err(io("its folder cannot be opened"))?;
        Self::new(&folder.join(name), path)
    }

    fn new(path: &Path, shown: &Path) -> Result<Self, Problem> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Problem::NoName);
        };
        Ok(Self {
            path: path.into(),
            folder: folder.into(),
            name: name.into(),
            shown: shown.into(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn shown(&self) -> &Path {
        &self.shown
    }

    /// Creates the file. It is given its name when it is complete, and only if the name is free.
    pub(crate) fn create(&self, text: &Text) -> Result<Identity, Problem> {
        let folder = self.open_folder()?;
        let temporary = Temporary::create(&folder, &self.name)?;
        temporary.write(text)?;
        let identity = identity(&temporary.metadata().map_err(io("cannot be created"))?);
        temporary.become_new()?;
        sync(&folder)?;
        Ok(identity)
    }

    /// Reads the file.
    pub(crate) fn read(&self) -> Result<(Content, Identity), Problem> {
        let folder = self.open_folder()?;
        let file = self.lock(&folder, OFlags::RDONLY, FlockOperation::LockShared)?;
        let metadata = check(&file)?;
        Ok((read(&file)?, identity(&metadata)))
    }

    /// Atomically replaces the file, under a lock, with the text that `change` returns. When this
    /// function returns the result of `change`, the new file is on the disk.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&Content) -> Result<(T, Text), Problem>,
    ) -> Result<T, Problem> {
        let folder = self.open_folder()?;
        // Holds the lock until the end of the function.
        let file = self.lock(&folder, OFlags::RDWR, FlockOperation::LockExclusive)?;
        check(&file)?;
        let (result, text) = change(&read(&file)?)?;

        let temporary = Temporary::create(&folder, &self.name)?;
        temporary.write(&text)?;
        temporary.replace()?;
        sync(&folder)?;
        Ok(result)
    }

    fn open_folder(&self) -> Result<OwnedFd, Problem> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(&self.folder, flags, Mode::empty())
            .map_err(io("its folder cannot be opened"))
    }

    /// Opens and locks the file. Another process may replace it before the lock is taken, so the
    /// locked file must still have the name. Gives up after `ATTEMPTS` attempts, for instance on
    /// file systems whose inode numbers change.
    fn lock(
        &self,
        folder: &OwnedFd,
        access: OFlags,
        operation: FlockOperation,
    ) -> Result<File, Problem> {
        // Opening must not block on a pipe, or acquire a controlling terminal.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let file = match rustix::fs::openat(folder, &self.name, flags, Mode::empty()) {
                Ok(file) => file,
                // It is a symbolic link.
                Err(Errno::LOOP) => return Err(Problem::NotRegular),
                Err(error) => return Err(io("cannot be opened")(error)),
            };
            retry_on_intr(|| rustix::fs::flock(&file, operation))
                .map_err(io("cannot be locked"))?;

            let locked = rustix::fs::fstat(&file).map_err(io("cannot be read"))?;
            let named = rustix::fs::statat(folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(io("cannot be opened"))?;
            if (locked.st_dev, locked.st_ino) == (named.st_dev, named.st_ino) {
                return Ok(file.into());
            }
        }
        let busy = io::Error::from(ErrorKind::ResourceBusy);
        Err(Problem::Io("cannot be locked", busy))
    }
}

/// Checks that a file may contain a key: it is regular, has one name, and is accessible only by its
/// owner.
fn check(file: &File) -> Result<Metadata, Problem> {
    let metadata = file.metadata().map_err(io("cannot be read"))?;
    if !metadata.is_file() {
        Err(Problem::NotRegular)
    } else if metadata.nlink() != 1 {
        Err(Problem::Links(metadata.nlink()))
    } else {
        check_access(&metadata)?;
        Ok(metadata)
    }
}

/// Checks that only this user may read and write a file, as [`KeyFile`](crate::KeyFile) does for
/// key files. For programs that read other secrets.
///
/// # Errors
///
/// [`Problem::Owner`] or [`Problem::Mode`].
pub fn check_access(metadata: &Metadata) -> Result<(), Problem> {
    let mode = metadata.mode() & 0o7777;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        Err(Problem::Owner)
    } else if mode & 0o077 != 0 {
        Err(Problem::Mode(mode))
    } else {
        Ok(())
    }
}

fn read(mut file: &File) -> Result<Content, Problem> {
    let mut buffer = content::buffer();
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(io("cannot be read")(error)),
        }
    }
    Content::parse(&buffer[..length])
}

/// Flushes the entries of a folder to the disk.
fn sync(folder: &OwnedFd) -> Result<(), Problem> {
    retry_on_intr(|| rustix::fs::fsync(folder)).map_err(io("its folder cannot be written"))
}

pub(crate) fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}
