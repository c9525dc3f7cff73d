// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The measured lengths: first a table, coarse for long messages, then more lengths around the crossovers.

use std::collections::BTreeSet;

/// Up to this length, steps are equal; above it, each length is an eighth longer than the previous one.
const EVEN_TO: usize = 1024;

/// The maximum number of additional lengths around a crossover.
const MORE: usize = 32;

/// Returns lengths from 0 to `longest`, both included, initially `step` apart.
pub(super) fn coarse(step: usize, longest: usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut len_bytes = 0;
    while len_bytes < longest {
        lengths.push(len_bytes);
        len_bytes += if len_bytes < EVEN_TO {
            step
        } else {
            step.max(len_bytes / 8)
        };
    }
    lengths.push(longest);
    lengths
}

/// Returns the lengths between the neighbours of each crossover in `coarse`: all of them, or a selection with an odd
/// distance, because a message that ends within a block may take longer.
pub(super) fn around(coarse: &[usize], crossovers: &[Option<usize>]) -> Vec<usize> {
    let mut lengths = BTreeSet::new();
    for crossover in crossovers.iter().flatten() {
        let Some(at) = coarse.iter().position(|len_bytes| len_bytes == crossover) else {
            continue;
        };
        let from = coarse[at.saturating_sub(1)];
        let to = coarse[(at + 1).min(coarse.len() - 1)];
        if *crossover > 0 {
            lengths.extend((from..=to).step_by((to - from).div_ceil(MORE) | 1));
        }
    }
    for len_bytes in coarse {
        lengths.remove(len_bytes);
    }
    lengths.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_lengths_reach_the_longest() {
        assert_eq!(coarse(16, 64), [0, 16, 32, 48, 64]);
        assert_eq!(coarse(16, 60), [0, 16, 32, 48, 60]);
        assert_eq!(coarse(100, 16), [0, 16]);
        let long = coarse(16, 65536);
        assert_eq!(&long[63..67], [1008, 1024, 1152, 1296]);
        assert_eq!(long.last(), Some(&65536));
        assert!(long.len() < 110, "{}", long.len());
        assert!(long.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn more_lengths_around_crossovers() {
        let all = coarse(16, 65536);
        assert!(around(&all, &[None, Some(0)]).is_empty());
        let near = around(&all, &[Some(112), Some(0)]);
        let expected: Vec<usize> = (97..112).chain(113..128).collect();
        assert_eq!(near, expected);

        // In a wide gap, a selection with all remainders.
        let at = all.iter().position(|len_bytes| *len_bytes > 8000).unwrap();
        let far = around(&all, &[Some(all[at])]);
        assert!((20..=MORE + 1).contains(&far.len()), "{}", far.len());
        assert!(
            far.iter()
                .all(|len| (all[at - 1]..all[at + 1]).contains(len))
        );
        let remainders: BTreeSet<usize> = far.iter().map(|len_bytes| len_bytes % 16).collect();
        assert_eq!(remainders.len(), 16);

        // At the end there is only one neighbour.
        assert!(around(&all, &[Some(65536)]).iter().all(|len| *len < 65536));
    }
}
