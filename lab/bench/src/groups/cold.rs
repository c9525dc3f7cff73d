// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages and keys that are in no cache, like a packet that has just arrived from the network.

use super::bench::{Bench, series};
use crate::call::Calls;
use crate::group::Group;
use crate::inputs::Inputs;
use crate::json::Series;
use crate::measure::{Iterations, Subject};
use crate::memory::Noise;

const LENGTHS: [usize; 3] = [64, 1350, 16384];

/// The calls of one sample, each with its own message and key.
const CALLS: usize = 64;

/// The minimum distance between two messages, so that prefetching one does not load the other.
const GAP: usize = 4096;

pub(super) fn run(bench: &Bench) -> Vec<Series> {
    if !cfg!(target_arch = "x86_64") {
        return Vec::new(); // flush only works on x86-64
    }
    vec![series(
        Group::Cold,
        "out of cache",
        "bytes",
        &LENGTHS,
        |len_bytes| {
            let stride = len_bytes.next_multiple_of(GAP) + GAP;
            let mut inputs = Inputs::new(CALLS * stride, CALLS);
            let mut order: Vec<usize> = (0..CALLS).collect();
            Noise(7).shuffle(&mut order); // so that prefetchers find no stride
            let calls = order
                .into_iter()
                .map(|i| inputs.call(i * stride, len_bytes, i));
            // SAFETY: the inputs outlive the calls.
            let calls = unsafe { Calls::new(calls.collect()) };

            let subjects = bench.peers.iter().map(|peer| {
                Subject::new(peer.name(), |iterations| peer.run(&calls, iterations))
                    .prepared_by(|| flush_all(&calls))
            });
            let mut plan = bench.plan(1, 2);
            plan.iterations = Iterations::Exactly(CALLS);
            bench.measure(subjects.collect(), plan)
        },
    )]
}

fn flush_all(calls: &Calls) {
    for call in calls.as_slice() {
        flush(call.key, 32);
        flush(call.msg, call.len_bytes);
    }
    wait();
}

/// Evicts the bytes from all caches.
#[cfg(target_arch = "x86_64")]
fn flush(start: *const u8, len_bytes: usize) {
    for offset in (0..len_bytes).step_by(64).chain(len_bytes.checked_sub(1)) {
        // SAFETY: the byte is readable; flushing does not change it.
        unsafe { std::arch::x86_64::_mm_clflush(start.add(offset)) };
    }
}

/// Waits until all flushes are complete.
#[cfg(target_arch = "x86_64")]
fn wait() {
    // SAFETY: every x86-64 CPU has it.
    unsafe { std::arch::x86_64::_mm_mfence() };
}

#[cfg(not(target_arch = "x86_64"))]
fn flush(_start: *const u8, _len_bytes: usize) {}

#[cfg(not(target_arch = "x86_64"))]
fn wait() {}
