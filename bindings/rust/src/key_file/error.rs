//! What can be wrong with a key file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What is wrong with a key file. The message is one line that begins with the path and shows no
/// byte of a key.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    problem: Problem,
}

impl Error {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self {
            path: path.into(),
            problem,
        }
    }

    /// The file, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

/// The path as it is; quoted and escaped if it is not text or would disturb a terminal.
impl fmt::Display for Error {
    #[expect(clippy::unnecessary_debug_formatting, reason = "it escapes")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.to_str() {
            Some(path) if !path.chars().any(char::is_control) => f.write_str(path)?,
            _ => write!(f, "{:?}", self.path)?,
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// The kinds of what can be wrong with a key file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused what the words say.
    Io(&'static str, io::Error),
    /// The path does not end in a name.
    NoName,
    /// To be created, but something has that name.
    Exists,
    /// Not a regular file.
    NotRegular,
    /// It has this many names (hard links) and not one: behind the others, old nonces would stay.
    Links(u64),
    /// It belongs to another user.
    Owner,
    /// These permissions let the group or others read or write it.
    Mode(u32),
    /// This line of it is not as it must be, as the words say.
    Malformed(u8, &'static str),
    /// Another key stands in it than when it was opened.
    OtherKey,
    /// No nonces are left, or not so many.
    Exhausted,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(what, error) => write!(f, "{what}: {error}"),
            Self::NoName => f.write_str("not the name of a file"),
            Self::Exists => f.write_str("exists, and is not overwritten"),
            Self::NotRegular => f.write_str("not a regular file"),
            Self::Links(0) => f.write_str("is an old file that was replaced by a new one"),
            Self::Links(count) => write!(
                f,
                "has {count} names (hard links): behind the others, old nonces would stay"
            ),
            Self::Owner => f.write_str("belongs to another user"),
            Self::Mode(mode) => write!(
                f,
                "others than its owner may read or write it (mode {mode:04o}); see chmod 600"
            ),
            Self::Malformed(line, what) => write!(f, "line {line}: {what}"),
            Self::OtherKey => f.write_str("now holds another key than when it was opened"),
            Self::Exhausted => f.write_str("has no more nonces, or not so many"),
        }
    }
}
