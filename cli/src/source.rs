//! Where bytes come from: a file, or standard input for `-`.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;

#[derive(Clone)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// Opens it for reading without a buffer: nothing is read ahead, and no copy of a key stays
    /// behind in one.
    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            Self::Stdin => Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?)),
            Self::File(path) => File::open(path),
        }
    }
}

impl From<OsString> for Source {
    fn from(argument: OsString) -> Self {
        if argument == "-" {
            Self::Stdin
        } else {
            Self::File(argument.into())
        }
    }
}

/// The name as it is; quoted and escaped if it is not text or would disturb the terminal.
impl fmt::Display for Source {
    #[expect(clippy::unnecessary_debug_formatting, reason = "it escapes")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => match path.to_str() {
                Some(name) if !name.chars().any(char::is_control) => f.write_str(name),
                _ => write!(f, "{path:?}"),
            },
        }
    }
}

/// Reads what is there, up to a buffer full; nothing only at the end. Signals do not stop it.
pub(crate) fn read_some(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn display() {
        let shown = |name: &[u8]| Source::from(OsStr::from_bytes(name).to_owned()).to_string();
        assert_eq!(shown(b"-"), "standard input");
        assert_eq!(shown("a ü.bin".as_bytes()), "a ü.bin");
        assert_eq!(shown(b"a\xff"), r#""a\xFF""#);
        assert_eq!(shown(b"a\x1b[2J"), r#""a\u{1b}[2J""#);
    }
}
