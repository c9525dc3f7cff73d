// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Standard output and standard error.

use crate::error::Error;
use std::io::{self, Write};

/// Like `print!`, but a closed pipe or a full disk is an error, not a panic.
pub(crate) fn print(text: impl std::fmt::Display) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new("standard output", error))
}

/// Writes a line to standard error. A failure is ignored, because there is nowhere to report it.
pub(crate) fn say(line: std::fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet-bench: {line}");
}
