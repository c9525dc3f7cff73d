// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Poly1305-AES, with key and nonce set up in every call: with one key, and with many keys in turn.

use super::bench::{Bench, notes_on_aes, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::measure::Iterations;
use crate::peers::AES_KEY_BYTES;
use crate::report::json::{Series, Values};

const LENGTHS: [usize; 7] = [0, 16, 64, 256, 1024, 4096, 16384];
const MANY: usize = 4096;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let mut inputs = Inputs::with_keys_of(AES_KEY_BYTES, 16384, MANY);
    for key in 0..MANY {
        inputs.clamp(key, 16);
    }
    let mut variant = |name: &str, keys: usize| {
        let mut series = series(Group::Aes, name, "bytes", &LENGTHS, |len_bytes| {
            let calls = inputs.in_turn(0, len_bytes, keys);
            let mut plan = bench.plan(Iterations::MultipleOf(keys));
            if keys == MANY {
                plan.rounds = bench.rounds_divided_by(4); // a sample contains many calls
            }
            bench.measure_calls(&bench.with_aes, &calls, plan)
        });
        series.notes = notes_on_aes(bench);
        series
    };
    let many = format!("{MANY} keys in turn, a fresh nonce in every call");
    vec![
        variant("one key, a fresh nonce in every call", 1),
        variant(&many, MANY),
    ]
}
