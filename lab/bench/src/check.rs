// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Checks the peers' tags against the reference implementation.

use crate::call::Cut;
use crate::groups::measured_cuts;
use crate::json::Verdict;
use crate::memory::Noise;
use crate::peers::{AES_KEY_BYTES, Core, Hornet, InPieces, Peer};
use crate::reference::{CLAMP, aes128, block, clamped, polynomial, prime, tag};
use num_bigint::BigUint;

/// A message, its key, the expected tag, and a description for the report.
pub(crate) struct Input {
    what: String,
    key: [u8; 32],
    msg: Vec<u8>,
    tag: [u8; 16],
}

impl Input {
    fn new(what: impl Into<String>, key: [u8; 32], msg: Vec<u8>) -> Self {
        let tag = tag(&key, &msg);
        let what = what.into();
        Self {
            what,
            key,
            msg,
            tag,
        }
    }
}

impl Input {
    /// Returns a Poly1305-AES key followed by its nonce, the expected tag, and the nonce of the next call.
    fn with_aes(&self) -> ([u8; AES_KEY_BYTES], [u8; 16], [u8; 16]) {
        let number = |bytes: &[u8]| u128::from_le_bytes(*bytes.first_chunk().expect("16 bytes"));
        let (r, s) = self.key.split_at(16);
        let nonce = number(&self.tag) & !1; // any even nonce, so that incrementing it does not carry
        let pad = aes128(&number(s).to_le_bytes(), &nonce.to_le_bytes());
        let polynomial = number(&self.tag).wrapping_sub(number(s));

        let mut key = [0; AES_KEY_BYTES];
        key[..16].copy_from_slice(s);
        key[16..32].copy_from_slice(&(number(r) & CLAMP).to_le_bytes());
        key[32..].copy_from_slice(&nonce.to_le_bytes());
        let tag = polynomial.wrapping_add(number(&pad));
        (key, tag.to_le_bytes(), (nonce + 1).to_le_bytes())
    }
}

/// Ordinary inputs, and edge cases of the field arithmetic.
pub(crate) fn inputs() -> Vec<Input> {
    let mut noise = Noise(1305);
    let mut inputs = Vec::new();

    let lengths = (0..=300).chain([
        511, 512, 513, 767, 1023, 1024, 1025, 1350, 1500, 2047, 2048, 2049, 4096, 4111, 16384,
        65536, 65551, 100_003,
    ]);
    for len_bytes in lengths {
        let mut msg = vec![0; len_bytes];
        noise.fill(&mut msg);
        inputs.push(Input::new(
            format!("{len_bytes} bytes"),
            key(&mut noise),
            msg,
        ));
    }

    // Extreme values of r and s, with messages of all zeros and all ones.
    let halves = [
        ("0", [0; 16]),
        ("1", 1_u128.to_le_bytes()),
        ("4", 4_u128.to_le_bytes()),
        ("all ones", [0xff; 16]),
        ("the highest bit", (1_u128 << 123).to_le_bytes()),
    ];
    for (r_name, r) in halves {
        for (s_name, s) in halves {
            for fill in [0, 0xff] {
                for len_bytes in [
                    0, 1, 15, 16, 17, 31, 32, 48, 64, 127, 128, 240, 256, 257, 512, 1024, 2304,
                    5000,
                ] {
                    let what = format!("r {r_name}, s {s_name}, {len_bytes} bytes of {fill:#04x}");
                    inputs.push(Input::new(what, joined(r, s), vec![fill; len_bytes]));
                }
            }
        }
    }

    // Final values close to 0 and to the prime, and, with s all ones, sums on both sides of 2^128.
    let from_end = |below: u8| prime() - below;
    let values = (0..6_u8).map(BigUint::from).chain((1..6).map(from_end));
    for value in values {
        for blocks in [
            1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 32, 33, 48, 64, 65, 128, 129, 144,
        ] {
            for (s_name, s) in [("0", [0; 16]), ("all ones", [0xff; 16])] {
                for r in [1_u128.to_le_bytes(), random_half(&mut noise)] {
                    if let Some(msg) = ending_in(&value, &clamped(&r), blocks, &mut noise) {
                        let what = format!("{blocks} blocks, polynomial {value:#x}, s {s_name}");
                        inputs.push(Input::new(what, joined(r, s), msg));
                    }
                }
            }
        }
    }
    inputs
}

/// Returns a message of `blocks` blocks whose polynomial has this value, or `None` if none was found.
fn ending_in(value: &BigUint, r: &BigUint, blocks: usize, noise: &mut Noise) -> Option<Vec<u8>> {
    let prime = prime();
    // The factor of the last multiplication by r.
    let sum = value * r.modinv(&prime)? % &prime;
    (0..64).find_map(|_| {
        let mut msg = vec![0; 16 * (blocks - 1)];
        noise.fill(&mut msg);
        // The last block is full: its bytes plus 2^128.
        let so_far = polynomial(r, &msg) + block(&[0; 16]);
        let last = (&sum + &prime + &prime - so_far) % &prime;
        let mut bytes = last.to_bytes_le();
        (bytes.len() <= 16).then(|| {
            bytes.resize(16, 0);
            msg.extend(bytes);
            msg
        })
    })
}

fn key(noise: &mut Noise) -> [u8; 32] {
    joined(random_half(noise), random_half(noise))
}

fn random_half(noise: &mut Noise) -> [u8; 16] {
    let mut half = [0; 16];
    noise.fill(&mut half);
    half
}

fn joined(r: [u8; 16], s: [u8; 16]) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(&r);
    key[16..].copy_from_slice(&s);
    key
}

/// Compares a peer's tags with the expected ones.
pub(crate) fn check(peer: &dyn Peer, inputs: &[Input]) -> Verdict {
    let is_wrong = |input: &&Input| peer.tag(&input.key, &input.msg) != input.tag;
    verdict(
        peer.name().to_owned(),
        inputs,
        inputs.iter().filter(is_wrong),
    )
}

/// The same for Poly1305-AES, with the same r, clamped, and the other half of the key as the AES key.
pub(crate) fn check_aes(peer: &dyn Peer, inputs: &[Input]) -> Verdict {
    let is_wrong = |input: &&Input| {
        let (mut key, expected, next_nonce) = input.with_aes();
        peer.tag_under(&mut key, &input.msg) != expected || key[32..] != next_nonce
    };
    let name = format!("{} with AES", peer.name());
    verdict(name, inputs, inputs.iter().filter(is_wrong))
}

/// The same for messages in pieces. An input counts as wrong if its tag is wrong with any of the cuts.
pub(crate) fn check_in_pieces(name: &str, in_pieces: &InPieces, inputs: &[Input]) -> Verdict {
    // The measured cuts, and some whose pieces end at other positions within a block.
    let cuts: Vec<Cut> = [1, 7, 23, 333]
        .map(Cut::into_pieces_of)
        .into_iter()
        .chain(measured_cuts())
        .collect();
    let is_wrong = |input: &&Input| {
        cuts.iter()
            .any(|cut| in_pieces.tag(&input.key, &input.msg, *cut) != input.tag)
    };
    let name = format!("{name} in pieces");
    verdict(name, inputs, inputs.iter().filter(is_wrong))
}

/// The same for a batch of all inputs.
pub(crate) fn check_batch(hornet: &Core, inputs: &[Input]) -> Verdict {
    let keys = inputs.iter().map(|input| input.key).collect();
    let msgs: Vec<&[u8]> = inputs.iter().map(|input| &input.msg[..]).collect();
    let tags = hornet.tags(keys, &msgs);
    let wrong = inputs
        .iter()
        .zip(tags)
        .filter(|(input, tag)| input.tag != *tag);
    let name = format!("{}, batch", hornet.name());
    verdict(name, inputs, wrong.map(|(input, _)| input))
}

/// Checks each of Hornet's kernels, with single messages, a batch, and messages in pieces. Restores the automatic choice
/// afterwards.
pub(crate) fn check_kernels(hornet: &Hornet, inputs: &[Input]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for kernel in hornet.kernels() {
        if hornet.core.force(Some(&kernel.name)) {
            let name = format!("{}, {}", hornet.name(), kernel.name);
            let in_pieces = check_in_pieces(&name, &hornet.in_pieces, inputs);

            let mut single = check(hornet, inputs);
            let mut batch = check_batch(&hornet.core, inputs);
            batch.peer = format!("{name}, batch");
            single.peer = name;
            verdicts.extend([single, batch, in_pieces]);
        }
    }
    let _ = hornet.core.force(None); // never fails
    verdicts
}

fn verdict<'a>(peer: String, inputs: &[Input], wrong: impl Iterator<Item = &'a Input>) -> Verdict {
    let wrong: Vec<&Input> = wrong.collect();
    Verdict {
        peer,
        inputs: inputs.len(),
        wrong: wrong.len(),
        example: wrong.first().map(|input| input.what.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constructed_messages_end_where_they_should() {
        let mut noise = Noise(0);
        for r in [1_u128.to_le_bytes(), [0xff; 16]] {
            let r = clamped(&r);
            for value in [BigUint::ZERO, prime() - 1_u8] {
                let msg = ending_in(&value, &r, 5, &mut noise).unwrap();
                assert_eq!(msg.len(), 80);
                assert_eq!(polynomial(&r, &msg), value);
            }
        }
    }

    #[test]
    fn poly1305_aes_has_the_same_polynomial() {
        let key: [u8; 32] = std::array::from_fn(|i| u8::try_from(255 - i).unwrap());
        let input = Input::new("an input", key, b"message".to_vec());
        let (with_nonce, expected, next_nonce) = input.with_aes();
        let (k, nonce) = (&with_nonce[..16], &with_nonce[32..]);
        assert_eq!(k, &key[16..]);
        let pad = aes128(k.try_into().unwrap(), nonce.try_into().unwrap());
        let r = with_nonce[16..32].try_into().unwrap();
        assert_eq!(tag(&joined(r, pad), &input.msg), expected);
        assert_ne!(nonce, next_nonce);
    }

    #[test]
    fn nothing_can_be_done_with_r_zero() {
        assert_eq!(
            ending_in(&BigUint::ZERO, &BigUint::ZERO, 5, &mut Noise(0)),
            None
        );
    }
}
