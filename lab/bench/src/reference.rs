// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The reference implementation: Poly1305 with big integers, and ChaCha20 word by word, as in RFC 8439. It is slow,
//! short, and independent of the peers.

use crate::packets::NONCE_BYTES;
use num_bigint::BigUint;
use std::mem::MaybeUninit;

/// Returns 2^130 - 5.
pub(crate) fn prime() -> BigUint {
    (BigUint::from(1_u8) << 130) - 5_u8
}

/// The bits of r that clamping keeps.
pub(crate) const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

/// Returns r, the first half of the key, clamped.
pub(crate) fn clamped(r: &[u8; 16]) -> BigUint {
    BigUint::from(u128::from_le_bytes(*r) & CLAMP)
}

/// Converts a block of at most 16 bytes to a number, with a 1 appended.
pub(crate) fn block(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes) + (BigUint::from(1_u8) << (8 * bytes.len()))
}

/// Returns the value of the polynomial for a message, reduced.
pub(crate) fn polynomial(r: &BigUint, msg: &[u8]) -> BigUint {
    let prime = prime();
    msg.chunks(16)
        .fold(BigUint::ZERO, |h, bytes| (h + block(bytes)) * r % &prime)
}

/// Computes the tag of a message.
pub(crate) fn tag(key: &[u8; 32], msg: &[u8]) -> [u8; 16] {
    let (r, s) = key.split_first_chunk().expect("a key is longer");
    let sum = polynomial(&clamped(r), msg) + BigUint::from_bytes_le(s);
    let mut bytes = sum.to_bytes_le();
    bytes.resize(17, 0);
    *bytes.first_chunk().expect("is longer")
}

/// Returns block `counter` of ChaCha20's keystream (section 2.3).
fn chacha20_block(key: &[u8; 32], counter: u32, nonce: &[u8; NONCE_BYTES]) -> [u8; 64] {
    let mut bytes = b"expand 32-byte k".to_vec();
    bytes.extend(key);
    bytes.extend(counter.to_le_bytes());
    bytes.extend(nonce);
    let word = |i: usize| {
        let bytes = bytes[4 * i..].first_chunk().expect("there are 16 words");
        u32::from_le_bytes(*bytes)
    };
    let start: [u32; 16] = std::array::from_fn(word);
    let mut x = start;
    for _ in 0..10 {
        for i in 0..4 {
            quarter_round(&mut x, [i, 4 + i, 8 + i, 12 + i]);
        }
        for i in 0..4 {
            let around = |row: usize| 4 * row + (i + row) % 4;
            quarter_round(&mut x, [i, around(1), around(2), around(3)]);
        }
    }
    let mut block = [0; 64];
    for (bytes, (x, start)) in block.chunks_exact_mut(4).zip(x.iter().zip(start)) {
        bytes.copy_from_slice(&x.wrapping_add(start).to_le_bytes());
    }
    block
}

/// Applies a quarter round (section 2.1) to the words at these indexes: a, b, c, d.
fn quarter_round(x: &mut [u32; 16], at: [usize; 4]) {
    for (to, from, with, bits) in [(0, 1, 3, 16), (2, 3, 1, 12), (0, 1, 3, 8), (2, 3, 1, 7)] {
        let [to, from, with] = [to, from, with].map(|i: usize| at[i]);
        x[to] = x[to].wrapping_add(x[from]);
        x[with] = (x[with] ^ x[to]).rotate_left(bits);
    }
}

/// Returns the ciphertext and the tag of ChaCha20-Poly1305 (section 2.8).
pub(crate) fn seal(
    key: &[u8; 32],
    nonce: &[u8; NONCE_BYTES],
    aad: &[u8],
    msg: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let mut ciphertext = msg.to_vec();
    for (counter, bytes) in (1..).zip(ciphertext.chunks_mut(64)) {
        let stream = chacha20_block(key, counter, nonce);
        bytes
            .iter_mut()
            .zip(stream)
            .for_each(|(to, byte)| *to ^= byte);
    }
    let mut authenticated = Vec::new();
    for part in [aad, &ciphertext] {
        authenticated.extend(part);
        authenticated.resize(authenticated.len().next_multiple_of(16), 0);
    }
    for part in [aad, &ciphertext] {
        authenticated.extend((part.len() as u64).to_le_bytes());
    }
    let block = chacha20_block(key, 0, nonce);
    let mac_key = block.first_chunk().expect("a block is longer");
    let tag = tag(mac_key, &authenticated);
    (ciphertext, tag)
}

/// Encrypts one block with AES-128. Uses AWS-LC, which has no Poly1305-AES and is therefore not measured in that group.
pub(crate) fn aes128(key: &[u8; 16], block: &[u8; 16]) -> [u8; 16] {
    let mut round_keys = MaybeUninit::uninit();
    let mut out = [0; 16];
    // SAFETY: the functions read 16 bytes of the key and of the block, and write 16. Setting the round keys cannot fail
    // with a key of this length.
    unsafe {
        aws_lc_sys::AES_set_encrypt_key(key.as_ptr(), 128, round_keys.as_mut_ptr());
        aws_lc_sys::AES_encrypt(block.as_ptr(), out.as_mut_ptr(), round_keys.as_ptr());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439, section 2.5.2.
    #[test]
    fn the_example() {
        let key = [
            0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5,
            0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf,
            0x41, 0x49, 0xf5, 0x1b,
        ];
        let expected = [
            0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6, 0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01,
            0x27, 0xa9,
        ];
        assert_eq!(tag(&key, b"Cryptographic Forum Research Group"), expected);
    }

    #[test]
    fn the_tag_of_nothing_is_s() {
        let key = std::array::from_fn(|i| u8::try_from(i).unwrap());
        assert_eq!(tag(&key, b""), key[16..]);
    }

    /// RFC 8439, section 2.8.2.
    #[test]
    fn the_example_of_chacha20_poly1305() {
        let key = std::array::from_fn(|i| 0x80 + u8::try_from(i).unwrap());
        let nonce = *b"\x07\0\0\0@ABCDEFG";
        let aad = 0x5051_5253_c0c1_c2c3_c4c5_c6c7_u128.to_be_bytes();
        let msg = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
            sunscreen would be it.";
        let (ciphertext, tag) = seal(&key, &nonce, &aad[4..], msg);
        assert_eq!(ciphertext.len(), msg.len());
        assert_eq!(ciphertext[..4], [0xd3, 0x1a, 0x8d, 0x34]);
        assert_eq!(ciphertext[112..], [0x61, 0x16]);
        let expected = 0x1ae1_0b59_4f09_e26a_7e90_2ecb_d060_0691_u128.to_be_bytes();
        assert_eq!(tag, expected);
    }

    /// FIPS 197, appendix C.1.
    #[test]
    fn the_example_of_aes() {
        let key = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
        let block = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
        let expected = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
        assert_eq!(aes128(&key, &block), expected);
    }
}
