// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Many packets sealed at once by Hornet, compared with one call per packet. All times are per packet.

use super::aead::AAD_BYTES;
use super::bench::{Bench, Row, series};
use crate::group::Group;
use crate::json::Series;
use crate::measure::Subject;
use crate::memory::Noise;
use crate::packets::{Direction, PacketMemory};

const COUNTS: [usize; 3] = [8, 32, 64];
const LENGTHS: [usize; 3] = [64, 256, 1350];
const LONGEST: usize = 1500;

pub(super) fn run(bench: &Bench) -> Vec<Series> {
    let mut all = Vec::new();
    for count in COUNTS {
        let name = format!("{count} packets");
        all.push(series(
            Group::AeadBatch,
            &name,
            "bytes",
            &LENGTHS,
            |len_bytes| measure(bench, &vec![len_bytes; count]),
        ));

        let mut noise = Noise(64);
        let random: Vec<usize> = (0..count).map(|_| noise.below(LONGEST + 1)).collect();
        let total: usize = random.iter().sum();
        let mean = [total / count];
        let name = format!("{count} packets of 0 to {LONGEST} bytes at random");
        all.push(series(
            Group::AeadBatch,
            &name,
            "bytes on average",
            &mean,
            |_| measure(bench, &random),
        ));
        // The mean, rounded up for some packets so that the sum is the same.
        let same_total: Vec<usize> = (0..count).map(|i| (total + i) / count).collect();
        let name = format!("{count} packets of one length with the same sum");
        all.push(series(
            Group::AeadBatch,
            &name,
            "bytes on average",
            &mean,
            |_| measure(bench, &same_total),
        ));
    }
    all
}

fn measure(bench: &Bench, lens_bytes: &[usize]) -> Row {
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
    let plan = bench.plan(count, 1);
    bench.measure(batches.chain(singles).collect(), plan)
}
