# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define instructions on values, and the entries of the tables of instructions, which the architectures have.

An entry says what an instruction does to registers of 64-bit or 32-bit elements, and what forms it has. A register is a
tuple of numbers, beginning with the element that is first in memory. The operands are in the order of the meaning; the
last one may be memory where the table says so. check_instructions.py shows on the CPU that a table is right.
"""

from collections.abc import Callable
from dataclasses import dataclass

from coconut.operations import WORD_MAX, Value

Meaning = Callable[..., Value]


@dataclass(frozen=True)
class Instruction:
    """An instruction of an architecture: its name in GNU's assembler, its number of vector operands, and its meaning.

    - accumulates: the result replaces the first operand.
    - memory: the last operand may be memory; "broadcast": also one number of it in all elements; "only": it always is.
    - immediate: it takes an immediate number; edges are those to be tested.
    - zero: it takes no operand, and is written with its result in place of each.
    - low: "operand", "result" or "both" is written by the name of its first 128 bits; memory is a word unless it is
      "both".
    - commutes: its two operands can be swapped.
    - stores: it has no result, and writes its operand.

    Some registers have no number: flags, and those that a multiplication always writes.

    - gives: those of them that hold the result (flags hold its second element).
    - hidden: no other register holds the result.
    - takes: which operands are in them, by number of the operand.
    - destroys: those that hold nothing useful afterwards.
    """

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
    """Bytes from a pointer on.

    - base: the pointer, to the message, to inputs in memory ("powers"), to constants, to outputs or ChaCha20's state
      ("state"), to its blocks ("out"), or to the function's frame.
    - broadcast: one element is in all elements.
    - stride: the bytes from one element to the next, unless they are adjacent.
    """

    base: str
    offset: int
    broadcast: bool = False
    stride: int = 0


@dataclass(frozen=True)
class Op:
    """An instruction on numbered values. Memory, if any, is the last operand; node is that of the graph."""

    instruction: Instruction
    args: tuple[int, ...]
    imm: int | None = None
    memory: Memory | None = None
    node: int = -1


def elements(function: Callable[..., int], largest: int = WORD_MAX) -> Meaning:
    """Return the meaning that applies a function to each element; it takes the immediate first."""
    return lambda imm, *args: tuple(function(imm, *numbers) & largest for numbers in zip(*args, strict=True))
