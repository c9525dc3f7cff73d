// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Hornet's batches of messages and of packets, compared with one call for each. All times are per message.

use super::aead::AAD_BYTES;
use super::bench::{Bench, Row, series};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::json::Series;
use crate::measure::Subject;
use crate::memory::Noise;
use crate::packets::{Direction, PacketMemory};
use crate::peers::{BatchCalls, Peer};

const LONGEST: usize = 1500;

pub(super) fn messages(bench: &Bench) -> Vec<Series> {
    let measure = |lens_bytes: &[usize]| measure_messages(bench, lens_bytes);
    of_all_lengths(
        Group::Batch,
        "messages",
        64,
        &[16, 64, 128, 256, 1350],
        measure,
    )
}

pub(super) fn packets(bench: &Bench) -> Vec<Series> {
    let of = |count: usize| {
        let measure = |lens_bytes: &[usize]| measure_packets(bench, lens_bytes);
        of_all_lengths(
            Group::AeadBatch,
            "packets",
            count,
            &[64, 256, 1350],
            measure,
        )
    };
    [8, 32, 64].into_iter().flat_map(of).collect()
}

/// Measures batches of equal lengths, of random ones, and of one length with the same sum as these.
fn of_all_lengths(
    group: Group,
    what: &str,
    count: usize,
    lengths: &[usize],
    measure: impl Fn(&[usize]) -> Row,
) -> Vec<Series> {
    let name = format!("{count} {what}");
    let equal = series(group, &name, "bytes", lengths, |len_bytes| {
        measure(&vec![len_bytes; count])
    });
    let mut noise = Noise(64);
    let random: Vec<usize> = (0..count).map(|_| noise.below(LONGEST + 1)).collect();
    let total: usize = random.iter().sum();
    // The mean, rounded up for some so that the sum is the same.
    let same_total: Vec<usize> = (0..count).map(|i| (total + i) / count).collect();
    let of_mean = |how: &str, lens_bytes: &[usize]| {
        let row = |_| measure(lens_bytes);
        let name = format!("{name} of {how}");
        series(group, &name, "bytes on average", &[total / count], row)
    };
    let random = of_mean(&format!("0 to {LONGEST} bytes at random"), &random);
    let flat = of_mean("one length with the same sum", &same_total);
    vec![equal, random, flat]
}

fn measure_messages(bench: &Bench, lens_bytes: &[usize]) -> Row {
    let count = lens_bytes.len();
    let mut inputs = Inputs::new(lens_bytes.iter().sum(), count);
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
    bench.measure(batches.chain(singles).collect(), bench.plan(count, 1))
}

fn measure_packets(bench: &Bench, lens_bytes: &[usize]) -> Row {
    let count = lens_bytes.len();
    let mut memory = PacketMemory::new(lens_bytes.iter().sum(), AAD_BYTES, count);
    let packets = &memory.side_by_side(lens_bytes, AAD_BYTES);
    let fast = || bench.aead.iter().filter(|peer| peer.is_fast());
    for peer in fast() {
        peer.set_key(memory.key());
    }
    let batches = fast().filter(|peer| peer.has_batches()).map(|peer| {
        let name = format!("{} batch", peer.name());
        Subject::new(&name, move |iterations| {
            for _ in 0..iterations / count {
                assert!(peer.run_batch(Direction::Seal, packets));
            }
        })
    });
    let singles = fast().map(|peer| {
        Subject::new(peer.name(), move |iterations| {
            assert!(peer.run(Direction::Seal, packets, iterations));
        })
    });
    bench.measure(batches.chain(singles).collect(), bench.plan(count, 1))
}
