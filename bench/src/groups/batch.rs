// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Hornet's batches, compared with one call per message. All times are per message.

use super::bench::{Bench, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::json::Series;
use crate::measure::Subject;
use crate::memory::Noise;
use crate::peers::{BatchCalls, Peer};

const MESSAGES: usize = 64;
const LENGTHS: [usize; 5] = [16, 64, 128, 256, 1350];
const LONGEST: usize = 1500;

pub(super) fn run(bench: &Bench) -> Vec<Series> {
    let name = format!("{MESSAGES} messages");
    let equal = series(Group::Batch, &name, "bytes", &LENGTHS, |len_bytes| {
        measure(bench, &[len_bytes; MESSAGES])
    });

    let mut noise = Noise(64);
    let random: [usize; MESSAGES] = std::array::from_fn(|_| noise.below(LONGEST + 1));
    let total: usize = random.iter().sum();
    // The mean, rounded up for some messages so that the sum is the same.
    let same_total = std::array::from_fn(|i| (total + i) / MESSAGES);
    debug_assert_eq!(total, same_total.iter().sum::<usize>());
    let mean = [total / MESSAGES];
    let name = format!("{MESSAGES} messages of 0 to {LONGEST} bytes at random");
    let random = series(Group::Batch, &name, "bytes on average", &mean, |_| {
        measure(bench, &random)
    });
    let name = format!("{MESSAGES} messages of one length with the same sum");
    let flat = series(Group::Batch, &name, "bytes on average", &mean, |_| {
        measure(bench, &same_total)
    });
    vec![equal, random, flat]
}

fn measure(bench: &Bench, lens_bytes: &[usize; MESSAGES]) -> super::bench::Row {
    let mut inputs = Inputs::new(lens_bytes.iter().sum(), MESSAGES);
    let calls = inputs.side_by_side(lens_bytes);

    let peers = bench.fast_peers();
    let batch = BatchCalls::shared(&calls);
    let batches = bench.hornets.iter().map(|hornet| {
        let name = format!("{} batch", hornet.name());
        Subject::new(&name, |iterations| {
            hornet.core.run_batches(&batch, iterations);
        })
    });
    let singles = peers
        .iter()
        .map(|peer| Subject::new(peer.name(), |iterations| peer.run(&calls, iterations)));
    let plan = bench.plan(MESSAGES, 1);
    bench.measure(batches.chain(singles).collect(), plan)
}
