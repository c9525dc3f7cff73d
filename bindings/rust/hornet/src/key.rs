// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The one-time key.

use zeroize::optimization_barrier;

/// A one-time key: 32 bytes, r (which the library clamps) followed by s. Wiped when dropped.
///
/// Functions take it by value, so it cannot be used for a second message:
///
/// ```compile_fail,E0382
/// use hornet::{Key, mac};
/// let key = Key::new(&[7; 32]);
/// mac(key, b"first");
/// mac(key, b"second"); // use of moved value
/// ```
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// The length of a key in bytes: 32.
    pub const BYTES: usize = 32;

    /// Copies the bytes of a key. The caller should wipe its own copy.
    #[must_use]
    pub fn new(bytes: &[u8; Key::BYTES]) -> Self {
        Self(*bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

/// A key, the one array of a struct, is wiped when it is dropped, and not shown.
macro_rules! wiped_key {
    ($key:ident) => {
        impl Drop for $key {
            fn drop(&mut self) {
                $crate::key::wipe(&mut self.0);
            }
        }

        impl zeroize::ZeroizeOnDrop for $key {}

        /// Does not show the key.
        impl core::fmt::Debug for $key {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($key), "(..)"))
            }
        }
    };
}

/// A key is made from its bytes by its function `new`.
macro_rules! from_bytes {
    ($key:ident, $bytes:expr) => {
        #[doc = concat!("Copies the bytes, like [`", stringify!($key), "::new`].")]
        impl From<&[u8; $bytes]> for $key {
            fn from(bytes: &[u8; $bytes]) -> Self {
                Self::new(bytes)
            }
        }

        #[doc = concat!("Copies the bytes, like [`", stringify!($key), "::new`].")]
        impl TryFrom<&[u8]> for $key {
            type Error = $crate::bytes::WrongLength;

            fn try_from(bytes: &[u8]) -> Result<Self, $crate::bytes::WrongLength> {
                $crate::bytes::array("key", bytes).map(Self::new)
            }
        }
    };
}

pub(crate) use {from_bytes, wiped_key};

wiped_key!(Key);
from_bytes!(Key, Key::BYTES);

/// Wipes a key as one array: byte by byte would take a tenth of the time of a short message.
pub(crate) fn wipe<const BYTES: usize>(key: &mut [u8; BYTES]) {
    *key = [0; BYTES];
    optimization_barrier(key);
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::ManuallyDrop;

    #[test]
    fn dropped_key_is_wiped() {
        let mut key = ManuallyDrop::new(Key::new(&[7; Key::BYTES]));
        assert_eq!(key.0, [7; Key::BYTES]);
        // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut key) };
        assert_eq!(key.0, [0; Key::BYTES]);
    }
}
