// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Nonces: the nonce of a message that was tagged or sealed, and the nonce that can still be used
//! for one.
//!
//! The three lengths have names where they are used: [`aes::Nonce`](crate::aes::Nonce) has 16
//! bytes, and [`aead`](crate::aead) takes 12 or, for XChaCha20-Poly1305, 24.

use crate::hex::{self, Found};
use core::error::Error;
use core::fmt;
use core::iter::FusedIterator;
use core::str::FromStr;

/// The nonce of a message. It is sent with the message and its tag, and is not secret. Displayed
/// and parsed as hexadecimal digits.
///
/// It is used to verify and to open. Making a tag takes an [`UnusedNonce`], and a `Nonce` cannot be
/// converted into one:
///
/// ```compile_fail,E0308
/// use hornet::aes::{Key, Nonce};
/// let key = Key::clamped(&[7; 32]);
/// key.mac(Nonce::new([0; 16]), b"a message"); // expected `UnusedNonce`
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Nonce<BYTES> {
    /// The length of a nonce in bytes.
    pub const BYTES: usize = BYTES;

    /// Wraps the nonce of a received message.
    #[must_use]
    pub const fn new(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, in the order in which they are sent.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

/// A nonce that no message under the same key has used yet. Making a tag consumes it:
///
/// ```compile_fail,E0382
/// use hornet::aes::{Key, UnusedNonce};
/// let key = Key::clamped(&[7; 32]);
/// let nonce = UnusedNonce::assume_unused([0; 16]);
/// key.mac(nonce, b"first");
/// key.mac(nonce, b"second"); // use of moved value
/// ```
///
/// It is neither `Clone` nor `Copy`, and is not parsed from text. Get it from a source that never
/// returns the same nonce twice: [`CountingNonces`]; [`random`](UnusedNonce::random) for 24 bytes;
/// for Poly1305-AES, `KeyFile::reserve` of the crate `hornet-poly1305-key-file`. To send its value with the
/// message, copy it with [`nonce`](Self::nonce) before the nonce is consumed.
pub struct UnusedNonce<const BYTES: usize>(Nonce<BYTES>);

impl<const BYTES: usize> UnusedNonce<BYTES> {
    /// Creates a nonce from bytes that, as the caller asserts, no message under this key has used
    /// or will use as its nonce.
    ///
    /// **If another message has the same nonce, anyone who sees both can forge**, and read what was
    /// encrypted. Only the owner of a counter that never goes back, or of a similar source of
    /// unique values, can make this assertion. The bytes of a received or stored nonce are never
    /// unused: make a [`Nonce`] of them, which is all that verifying and opening need.
    ///
    /// This function and [`CountingNonces::assume_unused_from`] are the only ways to make an unused
    /// nonce from bytes, so a search for `assume_unused` finds every place that asserts uniqueness.
    /// They are not `unsafe`, because a repeated nonce breaks the key but not memory safety.
    #[must_use]
    pub const fn assume_unused(bytes: [u8; BYTES]) -> Self {
        Self(Nonce(bytes))
    }

    /// Returns the value, to be sent with the message and its tag.
    #[must_use]
    pub const fn nonce(&self) -> Nonce<BYTES> {
        self.0
    }
}

/// Random nonces, for XChaCha20-Poly1305: among 2^80 random nonces of 24 bytes, two are equal with
/// a probability of 2^-33.
impl UnusedNonce<24> {
    /// Fills the nonce from a generator of unpredictable random numbers, such as `getrandom::fill`,
    /// or `|bytes| rng.try_fill_bytes(bytes)` for a `rand_core::TryCryptoRng`.
    ///
    /// ```
    /// # fn fill(bytes: &mut [u8]) -> Result<(), std::io::Error> { bytes.fill(7); Ok(()) }
    /// use hornet::aead::UnusedNonce;
    ///
    /// let nonce = UnusedNonce::random(fill)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of `fill`.
    pub fn random<E>(fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = [0; 24];
        fill(&mut bytes)?;
        Ok(Self::assume_unused(bytes))
    }
}

impl<const BYTES: usize> fmt::Debug for UnusedNonce<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnusedNonce({})", self.0)
    }
}

/// An iterator over unused nonces that count up. The last 8 bytes are a little-endian number; the
/// bytes before them stay the same. The iterator ends after the number 2^64 - 1, and never returns
/// a nonce twice.
///
/// ```
/// use hornet::aead::CountingNonces;
///
/// // The key was made just now. The first 4 bytes identify the sender.
/// let mut nonces = CountingNonces::assume_unused_from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(nonces.next().unwrap().nonce().to_string(), "010000000000000000000000");
/// assert_eq!(nonces.next().unwrap().nonce().to_string(), "010000000100000000000000");
/// ```
///
/// It is neither `Clone` nor `Copy`: two copies would return the same nonces. `fork` copies it, and
/// so does a snapshot of memory: only one of the two processes may use it from then on.
pub struct CountingNonces<const BYTES: usize> {
    first: [u8; BYTES],
    /// The number of the next nonce; `None` after the last.
    next: Option<u64>,
}

impl<const BYTES: usize> CountingNonces<BYTES> {
    /// The index of the number, which is the last 8 bytes of a nonce.
    const NUMBER_AT: usize = BYTES - size_of::<u64>();

    /// Starts at `first`. The caller asserts that no message under this key has used, or will use
    /// from another source, `first` or any nonce that is counted from it.
    ///
    /// This holds for a key made for this purpose. If there are several senders under one key, the
    /// bytes before the last 8 must differ between them. To continue after a restart, start beyond
    /// every number that may have been given out: store a limit before using the nonces below it.
    ///
    /// A nonce of fewer than 8 bytes is a compile-time error.
    #[must_use]
    pub const fn assume_unused_from(first: [u8; BYTES]) -> Self {
        let mut number = [0; size_of::<u64>()];
        let mut index = 0;
        while index < number.len() {
            number[index] = first[Self::NUMBER_AT + index];
            index += 1;
        }
        Self {
            first,
            next: Some(u64::from_le_bytes(number)),
        }
    }
}

impl<const BYTES: usize> Iterator for CountingNonces<BYTES> {
    type Item = UnusedNonce<BYTES>;

    fn next(&mut self) -> Option<UnusedNonce<BYTES>> {
        let number = self.next?;
        self.next = number.checked_add(1);
        let mut bytes = self.first;
        bytes[Self::NUMBER_AT..].copy_from_slice(&number.to_le_bytes());
        Some(UnusedNonce::assume_unused(bytes))
    }
}

impl<const BYTES: usize> FusedIterator for CountingNonces<BYTES> {}

impl<const BYTES: usize> fmt::Debug for CountingNonces<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingNonces")
            .field("first", &Nonce(self.first))
            .field("next", &self.next)
            .finish()
    }
}

impl<const BYTES: usize> fmt::LowerHex for Nonce<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.0, f)
    }
}

/// Two lower-case hexadecimal digits for each byte.
impl<const BYTES: usize> fmt::Display for Nonce<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl<const BYTES: usize> fmt::Debug for Nonce<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({self})")
    }
}

/// Parses exactly two hexadecimal digits of either case for each byte.
impl<const BYTES: usize> FromStr for Nonce<BYTES> {
    type Err = ParseNonceError;

    fn from_str(text: &str) -> Result<Self, ParseNonceError> {
        let digits = 2 * BYTES;
        hex::decode(text)
            .map(Self)
            .map_err(|found| ParseNonceError { digits, found })
    }
}

/// The text is not a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNonceError {
    digits: usize,
    found: Found,
}

impl fmt::Display for ParseNonceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { digits, found } = self;
        write!(f, "a nonce is {digits} hexadecimal digits; found {found}")
    }
}

impl Error for ParseNonceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn hex_round_trip() {
        let text = "fb447350c4e868c52ac3275cf9d4327e";
        let nonce: Nonce<16> = text.to_uppercase().parse().unwrap();
        assert_eq!(nonce.as_bytes()[..3], [0xfb, 0x44, 0x73]);
        assert_eq!(nonce.to_string(), text);
        assert_eq!(format!("{nonce:?}"), format!("Nonce({text})"));
        assert_eq!(Nonce::new(*nonce.as_bytes()), nonce);
        let unused = UnusedNonce::assume_unused(*nonce.as_bytes());
        assert_eq!(unused.nonce(), nonce);
        assert_eq!(format!("{unused:?}"), format!("UnusedNonce({text})"));
    }

    #[test]
    fn malformed_nonces() {
        let problem = |text: &str| text.parse::<Nonce<16>>().unwrap_err().to_string();
        assert_eq!(
            problem("fb44"),
            "a nonce is 32 hexadecimal digits; found 4 characters"
        );
        assert_eq!(
            problem("fb447350c4e868c52ac3275cf9d4327x"),
            "a nonce is 32 hexadecimal digits; found 'x'"
        );
    }

    #[test]
    fn counting() {
        let mut first = [9; 24];
        first[16..].copy_from_slice(&0xfe_u64.to_le_bytes());
        let mut nonces = CountingNonces::assume_unused_from(first);
        for number in 0xfe..0x1_0102_u64 {
            let nonce = nonces.next().unwrap().nonce();
            assert_eq!(nonce.as_bytes()[..16], [9; 16]);
            assert_eq!(nonce.as_bytes()[16..], number.to_le_bytes());
        }
    }

    #[test]
    fn counting_ends_before_it_repeats() {
        let mut first = [0xff; 12];
        first[4] = 0xfe;
        let mut nonces = CountingNonces::assume_unused_from(first);
        assert_eq!(nonces.next().unwrap().nonce().as_bytes(), &first);
        assert_eq!(nonces.next().unwrap().nonce().as_bytes(), &[0xff; 12]);
        assert!(nonces.next().is_none());
        assert!(nonces.next().is_none());
    }

    #[test]
    fn random_is_what_was_filled_in() {
        let nonce = UnusedNonce::random(|bytes| {
            assert_eq!(bytes.len(), 24);
            bytes.fill(5);
            Ok::<(), ()>(())
        });
        assert_eq!(nonce.unwrap().nonce().as_bytes(), &[5; 24]);
        assert_eq!(UnusedNonce::random(|_| Err("no")).unwrap_err(), "no");
    }
}
