// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The peers that have Poly1305-AES. Each sets up its key and uses a new nonce in every call.

use super::peer::Peer;
use super::shims::Functions;
use crate::source_tree::COMPILERS;

/// k, r, and the nonce of the next call, which each call increments.
pub(crate) const AES_KEY_BYTES: usize = 48;

/// Returns all of them, Hornet's builds first. A library that is missing is reported with its peer without AES.
pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    let open = |library: &str, prefix: &str, name: &str| {
        Functions::of_all_sections(library, &format!("{prefix}_aes"), name).open()
    };
    let hornets = COMPILERS.map(|(compiler, _)| {
        let (library, name) = (format!("hornet_{compiler}"), format!("hornet {compiler}"));
        open(&library, "hornet_bench", &name)
    });
    let others = [("libgcrypt", "Libgcrypt"), ("nettle", "Nettle")];
    let others = others.map(|(library, name)| open(library, library, name));
    hornets.into_iter().chain(others).flatten().collect()
}
