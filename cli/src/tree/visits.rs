// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Which folders are visited when symbolic links are followed.
//!
//! A folder that a link leads to is visited below the link too, because programs find its files
//! there. Links in links are another matter: n folders that link to one another have more than n!
//! paths. So a path through more than one link is followed only to a folder that has no path yet,
//! and no path is followed back to a folder on it. There are then at most as many paths as pairs of
//! a link and a folder.
//!
//! The result depends on nothing but the tree: folders are visited level by level, and those of a
//! level by the number of links on their paths, then by their paths.

use crate::path::{bytes, push};
use crate::tree::handles::Handle;
use hornet_manifest::escape::Escaped;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Device and inode.
pub(super) type Identity = (u64, u64);

/// A folder and those on the path to it.
pub(super) struct Place {
    identity: Identity,
    /// How many links are on the path, this folder's included.
    links: usize,
    /// The last name of the path, or the whole path if there is nothing above.
    ///
    /// Not the whole path, because the paths of all folders of a deep tree take memory quadratic in
    /// its depth.
    name: Box<[u8]>,
    above: Option<Arc<Place>>,
}

impl Place {
    pub(super) fn top(identity: Identity, path: &[u8]) -> Self {
        Self {
            identity,
            links: 0,
            name: path.into(),
            above: None,
        }
    }

    pub(super) fn below(above: &Arc<Self>, identity: Identity, name: &[u8], is_link: bool) -> Self {
        Self {
            identity,
            links: above.links + usize::from(is_link),
            name: name.into(),
            above: Some(above.clone()),
        }
    }

    fn path(&self) -> PathBuf {
        let mut names = vec![&self.name];
        let mut place = &self.above;
        while let Some(above) = place {
            names.push(&above.name);
            place = &above.above;
        }
        let mut path = names.pop().map_or_else(Vec::new, |top| top.to_vec());
        for name in names.into_iter().rev() {
            push(&mut path, name);
        }
        OsString::from_vec(path).into()
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

/// Not recursive, because the path may be deeper than the stack.
impl Drop for Place {
    fn drop(&mut self) {
        let mut above = self.above.take();
        while let Some(mut place) = above.and_then(Arc::into_inner) {
            above = place.above.take();
        }
    }
}

/// A folder that is still to be read.
pub(super) struct Inner<'a> {
    pub(super) path: PathBuf,
    /// The folder that contains it, unless too many folders are open.
    pub(super) above: Option<Arc<Handle<'a>>>,
    /// `None` if links are not followed.
    pub(super) place: Option<Arc<Place>>,
}

/// The first visit to each folder.
#[derive(Default)]
pub(super) struct Visits(BTreeMap<Identity, Arc<Place>>);

impl Visits {
    /// Chooses the folders of a level to visit. Passes the others to `cut`, with the reason.
    pub(super) fn choose<'a>(
        &mut self,
        mut level: Vec<Inner<'a>>,
        mut cut: impl FnMut(PathBuf, String),
    ) -> Vec<Inner<'a>> {
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

    fn why_not(&mut self, path: &Path, place: &Arc<Place>) -> Option<String> {
        match self.0.entry(place.identity) {
            // The folders on the path to it were visited, so it is none of them.
            Entry::Vacant(free) => {
                free.insert(place.clone());
                None
            }
            Entry::Occupied(_) if place.is_its_own_ancestor() => {
                Some("leads back to a folder that contains it".into())
            }
            Entry::Occupied(first) if place.links > 1 => {
                let first = first.get().path();
                let below = || format!("its files are listed below {}", Escaped::new(&first));
                (first != path).then(below)
            }
            Entry::Occupied(_) => None,
        }
    }
}
