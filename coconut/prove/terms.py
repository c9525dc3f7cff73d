# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Symbolic words: the values of code for all inputs, with equality by normal form.

A term is bits of atoms, as slices of them: so shifts, masks, rotations and moved bytes cost no atom of their own, and
each way to write them is the same term. An atom has 32 bits, and is a variable, a sum modulo 2^32 (a multiset of terms,
and a constant), an exclusive or (a set of bits of atoms, maybe inverted), or a name for the joined bits of several
exclusive ors, without which those of a cipher would grow from round to round, or a function of words, of which no more is
known. The bits of a constant are slices of an atom of ones. A term is made once, so that equal terms are the same object.

Arithmetic on more than 32 bits makes a polynomial number (polynomials.py) of a term: each atom is a variable of 32 bits,
or of given pieces. So what was a word becomes the same number whenever that happens.

The normal form tells no more than it can: two terms that differ may still be equal for all inputs, and what has no
normal form raises Unproved. Two that are the same object are equal for all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce, wraps
from itertools import pairwise
from operator import and_, attrgetter, xor
from typing import Any

from coconut.prove.polynomials import Number, Ring, Unproved

WORD_BITS = 32
WORD_MAX = (1 << WORD_BITS) - 1
# The atom whose bits are all 1, of which each slice is from bit 0 on.
ONES = 0

# By which the operands of a sum are in order.
NUMBER = attrgetter("number")

# Bits `first` to `first + bits - 1` of an atom, at bit `at` of a term: (at, bits, atom, first).
Slice = tuple[int, int, int, int]


def ones_of(constant: int) -> tuple[Slice, ...]:
    """Return a constant as slices."""
    found, at = [], 0
    while rest := constant >> at:
        at += (rest & -rest).bit_length() - 1
        rest = constant >> at
        bits = (~rest & rest + 1).bit_length() - 1
        found.append((at, bits, ONES, 0))
        at += bits
    return tuple(found)


def turned(slices: Sequence[Slice]) -> tuple[tuple[Slice, ...], int]:
    """Return the slices of a word of 32 bits, rotated so that the one with the least atom and bit is the first, and by how
    much that must be rotated to be the word."""
    parts = list(slices)
    (_, bits, atom, first), (at, before, last, begin) = parts[0], parts[-1]
    if last == atom and begin + before == first and len(parts) > 1:
        parts = [*parts[1:-1], (at, before + bits, last, begin)]
    start = min(range(len(parts)), key=lambda i: parts[i][2:])
    place, found = 0, []
    for _, bits, atom, first in (*parts[start:], *parts[:start]):
        found.append((place, bits, atom, first))
        place += bits
    return tuple(found), parts[start][0]


def cut(*words: Sequence[Slice]) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Yield the ranges of bits that slices of words have, cut where one begins or ends: the first bit, how many there are,
    and which bits of atoms are there, those of ones from bit 0 on."""
    edges = sorted({edge for slices in words for at, bits, _, _ in slices for edge in (at, at + bits)})
    for start, end in pairwise(edges):
        parts = [
            (atom, first + start - at if atom != ONES else 0)
            for slices in words
            for at, bits, atom, first in slices
            if at <= start < at + bits
        ]
        if parts:
            yield start, end - start, parts


def constant_of(slices: Iterable[Slice]) -> int:
    return sum((1 << bits) - 1 << at for at, bits, atom, _ in slices if atom == ONES)


@dataclass
class Terms:
    """The terms and atoms of a proof. Numbers of atoms and of terms are never used again.

    ring: that of the numbers that terms become. cuts: at which bits pieces of an atom begin that are variables there.
    decide: says whether a comparison finds no difference.
    """

    ring: Ring | None = None
    cuts: dict[int, Sequence[int]] = field(default_factory=dict)
    decide: Callable[[Difference], bool] | None = None
    known: dict[tuple[Slice, ...], Term] = field(default_factory=dict)
    atoms: dict[tuple[object, ...], int] = field(default_factory=dict)
    results: dict[tuple[object, ...], Any] = field(default_factory=dict)
    # By the number of the atom: the operands of sums, with their constant; those of exclusive ors, and whether they are
    # inverted; the slices that are joined.
    sums: dict[int, tuple[int, tuple[Term, ...]]] = field(default_factory=dict)
    xors: dict[int, tuple[tuple[tuple[int, int], ...], bool]] = field(default_factory=dict)
    joins: dict[int, tuple[Slice, ...]] = field(default_factory=dict)
    # What an atom is that is a function of words, as an order of lanes: that function, and its operands.
    functions: dict[int, tuple[Callable[..., int], tuple[Any, ...]]] = field(default_factory=dict)
    # The pieces of atoms, each with its first bit and how many it has.
    pieces: dict[int, list[tuple[int, int, Any]]] = field(default_factory=dict)
    # The atoms that an atom is an exclusive or of, or of which it has joined bits.
    parts: dict[int, frozenset[int]] = field(default_factory=dict)
    count: int = ONES

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
        """Return the term of slices in ascending order, which do not overlap; a number if all are constant."""
        merged: list[Slice] = []
        is_constant = True
        for at, bits, atom, first in slices:
            if atom == ONES:
                first = 0
            else:
                is_constant = False
            if merged:
                before_at, before_bits, before, before_first = merged[-1]
                is_next = atom == ONES or before_first + before_bits == first
                if before == atom and before_at + before_bits == at and is_next:
                    merged[-1] = before_at, before_bits + bits, atom, before_first
                    continue
            merged.append((at, bits, atom, first))
        if is_constant:
            return constant_of(merged)
        key = tuple(merged)
        found = self.known.get(key)
        if found is None:
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
        inverted = False
        for atom, first in slices:
            parts, is_inverted = self.xors.get(atom, (((atom, 0),), False))
            if atom == ONES:
                parts, is_inverted = (), True
            bits ^= {(part, first + offset) for part, offset in parts}
            inverted ^= is_inverted
        if not bits:
            return (ONES, 0) if inverted else None
        ordered = sorted(bits)
        if len(ordered) == 1 and not inverted:
            return ordered[0]
        base = ordered[0][1]
        parts = tuple((atom, first - base) for atom, first in ordered)
        atom = self.atom("xor", parts, inverted)
        self.xors[atom] = parts, inverted
        return atom, base

    def join(self, slices: tuple[Slice, ...]) -> Term | int:
        """Return a term of one atom that has the bits of these slices; for a word of 32 bits, rotated so that each
        rotation of the word is of the same atom."""
        by = 0
        if sum(bits for _, bits, _, _ in slices) == WORD_BITS:
            slices, by = turned(slices)
        atom = self.atom("joined", slices)
        self.joins[atom] = slices
        end = slices[-1][0] + slices[-1][1]
        return self.term([(0, by, atom, end - by), (by, end - by, atom, 0)] if by else [(0, end, atom, 0)])

    def applied(self, name: str, bits: int, function: Callable[..., int], operands: Sequence[Any]) -> Any:
        """Return the word of some bits that a function with a name has of words, which is like no other."""
        key = tuple(("term", word.number) if isinstance(word, Term) else word for word in operands)
        atom = self.atom("function", name, *key)
        self.functions[atom] = function, tuple(operands)
        return self.term([(0, bits, atom, 0)])

    def unfolded(self, one: Slice) -> list[Slice]:
        """Return a slice without names for joined bits."""
        at, bits, atom, first = one
        if atom not in self.joins:
            return [one]
        found = []
        for part_at, part_bits, part, part_first in self.joins[atom]:
            low, high = max(first, part_at), min(first + bits, part_at + part_bits)
            if low < high:
                found += self.unfolded((at + low - first, high - low, part, part_first + low - part_at))
        return found

    def parts_of(self, slices: Iterable[Slice]) -> frozenset[int]:
        """Return the atoms that slices are exclusive ors of, with those that names for joined bits stand for.

        What is inverted is an exclusive or of ones.
        """
        return frozenset().union(*(self.parts_of_atom(atom) for _, _, atom, _ in slices))

    def parts_of_atom(self, atom: int) -> frozenset[int]:
        found = self.parts.get(atom)
        if found is None:
            operands, is_inverted = self.xors.get(atom, (((atom, 0),), False))
            found = frozenset(part for part, _ in operands) | ({ONES} if is_inverted else set())
            found = self.parts[atom] = found | self.parts_of(self.joins.get(atom, ()))
        return found

    def with_common_parts(self, slices: tuple[Slice, ...], others: Iterable[tuple[Slice, ...]]) -> tuple[Slice, ...]:
        """Return slices without those names for joined bits of which something may cancel out with other slices."""
        if not any(atom in self.joins for _, _, atom, _ in slices):
            return slices
        of_others = frozenset().union(*map(self.parts_of, others))
        found: list[Slice] = []
        for one in slices:
            cancels = one[2] in self.joins and not of_others.isdisjoint(self.parts_of_atom(one[2]))
            found += self.unfolded(one) if cancels else [one]
        return tuple(found)

    def tables(self) -> tuple[dict[Any, Any], ...]:
        return self.known, self.atoms, self.results, self.sums, self.xors, self.joins, self.functions, self.parts

    def mark(self) -> tuple[int, ...]:
        """Return what `rollback` goes back to."""
        return tuple(len(table) for table in self.tables())

    def rollback(self, mark: tuple[int, ...]) -> None:
        """Undo what was made after a mark, which must not be used any more."""
        for table, length in zip(self.tables(), mark, strict=True):
            while len(table) > length:
                table.popitem()

    def pieces_of(self, atom: int) -> list[tuple[int, int, Any]]:
        """Return the numbers of the ring that an atom consists of: variables, or of a sum that cannot wrap, the sum."""
        if self.ring is None:
            raise Unproved("a number of a symbolic word")
        if atom not in self.pieces and atom in self.sums:
            constant, operands = self.sums[atom]
            if constant + sum((1 << operand.end) - 1 for operand in operands) <= WORD_MAX:
                self.pieces[atom] = [(0, WORD_BITS, sum((operand.value() for operand in operands), constant))]
        if atom not in self.pieces:
            ends = [*self.cuts.get(atom, (0,)), WORD_BITS]
            self.pieces[atom] = [
                (first, end - first, self.ring.input(f"atom {atom} from {first}", (1 << end - first) - 1))
                for first, end in pairwise(ends)
            ]
        return self.pieces[atom]

    def polynomial(self, slices: Iterable[Slice]) -> Number | int:
        """Return the number that unfolded slices make."""
        total: Number | int = 0
        for at, bits, atom, first in slices:
            if atom == ONES:
                total = total | (1 << bits) - 1 << at
                continue
            for begin, size, piece in self.pieces_of(atom):
                low, high = max(first, begin), min(first + bits, begin + size)
                if low < high:
                    part = piece >> low - begin
                    part = part & (1 << high - low) - 1 if high < begin + size else part
                    total = total | part << at + low - first
        return total


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

    __slots__ = ("terms", "slices", "number", "end", "_resolved", "_value")

    def __init__(self, terms: Terms, slices: tuple[Slice, ...], number: int) -> None:
        self.terms, self.slices, self.number = terms, slices, number
        self.end = slices[-1][0] + slices[-1][1]
        self._resolved: Term | int | None = None
        self._value: Number | int | None = None

    def resolved(self) -> Term | int:
        """Return the term without names for joined bits, so that what a mask has left of an exclusive or is the same
        as that of what it has left of each."""
        if self._resolved is None:
            slices = [part for one in self.slices for part in self.terms.unfolded(one)]
            self._resolved = self if tuple(slices) == self.slices else self.terms.term(slices)
        return self._resolved

    def value(self) -> Number | int:
        """Return the term as a polynomial number."""
        if self._value is None:
            plain = self.resolved()
            self._value = self.terms.polynomial(plain.slices) if isinstance(plain, Term) else plain
        return self._value

    def slices_of(self, other: Any) -> tuple[Slice, ...]:
        if isinstance(other, Term):
            return other.slices
        if not isinstance(other, int) or other < 0:
            raise Unproved(f"a symbolic word and {other}")
        return ones_of(other)

    def __and__(self, mask: Any) -> Any:
        if isinstance(mask, Term):
            return self.intersected(mask)
        if not isinstance(mask, int):
            raise Unproved("and of a symbolic word and a number")
        # The mask most in use covers the term.
        return self if (mask >> self.end - 1) & 1 and not ~mask & (1 << self.end) - 1 else self.masked(mask)

    @remembered
    def intersected(self, other: Term) -> Any:
        """Return the bits that are in both words; what is symbolic in both is a function of these bits."""
        found: list[Slice] = []
        for start, size, parts in cut(self.slices, other.slices):
            if len(parts) == 2:
                one, two = sorted(parts)
                if one[0] == ONES or one == two:
                    found.append((start, size, *two))
                else:
                    operands = [self.terms.term([(0, size, *part)]) for part in (one, two)]
                    ((_, _, atom, _),) = self.terms.applied("and", size, and_, operands).slices
                    found.append((start, size, atom, 0))
        return self.terms.term(found)

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

    def __or__(self, other: Any) -> Any:
        if isinstance(other, Difference):
            return other | self
        return self.value() | other if isinstance(other, Number) else self.united(other)

    @remembered
    def united(self, other: Any) -> Any:
        if other is self or isinstance(other, int) and other == 0:
            return self
        rest = self & ~other if isinstance(other, int) else self
        if isinstance(rest, int):
            return rest | other
        slices = sorted(rest.slices + self.slices_of(other))
        if any(at + bits > after[0] for (at, bits, _, _), after in pairwise(slices)):
            return self.overlapped(other)
        return self.terms.term(slices)

    def overlapped(self, other: Term) -> Any:
        """Return the or of words that have bits in common: a word if these are the same, as of what is loaded twice; else
        what can only be compared with 0."""
        result: list[Slice] = []
        for start, size, parts in cut(*(self.slices_of(word.resolved()) for word in (self, other))):
            if len(set(parts)) > 1:
                return Difference(self.terms, ((0, self), (0, other)))
            result.append((start, size, *parts[0]))
        return self.terms.term(result)

    def __xor__(self, other: Any) -> Any:
        if isinstance(other, Number):
            return Difference(self.terms, ((other, self),))
        return self.differing(other)

    @remembered
    def differing(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else self.exclusive_or(other)

    def exclusive_or(self, *others: Any) -> Any:
        """Return the exclusive or of all, which has no names for what is joined of some of them."""
        all_ = [self.slices, *map(self.slices_of, others)]
        if any(slices and slices[-1][0] + slices[-1][1] > WORD_BITS for slices in all_):
            # Atoms have 32 bits.
            low, high = (
                [f(word) for word in (self, *others)] for f in (lambda x: x & WORD_MAX, lambda x: x >> WORD_BITS)
            )
            return exclusive_or(low) | exclusive_or(high) << WORD_BITS
        all_ = [self.terms.with_common_parts(x, [*all_[:i], *all_[i + 1 :]]) for i, x in enumerate(all_)]
        result = [
            (start, size, *found) for start, size, parts in cut(*all_) if (found := self.terms.xor(*parts)) is not None
        ]
        made = self.terms.term(result)
        if isinstance(made, Term) and len({atom for _, _, atom, _ in result}) > 1:
            return self.terms.join(made.slices)
        return made

    def __add__(self, other: Any) -> Any:
        # What has no bits in common is joined, as the halves of a rotated word.
        is_apart = isinstance(other, Term) and self.slices[0][0] != other.slices[0][0] and self.is_apart_from(other)
        return self.united(other) if is_apart else Sum(self.terms, 0, (self,)) + other

    def is_apart_from(self, other: Term) -> bool:
        """Return whether no bit is one of both terms."""
        slices = sorted(self.slices + other.slices)
        return all(at + bits <= after[0] for (at, bits, _, _), after in pairwise(slices))

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int) else self.value() - value_of(other)

    def __rsub__(self, other: int) -> Any:
        # What is subtracted from ones is inverted.
        inverts = other > 0 and other & other + 1 == 0 and self.end <= other.bit_length()
        return self ^ other if inverts else other - self.value()

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int) and other > 0 and other & other - 1 == 0:
            return self << other.bit_length() - 1
        return self.value() * value_of(other)

    __rand__, __ror__, __rxor__, __radd__, __rmul__ = __and__, __or__, __xor__, __add__, __mul__


class Sum(Symbolic):
    """A sum, which is a word after a mask of 32 bits or less, and otherwise a polynomial number."""

    __slots__ = ("terms", "constant", "operands")

    def __init__(self, terms: Terms, constant: int, operands: tuple[Term, ...]) -> None:
        self.terms, self.constant, self.operands = terms, constant, operands

    def value(self) -> Number | int:
        return sum((operand.value() for operand in self.operands), self.constant)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Sum(self.terms, self.constant + other, self.operands)
        if isinstance(other, Term):
            return Sum(self.terms, self.constant, (*self.operands, other))
        if isinstance(other, Sum):
            return Sum(self.terms, self.constant + other.constant, self.operands + other.operands)
        return self.value() + other

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, int) else self.value() - value_of(other)

    def __rsub__(self, other: int) -> Any:
        return other - self.value()

    def __and__(self, mask: Any) -> Any:
        if not isinstance(mask, int) or mask < 0:
            raise Unproved("and of a symbolic sum")
        return self.word() & mask if mask <= WORD_MAX else self.value() & mask

    def word(self) -> Term | int:
        """Return the sum modulo 2^32."""
        constant, operands = self.constant, list[Term]()
        for operand in self.operands:
            more, flat = flattened(operand)
            constant, operands = constant + more, operands + [*flat]
        return self.terms.sum(constant, tuple(sorted(operands, key=NUMBER)))

    def __rshift__(self, by: int) -> Any:
        return self.value() >> by

    def __mul__(self, other: Any) -> Any:
        return self.value() * value_of(other)

    __radd__, __rand__, __rmul__ = __add__, __and__, __mul__


class Difference(Symbolic):
    """The exclusive ors of 64-bit words, one with another, as one or of them all, and of a public number; whether it is 0
    is for `decide` to say, if that number is."""

    __slots__ = ("terms", "pairs", "public")

    def __init__(self, terms: Terms, pairs: tuple[tuple[Number | int, Term], ...], public: int = 0) -> None:
        self.terms, self.pairs, self.public = terms, pairs, public

    def __or__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Difference(self.terms, self.pairs, self.public | other) if other else self
        if isinstance(other, Term):
            other = Difference(self.terms, ((0, other),))
        if not isinstance(other, Difference):
            raise Unproved("or of a comparison")
        return Difference(self.terms, self.pairs + other.pairs, self.public | other.public)

    def __and__(self, mask: Any) -> Any:
        if mask != (1 << 64) - 1:
            raise Unproved("a part of a comparison")
        return self

    def __sub__(self, other: Any) -> Any:
        # As it is compared with 0 on 64-bit Arm.
        if not isinstance(other, int) or other:
            raise Unproved("a number that is subtracted from a comparison")
        return self

    def decided(self) -> bool:
        """Return whether there is no difference."""
        if self.public:
            return False
        if self.terms.decide is None:
            raise Unproved("a decision on a comparison")
        return self.terms.decide(self)

    __ror__, __rand__ = __or__, __and__


def exclusive_or(words: Iterable[Any]) -> Any:
    """Return the exclusive or of words, at once if one of them is a term."""
    found = list(words)
    term = next((i for i, word in enumerate(found) if isinstance(word, Term)), None)
    return reduce(xor, found) if term is None else found.pop(term).exclusive_or(*found)


def flattened(term: Term) -> tuple[int, tuple[Term, ...]]:
    """Return the low 32 bits of a term as a sum modulo 2^32: a constant and operands."""
    low = term & WORD_MAX
    if not isinstance(low, Term):
        return low, ()
    ((at, bits, atom, first), *more) = low.slices
    if not more and (at, bits, first) == (0, WORD_BITS, 0) and atom in term.terms.sums:
        return term.terms.sums[atom]
    constant = constant_of(low.slices)
    return (constant, flattened(low & ~constant)[1]) if constant else (0, (low,))


def value_of(word: Any) -> Any:
    """Return a symbolic word as a polynomial number, and anything else as it is."""
    return word.value() if isinstance(word, Term | Sum) else word


def same(a: Any, b: Any) -> bool:
    """Return whether two words are equal for all inputs; False may also mean that this cannot tell."""
    a, b = (word.resolved() if isinstance(word, Term) else word for word in (a, b))
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)
