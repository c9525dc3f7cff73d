# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ranges of numbers that are at least 0, and the ranges of limbs for all keys and messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce

from lab.circuit.arithmetic import LIMBS, MASK, finish, rows, step, step_by_rows


@dataclass(frozen=True)
class Interval:
    """All integers from 0 to a maximum."""

    high: int

    def of(self, other: "Interval | int") -> "Interval":
        return other if isinstance(other, Interval) else Interval(other)

    def __add__(self, other: "Interval | int") -> "Interval":
        return Interval(self.high + self.of(other).high)

    def __mul__(self, other: "Interval | int") -> "Interval":
        return Interval(self.high * self.of(other).high)

    __radd__, __rmul__ = __add__, __mul__

    def __rshift__(self, bits: int) -> "Interval":
        return Interval(self.high >> bits)

    def __and__(self, mask: int) -> "Interval":
        return Interval(min(self.high, mask))


# Limbs of r, s and blocks.
CUT = [Interval(MASK)] * LIMBS


def wider(a: Sequence[Interval], b: Sequence[Interval]) -> list[Interval]:
    return [Interval(max(x.high, y.high)) for x, y in zip(a, b, strict=True)]


@cache
def limbs_max() -> tuple[int, ...]:
    """Return what no limb of an accumulator or a power exceeds, in both cores: what a step within it does not leave."""
    limbs = CUT
    while True:
        after = wider(limbs, wider(step(limbs, limbs, CUT), step_by_rows(limbs, CUT, CUT)))
        if after == limbs:
            return tuple(limb.high for limb in limbs)
        limbs = after


@cache
def sums_max() -> tuple[int, ...]:
    """Return what no sum of the small core exceeds, after any row."""
    limbs = [Interval(high) for high in limbs_max()]
    return tuple(sum_.high for sum_ in reduce(wider, rows(limbs, CUT)))


def finish_max(limbs: Sequence[int]) -> tuple[int, int]:
    """Return what no number that finish computes exceeds, and no carry."""
    cycles = finish([Interval(high) for high in limbs], CUT)
    numbers, carries = zip(*([Interval(0).of(number).high for number in both] for both in cycles), strict=True)
    return max(numbers), max(carries)
