// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reads recipients and identities from files.

use crate::error::Error;
use crate::source::Source;
use hornet_age::{Identity, Recipient};
use hornet_key_file::check_access;
use std::io::{self, Read};
use zeroize::Zeroizing;

/// A file is not longer.
const MOST_BYTES: u64 = 16 << 20;

/// Reads the recipients of a file: one a line, with comments.
pub(crate) fn read_recipients(source: &Source, to: &mut Vec<Recipient>) -> Result<(), Error> {
    let text = text_of(source, false)?;
    let before = to.len();
    for (place, line) in lines(source, &text) {
        let ssh = line.starts_with("ssh-");
        let parsed = if ssh {
            Err("an SSH key, which is not supported".into())
        } else {
            line.parse()
        };
        to.push(parsed.map_err(|why: String| Error::new(&place, why))?);
    }
    if to.len() == before {
        return Err(Error::new(source, "has no recipients"));
    }
    Ok(())
}

/// Reads the identities of a file: one a line, with comments.
pub(crate) fn read_identities(source: &Source, to: &mut Vec<Identity>) -> Result<(), Error> {
    let text = text_of(source, true)?;
    let before = to.len();
    for (place, line) in lines(source, &text) {
        to.push(line.parse().map_err(|why| Error::new(&place, why))?);
    }
    if to.len() == before {
        return Err(Error::new(source, "has no identities"));
    }
    Ok(())
}

fn text_of(source: &Source, secret: bool) -> Result<Zeroizing<String>, Error> {
    let fail = |error: io::Error| Error::new(source, error);
    let file = source.open().map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if secret && metadata.is_file() {
        check_access(&metadata).map_err(|problem| Error::new(source, problem))?;
    }
    // As it does not grow, it leaves no copies.
    let capacity = usize::try_from(metadata.len().min(MOST_BYTES + 1))
        .unwrap_or(0)
        .max(4096);
    let mut text = Zeroizing::new(Vec::with_capacity(capacity));
    file.take(MOST_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(fail)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Error::new(source, "has more than 16 MiB"));
    }
    let text = String::from_utf8(std::mem::take(&mut *text));
    let text = text.map_err(|error| {
        drop(Zeroizing::new(error.into_bytes()));
        Error::new(source, "is not text")
    })?;
    Ok(Zeroizing::new(text))
}

/// Returns the lines of a file that are neither blank nor comments, and where they are.
fn lines<'t>(source: &'t Source, text: &'t str) -> impl Iterator<Item = (String, &'t str)> {
    let lines = text.lines().enumerate();
    let lines = lines.map(move |(index, line)| (format!("{source}: line {}", index + 1), line));
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}
