// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Mapped files that can be truncated while they are read.
//!
//! If a mapped file is truncated or its disk fails, reading the memory raises SIGBUS, which by
//! default ends the process. The handler here replaces the whole mapping with zero pages and sets a
//! flag. Reading continues, over zeros, until the reader checks the flag. Any number of threads may
//! read one mapping.

use hornet_manifest::holes::Extents;
use memmap2::{Advice, Mmap, MmapOptions, UncheckedAdvice};
use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

// Read by the signal handler, which must not take locks.
static START: AtomicPtr<libc::c_void> = AtomicPtr::new(ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);
static LOST: AtomicBool = AtomicBool::new(false);

/// There is one flag, so there can be one mapping at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Files of at least this length are mapped, which saves a copy. For smaller files, mapping would
/// save a few microseconds of a process that takes a thousand.
pub(crate) const MAP_FROM_BYTES: u64 = 64 << 10;

pub(crate) struct Mapping {
    map: Mmap,
    _one: MutexGuard<'static, ()>,
}

impl Mapping {
    /// Maps the first `length` bytes of a regular file, if that is worth it and possible: a file that
    /// cannot be mapped may still be read, and so is one in memory whose holes a mapping would fill, and
    /// any if addresses are limited, which buffers need. Moves the position of the file.
    pub(crate) fn of(file: &File, length: u64) -> io::Result<Option<Self>> {
        let limited = getrlimit(Resource::As).current.is_some();
        if limited || length < MAP_FROM_BYTES || Extents::of(file, length)?.fills_if_mapped() {
            return Ok(None);
        }
        Ok(Self::new(file, length).ok())
    }

    /// Maps the first `length` bytes of a file. Waits until no other mapping exists.
    pub(crate) fn new(file: &File, length: u64) -> io::Result<Self> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let length = usize::try_from(length).map_err(io::Error::other)?;
        // SAFETY: the handler ensures that every byte can be read. Other processes may change the
        // bytes in the meantime. That makes the tag useless, but only C code reads the bytes, for
        // arithmetic that is defined for all values.
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        // Only a hint.
        let _ = map.advise(Advice::Sequential);

        LOST.store(false, SeqCst);
        START.store(map.as_ptr().cast_mut().cast(), SeqCst);
        LENGTH.store(length, SeqCst);
        let mapping = Self { map, _one: one };
        install_handler()?;
        Ok(mapping)
    }

    /// Lets `of` use a range, which is released then. Returns `None` if the file was lost, so that what it
    /// used may not be the file's, or if there is no such range.
    pub(crate) fn with<T>(
        &self,
        start: u64,
        len_bytes: usize,
        of: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let start = usize::try_from(start).ok()?;
        let result = of(self.map.get(start..)?.get(..len_bytes)?);
        self.release(start, len_bytes);
        (!self.is_lost()).then_some(result)
    }

    /// Unmaps the pages of a range. Otherwise one thread would unmap all pages at the end, at a
    /// measurable cost. The range can still be read, again from the file. This is only a hint.
    fn release(&self, start: usize, length: usize) {
        // SAFETY: as in `new`, nothing in Rust relies on these bytes staying the same.
        let _ = unsafe {
            let advice = UncheckedAdvice::DontNeed;
            self.map.unchecked_advise_range(advice, start, length)
        };
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Returns whether the file was lost, so that bytes read may not be its own.
    #[expect(clippy::unused_self, reason = "the flag is about the mapping")]
    pub(crate) fn is_lost(&self) -> bool {
        LOST.load(SeqCst)
    }
}

impl Drop for Mapping {
    /// Afterwards the fields are dropped: the mapping, and then the lock.
    fn drop(&mut self) {
        LENGTH.store(0, SeqCst);
    }
}

fn install_handler() -> io::Result<()> {
    // SAFETY: a zeroed `sigaction` is valid, `sigemptyset` sets its mask, and the handler has the
    // signature that SA_SIGINFO requires.
    let status = unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        libc::sigemptyset(&raw mut action.sa_mask);
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
            on_sigbus;
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut())
    };
    if status == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Uses only atomics and system calls, which are allowed in signal handlers.
extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let (start, length) = (START.load(SeqCst), LENGTH.load(SeqCst));
    // SAFETY: with SA_SIGINFO, the system passes a valid `siginfo_t`.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };

    // Signals sent by a process have codes of 0 and below, and no address.
    let is_fault = code > 0;
    if is_fault && address.addr().wrapping_sub(start.addr()) < length {
        // Replaces the whole mapping at once: page by page, a large file would take millions of
        // signals.
        // SAFETY: replaces exactly the mapping, which belongs to `Mapping` and is never written.
        let zeros = unsafe {
            libc::mmap(
                start,
                length,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if zeros != libc::MAP_FAILED {
            LOST.store(true, SeqCst);
            return;
        }
    }
    // The signal is not about the mapping: end as without a handler. It is blocked until this
    // returns.
    // SAFETY: both may be called in a signal handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(bytes: &[u8]) -> usize {
        // Volatile, so that the compiler does not omit the reads.
        bytes
            .iter()
            // SAFETY: a reference is readable.
            .map(|byte| usize::from(unsafe { ptr::read_volatile(byte) }))
            .sum()
    }

    #[test]
    fn truncation_is_survived_and_noticed() {
        let file = tempfile::tempfile().unwrap();
        for _ in 0..2 {
            file.set_len(1 << 20).unwrap();
            let mapping = Mapping::new(&file, 1 << 20).unwrap();
            assert_eq!(sum(mapping.bytes()), 0);
            assert!(!mapping.is_lost());
            file.set_len(1 << 19).unwrap();
            assert_eq!(sum(&mapping.bytes()[..1 << 19]), 0);
            assert!(!mapping.is_lost());
            assert_eq!(sum(mapping.bytes()), 0);
            assert!(mapping.is_lost());
        }
    }

    /// All threads notice the truncation, and released pages can be read again.
    #[test]
    fn truncation_while_threads_read() {
        let file = tempfile::tempfile().unwrap();
        for _ in 0..10 {
            file.set_len(4 << 20).unwrap();
            let mapping = Mapping::new(&file, 4 << 20).unwrap();
            let start = std::sync::Barrier::new(5);
            std::thread::scope(|scope| {
                for index in 0..4 {
                    let (mapping, start) = (&mapping, &start);
                    scope.spawn(move || {
                        start.wait();
                        while !mapping.is_lost() {
                            let window = index << 20;
                            assert_eq!(sum(&mapping.bytes()[window..][..1 << 16]), 0);
                            mapping.release(window, 1 << 20);
                        }
                        assert_eq!(sum(&mapping.bytes()[index << 20..][..1 << 16]), 0);
                    });
                }
                start.wait();
                file.set_len(0).unwrap();
            });
        }
    }
}
