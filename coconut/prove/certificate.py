# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write down what polynomials.py does, so that checker.py can verify it without its heuristics.

A certificate is a sequence of lines, JSON arrays of the line's number, its kind and what checker.py says of that kind.
Lines of one part are the statement: inputs, operations, assumptions, claims. The other lines are its proof.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

Poly = dict[tuple[int, ...], int]
Operand = int | str  # the number of a line, or a constant in hexadecimal

VERSION = 1
NONE = -1  # the place of what is not in a certificate


def as_list(poly: Poly) -> list[list[int]]:
    return [[coefficient, *monomial] for monomial, coefficient in poly.items()]


class Certificate:
    """What was done so far. A method returns the number of the line that it adds, or of the same line before."""

    def __init__(self, title: str) -> None:
        self.lines: list[str] = []
        self.facts: dict[str, int] = {}
        self.claims: list[str] = []
        self.line("certificate", VERSION, title)

    def line(self, kind: str, *rest: object) -> int:
        self.lines.append(json.dumps([len(self.lines), kind, *rest], separators=(",", ":")))
        return len(self.lines) - 1

    def fact(self, kind: str, *rest: object) -> int:
        """Add a line unless there is the same."""
        key = json.dumps([kind, *rest])
        if key not in self.facts:
            self.facts[key] = self.line(kind, *rest)
        return self.facts[key]

    def input(self, variable: int, name: str, low: int, high: int) -> int:
        return self.line("input", variable, name, low, high)

    def value(self, variable: int, name: str) -> None:
        self.line("value", variable, name)

    def given(self, poly: Poly, low: int, high: int) -> int:
        return self.line("given", as_list(poly), low, high)

    def element(self, limbs: Sequence[Operand], weights: Sequence[int], value: Poly) -> None:
        self.line("element", list(limbs), list(weights), as_list(value))

    def operation(self, op: str, operands: Sequence[Operand], facts: Sequence[int] = ()) -> int:
        return self.line(op, list(operands), list(facts))

    def constant(self, place: int, value: int) -> None:
        """The number of that line is a constant."""
        self.line("constant", place, value)

    def exact(self, place: int, fact: int) -> int:
        return self.line("exact", place, fact)

    def name(self, variable: int, name: str, place: int) -> int:
        """The variable stands for the polynomial of a number."""
        return self.line("name", variable, name, place)

    def renamed(self, place: int, variable: int) -> int:
        return self.line("renamed", place, variable)

    def relation(self, limbs: Sequence[int], weights: Sequence[int]) -> None:
        """The names of an element's limbs are related as what they stand for."""
        self.line("relation", list(limbs), list(weights))

    def quotient(self, variable: int, poly: Poly, bits: int) -> int:
        return self.line("quotient", variable, bits, as_list(poly))

    def bound(self, poly: Poly) -> int:
        """A polynomial lies in what its variables' ranges give, and what is known of it."""
        return self.fact("bound", as_list(poly))

    def sum(self, terms: Iterable[tuple[int, int]], constant: int = 0, divisor: int = 1) -> int:
        """A sum of facts, each times a coefficient, and of a constant, divided."""
        return self.fact("sum", [list(term) for term in terms], constant, divisor)

    def cases(self, poly: Poly, variable: int, facts: Sequence[Sequence[int]]) -> int:
        """A polynomial lies in what it lies in for each value of a variable, by the facts for that value."""
        return self.fact("cases", as_list(poly), variable, [list(case) for case in facts])

    def claim(self, name: str, kind: str, *rest: object) -> None:
        self.claims.append(name)
        self.line("claim", name, kind, *rest)

    def text(self) -> str:
        """Return the certificate; its end says how much there is, so that nothing can be missing."""
        end = json.dumps([len(self.lines), "end", len(self.claims)], separators=(",", ":"))
        return "\n".join([*self.lines, end, ""])

    def write(self, path: Path) -> None:
        path.write_text(self.text())
