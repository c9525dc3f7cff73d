// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Replaces one segment of a long message. Computes the new tag, under a new nonce, from the partial evaluations of the
//! segments, and compares this with computing it from the whole message.

use super::bench::{Bench, Row, notes_on_aes, series};
use crate::group::Group;
use crate::json::Series;
use crate::measure::{Iterations, Plan, Subject};
use crate::memory::{Memory, Noise};
use crate::peers::{Hornet, Partial, Peer};
use crate::reference::CLAMP;
use std::hint::black_box;
use std::slice;

const SEGMENT_BYTES: usize = 4096;

pub(super) fn run(bench: &Bench) -> Vec<Series> {
    let len_bytes = if bench.small { 4 << 20 } else { 1 << 30 };
    let mut memory = Memory::new(len_bytes);
    // SAFETY: the memory has `len_bytes` bytes, and nothing else refers to them.
    let message = unsafe { slice::from_raw_parts_mut(memory.at(0), len_bytes) };
    let last = len_bytes / SEGMENT_BYTES - 1;

    let key = key();
    let mut edited: Vec<Edited> = bench
        .hornets
        .iter()
        .map(|hornet| Edited::new(hornet, key, message))
        .collect();

    let places = [0, last / 2, last];
    let mut variant = |how: &str, iterations: Iterations| {
        let name = format!(
            "{} MiB in segments of {} KiB, {how}",
            len_bytes >> 20,
            SEGMENT_BYTES >> 10
        );
        let mut series = series(Group::Edit, &name, "segment", &places, |segment| {
            for edited in &mut edited {
                edited.check(message, segment);
            }
            let mut plan = bench.plan(1, 4);
            plan.iterations = iterations;
            let row = measure(bench, &mut edited, message, segment, plan);
            for edited in &mut edited {
                edited.replace(segment, 0); // as in the message
            }
            row
        });
        series.notes = notes_on_aes(bench);
        series
    };
    vec![
        variant("one edit after another", Iterations::MultipleOf(1)),
        variant("one edit after passes over all", Iterations::Exactly(1)),
    ]
}

/// Measures edits, and computations over the whole message, which evict everything else from the caches.
fn measure(
    bench: &Bench,
    edited: &mut [Edited],
    message: &[u8],
    segment: usize,
    plan: Plan,
) -> Row {
    let whole: Vec<Subject> = edited
        .iter()
        .map(|edited| {
            let (hornet, key) = (edited.hornet, edited.key);
            let name = format!("{}, whole message", hornet.name());
            Subject::new(&name, move |iterations| {
                for _ in 0..iterations {
                    black_box(hornet.aes(message, &[0; 16], &key));
                }
            })
        })
        .collect();
    let edits = edited.iter_mut().map(|edited| {
        Subject::new(edited.hornet.name(), move |iterations| {
            for i in 0..iterations {
                black_box(edited.replace(segment, i % 2));
            }
        })
    });
    bench.measure(edits.chain(whole).collect(), plan)
}

/// Returns a key with any k and a clamped r.
fn key() -> [u8; 32] {
    let mut key = [0; 32];
    Noise(1).fill(&mut key);
    let (_, r) = key.split_last_chunk_mut().expect("a key is longer");
    *r = (u128::from_le_bytes(*r) & CLAMP).to_le_bytes();
    key
}

/// A message as the partial evaluations of its segments.
struct Edited<'a> {
    hornet: &'a Hornet,
    key: [u8; 32],
    r: [u8; 16],
    partials: Vec<Partial>,
    whole: Partial,
    /// The new contents of segments.
    replacements: [Vec<u8>; 2],
    /// The number of edits, which also gives the nonces.
    edits: u128,
}

impl<'a> Edited<'a> {
    fn new(hornet: &'a Hornet, key: [u8; 32], message: &[u8]) -> Self {
        let r = *key.last_chunk().expect("a key is longer");
        let partials: Vec<Partial> = message
            .chunks(SEGMENT_BYTES)
            .map(|segment| hornet.partial(segment, &r))
            .collect();
        let mut whole = Partial::default();
        for partial in &partials {
            hornet.append(&mut whole, partial, &r);
        }
        let replacements = [2, 3].map(|seed| {
            let mut bytes = vec![0; SEGMENT_BYTES];
            Noise(seed).fill(&mut bytes);
            bytes
        });
        Self {
            hornet,
            key,
            r,
            partials,
            whole,
            replacements,
            edits: 0,
        }
    }

    /// Replaces a segment by one of the replacements, and computes the new tag. This is what is timed.
    fn replace(&mut self, segment: usize, which: usize) -> [u8; 16] {
        self.edits += 1;
        let replacement = self.hornet.partial(&self.replacements[which], &self.r);
        let bytes_after = (self.partials.len() - 1 - segment) * SEGMENT_BYTES;
        let replaced = &mut self.partials[segment];
        self.hornet.replace(
            &mut self.whole,
            replaced,
            &replacement,
            bytes_after,
            &self.r,
        );
        *replaced = replacement;
        let pad = self.hornet.aes(&[], &self.nonce(), &self.key);
        self.hornet.partial_tag(&self.whole, &pad)
    }

    fn nonce(&self) -> [u8; 16] {
        self.edits.to_le_bytes()
    }

    /// Replaces a segment, also in the message, and compares the tags with those computed from the whole message.
    fn check(&mut self, message: &mut [u8], segment: usize) {
        for which in [1, 0] {
            let tag = self.replace(segment, which);
            let start = segment * SEGMENT_BYTES;
            message[start..start + SEGMENT_BYTES].copy_from_slice(&self.replacements[which]);
            let expected = self.hornet.aes(message, &self.nonce(), &self.key);
            assert_eq!(
                tag,
                expected,
                "{}: the tag after an edit",
                self.hornet.name()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Peers;

    #[test]
    fn tags_after_edits_are_those_of_the_whole_message() {
        let peers = Peers::load();
        for hornet in &peers.hornets {
            let mut message = vec![7; 5 * SEGMENT_BYTES];
            let mut edited = Edited::new(hornet, key(), &message);
            for segment in [0, 2, 4, 2, 0, 1] {
                edited.check(&mut message, segment);
            }
        }
    }
}
