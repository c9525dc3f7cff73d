# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Public numbers that depend on the length: sums of variables, such as how many iterations were run and are left.

Each variable has a range, and what is asked of a number must have the same answer for all values of its variables; else
it raises Split, which says how the ranges are to be divided. So whoever runs a function forks there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import NoReturn, Union

from coconut.prove.polynomials import Range, Unproved, transitions

# A variable is divided into at most this many values one by one.
VALUES_MAX = 64
# Names of variables that are numbers of groups begin with these letters.
COUNTS = "wv"
# Low bits of registers, of which code takes fewer bits later.
REGISTER_BITS = (8, 16, 32, 64)


class Split(Exception):
    """What is asked of a number depends on the range in which a variable is."""

    def __init__(self, variable: str, parts: list[Range]) -> None:
        super().__init__(f"{variable} in {parts}")
        self.variable, self.parts = variable, parts


class Residue(Exception):
    """What is asked of a number depends on a variable modulo a number."""

    def __init__(self, variable: str, modulus: int) -> None:
        super().__init__(f"{variable} modulo {modulus}")
        self.variable, self.modulus = variable, modulus


@dataclass
class Space:
    """The variables of public numbers, and the range that each has on the path that is being explored."""

    ranges: dict[str, Range] = field(default_factory=dict)

    def variable(self, name: str, low: int, high: int) -> "Whole":
        """Return a variable with a name that no other one has on the path that is being explored."""
        name = f"{name}{len(self.ranges)}"
        self.ranges[name] = low, high
        return self.made({name: 1}, 0)

    def made(self, terms: Mapping[str, int], number: int, bits: int = 0) -> "Whole":
        kept = {name: factor for name, factor in terms.items() if factor}
        if kept or bits < 0:
            return Public(self, kept, number, bits)
        return number % (1 << bits) if bits else number


class Public:
    """A number, the sum of variables times factors, and of a constant.

    If `bits` is above 0, it is that many low bits of the sum; below 0, it has the low bits of the sum.
    """

    __slots__ = ("space", "terms", "constant", "bits")

    def __init__(self, space: Space, terms: dict[str, int], constant: int, bits: int = 0) -> None:
        self.space, self.terms, self.constant, self.bits = space, terms, constant, bits

    def __repr__(self) -> str:
        terms = [f"{factor:#x} {name}" for name, factor in self.terms.items()]
        return " + ".join([*terms, hex(self.constant)]) + (f" modulo 2^{self.bits}" if self.bits else "")

    def range(self, but_for: str = "") -> Range:
        """Return the range of the sum, or of its other terms."""
        low = high = self.constant
        for name, factor in self.terms.items():
            if name != but_for:
                ends = [factor * end for end in self.space.ranges[name]]
                low, high = low + min(ends), high + max(ends)
        return low, high

    def exact(self) -> "Whole":
        """Return low bits as a sum, which may be another one in each part of the range of a variable."""
        if not self.bits:
            return self
        if self.bits < 0:
            raise Unproved(f"only low bits of a number are known, {self}")
        whole = Public(self.space, self.terms, self.constant)
        low, high = (end >> self.bits for end in whole.range())
        if high - low > 1:
            raise Unproved(f"only {self.bits} bits of a number are known, {self}")
        border = high << self.bits
        if low != high:
            above = Public(self.space, self.terms, self.constant - border)
            above.decide(lambda low, high: high < 0 if high < 0 or low >= 0 else None)
        return whole - border

    def with_value(self, name: str, value: "Whole") -> "Whole":
        """Return the number with a value in place of a variable."""
        if name not in self.terms:
            return self
        terms = {other: factor for other, factor in self.terms.items() if other != name}
        total = Public(self.space, terms, self.constant) + value * self.terms[name]
        terms, constant = (total.terms, total.constant) if isinstance(total, Public) else ({}, total)
        return self.space.made(terms, constant, self.bits)

    def __add__(self, other: "Whole") -> "Whole":
        return self.plus(other, 1)

    def plus(self, other: "Whole", by: int) -> "Whole":
        """Return the sum of this and a number times another one."""
        if isinstance(other, int):
            return self.space.made(self.terms, self.constant + by * other, -abs(self.bits) if other else self.bits)
        if not isinstance(other, Public):
            return NotImplemented
        terms = dict(self.terms)
        for name, factor in other.terms.items():
            terms[name] = terms.get(name, 0) + by * factor
        bits = min(abs(self.bits or other.bits), abs(other.bits or self.bits))
        return self.space.made(terms, self.constant + by * other.constant, -bits)

    def __mul__(self, other: int) -> "Whole":
        if not isinstance(other, int):
            return NotImplemented
        terms = {name: factor * other for name, factor in self.terms.items()}
        return self.space.made(terms, self.constant * other, self.bits if other == 1 else -abs(self.bits))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Whole":
        return self * -1

    def __sub__(self, other: "Whole") -> "Whole":
        return self.plus(other, -1)

    def __rsub__(self, other: "Whole") -> "Whole":
        return self * -1 + other

    def __lshift__(self, by: int) -> "Whole":
        return self * (1 << by)

    def divided(self, by: int) -> tuple["Whole", "Whole"]:
        """Return the quotient, rounded down, and the remainder."""
        if self.bits and (self.bits < 0 or (1 << self.bits - 1) % by):
            return divided(self.exact(), by)
        rest = Public(self.space, {name: f for name, f in self.terms.items() if f % by}, self.constant)
        low, high = rest.range()
        if low // by != high // by:
            rest.divide(by)
        whole = low // by
        quotient = {name: f // by for name, f in self.terms.items() if not f % by}
        remainder = self.space.made(rest.terms, self.constant - whole * by)
        return self.space.made(quotient, whole, self.bits and self.bits - by.bit_length() + 1), remainder

    def divide(self, by: int) -> None:
        """Raise what tells quotients apart."""
        ranges = self.space.ranges
        for name, factor in self.terms.items():
            period = by // gcd(factor, by)
            if name[0] in COUNTS and ranges[name][1] - ranges[name][0] >= period:
                raise Residue(name, period)
        name = max(self.terms, key=lambda name: abs(self.terms[name]))
        low, _ = self.range(name)
        self.separate(name, lambda value: (low + self.terms[name] * value) // by)

    def varying(self) -> list[str]:
        """Return the variables that have more than one value, those with the fewest first."""
        sizes = {
            name: high - low for name, (low, high) in self.space.ranges.items() if name in self.terms and low < high
        }
        return sorted(sizes, key=lambda name: sizes[name])

    def separate(self, name: str, case: Callable[[int], object] = lambda _: None) -> NoReturn:
        """Raise Split into the ranges in which a variable makes the same case; into single values, if all do."""
        low, high = self.space.ranges[name]
        if high - low >= VALUES_MAX:
            raise Unproved(f"a question that has too many answers, of {name}")
        parts: list[Range] = []
        for value in range(low, high + 1):
            if parts and case(value) == case(parts[-1][0]):
                parts[-1] = parts[-1][0], value
            else:
                parts.append((value, value))
        raise Split(name, parts if len(parts) > 1 else [(value, value) for value in range(low, high + 1)])

    def __rshift__(self, by: int) -> "Whole":
        return self.divided(1 << by)[0] if by else self

    def __floordiv__(self, by: int) -> "Whole":
        return self.divided(by)[0]

    def __mod__(self, by: int) -> "Whole":
        return self.divided(by)[1]

    def low_bits(self, count: int) -> "Whole":
        if 0 < self.bits <= count:
            return self
        if self.bits:
            # More bits have the same low bits.
            return self if count > -self.bits > 0 else Public(self.space, self.terms, self.constant).low_bits(count)
        low, high = self.range()
        if low >> count == high >> count:
            return self.space.made(self.terms, self.constant - (low >> count << count))
        try:
            return self % (1 << count)
        except (Residue, Split, Unproved):
            if count not in REGISTER_BITS:
                raise
            return self.space.made(self.terms, self.constant, count)

    def __and__(self, mask: int) -> "Whole":
        if not isinstance(mask, int) or mask < 0:
            return NotImplemented
        if self.bits > 0:
            # There are no others: a difference of low bits would not be exact.
            mask &= (1 << self.bits) - 1
        result: Whole = 0
        for bits, sign in transitions(mask):
            result = result + (self.low_bits(bits) * sign if bits else 0)
        return result

    __rand__ = __and__

    def __or__(self, other: int) -> "Whole":
        if not isinstance(other, int) or other < 0:
            return NotImplemented
        if self.bits < 0 and other >> -self.bits == 0:
            # What is above the low bits does not change.
            low = self.low_bits(-self.bits)
            if isinstance(low, int) and low & other == 0:
                return self + other
        result: Whole = self
        for i in range(other.bit_length()):
            if other >> i & 1:
                result = result + (1 - (self >> i & 1) << i)
        return result

    __ror__ = __or__

    def decide(self, case: Callable[[int, int], object]) -> None:
        """Raise Split unless a case, of the least and the largest value, is the same for all values; None is none."""
        if case(*self.range()) is not None:
            return
        for name in sorted(self.terms, key=lambda name: -abs(self.terms[name])):
            low, high = self.range(name)
            factor = self.terms[name]

            def case_of(first: int, last: int, low: int = low, high: int = high, factor: int = factor) -> object:
                ends = factor * first, factor * last
                return case(low + min(ends), high + max(ends))

            parts = in_parts(self.space.ranges[name], case_of, [-end // factor for end in (low, high)])
            if len(parts) > 1:
                raise Split(name, parts)
        if varying := self.varying():
            self.separate(varying[0])
        raise Unproved(f"a question that has more than one answer, of {self}")

    def __lt__(self, other: "Whole") -> bool:
        difference = exact(self) - exact(other)
        if isinstance(difference, int):
            return difference < 0
        difference.decide(lambda low, high: True if high < 0 else False if low >= 0 else None)
        return difference.range()[1] < 0

    def __ge__(self, other: "Whole") -> bool:
        return not self < other

    def __gt__(self, other: "Whole") -> bool:
        return (exact(self) * -1) < (exact(other) * -1)

    def __le__(self, other: "Whole") -> bool:
        return not self > other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | Public):
            return NotImplemented
        if isinstance(other, Public) and (self.terms, self.constant, self.bits) == (
            other.terms,
            other.constant,
            other.bits,
        ):
            return True
        whole = Public(self.space, self.terms, self.constant)
        if isinstance(other, int) and other == 0 and self.bits > 0 and max(map(abs, whole.range())) < 1 << self.bits:
            difference: Whole = whole
        else:
            difference = exact(self) - exact(other)
        if isinstance(difference, int):
            return difference == 0
        if difference.constant % gcd(*difference.terms.values()):
            return False
        difference.decide(lambda low, high: False if high < 0 or low > 0 else True if low == high else None)
        return difference.range() == (0, 0)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.constant, self.bits))

    def __bool__(self) -> bool:
        return self != 0


# A number that is public: an integer, or one that depends on the length.
Whole = Union[int, Public]


def in_parts(whole: Range, case: Callable[[int, int], object], near: Iterable[int]) -> list[Range]:
    """Divide a range near some places, into parts that are as large as possible and have one case, or none."""
    low, high = whole
    cuts = sorted({place + i for place in near for i in range(-1, 3) if low < place + i <= high})
    parts: list[Range] = []
    for first, last in zip([low, *cuts], [*(cut - 1 for cut in cuts), high], strict=True):
        if parts and case(first, last) == case(*parts[-1]) == case(parts[-1][0], last):
            parts[-1] = parts[-1][0], last
        else:
            parts.append((first, last))
    return parts


def exact(number: Whole) -> Whole:
    return number.exact() if isinstance(number, Public) else number


def divided(number: Whole, by: int) -> tuple[Whole, Whole]:
    """Return the quotient, rounded down, and the remainder."""
    return number.divided(by) if isinstance(number, Public) else divmod(number, by)


def range_of(number: Whole) -> Range:
    number = exact(number)
    return number.range() if isinstance(number, Public) else (number, number)
