// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Folders that stay open, so that what is in them need not be looked up from the top again.
//!
//! No more than a part of the descriptors that this process may have, which are often only 256 or
//! 1024 for all threads together.

use rustix::process::{Resource, getrlimit};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// More would save next to nothing.
const MOST_ON_A_PATH: usize = 32;

/// More would not make the walk faster.
const MOST_IN_A_WALK: usize = 512;

/// How many descriptors this process may have.
fn descriptors() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// How many folders each of some threads may keep open on the path to its last file.
pub(super) fn on_a_path(threads: usize) -> usize {
    (descriptors() / 4 / threads.max(1)).clamp(1, MOST_ON_A_PATH)
}

/// A number of handles that may be open at once.
pub(super) struct Budget {
    most: usize,
    open: AtomicUsize,
}

impl Budget {
    /// For a walk.
    pub(super) fn new() -> Self {
        Self {
            most: (descriptors() / 2).clamp(2, MOST_IN_A_WALK),
            open: AtomicUsize::new(0),
        }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }
}

/// An open folder.
pub(super) struct Handle<'a> {
    fd: OwnedFd,
    budget: &'a Budget,
}

impl<'a> Handle<'a> {
    /// `None` if too many are open.
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
