//! Finds the regular files that PATH arguments are or contain.

use crate::error::Error;
use crate::escape::Escaped;
use crate::exempt::Exempt;
use crate::opener::{Failure, Opener, Roots, kind, trimmed};
use crate::progress::{Progress, Unit};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, fstat, statat};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Something that is there and could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

/// What there is. Everything is sorted by the bytes of its paths.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) unread: Vec<Unread>,
    /// What is no file and no folder, with the reason why it was left out.
    pub(crate) left_out: Vec<(PathBuf, String)>,
    /// Symbolic links that were not followed.
    pub(crate) links: usize,
}

/// What an argument must not be.
pub(crate) enum Strictness {
    /// An argument that is missing or nothing to tag is an error.
    Named,
    /// It is left out: it was tagged once, and may have changed since.
    Recorded,
}

pub(crate) struct Walk<'a> {
    pub(crate) follow_symlinks: bool,
    pub(crate) exempt: &'a Exempt<'a>,
    /// Looks through folders, and puts what was found in order.
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

    /// Takes an argument that is a file, and gives back one that is a folder.
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

    /// Takes all files below a folder, folders of the same depth at the same time. Not by recursion:
    /// the tree may be deeper than a stack.
    fn below(&self, top: PathBuf, roots: &Roots, found: &mut Found, progress: &Progress) {
        let mut folders = vec![Inner {
            path: top,
            above: None,
        }];
        while !folders.is_empty() {
            let looked: Vec<_> = folders
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
                        // In order here, by all threads, so that little is left to do for the whole.
                        found.files.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
                        progress.add(found.files.len());
                        (found, inner)
                    },
                )
                .collect();
            folders = Vec::new();
            for (part, inner) in looked {
                found.append(part);
                folders.extend(inner);
            }
        }
    }

    /// Takes the files in one folder, and gives back the folders in it.
    fn folder(
        &self,
        path: &Path,
        above: Option<&Arc<Folder>>,
        opener: &mut Opener,
        found: &mut Found,
    ) -> Result<Vec<Inner>, Failure> {
        let fd = opener.folder(path)?;
        // Only links lead back to where one came from.
        let here = if self.follow_symlinks {
            let stat = fstat(&fd).map_err(io::Error::from)?;
            let here = Folder {
                identity: (stat.st_dev, stat.st_ino),
                above: above.cloned(),
            };
            if here.is_its_own_ancestor() {
                let why = "leads back to a folder that it is in".into();
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

    /// What an entry is, or what a link to be followed leads to.
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

/// A folder that is yet to be looked through.
struct Inner {
    path: PathBuf,
    above: Option<Arc<Folder>>,
}

/// A folder on the way to another, and those on the way to it.
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

/// Something in a folder.
fn joined(folder: &Path, name: &[u8]) -> PathBuf {
    let folder = folder.as_os_str().as_bytes();
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    if folder != b"/" {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    OsString::from_vec(path).into()
}

pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

impl Found {
    /// Takes what was found elsewhere.
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.unread.append(&mut other.unread);
        self.left_out.append(&mut other.left_out);
        self.links += other.links;
    }

    /// Puts everything in order, and drops what was found more than once.
    fn sort(&mut self, arguments: &[PathBuf]) {
        // Only where an argument has dots or double slashes does one file have several spellings:
        // then the first stays.
        if arguments.iter().any(|path| plain(path) != bytes(path)) {
            let mut seen = HashSet::new();
            self.files.retain(|path| seen.insert(plain(path)));
        }
        // The stable sort finds the runs that are in order already.
        self.files.par_sort_by(|a, b| bytes(a).cmp(bytes(b)));
        self.files.dedup();
        self.unread
            .sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.unread.dedup();
        self.left_out.sort_unstable();
        self.left_out.dedup();
    }
}

/// A path without `.` and without slashes that mean nothing.
fn plain(path: &Path) -> Vec<u8> {
    let components = path.components().filter(|part| *part != Component::CurDir);
    components.collect::<PathBuf>().into_os_string().into_vec()
}
