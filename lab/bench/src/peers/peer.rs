// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The interface of all peers.

use super::pieces::InPieces;
use crate::call::{self, Calls, MacFunction, tag_of};
use crate::section::Section;
use std::ffi::c_void;

/// An implementation of Poly1305.
pub(crate) trait Peer {
    fn name(&self) -> &str;

    fn version(&self) -> &str;

    /// Makes `iterations` calls. This is what is timed.
    fn run(&self, calls: &Calls, iterations: usize);

    /// Whether it is measured in that section, that is, uses only instructions of the section.
    fn is_in(&self, section: Section) -> bool;

    /// Whether it can be the fastest at some length. Other peers are left out of the long measurements.
    fn is_fast(&self) -> bool;

    /// Returns a note on it for the report.
    fn note(&self) -> Option<&str> {
        None
    }

    /// Returns how it takes a message in pieces, if that is measured.
    fn in_pieces(&self) -> Option<&InPieces> {
        None
    }

    /// Computes one tag.
    fn tag(&self, key: &[u8; 32], msg: &[u8]) -> [u8; 16] {
        self.tag_under(&mut key.clone(), msg)
    }

    /// Computes one tag, under a key of the length that the peer uses.
    fn tag_under(&self, key: &mut [u8], msg: &[u8]) -> [u8; 16] {
        tag_of(key, msg, |calls| self.run(calls, 1))
    }
}

/// A peer, or the reason why it is missing.
pub(super) type Opened = Result<Box<dyn Peer>, String>;

/// A peer that is one C function, with optional functions for messages in pieces.
pub(super) struct Native {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) mac: MacFunction,
    pub(super) context: *mut c_void,
    pub(super) sections: &'static [Section],
    pub(super) fast: bool,
    pub(super) note: Option<&'static str>,
    pub(super) in_pieces: Option<InPieces>,
}

impl Peer for Native {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        // SAFETY: the function and its context belong together; no other peer and no other thread uses the context.
        unsafe { call::run(self.mac, self.context, calls, iterations) }
    }

    fn is_in(&self, section: Section) -> bool {
        self.sections.contains(&section)
    }

    fn is_fast(&self) -> bool {
        self.fast
    }

    fn note(&self) -> Option<&str> {
        self.note
    }

    fn in_pieces(&self) -> Option<&InPieces> {
        self.in_pieces.as_ref()
    }
}
