// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The key of Poly1305-AES.

use crate::bytes::{WrongLength, array};
use crate::ffi;
use crate::key::wiped_key;
use core::error::Error;
use core::fmt;
use core::ptr;

/// Index of the first byte of r.
const R: usize = 16;

/// A key for up to 2^64 messages: 32 bytes, k (an AES-128 key) followed by r, as in the paper. In a
/// one-time [`Key`](crate::Key), r comes first. Wiped when dropped.
///
/// It has neither `==` nor `Clone`: keep it where it was created, and pass it by reference. Moving
/// a value leaves a copy behind. Where that matters, keep the bytes in one place, and get a `&Key`
/// from [`from_ref`](Self::from_ref).
#[repr(transparent)]
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// The length of a key in bytes: 32.
    pub const BYTES: usize = 32;

    /// Copies the bytes of a key. The caller should wipe its own copy.
    ///
    /// # Errors
    ///
    /// [`NotClamped`] if r is not clamped. This also detects most keys with swapped halves.
    pub fn new(bytes: &[u8; Key::BYTES]) -> Result<Self, NotClamped> {
        Self::from_ref(bytes).map(|_| Self(*bytes))
    }

    /// Returns a key that stays where it is, for instance in memory that is never written to disk.
    /// Copies nothing and wipes nothing.
    ///
    /// # Errors
    ///
    /// [`NotClamped`], like [`new`](Self::new).
    pub fn from_ref(bytes: &[u8; Key::BYTES]) -> Result<&Self, NotClamped> {
        // SAFETY: r has 16 bytes.
        if unsafe { ffi::hornet_poly1305_r_is_clamped(bytes[R..].as_ptr()) } {
            // SAFETY: `repr(transparent)` gives a key the layout of its bytes, and r is clamped.
            Ok(unsafe { &*ptr::from_ref(bytes).cast() })
        } else {
            Err(NotClamped)
        }
    }

    /// Makes 32 random bytes a key in place, by clamping r.
    pub fn clamp(bytes: &mut [u8; Key::BYTES]) -> &Self {
        // SAFETY: r has 16 bytes, which are writable.
        unsafe { ffi::hornet_poly1305_clamp(bytes[R..].as_mut_ptr()) };
        // SAFETY: as in `from_ref`.
        unsafe { &*ptr::from_ref(bytes).cast() }
    }

    /// Makes a key from 32 random bytes, by copying them and clamping r.
    #[must_use]
    pub fn clamped(bytes: &[u8; Key::BYTES]) -> Self {
        let mut key = Self(*bytes);
        Self::clamp(&mut key.0);
        key
    }

    /// Returns the bytes of the key, k followed by r, to be stored.
    ///
    /// **They are secret.** Anyone who has them can make a valid tag for any message. Wipe every
    /// copy (the crate `zeroize` does that), compare them only in constant time, and never print
    /// them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }

    pub(super) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    pub(super) fn r(&self) -> *const u8 {
        self.0[R..].as_ptr()
    }
}

/// Copies the bytes, like [`Key::new`].
impl TryFrom<&[u8]> for Key {
    type Error = KeyError;

    fn try_from(bytes: &[u8]) -> Result<Self, KeyError> {
        Ok(Self::new(array("key", bytes)?)?)
    }
}

wiped_key!(Key);

/// The r of a key is not clamped: bytes 3, 7, 11 and 15 of r must be less than 16, and bytes 4, 8
/// and 12 must be multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotClamped;

impl fmt::Display for NotClamped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("r, the second half of the key, is not clamped")
    }
}

impl Error for NotClamped {}

/// A slice is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// It has another length.
    Length(WrongLength),
    /// Its r is not clamped.
    NotClamped,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(error) => error.fmt(f),
            Self::NotClamped => NotClamped.fmt(f),
        }
    }
}

impl Error for KeyError {}

impl From<WrongLength> for KeyError {
    fn from(error: WrongLength) -> Self {
        Self::Length(error)
    }
}

impl From<NotClamped> for KeyError {
    fn from(NotClamped: NotClamped) -> Self {
        Self::NotClamped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::ManuallyDrop;
    use std::format;
    use std::string::ToString;

    /// Returns, for each bit of a key, whether it may be set; clamping clears the others.
    fn allowed() -> [bool; 256] {
        let mut allowed = [true; 256];
        for byte in [3, 7, 11, 15] {
            allowed[128 + 8 * byte + 4..][..4].fill(false);
        }
        for byte in [4, 8, 12] {
            allowed[128 + 8 * byte..][..2].fill(false);
        }
        allowed
    }

    #[test]
    fn each_bit_that_clamping_clears_is_refused() {
        assert_eq!(allowed().iter().filter(|&&allowed| !allowed).count(), 22);
        for (bit, allowed) in allowed().into_iter().enumerate() {
            let mut bytes = [0; Key::BYTES];
            bytes[bit / 8] = 1 << (bit % 8);
            assert_eq!(Key::new(&bytes).map(|_| ()).is_ok(), allowed, "{bit}");
            assert_eq!(Key::from_ref(&bytes).is_ok(), allowed, "{bit}");
            let clamped = Key::clamped(&bytes).0;
            assert_eq!(clamped, if allowed { bytes } else { [0; 32] }, "{bit}");
        }
        let all = Key::clamped(&[0xff; Key::BYTES]);
        for (bit, allowed) in allowed().into_iter().enumerate() {
            assert_eq!(all.0[bit / 8] >> (bit % 8) & 1 == 1, allowed, "{bit}");
        }
        assert!(Key::new(&all.0).is_ok());
        assert_eq!(
            NotClamped.to_string(),
            "r, the second half of the key, is not clamped"
        );
    }

    #[test]
    fn key_in_place() {
        let mut bytes = [7; Key::BYTES];
        let place: *const u8 = bytes.as_ptr();
        let key = Key::clamp(&mut bytes);
        assert_eq!(key.as_bytes().as_ptr(), place);
        assert_eq!(key.0, Key::clamped(&[7; Key::BYTES]).0);
        assert!(ptr::eq(Key::from_ref(&bytes).unwrap().as_ptr(), place));
    }

    #[test]
    fn dropped_key_is_wiped() {
        let mut key = ManuallyDrop::new(Key::clamped(&[7; Key::BYTES]));
        assert_ne!(key.0, [0; Key::BYTES]);
        // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut key) };
        assert_eq!(key.0, [0; Key::BYTES]);
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", Key::clamped(&[7; Key::BYTES])), "Key(..)");
    }
}
