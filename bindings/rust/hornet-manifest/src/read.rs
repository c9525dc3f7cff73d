// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Parses the text of a manifest up to the seal.

use crate::content::{Line, Manifest, Other, count_line};
use crate::escape::unescape;
use crate::kind::Kind;
use crate::problem::Problem;
use crate::text::{DIGITS, EXCLUDE, OTHER, PATH, SEALED, UNREAD, digits, links_line};
use crate::time::Time;
use hornet::aes::Nonce;
use hornet_key_file::Purpose;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Parses all lines except the seal. They must already have been verified.
pub(crate) fn read(body: &[u8]) -> Result<Manifest, Problem> {
    Reader::new(body).read()
}

struct Reader<'a> {
    /// The lines that remain.
    rest: &'a [u8],
    /// The number of the next line.
    number: usize,
}

impl<'a> Reader<'a> {
    fn new(body: &'a [u8]) -> Self {
        Self {
            rest: body,
            number: 1,
        }
    }

    fn read(mut self) -> Result<Manifest, Problem> {
        // Skips the first line, which was compared before.
        self.next();
        let sealed = self.sealed()?;
        let follow_symlinks = match self.next() {
            Some(line) if line == links_line(true).as_bytes() => true,
            Some(line) if line == links_line(false).as_bytes() => false,
            _ => return Err(self.problem("not a line about symbolic links")),
        };
        let arguments = self.paths(PATH)?;
        let exclude = self.patterns()?;
        let mut files: Vec<Line> = Vec::new();
        while let Some(line) = self.next_if(|line| {
            line.first().is_some_and(u8::is_ascii_hexdigit) && line.get(DIGITS) == Some(&b' ')
        }) {
            let file = self.file(line)?;
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
        if self.next() != Some(count.as_bytes()) {
            return Err(self.problem(format_args!("not the expected `{count}`")));
        }
        if self.next().is_some() {
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

    fn next(&mut self) -> Option<&'a [u8]> {
        self.next_if(|_| true)
    }

    fn next_if(&mut self, is_wanted: impl FnOnce(&[u8]) -> bool) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == b'\n')?;
        let (line, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        if !is_wanted(line) {
            return None;
        }
        self.rest = rest;
        self.number += 1;
        Some(line)
    }

    /// Returns a problem with the line that was read last.
    fn problem(&self, what: impl fmt::Display) -> Problem {
        Problem::in_line(self.number - 1, what)
    }

    fn paths(&mut self, word: &[u8]) -> Result<Vec<PathBuf>, Problem> {
        let mut paths = Vec::new();
        while let Some(line) = self.next_if(|line| line.starts_with(word)) {
            paths.push(self.path(&line[word.len()..])?);
        }
        Ok(paths)
    }

    fn patterns(&mut self) -> Result<Vec<String>, Problem> {
        let mut patterns = Vec::new();
        while let Some(line) = self.next_if(|line| line.starts_with(EXCLUDE)) {
            let pattern = self.path(&line[EXCLUDE.len()..])?.into_os_string();
            let pattern = pattern
                .into_string()
                .map_err(|_| self.problem("a pattern that is not UTF-8"))?;
            patterns.push(pattern);
        }
        Ok(patterns)
    }

    fn sealed(&mut self) -> Result<Time, Problem> {
        let line = self.next().and_then(|line| line.strip_prefix(SEALED));
        line.and_then(Time::parse)
            .ok_or_else(|| self.problem("not the time of the seal"))
    }

    fn others(&mut self) -> Result<Vec<Other>, Problem> {
        let mut others: Vec<Other> = Vec::new();
        while let Some(line) = self.next_if(|line| line.starts_with(OTHER)) {
            let mut words = line[OTHER.len()..].splitn(2, |&byte| byte == b' ');
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

    fn path(&self, text: &[u8]) -> Result<PathBuf, Problem> {
        let text = std::str::from_utf8(text).map_err(|_| self.problem("not UTF-8"))?;
        let path = unescape(text).map_err(|problem| self.problem(problem))?;
        Ok(OsString::from_vec(path).into())
    }

    fn file(&self, line: &[u8]) -> Result<Line, Problem> {
        let fields = digits(line).and_then(|(nonce, rest)| {
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
