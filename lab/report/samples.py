# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The study's samples in cycles of the core, and as rows of CSV files."""

from collections.abc import Iterator

import numpy

from tools.measure import intervals


def rates(found: dict, series: dict) -> numpy.ndarray:
    """Return the counts of the clock in a cycle of the core, of each process that measured a series: the mean of before
    and after it. Older results have one for all."""
    if "clock" in series:
        return numpy.mean(series["clock"], axis=1)
    return numpy.array([found["clock"]["per_cycle"]])


def drift(series: dict) -> float:
    """Return by how much the rate of the clock differs at most, in %, before and after the series, in any process."""
    clock = numpy.array(series.get("clock", [[1, 1]]))
    return float(100 * (clock.max(axis=1) / clock.min(axis=1) - 1).max())


class Samples:
    """The samples of a results file. A sample is a process's: the median of its rounds. In older results, it is one of
    the passes of a single process."""

    def __init__(self, found: dict) -> None:
        self.of = {
            (series["group"], series["variant"], column["name"]): self._cycles(found, series, column)
            for series in found["series"]
            for column in series["columns"]
        }
        self.found: dict[tuple[str, ...], dict[int, numpy.ndarray]] = {}

    @staticmethod
    def _cycles(found: dict, series: dict, column: dict) -> tuple[list[int], numpy.ndarray]:
        """Return the lengths and the cycles, [length, process]."""
        counts = numpy.array(column["counts"]["samples"], dtype=float)
        counts = counts.reshape(len(series["xs"]), -1, series.get("rounds", 1))
        return series["xs"], numpy.median(counts, axis=2) / rates(found, series)

    def __contains__(self, key: tuple[str, str, str]) -> bool:
        return key in self.of

    def cycles(self, group: str, variant: str, column: str) -> dict[int, numpy.ndarray]:
        """Return the cycles of each process by length; empty for a kernel that was not measured."""
        if (group, variant, column) not in self.of:
            return {}
        lengths, cycles = self.of[group, variant, column]
        return dict(zip(lengths, cycles))

    def medians(self, group: str, variant: str, column: str) -> dict[int, float]:
        if (group, variant, column) not in self.of:
            return {}
        lengths, cycles = self.of[group, variant, column]
        return dict(zip(lengths, numpy.median(cycles, axis=1).tolist()))

    def speed_ups(self, group: str, variant: str, old: str, new: str) -> dict[int, numpy.ndarray]:
        """Return the speed-ups in % of each process, by length, at which both were measured."""
        key = (group, variant, old, new)
        if key not in self.found:
            before, after = self.cycles(group, variant, old), self.cycles(group, variant, new)
            lengths = [n for n in before if n in after]
            both = [numpy.array([of[n] for n in lengths]) for of in (before, after)]
            kept = numpy.all(both[0] > 0, axis=1) if lengths else []
            ups = intervals.speed_ups(*(of[kept] for of in both)) if lengths else []
            self.found[key] = dict(zip([n for n, keep in zip(lengths, kept) if keep], ups))
        return self.found[key]


def sample_rows(found: dict) -> Iterator[dict]:
    """Return a row for each sample: counts as they were measured, and cycles."""
    for series in found["series"]:
        rounds, per_cycle = series.get("rounds", 1), rates(found, series)
        for column in series["columns"]:
            for length, samples in zip(series["xs"], column["counts"]["samples"]):
                for i, count in enumerate(samples):
                    process = i // rounds
                    yield {
                        "group": series["group"],
                        "build": series["variant"],
                        "kernel": column["name"],
                        "bytes": length,
                        "process": process,
                        "round": i % rounds,
                        "counts": count,
                        "cycles": f"{count / per_cycle[process % len(per_cycle)]:.5g}",
                    }


def median_rows(found: dict) -> Iterator[dict]:
    """Return a row for each length: the median of the processes in cycles, and its interval."""
    for (group, build, kernel), (lengths, cycles) in Samples(found).of.items():
        for length, one in zip(lengths, intervals.medians(cycles)):
            yield {
                "group": group,
                "build": build,
                "kernel": kernel,
                "bytes": length,
                "cycles": f"{one.middle:.5g}",
                "low": f"{one.low:.5g}",
                "high": f"{one.high:.5g}",
            }
