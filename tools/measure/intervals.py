# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Medians with bootstrap intervals, and what they say of a difference.

A sample is that of one process. The bootstrap draws the processes again, the same for all lengths; an interval has the
middle 95 % of what the draws give (Efron 1979).
"""

import functools
import math
from dataclasses import dataclass

import numpy

DRAWS, MEAN_DRAWS = 1000, 200
# With fewer processes, not even the range of their samples contains the median in 93 % of cases: there is no interval.
FEWEST = 5
FASTER, SLOWER, NO_DIFFERENCE = "faster", "slower", "no difference"


@dataclass
class Interval:
    middle: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Say what an interval of a speed-up means: no difference if it contains 0."""
        return FASTER if self.low > 0 else SLOWER if self.high < 0 else NO_DIFFERENCE


def _draws(count: int) -> numpy.ndarray:
    return numpy.random.default_rng(1305).integers(count, size=(DRAWS, count))


@functools.cache
def _ranks(count: int) -> tuple[list[int], list[int]]:
    """Return the ranks, among sorted samples, of the two in the middle of a draw, at its 2.5th and 97.5th percentile.

    Which samples a draw has in its middle depends on their order only, so that the draws are the same for all lengths."""
    sorted_draws = numpy.sort(_draws(count), axis=1)
    middle = sorted_draws[:, [(count - 1) // 2, count // 2]]
    low, high = numpy.quantile(middle, [0.025, 0.975], axis=0, method="inverted_cdf").astype(int)
    return list(low), list(high)


def medians(samples: numpy.ndarray) -> list[Interval]:
    """Return the median of each row of samples, [row, process]."""
    ordered = numpy.sort(samples, axis=-1)
    if samples.shape[-1] < FEWEST:
        return [Interval(middle, -math.inf, math.inf) for middle in numpy.median(samples, axis=-1).tolist()]
    low, high = (ordered[..., ranks].mean(axis=-1) for ranks in _ranks(samples.shape[-1]))
    return [Interval(*one) for one in zip(numpy.median(samples, axis=-1).tolist(), low.tolist(), high.tolist())]


def mean_of_medians(samples: numpy.ndarray, fewest: int = FEWEST) -> Interval:
    """Return the mean over the rows of their medians; a draw takes the same processes in all rows. With fewer processes
    than `fewest`, there is no interval."""
    if samples.shape[-1] < fewest:
        return Interval(float(numpy.median(samples, axis=-1).mean()), -math.inf, math.inf)
    means = [numpy.median(samples[:, draw], axis=-1).mean() for draw in _draws(samples.shape[-1])[:MEAN_DRAWS]]
    low, high = numpy.quantile(means, [0.025, 0.975])
    return Interval(float(numpy.median(samples, axis=-1).mean()), float(low), float(high))


def speed_ups(old: numpy.ndarray, new: numpy.ndarray) -> numpy.ndarray:
    """Return 100 (t_0 - t_1) / t_0 of each process: positive where the new code is faster."""
    return 100 * (old - new) / old


def shares(found: list[Interval]) -> dict[str, float]:
    """Return how many of them, in %, are faster, slower, and neither."""
    return {
        verdict: 100 * sum(one.verdict == verdict for one in found) / len(found)
        for verdict in (FASTER, NO_DIFFERENCE, SLOWER)
    }
