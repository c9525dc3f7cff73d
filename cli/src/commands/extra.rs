// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Finds what was added to folders since a manifest was made.

use crate::path::{bytes, joined};
use crate::report::{Entry, Status};
use crate::tree::excluded::Excluded;
use crate::tree::opener::Opener;
use crate::tree::patterns::Patterns;
use crate::tree::roots::Roots;
use crate::tree::walk::{Found, Skipped, Strictness, Walk};
use hornet_manifest::Kind;
use hornet_manifest::Manifest;
use rayon::ThreadPool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns what exists but is not in the manifest, and folders that cannot be read.
pub(super) fn find(
    manifest: &mut Manifest,
    excluded: &Excluded,
    patterns: &Patterns,
    pool: &ThreadPool,
) -> Vec<Entry> {
    let walk = Walk {
        follow_symlinks: manifest.follow_symlinks,
        excluded,
        patterns,
        pool,
        strictness: Strictness::Recorded,
    };
    let found = walk.run(&manifest.arguments);
    let known = Known(manifest);
    let files = found.files.iter();
    let files = files.filter(|path| !known.has(path) && !excluded.is_at(path));
    let files = files.map(|path| (path, None));
    let others = found.skipped.iter();
    let others = others.filter(|other| !known.has_other(other));
    let others = others.map(|Skipped { path, kind, .. }| (path, Some(*kind)));
    let mut extra: Vec<Entry> = files
        .chain(others)
        .map(|(path, kind)| Entry::whole(path.clone(), Status::Extra(kind)))
        .collect();
    extra.sort_by(|a, b| bytes(&a.path).cmp(bytes(&b.path)));
    if !extra.is_empty() {
        known.remove_other_spellings(&mut extra, &found);
    }

    // Files of the manifest are reported where they are checked.
    let unread = found.unread.into_iter();
    let unread: Vec<_> = unread
        .filter(|unread| !known.has_file(&unread.path))
        .collect();
    // What could not be read when tagged and cannot be read now is listed once.
    let by_path =
        |path: &PathBuf| unread.binary_search_by(|unread| bytes(&unread.path).cmp(bytes(path)));
    manifest.unread.retain(|path| by_path(path).is_err());
    extra.extend(
        unread
            .into_iter()
            .map(|unread| Entry::whole(unread.path, Status::Unreadable(unread.reason))),
    );
    extra
}

/// What a manifest lists. All lists are sorted.
struct Known<'a>(&'a Manifest);

impl Known<'_> {
    /// Removes what the manifest lists in another spelling: file systems that normalize names, or
    /// ignore case, find a file under names that its folder does not list.
    ///
    /// That is so if the folder does not list the name of the manifest, but another name of the same
    /// file. Further names are added links.
    fn remove_other_spellings(&self, extra: &mut Vec<Entry>, found: &Found) {
        let Manifest {
            arguments,
            files,
            unread,
            others,
            ..
        } = self.0;
        let roots = Roots::new(arguments, self.0.follow_symlinks);
        let mut opener = Opener::new(&roots, 1);
        let has_folder = |entry: &Entry| matches!(entry.status, Status::Extra(Some(Kind::Folder)));
        // An empty folder is listed by the paths of what was in it.
        let most = if extra.iter().any(has_folder) {
            usize::MAX
        } else {
            1
        };
        let files = files.iter().map(|line| line.path.as_path());
        let others = others.iter().map(|other| other.path.as_path());
        let paths = files
            .chain(unread.iter().map(PathBuf::as_path))
            .chain(others);
        let paths = paths.filter(|path| !found.has(path));
        let paths: BTreeSet<_> = paths.flat_map(|path| path.ancestors().take(most)).collect();
        let mut place = |path: &Path| {
            let folder = path.parent().and_then(|folder| opener.identity(folder));
            Some((folder, opener.identity(path)?))
        };
        // The number of its spellings in the manifest, for the place of each file.
        let mut spellings = BTreeMap::new();
        for path in paths {
            if let Some(place) = place(path).filter(|_| !found.has(path)) {
                *spellings.entry(place).or_insert(0) += 1;
            }
        }
        extra.retain(|entry| {
            let place = place(&entry.path);
            match place.and_then(|place| spellings.get_mut(&place)) {
                Some(left @ 1..) => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
    }

    fn has_file(&self, path: &Path) -> bool {
        let files = &self.0.files;
        let found = files.binary_search_by(|line| bytes(&line.path).cmp(bytes(path)));
        found.is_ok()
    }

    fn has(&self, path: &Path) -> bool {
        let unread = &self.0.unread;
        self.has_file(path)
            || unread
                .binary_search_by(|other| bytes(other).cmp(bytes(path)))
                .is_ok()
    }

    fn has_other(&self, Skipped { path, kind, .. }: &Skipped) -> bool {
        let others = &self.0.others;
        let found = others.binary_search_by(|other| bytes(&other.path).cmp(bytes(path)));
        found.is_ok_and(|at| others[at].kind == *kind)
            || self.has(path)
            || (*kind == Kind::Folder && self.has_below(path))
    }

    /// Returns whether the manifest lists something in this folder, which means that the folder
    /// existed.
    fn has_below(&self, folder: &Path) -> bool {
        let start = joined(folder, b"");
        let start = bytes(&start);
        let has = |first: Option<&Path>| first.is_some_and(|path| bytes(path).starts_with(start));
        let Manifest {
            files,
            unread,
            others,
            ..
        } = self.0;
        let file = files.partition_point(|line| bytes(&line.path) < start);
        let other = others.partition_point(|other| bytes(&other.path) < start);
        let unread_at = unread.partition_point(|path| bytes(path) < start);
        has(files.get(file).map(|line| line.path.as_path()))
            || has(others.get(other).map(|other| other.path.as_path()))
            || has(unread.get(unread_at).map(PathBuf::as_path))
    }
}
