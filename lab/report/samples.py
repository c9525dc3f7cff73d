# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The study's samples in cycles of the core, and as rows of CSV files."""

from collections.abc import Iterator

import numpy

from tools.measure import intervals
from tools.measure.samples import IDLE_OR_BUSY


def rates(found: dict, series: dict) -> numpy.ndarray:
    """Return the counts of the clock in a cycle of the core, of each process that measured a series: the median beside its
    samples. In older results it is the mean of before and after the series, or one for all."""
    if "clock" in series:
        return (numpy.median if beside_samples(found) else numpy.mean)(series["clock"], axis=1)
    return numpy.array([found["clock"]["per_cycle"]])


def beside_samples(found: dict) -> bool:
    """Return whether the clock and the state of the sibling thread were measured beside each sample."""
    return "idle_slot" in found["clock"]


def drift(series: dict) -> float:
    """Return by how much the rate of the clock differs at most, in %, within the series in a process: without the outermost
    percents, or in older results before and after it."""
    clock = numpy.array(series.get("clock", [[1, 1]]))
    return float(100 * (clock.max(axis=1) / clock.min(axis=1) - 1).max())


def medians_of(values: numpy.ndarray, chosen: numpy.ndarray) -> numpy.ndarray:
    """Return the medians of the chosen rounds, [length, process]; where none is chosen, of all."""
    chosen = chosen | ~chosen.any(axis=2, keepdims=True)
    return numpy.nanmedian(numpy.where(chosen, values, numpy.nan), axis=2)


class Samples:
    """The samples of a results file. A sample is a process's: the median of its rounds beside an idle sibling thread, if
    there are any at a length. In older results, it is the median of all, or one of the passes of a single process."""

    def __init__(self, found: dict) -> None:
        self.rounds: dict[tuple[str, str, str], tuple[numpy.ndarray, numpy.ndarray]] = {}
        self.of = {
            (series["group"], series["variant"], column["name"]): self._cycles(found, series, column)
            for series in found["series"]
            for column in series["columns"]
        }
        self.found: dict[tuple[str, ...], dict[int, numpy.ndarray]] = {}

    def _cycles(self, found: dict, series: dict, column: dict) -> tuple[list[int], numpy.ndarray]:
        """Return the lengths and the cycles, [length, process]."""
        shape = len(series["xs"]), -1, series.get("rounds", 1)
        if "cycles" not in column:
            cycles = numpy.array(column["counts"]["samples"], dtype=float).reshape(shape)
            cycles /= rates(found, series)[:, None]
            busy = numpy.zeros(cycles.shape, dtype=bool)
        else:
            cycles = numpy.array(column["cycles"]["samples"], dtype=float).reshape(shape)
            bits = numpy.array(column["busy"], dtype=object)[:, None] >> numpy.arange(cycles[0].size, dtype=object)
            busy = (bits % 2).astype(bool).reshape(cycles.shape)
        self.rounds[series["group"], series["variant"], column["name"]] = cycles, busy
        return series["xs"], medians_of(cycles, ~busy)

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
        """Return the speed-ups in % of each process, by length, at which both were measured: of rounds in which the sibling
        thread was in the same state beside both, if there are any."""
        key = (group, variant, old, new)
        if key not in self.found:
            before, after = self.cycles(group, variant, old), self.cycles(group, variant, new)
            lengths = [n for n in before if n in after]
            both = self._both(group, variant, (old, new)) if lengths else []
            kept = numpy.all(both[0] > 0, axis=1) if lengths else []
            ups = intervals.speed_ups(*(of[kept] for of in both)) if lengths else []
            self.found[key] = dict(zip([n for n, keep in zip(lengths, kept) if keep], ups))
        return self.found[key]

    def _both(self, group: str, variant: str, kernels: tuple[str, str]) -> list[numpy.ndarray]:
        """Return the cycles of two kernels, [length, process], in the same state of the sibling thread."""
        (one, busy), (other, also) = (self.rounds[group, variant, kernel] for kernel in kernels)
        return [medians_of(one, busy == also), medians_of(other, busy == also)]


def sample_rows(found: dict) -> Iterator[dict]:
    """Return a row for each sample: cycles, and the state of the sibling thread if it is known."""
    of, known = Samples(found), beside_samples(found)
    for (group, build, kernel), (cycles, busy) in of.rounds.items():
        for length, rows, states in zip(of.of[group, build, kernel][0], cycles, busy):
            for process, (row, state) in enumerate(zip(rows, states)):
                for number, (value, is_busy) in enumerate(zip(row, state)):
                    if number and (value, is_busy) == (row[0], state[0]):
                        continue  # there was one state only
                    yield {
                        "group": group,
                        "build": build,
                        "kernel": kernel,
                        "bytes": length,
                        "process": process,
                        "round": number,
                        "cycles": f"{value:.5g}",
                        "sibling": IDLE_OR_BUSY[int(is_busy)] if known else "unknown",
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
