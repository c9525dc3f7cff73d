// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Finds the regular files that the PATH arguments name or contain.

use crate::error::Error;
use crate::manifest::escape::Escaped;
use crate::path::{bytes, joined, plain, trimmed};
use crate::progress::{Progress, Unit};
use crate::tree::exempt::Exempt;
use crate::tree::failure::{Failure, kind};
use crate::tree::opener::Opener;
use crate::tree::roots::Roots;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, fstat, statat};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// A file or folder that exists and could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

/// What was found. Everything is sorted by the bytes of the paths.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) unread: Vec<Unread>,
    /// What is neither a file nor a folder, with the reason why it was left out.
    pub(crate) left_out: Vec<(PathBuf, String)>,
    /// Symbolic links that were not followed.
    pub(crate) links: usize,
}

/// What to do about an argument that cannot be tagged.
pub(crate) enum Strictness {
    /// It is an error.
    Named,
    /// It is left out, because it may have changed since it was tagged.
    Recorded,
}

pub(crate) struct Walk<'a> {
    pub(crate) follow_symlinks: bool,
    pub(crate) exempt: &'a Exempt<'a>,
    /// The threads that read folders and sort.
    pub(crate) pool: &'a ThreadPool,
    pub(crate) strictness: Strictness,
}

impl Walk<'_> {
    pub(crate) fn run(&self, arguments: &[PathBuf]) -> Result<Found, Error> {
        let roots = Roots::new(arguments, self.follow_symlinks);
        let progress = Progress::new(Unit::FilesFound, None);
        let mut found = Found::default();
        self.pool.install(|| {
            for argument in arguments {
                if let Some(folder) = self.argument(argument, &mut found)? {
                    self.below(folder, &roots, &mut found, &progress);
                }
            }
            found.sort(arguments);
            Ok(found)
        })
    }

    /// Adds an argument that is a file, and returns one that is a folder.
    fn argument(&self, path: &Path, found: &mut Found) -> Result<Option<PathBuf>, Error> {
        let metadata = if self.follow_symlinks {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        let problem = match metadata {
            Err(error) => error.to_string(),
            Ok(metadata) => {
                let is = metadata.file_type();
                if self.exempt.is(&metadata) {
                    "is the key file or the manifest".into()
                } else if is.is_file() {
                    found.files.push(path.to_owned());
                    return Ok(None);
                } else if is.is_dir() {
                    return Ok(Some(OsStr::from_bytes(trimmed(path)).into()));
                } else if is.is_symlink() {
                    "is a symbolic link; --follow-symlinks follows it".into()
                } else if is.is_fifo() || is.is_socket() {
                    "is a fifo or socket".into()
                } else {
                    "is a device".into()
                }
            }
        };
        match self.strictness {
            Strictness::Named => Err(Error::new(&Escaped::new(path), problem)),
            Strictness::Recorded => Ok(None),
        }
    }

    /// Adds all files below a folder, with all folders of the same depth at once. Not recursive,
    /// because the tree may be deeper than the stack.
    fn below(&self, top: PathBuf, roots: &Roots, found: &mut Found, progress: &Progress) {
        let mut folders = vec![Inner {
            path: top,
            above: None,
        }];
        while !folders.is_empty() {
            let results: Vec<_> = folders
                .into_par_iter()
                .map_init(
                    || Opener::new(roots),
                    |opener, Inner { path, above }| {
                        let mut found = Found::default();
                        let inner = self.folder(&path, above.as_ref(), opener, &mut found);
                        let inner = inner.unwrap_or_else(|failure| {
                            let reason = failure.to_string();
                            found.unread.push(Unread { path, reason });
                            Vec::new()
                        });
                        // Sorted here by all threads, so that merging is left for the end.
                        found.files.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
                        progress.add(found.files.len());
                        (found, inner)
                    },
                )
                .collect();
            folders = Vec::new();
            for (files, inner) in results {
                found.append(files);
                folders.extend(inner);
            }
        }
    }

    /// Adds the files in one folder, and returns the folders in it.
    fn folder(
        &self,
        path: &Path,
        above: Option<&Arc<Folder>>,
        opener: &mut Opener,
        found: &mut Found,
    ) -> Result<Vec<Inner>, Failure> {
        let fd = opener.folder(path)?;
        // Only links can lead back to a parent folder.
        let here = if self.follow_symlinks {
            let stat = fstat(&fd).map_err(io::Error::from)?;
            let here = Folder {
                identity: (stat.st_dev, stat.st_ino),
                above: above.cloned(),
            };
            if here.is_its_own_ancestor() {
                let why = "leads back to a folder that contains it".into();
                found.left_out.push((path.to_owned(), why));
                return Ok(Vec::new());
            }
            Some(Arc::new(here))
        } else {
            None
        };
        let mut inner = Vec::new();
        let mut dir = Dir::new(fd).map_err(io::Error::from)?;
        while let Some(entry) = dir.read() {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let path = joined(path, name);
            match self.file_type(&dir, &entry) {
                Ok(FileType::RegularFile) => {
                    if !(self.exempt.may_be(entry.ino()) && self.exempt.is_at(&path)) {
                        found.files.push(path);
                    }
                }
                Ok(FileType::Directory) => inner.push(Inner {
                    path,
                    above: here.clone(),
                }),
                Ok(FileType::Symlink) => found.links += 1,
                Ok(other) => found.left_out.push((path, kind(other).into())),
                Err(error) => found.unread.push(Unread {
                    path,
                    reason: error.to_string(),
                }),
            }
        }
        Ok(inner)
    }

    /// The type of an entry, or of what it leads to if it is a link to be followed.
    fn file_type(&self, folder: &Dir, entry: &DirEntry) -> io::Result<FileType> {
        let flags = match entry.file_type() {
            FileType::Symlink | FileType::Unknown if self.follow_symlinks => AtFlags::empty(),
            FileType::Unknown => AtFlags::SYMLINK_NOFOLLOW,
            known => return Ok(known),
        };
        let stat = statat(folder.fd()?.as_fd(), entry.file_name(), flags)?;
        Ok(FileType::from_raw_mode(stat.st_mode))
    }
}

/// A folder that is still to be read.
struct Inner {
    path: PathBuf,
    above: Option<Arc<Folder>>,
}

/// A folder and its parents.
struct Folder {
    /// Device and inode.
    identity: (u64, u64),
    above: Option<Arc<Folder>>,
}

impl Folder {
    fn is_its_own_ancestor(&self) -> bool {
        let mut folder = &self.above;
        while let Some(above) = folder {
            if above.identity == self.identity {
                return true;
            }
            folder = &above.above;
        }
        false
    }
}

impl Found {
    /// Adds what was found in another folder.
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.unread.append(&mut other.unread);
        self.left_out.append(&mut other.left_out);
        self.links += other.links;
    }

    /// Sorts everything, and removes what was found more than once.
    fn sort(&mut self, arguments: &[PathBuf]) {
        // If an argument has dots or double slashes, one file may have several paths. The first is
        // kept.
        if arguments.iter().any(|path| plain(path) != bytes(path)) {
            let mut seen = HashSet::new();
            self.files.retain(|path| seen.insert(plain(path)));
        }
        // The stable sort uses the runs that are sorted already.
        self.files.par_sort_by(|a, b| bytes(a).cmp(bytes(b)));
        self.files.dedup();
        self.unread
            .sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.unread.dedup();
        self.left_out.sort_unstable();
        self.left_out.dedup();
    }
}
