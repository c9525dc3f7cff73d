// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Common lengths: throughput, with calls that a CPU may overlap, and latency, with calls that wait for each other.

use super::bench::{Bench, KEYS, series};
use crate::call::Calls;
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::Iterations;
use crate::report::json::{Series, Values};

const LENGTHS: [usize; 19] = [
    0,
    16,
    32,
    64,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    1350,
    1500,
    2048,
    4096,
    16384,
    65536,
    1 << 20,
];

/// From this length on, a sample is only a few calls and takes longer.
const LONG: usize = 65536;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new(1 << 20, KEYS);
    let mut variant = |name: &str, chained: bool| {
        series(Group::Lengths, name, "bytes", &LENGTHS, |len_bytes| {
            let calls = if chained {
                // SAFETY: the inputs outlive the calls, and the key is writable.
                unsafe { Calls::chained(inputs.call(0, len_bytes, 0)) }
            } else {
                inputs.in_turn(0, len_bytes, KEYS)
            };
            let mut plan = bench.plan(Iterations::MultipleOf(1));
            if len_bytes >= LONG {
                plan.rounds = bench.rounds_divided_by(2);
            }
            bench.measure_calls(&bench.peers, &calls, plan)
        })
    };
    vec![variant("throughput", false), variant("latency", true)]
}
