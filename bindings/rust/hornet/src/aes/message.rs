// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tags under a Poly1305-AES key, of one message, of a message in pieces, and of batches; and pads.

use crate::aes::key::Key;
use crate::aes::verifier::Verifier;
use crate::aes::{Nonce, UnusedNonce};
use crate::batch;
use crate::ffi;
use crate::poly1305::Poly1305;
use crate::tag::{Mismatch, Tag};
use core::iter::FusedIterator;
use zeroize::Zeroizing;

impl Key {
    /// Computes the tag of a message.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn mac(&self, nonce: UnusedNonce, msg: &[u8]) -> Tag {
        let mut tag = [0; Tag::BYTES];
        self.mac_into(&mut tag, &nonce.nonce(), msg);
        tag.into()
    }

    /// Verifies the tag of a message in constant time.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key and nonce.
    pub fn verify(&self, nonce: &Nonce, msg: &[u8], tag: &Tag) -> Result<(), Mismatch> {
        // SAFETY: the tag and the nonce have 16 bytes, the key 32 and the message `msg.len()`.
        let valid = unsafe {
            ffi::hornet_poly1305_aes_verify(
                tag.as_ptr(),
                msg.as_ptr().cast(),
                msg.len(),
                nonce.as_ptr(),
                self.as_ptr(),
            )
        };
        if valid { Ok(()) } else { Err(Mismatch) }
    }

    /// Starts a message in pieces. [`Poly1305::finalize`] returns its tag.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let mut poly1305 = key.start(UnusedNonce::assume_unused([1; 16]));
    /// poly1305.update(b"a mess");
    /// poly1305.update(b"age");
    /// let tag = poly1305.finalize();
    ///
    /// assert!(key.verify(&Nonce::new([1; 16]), b"a message", &tag).is_ok());
    /// ```
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn start(&self, nonce: UnusedNonce) -> Poly1305 {
        self.started(&nonce.nonce())
    }

    /// Starts a received message in pieces. [`Verifier::verify`] verifies its tag.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// # let tag = key.mac(UnusedNonce::assume_unused([1; 16]), b"a message");
    /// let mut verifier = key.start_verify(&Nonce::new([1; 16]));
    /// verifier.update(b"a mess");
    /// verifier.update(b"age");
    /// assert!(verifier.verify(&tag).is_ok());
    /// ```
    #[must_use]
    pub fn start_verify(&self, nonce: &Nonce) -> Verifier {
        Verifier::new(self.started(nonce))
    }

    fn started(&self, nonce: &Nonce) -> Poly1305 {
        Poly1305::started(|state| {
            // SAFETY: the state is writable, the nonce has 16 bytes and the key 32.
            unsafe { ffi::hornet_poly1305_aes_init(state, nonce.as_ptr(), self.as_ptr()) };
        })
    }

    /// Computes the tags of many messages. Each tag is the same as from [`mac`](Self::mac), but
    /// many short messages are faster. Lengths may differ arbitrarily.
    ///
    /// Takes messages from the iterator 64 at a time, when their tags are requested. Allocates
    /// nothing: copies of the key take a few KiB of stack, which are wiped afterwards.
    ///
    /// ```
    /// use hornet::Tag;
    /// use hornet::aes::{Key, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    ///
    /// let messages = [
    ///     (UnusedNonce::assume_unused([1; 16]), &b"a message"[..]),
    ///     (UnusedNonce::assume_unused([2; 16]), b"another, of another length"),
    /// ];
    /// let tags: Vec<Tag> = key.mac_batch(messages).collect();
    /// assert_eq!(tags.len(), 2);
    /// ```
    #[must_use = "nothing is computed until the tags are taken"]
    pub fn mac_batch<'a>(
        &self,
        messages: impl IntoIterator<Item = (UnusedNonce, &'a [u8])>,
    ) -> impl FusedIterator<Item = Tag> {
        batch::tags(messages, |chunk, (nonce, msg)| {
            chunk.push(self.as_bytes(), *nonce.nonce().as_bytes(), msg, Tag::ZERO);
        })
    }

    /// Verifies the tags of many messages. Each result is the same as from
    /// [`verify`](Self::verify), but many short messages are faster. Each tag is compared in
    /// constant time.
    ///
    /// Returns one result for each message, in order. Collected into a single `Result`, the results
    /// tell whether all tags are valid, and the first invalid tag ends the work. Takes messages
    /// from the iterator like [`mac_batch`](Self::mac_batch).
    ///
    /// ```
    /// use hornet::Mismatch;
    /// use hornet::aes::{Key, Nonce, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// # let tag = key.mac(UnusedNonce::assume_unused([1; 16]), b"a message");
    ///
    /// let received = [
    ///     (Nonce::new([1; 16]), &b"a message"[..], tag),
    ///     (Nonce::new([2; 16]), b"a message", tag),
    /// ];
    /// let all: Result<(), Mismatch> = key.verify_batch(received).collect();
    /// assert!(all.is_err());
    /// ```
    #[must_use = "nothing is checked until the results are taken"]
    pub fn verify_batch<'a>(
        &self,
        messages: impl IntoIterator<Item = (Nonce, &'a [u8], Tag)>,
    ) -> impl FusedIterator<Item = Result<(), Mismatch>> {
        batch::results(messages, |chunk, (nonce, msg, tag)| {
            chunk.push(self.as_bytes(), *nonce.as_bytes(), msg, tag);
        })
    }

    /// Computes the pad of a nonce, `AES_k(nonce)`: 16 bytes that are unpredictable without k, to
    /// derive other keys and secrets from this one. The pad is also the tag of an empty message.
    ///
    /// **One nonce, one use.** If a message has the same nonce, its tag and the pad reveal the
    /// value of the polynomial, and therefore r.
    ///
    /// ```
    /// # use hornet::aes::{Key, UnusedNonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// # let unused = |number| UnusedNonce::assume_unused([number; 16]);
    /// let (k, r) = (key.pad(unused(1)), key.pad(unused(2)));
    /// let mut derived = [0; Key::BYTES];
    /// derived[..16].copy_from_slice(&*k);
    /// derived[16..].copy_from_slice(&*r);
    /// let other = Key::clamped(&derived);
    /// # assert_eq!(key.mac(unused(1), b"").as_bytes(), &*k);
    /// ```
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one pad")]
    pub fn pad(&self, nonce: UnusedNonce) -> Zeroizing<[u8; Tag::BYTES]> {
        self.pad_of(&nonce.nonce())
    }

    pub(super) fn pad_of(&self, nonce: &Nonce) -> Zeroizing<[u8; Tag::BYTES]> {
        let mut pad = Zeroizing::new([0; Tag::BYTES]);
        self.mac_into(&mut pad, nonce, &[]);
        pad
    }

    fn mac_into(&self, tag: &mut [u8; Tag::BYTES], nonce: &Nonce, msg: &[u8]) {
        // SAFETY: the tag and the nonce have 16 bytes, the key 32 and the message `msg.len()`.
        unsafe {
            ffi::hornet_poly1305_aes(
                tag.as_mut_ptr(),
                msg.as_ptr().cast(),
                msg.len(),
                nonce.as_ptr(),
                self.as_ptr(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::samples::{key, message, nonce, unused};
    use crate::key::Key as OneTimeKey;
    use crate::poly1305::mac;
    use core::iter::{self, zip};
    use std::string::ToString;
    use std::vec;
    use std::vec::Vec;

    struct Example {
        k: &'static str,
        r: &'static str,
        nonce: &'static str,
        pad: &'static str,
        message: &'static str,
        tag: &'static str,
    }

    /// Bernstein 2005, appendix B.
    const EXAMPLES: [Example; 4] = [
        Example {
            k: "ec074c835580741701425b623235add6",
            r: "851fc40c3467ac0be05cc20404f3f700",
            nonce: "fb447350c4e868c52ac3275cf9d4327e",
            pad: "580b3b0f9447bb1e69d095b5928b6dbc",
            message: "f3f6",
            tag: "f4c633c3044fc145f84f335cb81953de",
        },
        Example {
            k: "75deaa25c09f208e1dc4ce6b5cad3fbf",
            r: "a0f3080000f46400d0c7e9076c834403",
            nonce: "61ee09218d29b0aaed7e154a2c5509cc",
            pad: "dd3fab2251f11ac759f0887129cc2ee7",
            message: "",
            tag: "dd3fab2251f11ac759f0887129cc2ee7",
        },
        Example {
            k: "6acb5f61a7176dd320c5c1eb2edcdc74",
            r: "48443d0bb0d21109c89a100b5ce2c208",
            nonce: "ae212a55399729595dea458bc621ff0e",
            pad: "83149c69b561dd88298a1798b10716ef",
            message: "663cea190ffb83d89593f3f476b6bc24d7e679107ea26adb8caf6652d0656136",
            tag: "0ee1c16bb73f0f4fd19881753c01cdbe",
        },
        Example {
            k: "e1a5668a4d5b66a5f68cc5424ed5982d",
            r: "12976a08c4426d0ce8a82407c4f48207",
            nonce: "9ae831e743978d3a23527c7128149e3a",
            pad: "80f8c20aa71202d1e29179cbcb555a57",
            message: "ab0812724a7f1e342742cbed374d94d136c6b8795d45b3819830f2c04491faf0990c62e48b8018b2c3e4a0fa3134cb67fa83e158c994d961c4cb21095c1bf9",
            tag: "5154ad0d2cb26e01274fc51148491f1b",
        },
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |start| u8::from_str_radix(&hex[start..start + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    #[test]
    fn examples_of_the_paper() {
        for example in &EXAMPLES {
            let both = bytes(&[example.k, example.r].concat());
            let key = Key::new(&both.try_into().unwrap()).unwrap();
            let nonce: Nonce = example.nonce.parse().unwrap();
            let unused = || UnusedNonce::assume_unused(*nonce.as_bytes());
            let message = bytes(example.message);
            let tag: Tag = example.tag.parse().unwrap();

            assert_eq!(key.mac(unused(), &message).to_string(), example.tag);
            assert_eq!(key.mac(unused(), b"").to_string(), example.pad);
            assert_eq!(key.pad(unused()).to_vec(), bytes(example.pad));
            assert_eq!(
                key.as_bytes().to_vec(),
                bytes(&[example.k, example.r].concat())
            );
            assert_eq!(key.verify(&nonce, &message, &tag), Ok(()));
            let partial = key.partial(&message);
            assert_eq!(key.finish(unused(), &partial).to_string(), example.tag);
        }
    }

    /// The tag is Poly1305 under r and the encrypted nonce.
    #[test]
    fn same_as_under_a_one_time_key() {
        for length in (0..=300).chain([1_000, 4_096, 10_007]) {
            let message = message(length);
            let mut one_time = [0; OneTimeKey::BYTES];
            one_time[..16].copy_from_slice(&key().as_bytes()[16..]);
            one_time[16..].copy_from_slice(key().mac(unused(length), b"").as_bytes());
            assert_eq!(
                key().mac(unused(length), &message).as_bytes(),
                mac(OneTimeKey::new(&one_time), &message).as_bytes(),
                "{length}"
            );
        }
    }

    #[test]
    fn a_flipped_bit_is_a_mismatch() {
        let message = message(100);
        let valid = *key().mac(unused(0), &message).as_bytes();
        let partial = key().partial(&message);
        assert_eq!(key().verify(&nonce(0), &message, &valid.into()), Ok(()));
        assert_eq!(
            key().verify_partial(&nonce(0), &partial, &valid.into()),
            Ok(())
        );
        for bit in 0..128 {
            let mut wrong = valid;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let wrong = Tag::from(wrong);
            assert_eq!(key().verify(&nonce(0), &message, &wrong), Err(Mismatch));
            assert_eq!(
                key().verify_partial(&nonce(0), &partial, &wrong),
                Err(Mismatch)
            );

            let mut other = *nonce(0).as_bytes();
            other[bit / 8] ^= 1 << (bit % 8);
            let other = Nonce::new(other);
            assert_eq!(key().verify(&other, &message, &valid.into()), Err(Mismatch));
            assert_eq!(
                key().verify_partial(&other, &partial, &valid.into()),
                Err(Mismatch)
            );
        }
    }

    #[test]
    fn same_in_pieces_as_at_once() {
        let message = message(200);
        let expected = key().mac(unused(1), &message);
        for cut in 0..=message.len() {
            let mut pieces = key().start(unused(1));
            pieces.update(&message[..cut]);
            pieces.update(&message[cut..]);
            assert_eq!(pieces.finalize().as_bytes(), expected.as_bytes(), "{cut}");

            for (number, result) in [(1, Ok(())), (2, Err(Mismatch))] {
                let mut verifier = key().start_verify(&nonce(number));
                verifier.update(&message[..cut]);
                verifier.update_vectored(&[&message[cut..]]);
                assert_eq!(verifier.verify(&expected), result, "{cut}");
            }
        }
    }

    #[test]
    fn same_in_a_batch_as_one_by_one() {
        for count in [0, 1, 2, 13, 63, 64, 65, 300] {
            let lengths = (0..count).map(|index| index * 73 % 301);
            let messages: Vec<Vec<u8>> = lengths.map(message).collect();
            let numbered = || zip((0..).map(unused), messages.iter().map(|msg| &msg[..]));
            let key = key();

            let mut tags: Vec<Tag> = key.mac_batch(numbered()).collect();
            assert_eq!(tags.len(), count);
            for ((unused, msg), tag) in zip(numbered(), &tags) {
                assert_eq!(key.mac(unused, msg).as_bytes(), tag.as_bytes());
            }
            let results = |tags: &[Tag]| -> Vec<Result<(), Mismatch>> {
                let tagged =
                    zip(numbered(), tags).map(|((unused, msg), &tag)| (unused.nonce(), msg, tag));
                key.verify_batch(tagged).collect()
            };
            assert_eq!(results(&tags), vec![Ok(()); count]);
            for wrong in 0..count.min(70) {
                let expected = tags[wrong];
                let mut bytes = *expected.as_bytes();
                bytes[wrong % 16] ^= 1 << (wrong % 8);
                tags[wrong] = bytes.into();
                for (index, result) in results(&tags).into_iter().enumerate() {
                    assert_eq!(result.is_err(), index == wrong, "{index} {wrong}");
                }
                tags[wrong] = expected;
            }
        }
    }

    /// The messages may outlive the key.
    #[test]
    fn batch_of_constants() {
        let messages: [(UnusedNonce, &'static [u8]); 1] = [(unused(0), b"constant")];
        let key = key();
        assert_eq!(key.mac_batch(messages).count(), 1);
        assert_eq!(key.mac_batch(iter::empty()).count(), 0);
    }

    #[test]
    fn types_are_send_and_sync() {
        fn assert_send_sync<T: Send + Sync>() {}
        assert_send_sync::<Key>();
        assert_send_sync::<Nonce>();
        assert_send_sync::<UnusedNonce>();
        assert_send_sync::<Verifier>();
    }
}
