//! The calls that are timed, and the loop that makes them: one for all peers, apart from Go's, which is the same.

use std::ffi::c_void;
use std::hint::black_box;

/// What a peer is to the loop: a function of C that writes one tag, and what it keeps from call to call.
pub(crate) type MacFunction = unsafe extern "C" fn(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    context: *mut c_void,
);

/// One message, its key, and where its tag goes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Call {
    pub(crate) tag: *mut u8,
    pub(crate) msg: *const u8,
    pub(crate) len_bytes: usize,
    pub(crate) key: *mut u8,
}

/// Calls to be made in turn, again and again. Their number is a power of two, so that the loop finds the next one
/// with one instruction.
#[derive(Clone)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    chained: bool,
}

impl Calls {
    /// Calls that a CPU may overlap.
    ///
    /// # Safety
    ///
    /// As long as the calls are made: `tag` can be written, 16 bytes; `key` can be read, 32 bytes; `msg` can be read,
    /// `len_bytes`; and nobody else touches any of them.
    pub(crate) unsafe fn new(calls: Vec<Call>) -> Self {
        assert!(calls.len().is_power_of_two());
        let chained = false;
        Self { calls, chained }
    }

    /// Calls each of which has to wait for the one before: its tag becomes the first half of the key, that is r.
    ///
    /// # Safety
    ///
    /// As for `new`; and `key` can be written.
    pub(crate) unsafe fn chained(call: Call) -> Self {
        let (calls, chained) = (vec![call], true);
        Self { calls, chained }
    }

    pub(crate) fn as_slice(&self) -> &[Call] {
        &self.calls
    }

    pub(crate) fn is_chained(&self) -> bool {
        self.chained
    }

    /// What an index is masked with.
    pub(crate) fn mask(&self) -> usize {
        self.calls.len() - 1
    }
}

/// Makes `iterations` calls.
///
/// # Safety
///
/// `mac` writes 16 bytes at `tag` and reads 32 at `key` and `len_bytes` at `msg`; and `context` is its own.
#[inline(never)]
pub(crate) unsafe fn run(mac: MacFunction, context: *mut c_void, calls: &Calls, iterations: usize) {
    // The compiler is not to know which function this is, or it would inline those that are in Rust.
    let mac = black_box(mac);
    let mask = calls.mask();
    if calls.is_chained() {
        for i in 0..iterations {
            let call = &calls.calls[i & mask];
            // SAFETY: `Calls` and the caller vouch for the pointers.
            unsafe {
                mac(call.tag, call.msg, call.len_bytes, call.key, context);
                copy_tag(call.key, call.tag);
            }
        }
    } else {
        for i in 0..iterations {
            let call = &calls.calls[i & mask];
            // SAFETY: as above.
            unsafe { mac(call.tag, call.msg, call.len_bytes, call.key, context) };
        }
    }
}

/// Copies a tag so that no peer waits for its own stores: it is read in halves, as most peers write it, and written
/// in one, which can be read back in halves as well as in one.
#[inline]
unsafe fn copy_tag(to: *mut u8, from: *const u8) {
    // SAFETY: both are valid for 16 bytes, says the caller; SSE2 is in every x86-64 CPU.
    unsafe {
        let low = i64::from_le_bytes(from.cast::<[u8; 8]>().read());
        let high = i64::from_le_bytes(from.add(8).cast::<[u8; 8]>().read());
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_mm_set_epi64x, _mm_storeu_si128};
            _mm_storeu_si128(to.cast(), _mm_set_epi64x(high, low));
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            to.cast::<[u8; 8]>().write(low.to_le_bytes());
            to.add(8).cast::<[u8; 8]>().write(high.to_le_bytes());
        }
    }
}
