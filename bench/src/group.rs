// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The groups of measurements, as `run --only` takes them.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A group of measurements.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, ValueEnum)]
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
    /// `hornet tag` of a huge file, compared with a process that only reads it
    File,
    /// `hornet tag` of many small files, compared with other commands
    Tree,
}

impl Group {
    pub(crate) const ALL: [Self; 18] = [
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
        Self::File,
        Self::Tree,
    ];

    /// Whether it measures whole processes, not calls.
    pub(crate) fn is_of_commands(self) -> bool {
        matches!(self, Self::File | Self::Tree)
    }

    /// Whether it has too many lengths for a table.
    pub(crate) fn is_sweep(self) -> bool {
        matches!(self, Self::Sweep | Self::AeadSweep)
    }

    /// Returns the name used on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
