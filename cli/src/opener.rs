//! Opens what lies below the PATH arguments, and follows no symbolic link that it was not asked to.
//!
//! Folder by folder, each relative to the one before: so no link is followed on the way either, the
//! kernel looks up one name and not a path, and paths may be longer than it takes.

use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Why there is no content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing has this path.
    Missing,
    /// Something else than a regular file has it.
    NotRegular(&'static str),
    /// In words.
    Unreadable(String),
}

impl Failure {
    pub(crate) const CHANGED: &str = "changed while it was being read";
    pub(crate) const SHRANK: &str = "shrank or could not be read while it was being read";

    pub(crate) fn changed() -> Self {
        Self::Unreadable(Self::CHANGED.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("gone"),
            Self::NotRegular(kind) => write!(f, "not a regular file but {kind}"),
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

/// What a file that is not regular is.
pub(crate) fn kind(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a fifo",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "something unknown",
    }
}

/// The PATH arguments, by their spelling without slashes at the end: what is found below them has
/// paths that begin so.
pub(crate) struct Roots {
    arguments: HashMap<Vec<u8>, PathBuf>,
    follow_symlinks: bool,
}

impl Roots {
    pub(crate) fn new<'a>(
        arguments: impl IntoIterator<Item = &'a PathBuf>,
        follow_symlinks: bool,
    ) -> Self {
        let arguments = arguments
            .into_iter()
            .map(|path| (trimmed(path).to_owned(), path.clone()))
            .collect();
        Self {
            arguments,
            follow_symlinks,
        }
    }

    /// The longest argument that the path is or lies below, and how much of the path that is.
    fn of(&self, path: &[u8]) -> Option<(usize, &Path)> {
        let slashes = path
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'/');
        std::iter::once(path.len())
            // The root's own slash belongs to it.
            .chain(slashes.map(|(at, _)| at.max(1)))
            .find_map(|end| Some((end, self.arguments.get(&path[..end])?.as_path())))
    }

    fn no_follow(&self) -> OFlags {
        if self.follow_symlinks {
            OFlags::empty()
        } else {
            OFlags::NOFOLLOW
        }
    }
}

/// A path without slashes at its end, but for `/` itself.
pub(crate) fn trimmed(path: &Path) -> &[u8] {
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|&byte| byte != b'/');
    match end {
        Some(last) => &bytes[..=last],
        None => &bytes[..bytes.len().min(1)],
    }
}

/// To pass through a folder, leave to search it is enough on Linux.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = READ_FOLDER;

const READ_FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Whatever stands in a file's place is not waited for, and becomes no controlling terminal.
const READ_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(crate) struct Opener<'a> {
    roots: &'a Roots,
    /// The folder that was last gone through: the next file is mostly there too.
    last: Option<(Vec<u8>, OwnedFd)>,
}

impl<'a> Opener<'a> {
    pub(crate) fn new(roots: &'a Roots) -> Self {
        Self { roots, last: None }
    }

    /// Opens what should be a regular file; what it is, is for the caller to look at.
    pub(crate) fn file(&mut self, path: &Path) -> Result<File, Failure> {
        self.open(path, READ_FILE).map(File::from)
    }

    /// Opens a folder to list it.
    pub(crate) fn folder(&mut self, path: &Path) -> Result<OwnedFd, Failure> {
        self.open(path, READ_FOLDER)
    }

    fn open(&mut self, path: &Path, flags: OFlags) -> Result<OwnedFd, Failure> {
        let flags = flags | self.roots.no_follow();
        let bytes = path.as_os_str().as_bytes();
        if let Some((last, fd)) = &self.last {
            let name = bytes.strip_prefix(&last[..]);
            let name = name.and_then(|rest| rest.strip_prefix(b"/"));
            if let Some(name) = name.filter(|name| !name.contains(&b'/')) {
                return open_at(fd, name, flags);
            }
        }
        let Some((root_end, argument)) = self.roots.of(bytes) else {
            return Err(Failure::Unreadable("lies below no PATH argument".into()));
        };
        if root_end == bytes.len() {
            return open_at(CWD, argument.as_os_str().as_bytes(), flags);
        }
        let name_start = bytes
            .iter()
            .rposition(|&byte| byte == b'/')
            .map_or(0, |at| at + 1);
        let folder_end = (name_start - 1).max(root_end);
        let folder = self.through(&bytes[..folder_end], root_end, argument)?;
        open_at(folder, &bytes[name_start..], flags)
    }

    /// Goes to a folder that the argument is or leads to.
    fn through(
        &mut self,
        folder: &[u8],
        root_end: usize,
        argument: &Path,
    ) -> Result<BorrowedFd<'_>, Failure> {
        let flags = THROUGH | self.roots.no_follow();
        // From the last one, if it is on the way.
        let on_the_way = self.last.take().filter(|(last, _)| {
            last.len() >= root_end
                && folder.starts_with(last)
                && (folder.len() == last.len() || folder[last.len()] == b'/' || *last == b"/")
        });
        let (done, mut fd) = match on_the_way {
            Some((last, fd)) => (last.len(), fd),
            None => (
                root_end,
                open_at(CWD, argument.as_os_str().as_bytes(), flags)?,
            ),
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

/// Why something could not be opened, if the error alone does not tell what is there.
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
        // On the way: a file where a folder was, so that nothing can lie below it.
        Some(FileType::RegularFile) | None if error == Errno::NOTDIR => Failure::Missing,
        Some(found) if found != FileType::RegularFile && found != FileType::Directory => {
            Failure::NotRegular(kind(found))
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

    #[test]
    fn trimmed_paths() {
        for (path, wanted) in [
            ("a", "a"),
            ("a/", "a"),
            ("a//b//", "a//b"),
            ("/", "/"),
            ("//", "/"),
            ("", ""),
        ] {
            assert_eq!(trimmed(Path::new(path)), wanted.as_bytes(), "{path}");
        }
    }

    #[test]
    fn the_longest_argument_wins() {
        let arguments = ["a/b", "a", "/", "a/bc/"].map(PathBuf::from);
        let roots = Roots::new(&arguments, false);
        for (path, wanted) in [
            ("a/b", Some("a/b")),
            ("a/b/x/y", Some("a/b")),
            ("a/bc", Some("a/bc/")),
            ("a/bd", Some("a")),
            ("a", Some("a")),
            ("/x", Some("/")),
            ("/x/y", Some("/")),
            ("ab", None),
            ("b", None),
        ] {
            let found = roots.of(path.as_bytes()).map(|(_, argument)| argument);
            assert_eq!(found, wanted.map(Path::new), "{path}");
        }
    }

    /// The same answers, whatever was opened before.
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
        let link = || Err(Failure::NotRegular("a symbolic link"));
        let good = |name: &str| Ok(name.to_owned());
        let all = [
            ("t/f", good("t/f")),
            ("t/a/f", good("t/a/f")),
            ("t/a/b/f", good("t/a/b/f")),
            ("t/ab/f", good("t/ab/f")),
            ("t/flink", link()),
            ("t/link/f", link()),
            // Below an argument that is reached by a link, which is in order.
            ("t/link/b/f", good("t/a/b/f")),
            ("t/none", Err(Failure::Missing)),
            ("t/none/f", Err(Failure::Missing)),
            ("t/f/none", Err(Failure::Missing)),
        ];
        for (first, _) in &all {
            for (second, wanted) in &all {
                let mut opener = Opener::new(&roots);
                let _ = content(&mut opener, first);
                assert_eq!(&content(&mut opener, second), wanted, "{first}, {second}");
                assert_eq!(
                    &content(&mut opener, second),
                    wanted,
                    "{first}, {second} twice"
                );
            }
        }
        let mut opener = Opener::new(&roots);
        assert!(opener.file(Path::new("elsewhere")).is_err());

        let following = Roots::new(&arguments, true);
        let mut opener = Opener::new(&following);
        assert_eq!(content(&mut opener, "t/flink"), good("t/f"));
        assert_eq!(content(&mut opener, "t/link/f"), good("t/a/f"));
    }
}
