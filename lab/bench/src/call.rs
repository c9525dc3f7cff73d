// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The timed calls, and the loop that makes them. All peers use the same loop, except Go, which has a copy in Go.

use std::ffi::c_void;
use std::hint::black_box;

/// A C function that writes one tag. `context` is the peer's state that persists between calls.
pub(crate) type MacFunction = unsafe extern "C" fn(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    context: *mut c_void,
);

/// The C functions of a peer that takes a message in pieces: `struct peer_pieces` in shims/peer.h. `context` holds the
/// state of the current message.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PieceFunctions {
    pub(crate) init: unsafe extern "C" fn(context: *mut c_void, key: *const u8),
    pub(crate) update:
        unsafe extern "C" fn(context: *mut c_void, piece: *const u8, len_bytes: usize),
    pub(crate) finish: unsafe extern "C" fn(context: *mut c_void, tag: *mut u8),
}

/// How a message is cut into pieces. The last piece is shorter if the message ends within it, and the first may be the
/// only one.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    first_bytes: usize,
    other_bytes: usize,
}

impl Cut {
    /// Cuts into pieces of `len_bytes` bytes, at least 1.
    pub(crate) const fn into_pieces_of(len_bytes: usize) -> Self {
        Self::after_header(len_bytes, len_bytes)
    }

    /// Cuts into a header and pieces of another length, at least 1.
    pub(crate) const fn after_header(first_bytes: usize, other_bytes: usize) -> Self {
        assert!(other_bytes > 0);
        Self {
            first_bytes,
            other_bytes,
        }
    }

    /// Returns the number of pieces of a message. An empty message is one empty piece.
    pub(crate) fn pieces(self, len_bytes: usize) -> usize {
        let others = len_bytes.saturating_sub(self.first_bytes);
        1 + others.div_ceil(self.other_bytes)
    }
}

/// A message, its key, and the buffer for its tag.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Call {
    pub(crate) tag: *mut u8,
    pub(crate) msg: *const u8,
    pub(crate) len_bytes: usize,
    pub(crate) key: *mut u8,
}

/// Calls that are made in turn, repeatedly. Their number is a power of two, so that the loop finds the next call with a
/// single instruction.
#[derive(Clone)]
pub(crate) struct Calls {
    calls: Vec<Call>,
    chained: bool,
}

impl Calls {
    /// Creates calls that a CPU may overlap.
    ///
    /// # Safety
    ///
    /// While calls are made, `tag` must be valid for writes of 16 bytes, `key` for reads of 32 bytes and `msg` for
    /// reads of `len_bytes` bytes, and nothing else may access them.
    pub(crate) unsafe fn new(calls: Vec<Call>) -> Self {
        assert!(calls.len().is_power_of_two());
        let chained = false;
        Self { calls, chained }
    }

    /// Creates calls that must each wait for the previous one: its tag becomes r, the first half of the key.
    ///
    /// # Safety
    ///
    /// As for `new`; in addition, `key` must be valid for writes.
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

    /// Returns the index mask.
    pub(crate) fn mask(&self) -> usize {
        self.calls.len() - 1
    }
}

/// Makes `iterations` calls.
///
/// # Safety
///
/// `mac` may write 16 bytes to `tag`, and read 32 bytes from `key` and `len_bytes` bytes from `msg`; `context` must be
/// its own.
#[inline(never)]
pub(crate) unsafe fn run(mac: MacFunction, context: *mut c_void, calls: &Calls, iterations: usize) {
    // Hides the function from the compiler, which would otherwise inline functions written in Rust.
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

/// Authenticates `messages` messages in pieces.
///
/// # Safety
///
/// The functions may read 32 bytes from `key` and the pieces of `msg`, and write 16 bytes to `tag`; `context` must be
/// their own. The calls must not be chained.
#[inline(never)]
pub(crate) unsafe fn run_in_pieces(
    functions: PieceFunctions,
    context: *mut c_void,
    calls: &Calls,
    cut: Cut,
    messages: usize,
) {
    let PieceFunctions {
        init,
        update,
        finish,
    } = black_box(functions); // as in `run`
    let mask = calls.mask();
    for i in 0..messages {
        let call = &calls.calls[i & mask];
        let (mut piece, mut left) = (call.msg, call.len_bytes);
        let mut piece_bytes = cut.first_bytes.min(left);
        // SAFETY: `Calls` and the caller guarantee that the pointers are valid; a piece ends within the message.
        unsafe {
            init(context, call.key);
            loop {
                update(context, piece, piece_bytes);
                piece = piece.add(piece_bytes);
                left -= piece_bytes;
                if left == 0 {
                    break;
                }
                piece_bytes = cut.other_bytes.min(left);
            }
            finish(context, call.tag);
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

/// Returns the tag that one call writes.
pub(crate) fn tag_of(key: &mut [u8], msg: &[u8], run: impl FnOnce(&Calls)) -> [u8; 16] {
    // This value remains if the peer fails silently.
    let mut tag = *b"nothing written!";
    let call = Call {
        tag: tag.as_mut_ptr(),
        msg: msg.as_ptr(),
        len_bytes: msg.len(),
        key: key.as_mut_ptr(),
    };
    // SAFETY: all of them outlive the call below.
    let calls = unsafe { Calls::new(vec![call]) };
    run(&calls);
    tag
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of the calls.
    #[derive(Default)]
    struct Log {
        inits: usize,
        pieces: Vec<Vec<u8>>,
        ends: usize,
    }

    unsafe extern "C" fn init(context: *mut c_void, _key: *const u8) {
        // SAFETY: the context is a log.
        unsafe { (*context.cast::<Log>()).inits += 1 };
    }

    unsafe extern "C" fn update(context: *mut c_void, piece: *const u8, len_bytes: usize) {
        // SAFETY: the context is a log, and the piece is valid.
        unsafe {
            let piece = std::slice::from_raw_parts(piece, len_bytes).to_vec();
            (*context.cast::<Log>()).pieces.push(piece);
        }
    }

    unsafe extern "C" fn finish(context: *mut c_void, _tag: *mut u8) {
        // SAFETY: the context is a log.
        unsafe { (*context.cast::<Log>()).ends += 1 };
    }

    fn pieces(msg: &[u8], cut: Cut) -> Vec<Vec<u8>> {
        let (mut log, mut tag, mut key) = (Log::default(), [0; 16], [0; 32]);
        let functions = PieceFunctions {
            init,
            update,
            finish,
        };
        let call = Call {
            tag: tag.as_mut_ptr(),
            msg: msg.as_ptr(),
            len_bytes: msg.len(),
            key: key.as_mut_ptr(),
        };
        // SAFETY: all of them outlive the call, and the context is a log.
        unsafe {
            let calls = Calls::new(vec![call]);
            run_in_pieces(functions, (&raw mut log).cast(), &calls, cut, 1);
        }
        assert_eq!((log.inits, log.ends), (1, 1));
        assert_eq!(log.pieces.concat(), msg);
        assert_eq!(log.pieces.len(), cut.pieces(msg.len()));
        log.pieces
    }

    #[test]
    fn a_message_is_cut_into_all_of_its_pieces() {
        let msg: [u8; 10] = std::array::from_fn(|i| u8::try_from(i).unwrap());
        let lens_bytes = |len_bytes: usize, cut: Cut| -> Vec<usize> {
            let pieces = pieces(&msg[..len_bytes], cut);
            pieces.iter().map(Vec::len).collect()
        };
        assert_eq!(lens_bytes(10, Cut::into_pieces_of(5)), [5, 5]);
        assert_eq!(lens_bytes(10, Cut::into_pieces_of(4)), [4, 4, 2]);
        assert_eq!(lens_bytes(3, Cut::into_pieces_of(4)), [3]);
        assert_eq!(lens_bytes(0, Cut::into_pieces_of(4)), [0]);
        assert_eq!(lens_bytes(10, Cut::after_header(2, 8)), [2, 8]);
        assert_eq!(lens_bytes(10, Cut::after_header(2, 5)), [2, 5, 3]);
        assert_eq!(lens_bytes(2, Cut::after_header(2, 5)), [2]);
    }
}
