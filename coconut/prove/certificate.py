# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write down what polynomials.py does, so that checker.py can verify it without its heuristics.

A line of a certificate is a JSON array: its number, its kind, and the rest. Numbers are integers that depend on the
inputs. A number, a variable and a fact are named by their lines. A polynomial is a list of [coefficient, variable, ...].
The statement, which is to be read:

  input NAME LOW HIGH            a number of which only the range is assumed; and a variable
  modulus P                      of elements; without this line, which is the first, it is p = 2^130 - 5
  value NAME                     any integer, the value of elements modulo p; and a variable
  given POLY LOW HIGH            an input that is assumed to be a polynomial in inputs, with a range
  element NUMBERS WEIGHTS POLY   inputs are assumed to have this weighted sum modulo p
  + - * >> & | ^ < [A, B] FACTS  an operation on integers, as Python has it; constants are in hexadecimal; | and ^
                                 are variables, if nothing else says what they are
  claim NAME range NUMBER LOW HIGH
  claim NAME value NUMBERS WEIGHTS POLY        the weighted sum is the polynomial modulo p
  claim NAME multiple NUMBERS WEIGHTS MODULUS  the weighted sum is a multiple; of 0: it is 0

Its proof:

  constant NUMBER VALUE          the number has only this value, and is written as a constant from here on
  exact NUMBER FACT              the number, as what 64 bits hold of its polynomial
  quotient BITS POLY             a variable, POLY / 2^BITS, rounded down; and a fact on POLY - 2^BITS * variable
  name NAME NUMBER               a variable, the polynomial of the number
  renamed NUMBER VARIABLE        the number, written by the name of its polynomial
  relation VARIABLES WEIGHTS     of names of limbs: as an element, whose value is that of what they stand for
  bound POLY                     a fact: the polynomial is within what the ranges of its variables give
  sum [[C, FACT], ...] D E       a fact: the sum of C times FACT, plus D, divided by E; the range is rounded inwards
  cases POLY OTHER CASES         a fact: for each value of the polynomial OTHER, facts on what equals POLY with that
                                 value, and the difference from POLY, divided by OTHER - value
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

Poly = dict[tuple[int, ...], int]
Operand = int | str  # the number of a line, or a constant in hexadecimal

NONE = -1  # the place of what is not in a certificate


class Certificate:
    """What was done so far. A method returns the number of the line that it adds, or of the same line before.

    variables: the line of each variable.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.lines: list[str] = []
        self.facts: dict[str, int] = {}
        self.variables: list[int] = []
        self.claims: list[str] = []
        self.line("certificate", title)

    def line(self, kind: str, *rest: object) -> int:
        self.lines.append(json.dumps([len(self.lines), kind, *rest], separators=(",", ":")))
        return len(self.lines) - 1

    def fact(self, kind: str, *rest: object) -> int:
        """Add a line unless there is the same."""
        key = json.dumps([kind, *rest])
        if key not in self.facts:
            self.facts[key] = self.line(kind, *rest)
        return self.facts[key]

    def variable(self, kind: str, *rest: object) -> int:
        """Add a line that makes the next variable."""
        self.variables.append(self.line(kind, *rest))
        return self.variables[-1]

    def terms(self, poly: Poly) -> list[list[int]]:
        return [[coefficient, *(self.variables[v] for v in monomial)] for monomial, coefficient in poly.items()]

    def operation(self, op: str, operands: Sequence[Operand], facts: Sequence[int] = ()) -> int:
        return self.line(op, list(operands), list(facts))

    def element(self, limbs: Sequence[Operand], weights: Sequence[int], value: Poly) -> None:
        self.line("element", list(limbs), list(weights), self.terms(value))

    def renamed(self, place: int, variable: int) -> int:
        return self.line("renamed", place, self.variables[variable])

    def bound(self, poly: Poly) -> int:
        return self.fact("bound", self.terms(poly))

    def sum(self, terms: Iterable[tuple[int, int]], constant: int = 0, divisor: int = 1) -> int:
        return self.fact("sum", [list(term) for term in terms], constant, divisor)

    def cases(self, poly: Poly, other: Poly, cases: Iterable[Iterable[tuple[int, Poly]]]) -> int:
        facts = [[[fact, self.terms(factor)] for fact, factor in case] for case in cases]
        return self.fact("cases", self.terms(poly), self.terms(other), facts)

    def claim(self, name: str, kind: str, *rest: object) -> None:
        self.claims.append(name)
        self.line("claim", name, kind, *rest)

    def text(self) -> str:
        """Return the certificate; its end says how many claims there are, so that none can be missing."""
        end = json.dumps([len(self.lines), "end", len(self.claims)], separators=(",", ":"))
        return "\n".join([*self.lines, end, ""])

    def write(self, path: Path) -> None:
        path.write_text(self.text())
