// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Finds the regular files that the PATH arguments name or contain.

use crate::path::{bytes, joined, plain, trimmed};
use crate::progress::{Progress, Unit};
use crate::tree::excluded::Excluded;
use crate::tree::failure::Failure;
use crate::tree::handles::{self, Budget, Handle};
use crate::tree::opener::{Opener, folder_in, name};
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::visits::{Inner, Place, Visits};
use hornet_manifest::Kind;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, statat};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

/// A file or folder that exists and could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) path: PathBuf,
    pub(crate) reason: String,
}

/// Something that is not a file, or a folder that was not entered or is empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// Why a folder was not entered.
    pub(crate) why: Option<String>,
}

/// The results of a walk, sorted by the bytes of the paths.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) unread: Vec<Unread>,
    pub(crate) skipped: Vec<Skipped>,
    /// What the patterns exclude. Nothing below it is listed.
    excluded: Vec<PathBuf>,
    /// Arguments that cannot be tagged: their indices, and why.
    pub(crate) rejected: Vec<(usize, String)>,
}

/// What to do about an argument that cannot be tagged.
pub(crate) enum Strictness {
    /// It is an error, and so is a folder from this index on. Nothing is searched.
    Named { files_from: usize },
    /// It is skipped, because it may have changed since it was tagged.
    Recorded,
}

pub(crate) struct Walk<'a> {
    pub(crate) follow_symlinks: bool,
    pub(crate) excluded: &'a Excluded<'a>,
    /// What is left out of folders.
    pub(crate) patterns: &'a Patterns,
    /// The threads that read folders and sort.
    pub(crate) pool: &'a ThreadPool,
    pub(crate) strictness: Strictness,
}

/// An argument.
enum Top<'a> {
    File(&'a PathBuf),
    Folder(Inner<'a>),
}

impl Walk<'_> {
    pub(crate) fn run(&self, arguments: &[PathBuf]) -> Found {
        let roots = Roots::new(arguments, self.follow_symlinks);
        let threads = self.pool.current_num_threads();
        let budget = Budget::new(threads);
        let folders = Folders::new(&roots, &budget, threads);
        let progress = Progress::new(Unit::FilesFound, None);
        let mut found = Found::default();
        let mut tops = Vec::new();
        for (index, path) in arguments.iter().enumerate() {
            match self.argument(index, path) {
                Ok(top) => tops.push(top),
                Err(problem) => found.rejected.push((index, problem)),
            }
        }
        if matches!(self.strictness, Strictness::Named { .. }) && !found.rejected.is_empty() {
            return found;
        }
        let mut visits = Visits::default();
        self.pool.install(|| {
            for top in tops {
                match top {
                    Top::File(path) => found.files.push(path.clone()),
                    Top::Folder(top) => {
                        self.below(top, &folders, &mut visits, &mut found, &progress);
                    }
                }
            }
            found.sort(arguments);
            found
        })
    }

    /// Returns what an argument is, or the problem with it.
    fn argument<'a>(&self, index: usize, path: &'a PathBuf) -> Result<Top<'a>, String> {
        let may_be_folder = match self.strictness {
            Strictness::Named { files_from } => index < files_from,
            Strictness::Recorded => true,
        };
        let metadata = if self.follow_symlinks {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        let metadata = metadata.map_err(|error| error.to_string())?;
        let is = metadata.file_type();
        let problem = if self.excluded.is(&metadata) {
            "is the key file, the manifest or its parts, which are never tagged"
        } else if is.is_file() {
            return Ok(Top::File(path));
        } else if is.is_dir() && may_be_folder {
            let identity = (metadata.dev(), metadata.ino());
            let path = trimmed(path);
            let place = || Place::top(identity, path).into();
            return Ok(Top::Folder(Inner {
                path: OsStr::from_bytes(path).into(),
                above: None,
                place: self.follow_symlinks.then(place),
            }));
        } else if is.is_dir() {
            "is a folder; list the files in it, or give it as an argument"
        } else if is.is_symlink() {
            "is a symbolic link; use --follow-symlinks to follow it"
        } else if is.is_fifo() || is.is_socket() {
            "is a fifo or socket"
        } else {
            "is a device"
        };
        Err(problem.into())
    }

    /// Adds all files below a folder. Not recursive, because the tree may be deeper than the stack.
    ///
    /// Goes depth first, reading only as many folders at once as can stay open until the folders in
    /// them are opened. If links are followed, it instead reads all folders of the same depth
    /// together.
    fn below<'a>(
        &self,
        top: Inner<'a>,
        folders: &Folders<'a>,
        visits: &mut Visits,
        found: &mut Found,
        progress: &Progress,
    ) {
        // Where paths that are relative to the argument begin.
        let start = bytes(&joined(&top.path, b"")).len();
        let excludes =
            |path: &Path, is_folder| self.patterns.exclude(&bytes(path)[start..], is_folder);
        let mut pending = vec![top];
        while !pending.is_empty() {
            let next = if self.follow_symlinks {
                visits.choose(mem::take(&mut pending), |path, why| {
                    found.leave_out(path, Kind::Folder, Some(why));
                })
            } else {
                // The folders found last, which are the deepest.
                pending.split_off(pending.len().saturating_sub(folders.budget.at_once()))
            };
            let results: Vec<_> = next
                .into_par_iter()
                .map(|folder| {
                    let mut found = Found::default();
                    let inner = folders.read(&folder, excludes, &mut found);
                    let inner = inner.unwrap_or_else(|failure| {
                        let reason = failure.to_string();
                        let Inner { path, .. } = folder;
                        found.unread.push(Unread { path, reason });
                        Vec::new()
                    });
                    // Sorted here by all threads, so that only merging is left for the end.
                    found.files.sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
                    progress.add(found.files.len());
                    (found, inner)
                })
                .collect();
            for (files, inner) in results {
                found.append(files);
                pending.extend(inner);
            }
        }
    }
}

/// Opens and reads folders, on any thread of the pool.
struct Folders<'a> {
    roots: &'a Roots,
    budget: &'a Budget,
    /// Openers for folders whose parent folder is not open: one for each thread, or for several.
    openers: Vec<Mutex<Opener<'a>>>,
}

impl<'a> Folders<'a> {
    fn new(roots: &'a Roots, budget: &'a Budget, threads: usize) -> Self {
        let paths = handles::paths(threads);
        let openers = (0..paths).map(|_| Opener::new(roots, paths).into());
        Self {
            roots,
            budget,
            openers: openers.collect(),
        }
    }

    fn open(&self, Inner { path, above, .. }: &Inner) -> Result<OwnedFd, Failure> {
        if let Some(above) = above {
            return folder_in(above, name(bytes(path)), self.roots);
        }
        let thread = rayon::current_thread_index().unwrap_or(0);
        let opener = &self.openers[thread % self.openers.len()];
        let mut opener = opener.lock().unwrap_or_else(PoisonError::into_inner);
        opener.folder(path)
    }

    /// Adds the files in one folder, and returns the folders in it. What is excluded might as well
    /// not exist.
    fn read(
        &self,
        folder: &Inner,
        excludes: impl Fn(&Path, bool) -> bool,
        found: &mut Found,
    ) -> Result<Vec<Inner<'a>>, Failure> {
        let Inner { path, place, .. } = folder;
        let mut inner = Vec::new();
        let mut is_empty = true;
        let mut dir = Dir::new(self.open(folder)?).map_err(io::Error::from)?;
        while let Some(entry) = dir.read() {
            let entry = entry.map_err(io::Error::from)?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let path = joined(path, name);
            let entry = entry_of(&dir, &entry, place.as_ref());
            if excludes(&path, matches!(entry, Ok(Entry::Folder(_)))) {
                found.excluded.push(path);
                continue;
            }
            is_empty = false;
            match entry {
                Ok(Entry::File) => found.files.push(path),
                Ok(Entry::Folder(place)) => inner.push(Inner {
                    path,
                    above: None,
                    place,
                }),
                Ok(Entry::Other(kind)) => found.leave_out(path, kind, None),
                Err(error) => found.unread.push(Unread {
                    path,
                    reason: error.to_string(),
                }),
            }
        }
        if is_empty {
            found.leave_out(path.to_owned(), Kind::Folder, None);
        }
        if !inner.is_empty() {
            let fd = dir.fd().map_err(io::Error::from)?;
            let handle = Handle::new(self.budget, fd).map(Arc::new);
            for folder in &mut inner {
                folder.above.clone_from(&handle);
            }
        }
        Ok(inner)
    }
}

/// An entry of a folder.
enum Entry {
    File,
    /// A folder, with its place if links are followed.
    Folder(Option<Arc<Place>>),
    Other(Kind),
}

/// Returns what an entry of the folder at `place` is, or what it leads to if it is a link to be
/// followed.
fn entry_of(folder: &Dir, entry: &DirEntry, place: Option<&Arc<Place>>) -> io::Result<Entry> {
    let stat = |flags| statat(folder.fd()?.as_fd(), entry.file_name(), flags);
    let mut file_type = entry.file_type();
    if file_type == FileType::Unknown {
        file_type = FileType::from_raw_mode(stat(AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
    }
    let is_link = file_type == FileType::Symlink;
    let Some(place) = place.filter(|_| is_link || file_type == FileType::Directory) else {
        return Ok(match file_type {
            FileType::RegularFile => Entry::File,
            FileType::Directory => Entry::Folder(None),
            other => Entry::Other(Kind::of(other)),
        });
    };
    let stat = stat(AtFlags::empty())?;
    Ok(match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Entry::File,
        FileType::Directory => {
            let identity = (stat.st_dev, stat.st_ino);
            let name = entry.file_name().to_bytes();
            Entry::Folder(Some(Place::below(place, identity, name, is_link).into()))
        }
        other => Entry::Other(Kind::of(other)),
    })
}

impl Found {
    /// Returns whether a folder lists a file, or something that was skipped or excluded, under this
    /// path.
    pub(crate) fn has(&self, path: &Path) -> bool {
        let order = |other: &Path| bytes(other).cmp(bytes(path));
        self.files.binary_search_by(|file| order(file)).is_ok()
            || self
                .skipped
                .binary_search_by(|other| order(&other.path))
                .is_ok()
            || self.excluded.binary_search_by(|other| order(other)).is_ok()
    }

    fn leave_out(&mut self, path: PathBuf, kind: Kind, why: Option<String>) {
        self.skipped.push(Skipped { path, kind, why });
    }

    /// Adds what was found in another folder.
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.unread.append(&mut other.unread);
        self.skipped.append(&mut other.skipped);
        self.excluded.append(&mut other.excluded);
    }

    /// Sorts everything and removes duplicates.
    fn sort(&mut self, arguments: &[PathBuf]) {
        // If an argument has dots or double slashes, one file may have several paths. The first is
        // kept.
        if arguments.iter().any(|path| plain(path) != bytes(path)) {
            let mut seen = BTreeSet::new();
            self.files.retain(|path| seen.insert(plain(path)));
            self.unread
                .retain(|unread| seen.insert(plain(&unread.path)));
            self.skipped.retain(|other| seen.insert(plain(&other.path)));
        }
        // The stable sort uses the runs that are sorted already.
        self.files.par_sort_by(|a, b| bytes(a).cmp(bytes(b)));
        self.files.dedup();
        self.unread
            .sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.unread.dedup_by(|a, b| a.path == b.path);
        self.skipped
            .sort_unstable_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
        self.skipped.dedup_by(|a, b| a.path == b.path);
        self.excluded
            .sort_unstable_by(|a, b| bytes(a).cmp(bytes(b)));
    }
}
