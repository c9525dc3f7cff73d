# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the normal form of symbolic words: every term has the value of what it was made of."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from coconut.prove.polynomials import Unproved
from coconut.prove.terms import ONES, WORD_MAX, Difference, Term, Terms


def value_of(term: Any, numbers: dict[str, int]) -> int:
    """Return the value of a term for values of its variables, from the definitions of its atoms."""
    if isinstance(term, int):
        return term
    terms: Terms = term.terms
    keys: dict[int, Any] = {atom: key for key, atom in terms.atoms.items()}
    known: dict[int, int] = {}

    def bits_of(slices: Any) -> int:
        return sum((value_of_atom(atom) >> first & (1 << bits) - 1) << at for at, bits, atom, first in slices)

    def value_of_atom(atom: int) -> int:
        if atom == ONES:
            return (1 << 64) - 1
        if atom not in known:
            kind, *rest = keys[atom]
            if kind == "variable":
                known[atom] = numbers[rest[0]]
            elif kind == "sum":
                constant, operands = terms.sums[atom]
                known[atom] = constant + sum(bits_of(operand.slices) for operand in operands) & WORD_MAX
            elif kind == "xor":
                # Bits below the first of an operand have no meaning, and none are in a term.
                value = -rest[1]
                for part, offset in rest[0]:
                    number = value_of_atom(part)
                    value ^= number >> offset if offset >= 0 else number << -offset
                known[atom] = value
            elif kind == "and":
                known[atom] = WORD_MAX
                for part, first in rest[0]:
                    known[atom] &= value_of_atom(part) >> first
            else:
                known[atom] = bits_of(*rest)
        return known[atom]

    return bits_of(term.slices)


def rotl(a: Any, by: int) -> Any:
    return (a << by | a >> 32 - by) & WORD_MAX


def reverse(a: Any) -> Any:
    octets = [a >> 8 * i & 255 for i in range(4)]
    return octets[0] << 24 | octets[1] << 16 | octets[2] << 8 | octets[3]


UNARY: list[Callable[[Any, int], Any]] = [
    lambda a, k: rotl(a, k),
    lambda a, k: a << k & WORD_MAX,
    lambda a, k: a >> k,
    lambda a, k: reverse(a),
    lambda a, k: a & 0xF0FF003C,
    lambda a, k: a & ~(WORD_MAX >> k),
    lambda a, k: a + k & WORD_MAX,
    lambda a, k: a - k & WORD_MAX,
]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b & WORD_MAX,
    lambda a, b: a ^ b,
    lambda a, b: a + b + a & 0xFFFF,
    lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16,
]


@pytest.mark.parametrize("seed", range(40))
def test_values(seed: int) -> None:
    """Compute the same on numbers and on terms of them, and compare the numbers with the values of the terms."""
    chosen = random.Random(seed)
    terms = Terms()
    numbers = {name: chosen.choice((0, WORD_MAX, chosen.getrandbits(32))) for name in "abcd"}
    pairs: list[tuple[int, Any]] = [(numbers[name], terms.variable(name)) for name in numbers]
    for _ in range(60):
        (a, x), (b, y) = chosen.choice(pairs), chosen.choice(pairs)
        operation = chosen.choice(UNARY + BINARY + BINARY[:2] * 2)
        other = (chosen.randrange(1, 32),) * 2 if operation in UNARY else (b, y)
        pairs.append((operation(a, other[0]), operation(x, other[1])))
    for number, term in pairs:
        assert value_of(term, numbers) == number


def test_equal() -> None:
    """Different ways to write the same are one term, and other values are not."""
    terms = Terms()
    a, b, c = (terms.variable(name) for name in "abc")
    assert rotl(rotl(a, 16), 16) is a
    assert rotl(rotl(a ^ b, 5), 12) is rotl(b ^ a, 17)
    assert rotl(a, 8) is a >> 24 | (a & 0xFFFFFF) << 8
    assert reverse(reverse(a)) is a
    assert reverse(a) ^ reverse(b) is reverse(a ^ b)
    assert a ^ b ^ a is b
    assert isinstance(a ^ a, int)
    assert ((a + b & WORD_MAX) + 3 & WORD_MAX) + (c - 1) & WORD_MAX is (c + 2 & WORD_MAX) + (b + a) & WORD_MAX
    assert a + b & WORD_MAX is not a + c & WORD_MAX
    assert rotl(a, 7) is not rotl(a, 8)
    assert rotl(rotl(a, 3) ^ b, 4) ^ c is not rotl(rotl(a, 3) ^ c, 4) ^ b


def test_and() -> None:
    """An and of symbolic words is exact where one of them is public, and otherwise like no other."""
    terms = Terms()
    a, b = terms.variable("a"), terms.variable("b")
    word = (a & 0xFFFFFF00 | 1) & (b & 0xFFFFFF00 | 5)
    assert word & 255 == 1 and word >> 8 is (b >> 8) & (a >> 8)
    assert a & a is a and a & (a >> 1) is not a
    numbers = {"a": 0xFFF0F0F3, "b": 0x5A5A5A5A}
    assert value_of(word, numbers) == 0xFFF0F001 & 0x5A5A5A05


def test_or_of_common_bits() -> None:
    """An or is a word where bits that are in both are the same, and else can only be compared with 0."""
    terms = Terms()
    a, b = terms.variable("a"), terms.variable("b")
    low, high = a & 0xFFFFFF, a & 0xFFFF0000
    assert low | high is a and high | low is a
    assert not (low | b | 5).decided() and not (8 | (low | b)).decided()
    for question in (low | b | 0, b | low | high, low | high >> 8):
        assert isinstance(question, Difference)
        with pytest.raises(Unproved):
            question.decided()


def test_rotated_joins() -> None:
    """Bits that are joined have the same name in each rotation of a word."""
    terms = Terms()
    a, b, c = (terms.variable(name) for name in "abc")
    word = rotl(a, 12) ^ b
    for by in (1, 7, 12, 20, 31):
        rotated = rotl(rotl(a, 12), by) ^ rotl(b, by)
        assert rotated is rotl(word, by)
        assert rotl(word ^ c, by) is rotated ^ rotl(c, by)
        numbers = {"a": 0x12345678, "b": 0x9ABCDEF0, "c": 0}
        expected = rotl(rotl(numbers["a"], 12) ^ numbers["b"], by)
        assert value_of(rotated, numbers) == expected


def test_cancelled() -> None:
    """An exclusive or of joined bits with a part of them leaves the others, without a name for these."""
    terms = Terms()
    a, b = terms.variable("a"), terms.variable("b")
    word = rotl(a, 12) ^ b
    assert word ^ b is rotl(a, 12) and b ^ word is rotl(a, 12)
    assert word ^ rotl(a, 12) is b
    # As in load_partial_block_after.
    assert 1 ^ (1 ^ a) is a and 0x12340001 ^ ((b ^ 0x12340001) & WORD_MAX) is b


def test_refused() -> None:
    """What has no normal form, and what depends on a symbolic word, is refused."""
    a = Terms().variable("a")
    b = a.terms.variable("b")
    questions: list[Callable[[], object]] = [
        lambda: bool(a | b),
        lambda: (a | b) & 255,
        lambda: a == 0,
        lambda: a != 0,
        lambda: bool(a),
        lambda: [0][a],
        lambda: a < b,
        lambda: (a + b) & (1 << 33) - 1,
        lambda: a << -1,
        lambda: a >> -1,
        lambda: a == WORD_MAX,
    ]
    for question in questions:
        with pytest.raises(Unproved):
            question()


def test_rollback() -> None:
    """A term that is made again after it was undone is another one: a number is never that of something else."""
    terms = Terms()
    a, b = terms.variable("a"), terms.variable("b")
    total = a + b & WORD_MAX
    mark = terms.mark()
    first = total ^ a
    terms.rollback(mark)
    second = total ^ b
    assert isinstance(first, Term) and first.slices != second.slices
    assert a + b & WORD_MAX is total
