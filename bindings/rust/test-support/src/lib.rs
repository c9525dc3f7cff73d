// SPDX-License-Identifier: Apache-2.0 OR MIT

//! An allocator for tests that looks at each block before it is freed, to find secrets that were
//! not wiped.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::slice;

/// Decides whether a block may be freed as it is: whether no secret is left in it.
pub type Check = fn(&[u8]) -> bool;

/// The blocks that a thread has freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// The number of blocks that passed the check.
    pub passed: usize,
    /// The number of blocks that failed it.
    pub failed: usize,
}

thread_local! {
    static WATCH: Cell<Option<(Check, Freed)>> = const { Cell::new(None) };
}

/// The system's allocator, watched. To be the `#[global_allocator]` of a test program.
///
/// Blocks are zeroed when they are allocated, so that every byte of them can be read.
pub struct WatchingAllocator;

// SAFETY: the system's allocator does all the work; what is read here is still allocated.
unsafe impl GlobalAlloc for WatchingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is still allocated, and was zeroed, so that all of it can be read.
        let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
        // A thread that ends frees blocks when its thread-locals are gone.
        let _ = WATCH.try_with(|watch| {
            if let Some((check, mut freed)) = watch.get() {
                *(if check(bytes) {
                    &mut freed.passed
                } else {
                    &mut freed.failed
                }) += 1;
                watch.set(Some((check, freed)));
            }
        });
        // SAFETY: the caller guarantees the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Checks every block that this thread frees during `work`. Counts nothing unless the program's
/// allocator is a [`WatchingAllocator`].
pub fn watch(check: Check, work: impl FnOnce()) -> Freed {
    WATCH.set(Some((check, Freed::default())));
    work();
    WATCH.take().map_or_else(Freed::default, |(_, freed)| freed)
}
