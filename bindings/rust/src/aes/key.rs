//! The key of many messages.

use super::{Nonce, Part, PartError};
use crate::key::wipe;
use crate::{Mismatch, Poly1305, Tag, batch, ffi};
use core::error::Error;
use core::fmt;
use core::iter::FusedIterator;
#[cfg(all(feature = "key-file", unix))]
use core::iter::zip;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// Where r begins.
const R: usize = 16;

/// A key for up to 2^64 messages: 32 bytes, k (an AES-128 key) and then r, as in the paper. In a
/// one-time [`Key`](crate::Key), r comes first. Overwritten when dropped.
///
/// There is no `==` and no `Clone`: keep it where it was made, and pass it by reference.
pub struct Key([u8; Key::BYTES]);

impl Key {
    /// The length of a key in bytes: 32.
    pub const BYTES: usize = 32;

    /// Copies a key. The caller's copy is the caller's to overwrite.
    ///
    /// # Errors
    ///
    /// [`ForbiddenBits`] if Poly1305 does not permit that r. Halves in the wrong order are mostly
    /// found out by this, too.
    pub fn new(bytes: &[u8; Key::BYTES]) -> Result<Self, ForbiddenBits> {
        // SAFETY: r has 16 bytes.
        if unsafe { ffi::hornet_poly1305_r_is_clamped(bytes[R..].as_ptr()) } {
            Ok(Self(*bytes))
        } else {
            Err(ForbiddenBits)
        }
    }

    /// Copies 32 random bytes that shall become a key, and clears the bits of r that a key may not
    /// have.
    #[must_use]
    pub fn clamped(bytes: &[u8; Key::BYTES]) -> Self {
        let mut key = Self(*bytes);
        // SAFETY: r has 16 bytes, which may be written.
        unsafe { ffi::hornet_poly1305_clamp(key.0[R..].as_mut_ptr()) };
        key
    }

    /// The tag of a message.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a nonce is used up by its message"
    )]
    pub fn mac(&self, nonce: Nonce, msg: &[u8]) -> Tag {
        let mut tag = [0; Tag::BYTES];
        self.mac_into(&mut tag, &nonce, msg);
        tag.into()
    }

    /// Checks the tag of a message, in time that does not depend on the tag.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is the tag of another message, nonce or key.
    pub fn verify(&self, nonce: &Nonce, msg: &[u8], tag: &Tag) -> Result<(), Mismatch> {
        // SAFETY: the tag and the nonce have 16 bytes, the key 32, and the message as many as it
        // says.
        let good = unsafe {
            ffi::hornet_poly1305_aes_verify(
                tag.as_ptr(),
                msg.as_ptr().cast(),
                msg.len(),
                nonce.as_ptr(),
                self.as_ptr(),
            )
        };
        if good { Ok(()) } else { Err(Mismatch) }
    }

    /// Starts a message that arrives in pieces. It ends by [`Poly1305::finalize`] or
    /// [`Poly1305::verify`].
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let mut poly1305 = key.start(Nonce::new([1; 16]));
    /// poly1305.update(b"a mess");
    /// poly1305.update(b"age");
    /// let tag = poly1305.finalize();
    ///
    /// assert!(key.verify(&Nonce::new([1; 16]), b"a message", &tag).is_ok());
    /// ```
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a nonce is used up by its message"
    )]
    pub fn start(&self, nonce: Nonce) -> Poly1305 {
        Poly1305::started(|state| {
            // SAFETY: the state may be written, the nonce has 16 bytes and the key 32.
            unsafe { ffi::hornet_poly1305_aes_init(state, nonce.as_ptr(), self.as_ptr()) };
        })
    }

    /// The tags of many messages, as [`mac`](Self::mac) would give them one by one, and faster for
    /// many short ones. Lengths may differ in any way.
    ///
    /// The messages are taken from the iterator 64 at a time, and only when their tags are asked
    /// for. Nothing is allocated; a few KiB of stack hold the key meanwhile, and are overwritten.
    ///
    /// ```
    /// use hornet::Tag;
    /// use hornet::aes::{Key, Nonce};
    /// # let key = Key::clamped(&[7; 32]);
    ///
    /// let messages = [
    ///     (Nonce::new([1; 16]), &b"a message"[..]),
    ///     (Nonce::new([2; 16]), b"another, of another length"),
    /// ];
    /// let tags: Vec<Tag> = key.mac_batch(messages).collect();
    /// assert_eq!(tags.len(), 2);
    /// ```
    #[must_use = "nothing is computed until the tags are taken"]
    pub fn mac_batch<'a>(
        &self,
        messages: impl IntoIterator<Item = (Nonce, &'a [u8])>,
    ) -> impl FusedIterator<Item = Tag> {
        batch::tags(messages, |chunk, (nonce, msg)| {
            chunk.push(&self.0, *nonce.as_bytes(), msg, Tag::ZERO);
        })
    }

    /// Checks the tags of many messages, as [`verify`](Self::verify) would one by one, and faster
    /// for many short ones. The time does not depend on the tags.
    ///
    /// There is one result for each message, in their order; a wrong tag spoils no other. Collected
    /// into one, they tell whether all are good, and the first wrong tag ends the work. Messages are
    /// taken from the iterator as [`mac_batch`](Self::mac_batch) takes them.
    ///
    /// ```
    /// use hornet::Mismatch;
    /// use hornet::aes::{Key, Nonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// # let tag = key.mac(Nonce::new([1; 16]), b"a message");
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
            chunk.push(&self.0, *nonce.as_bytes(), msg, tag);
        })
    }

    /// What a segment of a message contributes to its tag.
    #[must_use]
    pub fn part(&self, segment: &[u8]) -> Part {
        let mut part = Part::default();
        self.part_into(&mut part, segment);
        part
    }

    /// Joins the parts of two neighbouring segments: `left` becomes the part of both. The time
    /// depends on the logarithm of the right one's length.
    ///
    /// ```
    /// # use hornet::aes::{Key, Nonce};
    /// # let key = Key::clamped(&[7; 32]);
    /// let mut part = key.part(b"Sixteen bytes do");
    /// key.append(&mut part, &key.part(b" and any number"))?;
    /// let tag = key.finish(Nonce::new([1; 16]), &part);
    ///
    /// let message = b"Sixteen bytes do and any number";
    /// assert!(key.verify(&Nonce::new([1; 16]), message, &tag).is_ok());
    /// # Ok::<(), hornet::aes::PartError>(())
    /// ```
    ///
    /// Both must be parts under this key. That is not checked.
    ///
    /// # Errors
    ///
    /// [`PartError`], and no change, if the lengths do not allow it.
    pub fn append(&self, left: &mut Part, right: &Part) -> Result<(), PartError> {
        // SAFETY: both are parts, the left may be written, and r has 16 bytes.
        let joined = unsafe {
            ffi::hornet_poly1305_partial_append(&raw mut left.0, &raw const right.0, self.r())
        };
        if joined {
            Ok(())
        } else if left.len_bytes() % 16 != 0 {
            Err(PartError::WithinBlock)
        } else {
            Err(PartError::TooLong)
        }
    }

    /// The tag of the message whose part this is, made under this key. That is not checked.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a nonce is used up by its message"
    )]
    pub fn finish(&self, nonce: Nonce, part: &Part) -> Tag {
        let mut tag = [0; Tag::BYTES];
        let pad = self.pad(&nonce);
        // SAFETY: tag and pad have 16 bytes, and `part` is one.
        unsafe {
            ffi::hornet_poly1305_partial_tag(tag.as_mut_ptr(), &raw const part.0, pad.as_ptr());
        }
        tag.into()
    }

    /// Checks the tag of the message whose part this is, in time that does not depend on the tag.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is the tag of another message, nonce or key.
    pub fn verify_part(&self, nonce: &Nonce, part: &Part, tag: &Tag) -> Result<(), Mismatch> {
        let pad = self.pad(nonce);
        // SAFETY: tag and pad have 16 bytes, and `part` is one.
        let good = unsafe {
            ffi::hornet_poly1305_partial_verify(tag.as_ptr(), &raw const part.0, pad.as_ptr())
        };
        if good { Ok(()) } else { Err(Mismatch) }
    }

    /// The part of a segment, where it is to stay: moved, it would leave a copy behind.
    pub(super) fn part_into(&self, part: &mut Part, segment: &[u8]) {
        // SAFETY: the part may be written, r has 16 bytes and the segment as many as it says.
        unsafe {
            ffi::hornet_poly1305_partial_compute(
                &raw mut part.0,
                segment.as_ptr().cast(),
                segment.len(),
                self.r(),
            );
        }
    }

    /// Joins parts that are known to fit.
    #[cfg(feature = "std")]
    pub(super) fn join(&self, left: &mut Part, right: &Part) {
        let joined = self.append(left, right);
        debug_assert_eq!(joined, Ok(()));
    }

    /// AES of the nonce: the tag of an empty message.
    pub(crate) fn pad(&self, nonce: &Nonce) -> Zeroizing<[u8; Tag::BYTES]> {
        let mut pad = Zeroizing::new([0; Tag::BYTES]);
        self.mac_into(&mut pad, nonce, &[]);
        pad
    }

    fn mac_into(&self, tag: &mut [u8; Tag::BYTES], nonce: &Nonce, msg: &[u8]) {
        // SAFETY: the tag and the nonce have 16 bytes, the key 32, and the message as many as it
        // says.
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

    /// Whether both are the same. Looks at all bytes, wherever the first difference is.
    #[cfg(all(feature = "key-file", unix))]
    pub(crate) fn is(&self, other: &Self) -> bool {
        let differences = zip(&self.0, &other.0).map(|(one, other)| one ^ other);
        differences.fold(0, |all, difference| all | difference) == 0
    }

    #[cfg(all(feature = "key-file", unix))]
    pub(crate) fn as_bytes(&self) -> &[u8; Key::BYTES] {
        &self.0
    }

    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }

    pub(super) fn r(&self) -> *const u8 {
        self.0[R..].as_ptr()
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl ZeroizeOnDrop for Key {}

/// Shows nothing of the key.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The r of a key has bits that are not permitted: bytes 3, 7, 11 and 15 of it are below 16, and
/// bytes 4, 8 and 12 are multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForbiddenBits;

impl fmt::Display for ForbiddenBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the second half of the key, r, has bits that Poly1305 forbids")
    }
}

impl Error for ForbiddenBits {}

#[cfg(test)]
mod tests {
    use super::super::samples::{key, message, nonce};
    use super::*;
    use core::iter::{self, zip};
    use core::mem::ManuallyDrop;
    use std::string::ToString;
    use std::vec::Vec;
    use std::{format, vec};

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
            let nonce = || example.nonce.parse::<Nonce>().unwrap();
            let message = bytes(example.message);
            let tag: Tag = example.tag.parse().unwrap();

            assert_eq!(key.mac(nonce(), &message).to_string(), example.tag);
            assert_eq!(key.mac(nonce(), b"").to_string(), example.pad);
            assert_eq!(key.verify(&nonce(), &message, &tag), Ok(()));
            let part = key.part(&message);
            assert_eq!(key.finish(nonce(), &part).to_string(), example.tag);
        }
    }

    /// Poly1305 under r and the encrypted nonce.
    #[test]
    fn as_under_a_one_time_key() {
        for length in (0..=300).chain([1_000, 4_096, 10_007]) {
            let message = message(length);
            let mut one_time = [0; crate::Key::BYTES];
            one_time[..16].copy_from_slice(&key().0[R..]);
            one_time[16..].copy_from_slice(key().mac(nonce(length), b"").as_bytes());
            assert_eq!(
                key().mac(nonce(length), &message).as_bytes(),
                crate::mac(crate::Key::new(&one_time), &message).as_bytes(),
                "{length}"
            );
        }
    }

    /// Of each bit, whether a key may have it.
    fn permitted() -> [bool; 256] {
        let mut permitted = [true; 256];
        for byte in [3, 7, 11, 15] {
            permitted[128 + 8 * byte + 4..][..4].fill(false);
        }
        for byte in [4, 8, 12] {
            permitted[128 + 8 * byte..][..2].fill(false);
        }
        permitted
    }

    #[test]
    fn every_forbidden_bit_is_refused() {
        assert_eq!(permitted().iter().filter(|&&good| !good).count(), 22);
        for (bit, good) in permitted().into_iter().enumerate() {
            let mut bytes = [0; Key::BYTES];
            bytes[bit / 8] = 1 << (bit % 8);
            assert_eq!(Key::new(&bytes).map(|_| ()).is_ok(), good, "{bit}");
            let clamped = Key::clamped(&bytes).0;
            assert_eq!(clamped, if good { bytes } else { [0; 32] }, "{bit}");
        }
        let all = Key::clamped(&[0xff; Key::BYTES]);
        for (bit, good) in permitted().into_iter().enumerate() {
            assert_eq!(all.0[bit / 8] >> (bit % 8) & 1 == 1, good, "{bit}");
        }
        assert!(Key::new(&all.0).is_ok());
        assert_eq!(
            ForbiddenBits.to_string(),
            "the second half of the key, r, has bits that Poly1305 forbids"
        );
    }

    #[test]
    fn every_wrong_bit_is_noticed() {
        let message = message(100);
        let right = *key().mac(nonce(0), &message).as_bytes();
        let part = key().part(&message);
        assert_eq!(key().verify(&nonce(0), &message, &right.into()), Ok(()));
        assert_eq!(key().verify_part(&nonce(0), &part, &right.into()), Ok(()));
        for bit in 0..128 {
            let mut wrong = right;
            wrong[bit / 8] ^= 1 << (bit % 8);
            let wrong = Tag::from(wrong);
            assert_eq!(key().verify(&nonce(0), &message, &wrong), Err(Mismatch));
            assert_eq!(key().verify_part(&nonce(0), &part, &wrong), Err(Mismatch));

            let mut other = [0; Nonce::BYTES];
            other.copy_from_slice(nonce(0).as_bytes());
            other[bit / 8] ^= 1 << (bit % 8);
            let other = Nonce::new(other);
            assert_eq!(key().verify(&other, &message, &right.into()), Err(Mismatch));
            assert_eq!(
                key().verify_part(&other, &part, &right.into()),
                Err(Mismatch)
            );
        }
    }

    #[test]
    fn in_pieces_as_at_once() {
        let message = message(200);
        let right = key().mac(nonce(1), &message);
        for cut in 0..=message.len() {
            let start = || {
                let mut pieces = key().start(nonce(1));
                pieces.update(&message[..cut]);
                pieces.update(&message[cut..]);
                pieces
            };
            assert_eq!(start().finalize().as_bytes(), right.as_bytes(), "{cut}");
            assert_eq!(start().verify(&right), Ok(()));
        }
    }

    #[test]
    fn together_as_one_by_one() {
        for count in [0, 1, 2, 13, 63, 64, 65, 300] {
            let lengths = (0..count).map(|index| index * 73 % 301);
            let messages: Vec<Vec<u8>> = lengths.map(message).collect();
            let numbered = || zip((0..).map(nonce), messages.iter().map(|msg| &msg[..]));
            let key = key();

            let mut tags: Vec<Tag> = key.mac_batch(numbered()).collect();
            assert_eq!(tags.len(), count);
            for ((nonce, msg), tag) in zip(numbered(), &tags) {
                assert_eq!(key.mac(nonce, msg).as_bytes(), tag.as_bytes());
            }
            let results = |tags: &[Tag]| -> Vec<Result<(), Mismatch>> {
                let tagged = zip(numbered(), tags).map(|((nonce, msg), &tag)| (nonce, msg, tag));
                key.verify_batch(tagged).collect()
            };
            assert_eq!(results(&tags), vec![Ok(()); count]);
            for wrong in 0..count.min(70) {
                let right = tags[wrong];
                let mut bytes = *right.as_bytes();
                bytes[wrong % 16] ^= 1 << (wrong % 8);
                tags[wrong] = bytes.into();
                for (index, result) in results(&tags).into_iter().enumerate() {
                    assert_eq!(result.is_err(), index == wrong, "{index} {wrong}");
                }
                tags[wrong] = right;
            }
        }
    }

    /// The key need not live as long as the messages.
    #[test]
    fn batch_of_constants() {
        let messages: [(Nonce, &'static [u8]); 1] = [(nonce(0), b"constant")];
        let key = key();
        assert_eq!(key.mac_batch(messages).count(), 1);
        assert_eq!(key.mac_batch(iter::empty()).count(), 0);
    }

    #[test]
    fn dropped_key_is_wiped() {
        let mut key = ManuallyDrop::new(key());
        assert_ne!(key.0, [0; Key::BYTES]);
        // SAFETY: dropped once, and what is read afterwards is plain numbers.
        unsafe { ManuallyDrop::drop(&mut key) };
        assert_eq!(key.0, [0; Key::BYTES]);
    }

    #[test]
    fn nothing_is_shown() {
        assert_eq!(format!("{:?}", key()), "Key(..)");
        assert_eq!(format!("{:?}", key().part(b"segment")), "Part(..)");
    }

    #[test]
    fn threads() {
        fn sendable<T: Send + Sync>() {}
        sendable::<Key>();
        sendable::<Nonce>();
        sendable::<Part>();
    }
}
