// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The PATH arguments, below which files are opened.

use crate::path::trimmed;
use rustix::fs::{AtFlags, OFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The PATH arguments, keyed by their text without trailing slashes, which is a prefix of all paths
/// below them.
pub(crate) struct Roots {
    arguments: BTreeMap<Vec<u8>, PathBuf>,
    /// The lengths of these texts. Only prefixes of these lengths are looked up, because looking up
    /// all prefixes of a path would take time quadratic in its length.
    lengths: BTreeSet<usize>,
    follow_symlinks: bool,
}

impl Roots {
    pub(crate) fn new<'a>(
        arguments: impl IntoIterator<Item = &'a PathBuf>,
        follow_symlinks: bool,
    ) -> Self {
        let arguments: BTreeMap<_, _> = arguments
            .into_iter()
            .map(|path| (trimmed(path).to_owned(), path.clone()))
            .collect();
        Self {
            lengths: arguments.keys().map(Vec::len).collect(),
            arguments,
            follow_symlinks,
        }
    }

    /// Returns the longest argument that the path equals or lies below, and the length of that part
    /// of the path.
    pub(super) fn of(&self, path: &[u8]) -> Option<(usize, &Path)> {
        let lengths = self.lengths.range(..=path.len()).rev();
        lengths
            .filter(|&&end| is_part(path, end))
            .find_map(|&end| Some((end, self.arguments.get(&path[..end])?.as_path())))
    }

    /// Returns the flag for opening files, which depends on whether symbolic links are followed.
    pub(super) fn no_follow(&self) -> OFlags {
        if self.follow_symlinks {
            OFlags::empty()
        } else {
            OFlags::NOFOLLOW
        }
    }

    /// Returns the same for the metadata of files.
    pub(super) fn stat_flags(&self) -> AtFlags {
        if self.follow_symlinks {
            AtFlags::empty()
        } else {
            AtFlags::SYMLINK_NOFOLLOW
        }
    }
}

/// Returns whether the first `end` bytes of a path are the whole path or a folder on it.
pub(super) fn is_part(path: &[u8], end: usize) -> bool {
    // The slash of the root is part of its name.
    end == path.len() || path.get(end) == Some(&b'/') || path.get(..end) == Some(b"/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_argument_wins() {
        let arguments = ["a/b", "a", "/", "a/bc/"].map(PathBuf::from);
        let roots = Roots::new(&arguments, false);
        for (path, expected) in [
            ("a/b", Some("a/b")),
            ("a/b/x/y", Some("a/b")),
            ("a/bc", Some("a/bc/")),
            ("a/bd", Some("a")),
            ("a", Some("a")),
            ("/x", Some("/")),
            ("/x/y", Some("/")),
            ("ab", None),
            ("b", None),
        ] {
            let found = roots.of(path.as_bytes()).map(|(_, argument)| argument);
            assert_eq!(found, expected.map(Path::new), "{path}");
        }
    }
}
