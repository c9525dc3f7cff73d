// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Keys, nonces, messages and thread pools for the tests of Poly1305-AES.

use crate::aes::key::Key;
use crate::aes::{Nonce, UnusedNonce};
use std::vec::Vec;

pub(super) fn key() -> Key {
    Key::clamped(&[0xb7; Key::BYTES])
}

pub(super) fn nonce(number: usize) -> Nonce {
    let mut bytes = [0x3c; Nonce::BYTES];
    bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
    Nonce::new(bytes)
}

/// The same nonce, for making tags: tests make many tags under one nonce.
pub(super) fn unused(number: usize) -> UnusedNonce {
    UnusedNonce::assume_unused(*nonce(number).as_bytes())
}

/// Bytes without repeated segments.
pub(super) fn message(len_bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    (0..len_bytes).map(|_| byte()).collect()
}

#[cfg(feature = "rayon")]
/// Calls `test` in pools of several sizes, and outside any pool.
pub(super) fn on_pools(test: impl Fn() + Sync) {
    test();
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(&test);
    }
}
