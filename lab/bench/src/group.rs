// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The groups of measurements, as `run --only` takes them.

use clap::ValueEnum;
use serde::Serialize;

/// A group of measurements.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Group {
    /// Common lengths, throughput and latency
    Lengths,
    /// Every length from 0 to 2304
    Sweep,
    /// Message and key in no cache
    Cold,
    /// Many keys in turn
    Keys,
    /// Unaligned messages
    Unaligned,
    /// Batches of 64 messages
    Batch,
    /// Messages in pieces, compared with one call
    Pieces,
    /// One gibibyte, compared with a pass that only reads it
    Stream,
    /// Poly1305-AES
    Aes,
    /// One segment of a long message replaced
    Edit,
    /// ChaCha20-Poly1305: common lengths, sealed
    Seal,
    /// ChaCha20-Poly1305: common lengths, opened
    Open,
    /// ChaCha20-Poly1305: lengths from 0 to 4200, sealed
    AeadSweep,
    /// ChaCha20-Poly1305: packets with associated data of common lengths
    Packets,
    /// ChaCha20-Poly1305: batches of 8, 32 and 64 packets
    AeadBatch,
    /// ChaCha20-Poly1305 through OpenSSL's EVP: Hornet's provider and the default one
    Evp,
}

impl Group {
    pub(crate) const ALL: [Self; 16] = [
        Self::Lengths,
        Self::Sweep,
        Self::Cold,
        Self::Keys,
        Self::Unaligned,
        Self::Batch,
        Self::Pieces,
        Self::Stream,
        Self::Aes,
        Self::Edit,
        Self::Seal,
        Self::Open,
        Self::AeadSweep,
        Self::Packets,
        Self::AeadBatch,
        Self::Evp,
    ];

    /// Whether it is left out by default where instructions are hidden, which make no difference to it.
    pub(crate) fn is_only_in_best(self) -> bool {
        use Group::{Aes, Cold, Edit, Keys, Pieces, Stream, Unaligned};
        matches!(self, Cold | Keys | Unaligned | Pieces | Stream | Aes | Edit)
    }
}
