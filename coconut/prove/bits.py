# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Numbers of symbolic bits, each a Boolean function of inputs as a binary decision diagram: equal functions are one node.

For code whose result is a bit of many, such as a comparison, which is no polynomial. Bryant 1986.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from coconut.prove.polynomials import Unproved

# A diagram is as deep as there are variables.
sys.setrecursionlimit(20000)
# Numbers are modulo 2^BITS, in two's complement: sums of words of 64 bits do not wrap.
BITS = 72
# What is proved has some thousands of nodes.
NODES_MAX = 1 << 18
FALSE, TRUE = 0, 1


@dataclass
class Diagrams:
    """Nodes: a variable, and the nodes where it is clear and where it is set. Variables come in the order of their making."""

    nodes: list[tuple[int, int, int]] = field(default_factory=lambda: [(1 << 62, 0, 0), (1 << 62, 1, 1)])
    known: dict[tuple[int, int, int], int] = field(default_factory=dict)
    chosen: dict[tuple[int, int, int], int] = field(default_factory=dict)
    variables: int = 0
    # What is assumed of nodes, while an instruction is run once for each case.
    assumed: dict[int, bool] = field(default_factory=dict)

    def node(self, variable: int, clear: int, set_: int) -> int:
        if clear == set_:
            return clear
        key = variable, clear, set_
        found = self.known.get(key)
        if found is None:
            if len(self.nodes) == NODES_MAX:
                raise Unproved(f"a function of more than {NODES_MAX} nodes")
            found = self.known[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def variable(self) -> int:
        self.variables += 1
        return self.node(self.variables, FALSE, TRUE)

    def choose(self, a: int, b: int, c: int) -> int:
        """Return b where a is true, else c."""
        if a <= TRUE or b == c:
            return b if a else c
        if (b, c) == (TRUE, FALSE):
            return a
        key = a, b, c
        found = self.chosen.get(key)
        if found is None:
            top = min(self.nodes[i][0] for i in key)
            (a0, a1), (b0, b1), (c0, c1) = (self.nodes[i][1:] if self.nodes[i][0] == top else (i, i) for i in key)
            found = self.chosen[key] = self.node(top, self.choose(a0, b0, c0), self.choose(a1, b1, c1))
        return found

    def both(self, a: int, b: int) -> int:
        return self.choose(a, b, FALSE)

    def either(self, a: int, b: int) -> int:
        return self.choose(a, TRUE, b)

    def negated(self, a: int) -> int:
        return self.choose(a, FALSE, TRUE)

    def differ(self, a: int, b: int) -> int:
        return self.choose(a, self.negated(b), b)

    def number(self, bits: Sequence[int]) -> Bits | int:
        """Return a number of these bits, the lowest first; a plain one if all are constant."""
        padded = (*bits[:BITS], *([FALSE] * (BITS - len(bits))))
        if all(bit <= TRUE for bit in padded):
            value = sum(bit << i for i, bit in enumerate(padded))
            return value - (1 << BITS) if padded[-1] else value
        return Bits(self, padded)

    def input(self, bits: int) -> Bits:
        return Bits(self, tuple(self.variable() for _ in range(bits)) + (FALSE,) * (BITS - bits))


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition on symbolic bits, which nothing may be decided on, unless it is the same for all inputs or assumed."""

    diagrams: Diagrams
    node: int

    def opposite(self) -> Condition:
        return Condition(self.diagrams, self.diagrams.negated(self.node))

    def __bool__(self) -> bool:
        if self.node in self.diagrams.assumed:
            return self.diagrams.assumed[self.node]
        if self.node > TRUE:
            raise Undecided(self.node)
        return self.node == TRUE

    def __int__(self) -> int:
        return int(bool(self))

    def __eq__(self, other: object) -> bool:
        return bool(self) == other

    def __ne__(self, other: object) -> bool:
        return bool(self) != other

    __hash__ = None  # type: ignore[assignment] # a look-up in a set would decide


class Undecided(Exception):
    """A decision that depends on symbolic bits."""

    def __init__(self, node: int) -> None:
        super().__init__("a decision on symbolic bits")
        self.node = node


@dataclass(frozen=True, eq=False)
class Bits:
    diagrams: Diagrams
    bits: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self != 0)

    def of(self, other: Any) -> tuple[int, ...]:
        if isinstance(other, Bits):
            return other.bits
        if not isinstance(other, int):
            raise Unproved(f"symbolic bits and {other}")
        return tuple(other >> i & 1 for i in range(BITS))

    def __and__(self, other: Any) -> Bits | int:
        return self.diagrams.number([self.diagrams.both(a, b) for a, b in zip(self.bits, self.of(other), strict=True)])

    def __or__(self, other: Any) -> Bits | int:
        return self.diagrams.number(
            [self.diagrams.either(a, b) for a, b in zip(self.bits, self.of(other), strict=True)]
        )

    def __xor__(self, other: Any) -> Bits | int:
        return self.diagrams.number(
            [self.diagrams.differ(a, b) for a, b in zip(self.bits, self.of(other), strict=True)]
        )

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, by: int) -> Bits | int:
        return self.diagrams.number((FALSE,) * by + self.bits[: BITS - by])

    def __rshift__(self, by: int) -> Bits | int:
        return self.diagrams.number(self.bits[by:] + self.bits[-1:] * min(by, BITS))

    def __add__(self, other: Any, carry: int = FALSE, flip: int = FALSE) -> Bits | int:
        found, of = [], self.diagrams
        for a, b in zip(self.bits, self.of(other), strict=True):
            b = of.differ(b, flip)
            half = of.differ(a, b)
            found.append(of.differ(half, carry))
            carry = of.choose(half, carry, a)
        return of.number(found)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Bits | int:
        return self.__add__(other, TRUE, TRUE)

    def __rsub__(self, other: int) -> Bits | int:
        negative = Bits(self.diagrams, tuple(self.diagrams.negated(bit) for bit in self.bits)) + 1
        return negative + other

    def __mul__(self, other: Any) -> Bits | int:
        if not isinstance(other, int):
            raise Unproved("a product of symbolic bits")
        total: Bits | int = 0
        for i in range(other.bit_length()):
            if other >> i & 1:
                total = (self << i) + total
        return total

    __rmul__ = __mul__

    def equal(self, other: Any) -> int:
        """Return the node of whether two numbers are equal."""
        found = TRUE
        for a, b in zip(reversed(self.bits), reversed(self.of(other)), strict=True):
            found = self.diagrams.both(self.diagrams.negated(self.diagrams.differ(a, b)), found)
        return found

    def negative(self, number: Bits | int) -> Condition:
        return Condition(self.diagrams, number.bits[-1] if isinstance(number, Bits) else int(number < 0))

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return Condition(self.diagrams, self.equal(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self.__eq__(other).opposite()

    def __lt__(self, other: Any) -> Condition:
        return self.negative(self - other)

    def __gt__(self, other: Any) -> Condition:
        return self.negative(0 - self + other)

    def __ge__(self, other: Any) -> Condition:
        return self.__lt__(other).opposite()

    def __le__(self, other: Any) -> Condition:
        return self.__gt__(other).opposite()

    __hash__ = None  # type: ignore[assignment] # a look-up in a set would decide
