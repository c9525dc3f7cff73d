// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages in pieces, for instance a file that a program reads and authenticates piece by piece, or a record whose
//! header is elsewhere in memory. Compared with a single call of Hornet for the same bytes.

use super::bench::{Bench, KEYS, Row, series};
use crate::call::{Calls, Cut};
use crate::group::Group;
use crate::inputs::Inputs;
use crate::json::ONE_CALL;
use crate::json::Series;
use crate::measure::Subject;
use crate::peers::Peer;

const MESSAGE_BYTES: usize = 1 << 20;
const PIECES: [usize; 9] = [16, 64, 100, 256, 512, 1024, 1350, 4096, 16384];

const HEADER_BYTES: usize = 16;
/// The lengths of the single piece that follows the header.
const LENGTHS: [usize; 4] = [284, 1334, 4096, 16384];

/// Returns all measured cuts.
pub(crate) fn cuts() -> impl Iterator<Item = Cut> {
    let even = PIECES.into_iter().map(Cut::into_pieces_of);
    let after_header = LENGTHS.into_iter().map(after_header);
    even.chain(after_header)
}

fn after_header(len_bytes: usize) -> Cut {
    Cut::after_header(HEADER_BYTES, len_bytes)
}

pub(super) fn run(bench: &Bench) -> Vec<Series> {
    let mut inputs = Inputs::new(MESSAGE_BYTES, KEYS);
    let name = format!("{} MiB, time for one piece", MESSAGE_BYTES >> 20);
    let even = series(
        Group::Pieces,
        &name,
        "bytes in a piece",
        &PIECES,
        |piece_bytes| {
            let calls = inputs.in_turn(0, MESSAGE_BYTES, KEYS);
            let cut = Cut::into_pieces_of(piece_bytes);
            let pieces = cut.pieces(MESSAGE_BYTES);
            // A sample contains at least all pieces of one message, and takes longer.
            measure(bench, &calls, cut, pieces, 2)
        },
    );

    let name = format!("a header of {HEADER_BYTES} bytes, then one piece; time for one message");
    let axis = "bytes after the header";
    let with_header = series(Group::Pieces, &name, axis, &LENGTHS, |len_bytes| {
        let calls = inputs.in_turn(0, HEADER_BYTES + len_bytes, KEYS);
        measure(bench, &calls, after_header(len_bytes), 1, 1)
    });
    vec![even, with_header]
}

/// Measures messages in pieces, and the same messages in a single call. The time of a message is divided by
/// `in_a_message`.
fn measure(bench: &Bench, calls: &Calls, cut: Cut, in_a_message: usize, divisor: usize) -> Row {
    let in_pieces = bench.in_pieces.iter().map(|(peer, in_pieces)| {
        Subject::new(peer.name(), move |iterations| {
            in_pieces.run(calls, cut, iterations / in_a_message);
        })
    });
    let one_call = bench.hornets.iter().map(|hornet| {
        let name = format!("{}{ONE_CALL}", hornet.name());
        Subject::new(&name, move |iterations| {
            hornet.run(calls, iterations / in_a_message);
        })
    });
    let plan = bench.plan(in_a_message, divisor);
    bench.measure(in_pieces.chain(one_call).collect(), plan)
}
