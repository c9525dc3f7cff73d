// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The location of a key file: reading and replacing the file there.

use crate::content::{self, Content, Text};
use crate::error::{Problem, io};
use crate::lock_file::{Identity, Named, identity};
use crate::new_file::{Access, NewFile, is_mine, lacks};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::retry_on_intr;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file and when it was written: once it has been removed, another may get its inode.
pub(crate) type Version = (Identity, (i64, i64));

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
    /// Finds the place of an existing file. Returns `None` for a pipe, and for a file that no longer
    /// has a name but can be opened, by a path such as `/dev/fd/3`.
    pub(crate) fn of(path: &Path) -> Result<Option<Self>, Problem> {
        let open = io("cannot be opened");
        let metadata = fs::metadata(path).map_err(open)?;
        match fs::canonicalize(path) {
            _ if metadata.file_type().is_fifo() => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound && metadata.is_file() => Ok(None),
            real => Self::new(&real.map_err(io("cannot be opened"))?, path).map(Some),
        }
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
    pub(crate) fn create(&self, text: &Text) -> Result<Version, Problem> {
        self.write(&self.open_folder()?, text, false)
    }

    /// Reads the file.
    pub(crate) fn read(&self) -> Result<(Content, Version), Problem> {
        let folder = self.open_folder()?;
        let (file, metadata) = self.lock(&folder, OFlags::RDONLY, FlockOperation::LockShared)?;
        check(&metadata, check_reading)?;
        Ok((read(&file)?, version(&metadata)))
    }

    /// Atomically replaces the file, under a lock, with the text that `change` returns, if any. When
    /// this function returns the result of `change`, the new file is on the disk.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&Content) -> Result<(T, Option<Text>), Problem>,
    ) -> Result<T, Problem> {
        let folder = self.open_folder()?;
        // Holds the lock until the end of the function.
        let (file, metadata) = self.lock(&folder, OFlags::RDWR, FlockOperation::LockExclusive)?;
        check(&metadata, check_access)?;
        let (result, text) = change(&read(&file)?)?;
        if let Some(text) = text {
            self.write(&folder, &text, true)?;
        }
        Ok(result)
    }

    fn write(&self, folder: &OwnedFd, text: &Text, replaces: bool) -> Result<Version, Problem> {
        let file = NewFile {
            folder,
            name: &self.name,
            access: Access::Owner,
            replaces,
        };
        Ok(version(&file.write(text)?))
    }

    fn open_folder(&self) -> Result<OwnedFd, Problem> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(&self.folder, flags, Mode::empty())
            .map_err(io("its folder cannot be opened"))
    }

    /// Opens and locks the file, and returns its metadata.
    ///
    /// Without locks, a file can still be read, because it is replaced as a whole.
    fn lock(
        &self,
        folder: &OwnedFd,
        access: OFlags,
        operation: FlockOperation,
    ) -> Result<(File, Metadata), Problem> {
        let (is_read, not_opened) = match access {
            OFlags::RDONLY => (true, "cannot be opened"),
            _ => (false, "cannot be opened for writing"),
        };
        let named = Named {
            folder,
            name: &self.name,
        };
        named.lock(access, not_opened, |file| {
            match retry_on_intr(|| rustix::fs::flock(file, operation)) {
                Err(error) if !(is_read && lacks(error)) => Err(io(
                    "cannot be locked, without which two processes could take the same nonces",
                )(error)),
                _ => Ok(()),
            }
        })
    }
}

/// Checks that a file may contain a key: it is regular, has one name, and allows no access that
/// `check_access` refuses.
fn check(
    metadata: &Metadata,
    check_access: fn(&Metadata) -> Result<(), Problem>,
) -> Result<(), Problem> {
    if !metadata.is_file() {
        Err(Problem::NotRegular)
    } else if metadata.nlink() > 1 {
        Err(Problem::Links(metadata.nlink()))
    } else {
        check_access(metadata)
    }
}

/// Checks that a key may be read from this file: an administrator may own it, as those of
/// orchestrators are root's, and may let the group read it, but nobody else.
fn check_reading(metadata: &Metadata) -> Result<(), Problem> {
    let mode = metadata.mode() & 0o7777;
    if !is_mine(metadata) && metadata.uid() != 0 {
        Err(Problem::Owner)
    } else if mode & 0o037 != 0 {
        Err(Problem::Mode(mode))
    } else {
        Ok(())
    }
}

/// Checks that only this user may read and write a file, as [`KeyFile`](crate::KeyFile) does before
/// it hands out nonces. For programs that read other secrets.
///
/// # Errors
///
/// [`Problem::Owner`] or [`Problem::Mode`].
pub fn check_access(metadata: &Metadata) -> Result<(), Problem> {
    let mode = metadata.mode() & 0o7777;
    if !is_mine(metadata) {
        Err(Problem::Owner)
    } else if mode & 0o077 != 0 {
        Err(Problem::Mode(mode))
    } else {
        Ok(())
    }
}

/// Reads a key from what has no place.
pub(crate) fn read_pipe(path: &Path) -> Result<(Content, Version), Problem> {
    let open = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    };
    let (file, metadata) = open().map_err(io::<io::Error>("cannot be opened"))?;
    // No other user can open it by a name, so its mode does not matter.
    let is_nameless = metadata.is_file() && metadata.nlink() == 0;
    if metadata.file_type().is_fifo() {
        if !is_anonymous(&metadata) {
            check_reading(&metadata)?;
        }
    } else if !is_nameless {
        return Err(Problem::NotRegular);
    }
    Ok((read(&file)?, version(&metadata)))
}

/// Returns whether a pipe never had a name, by which other users could have opened it: it is where
/// the system keeps such pipes.
fn is_anonymous(pipe: &Metadata) -> bool {
    let other = rustix::pipe::pipe().map(|(end, _)| File::from(end).metadata());
    other.is_ok_and(|other| other.is_ok_and(|other| other.dev() == pipe.dev()))
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

pub(crate) fn version(metadata: &Metadata) -> Version {
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    (identity(metadata), modified)
}
