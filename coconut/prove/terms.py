# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Symbolic words: the values of 32-bit code for all inputs, exact modulo 2^32, with equality by normal form.

A term is bits of atoms, as slices of them: so shifts, masks, rotations and moved bytes cost no atom of their own, and
each way to write them is the same term. An atom is a variable, a sum modulo 2^32 (a multiset of terms, and a constant),
an exclusive or (a set of bits of atoms), or a name for the joined bits of several exclusive ors, without which those of
a cipher would grow from round to round. A term is made once, so that equal terms are the same object.

The normal form tells no more than it can: two terms that differ may still be equal for all inputs, and what has no
normal form raises Unproved. Two that are the same object are equal for all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from coconut.prove.polynomials import Unproved

WORD_BITS = 32
WORD_MAX = (1 << WORD_BITS) - 1

# Bits `first` to `first + bits - 1` of an atom, at bit `at` of a term: (at, bits, atom, first).
Slice = tuple[int, int, int, int]


@dataclass
class Terms:
    """The terms and atoms of a proof. Numbers of atoms and of terms are never used again."""

    known: dict[tuple[Slice, ...], Term] = field(default_factory=dict)
    atoms: dict[tuple[object, ...], int] = field(default_factory=dict)
    results: dict[tuple[object, ...], Any] = field(default_factory=dict)
    # The operands of sums, with their constant, and those of exclusive ors, by the number of the atom.
    sums: dict[int, tuple[int, tuple[Term, ...]]] = field(default_factory=dict)
    xors: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    count: int = 0

    def number(self) -> int:
        self.count += 1
        return self.count

    def atom(self, *key: object) -> int:
        found = self.atoms.get(key)
        if found is None:
            found = self.atoms[key] = self.number()
        return found

    def variable(self, name: str, bits: int = WORD_BITS) -> Term:
        term = self.term([(0, bits, self.atom("variable", name, bits), 0)])
        assert isinstance(term, Term)
        return term

    def term(self, slices: Iterable[Slice]) -> Term | int:
        """Return the term of slices in ascending order, which do not overlap; 0 for none."""
        merged: list[Slice] = []
        for at, bits, atom, first in slices:
            if merged:
                before_at, before_bits, before, before_first = merged[-1]
                if before == atom and before_at + before_bits == at and before_first + before_bits == first:
                    merged[-1] = before_at, before_bits + bits, atom, before_first
                    continue
            merged.append((at, bits, atom, first))
        key = tuple(merged)
        found = self.known.get(key)
        if found is None:
            if not key:
                return 0
            found = self.known[key] = Term(self, key, self.number())
        return found

    def sum(self, constant: int, operands: tuple[Term, ...]) -> Term | int:
        """Return a sum modulo 2^32."""
        constant &= WORD_MAX
        if not operands:
            return constant
        if len(operands) == 1 and constant == 0:
            return operands[0]
        atom = self.atom("sum", constant, tuple(operand.number for operand in operands))
        self.sums[atom] = constant, operands
        return self.term([(0, WORD_BITS, atom, 0)])

    def xor(self, *slices: tuple[int, int]) -> tuple[int, int] | None:
        """Return the atom and the first bit of an exclusive or of bits of atoms; None if it is zero."""
        bits: set[tuple[int, int]] = set()
        for atom, first in slices:
            bits ^= {(part, first + offset) for part, offset in self.xors.get(atom, ((atom, 0),))}
        if not bits:
            return None
        ordered = sorted(bits)
        if len(ordered) == 1:
            return ordered[0]
        base = ordered[0][1]
        parts = tuple((atom, first - base) for atom, first in ordered)
        atom = self.atom("xor", parts)
        self.xors[atom] = parts
        return atom, base

    def tables(self) -> tuple[dict[Any, Any], ...]:
        return self.known, self.atoms, self.results, self.sums, self.xors

    def mark(self) -> tuple[int, ...]:
        """Return what `forget` goes back to."""
        return tuple(len(table) for table in self.tables())

    def rollback(self, mark: tuple[int, ...]) -> None:
        """Undo what was made after a mark, which must not be used any more."""
        for table, length in zip(self.tables(), mark, strict=True):
            while len(table) > length:
                table.popitem()


def remembered(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Compute an operation on the same operands once."""
    name = operation.__name__

    @wraps(operation)
    def result(self: Term, other: Any) -> Any:
        results = self.terms.results
        is_term = isinstance(other, Term)
        key = (name, self.number, is_term, other.number if is_term else other)
        found = results.get(key)
        if found is None:
            found = results[key] = operation(self, other)
        return found

    return result


class Symbolic:
    """A value that is not known: no decision depends on it."""

    __slots__ = ()

    def refuse(self, *_: object) -> Any:
        raise Unproved("a decision that depends on a symbolic word")

    __bool__ = __int__ = __index__ = __lt__ = __le__ = __gt__ = __ge__ = refuse

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, int) and bool(self.refuse())

    __hash__ = object.__hash__


class Term(Symbolic):
    """A number, by slices of atoms; all other bits are zero."""

    __slots__ = ("terms", "slices", "number", "end")

    def __init__(self, terms: Terms, slices: tuple[Slice, ...], number: int) -> None:
        self.terms, self.slices, self.number = terms, slices, number
        self.end = slices[-1][0] + slices[-1][1]

    def __and__(self, mask: Any) -> Any:
        if not isinstance(mask, int):
            raise Unproved("and of two symbolic words")
        # The mask most in use covers the term.
        return self if (mask >> self.end - 1) & 1 and not ~mask & (1 << self.end) - 1 else self.masked(mask)

    @remembered
    def masked(self, mask: int) -> Term | int:
        kept: list[Slice] = []
        for at, bits, atom, first in self.slices:
            start = 0
            while start < bits:
                rest = mask >> at + start
                ends = ~rest if rest & 1 else rest
                length = min((ends & -ends).bit_length() - 1 if ends else bits, bits - start)
                if rest & 1:
                    kept.append((at + start, length, atom, first + start))
                start += length
        return self.terms.term(kept)

    @remembered
    def __lshift__(self, by: int) -> Term | int:
        if by < 0:
            raise Unproved(f"a shift by {by}")
        return self.terms.term((at + by, bits, atom, first) for at, bits, atom, first in self.slices)

    @remembered
    def __rshift__(self, by: int) -> Term | int:
        if by < 0:
            raise Unproved(f"a shift by {by}")
        kept = []
        for at, bits, atom, first in self.slices:
            cut = max(by - at, 0)
            if cut < bits:
                kept.append((at + cut - by, bits - cut, atom, first + cut))
        return self.terms.term(kept)

    @remembered
    def __or__(self, other: Any) -> Any:
        if other is self or isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Term):
            raise Unproved("or of a symbolic word and a constant")
        slices = sorted(self.slices + other.slices)
        if any(at + bits > after[0] for (at, bits, _, _), after in zip(slices, slices[1:])):
            raise Unproved("or of symbolic words whose bits overlap")
        return self.terms.term(slices)

    @remembered
    def __xor__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self
        if not isinstance(other, Term):
            raise Unproved("exclusive or of a symbolic word and a constant")
        both = (self.slices, other.slices)
        edges = sorted({edge for slices in both for at, bits, _, _ in slices for edge in (at, at + bits)})
        result: list[Slice] = []
        for start, end in zip(edges, edges[1:]):
            parts = [
                (atom, first + start - at)
                for slices in both
                for at, bits, atom, first in slices
                if at <= start < at + bits
            ]
            found = self.terms.xor(*parts) if parts else None
            if found is not None:
                result.append((start, end - start, *found))
        made = self.terms.term(result)
        if isinstance(made, Term) and len({atom for _, _, atom, _ in result}) > 1:
            return self.terms.term([(0, made.end, self.terms.atom("joined", *made.slices), 0)])
        return made

    def __add__(self, other: Any) -> Any:
        return Sum(self.terms, *as_sum(self)) + other

    def __sub__(self, other: int) -> Any:
        return self + -other

    __rand__, __ror__, __rxor__, __radd__ = __and__, __or__, __xor__, __add__


class Sum(Symbolic):
    """A sum of which only 32 bits have a meaning, and those only after a mask."""

    __slots__ = ("terms", "constant", "operands")

    def __init__(self, terms: Terms, constant: int, operands: tuple[Term, ...]) -> None:
        self.terms, self.constant, self.operands = terms, constant, operands

    def __add__(self, other: Any) -> Sum:
        constant, operands = as_sum(other)
        both = tuple(sorted(self.operands + operands, key=lambda term: term.number))
        return Sum(self.terms, self.constant + constant, both)

    def __sub__(self, other: int) -> Sum:
        return self + -other

    def __and__(self, mask: Any) -> Any:
        if not isinstance(mask, int) or not 0 <= mask <= WORD_MAX:
            raise Unproved("more than 32 bits of a sum")
        return self.terms.sum(self.constant, self.operands) & mask

    __radd__, __rand__ = __add__, __and__


def as_sum(value: Any) -> tuple[int, tuple[Term, ...]]:
    """Return a value as a constant and operands, modulo 2^32."""
    if isinstance(value, int):
        return value, ()
    if isinstance(value, Sum):
        return value.constant, value.operands
    if not isinstance(value, Term):
        raise Unproved(f"a sum with {value}")
    low = value & WORD_MAX
    if not isinstance(low, Term):
        return 0, ()
    ((at, bits, atom, first), *more) = low.slices
    if not more and (at, bits, first) == (0, WORD_BITS, 0) and atom in value.terms.sums:
        return value.terms.sums[atom]
    return 0, (low,)
