// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What the options --exclude, --exclude-from and --files-from give.

use crate::error::Error;
use crate::source::Source;
use hornet_manifest::escape::Escaped;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

const NOT_UTF_8: &str = "a pattern must be UTF-8; '?' and '*' match other bytes too";

/// Patterns from options: those in files, then those in arguments. The last that matches decides.
pub(super) struct Exclusions {
    pub(super) patterns: Vec<String>,
    /// The file and the line of each pattern that is from a file.
    places: Vec<(PathBuf, usize)>,
}

impl Exclusions {
    pub(super) fn new(arguments: &[OsString], files: &[PathBuf]) -> Result<Self, Error> {
        let mut given = Self {
            patterns: Vec::new(),
            places: Vec::new(),
        };
        for file in files {
            given.read(file)?;
        }
        for argument in arguments {
            let pattern = argument.to_str();
            let pattern = pattern.ok_or_else(|| Error::new(&"--exclude", NOT_UTF_8))?;
            given.patterns.push(pattern.to_owned());
        }
        Ok(given)
    }

    /// Adds the lines of a file, except for blank ones and comments.
    fn read(&mut self, file: &Path) -> Result<(), Error> {
        let text = fs::read(file).map_err(|error| Error::new(&Escaped::new(file), error))?;
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let place = (file.to_owned(), index + 1);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line =
                std::str::from_utf8(line).map_err(|_| Error::new(&shown(&place), NOT_UTF_8))?;
            if !line.trim().is_empty() && !line.starts_with('#') {
                self.patterns.push(line.to_owned());
                self.places.push(place);
            }
        }
        Ok(())
    }

    /// Returns where a pattern is from.
    pub(super) fn source(&self, index: usize) -> String {
        let place = self.places.get(index);
        place.map_or_else(|| "--exclude".into(), shown)
    }
}

fn shown((file, line): &(PathBuf, usize)) -> String {
    format!("{}: line {line}", Escaped::new(file))
}

/// A file that lists paths.
pub(super) struct List {
    pub(super) source: Source,
    /// Whether each path ends in a NUL byte instead of a newline.
    pub(super) null: bool,
}

impl List {
    pub(super) fn read(&self) -> Result<Vec<PathBuf>, Error> {
        let mut text = Vec::new();
        let read = self.source.open();
        read.and_then(|mut file| file.read_to_end(&mut text))
            .map_err(|error| Error::new(&self.source, error))?;
        let end = if self.null { 0 } else { b'\n' };
        // The last path may lack its end.
        let text = text.strip_suffix(&[end]).unwrap_or(&text);
        if text.is_empty() {
            return Err(Error::new(&self.source, "has no paths"));
        }
        let paths = text.split(|&byte| byte == end).enumerate();
        let paths = paths.map(|(index, path)| {
            if path.is_empty() {
                return Err(Error::new(&self.place(index), "is empty"));
            }
            if path.contains(&0) {
                let why = "has a NUL byte; use --null if each path ends in one";
                return Err(Error::new(&self.place(index), why));
            }
            Ok(OsString::from_vec(path.to_owned()).into())
        });
        paths.collect()
    }

    /// Returns the place of a path, for error messages.
    pub(super) fn place(&self, index: usize) -> String {
        let unit = if self.null { "path" } else { "line" };
        format!("{}: {unit} {}", self.source, index + 1)
    }
}
