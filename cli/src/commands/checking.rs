// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Compares a file with its line of a manifest.

use crate::tree::failure::Failure;
use crate::tree::snapshot::Snapshot;
use crate::tree::task::{Evaluated, Task};
use hornet::Tag;
use hornet::aes::{Key, Nonce};
use hornet_manifest::Line;
use std::iter::zip;
use std::path::Path;

/// A file to be compared. The result is its line, and whether it has the same content.
pub(super) struct Checking(pub(super) Line);

impl Checking {
    fn nonce(&self) -> Nonce {
        Nonce::new(self.0.nonce)
    }
}

impl Task for Checking {
    type Done = (Line, Result<bool, Failure>);

    fn path(&self) -> &Path {
        &self.0.path
    }

    fn batch(key: &Key, files: Vec<(Self, Snapshot, &[u8])>) -> Vec<Self::Done> {
        let messages: Vec<(Nonce, &[u8], Tag)> = files
            .iter()
            .map(|(task, _, content)| (task.nonce(), *content, task.0.tag))
            .collect();
        zip(files, key.verify_batch(messages))
            .map(|((task, ..), result)| (task.0, Ok(result.is_ok())))
            .collect()
    }

    fn finish(self, key: &Key, evaluated: Evaluated) -> Self::Done {
        let result = key.verify_partial(&self.nonce(), &evaluated.whole, &self.0.tag);
        (self.0, Ok(result.is_ok()))
    }

    fn fail(self, failure: Failure) -> Self::Done {
        (self.0, Err(failure))
    }
}
