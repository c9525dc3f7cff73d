// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes a file so that it either is complete or does not exist.

use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use hornet_key_file::{Access, NewFile, Problem};
use hornet_manifest::escape::Escaped;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Where to write a file.
pub(crate) struct Target {
    path: PathBuf,
    folder: OwnedFd,
    /// The existing file, which will be replaced.
    old: Option<Metadata>,
    /// Only its owner may read a new file.
    secret: bool,
}

impl Target {
    /// Refuses a path that exists, unless `replace` is set and it is a regular file; and one that
    /// cannot be written. Call this before long work, to fail early.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Error> {
        let fail = |problem: &dyn fmt::Display| Error::new(&Escaped::new(path), problem);
        let old = match fs::symlink_metadata(path) {
            Ok(_) if !replace => {
                return Err(fail(&"exists; use --force to replace it"));
            }
            // Replacing would destroy a device or a link.
            Ok(metadata) if !metadata.is_file() => {
                return Err(fail(
                    &"exists and is not a regular file, so it is never replaced",
                ));
            }
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fail(&error)),
        };
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let target = Self {
            path: path.to_owned(),
            folder: File::open(folder).map_err(|error| fail(&error))?.into(),
            old,
            secret: false,
        };
        // The file may briefly have a name.
        let _deferred = DeferredSignals::new();
        let attempt = target.file().and_then(|file| file.attempt());
        attempt.map_err(|problem| fail(&problem))?;
        Ok(target)
    }

    /// Lets nobody but the owner read and write a new file.
    pub(crate) fn secret(self) -> Self {
        Self {
            secret: true,
            ..self
        }
    }

    pub(crate) fn old(&self) -> Option<&Metadata> {
        self.old.as_ref()
    }

    /// Refuses to replace a file that the command itself needs.
    pub(crate) fn spare(
        &self,
        what: &str,
        is: impl FnOnce(&Metadata) -> bool,
    ) -> Result<(), Error> {
        if self.old.as_ref().is_some_and(is) {
            let why = format_args!("is {what}, which is not replaced");
            return Err(Error::new(&Escaped::new(&self.path), why));
        }
        Ok(())
    }

    /// Writes the content to disk under the name, and then the name.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), Error> {
        self.write_with(|file| file.write_all(content))
    }

    /// Like `write`, of content that `fill` writes, which should end with an error when a signal has come
    /// meanwhile. May call it again after a success.
    pub(crate) fn write_with(
        &self,
        fill: impl FnMut(&mut &File) -> io::Result<()>,
    ) -> Result<(), Error> {
        let _deferred = DeferredSignals::new();
        let new = self.file();
        let written = new.and_then(|new| new.write_with(fill));
        match written {
            Ok(_) => Ok(()),
            Err(problem) => Err(Error::new(&Escaped::new(&self.path), problem)),
        }
    }

    fn file(&self) -> Result<NewFile<'_>, Problem> {
        Ok(NewFile {
            folder: &self.folder,
            name: self.path.file_name().ok_or(Problem::NoName)?,
            access: match &self.old {
                Some(old) => Access::Like(old),
                None if self.secret => Access::Owner,
                None => Access::Umask,
            },
            replaces: self.old.is_some(),
        })
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
        let target = Target::new(&path, false).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        target.write(b"content").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_created_meanwhile_are_kept() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("new");
        for replace in [false, true] {
            let target = Target::new(&path, replace).unwrap();
            fs::write(&path, "theirs").unwrap();
            let problem = target.write(b"ours").unwrap_err().to_string();
            assert!(problem.contains("exists"), "{problem}");
            assert_eq!(fs::read(&path).unwrap(), b"theirs");
            fs::remove_file(&path).unwrap();
        }
        fs::write(&path, "old").unwrap();
        let target = Target::new(&path, true).unwrap();
        target.write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}
