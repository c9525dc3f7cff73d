// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The peers in C: `shims/` has a file for each library; `peer.h` there describes what it contains.

use super::aead::{Aead, AeadFunctions, Batch, KeyFunction, OpenedAead};
use super::library::Library;
use super::peer::{Native, Opened};
use super::pieces::InPieces;
use crate::call::{MacFunction, PieceFunctions};
use crate::packets::PacketFunction;
use crate::section::Section::{self, Avx2, Avx512f, Best};
use crate::source_tree::COMPILERS;
use std::ffi::{CStr, c_char, c_void};

/// The functions of one peer in a file in shims/.
pub(super) struct Functions<'a> {
    /// The library, which is the name of the file.
    library: &'a str,
    /// The prefix of their names.
    prefix: &'a str,
    name: &'a str,
    sections: &'static [Section],
    fast: bool,
    note: Option<&'static str>,
}

const fn fast(
    library: &'static str,
    prefix: &'static str,
    name: &'static str,
    sections: &'static [Section],
    note: &'static str,
) -> Functions<'static> {
    Functions {
        library,
        prefix,
        name,
        sections,
        fast: true,
        note: Some(note),
    }
}

const fn slow(
    library: &'static str,
    prefix: &'static str,
    name: &'static str,
    sections: &'static [Section],
    note: Option<&'static str>,
) -> Functions<'static> {
    Functions {
        note,
        fast: false,
        ..fast(library, prefix, name, sections, "")
    }
}

const ALL: &[Section] = Section::EACH;

#[rustfmt::skip]
const SHIMS: &[Functions<'static>] = &[
    fast("openssl", "openssl", "OpenSSL", ALL,
         "Poly1305_Init, _Update, _Final: internal, what its ChaCha20-Poly1305 calls"),
    slow("openssl", "openssl_evp", "OpenSSL EVP", ALL, Some("EVP_MAC: one context for all messages")),
    fast("ipsec_mb", "ipsec_mb", "ipsec-mb", &[Best],
         "poly1305_mac_fma_avx512: internal, what its jobs end in on a CPU with AVX-512 IFMA"),
    fast("ipsec_mb", "ipsec_mb_avx512f", "ipsec-mb AVX-512", &[Avx512f],
         "poly1305_mac_plain_avx512: internal, for a CPU with AVX-512 but no IFMA"),
    fast("ipsec_mb", "ipsec_mb_scalar", "ipsec-mb scalar", ALL,
         "poly1305_mac_scalar: internal, for a CPU without AVX-512"),
    slow("ipsec_mb", "ipsec_mb_job", "ipsec-mb job", &[Best],
         Some("the public interface: one job for each message, flushed if it is not done at once")),
    slow("ipsec_mb", "ipsec_mb_job_avx2", "ipsec-mb job AVX2", &[Avx2],
         Some("the public interface, its manager set up by init_mb_mgr_avx2")),
    slow("nettle", "nettle", "Nettle", ALL,
         Some("its internal functions: the public interface has Poly1305 with AES only")),
    slow("libgcrypt", "libgcrypt", "Libgcrypt", &[Best], None),
    slow("libgcrypt_avx2", "libgcrypt", "Libgcrypt AVX2", &[Avx2, Avx512f], Some(WITHOUT_AVX512)),
    slow("botan", "botan", "Botan", &[Best], Some("its interface for C++, one object for all messages")),
    slow("botan_avx2", "botan", "Botan AVX2", &[Avx2, Avx512f], Some(WITHOUT_AVX512)),
    fast("wolfssl", "wolfssl", "wolfSSL", &[Best], "wc_Poly1305SetKey, wc_Poly1305Update, wc_Poly1305Final"),
    fast("wolfssl_avx2", "wolfssl", "wolfSSL AVX2", &[Avx2], WITHOUT_AVX512),
    fast("wolfssl_avx512f", "wolfssl", "wolfSSL AVX-512", &[Avx512f],
         "the same, told that the CPU has no AVX-512 IFMA"),
];

/// The peers with ChaCha20-Poly1305.
#[rustfmt::skip]
const AEAD: &[Functions<'static>] = &[
    fast("openssl", "openssl", "OpenSSL", ALL, EVP),
    fast("ipsec_mb", "ipsec_mb", "ipsec-mb", &[Best],
         "IMB_CHACHA20_POLY1305_INIT, _ENC_UPDATE, _ENC_FINALIZE, and the same to open"),
    fast("ipsec_mb", "ipsec_mb_job", "ipsec-mb job", &[Best],
         "one job for each packet, flushed if it is not done at once"),
    fast("ipsec_mb", "ipsec_mb_avx2", "ipsec-mb AVX2", &[Avx2],
         "the same as ipsec-mb, its manager set up by init_mb_mgr_avx2"),
    fast("ipsec_mb", "ipsec_mb_job_avx2", "ipsec-mb job AVX2", &[Avx2],
         "the same as ipsec-mb job, its manager set up by init_mb_mgr_avx2"),
    fast("libgcrypt", "libgcrypt", "Libgcrypt", &[Best], "one handle for all packets, which keeps the key"),
    fast("libgcrypt_avx2", "libgcrypt", "Libgcrypt AVX2", &[Avx2, Avx512f], WITHOUT_AVX512),
    slow("botan", "botan", "Botan", &[Best],
         Some("works in place only, so the message is copied first; one object for all packets, which keeps the key")),
    slow("botan_avx2", "botan", "Botan AVX2", &[Avx2, Avx512f], Some(WITHOUT_AVX512)),
    fast("wolfssl", "wolfssl", "wolfSSL", &[Best],
         "wc_ChaCha20Poly1305_Encrypt_ex and _Decrypt_ex: one context for all packets, which keeps the key"),
    fast("wolfssl_avx2", "wolfssl", "wolfSSL AVX2", &[Avx2], WITHOUT_AVX512),
    fast("wolfssl_avx512f", "wolfssl", "wolfSSL AVX-512", &[Avx512f],
         "the same, told that the CPU has no AVX-512 IFMA"),
];

const WITHOUT_AVX512: &str = "the same, told that the CPU has no AVX-512";

const EVP: &str = "EVP: one context for all packets, which keeps the key";

/// Returns the peers in shims/ that have ChaCha20-Poly1305, or the reasons why they cannot be loaded.
pub(super) fn all_aead() -> Vec<(&'static str, OpenedAead)> {
    AEAD.iter()
        .map(|peer| (peer.name, peer.open_aead()))
        .collect()
}

/// ChaCha20-Poly1305 through OpenSSL's EVP: Hornet's provider, built by each compiler, and the default provider.
pub(super) fn all_evp() -> Vec<(String, OpenedAead)> {
    let hornets = COMPILERS.map(|(compiler, _)| {
        let name = format!("hornet {compiler} EVP provider");
        let opened = hornet_provider(&name, compiler);
        (name, opened)
    });
    let name = "OpenSSL EVP default";
    let opened = evp(name).open_aead();
    let mut all = Vec::from(hornets);
    all.push((name.to_owned(), opened));
    all
}

fn evp(name: &str) -> Functions<'_> {
    Functions {
        note: Some(EVP),
        ..Functions::of_all_sections("openssl", "openssl", name)
    }
}

fn hornet_provider(name: &str, compiler: &str) -> OpenedAead {
    type Init = *const c_void;
    let shim = Library::open("openssl")?;
    let hornet = Library::open(&format!("hornet_{compiler}"))?;
    // SAFETY: the types are those in openssl.c; nothing here calls the provider's function.
    let context = unsafe {
        let init: Init = hornet.function("OSSL_provider_init")?;
        let open: unsafe extern "C" fn(Init) -> *mut c_void =
            shim.function("openssl_provider_aead")?;
        open(init)
    };
    Ok(Aead {
        version: "this tree".into(),
        ..evp(name).aead_in(shim, context)?
    })
}

/// Returns all peers in shims/, or the reasons why they cannot be loaded.
pub(super) fn all() -> Vec<(&'static str, Opened)> {
    SHIMS.iter().map(|peer| (peer.name, peer.open())).collect()
}

type Version = unsafe extern "C" fn() -> *const c_char;
type Open = unsafe extern "C" fn() -> *mut c_void;
type Pieces = unsafe extern "C" fn() -> *const PieceFunctions;

impl<'a> Functions<'a> {
    /// Describes a peer without vector code for Poly1305.
    pub(super) fn of_all_sections(library: &'a str, prefix: &'a str, name: &'a str) -> Self {
        Self {
            library,
            prefix,
            name,
            sections: Section::EACH,
            fast: true,
            note: None,
        }
    }

    pub(super) fn open_aead(&self) -> OpenedAead {
        let library = Library::open(self.library)?;
        // SAFETY: the type is that in peer.h.
        let context = unsafe { library.function::<Open>(&format!("{}_aead", self.prefix))?() };
        self.aead_in(library, context)
    }

    /// Loads ChaCha20-Poly1305 with the context that its opening function returned.
    fn aead_in(&self, library: Library, context: *mut c_void) -> OpenedAead {
        let named = |what: &str| format!("{}_aead{what}", self.prefix);
        // SAFETY: the types are those in peer.h.
        let (version, functions) = unsafe {
            let version: Version = library.function("peer_version")?;
            let functions = AeadFunctions {
                key: library.function::<KeyFunction>(&named("_key"))?,
                seal: library.function::<PacketFunction>(&named("_seal"))?,
                open: library.function::<PacketFunction>(&named("_open"))?,
            };
            (CStr::from_ptr(version()), functions)
        };
        if context.is_null() {
            return Err("does not run on this CPU".into());
        }
        Ok(Aead {
            name: self.name.into(),
            version: version.to_string_lossy().into_owned(),
            note: self.note,
            sections: self.sections,
            fast: self.fast,
            functions,
            context,
            batch: None,
        })
    }

    pub(super) fn open(&self) -> Opened {
        let library = Library::open(self.library)?;
        // SAFETY: the types are those in peer.h.
        let (version, mac, pieces, context) = unsafe {
            let version: Version = library.function("peer_version")?;
            let open: Open = library.function(&format!("{}_open", self.prefix))?;
            let mac: MacFunction = library.function(&format!("{}_mac", self.prefix))?;
            let pieces: Option<Pieces> = library.function(&format!("{}_pieces", self.prefix)).ok();
            let pieces = pieces.map(|pieces| *pieces());
            (CStr::from_ptr(version()), mac, pieces, open())
        };
        if context.is_null() {
            return Err("does not run on this CPU".into());
        }
        Ok(Box::new(Native {
            name: self.name.into(),
            version: version.to_string_lossy().into_owned(),
            mac,
            context,
            sections: self.sections,
            fast: self.fast,
            note: self.note,
            in_pieces: pieces.map(|functions| InPieces { functions, context }),
        }))
    }
}

/// Hornet's ChaCha20-Poly1305, with its batches.
pub(super) fn hornet_aead(name: &str, compiler: &str) -> OpenedAead {
    let library = format!("hornet_{compiler}");
    let aead = Functions::of_all_sections(&library, "hornet_bench", name).open_aead()?;
    let library = Library::open(&library)?;
    // SAFETY: the types are those in hornet.h.
    let batch = unsafe {
        Batch {
            seal: library.function("hornet_chacha20_poly1305_seal_batch")?,
            open: library.function("hornet_chacha20_poly1305_open_batch")?,
        }
    };
    Ok(Aead {
        batch: Some(batch),
        ..aead
    })
}
