// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parses the text of a manifest up to the seal.

use crate::content::{Line, Manifest, Other, count_line};
use crate::escape::unescape;
use crate::kind::Kind;
use crate::problem::{OpenError, Problem};
use crate::text::{DIGITS, EXCLUDE, HEADER, OTHER, PATH, SEALED, UNREAD, digits, links_line};
use crate::time::Time;
use hornet::aes::Nonce;
use hornet_key_file::Purpose;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// No line is longer. A path of the length that Linux accepts takes 16 KiB if all of it is escaped.
const LONGEST_LINE: u64 = 4 << 20;

/// Reads the text of a manifest to its end. Stops after the first line if it is not that of a manifest, because the
/// input may be endless.
///
/// # Errors
///
/// Those of the input.
pub fn read_text(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input
        .by_ref()
        .take(HEADER.len() as u64)
        .read_to_end(&mut text)?;
    if text == HEADER {
        input.read_to_end(&mut text)?;
    }
    Ok(text)
}

/// Parses all lines except the seal. They must already have been verified.
pub(crate) fn read(body: impl BufRead) -> Result<Manifest, OpenError> {
    Reader {
        input: body,
        line: Vec::new(),
        is_held: false,
        number: 1,
    }
    .read()
}

struct Reader<R> {
    /// The lines that remain.
    input: R,
    /// The line that was read last.
    line: Vec<u8>,
    /// Whether that line has yet to be taken.
    is_held: bool,
    /// The number of the next line to be taken.
    number: usize,
}

impl<R: BufRead> Reader<R> {
    fn read(mut self) -> Result<Manifest, OpenError> {
        // Skips the first line, which was compared before.
        self.take()?;
        let sealed = self.sealed()?;
        let follow_symlinks = match self.take()?.then_some(&*self.line) {
            Some(line) if line == links_line(true).as_bytes() => true,
            Some(line) if line == links_line(false).as_bytes() => false,
            _ => return Err(self.problem("not a line about symbolic links")),
        };
        let arguments = self.paths(PATH)?;
        let exclude = self.patterns()?;
        let mut files: Vec<Line> = Vec::new();
        while self.take_if(|line| {
            line.first().is_some_and(u8::is_ascii_hexdigit) && line.get(DIGITS) == Some(&b' ')
        })? {
            let file = self.file()?;
            if files
                .last()
                .is_some_and(|last| bytes(&last.path) >= bytes(&file.path))
            {
                return Err(self.problem("out of order"));
            }
            files.push(file);
        }
        let unread = self.paths(UNREAD)?;
        let others = self.others()?;
        let count = count_line(files.len(), unread.len(), others.len());
        if !self.take()? || self.line != count.as_bytes() {
            return Err(self.problem(format_args!("not the expected `{count}`")));
        }
        if self.take()? {
            return Err(self.problem("unexpected after the count"));
        }
        Ok(Manifest {
            follow_symlinks,
            arguments,
            exclude,
            files,
            unread,
            others,
            sealed,
        })
    }

    /// Takes the next line, if there is one.
    fn take(&mut self) -> Result<bool, OpenError> {
        self.take_if(|_| true)
    }

    /// Takes the next line if it is wanted.
    fn take_if(&mut self, is_wanted: impl FnOnce(&[u8]) -> bool) -> Result<bool, OpenError> {
        if !self.is_held {
            self.line.clear();
            let mut input = (&mut self.input).take(LONGEST_LINE);
            input.read_until(b'\n', &mut self.line)?;
            if self.line.len() as u64 == LONGEST_LINE {
                return Err(Problem::in_line(self.number, "longer than 4 MiB").into());
            }
            if self.line.pop().is_none_or(|last| last != b'\n') {
                return Ok(false);
            }
        }
        self.is_held = !is_wanted(&self.line);
        self.number += usize::from(!self.is_held);
        Ok(!self.is_held)
    }

    /// Returns a problem with the line that was taken last.
    fn problem(&self, what: impl fmt::Display) -> OpenError {
        Problem::in_line(self.number - 1, what).into()
    }

    fn paths(&mut self, word: &[u8]) -> Result<Vec<PathBuf>, OpenError> {
        let mut paths = Vec::new();
        while self.take_if(|line| line.starts_with(word))? {
            paths.push(self.path(&self.line[word.len()..])?);
        }
        Ok(paths)
    }

    fn patterns(&mut self) -> Result<Vec<String>, OpenError> {
        let patterns = self
            .paths(EXCLUDE)?
            .into_iter()
            .map(PathBuf::into_os_string);
        let patterns = patterns
            .map(OsString::into_string)
            .collect::<Result<_, _>>();
        patterns.map_err(|_| self.problem("a pattern that is not UTF-8"))
    }

    fn sealed(&mut self) -> Result<Time, OpenError> {
        let line = self.take()?.then_some(&*self.line);
        line.and_then(|line| Time::parse(line.strip_prefix(SEALED)?))
            .ok_or_else(|| self.problem("not the time of the seal"))
    }

    fn others(&mut self) -> Result<Vec<Other>, OpenError> {
        let mut others: Vec<Other> = Vec::new();
        while self.take_if(|line| line.starts_with(OTHER))? {
            let mut words = self.line[OTHER.len()..].splitn(2, |&byte| byte == b' ');
            let kind = words.next().and_then(Kind::named);
            let (Some(kind), Some(path)) = (kind, words.next()) else {
                return Err(self.problem("not a kind and a path"));
            };
            let path = self.path(path)?;
            if others
                .last()
                .is_some_and(|last| bytes(&last.path) >= bytes(&path))
            {
                return Err(self.problem("out of order"));
            }
            others.push(Other { path, kind });
        }
        Ok(others)
    }

    fn path(&self, text: &[u8]) -> Result<PathBuf, OpenError> {
        let text = std::str::from_utf8(text).map_err(|_| self.problem("not UTF-8"))?;
        let path = unescape(text).map_err(|problem| self.problem(problem))?;
        Ok(OsString::from_vec(path).into())
    }

    /// Parses the line that was taken last as that of a file.
    fn file(&self) -> Result<Line, OpenError> {
        let fields = digits(&self.line).and_then(|(nonce, rest)| {
            let (tag, rest) = digits(rest.strip_prefix(b" ")?)?;
            Some((nonce, tag, rest.strip_prefix(b"  ")?))
        });
        let (nonce, tag, path) =
            fields.ok_or_else(|| self.problem("not a nonce, a tag and a path"))?;
        if Purpose::of(&Nonce::new(nonce)) != Purpose::MESSAGE {
            return Err(self.problem("the nonce is not that of a file"));
        }
        Ok(Line {
            nonce,
            tag: tag.into(),
            path: self.path(path)?,
        })
    }
}

/// Returns the bytes of a path, by which lines are sorted.
fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
