// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The text that `compare` prints.

use super::cases::Kind;
use super::results::{Entry, summary, worst};
use crate::report::page::figure;
use std::fmt::Write as _;

/// The number of calls that are printed; batches are all printed.
const WORST: usize = 10;

/// The results of one compiler. `base` and `tree` are the names of the two trees.
pub(super) fn results(compiler: &str, base: &str, tree: &str, entries: &[Entry]) -> String {
    let mut text = String::new();
    let width = [base, tree].map(str::len).into_iter().fold(12, usize::max) + 2;
    for kind in Kind::ALL {
        let Some(summary) = summary(entries, kind) else {
            continue;
        };
        let _ = writeln!(
            text,
            "\n{compiler}, {}: geometric mean {:.4} over {}; {} above 1.00, {} above 1.02, {} above 1.03",
            kind.name(),
            summary.geometric_mean,
            summary.cases,
            summary.above_1_00,
            summary.above_1_02,
            summary.above_1_03
        );
        let (title, most) = match kind {
            Kind::Calls => ("worst, bytes", WORST),
            Kind::Batches => ("64 of bytes", usize::MAX),
        };
        let _ = writeln!(
            text,
            "{title:>14}{base:>width$}{tree:>width$}{:>10}  quartiles",
            "ratio"
        );
        for entry in worst(entries, kind, most) {
            let (base, tree) = (figure(entry.base_ns), figure(entry.tree_ns));
            let _ = writeln!(
                text,
                "{:>14}{base:>width$}{tree:>width$}{:>10.3}  {:.3} to {:.3}",
                entry.bytes, entry.ratio, entry.ratio_low, entry.ratio_high
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_for_each_kind() {
        let entry = |kind, bytes: &str, ratio: f64| Entry {
            kind,
            bytes: bytes.into(),
            base_ns: 10.0,
            tree_ns: 10.0 * ratio,
            ratio,
            ratio_low: ratio - 0.25,
            ratio_high: ratio + 0.25,
        };
        let mut entries: Vec<Entry> = (0..20)
            .map(|at| entry(Kind::Calls, &at.to_string(), 1.0 + f64::from(at) / 1000.0))
            .collect();
        entries.push(entry(Kind::Batches, "0..300", 0.5));
        let text = results("gcc", "v1", "this tree", &entries);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1],
            "gcc, calls: geometric mean 1.0095 over 20; 19 above 1.00, 0 above 1.02, 0 above 1.03"
        );
        assert_eq!(
            lines[2],
            "  worst, bytes            v1     this tree     ratio  quartiles"
        );
        assert_eq!(
            lines[3],
            "            19          10.0          10.2     1.019  0.769 to 1.269"
        );
        assert_eq!(lines[12].split_whitespace().next(), Some("10"));
        assert_eq!(
            lines[14],
            "gcc, batches: geometric mean 0.5000 over 1; 0 above 1.00, 0 above 1.02, 0 above 1.03"
        );
        assert_eq!(
            lines[16],
            "        0..300          10.0          5.00     0.500  0.250 to 0.750"
        );
        assert_eq!(lines.len(), 17);
    }
}
