// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads passphrases: from the terminal, without showing them, or from a file.

use crate::defer_signals::DeferredSignals;
use crate::error::Error;
use crate::source::{Source, read_some, wait};
use hornet_key_file::check_access;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use zeroize::Zeroizing;

const MOST_BYTES: usize = 4096;
const TERMINAL: &str = "/dev/tty";

/// Reads a passphrase from a file, up to its first newline.
pub(crate) fn read(source: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let fail = |error: io::Error| Error::new(source, error);
    let file = source.open().map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_file() {
        check_access(&metadata).map_err(|problem| Error::new(source, problem))?;
    }
    line(&file, || Ok(()))
        .map_err(fail)?
        .ok_or_else(|| Error::new(source, "has no passphrase"))
}

/// Asks for a passphrase, twice if `twice`.
pub(crate) fn ask(twice: bool) -> Result<Zeroizing<Vec<u8>>, Error> {
    let fail = |error: io::Error| Error::new(&"passphrase", error);
    let terminal = OpenOptions::new().read(true).write(true).open(TERMINAL);
    let terminal = terminal.map_err(|error| {
        Error::new(
            &"passphrase",
            format_args!("no terminal to ask on ({error}); use --passphrase-file"),
        )
    })?;
    let first = prompt(&terminal, "Passphrase: ").map_err(fail)?;
    let first = first.ok_or_else(|| Error::new(&"passphrase", "is empty"))?;
    if twice && prompt(&terminal, "Again: ").map_err(fail)?.as_ref() != Some(&first) {
        return Err(Error::new(&"passphrase", "the two differ"));
    }
    Ok(first)
}

fn prompt(mut terminal: &File, text: &str) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    // The terminal is to show again what is typed, whatever ends the command.
    let _deferred = DeferredSignals::new();
    let before = tcgetattr(terminal)?;
    let mut silent = before.clone();
    silent.local_modes -= LocalModes::ECHO;
    silent.local_modes |= LocalModes::ECHONL;
    tcsetattr(terminal, OptionalActions::Flush, &silent)?;
    let read = terminal.write_all(text.as_bytes());
    let read = read.and_then(|()| line(terminal, || wait(terminal, DeferredSignals::came)));
    tcsetattr(terminal, OptionalActions::Flush, &before)?;
    read
}

/// Reads a line, without its end. Returns `None` if it is empty.
fn line(file: &File, wait: impl Fn() -> io::Result<()>) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
    let mut text = Zeroizing::new(vec![0; MOST_BYTES]);
    let mut length = 0;
    while length < MOST_BYTES {
        wait()?;
        let count = read_some(file, &mut text[length..])?;
        let end = text[length..length + count]
            .iter()
            .position(|&byte| byte == b'\n');
        length += end.unwrap_or(count);
        if end.is_some() || count == 0 {
            length -= usize::from(length > 0 && text[length - 1] == b'\r');
            text.truncate(length);
            return Ok((length > 0).then_some(text));
        }
    }
    Err(io::Error::other("longer than 4095 bytes"))
}
