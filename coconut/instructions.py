# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define instructions on values, and the entries of the architectures' tables of instructions.

An entry says what an instruction does to registers of 64-bit or 32-bit elements, what forms it has, and how assemblers
write it. A register is a tuple of numbers, beginning with the element that is first in memory. The operands are in the
order of the meaning; the last one may be memory where the table says so. check_instructions.py compares the tables with
CPUs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from coconut.operations import WORD32_MAX, WORD_MAX, Value

Meaning = Callable[..., Value]

# Registers without a number: the carry, and those that a multiplication always writes.
FLAGS, PRODUCT = "flags", "product"
# Immediate numbers to be tested.
EDGES = (1, 2, 12, 26, 44, 52, 63)


@dataclass(frozen=True)
class Instruction:
    """An instruction of an architecture: its name in GNU's assembler, its number of vector operands, and its meaning.

    - accumulates: the result replaces the first operand.
    - memory: the last operand may be memory; "broadcast": also one number of it in all elements; "only": it always is.
    - reads: the bytes that it takes from memory, unless they are a vector.
    - stride: the bytes in memory from one element to the next, unless they are adjacent.
    - immediate: it takes an immediate number; edges are those to be tested.
    - zero: it takes no operand, and is written with its result in place of each.
    - low: "operand", "result" or "both" is written by the name of its first 128 bits; memory is a word unless it is
      "both".
    - commutes: its two operands can be swapped.
    - stores: it has no result, and writes its operand to memory.
    - implicit_defs: the registers without a number that hold the result (flags hold its second element).
    - implicit: no other register holds the result.
    - implicit_uses: which operands are in registers without a number, by number of the operand.
    - clobbers: the registers without a number that hold nothing useful afterwards.
    - gnu, go: how the assemblers write it (assembler.py), where that differs from the architecture's default.
    """

    name: str
    operands: int
    meaning: Meaning
    immediate: bool = False
    accumulates: bool = False
    memory: str = ""
    reads: int = 0
    stride: int = 0
    zero: bool = False
    low: str = ""
    edges: tuple[int, ...] = EDGES
    implicit_defs: tuple[str, ...] = ()
    implicit: bool = False
    implicit_uses: tuple[tuple[int, str], ...] = ()
    clobbers: tuple[str, ...] = ()
    commutes: bool = False
    stores: bool = False
    gnu: str = ""
    go: str = ""


@dataclass(frozen=True)
class Memory:
    """Bytes from a pointer on.

    - base: the pointer, to the message, to inputs in memory ("powers"), to constants, to outputs or ChaCha20's state
      ("state"), to its blocks ("out"), or to the function's frame.
    - broadcast: one element is in all elements; of a store, only the first is written.
    """

    base: str
    offset: int
    broadcast: bool = False


@dataclass(frozen=True)
class Op:
    """An instruction on numbered values. Memory, if any, is the last operand; node is that of the graph."""

    instruction: Instruction
    args: tuple[int, ...]
    imm: int | None = None
    memory: Memory | None = None
    node: int = -1


def table(*instructions: Instruction) -> dict[str, Instruction]:
    return {instruction.name: instruction for instruction in instructions}


def identity(imm: int | None, a: Value) -> Value:
    """Return the operand: the meaning of moves, loads and stores."""
    return a


def elements(function: Callable[..., Any], largest: int = WORD_MAX) -> Meaning:
    """Return the meaning that applies a function to each element; it takes the immediate first."""
    return lambda imm, *args: tuple(function(imm, *numbers) & largest for numbers in zip(*args, strict=True))


def halves(a: Value) -> Value:
    """Return the 32-bit halves of elements."""
    return tuple(half for number in a for half in (number & WORD32_MAX, number >> 32))


def of_halves(a: Sequence[Any]) -> Value:
    """Return the elements of which these are the halves."""
    return tuple(a[i] | a[i + 1] << 32 for i in range(0, len(a), 2))


def octets(numbers: Iterable[int], size: int, order: str = "little") -> list[int]:
    """Return the bytes of numbers of `size` bytes as they lie in memory."""
    shifts = range(0, 8 * size, 8) if order == "little" else range(8 * size - 8, -8, -8)
    return [(number & (1 << shift + 8) - 1) >> shift for number in numbers for shift in shifts]


def of_octets(data: Sequence[int], size: int, order: str = "little") -> Value:
    """Return the numbers of `size` bytes that lie in memory as these bytes."""
    parts = (data[i : i + size] if order == "little" else data[i : i + size][::-1] for i in range(0, len(data), size))
    return tuple(reduce(or_, (octet << 8 * i for i, octet in enumerate(part))) for part in parts)
