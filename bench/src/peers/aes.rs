// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The peers that have Poly1305-AES. Each sets up its key and uses a new nonce in every call.

use super::library::Library;
use super::peer::{Native, Opened, Peer};
use super::shims::Functions;
use crate::section::Section::{Avx2, Avx512f, Best};
use crate::source_tree::COMPILERS;
use std::ptr;

/// k, r, and the nonce of the next call, which each call increments.
pub(crate) const AES_KEY_BYTES: usize = 48;

/// Returns all of them, Hornet's builds first. A library that is missing is reported with its peer without AES.
pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    let hornets = COMPILERS.map(|(compiler, _)| hornet(compiler));
    let others = [("libgcrypt", "Libgcrypt"), ("nettle", "Nettle")].map(|(library, name)| {
        let prefix = format!("{library}_aes");
        let functions = Functions::of_all_sections(library, &prefix, name);
        functions.open()
    });
    hornets.into_iter().chain(others).flatten().collect()
}

fn hornet(compiler: &str) -> Opened {
    let library = Library::open(&format!("hornet_{compiler}"))?;
    Ok(Box::new(Native {
        name: format!("hornet {compiler}"),
        version: "this tree".into(),
        // SAFETY: the type is that in peer.h.
        mac: unsafe { library.function("hornet_bench_aes_mac")? },
        context: ptr::null_mut(),
        sections: &[Best, Avx2, Avx512f],
        fast: true,
        note: None,
        in_pieces: None,
    }))
}
