// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Locks that processes take in turns, on files that are replaced or removed meanwhile.

use crate::error::{Problem, io};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

/// How often to retry the lock after another user has replaced the file.
const ATTEMPTS: usize = 100_000;

/// The device and inode of a file.
pub(crate) type Identity = (u64, u64);

pub(crate) fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// A name in an open folder.
pub(crate) struct Named<'a> {
    pub(crate) folder: &'a OwnedFd,
    pub(crate) name: &'a OsStr,
}

impl Named<'_> {
    /// Opens and locks the file, and returns its metadata. Another process may replace or remove it
    /// before the lock is taken, so the locked file must still have the name. Gives up after
    /// `ATTEMPTS` attempts, for instance on file systems whose inode numbers change.
    pub(crate) fn lock(
        &self,
        access: OFlags,
        not_opened: &'static str,
        lock: impl Fn(&File) -> Result<(), Problem>,
    ) -> Result<(File, Metadata), Problem> {
        // Opening must not block on a pipe, or acquire a controlling terminal.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        // What the umask allows, if the file is created.
        let mode = Mode::from_raw_mode(0o666);
        for _ in 0..ATTEMPTS {
            let file = match rustix::fs::openat(self.folder, self.name, flags, mode) {
                Ok(file) => File::from(file),
                // It is a symbolic link.
                Err(Errno::LOOP) => return Err(Problem::NotRegular),
                Err(error) => return Err(io(not_opened)(error)),
            };
            lock(&file)?;
            let locked = file.metadata().map_err(io("cannot be read"))?;
            match self.is(&locked) {
                Ok(true) => return Ok((file, locked)),
                Ok(false) | Err(Errno::NOENT) => {}
                Err(error) => return Err(io("cannot be opened")(error)),
            }
        }
        let busy = io::Error::from(ErrorKind::ResourceBusy);
        Err(Problem::Io("cannot be locked", busy))
    }

    /// Returns whether that file has the name.
    fn is(&self, file: &Metadata) -> Result<bool, Errno> {
        let named = rustix::fs::statat(self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(identity(file) == (named.st_dev, named.st_ino))
    }
}

/// A lock that one process has at a time: an empty file, which is removed when the lock is dropped.
/// A process that is killed leaves the file, but not the lock.
///
/// It holds among all that lock the same name, on file systems whose locks (`flock`) hold for all
/// their users; on one of a network, they may hold on one machine only.
#[derive(Debug)]
pub struct LockFile {
    folder: OwnedFd,
    name: OsString,
    /// Locked until it is closed.
    file: File,
}

impl LockFile {
    /// Waits for the lock, and takes it.
    ///
    /// # Errors
    ///
    /// [`Problem`] if there is another thing with this name than a regular file, if the folder cannot
    /// be written, or if its file system has no locks.
    pub fn wait(folder: &OwnedFd, name: &OsStr) -> Result<Self, Problem> {
        Self::take(folder, name, FlockOperation::LockExclusive)
    }

    /// Takes the lock, if no other process has it.
    ///
    /// # Errors
    ///
    /// [`Problem`], like [`wait`](Self::wait); of the kind [`ErrorKind::WouldBlock`] if another process
    /// has it.
    pub fn attempt(folder: &OwnedFd, name: &OsStr) -> Result<Self, Problem> {
        Self::take(folder, name, FlockOperation::NonBlockingLockExclusive)
    }

    fn take(folder: &OwnedFd, name: &OsStr, how: FlockOperation) -> Result<Self, Problem> {
        let folder = folder.try_clone().map_err(io("cannot be locked"))?;
        let named = Named {
            folder: &folder,
            name,
        };
        let access = OFlags::RDWR | OFlags::CREATE;
        let (file, metadata) = named.lock(access, "cannot be created or opened", |file| {
            retry_on_intr(|| rustix::fs::flock(file, how)).map_err(io(
                "cannot be locked, without which two processes could write at the same time",
            ))
        })?;
        // The name of anything else stays.
        if !metadata.is_file() {
            return Err(Problem::NotRegular);
        }
        Ok(Self {
            folder,
            name: name.into(),
            file,
        })
    }
}

impl Drop for LockFile {
    /// Removes the name while the lock is held, so that who gets the lock next sees that the file is
    /// another than the one with the name.
    fn drop(&mut self) {
        let named = Named {
            folder: &self.folder,
            name: &self.name,
        };
        // Not the name of another's lock, if someone has removed this one.
        let metadata = self.file.metadata();
        if metadata.is_ok_and(|metadata| named.is(&metadata) == Ok(true)) {
            // If this fails, an empty file remains, which can be locked.
            let _ = rustix::fs::unlinkat(&self.folder, &*self.name, AtFlags::empty());
        }
    }
}
