// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The example of draft-ietf-sshm-chacha20-poly1305-04, and comparison with other implementations of
//! the two primitives, put together as it says.

use super::*;
use ::chacha20::ChaCha20Legacy;
use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use ::poly1305::Poly1305;
use ::poly1305::universal_hash::KeyInit;
use core::iter::zip;
use core::mem::ManuallyDrop;
use std::format;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

/// Bytes without repeated segments.
fn bytes(len_bytes: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    (0..len_bytes).map(|_| byte()).collect()
}

fn key_bytes(seed: u32) -> [u8; Key::BYTES] {
    bytes(Key::BYTES, seed).try_into().unwrap()
}

/// Returns a packet by the definition.
fn sealed(key: &[u8; Key::BYTES], sequence: u32, text: &[u8]) -> Vec<u8> {
    let nonce = u64::from(sequence).to_be_bytes();
    let stream = |key: &[u8]| ChaCha20Legacy::new_from_slices(key, &nonce).unwrap();
    let mut packet = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    stream(&key[32..]).apply_keystream(&mut packet);

    let mut texts = stream(&key[..32]);
    let mut one_time_key = [0; 32];
    texts.apply_keystream(&mut one_time_key);
    texts.seek(64_u32);
    packet.extend_from_slice(text);
    texts.apply_keystream(&mut packet[LENGTH_BYTES..]);

    let tag = Poly1305::new(&one_time_key.into()).compute_unpadded(&packet);
    packet.extend_from_slice(&tag);
    packet
}

/// Returns a packet that is not sealed yet.
fn unsealed(text: &[u8]) -> Vec<u8> {
    [&[0xaa; LENGTH_BYTES], text, &[0xaa; TAG_BYTES]].concat()
}

/// Seals and opens a packet, and opens it with a flipped bit and with another number.
fn check(seed: u32, sequence: u32, text: &[u8]) {
    let bytes = key_bytes(seed);
    let key = Key::from_ref(&bytes);
    let expected = sealed(&bytes, sequence, text);
    let mut packet = unsealed(text);
    key.seal(sequence, &mut packet).unwrap();
    assert_eq!(packet, expected, "{}", text.len());

    let (encrypted, _) = packet.split_first_chunk().unwrap();
    let length = usize::try_from(key.packet_length(sequence, encrypted));
    assert_eq!(length, Ok(text.len()));
    assert_eq!(key.open(sequence, &mut packet).unwrap(), text);
    let opened = [&expected[..4], text, &expected[4 + text.len()..]].concat();
    assert_eq!(packet, opened);

    let bit = usize::try_from(seed).unwrap() * 37 % (8 * expected.len());
    let mut flipped = expected.clone();
    flipped[bit / 8] ^= 1 << (bit % 8);
    for (sequence, mut forged) in [(sequence, flipped), (sequence ^ 1, expected)] {
        let mut refused = forged.clone();
        refused[LENGTH_BYTES..][..text.len()].fill(0);
        let result = key.open(sequence, &mut forged);
        assert_eq!(result, Err(OpenError::Mismatch), "{}", text.len());
        assert_eq!(forged, refused, "{}", text.len());
    }
}

/// Appendix A of the draft.
#[test]
fn example() {
    let hex = |text: &str| -> Vec<u8> {
        let digits = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digits).collect()
    };
    let key = hex(
        "8bbff6855fc102338c373e73aac0c914f076a905b2444a32eecaffeae22becc5\
         e9b7a7a5825a8249346ec1c28301cf394543fc7569887d76e168f37562ac0740",
    );
    let text = hex(
        "065e00000000000000384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e73\
         6563746574757220\
         61646970697369\
         63696e6720656c69744e43e804dc6c",
    );
    let sent = hex(
        "2c3ecce4a5bc05895bf07a7ba956b6c68829ac7c83b780b7000ecde745afc705bbc378ce03a28023\
         6b87b53bed5839662302b164b6286a48cd1e097138e3cb909b8b2b829dd18d2a35ff82d995349e85\
         5bf02c298ef775f2d1a7e8b8",
    );
    let key = Key::try_from(&key[..]).unwrap();
    let mut packet = unsealed(&text);
    key.seal(7, &mut packet).unwrap();
    assert_eq!(packet, sent);
}

#[test]
fn every_length() {
    let all = bytes(140_000, 1);
    let long = [4_095, 4_096, 4_097, 32_768, 65_531, 65_532, 65_536, 131_072];
    for (seed, len_bytes) in zip(1.., (0..=1_100).chain(long)) {
        let text = &all[seed as usize..][..len_bytes];
        check(seed, seed.wrapping_mul(0x9e37_79b9), text);
    }
    check(1, 0, &all[..100]);
    check(2, u32::MAX, &all[..100]);
}

#[test]
fn every_flipped_bit_is_refused() {
    let key = Key::new(&key_bytes(1));
    let mut packet = unsealed(&bytes(100, 2));
    key.seal(9, &mut packet).unwrap();
    for bit in 0..8 * packet.len() {
        let mut forged = packet.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.open(9, &mut forged), Err(OpenError::Mismatch), "{bit}");
    }
}

#[test]
fn packets_of_wrong_length_are_refused() {
    let key = Key::new(&key_bytes(1));
    for len_bytes in 0..OVERHEAD_BYTES {
        let mut packet = vec![5; len_bytes];
        let error = LengthError(len_bytes);
        assert_eq!(key.seal(0, &mut packet), Err(error));
        assert_eq!(key.open(0, &mut packet), Err(OpenError::Length(error)));
        assert_eq!(packet, vec![5; len_bytes]);
        let text = format!("an SSH packet has 20 to 2^32 + 19 bytes; found {len_bytes}");
        assert_eq!(OpenError::from(error).to_string(), text);
    }
    assert_eq!(OpenError::Mismatch.to_string(), Mismatch.to_string());
}

/// Packets of all lengths up to 300 in mixed order, some long ones, and some that are too short, under two keys.
struct Packets {
    keys: [Key; 2],
    packets: Vec<Vec<u8>>,
}

impl Packets {
    fn new(count: usize) -> Self {
        let packet = |index| match index % 29 {
            27 => bytes(index % OVERHEAD_BYTES, 3),
            28 => unsealed(&bytes(3_000 + index, 4)),
            _ => unsealed(&bytes(index * 73 % 301, 5)),
        };
        Self {
            keys: [1, 2].map(|seed| Key::new(&key_bytes(seed))),
            packets: (0..count).map(packet).collect(),
        }
    }

    fn batch(&mut self) -> impl Iterator<Item = Packet<'_>> {
        let all = zip(0.., &mut self.packets);
        all.map(|(index, packet)| Packet {
            key: &self.keys[index % 2],
            sequence: sequence(index),
            packet,
        })
    }
}

fn sequence(index: usize) -> u32 {
    u32::MAX - u32::try_from(index).unwrap()
}

#[test]
fn batches_are_the_same_as_one_by_one() {
    for count in [0, 1, 2, 15, 16, 17, 63, 64, 65, 128, 129, 300] {
        let mut alone = Packets::new(count);
        let mut together = Packets::new(count);
        let results: Vec<_> = seal_batch(together.batch()).collect();
        let one_by_one = alone
            .batch()
            .map(|each| each.key.seal(each.sequence, each.packet));
        assert_eq!(results, one_by_one.collect::<Vec<_>>());
        assert_eq!(together.packets, alone.packets);

        let results: Vec<_> = open_batch(together.batch()).collect();
        let one_by_one = alone
            .batch()
            .map(|each| each.key.open(each.sequence, each.packet).map(|_| ()));
        assert_eq!(results, one_by_one.collect::<Vec<_>>());
        assert_eq!(together.packets, alone.packets);
    }
}

#[test]
fn exactly_the_forged_packet_of_a_batch_is_refused() {
    let mut given = Packets::new(133);
    let results: Vec<_> = seal_batch(given.batch()).collect();
    let mut opened = Packets::new(133);
    opened.packets.clone_from(&given.packets);
    let expected: Vec<_> = open_batch(opened.batch()).collect();
    for (wrong, result) in results.iter().enumerate() {
        if result.is_err() {
            continue;
        }
        let mut forged = Packets::new(133);
        forged.packets.clone_from(&given.packets);
        let len_bytes = forged.packets[wrong].len();
        forged.packets[wrong][wrong * 7 % len_bytes] ^= 1 << (wrong % 8);
        let mut refused = forged.packets[wrong].clone();
        refused[LENGTH_BYTES..len_bytes - TAG_BYTES].fill(0);
        let results: Vec<_> = open_batch(forged.batch()).collect();
        for (index, result) in results.into_iter().enumerate() {
            if index == wrong {
                assert_eq!(result, Err(OpenError::Mismatch));
                assert_eq!(forged.packets[index], refused);
            } else {
                assert_eq!(result, expected[index], "{index} {wrong}");
                assert_eq!(
                    forged.packets[index], opened.packets[index],
                    "{index} {wrong}"
                );
            }
        }
    }
}

#[test]
fn dropped_key_is_wiped() {
    let mut key = ManuallyDrop::new(Key::new(&[7; 64]));
    assert_eq!(key.0, [7; 64]);
    // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
    unsafe { ManuallyDrop::drop(&mut key) };
    assert_eq!(key.0, [0; 64]);
}

#[test]
fn debug_shows_no_secret() {
    assert_eq!(format!("{:?}", Key::new(&[7; 64])), "Key(..)");
}
