// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The measurements of calls, with one file per group.

mod aead;
mod batch;
mod bench;
mod calls;
mod cold;
mod edit;
mod pieces;

pub(crate) use aead::measured as measured_packets;
pub(crate) use bench::Bench;
pub(crate) use pieces::cuts as measured_cuts;

use crate::group::Group;
use crate::json::Series;
use crate::packets::Direction;

/// Measures one group.
pub(crate) fn run(bench: &Bench, group: Group) -> Vec<Series> {
    match group {
        Group::Lengths => calls::lengths(bench),
        Group::Sweep => calls::sweep(bench),
        Group::Cold => cold::run(bench),
        Group::Keys => calls::keys(bench),
        Group::Unaligned => calls::unaligned(bench),
        Group::Batch => batch::messages(bench),
        Group::Pieces => pieces::run(bench),
        Group::Stream => calls::stream(bench),
        Group::Aes => calls::aes(bench),
        Group::Edit => edit::run(bench),
        Group::Seal => aead::common_lengths(bench, Direction::Seal),
        Group::Open => aead::common_lengths(bench, Direction::Open),
        Group::AeadSweep => aead::sweep(bench),
        Group::Packets => aead::packets(bench),
        Group::AeadBatch => batch::packets(bench),
        Group::Evp => aead::evp(bench),
    }
}
