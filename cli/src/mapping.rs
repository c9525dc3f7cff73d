//! A file mapped into memory that survives the loss of the file.
//!
//! Where a mapped file has been cut off, or its disk fails, reading the memory raises SIGBUS, which
//! by default ends the process. The handler here puts zero pages in place of the whole mapping and
//! makes a note; reading goes on, over zeros, until the reader sees the note and gives up. Any number of
//! threads may read one mapping: each gets zeros, whoever was first.

use memmap2::{Advice, Mmap, MmapOptions, UncheckedAdvice};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

// What the handler knows. Signal handlers take no arguments and no locks.
static START: AtomicPtr<libc::c_void> = AtomicPtr::new(ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);
static LOST: AtomicBool = AtomicBool::new(false);

/// There is one note, so there is one mapping at a time.
static ONE: Mutex<()> = Mutex::new(());

pub(crate) struct Mapping {
    map: Mmap,
    _one: MutexGuard<'static, ()>,
}

impl Mapping {
    /// Maps the first `length` bytes of a file. Waits for the last mapping to be dropped.
    pub(crate) fn new(file: &File, length: u64) -> io::Result<Self> {
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let length = usize::try_from(length).map_err(io::Error::other)?;
        // SAFETY: the handler sees to it that every byte can be read. Other processes may change the
        // bytes meanwhile; that makes the tag worthless, but they only ever go into arithmetic that
        // holds for all bytes, in C, and are read by nothing in Rust.
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

    /// Gives the pages of a range back. Otherwise one thread does so for all, at the end, and that is
    /// felt. Whoever reads the range again reads the file again. Only a hint.
    pub(crate) fn release(&self, start: usize, length: usize) {
        // SAFETY: as with `new`: nothing in Rust relies on these bytes to stay the same.
        let _ = unsafe {
            let advice = UncheckedAdvice::DontNeed;
            self.map.unchecked_advise_range(advice, start, length)
        };
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Whether something that was read was not the file.
    #[expect(
        clippy::unused_self,
        reason = "the note means nothing without the mapping"
    )]
    pub(crate) fn is_lost(&self) -> bool {
        LOST.load(SeqCst)
    }
}

impl Drop for Mapping {
    /// Then the fields: the memory, and last the lock.
    fn drop(&mut self) {
        LENGTH.store(0, SeqCst);
    }
}

fn install_handler() -> io::Result<()> {
    // SAFETY: zeros are a valid `sigaction`, with an empty mask once `sigemptyset` has seen it; the
    // handler has the signature that SA_SIGINFO asks for.
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

/// Calls only what may be called in a signal handler: atomics and system calls.
extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let (start, length) = (START.load(SeqCst), LENGTH.load(SeqCst));
    // SAFETY: with SA_SIGINFO the system hands over a valid `siginfo_t`.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };

    // Signals sent by a process have codes of 0 and below, and no address.
    let is_fault = code > 0;
    if is_fault && address.addr().wrapping_sub(start.addr()) < length {
        // All of it at once: page by page, a large file would take millions of signals.
        // SAFETY: replaces exactly the mapping, which only `Mapping` knows and nobody writes to.
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
    // Not ours: end as if there were no handler. The signal is blocked here and strikes on return.
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
        // Byte by byte, so that the compiler does not leave the reading out.
        bytes
            .iter()
            // SAFETY: a reference may be read.
            .map(|byte| usize::from(unsafe { ptr::read_volatile(byte) }))
            .sum()
    }

    #[test]
    fn loss_is_survived_and_noted() {
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

    /// All of them find out, at whatever moment; and the pages that were given back are read again.
    #[test]
    fn loss_under_several_threads() {
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
