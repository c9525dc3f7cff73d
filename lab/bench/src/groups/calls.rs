// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Groups of single calls. README.md says what each measures.

use super::bench::{Bench, KEYS, LONG, notes_on_aes, series};
use crate::call::Calls;
use crate::group::Group;
use crate::inputs::Inputs;
use crate::json::{READ_PASS, Series};
use crate::measure::{Iterations, Subject};
use crate::peers::AES_KEY_BYTES;
use crate::reader::sum;
use std::hint::black_box;
use std::slice;

/// Throughput, with calls that a CPU may overlap, and latency, with calls that wait for each other.
pub(super) fn lengths(bench: &Bench) -> Vec<Series> {
    const LENGTHS: [usize; 19] = [
        0, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1350, 1500, 2048, 4096, 16384,
        65536, 1_048_576,
    ];
    let mut inputs = Inputs::new(1 << 20, KEYS);
    let mut variant = |name: &str, chained: bool| {
        series(Group::Lengths, name, "bytes", &LENGTHS, |len_bytes| {
            let calls = if chained {
                // SAFETY: the inputs outlive the calls, and the key is writable.
                unsafe { Calls::chained(inputs.call(0, len_bytes, 0)) }
            } else {
                inputs.in_turn(0, len_bytes, KEYS)
            };
            let divisor = if len_bytes >= LONG { 2 } else { 1 };
            bench.measure_calls(&bench.peers, &calls, bench.plan(1, divisor))
        })
    };
    vec![variant("throughput", false), variant("latency", true)]
}

/// Every length, which shows where a library has a step or is slow.
pub(super) fn sweep(bench: &Bench) -> Vec<Series> {
    const LONGEST: usize = 2304;
    let mut inputs = Inputs::new(LONGEST, KEYS);
    let lengths: Vec<usize> = (0..=LONGEST).collect();
    let peers = bench.fast_peers();
    let row = |len_bytes| {
        let calls = inputs.in_turn(0, len_bytes, KEYS);
        bench.measure_calls(&peers, &calls, bench.plan(1, 2))
    };
    vec![series(Group::Sweep, "throughput", "bytes", &lengths, row)]
}

/// Many keys in turn, as in a server with many connections, compared with one key for all calls. (Two messages under
/// one key are never safe; here, it shows whether a peer caches anything per key.)
pub(super) fn keys(bench: &Bench) -> Vec<Series> {
    const LEN_BYTES: usize = 64;
    const MANY: usize = 4096;
    let mut inputs = Inputs::new(LEN_BYTES, MANY);
    let row = |keys| {
        let calls = inputs.in_turn(0, LEN_BYTES, keys);
        bench.measure_calls(&bench.peers, &calls, bench.plan(keys, 1))
    };
    let variant = format!("{LEN_BYTES} bytes");
    vec![series(Group::Keys, &variant, "keys", &[1, MANY], row)]
}

/// Messages at offsets from the start of a cache line.
pub(super) fn unaligned(bench: &Bench) -> Vec<Series> {
    const OFFSETS: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 63];
    let mut inputs = Inputs::new(16384 + 64, KEYS);
    let peers = bench.fast_peers();
    let variant = |len_bytes: usize| {
        let name = format!("{len_bytes} bytes");
        series(Group::Unaligned, &name, "offset", &OFFSETS, |offset| {
            let calls = inputs.in_turn(offset, len_bytes, KEYS);
            bench.measure_calls(&peers, &calls, bench.plan(1, 2))
        })
    };
    [64, 1350, 16384].map(variant).into()
}

/// A message of one gibibyte, which fits in no cache, compared with a pass that only reads it.
pub(super) fn stream(bench: &Bench) -> Vec<Series> {
    const LEN_BYTES: usize = 1 << 30;
    let mut inputs = Inputs::new(LEN_BYTES, 1);
    let calls = inputs.in_turn(0, LEN_BYTES, 1);
    #[expect(clippy::cast_ptr_alignment, reason = "it is the start of a page")]
    let words = inputs.messages.at(0).cast::<u64>();
    // SAFETY: the memory has `LEN_BYTES` bytes, is page-aligned, and is not written while the words are in use.
    let words = unsafe { slice::from_raw_parts(words, LEN_BYTES / 8) };
    let row = |_| {
        let peers = bench.fast_peers();
        let macs = peers
            .iter()
            .map(|peer| Subject::new(peer.name(), |iterations| peer.run(&calls, iterations)));
        let read = Subject::new(READ_PASS, |iterations| {
            for _ in 0..iterations {
                black_box(sum(black_box(words)));
            }
        });
        let mut plan = bench.plan(1, 1);
        (plan.rounds, plan.iterations) = (3, Iterations::Exactly(1));
        bench.measure(macs.chain([read]).collect(), plan)
    };
    vec![series(
        Group::Stream,
        "from memory",
        "bytes",
        &[LEN_BYTES],
        row,
    )]
}

/// Poly1305-AES, with key and nonce set up in every call: with one key, and with many keys in turn.
pub(super) fn aes(bench: &Bench) -> Vec<Series> {
    const LENGTHS: [usize; 7] = [0, 16, 64, 256, 1024, 4096, 16384];
    const MANY: usize = 4096;
    let mut inputs = Inputs::with_keys_of(AES_KEY_BYTES, 16384, MANY);
    for key in 0..MANY {
        inputs.clamp(key, 16);
    }
    let mut variant = |name: &str, keys: usize| {
        let mut series = series(Group::Aes, name, "bytes", &LENGTHS, |len_bytes| {
            let calls = inputs.in_turn(0, len_bytes, keys);
            // With many keys, a sample contains many calls.
            let divisor = if keys == MANY { 4 } else { 1 };
            bench.measure_calls(&bench.with_aes, &calls, bench.plan(keys, divisor))
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
