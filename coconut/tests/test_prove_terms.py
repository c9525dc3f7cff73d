# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the engine of symbolic words, and what the instructions of x86-64 make of words, on values."""

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from coconut.architectures.amd64 import by_bits, ternary
from coconut.lift.amd64 import replaced
from coconut.prove import terms
from coconut.prove.mutations_terms import check_engine, mutants, reason_for, source_of
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.term_values import WordValues
from coconut.prove.terms import Terms
from coconut.prove.word_checks import CHECKS

WORD_MAX = 2**64 - 1


@pytest.mark.parametrize("name", CHECKS)
def test_engine(name: str) -> None:
    CHECKS[name](terms)


def test_a_mistake_in_the_engine() -> None:
    """Mistakes that `coconut mutations` plants in terms.py make a check fail, such as these."""
    made = list(mutants(source_of(terms), "turned".__eq__))
    assert len(made) >= 20
    for mutant in made[::3]:
        if not reason_for(mutant):
            with pytest.raises(Unproved):
                check_engine(mutant)


def of_64(engine: Terms, name: str, number: int, values: dict[str, int]) -> Any:
    """Return a symbolic word of 64 bits with a value."""
    values |= {f"{name} low": number & 0xFFFFFFFF, f"{name} high": number >> 32}
    return engine.variable(f"{name} low") | engine.variable(f"{name} high") << 32


def of_table(table: int, operands: Sequence[int]) -> int:
    """Return the bits that a table has for those of operands, one by one."""
    found = 0
    for i in range(64):
        at = 0
        for operand in operands:
            at = at << 1 | operand >> i & 1
        found |= (table >> at & 1) << i
    return found


@pytest.mark.parametrize("which", list(product((False, True), repeat=3)))
def test_ternary(which: Sequence[bool]) -> None:
    """Each table of three operands, public or symbolic ones, makes the right value or is refused."""
    chosen = random.Random(20)
    right = 0
    for table in range(256):
        # All bits, and bits that no two operands have.
        for apart in (False, True):
            masks = (0xFF, 0xF0F000, 0x1234 << 40) if apart else (WORD_MAX,) * 3
            numbers = [chosen.getrandbits(64) & mask for mask in masks]
            expected = of_table(table, numbers)
            assert ternary(table, *numbers) == by_bits(table, numbers) == expected
            values: dict[str, int] = {}
            engine = Terms(Ring())
            operands = [
                of_64(engine, f"x{i}", number, values) & masks[i] if which[i] else number
                for i, number in enumerate(numbers)
            ]
            for function in (ternary, lambda table, *operands: by_bits(table, operands)):
                try:
                    found = function(table, *operands)
                except Unproved:
                    continue
                assert WordValues(engine, values).agree(found, expected), (table, which)
                right += 1
    # With one symbolic operand nearly all tables are understood, with three few: exclusive ors, and what has fewer operands.
    assert right >= {0: 1024, 1: 1020, 2: 200, 3: 40}[sum(which)]


def test_replaced() -> None:
    """Parts of a word are replaced by those of another one, be they public, symbolic words, or numbers."""
    chosen, right = random.Random(8), 0
    for mask in (0xFF, 0xFF00, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF << 32):
        for kinds in product(range(3), repeat=2):
            before, value = chosen.getrandbits(64), chosen.getrandbits(64) & mask
            expected = before & ~mask | value
            values: dict[str, int] = {}
            ring = Ring()
            engine = Terms(ring)
            low = (mask & -mask).bit_length() - 1
            words = [
                before
                if kinds[0] == 0
                else of_64(engine, "a", before, values)
                if kinds[0] == 1
                else ring.input("x", WORD_MAX),
                value
                if kinds[1] == 0
                else of_64(engine, "b", value, values) & mask
                if kinds[1] == 1
                else ring.input("y", mask >> low) << low,
            ]
            inputs = {}
            for number, name in ((before, "x"), (value >> low, "y")):
                if name in ring.names:
                    inputs[ring.names.index(name)] = number
            try:
                found = replaced(words[0], mask, words[1])
            except Unproved:
                continue
            assert WordValues(engine, values, inputs).agree(found, expected), (mask, kinds)
            right += 1
    assert right >= 30
