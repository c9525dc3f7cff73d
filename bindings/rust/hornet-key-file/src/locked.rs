// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The only location of a key in memory.

use crate::error::{Problem, R_PROBLEM};
use hornet::aes::{Key, NotClamped};
use rustix::mm::{MapFlags, ProtFlags, mlock, mmap_anonymous, munmap};
use std::fmt;
use std::ptr;
use zeroize::Zeroize;

/// A key in its own page, which stays in place when the value is moved. The page is kept out of
/// swap space if the limit on locked memory allows it, and out of core dumps on Linux. Wiped when
/// dropped.
pub(crate) struct Locked {
    page: *mut [u8; Key::BYTES],
}

// SAFETY: only the owner of the value writes to the page.
unsafe impl Send for Locked {}
// SAFETY: as above; while shared, it is only read.
unsafe impl Sync for Locked {}

impl Locked {
    /// Creates a key from bytes that `fill` writes and, if they are random, clamps.
    pub(crate) fn new(
        fill: impl FnOnce(&mut [u8; Key::BYTES]) -> Result<(), Problem>,
    ) -> Result<Self, Problem> {
        // The kernel rounds the length up to a whole page, and protects all of it.
        let (prot, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
        // SAFETY: a new mapping, at an address that the kernel chooses.
        let page = unsafe { mmap_anonymous(ptr::null_mut(), Key::BYTES, prot, flags) }
            .map_err(|error| Problem::Io("no memory for a key", error.into()))?;
        let mut locked = Self { page: page.cast() };
        // SAFETY: the mapping was just created. If it cannot be locked, the key is used
        // nevertheless.
        let _ = unsafe { mlock(page, Key::BYTES) };
        #[cfg(target_os = "linux")]
        // SAFETY: as above. The content of the memory is not affected.
        let _ = unsafe { rustix::mm::madvise(page, Key::BYTES, rustix::mm::Advice::LinuxDontDump) };
        fill(locked.bytes())?;
        match Key::from_ref(locked.bytes()) {
            Ok(_) => Ok(locked),
            Err(NotClamped) => Err(R_PROBLEM),
        }
    }

    pub(crate) fn key(&self) -> &Key {
        // SAFETY: mapped as long as `self` lives, and written only by `new` and `drop`.
        let bytes = unsafe { &*self.page };
        match Key::from_ref(bytes) {
            Ok(key) => key,
            Err(NotClamped) => unreachable!("checked by `new`"),
        }
    }

    fn bytes(&mut self) -> &mut [u8; Key::BYTES] {
        // SAFETY: mapped, initially zero, and not shared.
        unsafe { &mut *self.page }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.bytes().zeroize();
        // SAFETY: the mapping that `new` created; nothing refers to it any more.
        let _ = unsafe { munmap(self.page.cast(), Key::BYTES) };
    }
}

/// Does not show the key.
impl fmt::Debug for Locked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key().fmt(f)
    }
}
