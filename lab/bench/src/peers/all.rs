// SPDX-License-Identifier: Apache-2.0 OR MIT

//! All peers that are available on this machine.

use super::aead::{self, Aead, OpenedAead};
use super::hornet::Hornet;
use super::peer::{Opened, Peer};
use super::{aead_crates, aes, crates, go, shims};
use crate::source_tree::COMPILERS;
use std::collections::BTreeMap;

/// The peers, and the reasons why some are missing.
pub(crate) struct Peers {
    /// Hornet's builds.
    pub(crate) hornets: Vec<Hornet>,
    others: Vec<Box<dyn Peer>>,
    /// The peers that have Poly1305-AES, with keys of `AES_KEY_BYTES`.
    pub(crate) with_aes: Vec<Box<dyn Peer>>,
    /// The peers that have ChaCha20-Poly1305, Hornet's builds first.
    pub(crate) aead: Vec<Aead>,
    /// The peers that go through OpenSSL's EVP, Hornet's provider first.
    pub(crate) evp: Vec<Aead>,
    /// Names and reasons.
    pub(crate) missing: BTreeMap<String, String>,
}

impl Peers {
    pub(crate) fn load() -> Self {
        let mut peers = Self {
            hornets: Vec::new(),
            others: Vec::new(),
            with_aes: aes::all(),
            aead: Vec::new(),
            evp: Vec::new(),
            missing: BTreeMap::new(),
        };
        for (compiler, _) in COMPILERS {
            match Hornet::open(compiler) {
                Ok(hornet) => peers.hornets.push(hornet),
                Err(why) => drop(peers.missing.insert(format!("hornet {compiler}"), why)),
            }
        }
        for (name, peer) in shims::all() {
            peers.add(name, peer);
        }
        peers.others.extend(crates::all());
        peers.add("Go x/crypto", go::open());
        let mut open = |all: Vec<(String, OpenedAead)>| -> Vec<Aead> {
            let opened = all.into_iter().filter_map(|(name, opened)| {
                let missing = |why| peers.missing.insert(aead::full_name(&name), why);
                opened.map_err(missing).ok()
            });
            opened.collect()
        };
        let (aead, evp) = (open(all_aead()), open(shims::all_evp()));
        peers.aead = aead;
        peers.evp = evp;
        peers
    }

    fn add(&mut self, name: &str, peer: Opened) {
        match peer {
            Ok(peer) => self.others.push(peer),
            Err(why) => drop(self.missing.insert(name.to_owned(), why)),
        }
    }

    /// Returns all peers that could be loaded, Hornet's builds first.
    pub(crate) fn present(&self) -> impl Iterator<Item = &dyn Peer> {
        let hornets = self.hornets.iter().map(|hornet| hornet as &dyn Peer);
        hornets.chain(self.others.iter().map(|peer| &**peer))
    }

    /// Returns the build of Hornet with this peer name.
    pub(crate) fn hornet(&self, name: &str) -> Option<&Hornet> {
        self.hornets.iter().find(|hornet| hornet.name() == name)
    }
}

/// Returns all that have ChaCha20-Poly1305, Hornet's builds first, each with its name.
fn all_aead() -> Vec<(String, OpenedAead)> {
    let hornets = COMPILERS.map(|(compiler, _)| {
        let name = format!("hornet {compiler}");
        let opened = shims::hornet_aead(&name, compiler);
        (name, opened)
    });
    let others = shims::all_aead().into_iter().chain(aead_crates::all());
    let others = others.map(|(name, opened)| (name.to_owned(), opened));
    hornets.into_iter().chain(others).collect()
}
