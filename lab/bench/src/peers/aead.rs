// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The interface of peers with ChaCha20-Poly1305, and Hornet's builds. The others are in `aead_crates.rs` and
//! `shims.rs`.

use crate::packets::{self, Direction, Packet, PacketFunction, Packets};
use crate::section::Section;
use std::ffi::c_void;

pub(super) type KeyFunction = unsafe extern "C" fn(context: *mut c_void, key: *const u8);

/// A peer with ChaCha20-Poly1305.
pub(crate) struct Aead {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) note: Option<&'static str>,
    pub(super) sections: &'static [Section],
    /// Whether it can be the fastest at some length.
    pub(super) fast: bool,
    pub(super) functions: AeadFunctions,
    /// State that the functions keep between calls, in particular the key.
    pub(super) context: *mut c_void,
    /// Hornet's functions for many packets.
    pub(super) batch: Option<Batch>,
}

/// The functions of a peer. The first sets the key of the packets that follow.
#[derive(Clone, Copy)]
pub(super) struct AeadFunctions {
    pub(super) key: KeyFunction,
    pub(super) seal: PacketFunction,
    pub(super) open: PacketFunction,
}

/// `hornet_chacha20_poly1305_seal_batch` and `_open_batch`.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    pub(super) seal: unsafe extern "C" fn(*const Packet, usize) -> bool,
    pub(super) open: unsafe extern "C" fn(*mut bool, *const Packet, usize) -> bool,
}

/// A peer, or the reason why it is missing.
pub(super) type OpenedAead = Result<Aead, String>;

impl Aead {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name for lists of all peers, in which most of these share their name with a peer without a cipher.
    pub(crate) fn full_name(&self) -> String {
        full_name(&self.name)
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn note(&self) -> Option<&'static str> {
        self.note
    }

    pub(crate) fn is_in(&self, section: Section) -> bool {
        self.sections.contains(&section)
    }

    pub(crate) fn is_fast(&self) -> bool {
        self.fast
    }

    /// Sets the key of the packets that follow.
    pub(crate) fn set_key(&self, key: &[u8; 32]) {
        // SAFETY: the function and its context belong together; no other peer and no other thread uses the context.
        unsafe { (self.functions.key)(self.context, key.as_ptr()) }
    }

    /// Seals or opens `iterations` packets. This is what is timed. Returns whether all calls succeeded.
    pub(crate) fn run(&self, direction: Direction, packets: &Packets, iterations: usize) -> bool {
        let function = match direction {
            Direction::Seal => self.functions.seal,
            Direction::Open => self.functions.open,
        };
        // SAFETY: as above.
        unsafe { packets::run(function, self.context, packets, iterations) }
    }

    pub(crate) fn has_batches(&self) -> bool {
        self.batch.is_some()
    }

    /// Seals or opens all packets at once. Returns false if it has no such function.
    pub(crate) fn run_batch(&self, direction: Direction, packets: &Packets) -> bool {
        let packets = packets.as_slice();
        let Some(batch) = self.batch else {
            return false;
        };
        // SAFETY: a `Packet` has the layout of a `hornet_packet`; `Packets` guarantees that the pointers are valid.
        unsafe {
            match direction {
                Direction::Seal => (batch.seal)(packets.as_ptr(), packets.len()),
                Direction::Open => {
                    let mut valid = vec![false; packets.len()];
                    let all = (batch.open)(valid.as_mut_ptr(), packets.as_ptr(), packets.len());
                    all && valid.iter().all(|valid| *valid)
                }
            }
        }
    }
}

pub(super) fn full_name(name: &str) -> String {
    format!("{name}, ChaCha20-Poly1305")
}
