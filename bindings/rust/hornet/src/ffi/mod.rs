// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The C library, which its headers document.

use core::ffi::{CStr, c_char, c_void};

#[allow(
    dead_code,
    missing_docs,
    non_camel_case_types,
    unreachable_pub,
    clippy::pedantic,
    reason = "written by bindgen"
)]
pub(crate) mod declarations;

pub(crate) use declarations::*;

/// `hornet_chacha20_poly1305_seal`, or its variant for the other nonce length.
pub(crate) type Seal = unsafe extern "C" fn(
    ciphertext: *mut c_void,
    tag: *mut u8,
    msg: *const c_void,
    len_bytes: usize,
    aad: *const c_void,
    aad_bytes: usize,
    nonce: *const u8,
    key: *const u8,
) -> bool;

/// `hornet_chacha20_poly1305_open`, or its variant for the other nonce length.
pub(crate) type Open = unsafe extern "C" fn(
    msg: *mut c_void,
    ciphertext: *const c_void,
    len_bytes: usize,
    tag: *const u8,
    aad: *const c_void,
    aad_bytes: usize,
    nonce: *const u8,
    key: *const u8,
) -> bool;

/// `hornet_chacha20_poly1305_init`, or its variant for the other nonce length.
pub(crate) type AeadInit =
    unsafe extern "C" fn(state: *mut hornet_aead_state, nonce: *const u8, key: *const u8);

/// `hornet_chacha20_poly1305_seal_batch`, or its variant for the other nonce length.
pub(crate) type SealBatch =
    unsafe extern "C" fn(packets: *const hornet_packet, count: usize) -> bool;

/// `hornet_chacha20_poly1305_open_batch`, or its variant for the other nonce length.
pub(crate) type OpenBatch =
    unsafe extern "C" fn(valid: *mut bool, packets: *const hornet_packet, count: usize) -> bool;

/// Converts a constant string of the library. All of them are ASCII; NULL or any other text would
/// read as empty.
pub(crate) fn text(string: *const c_char) -> &'static str {
    if string.is_null() {
        return "";
    }
    // SAFETY: the library returns only string literals.
    unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("")
}
