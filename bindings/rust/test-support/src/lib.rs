// SPDX-License-Identifier: Apache-2.0 OR MIT

//! An allocator for tests that examines each block before it is freed, to find secrets that were
//! not wiped.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::slice;

/// Decides whether a block may be freed as it is, that is, whether it contains no secret.
pub type Check = fn(&[u8]) -> bool;

/// Statistics of the blocks that a thread has freed.
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

/// The system allocator, watched. It is meant to be the `#[global_allocator]` of a test program.
///
/// Blocks are zeroed when they are allocated, so that each of their bytes can be read.
pub struct WatchingAllocator;

// SAFETY: the system allocator does all the work; the memory read here is still allocated.
unsafe impl GlobalAlloc for WatchingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is still allocated, and was zeroed, so all of it can be read.
        let bytes = unsafe { slice::from_raw_parts(block, layout.size()) };
        // A thread that exits frees blocks after its thread-locals are gone.
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

/// Checks every block that this thread frees during `work`. Counts nothing unless a
/// [`WatchingAllocator`] is the allocator of the program.
pub fn watch(check: Check, work: impl FnOnce()) -> Freed {
    WATCH.set(Some((check, Freed::default())));
    work();
    WATCH.take().map_or_else(Freed::default, |(_, freed)| freed)
}
