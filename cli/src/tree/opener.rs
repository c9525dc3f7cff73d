// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Opens files and folders below the PATH arguments without following symbolic links, unless told
//! to.
//!
//! Opens one folder after another, each relative to the previous one. Thus no link is followed on
//! the way either, the system looks up one name instead of a path, and paths may be longer than the
//! system accepts. Never opens `..`, which would lead elsewhere if the folder has been moved.

use crate::path::bytes;
use crate::tree::failure::Failure;
use crate::tree::handles;
use crate::tree::roots::{Roots, is_part};
use crate::tree::snapshot::Snapshot;
use hornet_manifest::Kind;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Flags for a folder on the way. On Linux, they require only search permission.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = READ_FOLDER;

const READ_FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Flags for a file. They neither wait for a fifo nor acquire a controlling terminal.
const READ_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(crate) struct Opener<'a> {
    roots: &'a Roots,
    /// The path of the last file's folder.
    path: Vec<u8>,
    /// That folder. The next file is usually in it.
    last: Option<Kept>,
    /// Some of the folders on the way to that folder, the deepest last.
    above: Vec<Kept>,
    /// Maximum number of open folders.
    most: usize,
    /// Whether files are read from the disk or the server again.
    afresh: bool,
}

/// An open folder on a path.
struct Kept {
    /// The length of this part of the path.
    end: usize,
    fd: OwnedFd,
}

impl<'a> Opener<'a> {
    /// Creates the opener of one of `threads` threads, which share the descriptors of this process.
    pub(crate) fn new(roots: &'a Roots, threads: usize) -> Self {
        Self {
            roots,
            path: Vec::new(),
            last: None,
            above: Vec::new(),
            most: handles::on_a_path(threads),
            afresh: false,
        }
    }

    /// Lets the system forget what it has cached of the files, unless other programs use that.
    pub(super) fn afresh(mut self) -> Self {
        self.afresh = true;
        self
    }

    /// Opens a file. The caller must check that it is a regular one.
    pub(crate) fn file(&mut self, path: &Path) -> Result<File, Failure> {
        let file = self.open(path, READ_FILE)?;
        #[cfg(target_os = "linux")]
        if self.afresh {
            // Pages that programs have mapped or are yet to be written stay: they are what these
            // programs see. This is only a hint.
            let _ = fs::fadvise(&file, 0, None, fs::Advice::DontNeed);
        }
        Ok(file.into())
    }

    /// Opens a folder to list it.
    pub(crate) fn folder(&mut self, path: &Path) -> Result<OwnedFd, Failure> {
        self.open(path, READ_FOLDER)
    }

    /// Returns device and inode of what has this path, without following a link in its last name.
    pub(crate) fn identity(&mut self, path: &Path) -> Option<(u64, u64)> {
        let (folder, name) = self.folder_and_name(bytes(path)).ok()?;
        let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Snapshot::from(&stat).identity)
    }

    /// Returns the metadata of what has this path, without opening it. A link in its last name is
    /// followed if links are.
    pub(crate) fn snapshot(&mut self, path: &Path) -> Result<Snapshot, Failure> {
        let flags = self.roots.stat_flags();
        let (folder, name) = self.folder_and_name(bytes(path))?;
        match fs::statat(folder, name, flags) {
            Ok(stat) => Ok(Snapshot::from(&stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Err(Failure::Missing),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    fn open(&mut self, path: &Path, flags: OFlags) -> Result<OwnedFd, Failure> {
        let flags = flags | self.roots.no_follow();
        let (folder, name) = self.folder_and_name(bytes(path))?;
        open_at(folder, name, flags)
    }

    /// Opens the folder of a path, and returns it with the last name of the path.
    fn folder_and_name<'p>(
        &'p mut self,
        path: &'p [u8],
    ) -> Result<(BorrowedFd<'p>, &'p [u8]), Failure> {
        let Some((root_end, argument)) = self.roots.of(path) else {
            return Err(Failure::Unreadable("is not below a PATH argument".into()));
        };
        if root_end == path.len() {
            return Ok((CWD, bytes(argument)));
        }
        let name = name(path);
        let folder_end = (path.len() - name.len() - 1).max(root_end);
        let folder = self.through(&path[..folder_end], root_end, argument)?;
        Ok((folder, name))
    }

    /// Opens the folder that is the argument, or a folder below it.
    fn through(
        &mut self,
        folder: &[u8],
        root_end: usize,
        argument: &Path,
    ) -> Result<BorrowedFd<'_>, Failure> {
        let flags = THROUGH | self.roots.no_follow();
        let nearest = self.nearest(folder, root_end);
        let Kept { end, mut fd } = match nearest {
            Some(kept) => kept,
            None => Kept {
                end: root_end,
                fd: open_at(CWD, bytes(argument), flags)?,
            },
        };
        self.path.clear();
        self.path.extend_from_slice(folder);
        let (mut opened, mut name_start) = (end, end);
        for name in folder[end..].split(|&byte| byte == b'/') {
            let name_end = name_start + name.len();
            if !name.is_empty() {
                let inner = open_at(&fd, name, flags)?;
                let fd = mem::replace(&mut fd, inner);
                self.keep(Kept { end: opened, fd }, name_end);
                opened = name_end;
            }
            // Skips the slash.
            name_start = name_end + 1;
        }
        let Kept { fd, .. } = &*self.last.insert(Kept { end: opened, fd });
        Ok(fd.as_fd())
    }

    /// Takes the deepest open folder on the way to `folder`, and closes those below it.
    fn nearest(&mut self, folder: &[u8], root_end: usize) -> Option<Kept> {
        while let Some(kept) = self.last.take().or_else(|| self.above.pop()) {
            let Kept { end, .. } = kept;
            if end >= root_end && is_part(folder, end) && folder.starts_with(&self.path[..end]) {
                return Some(kept);
            }
        }
        None
    }

    /// Keeps a folder open that was the last one. The path of the new last folder ends at `last`.
    ///
    /// If too many are open, closes one such that the distances of the others from the last one
    /// grow geometrically. Going all the way up a path of n folders then takes on the order of n
    /// log n calls, and going down takes n.
    ///
    /// ```text
    /// open   a           a/b/…           a/b/…/y       a/b/…/y/z
    ///        |--------------|--------------|-------|---|-|
    /// ```
    fn keep(&mut self, kept: Kept, last: usize) {
        self.above.push(kept);
        if self.above.len() < self.most {
            return;
        }
        // Distances from the last folder to the folders above and below the given one.
        let distances = |index: usize| {
            let above = index
                .checked_sub(1)
                .map_or(0, |above| self.above[above].end);
            let below = self.above.get(index + 1).map_or(last, |below| below.end);
            ((last - above) as u128, (last - below) as u128)
        };
        let least_missed = (0..self.above.len()).min_by(|&a, &b| {
            let ((a_above, a_below), (b_above, b_below)) = (distances(a), distances(b));
            (a_above * b_below).cmp(&(b_above * a_below))
        });
        if let Some(index) = least_missed {
            self.above.remove(index);
        }
    }
}

/// Returns the last name of a path.
pub(super) fn name(path: &[u8]) -> &[u8] {
    let start = path.iter().rposition(|&byte| byte == b'/');
    start.map_or(path, |slash| &path[slash + 1..])
}

/// Opens a folder in another one to list it.
pub(super) fn folder_in(folder: impl AsFd, name: &[u8], roots: &Roots) -> Result<OwnedFd, Failure> {
    open_at(folder, name, READ_FOLDER | roots.no_follow())
}

fn open_at(folder: impl AsFd, name: &[u8], flags: OFlags) -> Result<OwnedFd, Failure> {
    loop {
        match fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(file) => return Ok(file),
            Err(Errno::INTR) => {}
            Err(Errno::NOENT) => return Err(Failure::Missing),
            Err(error) => return Err(why_not(folder, name, flags, error)),
        }
    }
}

/// Returns why something could not be opened. Inspects it if the error alone does not say what it
/// is.
fn why_not(folder: impl AsFd, name: &[u8], flags: OFlags, error: Errno) -> Failure {
    let at_flags = if flags.contains(OFlags::NOFOLLOW) {
        AtFlags::SYMLINK_NOFOLLOW
    } else {
        AtFlags::empty()
    };
    let found = match error {
        Errno::LOOP | Errno::NOTDIR | Errno::NXIO | Errno::NODEV | Errno::MLINK => {
            fs::statat(folder, name, at_flags).ok()
        }
        _ => None,
    };
    let found = found.map(|stat| FileType::from_raw_mode(stat.st_mode));
    match found {
        // A file on the way, where a folder was expected: nothing can be below it.
        Some(FileType::RegularFile) | None if error == Errno::NOTDIR => Failure::Missing,
        Some(found) if found != FileType::RegularFile && found != FileType::Directory => {
            Failure::NotRegular(Kind::of(found))
        }
        _ => Failure::from(io::Error::from(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    /// The result does not depend on what was opened before.
    #[test]
    fn in_any_order() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        create_dir_all(at("t/a/b")).unwrap();
        create_dir_all(at("t/ab")).unwrap();
        for name in ["t/f", "t/a/f", "t/a/b/f", "t/ab/f"] {
            write(at(name), name).unwrap();
        }
        symlink("a", at("t/link")).unwrap();
        symlink("f", at("t/flink")).unwrap();
        let arguments = [at("t"), at("t/link/b")];
        let roots = Roots::new(&arguments, false);
        let content = |opener: &mut Opener, name: &str| {
            let mut text = String::new();
            opener.file(&at(name)).map(|mut file| {
                file.read_to_string(&mut text).unwrap();
                text
            })
        };
        let link = || Err(Failure::NotRegular(Kind::Symlink));
        let content_of = |name: &str| Ok(name.to_owned());
        let all = [
            ("t/f", content_of("t/f")),
            ("t/a/f", content_of("t/a/f")),
            ("t/a/b/f", content_of("t/a/b/f")),
            ("t/ab/f", content_of("t/ab/f")),
            ("t/flink", link()),
            ("t/link/f", link()),
            // Below an argument whose path has a link, which is followed.
            ("t/link/b/f", content_of("t/a/b/f")),
            ("t/none", Err(Failure::Missing)),
            ("t/none/f", Err(Failure::Missing)),
            ("t/f/none", Err(Failure::Missing)),
        ];
        for (first, _) in &all {
            for (second, expected) in &all {
                let mut opener = Opener::new(&roots, 1);
                let _ = content(&mut opener, first);
                assert_eq!(&content(&mut opener, second), expected, "{first}, {second}");
                assert_eq!(
                    &content(&mut opener, second),
                    expected,
                    "{first}, {second} twice"
                );
            }
        }
        let mut opener = Opener::new(&roots, 1);
        assert!(opener.file(Path::new("elsewhere")).is_err());

        let following = Roots::new(&arguments, true);
        let mut opener = Opener::new(&following, 1);
        assert_eq!(content(&mut opener, "t/flink"), content_of("t/f"));
        assert_eq!(content(&mut opener, "t/link/f"), content_of("t/a/f"));
    }

    /// Nests folders more deeply than may be open, with files in the order of manifests: some on
    /// the way down, some on the way up.
    #[test]
    fn no_more_folders_are_open_than_may_be() {
        let top = TempDir::new().unwrap();
        let arguments = [top.path().to_owned()];
        let roots = Roots::new(&arguments, false);
        let mut folder = top.path().to_owned();
        let mut files = Vec::new();
        for index in 0..200 {
            folder.push("d");
            std::fs::create_dir(&folder).unwrap();
            for name in ["a", "z"] {
                let file = folder.join(name);
                write(&file, format!("{name}{index}")).unwrap();
                files.push((file, format!("{name}{index}")));
            }
        }
        files.sort();
        for most in [1, 2, 3, 8, 32] {
            let mut opener = Opener::new(&roots, 1);
            opener.most = most;
            for (path, expected) in files.iter().chain(&files) {
                let mut text = String::new();
                let mut file = opener.file(path).unwrap();
                file.read_to_string(&mut text).unwrap();
                assert_eq!(&text, expected);
                assert!(opener.above.len() < most, "{most}");
            }
        }
    }

    /// Open folders stay in use. Reopened folders are not links.
    #[test]
    fn a_folder_that_is_moved_away() {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        for place in ["t", "outside"] {
            create_dir_all(at(&format!("{place}/a/b"))).unwrap();
            for name in ["a/f", "a/b/f"] {
                write(at(&format!("{place}/{name}")), place).unwrap();
            }
        }
        let arguments = [at("t")];
        let roots = Roots::new(&arguments, false);
        let mut opener = Opener::new(&roots, 1);
        opener.file(&at("t/a/b/f")).unwrap();
        std::fs::rename(at("t/a"), at("moved")).unwrap();
        symlink("../outside/a", at("t/a")).unwrap();
        for name in ["t/a/b/f", "t/a/f"] {
            let mut text = String::new();
            let mut file = opener.file(&at(name)).unwrap();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "t");
            let anew = Opener::new(&roots, 1).file(&at(name)).map(|_| ());
            assert_eq!(anew, Err(Failure::NotRegular(Kind::Symlink)));
        }
    }
}
