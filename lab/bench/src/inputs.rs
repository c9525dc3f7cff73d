// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The inputs of timed calls: messages, keys and buffers for tags.

use crate::call::{Call, Calls};
use crate::memory::Memory;
use crate::reference::CLAMP;

/// Messages, keys and buffers for tags.
pub(crate) struct Inputs {
    key_bytes: usize,
    pub(crate) messages: Memory,
    keys: Memory,
    tags: Memory,
}

impl Inputs {
    pub(crate) fn new(message_bytes: usize, keys: usize) -> Self {
        Self::with_keys_of(32, message_bytes, keys)
    }

    /// Like `new`, with keys of another length.
    pub(crate) fn with_keys_of(key_bytes: usize, message_bytes: usize, keys: usize) -> Self {
        Self {
            key_bytes,
            messages: Memory::new(message_bytes),
            keys: Memory::new(key_bytes * keys),
            tags: Memory::new(16 * keys),
        }
    }

    /// Clamps the r at `offset` in a key.
    pub(crate) fn clamp(&mut self, key: usize, offset: usize) {
        let r = self.keys.at(self.key_bytes * key + offset);
        // SAFETY: these are 16 bytes of a key, which `self` owns.
        let r = unsafe { &mut *r.cast::<[u8; 16]>() };
        *r = (u128::from_le_bytes(*r) & CLAMP).to_le_bytes();
    }

    /// Returns a call for the message at `offset`, under key number `key`.
    pub(crate) fn call(&mut self, offset: usize, len_bytes: usize, key: usize) -> Call {
        Call {
            tag: self.tags.at(16 * key),
            msg: self.messages.at(offset),
            len_bytes,
            key: self.keys.at(self.key_bytes * key),
        }
    }

    /// Returns calls for the same message under one key after another.
    pub(crate) fn in_turn(&mut self, offset: usize, len_bytes: usize, keys: usize) -> Calls {
        let calls = (0..keys).map(|key| self.call(offset, len_bytes, key));
        // SAFETY: `Memory::at` guarantees that the pointers are valid while `self` lives, and `self` outlives the calls
        // wherever they are made.
        unsafe { Calls::new(calls.collect()) }
    }

    /// Returns calls for messages of these lengths, which are adjacent in memory, each under its own key. The number of
    /// lengths must be a power of two, and no greater than the number of keys.
    pub(crate) fn side_by_side(&mut self, lens_bytes: &[usize]) -> Calls {
        let mut offset = 0;
        let calls = lens_bytes.iter().enumerate().map(|(key, &len_bytes)| {
            let call = self.call(offset, len_bytes, key);
            offset += len_bytes;
            call
        });
        // SAFETY: as above.
        unsafe { Calls::new(calls.collect()) }
    }
}
