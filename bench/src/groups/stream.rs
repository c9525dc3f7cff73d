// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A message of one gibibyte, which fits in no cache, compared with a pass that only reads it.

use super::bench::{Bench, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::{Iterations, Subject};
use crate::report::json::{Series, Values};
use crate::report::merge::READ_PASS;
use crate::sum::sum;
use std::hint::black_box;
use std::slice;

const LEN_BYTES: usize = 1 << 30;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new(LEN_BYTES, 1);
    let calls = inputs.in_turn(0, LEN_BYTES, 1);
    #[expect(clippy::cast_ptr_alignment, reason = "it is the start of a page")]
    let words = inputs.messages.at(0).cast::<u64>();
    // SAFETY: the memory has `LEN_BYTES` bytes, is page-aligned, and is not written while the words are in use.
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
