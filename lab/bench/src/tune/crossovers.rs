// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The rule that turns measurements into proposals: the length from which each kernel of the list pays off.
//!
//! A message goes to the first kernel of the list whose crossover it reaches. So, at each length, a kernel is compared
//! with the kernel below it that would handle the length according to their own crossovers. The last kernel handles all
//! remaining lengths.

/// The time of each kernel at one length. The unit may differ between rows.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) len_bytes: usize,
    pub(super) costs: Vec<f64>,
}

/// The reproducibility of measurements. A kernel pays off if it is faster by more than this on average.
const NOISE: f64 = 0.01;

/// Returns the length from which each kernel of the list pays off, or `None`. The rows must start with length 0, and
/// their lengths must increase.
pub(super) fn crossovers(rows: &[Row]) -> Vec<Option<usize>> {
    let kernels = rows.first().map_or(0, |row| row.costs.len());
    let mut found = vec![None; kernels];
    for kernel in (0..kernels).rev() {
        let below = kernel + 1;
        found[kernel] = if below == kernels {
            Some(0)
        } else {
            let losses = rows.iter().filter_map(|row| {
                let other = below + serving(&found[below..], row.len_bytes)?;
                let loss = (row.costs[kernel] / row.costs[other]).ln();
                Some((row.len_bytes, loss))
            });
            crossover(&losses.collect::<Vec<_>>())
        };
    }
    found
}

/// Returns the kernel that handles a length: the first whose crossover is reached.
pub(super) fn serving(crossovers: &[Option<usize>], len_bytes: usize) -> Option<usize> {
    let reached = |from: &Option<usize>| from.is_some_and(|from| from <= len_bytes);
    crossovers.iter().position(reached)
}

/// Returns the length from which a kernel pays off, given the logarithms of its ratios to the alternative. It is the
/// start of the range, up to the longest length, over which their sum is smallest, so that single outliers do not
/// matter. It is 0 if the kernel is no slower on shorter lengths.
fn crossover(losses: &[(usize, f64)]) -> Option<usize> {
    let mut sum = (0.0, 0.0); // of weighted losses, and of weights
    let mut least = (0.0, 0.0, None);
    for (at, (_, loss)) in losses.iter().enumerate().rev() {
        let weight = weight(losses, at);
        sum = (sum.0 + weight * loss, sum.1 + weight);
        if sum.0 < least.0 {
            least = (sum.0, sum.1, Some(at));
        }
    }
    let (loss, weight, at) = least;
    let at = at.filter(|_| loss < -NOISE * weight)?;
    let no_slower = losses[..at].iter().all(|(_, loss)| *loss <= NOISE);
    Some(if no_slower { 0 } else { losses[at].0 })
}

/// Returns the weight of a length: half the distance between its neighbours on a logarithmic scale, so that the result
/// does not depend on where the lengths are dense.
fn weight(losses: &[(usize, f64)], at: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lengths are below 2^52")]
    let place = |at: usize| (losses[at].0 as f64 + 16.0).ln();
    let last = losses.len() - 1;
    if last == 0 {
        return 1.0;
    }
    (place((at + 1).min(last)) - place(at.saturating_sub(1))) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns rows for these lengths. Each kernel's cost is a function of the length.
    fn rows(lengths: impl IntoIterator<Item = usize>, costs: &[fn(f64) -> f64]) -> Vec<Row> {
        let row = |len_bytes: usize| {
            let len = f64::from(u32::try_from(len_bytes).unwrap());
            let costs = costs.iter().map(|cost| cost(len)).collect();
            Row { len_bytes, costs }
        };
        lengths.into_iter().map(row).collect()
    }

    fn grid() -> impl Iterator<Item = usize> {
        (0..=4096).step_by(16)
    }

    // Linear costs: wide kernels cost more to start and less per byte.
    const WIDE: fn(f64) -> f64 = |len| 200.0 + 0.125 * len; // meets NARROW at 792, SCALAR at 227.4
    const NARROW: fn(f64) -> f64 = |len| 101.0 + 0.25 * len; // meets SCALAR at 133.3
    const SCALAR: fn(f64) -> f64 = |len| 1.0 + len;

    #[test]
    fn each_kernel_is_compared_with_what_serves_below_it() {
        let all = crossovers(&rows(grid(), &[WIDE, NARROW, SCALAR]));
        assert_eq!(all, [Some(800), Some(144), Some(0)]);
        // Without the kernel between them, the wide one pays off much earlier.
        let two = crossovers(&rows(grid(), &[WIDE, SCALAR]));
        assert_eq!(two, [Some(240), Some(0)]);
    }

    #[test]
    fn gains_are_weighed_against_losses_on_longer_messages() {
        let gains_little: fn(f64) -> f64 = |len| if len < 256.0 { 0.95 } else { 1.5 } * (1.0 + len);
        let gains_much: fn(f64) -> f64 = |len| if len < 256.0 { 0.25 } else { 1.5 } * (1.0 + len);
        let of = |costs: fn(f64) -> f64| crossovers(&rows(grid(), &[costs, SCALAR]))[0];
        assert_eq!((of(gains_little), of(gains_much)), (None, Some(0)));
    }

    #[test]
    fn better_everywhere_is_from_0() {
        let all = crossovers(&rows(
            grid(),
            &[|len| 0.5 * (1.0 + len), SCALAR, |len| 2.0 * (1.0 + len)],
        ));
        assert_eq!(all, [Some(0), Some(0), Some(0)]);
    }

    #[test]
    fn where_both_are_the_same_the_crossover_is_0() {
        // As for messages that do not fill a vector, where both run the same code; with half a percent of noise.
        let all = crossovers(&rows(
            grid(),
            &[
                |len| if len < 64.0 { 1.005 } else { 0.5 } * (1.0 + len),
                SCALAR,
            ],
        ));
        assert_eq!(all, [Some(0), Some(0)]);
        // Five percent slower.
        let all = crossovers(&rows(
            grid(),
            &[
                |len| if len < 64.0 { 1.05 } else { 0.5 } * (1.0 + len),
                SCALAR,
            ],
        ));
        assert_eq!(all, [Some(64), Some(0)]);
    }

    #[test]
    fn never() {
        let slow: fn(f64) -> f64 = |len| 1.5 * (1.0 + len);
        let noisy: fn(f64) -> f64 = |len| if len > 2000.0 { 0.998 } else { 1.002 } * (1.0 + len);
        assert_eq!(crossovers(&rows(grid(), &[slow, SCALAR])), [None, Some(0)]);
        assert_eq!(crossovers(&rows(grid(), &[noisy, SCALAR])), [None, Some(0)]);
        // A kernel that is never used is skipped: the first is compared with the last.
        let all = crossovers(&rows(grid(), &[NARROW, slow, SCALAR]));
        assert_eq!(all, [Some(144), None, Some(0)]);
    }

    #[test]
    fn outliers_do_not_matter() {
        let mut all = rows(grid(), &[WIDE, SCALAR]);
        for (len_bytes, factor) in [(64, 0.3), (1024, 20.0), (4096, 2.0)] {
            let row = all.iter_mut().find(|row| row.len_bytes == len_bytes);
            row.unwrap().costs[0] *= factor;
        }
        assert_eq!(crossovers(&all), [Some(240), Some(0)]);
    }

    #[test]
    fn dense_lengths_do_not_count_more() {
        // A kernel that is a little slower on 1000 to 3000 bytes, and faster on 100 to 1000 and above.
        let lossy: fn(f64) -> f64 = |len| {
            (1.0 + len)
                * match len {
                    ..100.0 => 1.2,
                    ..1000.0 => 0.9,
                    ..3000.0 => 1.05,
                    _ => 0.8,
                }
        };
        let even = crossovers(&rows(grid(), &[lossy, SCALAR]));
        let dense_there = (0..1000).step_by(16).chain(1000..3000);
        let dense_there = dense_there.chain((3000..=4096).step_by(16));
        let dense = crossovers(&rows(dense_there, &[lossy, SCALAR]));
        assert_eq!((even[0], dense[0]), (Some(112), Some(112)));
    }

    #[test]
    fn few_lengths_and_kernels() {
        assert_eq!(crossovers(&[]), []);
        assert_eq!(crossovers(&rows([0], &[SCALAR])), [Some(0)]);
        assert_eq!(crossovers(&rows([0], &[WIDE, SCALAR])), [None, Some(0)]);
        assert_eq!(crossovers(&rows([0], &[SCALAR, WIDE])), [Some(0), Some(0)]);
    }

    #[test]
    fn who_serves() {
        let list = [Some(640), None, Some(112), Some(0), Some(48)];
        let served = [0, 48, 111, 112, 639, 640, 9999].map(|len| serving(&list, len));
        let expected = [3, 3, 3, 2, 2, 0, 0].map(Some);
        assert_eq!(served, expected);
        assert_eq!(serving(&[None, Some(16)], 15), None);
    }
}
