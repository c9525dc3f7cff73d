// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Poly1305 of one message, whole or in pieces.

use crate::ffi;
use crate::key::Key;
use crate::tag::{Mismatch, Tag};
use core::fmt;
use core::iter::zip;
use core::mem::ManuallyDrop;
use core::ptr;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The number of pieces passed to C at once.
const PIECES: usize = 32;

/// Computes the tag of a message.
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "a key is for one message")]
pub fn mac(key: Key, msg: &[u8]) -> Tag {
    let mut tag = [0; Tag::BYTES];
    // SAFETY: the tag has 16 bytes, the key 32 and the message `msg.len()`.
    unsafe {
        ffi::hornet_poly1305(
            tag.as_mut_ptr(),
            msg.as_ptr().cast(),
            msg.len(),
            key.as_ptr(),
        );
    }
    tag.into()
}

/// Verifies the tag of a message in constant time.
///
/// # Errors
///
/// [`Mismatch`] if it is not the tag of this message under this key.
#[expect(clippy::needless_pass_by_value, reason = "a key is for one message")]
pub fn verify(key: Key, msg: &[u8], tag: &Tag) -> Result<(), Mismatch> {
    // SAFETY: the tag has 16 bytes, the key 32 and the message `msg.len()`.
    let valid = unsafe {
        ffi::hornet_poly1305_verify(tag.as_ptr(), msg.as_ptr().cast(), msg.len(), key.as_ptr())
    };
    if valid { Ok(()) } else { Err(Mismatch) }
}

/// A message that arrives in pieces. The tag depends only on the bytes, not on how they are split
/// into pieces.
///
/// The state contains the key. It is wiped when dropped, whether finished or not.
///
/// ```
/// use hornet::{Key, Poly1305, mac, verify};
///
/// let mut poly1305 = Poly1305::new(Key::new(&[7; 32]));
/// poly1305.update(b"a mess");
/// poly1305.update(b"age");
/// let tag = poly1305.finalize();
///
/// assert!(verify(Key::new(&[7; 32]), b"a message", &tag).is_ok());
/// ```
pub struct Poly1305 {
    state: ffi::hornet_poly1305_state,
}

impl Poly1305 {
    /// Starts a message under a one-time key.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a key is for one message")]
    pub fn new(key: Key) -> Self {
        // SAFETY: the state is writable, and the key has 32 bytes.
        Self::started(|state| unsafe { ffi::hornet_poly1305_init(state, key.as_ptr()) })
    }

    /// Starts a message; `start` initializes the state.
    pub(crate) fn started(start: impl FnOnce(*mut ffi::hornet_poly1305_state)) -> Self {
        let mut new = Self {
            state: ffi::hornet_poly1305_state { opaque: [0; 112] },
        };
        start(&raw mut new.state);
        new
    }

    /// Appends a piece of any length.
    pub fn update(&mut self, msg: &[u8]) {
        // SAFETY: the state was initialized by `started`; the message has `msg.len()` bytes.
        unsafe {
            ffi::hornet_poly1305_update(&raw mut self.state, msg.as_ptr().cast(), msg.len());
        }
    }

    /// Appends several pieces in order, like one call of [`update`](Self::update) for each.
    ///
    /// ```
    /// # use hornet::{Key, Poly1305, mac, verify};
    /// # let (header, body, padding) = ([1; 13], vec![2; 37], [0; 11]);
    /// # let mut poly1305 = Poly1305::new(Key::new(&[7; 32]));
    /// poly1305.update_vectored(&[&header, &body, &padding]);
    /// # let whole = [&header[..], &body, &padding].concat();
    /// # assert_eq!(poly1305.finalize().as_bytes(), mac(Key::new(&[7; 32]), &whole).as_bytes());
    /// ```
    pub fn update_vectored(&mut self, pieces: &[&[u8]]) {
        self.update_all(pieces.iter().copied());
    }

    /// Appends pieces up to the first `None`.
    fn update_all<'a>(&mut self, mut pieces: impl Iterator<Item = &'a [u8]>) {
        let mut array = [ffi::hornet_piece {
            out: ptr::null_mut(),
            in_: ptr::null(),
            len_bytes: 0,
        }; PIECES];
        loop {
            let mut count = 0;
            for (element, piece) in zip(&mut array, &mut pieces) {
                element.in_ = piece.as_ptr().cast();
                element.len_bytes = piece.len();
                count += 1;
            }
            // SAFETY: the state was initialized by `started`, and the first `count` elements are
            // set.
            unsafe {
                ffi::hornet_poly1305_updatev(&raw mut self.state, array.as_ptr(), count);
            }
            if count < PIECES {
                return;
            }
        }
    }

    /// Returns the tag of all the pieces.
    #[must_use]
    pub fn finalize(self) -> Tag {
        let mut ended = self.without_drop();
        let mut tag = [0; Tag::BYTES];
        // SAFETY: the state was initialized by `started`; the tag has 16 bytes.
        unsafe { ffi::hornet_poly1305_final(&raw mut ended.state, tag.as_mut_ptr()) };
        tag.into()
    }

    /// Verifies the tag of all the pieces in constant time.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key (and nonce).
    pub fn verify(self, tag: &Tag) -> Result<(), Mismatch> {
        let mut ended = self.without_drop();
        // SAFETY: the state was initialized by `started`; the tag has 16 bytes.
        let valid =
            unsafe { ffi::hornet_poly1305_final_verify(&raw mut ended.state, tag.as_ptr()) };
        if valid { Ok(()) } else { Err(Mismatch) }
    }

    /// Skips the drop of a state that C is about to end: ending it wipes the part that was used,
    /// and the rest is zero.
    const fn without_drop(self) -> ManuallyDrop<Self> {
        ManuallyDrop::new(self)
    }
}

/// Wipes the state of a message that was not finished.
impl Drop for Poly1305 {
    fn drop(&mut self) {
        self.state.opaque.zeroize();
    }
}

impl ZeroizeOnDrop for Poly1305 {}

/// Does not show the state.
impl fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Poly1305(..)")
    }
}

/// Appends the bytes written. Accepts every byte and never fails, so that `std::io::copy` can write
/// to it.
#[cfg(feature = "std")]
impl std::io::Write for Poly1305 {
    fn write(&mut self, msg: &[u8]) -> std::io::Result<usize> {
        self.update(msg);
        Ok(msg.len())
    }

    fn write_vectored(&mut self, pieces: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
        let mut len_bytes = 0_usize;
        // Pieces may overlap, so the sum of their lengths may exceed `usize`.
        self.update_all(pieces.iter().map_while(|piece| {
            len_bytes = len_bytes.checked_add(piece.len())?;
            Some(&piece[..])
        }));
        Ok(len_bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::vec::Vec;
    use std::{format, vec};

    /// RFC 8439, section 2.5.2.
    const KEY: [u8; 32] = [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06,
        0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49,
        0xf5, 0x1b,
    ];
    const MESSAGE: &[u8] = b"Cryptographic Forum Research Group";
    const TAG: [u8; 16] = [
        0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27,
        0xa9,
    ];

    fn key() -> Key {
        Key::new(&KEY)
    }

    #[test]
    fn whole() {
        assert_eq!(mac(key(), MESSAGE).as_bytes(), &TAG);
        assert_eq!(verify(key(), MESSAGE, &TAG.into()), Ok(()));
        // The tag of an empty message is s.
        assert_eq!(mac(key(), b"").as_bytes(), &KEY[16..]);
    }

    #[test]
    fn every_cut_into_three() {
        for first in 0..=MESSAGE.len() {
            for second in first..=MESSAGE.len() {
                let mut pieces = Poly1305::new(key());
                pieces.update(&MESSAGE[..first]);
                pieces.update(&MESSAGE[first..second]);
                pieces.update(&MESSAGE[second..]);
                assert_eq!(pieces.finalize().as_bytes(), &TAG, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_flipped_bit_is_a_mismatch() {
        for bit in 0..128 {
            let mut wrong = TAG;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verify(key(), MESSAGE, &wrong.into()), Err(Mismatch));
            let mut pieces = Poly1305::new(key());
            pieces.update(MESSAGE);
            assert_eq!(pieces.verify(&wrong.into()), Err(Mismatch));
        }
        let mut pieces = Poly1305::new(key());
        pieces.update(MESSAGE);
        assert_eq!(pieces.verify(&TAG.into()), Ok(()));
    }

    #[test]
    fn unfinished_state_is_wiped() {
        let mut unfinished = ManuallyDrop::new(Poly1305::new(key()));
        unfinished.update(MESSAGE);
        assert_ne!(unfinished.state.opaque, [0; 112]);
        // SAFETY: dropped once, and the words that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut unfinished) };
        assert_eq!(unfinished.state.opaque, [0; 112]);
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", key()), "Key(..)");
        assert_eq!(format!("{:?}", Poly1305::new(key())), "Poly1305(..)");
    }

    #[cfg(feature = "std")]
    #[test]
    fn io_copy() {
        let mut copied = Poly1305::new(key());
        std::io::copy(&mut &MESSAGE[..], &mut copied).unwrap();
        assert_eq!(copied.finalize().as_bytes(), &TAG);
    }

    /// Pieces of many lengths, including empty and long ones.
    fn pieces_of_many_lengths(count: usize) -> Vec<Vec<u8>> {
        let lengths = [3, 0, 16, 1, 700, 29].into_iter().cycle();
        zip((0..=250).cycle(), lengths)
            .take(count)
            .map(|(byte, length)| vec![byte; length])
            .collect()
    }

    #[test]
    fn vectored() {
        for count in (0..=2 * PIECES + 1).chain([1000]) {
            let owned = pieces_of_many_lengths(count);
            let pieces: Vec<&[u8]> = owned.iter().map(|piece| &piece[..]).collect();
            let mut vectored = Poly1305::new(key());
            vectored.update(b"before");
            vectored.update_vectored(&pieces);
            vectored.update(b"after");
            let whole = [b"before", &pieces.concat()[..], b"after"].concat();
            assert_eq!(
                vectored.finalize().as_bytes(),
                mac(key(), &whole).as_bytes(),
                "{count}"
            );
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn write_vectored() {
        use std::io::{IoSlice, Write};
        for count in [0, 1, PIECES, PIECES + 1, 100] {
            let owned = pieces_of_many_lengths(count);
            let pieces: Vec<IoSlice> = owned.iter().map(|piece| IoSlice::new(piece)).collect();
            let mut written = Poly1305::new(key());
            let whole = owned.concat();
            assert_eq!(written.write_vectored(&pieces).unwrap(), whole.len());
            assert_eq!(
                written.finalize().as_bytes(),
                mac(key(), &whole).as_bytes(),
                "{count}"
            );
        }
    }

    #[test]
    fn types_are_send_and_sync() {
        fn assert_send_sync<T: Send + Sync>() {}
        assert_send_sync::<Key>();
        assert_send_sync::<Poly1305>();
        assert_send_sync::<Tag>();
    }
}
