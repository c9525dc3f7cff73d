//! Poly1305-AES, in those of the peers that have it. Each sets its key up in every call and takes a fresh nonce.

use super::library::Library;
use super::shims::Functions;
use super::{Native, Peer};
use crate::section::Section::{Avx2, Avx512f, Best};
use std::ptr;

/// k, r, and the nonce of the next call, which each call counts up.
pub(crate) const AES_KEY_BYTES: usize = 48;

/// Hornet's builds first. What is missing is missing without AES, too, and that says why.
pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    let hornets = ["gcc", "clang"].map(hornet);
    let others = [("libgcrypt", "Libgcrypt"), ("nettle", "Nettle")].map(|(library, name)| {
        let prefix = format!("{library}_aes");
        let functions = Functions::of_all_sections(&prefix, name);
        functions.open(Library::open(library)?)
    });
    hornets.into_iter().chain(others).flatten().collect()
}

fn hornet(compiler: &str) -> Result<Box<dyn Peer>, String> {
    let library = Library::open(&format!("hornet_{compiler}"))?;
    Ok(Box::new(Native {
        name: format!("hornet {compiler}"),
        version: "this tree".into(),
        // SAFETY: peer.h has its type.
        mac: unsafe { library.function("hornet_bench_aes_mac")? },
        context: ptr::null_mut(),
        sections: &[Best, Avx2, Avx512f],
        fast: true,
        note: None,
    }))
}
