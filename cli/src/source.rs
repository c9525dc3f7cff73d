// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The source of a message, key or manifest: a file, or standard input for `-`.

use hornet_manifest::escape::Escaped;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const STDIN: &str = "standard input";

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// Opens the source for unbuffered reading: a buffer would read ahead and keep a copy of a key.
    pub(crate) fn open(&self) -> io::Result<File> {
        match self {
            Self::Stdin => Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?)),
            Self::File(path) => File::open(path),
        }
    }

    /// Does not open a file: that would wait for whoever writes to a named pipe.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Self::Stdin => self.open()?.metadata(),
            Self::File(path) => fs::metadata(path),
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

/// Shows the name in the escaped form that messages use for all paths.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str(STDIN),
            Self::File(path) => Escaped::new(path).fmt(f),
        }
    }
}

/// Reads what is available, up to the length of the buffer. Returns 0 only at the end of the file.
/// Retries after signals.
pub(crate) fn read_some(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Waits until there is something to read, or its end, but not longer than `most`, which is less than a second,
/// nor after a signal. Returns whether there is.
pub(crate) fn has_input(file: &File, most: Duration) -> io::Result<bool> {
    let timeout = Timespec {
        tv_sec: 0,
        tv_nsec: most.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&timeout)) {
        Err(Errno::INTR) => Ok(false),
        polled => Ok(polled? > 0),
    }
}

/// Waits until there is something to read. An error if `is_over` says that nothing more should be, such as
/// after a signal that is deferred.
pub(crate) fn wait(file: &File, is_over: impl Fn() -> bool) -> io::Result<()> {
    loop {
        if is_over() {
            return Err(io::Error::other("interrupted by a signal"));
        }
        if has_input(file, Duration::from_millis(100))? {
            return Ok(());
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
        assert_eq!(shown(b"a\xff"), r"a\xff");
        assert_eq!(shown(b"a\x1b[2J"), r"a\x1b[2J");
    }
}
