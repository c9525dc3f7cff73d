// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The measurements of calls, with one file per group.

mod aead;
mod aead_batch;
mod aes;
mod batch;
mod bench;
mod cold;
mod edit;
mod keys;
mod lengths;
mod pieces;
mod stream;
mod sweep;
mod unaligned;

pub(crate) use aead::measured as measured_packets;
pub(crate) use bench::Bench;
pub(crate) use pieces::cuts as measured_cuts;

use crate::group::Group;
use crate::packets::Direction;
use crate::report::json::{Series, Values};

/// Measures one group.
pub(crate) fn run(bench: &Bench, group: Group) -> Vec<Series<Values>> {
    match group {
        Group::Lengths => lengths::run(bench),
        Group::Sweep => sweep::run(bench),
        Group::Cold => cold::run(bench),
        Group::Keys => keys::run(bench),
        Group::Unaligned => unaligned::run(bench),
        Group::Batch => batch::run(bench),
        Group::Pieces => pieces::run(bench),
        Group::Stream => stream::run(bench),
        Group::Aes => aes::run(bench),
        Group::Edit => edit::run(bench),
        Group::Seal => aead::common_lengths(bench, Direction::Seal),
        Group::Open => aead::common_lengths(bench, Direction::Open),
        Group::AeadSweep => aead::sweep(bench),
        Group::Packets => aead::packets(bench),
        Group::AeadBatch => aead_batch::run(bench),
        Group::Evp => aead::evp(bench),
        Group::File | Group::Tree => Vec::new(), // whole processes: see src/commands
    }
}
