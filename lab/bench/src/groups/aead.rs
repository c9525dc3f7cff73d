// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20-Poly1305, one call per packet, under one key and with a different nonce for each packet.

use super::bench::{Bench, LONG, Row, series};
use crate::group::Group;
use crate::json::Series;
use crate::measure::Subject;
use crate::packets::{Direction, PacketMemory, write_tags};
use crate::peers::Aead;

const LENGTHS: [usize; 17] = [
    0, 16, 64, 128, 192, 256, 448, 512, 960, 1350, 1420, 1500, 2048, 4096, 16384, 65536, 1_048_576,
];

/// In most protocols, the associated data has at most one block.
pub(super) const AAD_BYTES: usize = 16;

const SWEEP_LONGEST: usize = 4200;
/// Odd, so that messages end at every position within a block.
const SWEEP_STEP: usize = 3;

const PACKETS: [usize; 5] = [64, 256, 1350, 1420, 1500];
/// No associated data; TLS 1.3; TLS 1.2; a whole block.
const AADS: [usize; 4] = [0, 5, 13, 16];

/// The lengths measured through EVP: a short message, a packet, and the longest TLS record, as TLS 1.3 seals them.
const RECORDS: [usize; 3] = [64, 1350, 16384];
const RECORD_AAD_BYTES: usize = 5;

/// The number of nonces used in turn, like `KEYS` in other groups.
const NONCES: usize = 64;

/// Returns the lengths of all packets that are measured one by one, and of their associated data, except in the sweep.
pub(crate) fn measured() -> impl Iterator<Item = (usize, usize)> {
    let common = LENGTHS.into_iter().map(|len_bytes| (len_bytes, AAD_BYTES));
    let packets = PACKETS
        .into_iter()
        .flat_map(|len_bytes| AADS.map(|aad_bytes| (len_bytes, aad_bytes)));
    let records = RECORDS
        .into_iter()
        .map(|len_bytes| (len_bytes, RECORD_AAD_BYTES));
    common.chain(packets).chain(records)
}

/// Memory for the longest message and associated data.
fn memory() -> PacketMemory {
    PacketMemory::new(1 << 20, AAD_BYTES, NONCES)
}

pub(super) fn common_lengths(bench: &Bench, direction: Direction) -> Vec<Series> {
    let mut memory = memory();
    let group = match direction {
        Direction::Seal => Group::Seal,
        Direction::Open => Group::Open,
    };
    let variant = format!("{AAD_BYTES} bytes of associated data");
    vec![series(group, &variant, "bytes", &LENGTHS, |len_bytes| {
        let divisor = if len_bytes >= LONG { 2 } else { 1 };
        let case = (len_bytes, AAD_BYTES, direction);
        measure(bench, &bench.aead, &mut memory, case, divisor)
    })]
}

pub(super) fn sweep(bench: &Bench) -> Vec<Series> {
    let mut memory = memory();
    let lengths: Vec<usize> = (0..=SWEEP_LONGEST).step_by(SWEEP_STEP).collect();
    let fast = bench.aead.iter().copied().filter(|peer| peer.is_fast());
    let peers: Vec<&Aead> = fast.collect();
    let variant = format!("sealed, {AAD_BYTES} bytes of associated data");
    vec![series(
        Group::AeadSweep,
        &variant,
        "bytes",
        &lengths,
        |len_bytes| {
            let case = (len_bytes, AAD_BYTES, Direction::Seal);
            measure(bench, &peers, &mut memory, case, 2)
        },
    )]
}

pub(super) fn packets(bench: &Bench) -> Vec<Series> {
    let mut memory = memory();
    let mut variant = |aad_bytes: usize| {
        let name = format!("sealed, {aad_bytes} bytes of associated data");
        series(Group::Packets, &name, "bytes", &PACKETS, |len_bytes| {
            let case = (len_bytes, aad_bytes, Direction::Seal);
            measure(bench, &bench.aead, &mut memory, case, 1)
        })
    };
    AADS.map(&mut variant).into()
}

pub(super) fn evp(bench: &Bench) -> Vec<Series> {
    let mut memory = memory();
    let mut variant = |direction: Direction, done: &str| {
        let name = format!("{done}, {RECORD_AAD_BYTES} bytes of associated data");
        series(Group::Evp, &name, "bytes", &RECORDS, |len_bytes| {
            let case = (len_bytes, RECORD_AAD_BYTES, direction);
            measure(bench, &bench.evp, &mut memory, case, 1)
        })
    };
    vec![
        variant(Direction::Seal, "sealed"),
        variant(Direction::Open, "opened"),
    ]
}

/// The lengths of a message and its associated data, and the direction.
type Case = (usize, usize, Direction);

fn measure(
    bench: &Bench,
    peers: &[&Aead],
    memory: &mut PacketMemory,
    (len_bytes, aad_bytes, direction): Case,
    divisor: usize,
) -> Row {
    let packets = memory.in_turn(len_bytes, aad_bytes, NONCES);
    for peer in peers {
        peer.set_key(memory.key());
    }
    if let (Direction::Open, [first, ..]) = (direction, peers) {
        write_tags(&packets, |packet| {
            first.run(Direction::Seal, packet, 1);
        });
    }
    let packets = &packets;
    let subjects = peers.iter().map(|peer| {
        Subject::new(peer.name(), move |iterations| {
            assert!(peer.run(direction, packets, iterations), "{}", peer.name());
        })
    });
    bench.measure(subjects.collect(), bench.plan(1, divisor))
}
