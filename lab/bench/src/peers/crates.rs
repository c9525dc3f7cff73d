// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The peers from crates.io: two C libraries, which are built from source, and two in Rust.

use super::peer::{Native, Peer};
use super::pieces::InPieces;
use crate::built::version;
use crate::call::{MacFunction, PieceFunctions};
use crate::section::Section::{self, Avx2, Avx512f, Best};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit;
use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

/// For peers that never use AVX-512.
const ALL: &[Section] = &[Best, Avx2, Avx512f];

pub(crate) fn all() -> Vec<Box<dyn Peer>> {
    // SAFETY: both return static strings.
    let libsodium = unsafe {
        libsodium_sys::sodium_init();
        CStr::from_ptr(libsodium_sys::sodium_version_string())
    };
    let libsodium = libsodium.to_string_lossy().into_owned();
    let aws_lc = format!("aws-lc-sys {}", version("aws-lc-sys"));
    let native = Some("compiled for this CPU, so that it may use AVX-512 anywhere");
    vec![
        Box::new(Native {
            in_pieces: Some(aws_lc_in_pieces()),
            ..peer("AWS-LC", aws_lc, aws_lc_mac, ALL, None)
        }),
        Box::new(Native {
            in_pieces: Some(libsodium_in_pieces()),
            ..peer("libsodium", libsodium, libsodium_mac, ALL, None)
        }),
        Box::new(peer(
            "RustCrypto",
            version("poly1305").into(),
            rustcrypto_mac,
            &[Best],
            native,
        )),
        Box::new(peer(
            "libcrux",
            version("libcrux-poly1305").into(),
            libcrux_mac,
            &[Best],
            native,
        )),
    ]
}

fn peer(
    name: &str,
    version: String,
    mac: MacFunction,
    sections: &'static [Section],
    note: Option<&'static str>,
) -> Native {
    Native {
        name: name.into(),
        version,
        mac,
        context: ptr::null_mut(),
        sections,
        fast: true,
        note,
        in_pieces: None,
    }
}

/// `poly1305_state` of AWS-LC's poly1305.h, which `aws-lc-sys` does not declare.
#[repr(C, align(64))]
struct AwsLcState([u8; 512]);

unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_CRYPTO_poly1305_init"]
    fn aws_lc_init(state: *mut c_void, key: *const u8);
    #[link_name = "aws_lc_0_47_0_CRYPTO_poly1305_update"]
    fn aws_lc_update(state: *mut c_void, input: *const u8, len_bytes: usize);
    #[link_name = "aws_lc_0_47_0_CRYPTO_poly1305_finish"]
    fn aws_lc_finish(state: *mut c_void, tag: *mut u8);
}

// Links the crate, to which nothing else here refers.
use aws_lc_sys as _;

unsafe extern "C" fn aws_lc_mac(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    _context: *mut c_void,
) {
    let mut state = MaybeUninit::<AwsLcState>::uninit();
    let state = state.as_mut_ptr().cast();
    // SAFETY: `aws_lc_init` initializes the state; the caller guarantees that the pointers are valid.
    unsafe {
        aws_lc_init(state, key);
        aws_lc_update(state, msg, len_bytes);
        aws_lc_finish(state, tag);
    }
}

fn aws_lc_in_pieces() -> InPieces {
    InPieces {
        functions: PieceFunctions {
            init: aws_lc_init,
            update: aws_lc_update,
            finish: aws_lc_finish,
        },
        context: Box::into_raw(Box::new(AwsLcState([0; 512]))).cast(),
    }
}

unsafe extern "C" fn libsodium_mac(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    _context: *mut c_void,
) {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { libsodium_sys::crypto_onetimeauth(tag, msg, len_bytes as u64, key) };
}

fn libsodium_in_pieces() -> InPieces {
    let state = MaybeUninit::<libsodium_sys::crypto_onetimeauth_state>::uninit();
    InPieces {
        functions: PieceFunctions {
            init: libsodium_init,
            update: libsodium_update,
            finish: libsodium_finish,
        },
        context: Box::into_raw(Box::new(state)).cast(),
    }
}

// Libsodium's functions return 0 and take another type of length, so each of these is a single jump.

unsafe extern "C" fn libsodium_init(state: *mut c_void, key: *const u8) {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { libsodium_sys::crypto_onetimeauth_init(state.cast(), key) };
}

unsafe extern "C" fn libsodium_update(state: *mut c_void, piece: *const u8, len_bytes: usize) {
    // SAFETY: as above, and the caller guarantees that `libsodium_init` initialized the state.
    unsafe { libsodium_sys::crypto_onetimeauth_update(state.cast(), piece, len_bytes as u64) };
}

unsafe extern "C" fn libsodium_finish(state: *mut c_void, tag: *mut u8) {
    // SAFETY: as above.
    unsafe { libsodium_sys::crypto_onetimeauth_final(state.cast(), tag) };
}

unsafe extern "C" fn rustcrypto_mac(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    _context: *mut c_void,
) {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe {
        let key = &*key.cast::<[u8; 32]>();
        let msg = slice::from_raw_parts(msg, len_bytes);
        let result = Poly1305::new(key.into()).compute_unpadded(msg);
        tag.cast::<[u8; 16]>().write(result.into());
    }
}

unsafe extern "C" fn libcrux_mac(
    tag: *mut u8,
    msg: *const u8,
    len_bytes: usize,
    key: *const u8,
    _context: *mut c_void,
) {
    // SAFETY: the caller guarantees that the pointers are valid. The function only fails, and leaves the tag unchanged,
    // for messages of 2^32 bytes and more.
    let _ = unsafe {
        let msg = slice::from_raw_parts(msg, len_bytes);
        libcrux_poly1305::mac(&*key.cast(), msg, &mut *tag.cast())
    };
}
