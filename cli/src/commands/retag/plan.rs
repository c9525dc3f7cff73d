// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What is done about each file that exists.

use crate::commands::retag::given::Given;
use crate::commands::retag::old::Old;
use crate::error::Error;
use crate::path::bytes;
use crate::tree::failure::Failure;
use crate::tree::opener::Opener;
use crate::tree::roots::Roots;
use crate::tree::snapshot::Snapshot;
use hornet_manifest::Line;
use hornet_manifest::escape::Escaped;
use rayon::ThreadPool;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many files a thread looks at before it takes more.
const LOOK: usize = 256;

/// A file that exists.
pub(super) struct Item<'a> {
    pub(super) path: PathBuf,
    /// The index of its line in the old manifest.
    pub(super) old: Option<usize>,
    pub(super) how: How<'a>,
}

pub(super) enum How<'a> {
    /// Length and times are as they were: it is not read.
    Keep,
    /// It is read as a whole.
    Read,
    /// It is read in part, on the word of the caller, and has this length.
    Given(&'a Given, u64),
}

/// Decides about files, in their order. Everything is sorted by the bytes of paths.
pub(super) fn items<'a>(
    files: Vec<PathBuf>,
    old: &Old,
    given: &'a [Given],
    roots: &Roots,
    pool: &ThreadPool,
) -> Result<Vec<Item<'a>>, Error> {
    let mut index = 0;
    let mut items: Vec<Item> = files
        .into_iter()
        .map(|path| {
            let is_before = |line: &&Line| bytes(&line.path) < bytes(&path);
            index += old.lines[index..].iter().take_while(is_before).count();
            let line = old.lines.get(index);
            let old = line.filter(|line| line.path == path).map(|_| index);
            let how = How::Read;
            Item { path, old, how }
        })
        .collect();

    let known: Vec<usize> = (0..items.len())
        .filter(|&item| items[item].old.is_some())
        .collect();
    let paths: Vec<&Path> = known
        .iter()
        .map(|&item| items[item].path.as_path())
        .collect();
    let snapshots = look(&paths, roots, pool);
    for (item, found) in known.into_iter().zip(snapshots) {
        let item = &mut items[item];
        // What cannot be looked at cannot be read either, which says why.
        let (Some(index), Ok(found)) = (item.old, found) else {
            continue;
        };
        let entry = &old.entries[index];
        if entry.len_bytes == found.length && entry.stamp == Some(found.stamp()) {
            item.how = How::Keep;
        }
        let by_path = |given: &Given| bytes(&given.path).cmp(bytes(&item.path));
        if let Ok(at) = given.binary_search_by(by_path) {
            given[at].check(entry.len_bytes, found.length)?;
            item.how = How::Given(&given[at], found.length);
        }
    }
    // A file that exists under the name, but without a line, was unread and is read as a whole.
    for Given { path, .. } in given {
        let by_path = |item: &Item| bytes(&item.path).cmp(bytes(path));
        let found = items.binary_search_by(by_path).map(|at| &items[at]);
        let is_missing = match found {
            Ok(item) => item.old.is_some() && !matches!(item.how, How::Given(..)),
            Err(_) => true,
        };
        if is_missing {
            return Err(Error::new(&Escaped::new(path), Failure::Missing));
        }
    }
    Ok(items)
}

/// Returns the metadata of files, in their order.
fn look(paths: &[&Path], roots: &Roots, pool: &ThreadPool) -> Vec<Result<Snapshot, Failure>> {
    let next = AtomicUsize::new(0);
    let found = pool.broadcast(|broadcast| {
        let mut opener = Opener::new(roots, broadcast.num_threads());
        let mut found = Vec::new();
        loop {
            let start = next.fetch_add(LOOK, Relaxed);
            let Some(rest) = paths.get(start..).filter(|rest| !rest.is_empty()) else {
                return found;
            };
            let some = rest.iter().take(LOOK);
            let some: Vec<_> = some.map(|path| opener.snapshot(path)).collect();
            found.push((start, some));
        }
    });
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(start, _)| *start);
    found.into_iter().flat_map(|(_, some)| some).collect()
}
