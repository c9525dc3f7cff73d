// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages that are not aligned.

use super::bench::{Bench, KEYS, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::Iterations;
use crate::report::json::{Series, Values};

const LENGTHS: [usize; 3] = [64, 1350, 16384];

/// Offsets from the start of a cache line.
const OFFSETS: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 63];

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new((16 << 10) + 64, KEYS);
    let peers = bench.fast_peers();
    let mut variant = |len_bytes: usize| {
        let name = format!("{len_bytes} bytes");
        series(Group::Unaligned, &name, "offset", &OFFSETS, |offset| {
            let calls = inputs.in_turn(offset, len_bytes, KEYS);
            let mut plan = bench.plan(Iterations::MultipleOf(1));
            plan.rounds = bench.rounds_divided_by(2);
            bench.measure_calls(&peers, &calls, plan)
        })
    };
    LENGTHS.map(&mut variant).into()
}
