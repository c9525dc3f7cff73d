//! One gibibyte that no cache holds, beside a pass that only reads it: how near a peer is to the memory's speed.

use super::{Bench, Inputs, series};
use crate::measure::{Iterations, Subject};
use crate::report::json::{Group, Series, Values};
use crate::report::merge::READ_PASS;
use std::hint::black_box;
use std::slice;

const LEN_BYTES: usize = 1 << 30;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new(LEN_BYTES, 1);
    let calls = inputs.in_turn(0, LEN_BYTES, 1);
    #[expect(clippy::cast_ptr_alignment, reason = "it is the start of a page")]
    let words = inputs.messages.at(0).cast::<u64>();
    // SAFETY: so many bytes are there, at a multiple of a page, and nobody writes them as long as the words are used.
    let words = unsafe { slice::from_raw_parts(words, LEN_BYTES / 8) };

    vec![series(
        Group::Stream,
        "from memory",
        "bytes",
        &[LEN_BYTES],
        |_| {
            let peers = bench.fast_peers();
            let macs = peers
                .iter()
                .map(|peer| Subject::new(peer.name(), |iterations| peer.run(&calls, iterations)));
            let read = Subject::new(READ_PASS, |iterations| {
                for _ in 0..iterations {
                    black_box(sum(black_box(words)));
                }
            });
            let mut plan = bench.plan(Iterations::Exactly(1));
            plan.rounds = 3;
            bench.measure(macs.chain([read]).collect(), plan)
        },
    )]
}

/// How many words are added side by side: eight vectors of the widest kind, more than a core has additions in flight.
const SIDE_BY_SIDE: usize = 64;

/// As fast as this CPU reads: the compiler makes vectors of it.
fn sum(words: &[u64]) -> u64 {
    let mut sums = [0_u64; SIDE_BY_SIDE];
    let mut chunks = words.chunks_exact(SIDE_BY_SIDE);
    for chunk in &mut chunks {
        for (sum, word) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(*word);
        }
    }
    sums.iter()
        .chain(chunks.remainder())
        .fold(0, |sum, word| sum.wrapping_add(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_counts() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let words: Vec<u64> = (1..=len).collect();
            assert_eq!(sum(&words), len * (len + 1) / 2);
        }
    }
}
