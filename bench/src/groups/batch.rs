//! Many messages at once: Hornet's batches beside one call for each message. All times are for one message.

use super::{Bench, Inputs, series};
use crate::call::Calls;
use crate::measure::{Iterations, Subject};
use crate::memory::Noise;
use crate::peers::{BatchCalls, Hornet, Peer};
use crate::report::json::{Group, Series, Values};

const MESSAGES: usize = 64;
const LENGTHS: [usize; 5] = [16, 64, 128, 256, 1350];
const LONGEST: usize = 1500;

pub(super) fn run(bench: &Bench) -> Vec<Series<Values>> {
    let name = format!("{MESSAGES} messages");
    let equal = series(Group::Batch, &name, "bytes", &LENGTHS, |len_bytes| {
        measure(bench, &[len_bytes; MESSAGES])
    });

    let mut noise = Noise(64);
    let random: [usize; MESSAGES] = std::array::from_fn(|_| noise.below(LONGEST + 1));
    let total: usize = random.iter().sum();
    // The mean, and for some of them one byte more.
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

fn measure(bench: &Bench, lens_bytes: &[usize; MESSAGES]) -> super::Row {
    let mut inputs = Inputs::new(lens_bytes.iter().sum(), MESSAGES);
    let mut offset = 0;
    let calls = lens_bytes.iter().enumerate().map(|(i, &len_bytes)| {
        let call = inputs.call(offset, len_bytes, i);
        offset += len_bytes;
        call
    });
    // SAFETY: the inputs outlive the calls.
    let calls = unsafe { Calls::new(calls.collect()) };

    let peers = bench.fast_peers();
    let hornets = peers.iter().filter_map(|peer| peer.as_hornet());
    let batches = hornets.map(|hornet| batch_subject(hornet, &calls));
    let singles = peers
        .iter()
        .map(|peer| Subject::new(peer.name(), |iterations| peer.run(&calls, iterations)));
    let plan = bench.plan(Iterations::MultipleOf(MESSAGES));
    bench.measure(batches.chain(singles).collect(), plan)
}

fn batch_subject<'a>(hornet: &'a Hornet, calls: &Calls) -> Subject<'a> {
    let mut batch = BatchCalls::new(calls);
    Subject::new(&format!("{} batch", hornet.name()), move |iterations| {
        for _ in 0..iterations / MESSAGES {
            hornet.run_batch(&mut batch);
        }
    })
}
