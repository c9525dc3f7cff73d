// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Merges the samples of all processes into one table, and summarizes it.

use super::cases::{Case, Kind};
use crate::report::merge::spread;
use crate::stats::geometric_mean;
use serde::{Deserialize, Serialize};

/// The result of a case in one process, or in a pair of them: nanoseconds per message, and the ratio of the tree's time
/// to the base's.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Sample {
    pub(super) base_ns: f64,
    pub(super) tree_ns: f64,
    pub(super) ratio: f64,
}

/// Returns the mean of two processes: one measured the base first, the other the tree. The library that is measured
/// first may be faster, because the branch predictors are trained on it.
pub(super) fn of_both_orders(one: &[Sample], other: &[Sample]) -> Vec<Sample> {
    let mean = |(one, other): (&Sample, &Sample)| Sample {
        base_ns: f64::midpoint(one.base_ns, other.base_ns),
        tree_ns: f64::midpoint(one.tree_ns, other.tree_ns),
        ratio: (one.ratio * other.ratio).sqrt(),
    };
    one.iter().zip(other).map(mean).collect()
}

/// A case summarized over all pairs of processes: medians, and the quartiles of the ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) bytes: String,
    pub(super) base_ns: f64,
    pub(super) tree_ns: f64,
    pub(super) ratio: f64,
    pub(super) ratio_low: f64,
    pub(super) ratio_high: f64,
}

/// Merges the pairs into one entry per case. Returns `None` if they have different numbers of cases.
pub(super) fn merge(cases: &[Case], pairs: &[Vec<Sample>]) -> Option<Vec<Entry>> {
    if pairs.iter().any(|samples| samples.len() != cases.len()) {
        return None;
    }
    let all = |pick: fn(&Sample) -> f64| -> Vec<Vec<f64>> {
        let of_one = |samples: &Vec<Sample>| samples.iter().map(pick).collect();
        pairs.iter().map(of_one).collect()
    };
    let base = spread(&all(|sample| sample.base_ns));
    let tree = spread(&all(|sample| sample.tree_ns));
    let ratio = spread(&all(|sample| sample.ratio));
    let entry = |(at, case): (usize, &Case)| Entry {
        kind: case.kind,
        bytes: case.bytes.clone(),
        base_ns: base.median[at],
        tree_ns: tree.median[at],
        ratio: ratio.median[at],
        ratio_low: ratio.low[at],
        ratio_high: ratio.high[at],
    };
    Some(cases.iter().enumerate().map(entry).collect())
}

/// A summary of the ratios of one kind.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Summary {
    pub(super) kind: Kind,
    pub(super) cases: usize,
    pub(super) geometric_mean: f64,
    pub(super) above_1_00: usize,
    pub(super) above_1_02: usize,
    pub(super) above_1_03: usize,
}

/// Returns `None` if there are no entries of that kind.
pub(super) fn summary(entries: &[Entry], kind: Kind) -> Option<Summary> {
    let of_kind = entries.iter().filter(|entry| entry.kind == kind);
    let ratios: Vec<f64> = of_kind.map(|entry| entry.ratio).collect();
    let above = |bound: f64| ratios.iter().filter(|ratio| **ratio > bound).count();
    Some(Summary {
        kind,
        cases: ratios.len(),
        geometric_mean: geometric_mean(&ratios)?,
        above_1_00: above(1.0),
        above_1_02: above(1.02),
        above_1_03: above(1.03),
    })
}

/// Returns the entries of that kind with the highest ratios, the highest first.
pub(super) fn worst(entries: &[Entry], kind: Kind, most: usize) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = entries.iter().filter(|entry| entry.kind == kind).collect();
    entries.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    entries.truncate(most);
    entries
}

#[cfg(test)]
mod tests {
    use super::super::cases::cases;
    use super::*;

    fn entries() -> Vec<Entry> {
        let cases = cases(&Kind::ALL, Some("16..19".parse().unwrap()));
        assert_eq!(cases.len(), 5);
        let process = |factor: f64| -> Vec<Sample> {
            let ratios = [1.0, 1.025, 0.5, 1.25, 0.8];
            let sample = |ratio: f64| Sample {
                base_ns: 10.0 * factor,
                tree_ns: 10.0 * factor * ratio,
                ratio: ratio * if factor > 2.0 { 3.0 } else { 1.0 },
            };
            ratios.map(sample).to_vec()
        };
        // A single disturbed process does not change the medians.
        merge(&cases, &[process(1.0), process(2.0), process(9.0)]).unwrap()
    }

    #[test]
    fn going_first_does_not_matter() {
        let sample = |base_ns, tree_ns| Sample {
            base_ns,
            tree_ns,
            ratio: tree_ns / base_ns,
        };
        // The second process takes twice as long; the tree takes half as long as the base.
        let mean = of_both_orders(&[sample(20.0, 20.0)], &[sample(40.0, 10.0)]);
        assert_eq!(mean.len(), 1);
        assert_eq!((mean[0].base_ns, mean[0].tree_ns), (30.0, 15.0));
        assert!((mean[0].ratio - 0.5).abs() < 1e-9);
    }

    #[test]
    fn medians_over_processes() {
        let expected = Entry {
            kind: Kind::Calls,
            bytes: "19".into(),
            base_ns: 20.0,
            tree_ns: 25.0,
            ratio: 1.25,
            ratio_low: 1.25,
            ratio_high: 2.5,
        };
        assert_eq!(entries()[3], expected);
        let cases = cases(&Kind::ALL, None);
        assert_eq!(merge(&cases, &[Vec::new()]), None);
    }

    #[test]
    fn summaries() {
        let calls = summary(&entries(), Kind::Calls).unwrap();
        assert!((calls.geometric_mean - (1.025_f64 * 0.625).powf(0.25)).abs() < 1e-9);
        assert_eq!(calls.cases, 4);
        assert_eq!(
            (calls.above_1_00, calls.above_1_02, calls.above_1_03),
            (2, 2, 1)
        );
        let batches = summary(&entries(), Kind::Batches).unwrap();
        assert_eq!((batches.cases, batches.above_1_00), (1, 0));
        assert_eq!(summary(&entries()[..4], Kind::Batches), None);
    }

    #[test]
    fn the_worst_come_first() {
        let all = entries();
        let worst = worst(&all, Kind::Calls, 2);
        let bytes: Vec<&str> = worst.iter().map(|entry| &*entry.bytes).collect();
        assert_eq!(bytes, ["19", "17"]);
    }
}
