// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The measured cases: calls of every length up to 2304 and of powers of two, and batches.

use crate::memory::Noise;
use clap::ValueEnum;
use serde::Serialize;
use std::str::FromStr;

/// A way to compute tags.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// One call for each message: 0 to 2304 bytes, and 4 KiB to 1 MiB by powers of two
    Calls,
    /// Batches of 64 messages: seven equal lengths, and random ones up to 300 and 1500 bytes
    Batches,
}

/// A range of lengths in bytes, including both ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Lengths {
    from: usize,
    to: usize,
}

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text
            .split_once("..")
            .ok_or("must be A..B, such as 0..300")?;
        let end = |text: &str| {
            let problem = |why| format!("{text:?} is not a length: {why}");
            text.parse::<usize>().map_err(problem)
        };
        let (from, to) = (end(ends.0)?, end(ends.1)?);
        if from > to {
            return Err(format!("{from} is above {to}"));
        }
        Ok(Self { from, to })
    }
}

/// The messages of one measurement.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Case {
    pub(super) kind: Kind,
    /// The length, or the range of random lengths.
    pub(super) bytes: String,
    /// One length for calls; the lengths of all messages for a batch.
    pub(super) lens_bytes: Vec<usize>,
}

/// The number of messages in a batch.
const MESSAGES: usize = 64;

const EVERY_LENGTH_TO: usize = 2304;
const POWERS_OF_TWO: std::ops::RangeInclusive<u32> = 12..=20;
const BATCH_LENGTHS: [usize; 7] = [16, 32, 64, 128, 256, 512, 1350];
const RANDOM_TO: [usize; 2] = [300, 1500];

/// Returns all cases of these kinds. With `lengths`, only cases whose messages all have the same length, within that
/// range.
pub(super) fn cases(only: &[Kind], lengths: Option<Lengths>) -> Vec<Case> {
    let mut cases = Vec::new();
    let long = POWERS_OF_TWO.map(|power| 1 << power);
    for len_bytes in (0..=EVERY_LENGTH_TO).chain(long) {
        cases.push(Case {
            kind: Kind::Calls,
            bytes: len_bytes.to_string(),
            lens_bytes: vec![len_bytes],
        });
    }
    for len_bytes in BATCH_LENGTHS {
        cases.push(Case {
            kind: Kind::Batches,
            bytes: len_bytes.to_string(),
            lens_bytes: vec![len_bytes; MESSAGES],
        });
    }
    for longest in RANDOM_TO {
        let mut noise = Noise(longest as u64);
        cases.push(Case {
            kind: Kind::Batches,
            bytes: format!("0..{longest}"),
            lens_bytes: (0..MESSAGES).map(|_| noise.below(longest + 1)).collect(),
        });
    }
    let is_within = |case: &Case, lengths: Lengths| {
        let first = case.lens_bytes[0];
        (lengths.from..=lengths.to).contains(&first)
            && case.lens_bytes.iter().all(|other| *other == first)
    };
    cases.retain(|case| {
        only.contains(&case.kind) && lengths.is_none_or(|lengths| is_within(case, lengths))
    });
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(only: &[Kind], lengths: &str) -> Vec<String> {
        let cases = cases(only, Some(lengths.parse().unwrap()));
        cases.into_iter().map(|case| case.bytes).collect()
    }

    #[test]
    fn all_cases() {
        let all = cases(&[Kind::Calls, Kind::Batches], None);
        let of = |kind| all.iter().filter(move |case| case.kind == kind);
        let calls: Vec<usize> = of(Kind::Calls).map(|case| case.lens_bytes[0]).collect();
        assert!(calls[..=2304].iter().copied().eq(0..=2304));
        assert_eq!(
            calls[2305..],
            [4, 8, 16, 32, 64, 128, 256, 512, 1024].map(|kib| kib << 10)
        );
        let batches: Vec<&str> = of(Kind::Batches).map(|case| &*case.bytes).collect();
        assert_eq!(
            batches,
            [
                "16", "32", "64", "128", "256", "512", "1350", "0..300", "0..1500"
            ]
        );
        for case in of(Kind::Batches) {
            assert_eq!(case.lens_bytes.len(), 64);
            let longest = *case.lens_bytes.iter().max().unwrap();
            let bound: usize = case.bytes.trim_start_matches("0..").parse().unwrap();
            assert!(longest <= bound && longest * 10 > bound * 9, "{case:?}");
        }
    }

    #[test]
    fn some_cases() {
        assert_eq!(
            bytes(&[Kind::Calls, Kind::Batches], "15..16"),
            ["15", "16", "16"]
        );
        assert_eq!(bytes(&[Kind::Calls], "15..16"), ["15", "16"]);
        assert_eq!(bytes(&[Kind::Batches], "500..99999"), ["512", "1350"]);
        // No batches of random lengths.
        assert_eq!(bytes(&[Kind::Batches], "0..99999").len(), 7);
        assert_eq!(
            bytes(&[Kind::Calls], "2304..8192"),
            ["2304", "4096", "8192"]
        );
        assert!(bytes(&[Kind::Calls, Kind::Batches], "2305..4095").is_empty());
    }

    #[test]
    fn ranges() {
        let lengths = |text: &str| text.parse::<Lengths>();
        assert_eq!(lengths("7..300"), Ok(Lengths { from: 7, to: 300 }));
        for wrong in ["", "5", "5..", "..5", "5..x", "6..5", "-1..5", "1..2..3"] {
            assert!(lengths(wrong).is_err(), "{wrong}");
        }
    }
}
