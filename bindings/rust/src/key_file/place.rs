//! Where a key file is, and how it is read and replaced there.

use super::content::{self, Content, Text};
use super::error::Problem;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::{OsStr, OsString};
use std::format;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How often a file is locked that is no longer the one. Each time, another user of it got on.
const ATTEMPTS: usize = 100_000;

/// A file's device and inode.
pub(super) type Identity = (u64, u64);

/// Where a key file is: a folder and a name in it, behind all symbolic links, so that a file there
/// can be replaced by another.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    folder: PathBuf,
    name: OsString,
    /// As the caller named it.
    shown: PathBuf,
}

impl Place {
    /// Where a file is.
    pub(super) fn of(path: &Path) -> Result<Self, Problem> {
        let real = fs::canonicalize(path).map_err(io("cannot be opened"))?;
        Self::new(&real, path)
    }

    /// Where a file shall be.
    pub(super) fn of_new(path: &Path) -> Result<Self, Problem> {
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

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    /// Writes a new file. It gets its name only when it is complete, and only if nothing has it.
    pub(super) fn create(&self, text: &Text) -> Result<Identity, Problem> {
        let folder = self.open_folder()?;
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io("no random bytes for a temporary name"))?;
        let name = self.temporary_name(&format!("{:016x}", u64::from_ne_bytes(random)));

        let temporary = Temporary::create(&folder, name)?;
        temporary.write(text)?;
        let identity = identity(&temporary.file.metadata().map_err(io("cannot be created"))?);
        temporary.rename_to_new(&self.name)?;
        sync(&folder)?;
        Ok(identity)
    }

    /// Reads the file, without a change to it.
    pub(super) fn read(&self) -> Result<(Content, Identity), Problem> {
        let folder = self.open_folder()?;
        let file = self.lock(&folder, OFlags::RDONLY, FlockOperation::LockShared)?;
        let metadata = check(&file)?;
        Ok((read(&file)?, identity(&metadata)))
    }

    /// Replaces the file by what `change` makes of it, in one step, while no one else can. When this
    /// returns the result, the new file is what a crash would leave.
    pub(super) fn update<T>(
        &self,
        change: impl FnOnce(&Content) -> Result<(T, Text), Problem>,
    ) -> Result<T, Problem> {
        let folder = self.open_folder()?;
        // The lock holds until the end.
        let file = self.lock(&folder, OFlags::RDWR, FlockOperation::LockExclusive)?;
        check(&file)?;
        let (result, text) = change(&read(&file)?)?;

        let name = self.temporary_name("new");
        // A crash may have left one. No one else makes one now.
        match rustix::fs::unlinkat(&folder, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(io("an old temporary file cannot be removed")(error)),
        }
        let temporary = Temporary::create(&folder, name)?;
        temporary.write(&text)?;
        temporary.rename_over(&self.name)?;
        sync(&folder)?;
        Ok(result)
    }

    fn open_folder(&self) -> Result<OwnedFd, Problem> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(&self.folder, flags, Mode::empty())
            .map_err(io("its folder cannot be opened"))
    }

    /// Opens and locks the file that has the name once it is locked: another one may have been
    /// renamed to it meanwhile. Gives up where no file seems to be the one that has the name.
    fn lock(
        &self,
        folder: &OwnedFd,
        access: OFlags,
        operation: FlockOperation,
    ) -> Result<File, Problem> {
        // Neither a pipe nor a terminal shall hold this up.
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let file = match rustix::fs::openat(folder, &self.name, flags, Mode::empty()) {
                Ok(file) => file,
                // A symbolic link.
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

    /// Beside the file, so that it can be renamed to it, and hidden.
    fn temporary_name(&self, what: &str) -> OsString {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(".");
        name.push(what);
        name
    }
}

/// A file to be, which is removed if it does not become one.
struct Temporary<'a> {
    folder: &'a OwnedFd,
    name: OsString,
    file: File,
    renamed: bool,
}

impl<'a> Temporary<'a> {
    fn create(folder: &'a OwnedFd, name: OsString) -> Result<Self, Problem> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let fail = io("a temporary file cannot be created beside it");
        let file = rustix::fs::openat(folder, &name, flags, mode).map_err(&fail)?;
        let temporary = Self {
            folder,
            name,
            file: file.into(),
            renamed: false,
        };
        // Whatever the umask says.
        rustix::fs::fchmod(&temporary.file, mode).map_err(&fail)?;
        Ok(temporary)
    }

    /// Writes the whole content, up to the disk.
    fn write(&self, text: &Text) -> Result<(), Problem> {
        (&self.file)
            .write_all(text)
            .and_then(|()| self.file.sync_all())
            .map_err(io("a temporary file beside it cannot be written"))
    }

    /// Takes the place of the file of that name.
    fn rename_over(mut self, name: &OsStr) -> Result<(), Problem> {
        rustix::fs::renameat(self.folder, &self.name, self.folder, name)
            .map_err(io("cannot be replaced"))?;
        self.renamed = true;
        Ok(())
    }

    /// Takes a name that nothing has.
    fn rename_to_new(mut self, name: &OsStr) -> Result<(), Problem> {
        let mut result = rename_to_new(self.folder, &self.name, name);
        self.renamed = result.is_ok();
        // Not every system and file system knows how.
        if let Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) = result {
            // The old name is removed at the end.
            let flags = AtFlags::empty();
            result = rustix::fs::linkat(self.folder, &self.name, self.folder, name, flags);
        }
        result.map_err(|error| match error {
            Errno::EXIST => Problem::Exists,
            error => io("cannot be created")(error),
        })
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_to_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    rustix::fs::renameat_with(folder, from, folder, to, flags)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_to_new(_: &OwnedFd, _: &OsStr, _: &OsStr) -> rustix::io::Result<()> {
    Err(Errno::NOSYS)
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // If that fails, too, it stays: the next update removes it.
            let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Whether a file may hold a key: regular, under one name, and for its owner's eyes only.
fn check(file: &File) -> Result<Metadata, Problem> {
    let metadata = file.metadata().map_err(io("cannot be read"))?;
    let mode = metadata.mode() & 0o7777;
    if !metadata.is_file() {
        Err(Problem::NotRegular)
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        Err(Problem::Owner)
    } else if metadata.nlink() != 1 {
        Err(Problem::Links(metadata.nlink()))
    } else if mode & 0o077 != 0 {
        Err(Problem::Mode(mode))
    } else {
        Ok(metadata)
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

/// Writes the names in a folder up to the disk.
fn sync(folder: &OwnedFd) -> Result<(), Problem> {
    retry_on_intr(|| rustix::fs::fsync(folder)).map_err(io("its folder cannot be written"))
}

pub(super) fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

fn io<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> Problem {
    move |error| Problem::Io(what, error.into())
}
