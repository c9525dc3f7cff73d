// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Which process this is, so that what `fork` duplicates can tell.

use std::process;

/// A process. It differs from every process that `fork` makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Process {
    /// The number in the page that the kernel clears in a copy.
    #[cfg(target_os = "linux")]
    Marked(u64),
    /// Its id, where there is no such page. A descendant may get the same id once this process has
    /// ended.
    Id(u32),
}

impl Process {
    /// Returns the process that this code runs in.
    pub(crate) fn current() -> Self {
        #[cfg(target_os = "linux")]
        if let Some(number) = wiped::number() {
            return Self::Marked(number);
        }
        Self::Id(process::id())
    }

    /// Returns whether this code runs in that process. For a marked one, this reads memory only;
    /// `getpid` is a system call.
    pub(crate) fn is_current(self) -> bool {
        match self {
            #[cfg(target_os = "linux")]
            Self::Marked(number) => wiped::is(number),
            Self::Id(id) => process::id() == id,
        }
    }
}

#[cfg(target_os = "linux")]
mod wiped {
    //! A page that is zero in a process that `fork` has made, whichever function or system call was
    //! used (`MADV_WIPEONFORK`, Linux 4.14). A child that shares the memory of its parent, as after
    //! `vfork`, shares the page too, and what counts nonces.

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
    use std::ptr;
    use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

    /// The page, once there is one: a number, or 0 in a new process.
    static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());

    /// The highest number that this process or one before it has had. It is not cleared.
    static HIGHEST: AtomicU64 = AtomicU64::new(0);

    // No lock: a thread that held it would be missing in the child.

    /// Returns the number of this process, which is above those of all from which it descends, or
    /// `None` if the kernel does not clear pages.
    pub(super) fn number() -> Option<u64> {
        let page = page().or_else(new_page)?;
        match page.load(Ordering::Acquire) {
            0 => {
                let next = HIGHEST.fetch_add(1, Ordering::AcqRel) + 1;
                // Another thread may have been first.
                let before = page.compare_exchange(0, next, Ordering::AcqRel, Ordering::Acquire);
                Some(before.map_or_else(|first| first, |_| next))
            }
            number => Some(number),
        }
    }

    pub(super) fn is(number: u64) -> bool {
        page().is_some_and(|page| page.load(Ordering::Relaxed) == number)
    }

    fn page() -> Option<&'static AtomicU64> {
        // SAFETY: null, or a page that stays mapped.
        unsafe { PAGE.load(Ordering::Acquire).as_ref() }
    }

    const BYTES: usize = size_of::<AtomicU64>(); // which the kernel rounds up to a page

    fn new_page() -> Option<&'static AtomicU64> {
        // The kernel does not clear shared memory, and says so; QEMU 7.2 says yes to all.
        if let Some(page) = mapped_and_wiped(MapFlags::SHARED) {
            unmap(page);
            return None;
        }
        let page = mapped_and_wiped(MapFlags::PRIVATE)?;
        let null = ptr::null_mut();
        if PAGE
            .compare_exchange(null, page, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            unmap(page); // another thread was first
        }
        self::page()
    }

    /// Returns a new mapping, if the kernel says that it will clear it.
    fn mapped_and_wiped(flags: MapFlags) -> Option<*mut AtomicU64> {
        let prot = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, at an address that the kernel chooses.
        let page = unsafe { mmap_anonymous(ptr::null_mut(), BYTES, prot, flags) }.ok()?;
        // SAFETY: it is zero already.
        let wiped = unsafe { madvise(page, BYTES, Advice::LinuxWipeOnFork) };
        if wiped.is_err() {
            unmap(page.cast());
        }
        wiped.ok().map(|()| page.cast())
    }

    fn unmap(page: *mut AtomicU64) {
        // SAFETY: a mapping of `mapped_and_wiped` that no one else has.
        let _ = unsafe { munmap(page.cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::Process;
    use std::process;

    /// What is used where the kernel does not clear pages.
    #[test]
    fn an_id_tells_too() {
        let id = Process::Id(process::id());
        assert!(id.is_current() && Process::current().is_current());
        // SAFETY: the child asks for its id, and ends.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                libc::_exit(i32::from(id.is_current()));
            }
            let mut status = -1;
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            assert_eq!(status, 0);
        }
    }
}
