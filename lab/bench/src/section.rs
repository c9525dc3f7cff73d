// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The sections of a report: the same measurements with fewer of the CPU's instructions, to estimate the speed on other
//! CPUs.

use crate::group::Group;
use clap::ValueEnum;
use serde::Serialize;

/// Which instructions the peers may use.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
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

    /// Returns the groups to measure: those in `only`, or if it is empty, all that make sense in this section.
    pub(crate) fn groups(self, only: &[Group]) -> Vec<Group> {
        let all = Group::ALL.into_iter();
        match self {
            _ if !only.is_empty() => only.to_vec(),
            Self::Best => all.collect(),
            Self::Avx2 => all.filter(|group| !group.is_only_in_best()).collect(),
            Self::Avx512f => vec![Group::Lengths, Group::Sweep, Group::Batch],
        }
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
        assert!(!Section::Avx2.groups(&[]).contains(&Group::Cold));
        assert_eq!(Section::Avx2.groups(&[Group::Cold]), [Group::Cold]);
    }
}
