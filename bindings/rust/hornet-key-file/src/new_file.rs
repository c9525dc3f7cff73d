// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes a file so that it either is complete or does not exist.
//!
//! If the system supports it (Linux, `O_TMPFILE`), the file has no name until it is complete, so
//! that nothing is left behind when the process is killed. Elsewhere, and during the moment in
//! which it replaces another file, its name ends in a random number. Creating a file always fails
//! if the name is taken, so no other file is ever written or removed.

use crate::error::{Problem, io};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr, try_close};
use rustix::path::Arg;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

const BESIDE: &str = "a temporary file cannot be created beside it";
const CREATE: &str = "cannot be created";
const REPLACE: &str = "cannot be replaced";

/// What writes the content of a file.
type Fill<'a> = dyn FnMut(&mut &File) -> io::Result<()> + 'a;

/// Who may access a new file.
#[derive(Clone, Copy, Debug)]
pub enum Access<'a> {
    /// Its owner, whatever the umask: mode 0600.
    Owner,
    /// All that the umask allows to read and write.
    Umask,
    /// The same as the file that it replaces.
    Like(&'a Metadata),
}

/// A file to be written as a whole: it gets its name when it is complete and on the disk. Key files
/// are written like this; programs may write other files so.
///
/// # File systems
///
/// The name is given by a link (Linux, `O_TMPFILE`), else by a rename that does not replace a file,
/// else by a link to a file that has a temporary name. Where the file system has none of them, a
/// new file is created under its name and written there: nobody overwrites it, and it is removed if
/// writing fails, but a process that is killed meanwhile leaves a part of it. A file that replaces
/// another is always renamed.
///
/// Where a folder cannot be flushed to the disk (`fsync`), a power failure may undo the call. Where
/// modes cannot be set, the file has the mode that the file system gives it; it is an error if
/// that gives the group or others more access than they should have.
#[derive(Debug)]
pub struct NewFile<'a> {
    /// An open folder.
    pub folder: &'a OwnedFd,
    /// The name in that folder.
    pub name: &'a OsStr,
    /// Who may access the file.
    pub access: Access<'a>,
    /// Whether the file replaces one that has the name. Otherwise such a file is an error.
    pub replaces: bool,
}

impl NewFile<'_> {
    /// Finds out whether [`write`](Self::write) can create a file and give it its name. To be
    /// called before long work. Leaves nothing behind.
    ///
    /// # Errors
    ///
    /// [`Problem`] if the folder or its file system does not allow it.
    pub fn attempt(&self) -> Result<(), Problem> {
        if let Some(file) = self.without_name()? {
            return self.set_access(&file);
        }
        let (mut named, file) = self.with_name(self.random_name()?, BESIDE)?;
        self.set_access(&file)?;
        drop(file);
        if self.replaces {
            named.rename(&self.random_name()?).map_err(io(REPLACE))?;
        }
        named.remove().map_err(io(BESIDE))
    }

    /// Writes the file, and returns its metadata. When this function returns, the file and its name
    /// are on the disk.
    ///
    /// # Errors
    ///
    /// [`Problem::Exists`] if the name is taken and `replaces` is not set; another one if the file
    /// cannot be written. The file that had the name is then unchanged, unless only flushing the
    /// folder failed.
    pub fn write(&self, content: &[u8]) -> Result<Metadata, Problem> {
        self.write_with(|file| file.write_all(content))
    }

    /// Like [`write`](Self::write), of content that need not be in memory: `fill` writes it to the empty
    /// file. It may be called again, with another file, after it has succeeded.
    ///
    /// # Errors
    ///
    /// Like `write`; after an error of `fill`, nothing is left.
    pub fn write_with(
        &self,
        mut fill: impl FnMut(&mut &File) -> io::Result<()>,
    ) -> Result<Metadata, Problem> {
        let metadata = self.place(&mut fill)?;
        flush(self.folder)?;
        Ok(metadata)
    }

    /// Writes the file and gives it its name.
    fn place(&self, content: &mut Fill) -> Result<Metadata, Problem> {
        if let Some(file) = self.without_name()? {
            let metadata = self.fill(&file, content)?;
            let linked = if self.replaces {
                // A link cannot replace a file; only `rename` can.
                let name = self.random_name()?;
                match link(&file, self.folder, &*name) {
                    Ok(()) => return self.replace(self.named(name)).map(|()| metadata),
                    error => error,
                }
            } else {
                link(&file, self.folder, self.name)
            };
            match linked {
                Ok(()) => return Ok(metadata),
                Err(error) if lacks(error) => {}
                Err(error) => return Err(self.unnamed(error)),
            }
        }

        let (mut named, file) = self.with_name(self.random_name()?, BESIDE)?;
        let metadata = self.fill(&file, content)?;
        drop(file);
        if self.replaces {
            return self.replace(named).map(|()| metadata);
        }
        match named.rename_to_new(self.name) {
            Ok(()) => return Ok(metadata),
            Err(error) if lacks(error) => {}
            Err(error) => return Err(self.unnamed(error)),
        }
        drop(named);

        let (named, file) = self.with_name(self.name.into(), CREATE)?;
        let metadata = self.fill(&file, content)?;
        named.keep();
        Ok(metadata)
    }

    fn replace(&self, mut named: Named) -> Result<(), Problem> {
        named.rename(self.name).map_err(io(REPLACE))?;
        named.keep();
        Ok(())
    }

    fn unnamed(&self, error: Errno) -> Problem {
        match error {
            Errno::EXIST => Problem::Exists,
            error if self.replaces => io(REPLACE)(error),
            error => io(CREATE)(error),
        }
    }

    /// Writes the content to an empty file and flushes it to the disk.
    fn fill(&self, mut file: &File, content: &mut Fill) -> Result<Metadata, Problem> {
        self.set_access(file)?;
        let mut write = || {
            content(&mut file)?;
            file.sync_all()?;
            // Some file systems report errors only here.
            close(file.try_clone()?)?;
            file.metadata()
        };
        write().map_err(io("a temporary file beside it cannot be written"))
    }

    fn mode(&self) -> u32 {
        match self.access {
            Access::Owner => 0o600,
            Access::Umask => 0o666,
            Access::Like(old) => old.mode() & 0o777,
        }
    }

    /// Sets the mode, and for [`Access::Like`] the group, as far as the file system can.
    fn set_access(&self, file: &File) -> Result<(), Problem> {
        let get = || file.metadata().map_err(io(BESIDE));
        let mut mode = self.mode();
        match self.access {
            Access::Umask => return Ok(()),
            Access::Owner => {}
            Access::Like(old) => {
                // The permissions of a group are kept only if the group is the same.
                let group = Some(rustix::fs::Gid::from_raw(old.gid()));
                if get()?.gid() != old.gid() && rustix::fs::fchown(file, None, group).is_err() {
                    mode &= !0o070;
                }
            }
        }
        match rustix::fs::fchmod(file, raw(mode)) {
            Err(error) if !lacks(error) => return Err(io(BESIDE)(error)),
            // The file system may have ignored the call.
            _ => {}
        }
        let found = get()?;
        let given = found.mode() & 0o777;
        if given & !mode & 0o077 != 0 {
            return Err(Problem::FixedMode(given));
        }
        match self.access {
            Access::Owner if !is_mine(&found) => Err(Problem::Owner),
            _ => Ok(()),
        }
    }

    /// Creates a file with this name. The file must be closed before the name is removed, which some
    /// file systems would otherwise turn into another name: so it comes last, and is dropped first.
    fn with_name(&self, name: OsString, what: &'static str) -> Result<(Named<'_>, File), Problem> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(self.folder, &*name, flags, raw(self.mode()));
        let file = file.map_err(|error| match error {
            Errno::EXIST => Problem::Exists,
            error => io(what)(error),
        })?;
        Ok((self.named(name), file.into()))
    }

    fn named(&self, name: OsString) -> Named<'_> {
        Named {
            folder: self.folder,
            name: Some(name),
        }
    }

    /// Creates a file without a name, if the file system supports it and `link` can name it later.
    #[cfg(target_os = "linux")]
    fn without_name(&self) -> Result<Option<File>, Problem> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        match rustix::fs::openat(self.folder, ".", flags, raw(self.mode())) {
            Ok(file) => {
                let nameable = rustix::fs::stat(path_of(&file)).is_ok();
                Ok(nameable.then_some(file.into()))
            }
            Err(Errno::ISDIR | Errno::NOENT) => Ok(None),
            Err(error) if lacks(error) => Ok(None),
            Err(error) => Err(io(BESIDE)(error)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn without_name(&self) -> Result<Option<File>, Problem> {
        Ok(None)
    }

    /// Returns a name that no other file has: hidden, with a random number.
    fn random_name(&self) -> Result<OsString, Problem> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io("no random bytes for a temporary name"))?;
        let key = match self.access {
            Access::Owner => "key-",
            Access::Umask | Access::Like(_) => "",
        };
        let random = u64::from_ne_bytes(random);
        Ok(format!(".hornet-{key}{random:016x}").into())
    }
}

/// Renames a file in its folder, which replaces a file that has the new name. When this function
/// returns, the new name is on the disk. It is not if a power failure comes before, where
/// [folders cannot be flushed](NewFile#file-systems).
///
/// # Errors
///
/// [`Problem`] if it cannot be renamed, or its folder not be flushed.
pub fn rename(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Problem> {
    rustix::fs::renameat(folder, from, folder, to).map_err(io(REPLACE))?;
    flush(folder)
}

/// Flushes a folder to the disk, where the file system can.
fn flush(folder: &OwnedFd) -> Result<(), Problem> {
    match retry_on_intr(|| rustix::fs::fsync(folder)) {
        Err(error) if !lacks(error) => Err(io("its folder cannot be written")(error)),
        _ => Ok(()),
    }
}

/// The name of a file that this process created. It is removed when dropped.
struct Named<'a> {
    folder: &'a OwnedFd,
    /// `None` if it is kept.
    name: Option<OsString>,
}

impl Named<'_> {
    fn keep(mut self) {
        self.name = None;
    }

    fn remove(mut self) -> rustix::io::Result<()> {
        let name = self.name.take().unwrap_or_default();
        rustix::fs::unlinkat(self.folder, name, AtFlags::empty())
    }

    /// Renames the file, which replaces a file that has the new name.
    fn rename(&mut self, to: &OsStr) -> rustix::io::Result<()> {
        let name = self.name.get_or_insert_default();
        rustix::fs::renameat(self.folder, &**name, self.folder, to)?;
        *name = to.into();
        Ok(())
    }

    /// Gives the file its final name, unless that is taken.
    fn rename_to_new(&mut self, to: &OsStr) -> rustix::io::Result<()> {
        let name = self.name.get_or_insert_default();
        match rename_to_new(self.folder, name, to) {
            Ok(()) => {
                self.name = None;
                Ok(())
            }
            // The temporary name is removed when `self` is dropped.
            Err(error) if lacks(error) => {
                rustix::fs::linkat(self.folder, &**name, self.folder, to, AtFlags::empty())
            }
            Err(error) => Err(error),
        }
    }
}

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // If this fails too, the file remains.
            let _ = rustix::fs::unlinkat(self.folder, &**name, AtFlags::empty());
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "on some systems")]
fn raw(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as rustix::fs::RawMode)
}

/// Returns whether an error says that a file system or a system lacks an operation, or has it only
/// for other files.
pub(crate) fn lacks(error: Errno) -> bool {
    [
        Errno::NOSYS,
        Errno::OPNOTSUPP,
        Errno::NOTSUP,
        Errno::INVAL,
        // Links and modes.
        Errno::PERM,
        // Links: a file may have only one.
        Errno::MLINK,
        // Folders.
        Errno::BADF,
        // Locks.
        Errno::NOLCK,
    ]
    .contains(&error)
}

/// Returns whether a file belongs to this user.
pub(crate) fn is_mine(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Closes a file, with the error that `drop` ignores.
fn close(file: File) -> io::Result<()> {
    // SAFETY: nothing else owns the descriptor.
    match unsafe { try_close(file.into_raw_fd()) } {
        Ok(()) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Gives a name to a file that has none, unless the name is taken.
fn link(file: &File, folder: &OwnedFd, name: impl Arg) -> rustix::io::Result<()> {
    let flags = AtFlags::SYMLINK_FOLLOW;
    rustix::fs::linkat(rustix::fs::CWD, path_of(file), folder, name, flags)
}

/// Returns a path under which the system finds an open file.
fn path_of(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
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
