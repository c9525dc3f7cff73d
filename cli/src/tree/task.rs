// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What to do with a file, and its result.

use crate::tree::failure::Failure;
use crate::tree::snapshot::Snapshot;
use crate::tree::values::Values;
use hornet::aes::{Key, Partial};
use hornet_manifest::parts::SegmentBytes;
use std::mem;
use std::path::Path;

/// What was found in a file.
pub(crate) struct Evaluated {
    /// The value of its content.
    pub(crate) whole: Partial,
    /// Those of the segments.
    pub(crate) values: Values,
    /// The metadata, which did not change meanwhile.
    pub(crate) snapshot: Snapshot,
}

impl Evaluated {
    pub(crate) fn new(key: &Key, values: Values, snapshot: Snapshot) -> Result<Self, Failure> {
        Ok(Self {
            whole: values.whole(key)?,
            values,
            snapshot,
        })
    }

    /// Evaluates content that is in memory.
    pub(crate) fn of_content(
        key: &Key,
        segment_bytes: SegmentBytes,
        snapshot: Snapshot,
        content: &[u8],
    ) -> Result<Self, Failure> {
        let mut values = Values::new(Some(segment_bytes), 0, content.len() as u64)?;
        values.push(key, content)?;
        Self::new(key, values, snapshot)
    }
}

/// One file, and what to do with its content.
pub(crate) trait Task: Sized + Send {
    type Done: Send;

    fn path(&self) -> &Path;

    /// Processes the contents of many files at once, given their metadata.
    fn batch(key: &Key, files: Vec<(Self, Snapshot, &[u8])>) -> Vec<Self::Done>;

    /// Processes the content of one file, given its values.
    fn finish(self, key: &Key, evaluated: Evaluated) -> Self::Done;

    /// Processes a file without content.
    fn fail(self, failure: Failure) -> Self::Done;
}

/// A task and later its result, in the same place: allocations would slow the threads down.
pub(super) enum Slot<T: Task> {
    Todo(T),
    /// The file has this many bytes.
    Later(T, u64),
    /// The task was taken out.
    Taken,
    Done(T::Done),
}

impl<T: Task> Slot<T> {
    pub(super) fn take(&mut self) -> Option<T> {
        match mem::replace(self, Self::Taken) {
            Self::Todo(task) | Self::Later(task, _) => Some(task),
            Self::Taken | Self::Done(_) => None,
        }
    }

    pub(super) fn done(self) -> Option<T::Done> {
        match self {
            Self::Done(done) => Some(done),
            _ => None,
        }
    }

    /// Runs a task whose file is read on its own.
    pub(super) fn finish(
        &mut self,
        key: &Key,
        read: impl FnOnce(&Path) -> Result<Evaluated, Failure>,
    ) {
        if let Some(task) = self.take() {
            *self = Self::Done(match read(task.path()) {
                Ok(evaluated) => task.finish(key, evaluated),
                Err(failure) => task.fail(failure),
            });
        }
    }
}
