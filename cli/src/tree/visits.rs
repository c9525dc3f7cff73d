// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Which folders are visited when symbolic links are followed.
//!
//! A folder that a link leads to is visited below the link too, because programs find its files
//! there. Links in links are another matter: n folders that link to one another have more than n!
//! paths. So a path through more than one link is followed only to a folder that has no path yet,
//! and never is one followed back to a folder on it. Then there are at most as many paths as pairs
//! of a link and a folder.
//!
//! The result depends on nothing but the tree: folders are visited level by level, and those of a
//! level by the number of links on their paths, then by their paths.

use crate::manifest::escape::Escaped;
use crate::path::bytes;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Device and inode.
pub(super) type Identity = (u64, u64);

/// A folder and those on the path to it.
pub(super) struct Place {
    identity: Identity,
    /// How many links are on the path, this folder's included.
    links: usize,
    above: Option<Arc<Place>>,
}

impl Place {
    pub(super) fn top(identity: Identity) -> Self {
        Self {
            identity,
            links: 0,
            above: None,
        }
    }

    pub(super) fn below(above: &Arc<Self>, identity: Identity, is_link: bool) -> Self {
        Self {
            identity,
            links: above.links + usize::from(is_link),
            above: Some(above.clone()),
        }
    }

    fn is_its_own_ancestor(&self) -> bool {
        let mut place = &self.above;
        while let Some(above) = place {
            if above.identity == self.identity {
                return true;
            }
            place = &above.above;
        }
        false
    }
}

/// A folder that is still to be read.
pub(super) struct Inner {
    pub(super) path: PathBuf,
    /// `None` if links are not followed.
    pub(super) place: Option<Arc<Place>>,
}

/// The first path of each folder.
#[derive(Default)]
pub(super) struct Visits(HashMap<Identity, PathBuf>);

impl Visits {
    /// Chooses those of a level to visit. Passes the others to `cut`, with the reason.
    pub(super) fn choose(
        &mut self,
        mut level: Vec<Inner>,
        mut cut: impl FnMut(PathBuf, String),
    ) -> Vec<Inner> {
        let links = |inner: &Inner| inner.place.as_ref().map_or(0, |place| place.links);
        level.sort_by(|a, b| (links(a), bytes(&a.path)).cmp(&(links(b), bytes(&b.path))));
        let mut chosen = Vec::with_capacity(level.len());
        for inner in level {
            let why = inner
                .place
                .as_ref()
                .and_then(|place| self.why_not(&inner.path, place));
            match why {
                Some(why) => cut(inner.path, why),
                None => chosen.push(inner),
            }
        }
        chosen
    }

    fn why_not(&mut self, path: &Path, place: &Place) -> Option<String> {
        if place.is_its_own_ancestor() {
            return Some("leads back to a folder that contains it".into());
        }
        match self.0.entry(place.identity) {
            Entry::Vacant(free) => {
                free.insert(path.to_owned());
                None
            }
            Entry::Occupied(first) if place.links > 1 && first.get() != path => Some(format!(
                "its files are listed below {}",
                Escaped::new(first.get())
            )),
            Entry::Occupied(_) => None,
        }
    }
}
