// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Checks the results of sealing and opening by the peers against the reference implementation.

use crate::groups::measured_packets;
use crate::json::Verdict;
use crate::memory::Noise;
use crate::packets::{Direction, NONCE_BYTES, Packet, Packets};
use crate::peers::{Aead, Hornet, Peer};
use crate::reference;
use std::collections::BTreeSet;

/// A packet, and the expected result of sealing it.
pub(crate) struct Input {
    key: [u8; 32],
    nonce: [u8; NONCE_BYTES],
    aad: Vec<u8>,
    msg: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: [u8; 16],
}

impl Input {
    fn new(len_bytes: usize, aad_bytes: usize, noise: &mut Noise) -> Self {
        let (mut key, mut nonce) = ([0; 32], [0; NONCE_BYTES]);
        let (mut aad, mut msg) = (vec![0; aad_bytes], vec![0; len_bytes]);
        let parts: [&mut [u8]; 4] = [&mut key, &mut nonce, &mut aad, &mut msg];
        for part in parts {
            noise.fill(part);
        }
        let (ciphertext, tag) = reference::seal(&key, &nonce, &aad, &msg);
        Self {
            key,
            nonce,
            aad,
            msg,
            ciphertext,
            tag,
        }
    }

    fn what(&self) -> String {
        let (len_bytes, aad_bytes) = (self.msg.len(), self.aad.len());
        format!("{len_bytes} bytes, {aad_bytes} of associated data")
    }

    fn packet(&self, input: &[u8], out: &mut [u8], tag: &mut [u8; 16]) -> Packet {
        Packet {
            out: out.as_mut_ptr(),
            input: input.as_ptr(),
            len_bytes: input.len(),
            aad: self.aad.as_ptr(),
            aad_bytes: self.aad.len(),
            nonce: self.nonce.as_ptr(),
            key: self.key.as_ptr(),
            tag: tag.as_mut_ptr(),
        }
    }

    /// Whether `run` seals and opens the packet correctly, and refuses a forged one.
    fn is_right(&self, run: impl Fn(Direction, &Packets) -> bool) -> bool {
        // These values remain if the peer fails silently.
        let (mut out, mut tag) = (vec![0x5a; self.msg.len()], *b"nothing written!");
        let mut run_on = |direction, input: &[u8], tag: &mut [u8; 16]| {
            out.fill(0x5a);
            let packet = self.packet(input, &mut out, tag);
            // SAFETY: all of them outlive the call.
            let done = run(direction, &unsafe { Packets::new(vec![packet]) });
            (done, out.clone())
        };
        let sealed = run_on(Direction::Seal, &self.msg, &mut tag);
        let is_sealed = sealed == (true, self.ciphertext.clone()) && tag == self.tag;
        let opened = run_on(Direction::Open, &self.ciphertext, &mut tag);
        tag[self.msg.len() % 16] ^= 1;
        let forged = run_on(Direction::Open, &self.ciphertext, &mut tag);
        is_sealed && opened == (true, self.msg.clone()) && !forged.0
    }
}

/// All measured packets, and many others.
pub(crate) fn inputs() -> Vec<Input> {
    let short = (0..=300).map(|len_bytes| {
        (
            len_bytes,
            [0, 16, 5, 13, 17, 63, 64, 65, 100][len_bytes % 9],
        )
    });
    // Every length modulo 64, and the lengths around which a peer may switch its code path.
    let longer = (301..4200).step_by(37).map(|len_bytes| (len_bytes, 16));
    let others = [
        447, 449, 511, 513, 959, 961, 1023, 1025, 2047, 2049, 4095, 4097, 16383, 65537,
    ];
    let others = others.map(|len_bytes| (len_bytes, 13));
    let all = short.chain(longer).chain(others).chain(measured_packets());
    let all: BTreeSet<(usize, usize)> = all.collect();
    let mut noise = Noise(8439);
    all.into_iter()
        .map(|(len_bytes, aad_bytes)| Input::new(len_bytes, aad_bytes, &mut noise))
        .collect()
}

/// Compares the results of a peer with the expected ones.
pub(crate) fn check(peer: &Aead, inputs: &[Input]) -> Verdict {
    let is_right = |input: &Input| {
        peer.set_key(&input.key);
        input.is_right(|direction, packets| peer.run(direction, packets, 1))
    };
    verdict(peer.full_name(), inputs, is_right)
}

/// The same for batches: one of a power of two of the inputs, and one of a single packet.
fn check_batches(peer: &Aead, inputs: &[Input]) -> Verdict {
    let count = 1 << inputs.len().ilog2();
    let mut outs: Vec<Vec<u8>> = inputs[..count]
        .iter()
        .map(|input| vec![0; input.msg.len()])
        .collect();
    let mut tags = vec![[0; 16]; count];
    let all = inputs.iter().zip(&mut outs).zip(&mut tags);
    let packets = all.map(|((input, out), tag)| input.packet(&input.msg, out, tag));
    // SAFETY: all of them outlive the call.
    let sealed = peer.run_batch(Direction::Seal, &unsafe { Packets::new(packets.collect()) });
    let sealed_right: Vec<bool> = inputs
        .iter()
        .zip(&outs)
        .zip(&tags)
        .map(|((input, out), tag)| sealed && (out, tag) == (&input.ciphertext, &input.tag))
        .collect();

    let all = inputs.iter().zip(&mut outs).zip(&mut tags);
    let packets = all.map(|((input, out), tag)| input.packet(&input.ciphertext, out, tag));
    // SAFETY: as above.
    let opened = peer.run_batch(Direction::Open, &unsafe { Packets::new(packets.collect()) });
    let opened_right = inputs
        .iter()
        .zip(&outs)
        .map(|(input, out)| opened && *out == input.msg);
    let mut in_batch = sealed_right
        .into_iter()
        .zip(opened_right)
        .map(|(a, b)| a && b);

    verdict(format!("{}, batch", peer.full_name()), inputs, |input| {
        in_batch.next().unwrap_or(true)
            && input.is_right(|direction, packets| peer.run_batch(direction, packets))
    })
}

/// Checks each of Hornet's ChaCha20 kernels with each of its Poly1305 kernels, with single packets and batches. Only
/// pairs with wrong tags have their own verdicts, because there are many pairs. Restores the automatic choice
/// afterwards.
pub(crate) fn check_kernels(hornet: &Hornet, peer: &Aead, inputs: &[Input]) -> Vec<Verdict> {
    let mut verdicts = vec![check(peer, inputs), check_batches(peer, inputs)];
    for chacha20 in hornet.chacha20_kernels() {
        let mut wrong = Vec::new();
        for poly1305 in hornet.kernels() {
            if !(hornet.force_chacha20(Some(&chacha20)) && hornet.core.force(Some(&poly1305.name)))
            {
                continue;
            }
            let pair = [check(peer, inputs), check_batches(peer, inputs)];
            for mut verdict in pair.into_iter().filter(|verdict| verdict.wrong > 0) {
                verdict.peer = format!("{}, {chacha20} with {}", verdict.peer, poly1305.name);
                wrong.push(verdict);
            }
        }
        if wrong.is_empty() {
            let peer = format!(
                "{}, {chacha20} with each of Poly1305's kernels",
                hornet.name()
            );
            wrong.push(verdict(peer, inputs, |_| true));
        }
        verdicts.extend(wrong);
    }
    // These calls never fail.
    let _ = hornet.core.force(None) && hornet.force_chacha20(None);
    verdicts
}

fn verdict(peer: String, inputs: &[Input], mut is_right: impl FnMut(&Input) -> bool) -> Verdict {
    let wrong: Vec<&Input> = inputs.iter().filter(|input| !is_right(input)).collect();
    Verdict {
        peer,
        inputs: inputs.len(),
        wrong: wrong.len(),
        example: wrong.first().map(|input| input.what()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_noticed() {
        let input = Input::new(20, 3, &mut Noise(1));
        let run = |seals: bool, opens: bool, refuses: bool| {
            input.is_right(|direction, packets| {
                let packet = packets.as_slice()[0];
                // SAFETY: the packet is valid.
                let (out, tag) = unsafe {
                    let out = std::slice::from_raw_parts_mut(packet.out, packet.len_bytes);
                    (out, &mut *packet.tag.cast::<[u8; 16]>())
                };
                match direction {
                    Direction::Seal => {
                        out.copy_from_slice(&input.ciphertext);
                        *tag = input.tag;
                        out[19] ^= u8::from(!seals);
                        true
                    }
                    Direction::Open => {
                        out.copy_from_slice(&input.msg);
                        out[0] ^= u8::from(!opens);
                        *tag == input.tag || !refuses
                    }
                }
            })
        };
        assert!(run(true, true, true));
        assert!(!run(false, true, true));
        assert!(!run(true, false, true));
        assert!(!run(true, true, false));
    }
}
