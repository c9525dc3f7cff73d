# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Instructions on values, and what an entry of a table of instructions says: what the instruction does to registers of 64-bit
or 32-bit elements, and what forms it has. The tables are those of the architectures.

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
        it in all elements; "only": it is memory always. immediate: a number comes with it; edges: those to be tested. zero: it takes
    no operand, and is written with its result for each. low: "operand" or "result" or "both" is written by the name of its first
    128 bits; memory is a word if it is not both. commutes: its two operands can change places. stores: it has no result, and
    writes its operand.
    Some registers have no number: flags, and those that a multiplication writes always. gives: those of them that hold what the
    result is (its second element, in flags). hidden: no other register holds it. takes: which operands are there, by number.
    destroys: those that hold nothing useful afterwards."""

    name: str
    operands: int
    meaning: Meaning
    immediate: bool = False
    accumulates: bool = False
    memory: str = ""
    zero: bool = False
    low: str = ""
    edges: tuple[int, ...] = (1, 2, 12, 26, 44, 52, 63)
    gives: tuple[str, ...] = ()
    hidden: bool = False
    takes: tuple[tuple[int, str], ...] = ()
    destroys: tuple[str, ...] = ()
    commutes: bool = False
    stores: bool = False


@dataclass(frozen=True)
class Memory:
    """Bytes from a pointer on: of the message, of the inputs in memory ("powers"), of the constants, of what goes out or of
    ChaCha20's state ("state"), of its blocks ("out"), or of the function's frame. broadcast: one element's, in all elements.
    stride: from one element to the next, if they do not lie side by side."""

    base: str
    offset: int
    broadcast: bool = False
    stride: int = 0


@dataclass(frozen=True)
class Op:
    """An instruction on values, by their numbers. Where there is memory, it is the last operand. node is the graph's."""

    instruction: Instruction
    args: tuple[int, ...]
    imm: int | None = None
    memory: Memory | None = None
    node: int = -1


def elements(function: Callable[..., int], largest: int = WORD_MAX) -> Meaning:
    """Of one on the elements; the immediate comes first."""
    return lambda imm, *args: tuple(function(imm, *numbers) & largest for numbers in zip(*args, strict=True))
