// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The sections of a report: the same measurements with fewer of the CPU's instructions, to estimate the speed on other
//! CPUs.

use crate::group::Group;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Which instructions the peers may use.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Section {
    /// All that the CPU has
    Best,
    /// AVX2 but no AVX-512
    Avx2,
    /// AVX-512F but no AVX-512 IFMA
    Avx512f,
}

impl Section {
    /// For peers that restrict themselves to the instructions of a section, or have no others.
    pub(crate) const EACH: &[Self] = &[Self::Best, Self::Avx2, Self::Avx512f];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Best => "All instructions of the CPU",
            Self::Avx2 => "AVX2, no AVX-512",
            Self::Avx512f => "AVX-512F, no IFMA",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Avx2 => "avx2",
            Self::Avx512f => "avx512f",
        }
    }

    /// Returns the groups to measure: those in `only`, or if it is empty, all that make sense in this section.
    pub(crate) fn groups(self, only: &[Group]) -> Vec<Group> {
        let mut groups = match self {
            _ if !only.is_empty() => only.to_vec(),
            Self::Best => Group::ALL.to_vec(),
            Self::Avx512f => vec![Group::Lengths, Group::Sweep, Group::Batch],
            Self::Avx2 => vec![
                Group::Lengths,
                Group::Sweep,
                Group::Batch,
                Group::Seal,
                Group::Open,
                Group::AeadSweep,
                Group::Packets,
                Group::AeadBatch,
                Group::Evp,
            ],
        };
        // Whole processes choose their kernels themselves.
        groups.retain(|group| self == Self::Best || !group.is_of_commands());
        groups
    }

    /// Returns the kernel that Hornet is forced to use.
    pub(crate) fn kernel(self) -> Option<&'static str> {
        match self {
            Self::Best => None,
            Self::Avx2 => Some("avx2"),
            Self::Avx512f => Some("avx512f"),
        }
    }

    /// Returns the ChaCha20 kernel that Hornet is forced to use. IFMA makes no difference to ChaCha20.
    pub(crate) fn chacha20_kernel(self) -> Option<&'static str> {
        match self {
            Self::Best | Self::Avx512f => None,
            Self::Avx2 => Some("avx2"),
        }
    }

    /// Returns the value of `OPENSSL_ia32cap`, which hides bits of CPUID leaf 7, EBX, from OpenSSL and AWS-LC. AVX-512
    /// F is bit 16, DQ 17, IFMA 21, CD 28, BW 30, VL 31.
    pub(crate) fn mask(self) -> Option<&'static str> {
        match self {
            Self::Best => None,
            Self::Avx2 => Some(":~0xd0230000"),
            Self::Avx512f => Some(":~0x200000"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_measured_where_instructions_are_hidden() {
        assert_eq!(Section::Best.groups(&[]), Group::ALL);
        assert!(!Section::Avx2.groups(&[]).contains(&Group::Stream));
        assert!(Section::Avx2.groups(&[]).contains(&Group::Seal));
        assert!(!Section::Avx512f.groups(&[]).contains(&Group::Seal));
        assert_eq!(Section::Avx2.groups(&[Group::Cold]), [Group::Cold]);
        assert_eq!(Section::Avx2.groups(&[Group::Tree]), []);
    }
}
