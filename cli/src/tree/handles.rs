// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Folders that stay open, so that their entries need not be looked up from the top again.
//!
//! They use only part of the descriptors that this process may have, which are often only 256 or
//! 1024 for all threads together.

use rustix::process::{Resource, getrlimit};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Keeping more would save almost nothing.
const MOST_ON_A_PATH: usize = 32;

/// Keeping more would not make the walk faster.
const MOST_IN_A_WALK: usize = 512;

/// Returns the number of descriptors that this process may have.
fn descriptors() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// Returns how many folders each of `threads` threads may keep open on the path to its last file.
pub(super) fn on_a_path(threads: usize) -> usize {
    (descriptors() / 4 / threads.max(1)).clamp(1, MOST_ON_A_PATH)
}

/// Returns the number of paths on which to keep folders open, for `threads` threads that share a
/// descriptor table: fewer than one per thread if each path would otherwise get almost nothing.
pub(super) fn paths(threads: usize) -> usize {
    (descriptors() / 16).clamp(1, threads.max(1))
}

/// Limits the number of handles open at once in a walk.
pub(super) struct Budget {
    most: usize,
    threads: usize,
    open: AtomicUsize,
}

impl Budget {
    /// Allows half of the descriptors left when each thread has a folder and its parent open, and
    /// the command has its own files open.
    pub(super) fn new(threads: usize) -> Self {
        let left = descriptors().saturating_sub(16 + 2 * threads);
        Self {
            most: (left / 2).clamp(2, MOST_IN_A_WALK),
            threads,
            open: AtomicUsize::new(0),
        }
    }

    /// Returns how many folders to read at once so that they and their parents may all be open, but
    /// at least one per thread.
    pub(super) fn at_once(&self) -> usize {
        (self.most / 2).max(self.threads)
    }
}

/// An open folder.
pub(super) struct Handle<'a> {
    fd: OwnedFd,
    budget: &'a Budget,
}

impl<'a> Handle<'a> {
    /// Returns `None` if too many are open.
    pub(super) fn new(budget: &'a Budget, fd: BorrowedFd) -> Option<Self> {
        if budget.open.fetch_add(1, Relaxed) < budget.most {
            if let Ok(fd) = fd.try_clone_to_owned() {
                return Some(Self { fd, budget });
            }
        }
        budget.open.fetch_sub(1, Relaxed);
        None
    }
}

impl AsFd for Handle<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        self.budget.open.fetch_sub(1, Relaxed);
    }
}
