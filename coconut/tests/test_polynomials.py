# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test symbolic numbers against ints: random programs of all operations, at random and extreme inputs."""

import operator
import random
from collections.abc import Callable

import pytest

from coconut.operations import WORD_MAX
from coconut.prove import polynomials
from coconut.prove.certificate import Certificate
from coconut.prove.polynomials import Number, Ring, Unproved, Values

PROGRAMS = 600
OPERATIONS: list[Callable] = [operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor]
COMPARISONS: list[Callable] = [operator.lt, operator.gt, operator.le, operator.ge]
Step = tuple[Callable, tuple[int, ...]]  # an operation, and the values that it takes


def cut(a: int) -> int:
    return a & WORD_MAX


def random_step(choice: random.Random, count: int) -> Step:
    """Return an operation on one or two of `count` values, or a selection by a comparison, or joined halves."""
    kind = choice.randrange(12)
    a, b, c, d = (choice.randrange(count) for _ in range(4))
    if kind < 4:
        function, is_word = choice.choice(OPERATIONS), choice.randrange(3)
        return (lambda a, b: cut(function(a, b)) if is_word else function(a, b)), (a, b)
    bits, first = choice.choice([1, 2, 26, 32, 44, 52, 63, 64]), choice.choice([0, 1, 12, 44, 52])
    mask = choice.choice([(1 << bits) - 1, (1 << bits + first) - (1 << first), choice.getrandbits(64), ~7, 0])
    compare = choice.choice(COMPARISONS)
    steps: list[Step] = [
        (lambda a: a >> bits, (a,)),
        (lambda a: cut(a << bits % 16), (a,)),
        (lambda a: a & mask, (a,)),
        (lambda a: mask ^ a if mask >= 0 else ~a & WORD_MAX, (a,)),
        (lambda a, b: compare(a, b) + 0, (a, b)),
        (lambda a, b, c: a & cut(0 - compare(b, c)), (a, b, c)),
        (lambda a, b, c, d: (c & cut(0 - (a < b))) | (d & cut((a < b) - 1)), (a, b, c, d)),
        (lambda a, b: a >> bits | cut(b << 64 - bits), (a, b)),
    ]
    return steps[kind - 4]


def compare_with_ints(seed: int, certificate: Certificate | None = None) -> int:
    """Return how many operations of a random program are understood. They must agree with those on ints."""
    choice = random.Random(seed)
    ring = Ring(certificate)
    limits = [choice.choice([0, 1, 255, 2**26 - 1, 2**44 - 1, 2**52, WORD_MAX, WORD_MAX]) for _ in range(4)]
    numbers: list[Number | int] = [ring.input(f"x{i}", limit) for i, limit in enumerate(limits)]
    samples = [
        [choice.choice([0, limit, limit // 2, choice.randint(0, limit), choice.randint(0, limit)]) for limit in limits]
        for _ in range(20)
    ]
    all_values = [list(sample) for sample in samples]
    understood = 0
    for _ in range(12):
        step, operands = random_step(choice, len(numbers))
        try:
            number = step(*(numbers[i] for i in operands))
        except Unproved:
            continue
        understood += 1
        numbers.append(number)
        for sample, values in zip(samples, all_values, strict=True):
            values.append(step(*(values[i] for i in operands)))
            assert Values(ring, dict(enumerate(sample))).agree(number, values[-1]), (seed, len(numbers))
    return understood


def test_agree_with_ints() -> None:
    assert sum(compare_with_ints(seed) for seed in range(PROGRAMS)) > PROGRAMS * 4


def test_mistakes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mistakes in what the operations rest on."""
    mistakes: list[tuple[object, str, object]] = [
        (Ring, "range_of", lambda ring, poly: (0, 1)),
        (polynomials, "power_of_2", lambda poly: 1 << 20),
        (polynomials, "exclusive", lambda a, b: a.bit is not None and b.bit is not None),
        (polynomials, "transitions", lambda mask: [(mask.bit_length(), 1)]),
        (polynomials, "gcd", lambda *numbers: WORD_MAX),
        (polynomials, "WORD_BITS", 65),
    ]
    for place, name, mistake in mistakes:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, mistake)
            with pytest.raises(AssertionError):
                for seed in range(PROGRAMS):
                    compare_with_ints(seed)


def test_what_is_not_understood_is_refused() -> None:
    ring = Ring()
    x, y = ring.input("x", WORD_MAX), ring.input("y", WORD_MAX)
    sum_of_words = ((x - y) & WORD_MAX) + x
    for refused in (
        lambda: x & y,
        lambda: x | y,
        lambda: x == y,
        lambda: 1 if x < y else 0,
        lambda: sum_of_words >> 1,
        lambda: sum_of_words & 2**65 - 1,
        lambda: sum_of_words < x,
        lambda: (x * x) < y,
        lambda: ring.range_of(ring.value("v")),
    ):
        with pytest.raises(Unproved):
            refused()
