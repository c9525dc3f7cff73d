# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Numbers that are wires of a circuit: arithmetic on them builds a pipeline, with a register after each sum and product.

A wire knows when its value is there, in cycles after time 0, and the largest value that it can have, from which its width
follows. Operands that are there earlier are delayed, so all numbers of a calculation belong to the same inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value

from lab.circuit import multiplier
from lab.circuit.intervals import Interval

# Numbers of up to this many bits are multiplied by a constant without a register.
NARROW_BITS = 24


@dataclass
class Pipeline:
    """The registers of a calculation.

    registers: whether sums and products have some; otherwise all takes no time.
    later: of each wire that is delayed, the same a cycle later.
    """

    m: Module
    registers: bool = True
    later: "dict[Wire, Wire]" = field(default_factory=dict)

    def wires(self, values: Sequence[Any], highs: Sequence[int], time: int = 0) -> "list[Wire]":
        return [Wire(self, value, high, time) for value, high in zip(values, highs, strict=True)]

    def computed(self, value: Value, high: int, time: int, name: str) -> "Wire":
        signal = Signal(max(1, high.bit_length()), name=name)
        if self.registers:
            self.m.d.sync += signal.eq(value)
            time += 1
        else:
            self.m.d.comb += signal.eq(value)
        return Wire(self, signal, high, time)

    def at(self, wire: "Wire", time: int) -> "Wire":
        """Return the wire's value, delayed to a time."""
        while wire.time < time:
            if wire not in self.later:
                self.later[wire] = self.computed(wire.value, wire.high, wire.time, "delayed")
            wire = self.later[wire]
        return wire

    def together(self, wires: "Sequence[Wire]") -> "list[Wire]":
        """Return the wires' values at the time of the last of them."""
        time = max(wire.time for wire in wires)
        return [self.at(wire, time) for wire in wires]


@dataclass(frozen=True, eq=False)
class Wire:
    pipeline: Pipeline
    value: Value
    high: int
    time: int

    @property
    def interval(self) -> Interval:
        return Interval(self.high)

    def __add__(self, other: "Wire") -> "Wire":
        a, b = self.pipeline.together([self, other])
        return self.pipeline.computed(a.value + b.value, (a.interval + b.interval).high, a.time, "sum")

    def __mul__(self, other: "Wire | int") -> "Wire":
        if isinstance(other, int):
            return self.times(other)
        a, b = self.pipeline.together([self, other])
        high = (a.interval * b.interval).high
        used = multiplier.Multiplier(a.value, b.value, high.bit_length())
        self.pipeline.m.submodules += used
        return Wire(self.pipeline, used.product, high, a.time + multiplier.CYCLES)

    def times(self, factor: int) -> "Wire":
        """Return a multiple, by shifts and sums."""
        if self.high.bit_length() <= NARROW_BITS:
            high = (self.interval * factor).high
            shifted = [self.value << bit for bit in range(factor.bit_length()) if factor >> bit & 1]
            return Wire(self.pipeline, reduce(add, shifted)[: high.bit_length()], high, self.time)
        zeros = (factor & -factor).bit_length() - 1
        if zeros:
            return self.times(factor >> zeros) << zeros
        return self if factor == 1 else self + self.times(factor - 1)

    def __lshift__(self, bits: int) -> "Wire":
        return Wire(self.pipeline, Cat(Const(0, bits), self.value), self.high << bits, self.time)

    def __rshift__(self, bits: int) -> "Wire":
        return Wire(self.pipeline, self.value[bits:], (self.interval >> bits).high, self.time)

    def __and__(self, mask: int) -> "Wire":
        """Keep low bits."""
        assert mask & mask + 1 == 0
        return Wire(self.pipeline, self.value[: mask.bit_length()], (self.interval & mask).high, self.time)
