// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Every length up to 2304, which shows where a library has a step or is slow.

use super::bench::{Bench, KEYS, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::Iterations;
use crate::report::json::{Series, Values};

const LONGEST: usize = 2304;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new(LONGEST, KEYS);
    let lengths: Vec<usize> = (0..=LONGEST).collect();
    let peers = bench.fast_peers();
    vec![series(
        Group::Sweep,
        "throughput",
        "bytes",
        &lengths,
        |len_bytes| {
            let calls = inputs.in_turn(0, len_bytes, KEYS);
            let mut plan = bench.plan(Iterations::MultipleOf(1));
            plan.rounds = bench.rounds_divided_by(2);
            bench.measure_calls(&peers, &calls, plan)
        },
    )]
}
