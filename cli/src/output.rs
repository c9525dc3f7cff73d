//! Standard output and standard error, without panics where nobody reads them.

use crate::error::Error;
use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write};

pub(crate) const STDOUT: &str = "standard output";

/// `print!`, but a closed pipe or a full disk is an error and no panic.
pub(crate) fn print(text: fmt::Arguments) -> Result<(), Error> {
    print_all(|stdout| stdout.write_fmt(text))
}

/// The same for much: in large pieces, where `io::stdout` would flush after each line.
pub(crate) fn print_all(
    write: impl FnOnce(&mut BufWriter<StdoutLock>) -> io::Result<()>,
) -> Result<(), Error> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    write(&mut stdout)
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(&STDOUT, error))
}

pub(crate) fn complain(error: &Error) {
    say(format_args!("{error}"));
}

/// Writes a line to standard error. Where that fails, nobody is left to tell.
pub(crate) fn say(line: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet: {line}");
}
