# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verify certificates of proofs, without anything of coconut: python checker.py FILE...

certificate.py says what a certificate consists of. Each number equals a polynomial in variables for all inputs, or, if
it wraps, modulo 2^64; as WORD, it is in 64 bits. Everything is computed anew here."""

import json
import sys
from collections import Counter
from functools import reduce
from itertools import combinations
from math import gcd
from typing import Any

P, WORD_MAX = 2**130 - 5, 2**64 - 1
EXACT, WORD, SUM = 0, 1, 2
OPERATIONS = ("+", "-", "*", ">>", "&", "|", "^", "<")
Poly = dict[tuple[int, ...], int]
Range = tuple[int, int]


class Refused(Exception):
    """The certificate is wrong."""


def require(holds: bool, reason: str) -> None:
    if not holds:
        raise Refused(reason)


def add(a: Poly, b: Poly, factor: int = 1) -> Poly:
    result = dict(a)
    for monomial, coefficient in b.items():
        result[monomial] = result.get(monomial, 0) + factor * coefficient
    return {monomial: c for monomial, c in result.items() if c}


def multiply(a: Poly, b: Poly, modulus: int = 0) -> Poly:
    result: Poly = {}
    for m, x in a.items():
        for n, y in b.items():
            monomial = tuple(sorted(m + n))
            result[monomial] = result.get(monomial, 0) + x * y
    return {m: c % modulus if modulus else c for m, c in result.items() if (c % modulus if modulus else c)}


def divide(poly: Poly, divisor: int) -> Poly:
    require(divisor > 0 and all(c % divisor == 0 for c in poly.values()), f"a coefficient is no multiple of {divisor}")
    return {monomial: c // divisor for monomial, c in poly.items()}


def product(a: Range, b: Range) -> Range:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


class Checker:
    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}  # of variables; values have none
        self.inputs, self.values = set[int](), set[int]()  # variables
        self.names: dict[int, Poly] = {}  # by lines: what the name stands for
        self.known: dict[frozenset[tuple[tuple[int, ...], int]], Range] = {}  # ranges of polynomials
        self.polys: dict[int, Poly] = {}  # of numbers and facts, by line
        self.wraps, self.bits = dict[int, int](), dict[int, Poly | None]()  # of numbers; with a bit of 0, they are 0
        self.done, self.xors = dict[Any, int](), dict[Any, Any]()  # lines of operations; operands, by results
        self.modulus, self.solved = P, dict[int, Poly]()  # of elements; variables, modulo that
        self.counts: Counter[str] = Counter()

    def poly(self, terms: Any, allowed: Any) -> Poly:
        """Read a polynomial, in certain variables."""
        result: Poly = {}
        for coefficient, *variables in terms:
            require(type(coefficient) is int and all(v in allowed for v in variables), "a term that may not be here")
            result = add(result, {tuple(sorted(variables)): coefficient})
        return result

    def bound(self, poly: Poly) -> Range:
        """Return the range that follows from those of the variables, and what is known."""
        low = high = 0
        for monomial, coefficient in poly.items():
            limits = reduce(product, (self.ranges[variable] for variable in monomial), (coefficient, coefficient))
            low, high = low + limits[0], high + limits[1]
        known = self.known.get(frozenset(poly.items()), (low, high))
        return max(low, known[0]), min(high, known[1])

    def range(self, poly: Poly) -> Range:
        return self.known[frozenset(poly.items())] if poly and poly.keys() != {()} else (poly.get((), 0),) * 2

    def fact(self, at: int, poly: Poly, low: int, high: int) -> None:
        require(type(low) is type(high) is int, "no integer")
        least, most = self.known.get(key := frozenset(poly.items()), (low, high))
        self.polys[at], self.known[key] = poly, (max(low, least), min(high, most))
        require(self.known[key][0] <= self.known[key][1], "an empty range")

    def number(self, at: int, poly: Poly, low: int, high: int, wraps: int = EXACT, bit: Poly | None = None) -> None:
        self.fact(at, poly, low, high)
        self.wraps[at], self.bits[at] = wraps, bit

    def operand(self, operand: Any, exact: bool = True) -> tuple[Poly, Range]:
        """Return the polynomial and the range of a number, or of a constant."""
        require(not exact or not self.wraps.get(operand), "a number that wraps")
        poly = self.polys[operand] if operand in self.wraps else add({}, {(): int(operand, 16)})
        return poly, self.range(poly)

    def divided(self, poly: Poly, fact: int, bits: int) -> tuple[Poly, Poly]:
        """Return what is above the low bits of a polynomial, and these, as a fact says them."""
        found = self.polys[fact]
        require(bits <= 1024, "too many bits")
        require(self.range(found)[0] >= 0 and self.range(found)[1] >> bits == 0, f"line {fact} exceeds {bits} bits")
        return divide(add(poly, found, -1), 1 << bits), found

    def disjoint(self, x: Poly, y: Poly) -> bool:
        """Return whether neither is negative, and all bits of one polynomial are below those of the other one."""
        (low_x, high_x), (low_y, high_y) = self.bound(x), self.bound(y)
        below = [all(c % (1 << high.bit_length()) == 0 for c in z.values()) for high, z in ((high_x, y), (high_y, x))]
        return min(low_x, low_y) >= 0 and any(below)

    def reduce(self, poly: Poly) -> Poly:
        """Return the same modulo p, with what is solved."""
        result: Poly = {}
        for monomial, coefficient in poly.items():
            reduced: Poly = {(): coefficient}
            for variable in monomial:
                reduced = multiply(reduced, self.solved.get(variable, {(variable,): 1}), self.modulus)
            for m, c in reduced.items():
                result[m] = result.get(m, 0) + c
        return multiply(result, {(): 1}, self.modulus)

    def weighted(self, operands: Any, weights: Any, modulus: int = 0) -> Poly:
        """Return a weighted sum; modulo something, numbers may wrap if 2^64 times the weight is a multiple."""
        total: Poly = {}
        for operand, weight in zip(operands, weights, strict=True):
            total = add(total, self.operand(operand, not modulus or (weight << 64) % modulus != 0)[0], weight)
        return total

    def solve(self, operands: Any, weights: Any, value: Poly) -> None:
        """Solve a weighted sum that is value modulo p for its first variable."""
        ((((variable,), coefficient),),) = (self.operand(operands[0])[0].items(),)
        coefficient *= weights[0]
        rest = add(value, add(self.weighted(operands, weights), {(variable,): coefficient}, -1), -1)
        require(variable not in self.solved and all(variable not in m for m in rest), "the first limb is elsewhere")
        self.solved[variable] = multiply(rest, {(): pow(coefficient, -1, self.modulus)}, self.modulus)

    def line(self, at: int, kind: str, *rest: Any) -> None:
        match kind, *rest:
            case "modulus", modulus if at == 1 and type(modulus) is int and modulus > 1:
                self.modulus = modulus
            case "input", _, low, high:
                self.number(at, {(at,): 1}, low, high)
                self.ranges[at] = low, high
                self.inputs.add(at)
            case "value", _:
                self.values.add(at)
            case "given", terms, low, high:
                self.number(at, self.poly(terms, self.inputs), low, high)
            case "element", operands, weights, terms:
                require(not {v for m in self.weighted(operands, weights) for v in m} - self.inputs, "not of inputs")
                self.solve(operands, weights, self.poly(terms, self.inputs | self.values))
            case "constant", number, value:
                require(self.operand(number)[1] == (value, value), "it may be another number")
                self.polys[number] = add({}, {(): value})
            case "exact", number, fact:
                wraps, (low, high) = self.wraps[number], self.range(self.polys[number])
                require(wraps == WORD or wraps == EXACT and 0 <= low <= high <= WORD_MAX, "no word")
                self.number(at, self.divided(self.polys[number], fact, 64)[1], 0, WORD_MAX)
            case "quotient", bits, terms:
                require(bits <= 1024, "too many bits")
                poly = self.poly(terms, self.ranges)
                self.ranges[at] = self.bound(poly)[0] >> bits, self.bound(poly)[1] >> bits
                self.fact(at, add(poly, {(at,): 1}, -1 << bits), 0, (1 << bits) - 1)
            case "name", _, number:
                self.names[at], self.ranges[at] = self.polys[number], self.bound(self.polys[number])
                self.number(at, {(at,): 1}, *self.ranges[at])
            case "renamed", number, name:
                require(self.polys[number] == self.names[name], "the name of something else")
                self.number(at, {(name,): 1}, *self.range(self.polys[number]), self.wraps[number], self.bits[number])
            case "relation", names, weights:
                terms = [multiply(self.names[name], {(): weight}) for name, weight in zip(names, weights, strict=True)]
                self.solve(names, weights, self.reduce(reduce(add, terms)))
            case "bound", terms:
                poly = self.poly(terms, self.ranges)
                self.fact(at, poly, *self.bound(poly))
            case "sum", terms, number, divisor:
                poly, low, high = add({}, {(): number}), number, number
                for coefficient, fact in terms:
                    poly = add(poly, self.polys[fact], coefficient)
                    limits = product((coefficient, coefficient), self.range(self.polys[fact]))
                    low, high = low + limits[0], high + limits[1]
                self.fact(at, divide(poly, divisor), -(-low // divisor), high // divisor)
            case "cases", terms, other, cases:
                # Facts on what equals the polynomial but for a multiple of other - value.
                poly, split, each = self.poly(terms, self.ranges), self.poly(other, self.ranges), list[Range]()
                for value, facts in zip(range(self.bound(split)[0], self.bound(split)[1] + 1), cases, strict=True):
                    for fact, factor in facts:
                        difference = multiply(add(split, {(): -value}), self.poly(factor, self.ranges))
                        require(add(poly, self.polys[fact], -1) == difference, f"line {fact} is on something else")
                    ranges = [self.range(self.polys[fact]) for fact, _ in facts]
                    each.append((max(ranges)[0], min(high for _, high in ranges)))
                self.fact(at, poly, min(each)[0], max(high for _, high in each))
            case "claim", name, "range", number, low, high:
                least, most = self.operand(number)[1]
                require(low <= least and most <= high, f"{name} may be {least} to {most}")
            case "claim", name, "value", numbers, weights, terms:
                difference = add(self.weighted(numbers, weights), self.poly(terms, self.inputs | self.values), -1)
                require(not self.reduce(difference), f"{name} is another number")
            case "claim", name, "multiple", numbers, weights, modulus:
                require(not multiply(self.weighted(numbers, weights, modulus), {(): 1}, modulus), f"{name} is none")
            case "end", claims:
                require(claims == self.counts["claim"], "there were other claims")
            case _:
                require(False, "a line of no known kind")

    def operation(self, at: int, op: str, operands: Any, facts: Any) -> None:
        a, b = operands
        self.done[op, a, b] = at
        if op == "&" and isinstance(b, str):
            self.mask(at, a, int(b, 16), facts)
            return
        (x, in_x), (y, in_y) = (self.operand(operand, op not in ("+", "-", "*")) for operand in operands)
        ones = (1 << max(in_x[1], in_y[1], 0).bit_length()) - 1
        wraps = SUM if self.wraps.get(a) or self.wraps.get(b) else EXACT
        if op == "*":
            self.number(at, multiply(x, y), *product(in_x, in_y), wraps)
        elif op in ("+", "-"):
            low, high = in_y if op == "+" else (-in_y[1], -in_y[0])
            self.number(at, add(x, y, 1 if op == "+" else -1), in_x[0] + low, in_x[1] + high, wraps)
        elif op == ">>":
            bits = int(b, 16)
            self.number(at, self.divided(x, facts[0], bits)[0], in_x[0] >> bits, in_x[1] >> bits)
        elif op == "<":
            require(max(in_x[1] - in_y[0], in_y[1] - in_x[0]) <= WORD_MAX, "a comparison of other than words")
            self.number(at, add({}, self.divided(add(x, y, -1), facts[0], 64)[0], -1), 0, 1)
        elif op == "&":
            self.both(at, a, b, facts)
        elif op == "^" and x in (pair := self.xors.get((op, frozenset(y.items())), ())):
            self.number(at, pair[x == pair[0]], *self.bound(pair[x == pair[0]]))
        elif op == "|" and self.disjoint(x, y):
            self.number(at, add(x, y), in_x[0] + in_y[0], min(in_x[1] + in_y[1], ones))
        else:
            require(min(in_x[0], in_y[0]) >= 0, "of what may be negative")
            common, result = self.done.get(("&", a, b), self.done.get(("&", b, a))), add({}, {(at,): 1})
            self.ranges[at] = 0, ones  # a variable, of which nothing else is known if the and is not
            if common is not None:
                result = add(add(x, y), self.operand(common)[0], -1 if op == "|" else -2)
            self.xors[op, frozenset(result.items())] = x, y
            self.number(at, result, 0, ones)

    def mask(self, at: int, operand: Any, mask: int, facts: Any) -> None:
        """And with a constant, which is not negative; there is a fact for each end of a run of ones."""
        (poly, (low, high)), wraps = self.operand(operand, False), self.wraps.get(operand)
        if mask == WORD_MAX and not facts:
            self.number(at, poly, low, high, EXACT if low >= 0 and high <= WORD_MAX else WORD)
            return
        require(0 <= mask and (not wraps or mask <= WORD_MAX), "bits that the number has not")
        changes, result = mask ^ mask << 1, add({}, {})
        ends = [i for i in range(1, changes.bit_length()) if changes >> i & 1]
        for bits, fact in zip(ends, facts, strict=True):
            result = add(result, self.divided(poly, fact, bits)[1], -1 if mask >> bits & 1 else 1)
        self.number(at, result, 0, mask if wraps or low < 0 else min(high, mask), EXACT, self.bits[operand])

    def both(self, at: int, a: int, b: int, facts: Any) -> None:
        """And of disjoint bits beside a part of both; of what is 0 with one of two bits; of a constant times a bit."""
        (x, limits), (y, (low, high)) = self.operand(a), self.operand(b)
        common, bits = self.polys[facts[0]] if facts else {}, (self.bits[a], self.bits[b])
        parts = combinations((common, add(x, common, -1), add(y, common, -1)), 2)
        exclusive = bits[0] is not None and bits[1] is not None and self.bound(add(bits[0], bits[1]))[1] <= 1
        if exclusive and not facts or all(self.disjoint(*pair) for pair in parts):
            self.number(at, common, *self.range(common))
            return
        ones = -1 if -1 <= low and high <= 0 else gcd(*y.values())
        if ones > 0:
            require(0 <= low and high <= ones, "and of other than a bit, times a constant")
            x, limits = self.operand(self.done["&", a, hex(ones)])
        bit = divide(add({}, y, ones // abs(ones)), abs(ones))
        self.number(at, multiply(x, bit), min(0, limits[0]), max(0, limits[1]), EXACT, bit)

    def check(self, lines: list[str]) -> None:
        decoder = json.JSONDecoder(parse_float=str, parse_constant=str)
        for at, text in enumerate(lines or [""]):
            try:
                number, kind, *rest = decoder.decode(text)
                require(number == at and (kind == "end") == (at == len(lines) - 1), "a line that is not in its place")
                self.counts["operation" if kind in OPERATIONS else kind] += 1
                if kind in OPERATIONS:
                    self.operation(at, kind, *rest)
                elif kind != "certificate":
                    self.line(at, kind, *rest)
            except (Refused, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise Refused(f"line {at}: {type(error).__name__}: {error}: {text[:100].strip()}") from None


if __name__ == "__main__":
    for path in sys.argv[1:] or sys.exit("checker.py: which certificates?"):
        checker = Checker()
        try:
            with open(path, encoding="utf-8") as file:
                checker.check(file.readlines())
        except Refused as refusal:
            sys.exit(f"{path}: REFUSED: {refusal}")
        print(f"{path}: verified: " + ", ".join(f"{count} {kind}" for kind, count in checker.counts.items()))
