// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many keys in turn, as in a server with many connections, compared with one key for all calls. (Two messages under
//! one key are never safe; here, it shows whether a peer caches anything per key.)

use super::bench::{Bench, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::Iterations;
use crate::report::json::{Series, Values};

const LEN_BYTES: usize = 64;
const NUMBERS: [usize; 2] = [1, 4096];

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::new(LEN_BYTES, 4096);
    let variant = format!("{LEN_BYTES} bytes");
    vec![series(Group::Keys, &variant, "keys", &NUMBERS, |keys| {
        let calls = inputs.in_turn(0, LEN_BYTES, keys);
        let plan = bench.plan(Iterations::MultipleOf(keys));
        bench.measure_calls(&bench.peers, &calls, plan)
    })]
}
