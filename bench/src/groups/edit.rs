//! A long message of which one segment is exchanged: the new tag, under a new nonce, from the parts of the segments,
//! beside the same tag computed anew.

use super::{Bench, Row, notes_on_aes, series};
use crate::measure::{Iterations, Plan, Subject};
use crate::memory::{Memory, Noise};
use crate::peers::{Hornet, Part, Peer};
use crate::reference::CLAMP;
use crate::report::json::{Group, Series, Values};
use std::hint::black_box;
use std::slice;

const SEGMENT_BYTES: usize = 4096;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let len_bytes = if bench.small { 4 << 20 } else { 1 << 30 };
    let mut memory = Memory::new(len_bytes);
    // SAFETY: so many bytes are there, and nobody else uses them.
    let message = unsafe { slice::from_raw_parts_mut(memory.at(0), len_bytes) };
    let last = len_bytes / SEGMENT_BYTES - 1;

    let hornets: Vec<&Hornet> = bench
        .peers
        .iter()
        .filter_map(|peer| peer.as_hornet())
        .collect();
    let key = key();
    let mut edited: Vec<Edited> = hornets
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
            let mut plan = bench.plan(iterations);
            plan.rounds = bench.rounds_divided_by(4);
            let row = measure(bench, &mut edited, message, segment, plan);
            for edited in &mut edited {
                edited.exchange(segment, 0); // as the message has it
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

/// Edits; and passes over all, which leave nothing of the others in the caches.
fn measure(
    bench: &Bench,
    edited: &mut [Edited],
    message: &[u8],
    segment: usize,
    plan: Plan,
) -> Row {
    let anew: Vec<Subject> = edited
        .iter()
        .map(|edited| {
            let (hornet, key) = (edited.hornet, edited.key);
            let name = format!("{}, all anew", hornet.name());
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
                black_box(edited.exchange(segment, i % 2));
            }
        })
    });
    bench.measure(edits.chain(anew).collect(), plan)
}

/// Any k, and an r that is permitted.
fn key() -> [u8; 32] {
    let mut key = [0; 32];
    Noise(1).fill(&mut key);
    let (_, r) = key.split_last_chunk_mut().expect("a key is longer");
    *r = (u128::from_le_bytes(*r) & CLAMP).to_le_bytes();
    key
}

/// A message, as its parts.
struct Edited<'a> {
    hornet: &'a Hornet,
    key: [u8; 32],
    r: [u8; 16],
    parts: Vec<Part>,
    whole: Part,
    /// What segments are exchanged for.
    contents: [Vec<u8>; 2],
    /// Counts the nonces.
    edits: u128,
}

impl<'a> Edited<'a> {
    fn new(hornet: &'a Hornet, key: [u8; 32], message: &[u8]) -> Self {
        let r = *key.last_chunk().expect("a key is longer");
        let parts: Vec<Part> = message
            .chunks(SEGMENT_BYTES)
            .map(|segment| hornet.part(segment, &r))
            .collect();
        let mut whole = Part::default();
        for part in &parts {
            hornet.append(&mut whole, part, &r);
        }
        let contents = [2, 3].map(|seed| {
            let mut content = vec![0; SEGMENT_BYTES];
            Noise(seed).fill(&mut content);
            content
        });
        Self {
            hornet,
            key,
            r,
            parts,
            whole,
            contents,
            edits: 0,
        }
    }

    /// Exchanges a segment for one of the contents: what is timed.
    fn exchange(&mut self, segment: usize, content: usize) -> [u8; 16] {
        self.edits += 1;
        let after = self.hornet.part(&self.contents[content], &self.r);
        let behind = (self.parts.len() - 1 - segment) * SEGMENT_BYTES;
        let before = &mut self.parts[segment];
        self.hornet
            .replace(&mut self.whole, before, &after, behind, &self.r);
        *before = after;
        let pad = self.hornet.aes(&[], &self.nonce(), &self.key);
        self.hornet.part_tag(&self.whole, &pad)
    }

    fn nonce(&self) -> [u8; 16] {
        self.edits.to_le_bytes()
    }

    /// Exchanges a segment, in the message too, and compares the tags with those of the whole message.
    fn check(&mut self, message: &mut [u8], segment: usize) {
        for content in [1, 0] {
            let tag = self.exchange(segment, content);
            let start = segment * SEGMENT_BYTES;
            message[start..start + SEGMENT_BYTES].copy_from_slice(&self.contents[content]);
            let anew = self.hornet.aes(message, &self.nonce(), &self.key);
            assert_eq!(tag, anew, "{}: the tag after an edit", self.hornet.name());
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
        for hornet in peers.hornets() {
            let mut message = vec![7; 5 * SEGMENT_BYTES];
            let mut edited = Edited::new(hornet, key(), &message);
            for segment in [0, 2, 4, 2, 0, 1] {
                edited.check(&mut message, segment);
            }
        }
    }
}
