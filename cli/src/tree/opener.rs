// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Opens files and folders below the PATH arguments without following symbolic links, unless told
//! to.
//!
//! Opens one folder after another, each relative to the one before. So no link is followed on the
//! way either, the system looks up one name instead of a path, and paths may be longer than it
//! accepts.

use crate::path::bytes;
use crate::tree::failure::Failure;
use crate::tree::kind::Kind;
use crate::tree::roots::Roots;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// For a folder on the way. On Linux, this needs only the permission to search it.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = READ_FOLDER;

const READ_FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Does not wait for a fifo, and does not acquire a controlling terminal.
const READ_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(crate) struct Opener<'a> {
    roots: &'a Roots,
    /// The folder of the last file. The next file is usually in the same folder.
    last: Option<(Vec<u8>, OwnedFd)>,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(roots: &'a Roots) -> Self {
        Self { roots, last: None }
    }

    /// Opens a file. The caller must check that it is a regular one.
    pub(crate) fn file(&mut self, path: &Path) -> Result<File, Failure> {
        self.open(path, READ_FILE).map(File::from)
    }

    /// Opens a folder to list it.
    pub(crate) fn folder(&mut self, path: &Path) -> Result<OwnedFd, Failure> {
        self.open(path, READ_FOLDER)
    }

    fn open(&mut self, path: &Path, flags: OFlags) -> Result<OwnedFd, Failure> {
        let flags = flags | self.roots.no_follow();
        let path = bytes(path);
        if let Some((last, fd)) = &self.last {
            let name = path.strip_prefix(&last[..]);
            let name = name.and_then(|rest| rest.strip_prefix(b"/"));
            if let Some(name) = name.filter(|name| !name.contains(&b'/')) {
                return open_at(fd, name, flags);
            }
        }
        let Some((root_end, argument)) = self.roots.of(path) else {
            return Err(Failure::Unreadable("is not below a PATH argument".into()));
        };
        if root_end == path.len() {
            return open_at(CWD, bytes(argument), flags);
        }
        let name_start = path
            .iter()
            .rposition(|&byte| byte == b'/')
            .map_or(0, |at| at + 1);
        let folder_end = (name_start - 1).max(root_end);
        let folder = self.through(&path[..folder_end], root_end, argument)?;
        open_at(folder, &path[name_start..], flags)
    }

    /// Opens a folder that is the argument or below it.
    fn through(
        &mut self,
        folder: &[u8],
        root_end: usize,
        argument: &Path,
    ) -> Result<BorrowedFd<'_>, Failure> {
        let flags = THROUGH | self.roots.no_follow();
        // Starts from the last folder, if it is on the way.
        let on_the_way = self.last.take().filter(|(last, _)| {
            last.len() >= root_end
                && folder.starts_with(last)
                && (folder.len() == last.len() || folder[last.len()] == b'/' || *last == b"/")
        });
        let (done, mut fd) = match on_the_way {
            Some((last, fd)) => (last.len(), fd),
            None => (root_end, open_at(CWD, bytes(argument), flags)?),
        };
        for name in folder[done..].split(|&byte| byte == b'/') {
            if !name.is_empty() {
                fd = open_at(&fd, name, flags)?;
            }
        }
        let (_, fd) = &*self.last.insert((folder.to_owned(), fd));
        Ok(fd.as_fd())
    }
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

/// Why something could not be opened. Looks at it if the error alone does not say what it is.
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
                let mut opener = Opener::new(&roots);
                let _ = content(&mut opener, first);
                assert_eq!(&content(&mut opener, second), expected, "{first}, {second}");
                assert_eq!(
                    &content(&mut opener, second),
                    expected,
                    "{first}, {second} twice"
                );
            }
        }
        let mut opener = Opener::new(&roots);
        assert!(opener.file(Path::new("elsewhere")).is_err());

        let following = Roots::new(&arguments, true);
        let mut opener = Opener::new(&following);
        assert_eq!(content(&mut opener, "t/flink"), content_of("t/f"));
        assert_eq!(content(&mut opener, "t/link/f"), content_of("t/a/f"));
    }
}
