// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes a file that is either complete or does not exist.

use crate::error::Error;
use crate::manifest::escape::Escaped;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

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

    /// Creates a temporary file in the same folder. To be called before long work, to fail early.
    pub(crate) fn begin(self) -> Result<Saving, Error> {
        let temporary = Builder::new()
            .prefix(".hornet-")
            // Less the umask.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(&self.folder)
            .map_err(|error| self.error(&error))?;
        Ok(Saving {
            target: self,
            temporary,
        })
    }

    fn error(&self, error: &io::Error) -> Error {
        Error::new(&Escaped::new(&self.path), error)
    }
}

/// A temporary file that will become the target, and is removed when dropped.
pub(crate) struct Saving {
    target: Target,
    temporary: NamedTempFile,
}

impl Saving {
    /// Writes the content to the disk, then gives the file its name, and writes that to the disk
    /// too.
    pub(crate) fn finish(mut self, content: &[u8]) -> Result<(), Error> {
        let target = self.target;
        let write = || {
            self.temporary.write_all(content)?;
            self.temporary.as_file().sync_all()?;
            let named = if target.old.is_some() {
                self.temporary.persist(&target.path)
            } else {
                // A file that was created meanwhile must not be replaced.
                self.temporary.persist_noclobber(&target.path)
            };
            named.map_err(|error| error.error)?;
            File::open(&target.folder)?.sync_all()
        };
        write().map_err(|error| target.error(&error))
    }
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
