// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages in pieces.

use super::library::Library;
use crate::call::{self, Calls, Cut, PieceFunctions, tag_of};
use std::ffi::c_void;

/// The functions of a peer for messages in pieces, and their context.
pub(crate) struct InPieces {
    pub(super) functions: PieceFunctions,
    pub(super) context: *mut c_void,
}

impl InPieces {
    /// Loads the functions of a build of Hornet, with a state that the shim allocates.
    pub(super) fn of_hornet(library: Library) -> Result<Self, String> {
        type Open = unsafe extern "C" fn() -> *mut c_void;
        // SAFETY: the types are those in hornet.h and peer.h; the state is the context.
        let (functions, context) = unsafe {
            let open: Open = library.function("hornet_bench_open")?;
            let functions = PieceFunctions {
                init: library.function("hornet_poly1305_init")?,
                update: library.function("hornet_poly1305_update")?,
                finish: library.function("hornet_poly1305_final")?,
            };
            (functions, open())
        };
        if context.is_null() {
            return Err("has no memory for a state".into());
        }
        Ok(Self { functions, context })
    }

    /// Authenticates `messages` messages. This is what is timed.
    pub(crate) fn run(&self, calls: &Calls, cut: Cut, messages: usize) {
        // SAFETY: the functions and their context belong together; no other peer and no other thread uses the context.
        unsafe { call::run_in_pieces(self.functions, self.context, calls, cut, messages) }
    }

    /// Computes one tag.
    pub(crate) fn tag(&self, key: &[u8; 32], msg: &[u8], cut: Cut) -> [u8; 16] {
        tag_of(&mut key.clone(), msg, |calls| self.run(calls, cut, 1))
    }
}
