# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What selection, allocation, scheduling, emission and parsing ask of an architecture.

Each has a file in architectures/: the table of its instructions, rules that select them, and how assemblers want them written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coconut.instructions import Instruction
    from coconut.program import Memory, Op, Program
    from coconut.select import Selector


class Syntax:
    """How an assembler wants instructions and functions. Lines have their indentation.

        void NAME(t, powers, message, turns)      func NAME(t *T, powers *P, message *byte, turns uint64)

    is what a function takes: the accumulator's limbs ("state"), the graph's inputs in memory one after another ("powers"), the
    message, and how many turns, at least one. "constants" points to words that come with the function."""

    def text(self, op: Op, args: list[int], result: int) -> str:
        """An instruction, with operands and result in these registers."""
        raise NotImplementedError

    def move(self, to: int, source: int) -> str:
        raise NotImplementedError

    def load(self, register: int, place: Memory) -> str:
        """A vector."""
        raise NotImplementedError

    def store(self, register: int, place: Memory) -> str:
        raise NotImplementedError

    def begin(self, name: str, program: Program, description: str) -> list[str]:
        """From the head of a function on to where its pointers are set."""
        raise NotImplementedError

    def loop(self, name: str) -> list[str]:
        """The label of the loop."""
        raise NotImplementedError

    def advance(self, advance: int) -> list[str]:
        """The message's pointer, by so many bytes."""
        raise NotImplementedError

    def again(self, name: str) -> list[str]:
        """Counts a turn, and goes back to the label unless it was the last."""
        raise NotImplementedError

    def end(self, name: str, words: list[int]) -> list[str]:
        """The return, and the constants, which are words of 64 bits."""
        raise NotImplementedError


class GoSyntax(Syntax):
    """Go's assembler, whose output can be read back."""

    # The general registers, by what they point to.
    pointers: dict[str, str]

    def is_vector(self, operand: str) -> bool:
        """A register that values are in."""
        raise NotImplementedError

    def memory(self, operand: str, broadcast: bool = False) -> Memory | None:
        raise NotImplementedError

    def read(self, mnemonic: str, operands: list[str], values: dict[str, int]) -> Op | None:
        """The instruction, on the values that registers hold; None if it is not understood."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Architecture:
    """An instruction set with registers of one size.

        cpus: LLVM's names of those whose models schedules are made for. features: the names in /proc/cpuinfo of what a CPU needs.
        alternatives: for each thing that may be done in several ways, these; the first is the plain one. order: of a number of
    lanes, which block is in each. load: the instruction that loads a vector. replaces_sum: an instruction that accumulates
    has its result in the register of the sum."""

    name: str
    triple: str
    registers: int
    vector_bytes: int
    cpus: tuple[str, ...]
    features: tuple[str, ...]
    instructions: dict[str, Instruction]
    alternatives: dict[str, tuple[str, ...]]
    selector: type[Selector]
    order: Callable[[int], tuple[int, ...]]
    load: str
    gnu: Syntax
    go: GoSyntax | None
    replaces_sum: bool = False
    big_endian: bool = False
