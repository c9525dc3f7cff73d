//! Everything that is measured.

mod aes;
mod crates;
mod go;
mod hornet;
mod library;
mod shims;

pub(crate) use aes::AES_KEY_BYTES;
pub(crate) use hornet::{BatchCalls, Hornet, Part};

use crate::call::{self, Call, Calls, MacFunction};
use crate::section::Section;
use std::ffi::c_void;

/// Something that computes tags.
pub(crate) trait Peer {
    fn name(&self) -> &str;

    fn version(&self) -> &str;

    /// Makes that many calls: what is timed.
    fn run(&self, calls: &Calls, iterations: usize);

    /// Whether it is measured where only the sections's instructions may be used.
    fn is_in(&self, section: Section) -> bool;

    /// Whether it can be the fastest at some length, as far as is known; the others are left out of the long
    /// measurements.
    fn is_fast(&self) -> bool;

    /// Something to say about it in the report.
    fn note(&self) -> Option<&str> {
        None
    }

    fn as_hornet(&self) -> Option<&Hornet> {
        None
    }

    /// One tag.
    fn tag(&self, key: &[u8; 32], msg: &[u8]) -> [u8; 16] {
        self.tag_under(&mut key.clone(), msg)
    }

    /// One tag, under a key of the length that the peer takes.
    fn tag_under(&self, key: &mut [u8], msg: &[u8]) -> [u8; 16] {
        // A peer that fails without a word leaves this.
        let mut tag = *b"nothing written!";
        let call = Call {
            tag: tag.as_mut_ptr(),
            msg: msg.as_ptr(),
            len_bytes: msg.len(),
            key: key.as_mut_ptr(),
        };
        // SAFETY: they live until the call below has been made.
        let calls = unsafe { Calls::new(vec![call]) };
        self.run(&calls, 1);
        tag
    }
}

/// A peer that is one function of C.
struct Native {
    name: String,
    version: String,
    mac: MacFunction,
    context: *mut c_void,
    sections: &'static [Section],
    fast: bool,
    note: Option<&'static str>,
}

impl Peer for Native {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn run(&self, calls: &Calls, iterations: usize) {
        // SAFETY: whoever made this peer knows the function; its context is used by no other, in this thread only.
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
}

/// All peers there are, Hornet's builds first, and why some are not.
pub(crate) struct Peers {
    pub(crate) present: Vec<Box<dyn Peer>>,
    /// Those of them that have Poly1305-AES, as peers with keys of `AES_KEY_BYTES`.
    pub(crate) with_aes: Vec<Box<dyn Peer>>,
    /// Names and reasons.
    pub(crate) missing: Vec<(String, String)>,
}

impl Peers {
    pub(crate) fn load() -> Self {
        let mut peers = Self {
            present: Vec::new(),
            with_aes: aes::all(),
            missing: Vec::new(),
        };
        for compiler in ["gcc", "clang"] {
            peers.add(
                &format!("hornet {compiler}"),
                Hornet::open(compiler).map(|peer| vec![Box::new(peer) as Box<dyn Peer>]),
            );
        }
        for shim in shims::SHIMS {
            shim.load(&mut peers);
        }
        peers.present.extend(crates::all());
        peers.add("Go x/crypto", go::open().map(|peer| vec![peer]));
        peers
    }

    fn add(&mut self, name: &str, peers: Result<Vec<Box<dyn Peer>>, String>) {
        match peers {
            Ok(peers) => self.present.extend(peers),
            Err(why) => self.missing.push((name.to_owned(), why)),
        }
    }

    /// Hornet's builds.
    pub(crate) fn hornets(&self) -> impl Iterator<Item = &Hornet> {
        self.present.iter().filter_map(|peer| peer.as_hornet())
    }
}

/// The version of something that is pinned in Cargo.lock or go.mod.
fn version(of: &str) -> String {
    crate::built::VERSIONS
        .iter()
        .find(|(name, _)| *name == of)
        .map_or("unknown", |(_, version)| version)
        .to_owned()
}
