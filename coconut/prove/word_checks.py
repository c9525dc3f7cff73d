# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the engine of symbolic words (terms.py) on values, and that it refuses what has no normal form.

Each check takes the engine as a module, so that a changed one is checked, too: mutations_terms.py plants mistakes there.
"""

import random
from collections.abc import Callable, Iterable
from typing import Any

from coconut.prove.polynomials import Number, Ring, Unproved
from coconut.prove.term_values import WordValues

Engine = Any
HALF, WORD = 2**32 - 1, 2**64 - 1
SEEDS = 24


class Wrong(Exception):
    """The engine says something that is not so, or does not see what it must."""


def expect(holds: bool, what: object) -> None:
    if not holds:
        raise Wrong(str(what))


def expect_refused(what: str, question: Callable[[], object]) -> None:
    try:
        found = question()
    except Unproved:
        return
    raise Wrong(f"{what} is not refused, but {found!r}")


def rotl(a: Any, by: int) -> Any:
    return (a << by | a >> 32 - by) & HALF


def reverse(a: Any) -> Any:
    octets = [a >> 8 * i & 255 for i in range(4)]
    return octets[0] << 24 | octets[1] << 16 | octets[2] << 8 | octets[3]


def halves(a: Any, b: Any) -> Any:
    return a & HALF | (b & HALF) << 32


# On words of 64 bits or less, with a number from 1 to 31, and on two words.
UNARY: list[Callable[[Any, int], Any]] = [
    lambda a, k: rotl(a & HALF, k),
    lambda a, k: a << k & WORD,
    lambda a, k: a << 32 & WORD,
    lambda a, k: a >> k,
    lambda a, k: a >> 32,
    lambda a, k: reverse(a),
    lambda a, k: a & 0xF0FF003C,
    lambda a, k: a & ~(HALF >> k),
    lambda a, k: a & WORD - (HALF << k),
    lambda a, k: (a & HALF) + k & HALF,
    lambda a, k: (a & HALF) - k & HALF,
    lambda a, k: (a & HALF) + (HALF - k) + k & HALF,
    lambda a, k: a ^ HALF,
    lambda a, k: a ^ WORD,
    lambda a, k: a ^ 0x5A00FF00C3 << k & WORD,
    lambda a, k: (a & (1 << k) - 1) ^ (1 << k) - 1,
    lambda a, k: WORD - a,
    lambda a, k: HALF - (a & HALF >> k),
    lambda a, k: 1 - (a >> k & 1),
    lambda a, k: a | 0xFF << k,
    lambda a, k: 0x1000000F0 << k | a & WORD,
    lambda a, k: (a & HALF) * (1 << k) & WORD,
]
BINARY: list[Callable[[Any, Any], Any]] = [
    lambda a, b: (a & HALF) + (b & HALF) & HALF,
    lambda a, b: a ^ b,
    lambda a, b: a ^ b ^ a,
    lambda a, b: a & b,
    lambda a, b: (a & 0xFFFF | 0x30000) & (b | 0xF0 << 16),
    lambda a, b: a & 0xFFFFF | a & 0xFFF000F,
    lambda a, b: (a & HALF) + (b & HALF) + (a & HALF) & 0xFFFF,
    lambda a, b: a & 0xFFFF | (b & 0xFFFF) << 16,
    halves,
    lambda a, b: a & 0xFF00FFFF00F0 | b & 0xFF00000F,
    lambda a, b: (a >> 3 & 2**29 - 1) ^ (b & 2**29 - 1),
    lambda a, b: (a & 0xFFFFFF) ^ (b >> 8 & 0xFFFFFF),
    lambda a, b: (a & HALF) + 5 + ((b & HALF) + (HALF - 9) & HALF) & HALF,
]
# What makes numbers, of which nothing is computed further.
LEAVING: list[Callable[[Any, Any], Any]] = [
    lambda a, b: (a & HALF) + (b & HALF) >> 32,
    lambda a, b: (a & HALF) + (b & HALF) & 2**33 - 1,
    lambda a, b: (a & HALF) + 3 + (b & HALF) + (a & HALF) - 3,
    lambda a, b: ((a & HALF) + (b & HALF)) * 7,
    lambda a, b: (a & HALF) * (b & HALF),
    lambda a, b: (a & HALF) * 5,
    lambda a, b: 5 * (a & HALF) + 1,
    lambda a, b: (a & HALF) * 12 + (b & HALF) * 3,
    lambda a, b: a - b,
    lambda a, b: a + b - b,
    lambda a, b: 2**70 - a,
    lambda a, b: 9 - (a + 1),
    lambda a, b: 6 - (a & 1),
    lambda a, b: 4 - (a & 7),
    lambda a, b: 7 - (a & HALF),
    lambda a, b: -1 - (a & HALF),
    lambda a, b: (a & HALF) * 0,
    lambda a, b: (a + b) + (a * 3 + b),
    lambda a, b: (a + b) - (b + 1),
    lambda a, b: a * 3 + b,
    lambda a, b: (a + 1) * (b & HALF),
    lambda a, b: (a * 3 + 1) - (b + 1),
]


def check_values(engine: Engine) -> None:
    """Compute the same on numbers and on words of them, and compare the numbers with the values of the words."""
    understood = asked = 0
    for seed in range(SEEDS):
        chosen = random.Random(seed)
        terms = engine.Terms(Ring())
        numbers = {name: chosen.choice((0, HALF, chosen.getrandbits(32), chosen.getrandbits(32))) for name in "abcd"}
        pairs: list[tuple[int, Any]] = [(numbers[name], terms.variable(name)) for name in numbers]
        pairs += [(number, number) for number in (0, HALF, 0x80000001)]
        left: list[tuple[int, Any]] = []
        for i in range(40):
            (a, x), (b, y) = chosen.choice(pairs), chosen.choice(pairs)
            is_last = i % 4 == 3
            operation = chosen.choice(LEAVING if is_last else UNARY + BINARY * 2)
            other = (chosen.randrange(1, 32),) * 2 if operation in UNARY else (b, y)
            asked += 1
            try:
                made = operation(a, other[0]), operation(x, other[1])
            except Unproved:
                continue
            understood += 1
            (left if is_last else pairs).append(made)
        values = WordValues(terms, numbers)
        for number, word in pairs + left:
            expect(values.agree(word, number), f"seed {seed}: {number:#x}")
            if isinstance(word, engine.Term):
                plain = word.resolved()
                expect(values.agree(plain, number) and engine.same(word, plain), f"seed {seed}: {number:#x} resolved")
                expect(word.end == max(at + bits for at, bits, _, _ in word.slices), "the end of a term")
                expect(engine.constant_of(word.slices) & ~number == 0, "constant bits")
    expect(understood > asked * 9 // 10, f"{understood} of {asked} operations are understood")


def variables(engine: Engine, names: str, ring: Ring | None = None) -> Iterable[Any]:
    terms = engine.Terms(ring)
    return (terms.variable(name) for name in names)


def check_equal(engine: Engine) -> None:
    """Different ways to write the same are one term."""
    a, b, c, d = variables(engine, "abcd")
    low, high = 0xFFFF, 0xFFFF0000
    word = a | b << 32
    pairs = [
        (rotl(rotl(a, 16), 16), a),
        (rotl(rotl(a ^ b, 5), 12), rotl(b ^ a, 17)),
        (rotl(a, 8), a >> 24 | (a & 0xFFFFFF) << 8),
        (reverse(reverse(a)), a),
        (reverse(a) ^ reverse(b), reverse(a ^ b)),
        (a ^ b ^ a, b),
        (((a + b & HALF) + 3 & HALF) + (c - 1) & HALF, (c + 2 & HALF) + (b + a) & HALF),
        ((a + 1 & HALF) + HALF & HALF, a),
        ((a - 1 & HALF) + 2 & HALF, a + 1 & HALF),
        (a + 2**32 & HALF, a),
        ((a | 1 << 40) + b & HALF, a + b & HALF),
        ((a & low | 5 << 16) + b & HALF, ((a & low) + b & HALF) + (5 << 16) & HALF),
        (a ^ HALF ^ HALF, a),
        (HALF - (HALF - a), a),
        (HALF - a, a ^ HALF),
        ((a ^ HALF) ^ (b ^ HALF), a ^ b),
        ((a ^ HALF) ^ b, (a ^ b) ^ HALF),
        ((a ^ HALF) & low, (a & low) ^ low),
        (1 - (a >> 7 & 1), (a >> 7 & 1) ^ 1),
        (1 - (1 - (a & 1)), a & 1),
        (a | high | low, HALF),
        (a | high, a & low | high),
        (a | low, low | (a & high)),
        (a & low | a & high, a),
        ((a | high) & high, high),
        ((a | high) ^ high, a & low),
        ((a | 0xF0) ^ (a | 0xF0), 0),
        (a ^ a, 0),
        (a ^ 0, a),
        (a + 0 & HALF, a),
        (a | a, a),
        ((a | 0xFF) | (a | 0xFF), a | 0xFF),
        (a << 32 >> 32, a),
        (a << 3 << 5, a << 8),
        (a >> 3 >> 5, a >> 8),
        (a >> 32, 0),
        (a * 8, a << 3),
        (a * 1, a),
        (a & low | 0xFF << 16 | 0xFF << 24, a & low | high),
        (a ^ (c | d << 32), (a ^ c) | d << 32),
        ((a & low) ^ (c | d << 32), (a & low) ^ c | d << 32),
        ((a >> 3) ^ (b & HALF >> 3) ^ (c & HALF >> 3), (a >> 3) ^ ((b ^ c) & HALF >> 3)),
        ((a >> 8) ^ (b & HALF >> 8) ^ (a >> 8), b & HALF >> 8),
        (a + b & 0, 0),
        (a & HALF, a),
        (a & WORD, a),
        (a & 0, 0),
        (word & HALF, a),
        (word >> 32, b),
        (word ^ (c | d << 32), a ^ c | (b ^ d) << 32),
        (word ^ WORD ^ WORD, word),
        (WORD - word, word ^ WORD),
        ((word ^ WORD) >> 32, b ^ HALF),
        (word >> 16 & HALF, a >> 16 | (b & low) << 16),
        (word ^ 1 << 35, a | (b ^ 8) << 32),
        ((a & low) << 16 | (a & low), (a << 16 & HALF) | (a & low)),
        # Bits that two words have in common, and what is the same in both.
        (a | a & 0xFF, a),
        (a & low | a & 0xFFFF00, a & 0xFFFFFF),
        (a & low | 5 | (a & 0xFFF8 | 5), a & low & ~7 | (a & 2) | 5),
        (word | b << 32, word),
        (a & a, a),
        (a & b, b & a),
        (a & (b & 0), 0),
        (a & low & (b & high), 0),
        ((a & 0xFF | 0xFF00) & (b & 0xFF00 | 0xFF), a & 0xFF | b & 0xFF00),
        ((a & 0xFFFF00 | 1) & (b & 0xFF | 0xFF00), (a & 0xFF00) | (b & 1)),
        ((a | b << 32) & (c & 0 | a | d << 32), a | (b & d) << 32),
        ((a & b) & low, a & b & low),
        # What cancels out of joined bits leaves no name for the others.
        ((rotl(a, 12) ^ b) ^ b, rotl(a, 12)),
        (b ^ (rotl(a, 12) ^ b), rotl(a, 12)),
        ((rotl(a, 12) ^ b) ^ rotl(a, 12), b),
        (1 ^ (1 ^ a), a),
        (0x12340001 ^ ((b ^ 0x12340001) & WORD), b),
        ((a & low | b & high) ^ c ^ (a & low), c ^ (b & high)),
        (((a & low | b & high) ^ c) ^ (((b & high) | (d & low)) ^ c), (a ^ d) & low),
        (word ^ (word ^ (c | d << 32)), c | d << 32),
    ]
    for i, (one, other) in enumerate(pairs):
        expect(engine.same(one, other), f"pair {i} is not the same")
        expect(one is other or (isinstance(one, int) and one == other), f"pair {i} is not one term")
    # Joined bits have one name in each rotation of a word, also where a slice goes around its end.
    for one, other in ((rotl(a, 12), b), (a & low | b & high, c), (rotl(a, 7) ^ c, rotl(b, 3))):
        for by in (0, 1, 7, 12, 16, 20, 31):
            turned = rotl(one, by) ^ rotl(other, by) if by else one ^ other
            expect(turned is (rotl(one ^ other, by) if by else one ^ other), f"what is joined, rotated by {by}")
            expect(len({atom for _, _, atom, _ in turned.slices}) == 1, "what is joined has one atom")
    joined = rotl(a & low | b & high, 3) ^ c
    expect(engine.same(joined | (rotl(a & low, 3) ^ c) & 0xFFF8, joined), "what is joined, with a part of it")
    x = a & low | b & high
    expect(x.exclusive_or(c, rotl(x, 3)) is rotl(x, 3).exclusive_or(x, c), "an exclusive or of three")
    expect(a.exclusive_or(b, HALF) is a ^ b ^ HALF, "an exclusive or with a constant")
    expect(engine.exclusive_or([5, a, 3]) is a ^ 6 and engine.exclusive_or([5, 3]) == 6, "an exclusive or of a list")
    # What has no bits in common is joined.
    expect(
        (a << 16 & HALF) + (a >> 16) is rotl(a, 16) and (a & low) + (b << 16) is a & low | b << 16,
        "parts that are added",
    )
    for one, other in (((a << 15 & HALF), a >> 16), (a & 0x1FF, b << 8), (a & low, b & low), (a, 0 + b)):
        expect(isinstance(one + other, engine.Sum), "what has bits in common is a sum")
    # What is joined is the same after masks, and by other ways.
    joined = (a & low | b & high) ^ c
    expect(joined is not a ^ c and len(joined.slices) == 1, "what is joined has one atom")
    for mask, part in ((low, a ^ c), (high, b ^ c), (0xFF, a ^ c)):
        expect(engine.same(joined & mask, part & mask), f"what is joined, masked by {mask:#x}")
    expect(joined.resolved() is ((a ^ c) & low | (b ^ c) & high), "what is joined, resolved")
    expect(engine.same(rotl(joined, 16), (b ^ c) >> 16 | ((a ^ c) & low) << 16), "what is joined, rotated")
    ((_, _, atom, _),) = (joined ^ d).slices
    expect(len(a.terms.xors[atom][0]) == 2, "what is joined keeps its name where nothing cancels")
    expect((d ^ joined) is (joined ^ d) and (joined | joined) is joined, "what is joined keeps its name on both sides")
    twice = (joined & low | d & high) ^ a
    expect(engine.same(twice & high, (d ^ a) & high), "what is joined twice")
    expect(twice is (((a & low | b & high) ^ c) & low | d & high) ^ a, "what is joined in the same way")


def check_different(engine: Engine) -> None:
    """What has other values is not the same."""
    a, b, c, d = variables(engine, "abcd")
    for i, (one, other) in enumerate(
        [
            (a, b),
            (a + b & HALF, a + c & HALF),
            (a + 1 & HALF, a + 2 & HALF),
            (a + a & HALF, a),
            (rotl(a, 7), rotl(a, 8)),
            (rotl(rotl(a, 3) ^ b, 4) ^ c, rotl(rotl(a, 3) ^ c, 4) ^ b),
            (a ^ HALF, a),
            (a ^ b ^ HALF, a ^ b),
            (a ^ rotl(b, 1), a ^ b),
            (a & 0xFF, a & 0x1FF),
            (a >> 1, a >> 2),
            (a | 1 << 32, a),
            (a & 0xFFFF | 1 << 20, a & 0xFFFF | 1 << 21),
            (a & 0xFF | (b & 0xFF) << 8, b & 0xFF | (a & 0xFF) << 8),
            ((a & 0xFFFF | b & 0xFFFF0000) ^ c, (a & 0xFFFF | d & 0xFFFF0000) ^ c),
            (a & 1 | (a & 1) << 1, a & 3),
            (a & b, a & c),
            (a & b, a),
            (a & b, a ^ b),
            (a & (b >> 1), a & b),
            (a & 0xFF & (b & 0xFF), a & 0xFF & (b >> 8 & 0xFF)),
            (5, 6),
            (a, 5),
        ]
    ):
        expect(not engine.same(one, other) and not engine.same(other, one), f"pair {i} is the same")
    variable = a.terms.variable("bits", 8)
    expect(not engine.same(variable, a.terms.variable("bits", 9)), "variables of other widths")
    # A number of a term is no constant.
    for operation in (lambda x, y: x ^ y, lambda x, y: x | y << 32):
        first, second = operation(a, b), operation(a, b.number)
        expect(first is operation(a, b) and not engine.same(first, second), "a constant is a number of a term")


def check_refused(engine: Engine) -> None:
    """What has no normal form, and what depends on a symbolic word, is refused."""
    a, b = variables(engine, "ab")
    difference = engine.Difference(a.terms, ())
    questions: list[Callable[[], object]] = [
        lambda: bool(a | b),
        lambda: (a | b) & HALF,
        lambda: a & 0xFF ^ (a | b),
        lambda: a & 1.5,
        lambda: a == 0,
        lambda: a != 0,
        lambda: a == HALF,
        lambda: bool(a),
        lambda: int(a),
        lambda: [0][a],
        lambda: a < b,
        lambda: a <= 5,
        lambda: 5 < a,
        lambda: a >= b,
        lambda: a << -1,
        lambda: a >> -1,
        lambda: a ^ -1,
        lambda: a | -2,
        lambda: a ^ 1.5,
        lambda: a | "1",
        lambda: (a + b) & -1,
        lambda: (a + b) & a,
        lambda: bool(a + b),
        # Without a ring, there are no numbers.
        lambda: (a + b) & (1 << 33) - 1,
        lambda: (a + b).value(),
        lambda: a * b,
        lambda: a - b,
        lambda: a + b >> 32,
        lambda: difference.decided(),
        lambda: bool(difference),
        lambda: difference == 0,
        lambda: difference & HALF,
        lambda: difference | 1.5,
        lambda: difference - 1,
        lambda: difference - a,
    ]
    for i, question in enumerate(questions):
        expect_refused(f"question {i}", question)
    expect(a == a and not a == b and a in {a: 0}, "a term is itself")


def check_numbers(engine: Engine) -> None:
    """A word becomes the same number in whatever way it was made."""
    ring = Ring()
    a, b, c = variables(engine, "abc", ring)
    terms = a.terms
    parts = [(a >> 8 * i & 255) << 8 * i for i in range(4)]
    expect(sum(parts[1:], parts[0]).value().poly == a.value().poly, "a word is the sum of its bytes")
    by_bytes = parts[3] | parts[1] | parts[0] | parts[2]
    expect(by_bytes.value().poly == a.value().poly, "a word is its bytes joined")
    word = a | b << 32
    expect(word.value().poly == (a.value() + b.value() * 2**32).poly, "a word of two halves")
    expect((word >> 16).value().poly == (word.value() >> 16).poly, "a shift of a word, and of its number")
    expect((word & 2**40 - 1).value().poly == (word.value() & 2**40 - 1).poly, "a mask of a word, and of its number")
    expect((a | 5 << 40).value().poly == (a.value() + (5 << 40)).poly, "a constant above")
    expect((a << 8 | 5 | 3 << 50).value().poly == ((a.value() << 8) + 5 + (3 << 50)).poly, "constants on both sides")
    joined = (a & 0xFFFF | b & 0xFFFF0000) ^ c
    expect(joined.value().poly == joined.resolved().value().poly, "what is joined")
    expect(joined.value().poly == ((a ^ c) & 0xFFFF | (b ^ c) & 0xFFFF0000).value().poly, "what was joined elsewhere")
    expect((a + b & HALF).value().poly == (b + a & HALF).value().poly, "a sum as a word")
    expect((a + b).value().poly == (a.value() + b.value()).poly, "a sum as a number")
    expect((a + 3 + b + b - 1).value().poly == (a.value() + b.value() * 2 + 2).poly, "a sum with a constant")
    # A sum that cannot wrap is that of the numbers; 2^32 - 1 is the largest.
    for one, other, is_exact in (
        (a >> 1, b >> 1, True),
        (a >> 1, (b >> 1) + 1 & HALF, True),
        (a >> 1, (b >> 1) + 2 & HALF, False),
        (a, b, False),
        (a >> 1, b, False),
    ):
        plain = one.value() + engine.value_of(other)
        expect(((one + other & HALF).value().poly == plain.poly) == is_exact, "a sum that cannot wrap")
    carry = (a + b >> 32) * 2**32 + ((a + b) & 2**34 - 1 & HALF)
    expect(isinstance(carry, Number), "a carry")
    expect((5 - a).poly == (5 - a.value()).poly and (5 - (a + 1)).poly == (4 - a.value()).poly, "a negative number")
    for number in (a * b, 3 * a + b, a - b, (a + 1) - b, (a + b) * c, a | (b.value() << 32), (b.value() << 32) + a):
        expect(isinstance(number, Number), "arithmetic makes numbers")
    expect_refused("a word joined with a number at the same place", lambda: a | b.value())
    expect((a | b.value() << 32).poly == word.value().poly, "a word joined with a number")
    zero = a * 0
    expect(isinstance(zero, int) and zero == 0, "no multiple of a word")
    expect(a.value() is a.value(), "a number is made once")
    expect(engine.value_of(a) is a.value() and engine.value_of(7) == 7, "the value of words and of others")
    expect(engine.value_of(a + b).poly == (a + b).value().poly, "the value of a sum")
    # Pieces of an atom, and no others.
    r = terms.variable("r")
    ((_, _, atom, _),) = r.slices
    terms.cuts[atom] = (0, 2, 28)
    pieces = terms.pieces_of(atom)
    expect([(first, bits) for first, bits, _ in pieces] == [(0, 2), (2, 26), (28, 4)], "pieces of a word")
    expect([number.high for _, _, number in pieces] == [3, 2**26 - 1, 15], "the limits of pieces")
    (low, middle, high) = (number.poly for _, _, number in pieces)
    expect((r & 0x0FFFFFFC).value().poly == {m: 4 for m in middle}, "a piece that a mask keeps")
    whole = {m: 1 for m in low} | {m: 4 for m in middle} | {m: 2**28 for m in high}
    expect(r.value().poly == whole, "all pieces of a word")
    expect((r >> 28).value().poly == high and (r & 3).value().poly == low, "the first piece, and the last one")
    expect((r & 0xFF).value().high == 255, "a part of a piece")


def check_sums(engine: Engine) -> None:
    """A sum of symbolic words is one modulo 2^32, and it is flat."""
    a, b, c = variables(engine, "abc")
    total = (a + b & HALF) + (c + 5 & HALF) & HALF
    ((_, _, atom, _),) = total.slices
    constant, operands = a.terms.sums[atom]
    expect(constant == 5 and {id(operand) for operand in operands} == {id(a), id(b), id(c)}, "a sum is flat")
    expect((total - 5 & HALF) is ((a + c & HALF) + b & HALF), "a constant is taken off")
    expect((a + b & 0xFF) is ((a + b & HALF) & 0xFF), "a part of a sum")
    part = (a + b & HALF) & 0xFFFF
    expect((part + c & HALF) is not ((a + b & HALF) + c & HALF), "a part of a sum is no sum")
    shifted = (a + b & HALF) << 8 & HALF
    expect((shifted + c & HALF) is not ((a + b & HALF) + c & HALF), "a sum that is shifted is another one")
    upper = (a + b & HALF) >> 8
    expect((upper + c & HALF) is not ((a + b & HALF) + c & HALF), "the upper part of a sum is another one")
    expect((a + 5 & HALF) + (0 - 5 & HALF) & HALF is a, "a sum of one word")


def check_differences(engine: Engine) -> None:
    """Whether two words differ is asked of whoever proves it, of all of them at once."""
    ring = Ring()
    a, b = variables(engine, "ab", ring)
    x, y = ring.input("x", WORD), ring.input("y", WORD)
    one, other = x ^ a, b ^ y
    expect(one.pairs == ((x, a),) and other.pairs == ((y, b),), "the words that are compared")
    both = one | other
    expect([list(map(id, pair)) for pair in both.pairs] == [[id(x), id(a)], [id(y), id(b)]], "two comparisons")
    expect(
        (one | 0) is one and (0 | one) is one and (one & WORD) is one and (WORD & one) is one and one - 0 is one,
        "the same",
    )
    for i, question in enumerate((lambda: one | 1.5, lambda: one & HALF, lambda: bool(one), one.decided)):
        expect_refused(f"question {i} about a comparison", question)
    asked: list[Any] = []

    def decide(difference: Any) -> bool:
        asked.append(difference)
        return True

    a.terms.decide = decide
    expect(both.decided() is True and asked == [both], "the decision on a comparison")
    # Words that have bits in common can only be compared with 0, with what they are joined with.
    for joined in (a | b, (a & 0xFF) | (b & 0x80), b << 31 | a, (a & 0xFF) | (a >> 8 & 0xFF)):
        expect(isinstance(joined, engine.Difference) and not joined.public, "or of what has bits in common")
        expect([number for number, _ in joined.pairs] == [0, 0], "what is compared with 0")
    for joined in ((a | b) | one, one | (a | b), (a | b | one.terms.variable("c")) | (x ^ b)):
        expect(len(joined.pairs) in {3, 4} and joined.decided() is True, "a comparison with 0 and another one")
    expect([id(term) for _, term in (one | b).pairs] == [id(a), id(b)], "a comparison, and a word that must be 0")
    expect([id(term) for _, term in (b | one).pairs] == [id(a), id(b)], "a word that must be 0, and a comparison")
    expect([id(number) for number, _ in (one | b).pairs] == [id(x), id(0)], "what a word must be")
    # A public number that is not 0 decides.
    count = len(asked)
    for number in (1, 1 << 63):
        for joined in (one | number, number | one, (one | number) | other, one | (other | number)):
            expect(joined.decided() is False and len(asked) == count, "a comparison with another number")
    expect((one | 5 | 8).public == 13 and (one | 5 | (other | 8)).public == 13, "a public number")
    expect((one | 3 | 5).public == 7 and (one | 3 | (other | 5)).public == 7, "the public number of a comparison")


def check_functions(engine: Engine) -> None:
    """A function of words has the value that it has, and is like no other."""
    ring = Ring()
    a, b = variables(engine, "ab", ring)
    terms = a.terms

    def less(x: int, y: int) -> int:
        return 255 if x < y else 7

    found = terms.applied("less", 8, less, (a, b))
    expect(found is terms.applied("less", 8, less, [a, b]) and found.end == 8, "the same function of the same words")
    for other in (
        terms.applied("less", 8, less, (b, a)),
        terms.applied("more", 8, less, (a, b)),
        terms.applied("less", 8, less, (a, b.number)),
        terms.applied("less", 8, less, (a, 5)),
    ):
        expect(not engine.same(found, other), "another function, or of others")
    for numbers in ({"a": 3, "b": 9}, {"a": 9, "b": 3}):
        values = WordValues(terms, numbers)
        expect(values.agree(found, less(*numbers.values())), "the value of a function")
        expect(
            values.agree(found << 8 | b & 255, less(*numbers.values()) << 8 | numbers["b"]), "a function beside a word"
        )
        expect(values.agree(terms.applied("less", 8, less, (a, 5)), less(numbers["a"], 5)), "a function of a number")


def check_rollback(engine: Engine) -> None:
    """A term that is made again after it was undone is another one: a number is never that of something else."""
    ring = Ring()
    a, b = variables(engine, "ab", ring)
    terms = a.terms
    total = a + b & HALF
    before = total.value()
    mark = terms.mark()
    sizes = [len(table) for table in terms.tables()]
    others = len(terms.functions), len(terms.parts)
    _ = a & b, ((a & 0xFF | b & 0xFF00) ^ total) ^ b
    expect(others[0] < len(terms.functions) and others[1] < len(terms.parts), "what is made after a mark")
    first = total ^ a
    first_joined = (a & 0xFF | b & 0xFF00) ^ total
    new = a + b + 1 & HALF
    numbers = {first.number, first_joined.number, new.number}
    number = new.value()
    terms.rollback(mark)
    expect([len(table) for table in terms.tables()] == sizes, "tables are as they were")
    expect(others == (len(terms.functions), len(terms.parts)), "these tables are as they were, too")
    second = total ^ b
    expect(first.slices != second.slices and second.number not in numbers, "a number is not used again")
    again = a + b + 1 & HALF
    expect(again.slices != new.slices and again.number not in numbers, "a sum that is made again is another one")
    expect(again.value().poly != number.poly, "and another number")
    expect((a + b & HALF) is total and total.value() is before, "what was before is as it was")
    expect(engine.same((total ^ b) ^ b, total), "what comes after a rollback is right")


# The one that takes longest is the last.
CHECKS: dict[str, Callable[[Engine], None]] = {
    "equal": check_equal,
    "different": check_different,
    "refused": check_refused,
    "numbers": check_numbers,
    "sums": check_sums,
    "differences": check_differences,
    "functions": check_functions,
    "rollback": check_rollback,
    "values": check_values,
}


def check_all(engine: Engine) -> None:
    for check in CHECKS.values():
        check(engine)
