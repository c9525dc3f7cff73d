// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Checks that kernels take as long in the tuning build as in the library itself; otherwise, the proposals are wrong.

use super::crossovers::{Row, serving};
use crate::stats::median;

/// The accepted difference.
const TOLERANCE: f64 = 0.03;

/// A kernel whose time differs in the tuning build.
#[derive(Debug, PartialEq)]
pub(super) struct Difference {
    pub(super) kernel: usize,
    /// The ratio of its time in the tuning build to that in the library, the median over these lengths.
    pub(super) ratio: f64,
    pub(super) lengths: usize,
}

/// Returns the kernels whose times differ, among those that currently handle some of the lengths. Costs are relative to
/// the library's.
pub(super) fn differences(rows: &[Row], now: &[Option<usize>]) -> Vec<Difference> {
    let of_kernel = |kernel: usize| {
        let served = rows
            .iter()
            .filter(|row| serving(now, row.len_bytes) == Some(kernel));
        let ratios: Vec<f64> = served.map(|row| row.costs[kernel]).collect();
        let ratio = median(&ratios)?;
        Some(Difference {
            kernel,
            ratio,
            lengths: ratios.len(),
        })
    };
    (0..now.len())
        .filter_map(of_kernel)
        .filter(|difference| difference.ratio.ln().abs() > TOLERANCE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_serve_are_compared() {
        let rows: Vec<Row> = (0..10)
            .map(|at| Row {
                len_bytes: 16 * at,
                // The last kernel takes a fifth longer in the tuning build. Lengths that a kernel does not handle do
                // not matter.
                costs: vec![if at < 5 { 3.0 } else { 1.02 }, 7.0, 1.2],
            })
            .collect();
        let now = [Some(80), None, Some(0)];
        let expected = Difference {
            kernel: 2,
            ratio: 1.2,
            lengths: 5,
        };
        assert_eq!(differences(&rows, &now), [expected]);
        assert_eq!(differences(&rows, &[Some(0), None, Some(0)])[0].kernel, 0);
        assert_eq!(differences(&rows[5..], &now), []);
    }
}
