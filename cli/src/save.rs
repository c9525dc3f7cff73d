// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes a file so that it either is complete or does not exist.

use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use hornet_manifest::escape::Escaped;
use rustix::fs::{AtFlags, CWD, linkat};
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use tempfile::Builder;

/// Where to write a file.
pub(crate) struct Target {
    path: PathBuf,
    folder: PathBuf,
    /// The existing file, which will be replaced.
    old: Option<Metadata>,
}

impl Target {
    /// Refuses a path that exists, unless `replace` is set and it is a regular file.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Error> {
        let fail = |problem: &str| Error::new(&Escaped::new(path), problem);
        let old = match fs::symlink_metadata(path) {
            Ok(_) if !replace => {
                return Err(fail("exists; use --force to replace it"));
            }
            // Replacing would destroy a device or a link.
            Ok(metadata) if !metadata.is_file() => {
                return Err(fail(
                    "exists and is not a regular file, so it is never replaced",
                ));
            }
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Error::new(&Escaped::new(path), error)),
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            old,
        })
    }

    pub(crate) fn old(&self) -> Option<&Metadata> {
        self.old.as_ref()
    }

    /// Creates a temporary file in the same folder. Call this before long work, to fail early.
    pub(crate) fn begin(self) -> Result<Saving, Error> {
        // On systems where files need names, this one briefly has one.
        let _deferred = DeferredSignals::new();
        match tempfile::tempfile_in(&self.folder) {
            Ok(temporary) => Ok(Saving {
                target: self,
                temporary,
            }),
            Err(error) => Err(self.error(&error)),
        }
    }

    fn error(&self, error: &io::Error) -> Error {
        Error::new(&Escaped::new(&self.path), error)
    }
}

/// A temporary file that will become the target. It has no name, so it disappears if the program is
/// killed.
pub(crate) struct Saving {
    target: Target,
    temporary: File,
}

impl Saving {
    /// Writes the content to disk, gives the file its name, and then writes the name to disk too.
    pub(crate) fn finish(self, content: &[u8]) -> Result<(), Error> {
        let Self { target, temporary } = self;
        let finish = || {
            target.write(&temporary, content)?;
            match target.name(&temporary) {
                // The file cannot be given a name, for example on file systems without O_TMPFILE.
                Err(error) if error.kind() == ErrorKind::NotFound => target.write_named(content)?,
                result => result?,
            }
            File::open(&target.folder)?.sync_all()
        };
        finish().map_err(|error| target.error(&error))
    }
}

impl Target {
    fn write(&self, mut file: &File, content: &[u8]) -> io::Result<()> {
        if let Some(old) = &self.old {
            keep_permissions(old, file)?;
        }
        file.write_all(content)?;
        file.sync_all()
    }

    /// Gives a name to an unnamed file.
    fn name(&self, file: &File) -> io::Result<()> {
        let link = |path: &Path| {
            let file = format!("/proc/self/fd/{}", file.as_raw_fd());
            Ok(linkat(CWD, file, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
        };
        if self.old.is_none() {
            // Must not replace a file that was created in the meantime.
            return link(&self.path);
        }
        // `linkat` cannot replace a file; only `rename` can.
        let _deferred = DeferredSignals::new();
        let named = temporary_name().make_in(&self.folder, link)?;
        named.persist(&self.path).map_err(|error| error.error)
    }

    /// Writes the content to a file that has a temporary name from the start.
    fn write_named(&self, content: &[u8]) -> io::Result<()> {
        let _deferred = DeferredSignals::new();
        let named = temporary_name()
            // Reduced by the umask.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(&self.folder)?;
        self.write(named.as_file(), content)?;
        let named = if self.old.is_some() {
            named.persist(&self.path)
        } else {
            named.persist_noclobber(&self.path)
        };
        named.map(drop).map_err(|error| error.error)
    }
}

fn temporary_name() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".hornet-");
    builder
}

/// Gives a file the permissions of the file that it will replace. Group permissions are kept only
/// if the group is the same.
fn keep_permissions(old: &Metadata, new: &File) -> io::Result<()> {
    let mut mode = old.mode() & 0o777;
    if new.metadata()?.gid() != old.gid() && fchown(new, None, Some(old.gid())).is_err() {
        mode &= !0o070;
    }
    new.set_permissions(Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn the_name_appears_at_the_end() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("new");
        let saving = Target::new(&path, false).unwrap().begin().unwrap();
        assert!(!path.exists());
        drop(saving);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let saving = Target::new(&path, false).unwrap().begin().unwrap();
        saving.finish(b"content").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// Simulates file systems without `O_TMPFILE`.
    #[test]
    fn files_that_cannot_be_named() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("new");
        for content in ["first", "second"] {
            let saving = Saving {
                target: Target::new(&path, true).unwrap(),
                // Unlinked, so it can never be named again.
                temporary: Builder::new().tempfile_in(&folder).unwrap().into_file(),
            };
            saving.finish(content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            let expected = if content == "first" {
                mode_of_new()
            } else {
                0o600
            };
            assert_eq!(mode & 0o7777, expected);
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let saving = Saving {
            target: Target::new(&folder.path().join("other"), false).unwrap(),
            temporary: Builder::new().tempfile_in(&folder).unwrap().into_file(),
        };
        fs::write(folder.path().join("other"), "theirs").unwrap();
        assert!(saving.finish(b"ours").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    /// Returns the mode of a new file.
    fn mode_of_new() -> u32 {
        let folder = TempDir::new().unwrap();
        let file = File::create(folder.path().join("x")).unwrap();
        file.metadata().unwrap().mode() & 0o7777
    }

    #[test]
    fn files_created_meanwhile_are_kept() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("new");
        for replace in [false, true] {
            let saving = Target::new(&path, replace).unwrap().begin().unwrap();
            fs::write(&path, "theirs").unwrap();
            let problem = saving.finish(b"ours").unwrap_err().to_string();
            assert!(problem.contains("exists"), "{problem}");
            assert_eq!(fs::read(&path).unwrap(), b"theirs");
            fs::remove_file(&path).unwrap();
        }
        fs::write(&path, "old").unwrap();
        let saving = Target::new(&path, true).unwrap().begin().unwrap();
        saving.finish(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
