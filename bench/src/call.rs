// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The calls that are timed, and the loop that makes them: the same for all peers; Go's is a copy in Go.

use std::ffi::c_void;
use std::hint::black_box;

/// A C function that writes one tag. `context` is what the peer keeps from call to call.
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

/// Calls that are made in turn, repeatedly. Their number is a power of two, so that the loop finds the next one with
/// one instruction.
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
    /// While calls are made, `tag` must be valid for writes of 16 bytes, `key` for reads of 32 bytes and `msg` for reads
    /// of `len_bytes`, and nothing else may access them.
    pub(crate) unsafe fn new(calls: Vec<Call>) -> Self {
        assert!(calls.len().is_power_of_two());
        let chained = false;
        Self { calls, chained }
    }

    /// Calls each of which must wait for the previous one: its tag becomes r, the first half of the key.
    ///
    /// # Safety
    ///
    /// As for `new`; and `key` must be valid for writes.
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

    /// The mask for indexes.
    pub(crate) fn mask(&self) -> usize {
        self.calls.len() - 1
    }
}

/// Makes `iterations` calls.
///
/// # Safety
///
/// `mac` may write 16 bytes at `tag` and read 32 bytes at `key` and `len_bytes` at `msg`; `context` must be its own.
#[inline(never)]
pub(crate) unsafe fn run(mac: MacFunction, context: *mut c_void, calls: &Calls, iterations: usize) {
    // Hides from the compiler which function this is, or it would inline those written in Rust.
    let mac = black_box(mac);
    let mask = calls.mask();
    if calls.is_chained() {
        for i in 0..iterations {
            let call = &calls.calls[i & mask];
            // SAFETY: `Calls` and the caller guarantee that the pointers are valid.
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

/// Copies a tag so that store forwarding works for every peer: reads two halves, as most peers write them, and writes
/// all 16 bytes at once, which can be read back as halves or as a whole.
#[inline]
unsafe fn copy_tag(to: *mut u8, from: *const u8) {
    // SAFETY: the caller guarantees that both are valid for 16 bytes; every x86-64 CPU has SSE2.
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
