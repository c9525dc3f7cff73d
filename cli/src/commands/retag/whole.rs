// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Files that are read as a whole: new ones, and those whose length or times differ.

use crate::tree::failure::Failure;
use crate::tree::snapshot::{Began, Snapshot};
use crate::tree::task::{Evaluated, Task};
use crate::tree::values::Kept;
use hornet::Tag;
use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_manifest::Line;
use hornet_manifest::parts::SegmentBytes;
use std::path::Path;

/// A file that gets a new line, unless its content is that of the old one.
pub(super) struct Reading<'a> {
    pub(super) path: &'a Path,
    /// Its line, if it had one that may be kept.
    pub(super) old: Option<&'a Line>,
    pub(super) nonce: UnusedNonce,
    pub(super) began: Began,
    pub(super) segment_bytes: SegmentBytes,
}

/// A file that was read.
pub(super) struct Tagged {
    pub(super) nonce: [u8; Nonce::BYTES],
    pub(super) tag: Tag,
    pub(super) kept: Kept,
    /// Its length, some of which may be holes.
    pub(super) length: u64,
    /// How many of its bytes are in holes, and were not read.
    pub(super) holes: u64,
    /// Whether it has the nonce and the tag of its old line, whose content it has.
    pub(super) is_same: bool,
}

impl Reading<'_> {
    fn read(self, key: &Key, evaluated: Evaluated) -> Tagged {
        let Evaluated {
            whole,
            values,
            snapshot,
        } = evaluated;
        let holes = values.holes();
        let kept = values.keep(self.began.stamp(snapshot));
        let length = whole.len_bytes();
        let same = self.old.filter(|old| {
            key.verify_partial(&Nonce::new(old.nonce), &whole, &old.tag)
                .is_ok()
        });
        let (nonce, tag) = if let Some(old) = same {
            (old.nonce, old.tag)
        } else {
            let nonce = *self.nonce.nonce().as_bytes();
            (nonce, key.finish(self.nonce, &whole))
        };
        Tagged {
            nonce,
            tag,
            kept,
            length,
            holes,
            is_same: same.is_some(),
        }
    }
}

impl Task for Reading<'_> {
    type Done = Result<Tagged, Failure>;

    fn path(&self) -> &Path {
        self.path
    }

    fn batch(key: &Key, files: Vec<(Self, Snapshot, &[u8])>) -> Vec<Self::Done> {
        let tag = |(task, snapshot, content): (Self, Snapshot, &[u8])| match Evaluated::of_content(
            key,
            task.segment_bytes,
            snapshot,
            content,
        ) {
            Ok(evaluated) => task.finish(key, evaluated),
            Err(failure) => task.fail(failure),
        };
        files.into_iter().map(tag).collect()
    }

    fn finish(self, key: &Key, evaluated: Evaluated) -> Self::Done {
        Ok(self.read(key, evaluated))
    }

    /// The nonce is dropped unused.
    fn fail(self, failure: Failure) -> Self::Done {
        Err(failure)
    }
}
