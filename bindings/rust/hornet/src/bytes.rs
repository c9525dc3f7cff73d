// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Conversion of slices into keys, nonces and tags.

use core::error::Error;
use core::fmt;

/// A slice is not a key, nonce or tag, because it has another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    kind: &'static str,
    expected: usize,
    found: usize,
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            expected,
            found,
        } = self;
        write!(f, "a {kind} has {expected} bytes; found {found}")
    }
}

impl Error for WrongLength {}

/// Returns the bytes of a `kind` of value, which has a fixed length.
pub(crate) fn array<'a, const BYTES: usize>(
    kind: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8; BYTES], WrongLength> {
    bytes.try_into().map_err(|_| WrongLength {
        kind,
        expected: BYTES,
        found: bytes.len(),
    })
}

#[cfg(test)]
mod tests {
    use crate::{Key, Tag, WrongLength, aead, aes, chacha20, nonce, ssh};
    use std::format;
    use std::string::ToString;

    /// Converts slices of all lengths to 70, and returns the only length that is accepted. The other
    /// lengths must give an error that names the kind and both lengths.
    fn accepted<'a, T, E: ToString>(
        kind: &str,
        all: &'a [u8; 70],
        convert: impl Fn(&'a [u8]) -> Result<T, E>,
    ) -> usize {
        let mut lengths = (0..=all.len()).filter(|&length| convert(&all[..length]).is_ok());
        let only = lengths.next().expect("one length is accepted");
        assert_eq!(lengths.next(), None);
        for length in (0..=all.len()).filter(|&length| length != only) {
            let error = convert(&all[..length]).err().expect("it is refused");
            let expected = format!("a {kind} has {only} bytes; found {length}");
            assert_eq!(error.to_string(), expected);
        }
        only
    }

    #[test]
    fn slices() {
        let all = [1; 70];
        assert_eq!(accepted("tag", &all, Tag::try_from), 16);
        assert_eq!(accepted("nonce", &all, aead::Nonce::<12>::try_from), 12);
        assert_eq!(accepted("nonce", &all, aead::Nonce::<24>::try_from), 24);
        assert_eq!(accepted("nonce", &all, aes::Nonce::try_from), 16);
        assert_eq!(accepted("key", &all, Key::try_from), 32);
        assert_eq!(accepted("key", &all, aead::ChaCha20Poly1305::try_from), 32);
        assert_eq!(accepted("key", &all, chacha20::ChaCha20::try_from), 32);
        assert_eq!(accepted("key", &all, ssh::Key::try_from), 64);
        let clamped = [0; 70];
        assert_eq!(accepted("key", &clamped, aes::Key::try_from), 32);
        assert_eq!(
            aes::Key::try_from(&[0xff; 32][..]).map(|_| ()),
            Err(aes::KeyError::NotClamped)
        );
        let error: aes::KeyError = aes::NotClamped.into();
        assert_eq!(error.to_string(), aes::NotClamped.to_string());
    }

    #[test]
    fn values_are_those_of_the_bytes() {
        let bytes: [u8; 32] = core::array::from_fn(|index| u8::try_from(index).unwrap());
        let tag = Tag::try_from(&bytes[3..19]).unwrap();
        assert_eq!(tag.as_ref(), &bytes[3..19]);
        assert_eq!(<[u8; 16]>::from(tag), bytes[3..19]);
        let nonce = nonce::Nonce::<12>::try_from(&bytes[5..17]).unwrap();
        assert_eq!(nonce.as_ref(), &bytes[5..17]);
        let array = <[u8; 12]>::from(nonce);
        assert_eq!(array, bytes[5..17]);
        assert_eq!(nonce::Nonce::from(array), nonce);
        assert_eq!(Key::try_from(&bytes[..]).unwrap().as_bytes(), &bytes);
        assert_eq!(Key::from(&bytes).as_bytes(), &bytes);
        let error: WrongLength = Tag::try_from(&bytes[..]).unwrap_err();
        assert_eq!(error.to_string(), "a tag has 16 bytes; found 32");
    }
}
