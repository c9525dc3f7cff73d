// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The one-time key.

use crate::bytes::{WrongLength, array};
use core::fmt;
use zeroize::{ZeroizeOnDrop, optimization_barrier};

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

/// Copies the bytes, like [`Key::new`].
impl From<&[u8; Key::BYTES]> for Key {
    fn from(bytes: &[u8; Key::BYTES]) -> Self {
        Self::new(bytes)
    }
}

/// Copies the bytes, like [`Key::new`].
impl TryFrom<&[u8]> for Key {
    type Error = WrongLength;

    fn try_from(bytes: &[u8]) -> Result<Self, WrongLength> {
        array("key", bytes).map(Self::new)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Wipes a key as one array: byte by byte would take a tenth of the time of a short message.
pub(crate) fn wipe<const BYTES: usize>(key: &mut [u8; BYTES]) {
    *key = [0; BYTES];
    optimization_barrier(key);
}

impl ZeroizeOnDrop for Key {}

/// Does not show the key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
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
