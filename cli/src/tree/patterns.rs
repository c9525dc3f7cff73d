// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Patterns in the syntax of gitignore, of what is left out of folders.

use crate::error::Error;
use hornet_manifest::escape::Escaped;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// No pattern is longer: compiling one takes stack for each brace in it, and a manifest has no line
/// of more than 4 MiB.
const LONGEST: usize = 4096;

pub(crate) struct Patterns(Gitignore);

impl Patterns {
    /// Compiles patterns. `name` returns the source of the one of this index, for error messages.
    pub(crate) fn new(patterns: &[String], name: impl Fn(usize) -> String) -> Result<Self, Error> {
        if !patterns.is_empty() {
            // The maps of regex-automata panic if the system provides no random bytes.
            getrandom::fill(&mut [0]).map_err(|error| {
                Error::new(
                    &"patterns",
                    format_args!("no random bytes for them: {error}"),
                )
            })?;
        }
        // The paths that are matched are relative to an argument already.
        let mut builder = GitignoreBuilder::new("");
        // What git takes literally or as matching nothing is more likely a mistake.
        builder.allow_unclosed_class(false);
        for (index, pattern) in patterns.iter().enumerate() {
            let shown = Escaped::new(Path::new(pattern));
            let wrong = |why: &str| Error::new(&name(index), format_args!("{shown}: {why}"));
            if pattern.trim().is_empty() || pattern.starts_with('#') {
                return Err(wrong("is blank or a comment, not a pattern"));
            }
            if pattern.contains('\0') {
                return Err(wrong("has a NUL byte"));
            }
            if pattern.len() > LONGEST {
                let why = format_args!("a pattern of more than {LONGEST} bytes");
                return Err(Error::new(&name(index), why));
            }
            builder
                .add_line(None, pattern)
                .map_err(|error| wrong(&why(&error)))?;
        }
        let matcher = builder.build();
        matcher
            .map(Self)
            .map_err(|error| Error::new(&"patterns", why(&error)))
    }

    /// Returns whether the entry at this path, relative to an argument, is left out. None of the
    /// folders on the path may be.
    pub(super) fn exclude(&self, path: &[u8], is_folder: bool) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        self.0.matched(path, is_folder).is_ignore()
    }
}

/// Returns the description without the pattern, which the caller names.
fn why(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(patterns: &[&str]) -> Result<Patterns, Error> {
        let patterns: Vec<_> = patterns.iter().map(ToString::to_string).collect();
        Patterns::new(&patterns, |index| format!("pattern {index}"))
    }

    /// A path that ends in a slash is that of a folder.
    #[track_caller]
    fn excluded(lines: &[&str], paths: &[&[u8]], others: &[&[u8]]) {
        let patterns = patterns(lines).unwrap();
        for (paths, expected) in [(paths, true), (others, false)] {
            for path in paths {
                let folder = path.strip_suffix(b"/");
                let found = patterns.exclude(folder.unwrap_or(path), folder.is_some());
                let path = String::from_utf8_lossy(path);
                assert_eq!(found, expected, "{path:?} by {lines:?}");
            }
        }
    }

    /// As gitignore(5) describes them.
    #[test]
    fn the_syntax_of_gitignore() {
        excluded(
            &["*.o"],
            &[b"a.o", b".o", b"x/y/a.o", b"a.o/", b"\xff.o", b"a\nb.o"],
            &[b"a.O", b"a.os", b"o", b"a.o/b"],
        );
        excluded(&["/a"], &[b"a", b"a/"], &[b"x/a"]);
        excluded(&["x/a"], &[b"x/a"], &[b"y/x/a", b"a"]);
        excluded(
            &["build/"],
            &[b"build/", b"x/build/"],
            &[b"build", b"x/build"],
        );
        excluded(&["x/build/"], &[b"x/build/"], &[b"y/x/build/"]);
        excluded(&["a?"], &[b"ab", b"a\xff", b"a\n"], &[b"a", b"abc", b"a/b"]);
        excluded(&["[a-c]x"], &[b"ax", b"y/cx"], &[b"dx", b"Ax"]);
        excluded(&["[!a-c]x"], &[b"dx"], &[b"ax"]);
        excluded(&["x/**/a"], &[b"x/a", b"x/y/z/a"], &[b"a", b"y/x/a"]);
        excluded(&["**/x"], &[b"x", b"y/z/x"], &[b"xx"]);
        excluded(&["x/**"], &[b"x/a", b"x/y/"], &[b"x/", b"y/x/a"]);
        excluded(&["x/*"], &[b"x/a"], &[b"x/", b"x/y/a"]);
        excluded(
            &["\\#a", "\\!b", "c\\ ", "\\*"],
            &[b"#a", b"!b", b"c ", b"*"],
            &[b"x"],
        );
        excluded(&["a "], &[b"a"], &[b"a "]);
        excluded(&["{a,b}.x"], &[b"a.x", b"b.x"], &[b"{a,b}.x"]);
        excluded(&["\\{a"], &[b"{a"], &[b"a"]);
    }

    #[test]
    fn the_last_match_decides() {
        excluded(&["*", "!a", "!b/"], &[b"b", b"c"], &[b"a", b"b/"]);
        excluded(&["!a", "*"], &[b"a"], &[]);
        excluded(&["x/*", "!x/a", "x/a"], &[b"x/a"], &[b"x/"]);
        excluded(&[], &[], &[b"a", b"a/"]);
    }

    #[test]
    fn wrong_patterns() {
        for (pattern, why) in [
            ("[z-a]", "invalid range"),
            ("[a", "unclosed character class"),
            ("{a", "unclosed alternate"),
            ("a\\", "dangling '\\'"),
            ("a\\  ", "dangling '\\'"),
            ("", "blank"),
            (" ", "blank"),
            ("#a", "comment"),
            ("a\0b", "NUL"),
        ] {
            let error = patterns(&["a", pattern]).err().expect(pattern).to_string();
            assert!(error.starts_with("pattern 1: "), "{error}");
            assert!(error.contains(why), "{error}");
        }
        let braces = "{a,".repeat(100_000) + &"}".repeat(100_000);
        for long in [braces, "a".repeat(LONGEST + 1)] {
            let error = patterns(&["a", &long]).err().unwrap().to_string();
            assert_eq!(error, "pattern 1: a pattern of more than 4096 bytes");
        }
        patterns(&["a".repeat(LONGEST).as_str()]).unwrap();
    }
}
