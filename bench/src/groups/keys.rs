//! Many keys in turn, as in a server with many connections, beside one key again and again. (One key for two messages
//! is never safe. Here it is only to see what a peer keeps of it.)

use super::{Bench, Inputs, series};
use crate::measure::Iterations;
use crate::report::json::{Group, Series, Values};

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
