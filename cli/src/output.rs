// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writing to standard output and standard error without panics if they are closed.

use crate::error::Error;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::os::fd::AsFd;

pub(crate) const STDOUT: &str = "standard output";

/// Like `print!`, but a closed pipe or a full disk gives an error.
pub(crate) fn print(text: fmt::Arguments) -> Result<(), Error> {
    print_all(|stdout| stdout.write_fmt(text))
}

/// The same for long output, which is written in large pieces; `io::stdout` would flush each line.
pub(crate) fn print_all(
    write: impl FnOnce(&mut BufWriter<StdoutLock>) -> io::Result<()>,
) -> Result<(), Error> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    write(&mut stdout)
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(&STDOUT, error))
}

/// The file that standard output is, if it is one.
pub(crate) fn file() -> Option<Metadata> {
    let stdout = io::stdout().as_fd().try_clone_to_owned().ok()?;
    let metadata = File::from(stdout).metadata().ok()?;
    metadata.is_file().then_some(metadata)
}

/// Prints an error to standard error.
pub(crate) fn complain(error: &Error) {
    say(format_args!("{error}"));
}

/// Prints a line to standard error. There is nothing to do if that fails.
pub(crate) fn say(line: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet: {line}");
}
