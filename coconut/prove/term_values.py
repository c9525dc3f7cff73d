# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Evaluate symbolic words: what they and the numbers that they become are, if their variables have values.

Nothing here is taken from how terms are made: an atom's value follows from its definition alone.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from coconut.prove.polynomials import WORD_BITS, Number, Ring, Values
from coconut.prove.terms import ONES, WORD_MAX, Slice, Terms


class WordValues(Values):
    """What words and numbers are if variables have values: those of terms by their names, those of the ring by number.

    also_numbers: whether a word must also agree as a number. A variable of the ring that is a piece of an atom has the
    bits of the atom's value. Kinds of words are told by what
    they have, so that those of a changed copy of terms.py are evaluated, too.
    """

    def __init__(self, terms: Terms, numbers: Mapping[str, int], inputs: Mapping[int, int] | None = None) -> None:
        super().__init__(terms.ring or Ring(), inputs or {})
        self.terms, self.numbers = terms, numbers
        self.atoms: dict[int, int] = {}
        self.keys: dict[int, tuple[Any, ...]] = {}
        self.pieces: dict[int, tuple[int, int, int]] = {}
        self.also_numbers = True

    def of(self, variable: int) -> int:
        if variable not in self.known:
            if variable not in self.pieces:
                # A sum that cannot wrap is no variable, but the sum of its operands' pieces.
                self.pieces = {
                    monomial[0]: (atom, first, bits)
                    for atom, pieces in self.terms.pieces.items()
                    if atom not in self.terms.sums or len(pieces[0][2].poly) == 1
                    for first, bits, number in pieces
                    for monomial in number.poly
                }
            if variable in self.pieces:
                atom, first, bits = self.pieces[variable]
                self.known[variable] = self.of_atom(atom) >> first & (1 << bits) - 1
                limits = self.ring.ranges[variable]
                self.in_range &= limits is not None and limits[0] <= self.known[variable] <= limits[1]
        return super().of(variable)

    def of_atom(self, atom: int) -> int:
        if atom == ONES:
            return (1 << 64) - 1
        if atom not in self.atoms:
            if atom not in self.keys:
                self.keys = {number: key for key, number in self.terms.atoms.items()}
            kind, *rest = self.keys[atom]
            if kind == "variable":
                value = self.numbers[rest[0]]
            elif kind == "sum":
                constant, operands = self.terms.sums[atom]
                value = constant + sum(self.of_slices(operand.slices) for operand in operands) & WORD_MAX
            elif kind == "xor":
                # Bits below the first of an operand have no meaning, and none are in a term.
                parts, is_inverted = self.terms.xors[atom]
                value = -int(is_inverted)
                for part, offset in parts:
                    number = self.of_atom(part)
                    value ^= number >> offset if offset >= 0 else number << -offset
            elif kind == "function":
                function, operands = self.terms.functions[atom]
                value = function(*map(self.of_word, operands))
            else:
                value = self.of_slices(self.terms.joins[atom])
            self.atoms[atom] = value
        return self.atoms[atom]

    def of_slices(self, slices: Iterable[Slice]) -> int:
        return sum((self.of_atom(atom) >> first & (1 << bits) - 1) << at for at, bits, atom, first in slices)

    def of_word(self, word: Any) -> int:
        """Return the value of a term, a sum, a comparison, or a number."""
        if isinstance(word, Number):
            return self.at(word.poly)
        if hasattr(word, "slices"):
            return self.of_slices(word.slices)
        if hasattr(word, "operands"):
            return int(word.constant) + sum(self.of_word(operand) for operand in word.operands)
        if hasattr(word, "pairs"):
            found = int(word.public)
            for number, term in word.pairs:
                one = self.of_word(number)
                found |= (
                    one if isinstance(number, int) or not number.wraps else one % (1 << WORD_BITS)
                ) ^ self.of_word(term)
            return found
        return int(word)

    def agree(self, word: Any, value: int) -> bool:
        """Return whether a word or number has that value; a word also as the number that it becomes."""
        if isinstance(word, Number | int):
            return super().agree(word, value)
        becomes = self.also_numbers and hasattr(word, "value")
        return self.of_word(word) == value and (not becomes or super().agree(word.value(), value))
