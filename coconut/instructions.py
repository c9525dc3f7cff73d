# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What an entry of a table of instructions says: what the instruction does to registers of 64-bit elements, and what forms it
has. The tables are those of the architectures.

A register is a tuple of numbers, the element that is first in memory first. The operands stand in the order of the meaning;
the last may be memory where the table says so. That a table is right, check_instructions.py shows on the CPU."""

from collections.abc import Callable
from dataclasses import dataclass

from coconut.operations import WORD_MAX, Value

Meaning = Callable[..., Value]


@dataclass(frozen=True)
class Instruction:
    """Of the architecture: its name in GNU's assembler, how many vectors it takes, and what it does with them.

        accumulates: the result replaces the first operand. memory: the last operand may be memory; "broadcast" too, a number of
        it in all elements; "only": it is memory always. immediate: a number comes with it. zero: it takes no operand, and is written
    with its result for each."""

    name: str
    operands: int
    meaning: Meaning
    immediate: bool = False
    accumulates: bool = False
    memory: str = ""
    zero: bool = False


def elements(function: Callable[..., int]) -> Meaning:
    """Of one on the elements; the immediate comes first."""
    return lambda imm, *args: tuple(function(imm, *numbers) & WORD_MAX for numbers in zip(*args, strict=True))
