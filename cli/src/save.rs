//! Writes a file that is complete or not there at all.

use crate::error::Error;
use crate::escape::Escaped;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Where a file shall be.
pub(crate) struct Target {
    path: PathBuf,
    folder: PathBuf,
    /// What is there and will be replaced.
    old: Option<Metadata>,
}

impl Target {
    /// Refuses what exists, unless `replace` is set and it is a regular file.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Error> {
        let fail = |problem: &str| Error::new(&Escaped::new(path), problem);
        let old = match fs::symlink_metadata(path) {
            Ok(_) if !replace => {
                return Err(fail("exists, and is replaced only with --force"));
            }
            // Replaced, a device would be gone, and so would a link while its target stays.
            Ok(metadata) if !metadata.is_file() => {
                return Err(fail(
                    "exists and is not a regular file: it is never replaced",
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

    /// Opens a temporary file beside the target: before long work, to see that it can be written.
    pub(crate) fn begin(self) -> Result<Saving, Error> {
        let temporary = Builder::new()
            .prefix(".hornet-")
            // Minus what the umask takes away.
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

/// A file in the making, gone if it is dropped.
pub(crate) struct Saving {
    target: Target,
    temporary: NamedTempFile,
}

impl Saving {
    /// Writes it to the disk, and only then gives it its name; writes that to the disk too.
    pub(crate) fn finish(mut self, content: &[u8]) -> Result<(), Error> {
        let target = self.target;
        let write = || {
            self.temporary.write_all(content)?;
            self.temporary.as_file().sync_all()?;
            let named = if target.old.is_some() {
                self.temporary.persist(&target.path)
            } else {
                // Nothing was there, and nothing that came since is replaced.
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
    fn nothing_is_seen_before_the_end() {
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
    fn what_came_meanwhile_stays() {
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
