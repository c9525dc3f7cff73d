# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What selection, allocation, scheduling, emission and parsing ask of an architecture.

Each has a file in architectures/: the table of its instructions, rules that select them, and how assemblers want them written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coconut.instructions import Instruction, Memory, Op
from coconut.operations import Value


class Syntax:
    """How an assembler wants instructions and functions. Lines have their indentation.

        void NAME(t, powers, message, turns)      func NAME(t *T, powers *P, message *byte, turns uint64)

    is what a loop takes: the accumulator's limbs ("state"), the graph's inputs in memory one after another ("powers"), the
    message, and how many turns, at least one. Another line is

        void NAME(out, in, message)      func NAME(out *O, in *I[, message *byte])

    where what goes out ("state") and comes in ("powers") does not overlap; out has room for what finds no register. A Memory that
    is "broadcast" is a word. "constants" points to words that come with the function."""

    def text(self, op: Op, args: list[int], result: int) -> str:
        """An instruction, with operands and result in these registers."""
        raise NotImplementedError

    def move(self, to: int, source: int) -> str:
        raise NotImplementedError

    def load(self, register: int, place: Memory) -> str:
        """A vector."""
        raise NotImplementedError

    def store(self, register: int, place: Memory) -> str:
        """A vector, or the first element of one as a word."""
        raise NotImplementedError

    def begin(self, name: str, description: str, parameters: str, inputs: int, advance: int) -> list[str]:
        """From the head of a function on to where its pointers are set. parameters are Go's; inputs, how many vectors are in memory;
        advance, the bytes of a turn."""
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

    def clear(self, registers: int) -> list[str]:
        """Leaves no secrets in so many registers."""
        raise NotImplementedError

    def end(self, name: str, words: list[int]) -> list[str]:
        """The return, and the constants, which are words of 64 bits."""
        raise NotImplementedError


def go_begin(name: str, description: str, parameters: str, move: str, registers: tuple[str, ...]) -> list[str]:
    """What begins one: its arguments, into these registers."""
    arguments = [argument.split()[0] for argument in parameters.strip("()").split(", ")]
    return [
        f"// func {name}{parameters}",
        f"// {description}",
        f"TEXT ·{name}(SB), NOSPLIT, $0-{8 * len(arguments)}",
        *(
            f"\t{move} {argument}+{8 * i}(FP), {register}"
            for i, (argument, register) in enumerate(zip(arguments, registers))
        ),
    ]


def go_end(name: str, words: list[int]) -> list[str]:
    """What ends a function in Go's assembly on every CPU."""
    return ["\tRET", "", *go_constants(name, words)]


def go_constants(name: str, words: list[int]) -> list[str]:
    return [
        *(f"DATA ·{name}Constants+{8 * i}(SB)/8, ${word:#018x}" for i, word in enumerate(words)),
        f"GLOBL ·{name}Constants(SB), RODATA|NOPTR, ${8 * len(words)}",
    ]


class GoSyntax(Syntax):
    """Go's assembler, whose output can be read back."""

    # The general registers, by what they point to.
    pointers: dict[str, str]

    def begin_reading(self) -> None:
        """A function is read from here on."""

    def follow(self, mnemonic: str, operands: list[str]) -> None:
        """An instruction on general registers, for syntaxes whose addresses depend on them."""

    def words_of_vectors(self, words: dict[int, int]) -> dict[int, int]:
        """The words of whole vectors, by their offsets, of those that the file has."""
        return words

    def message_begin(self, name: str, description: str, parameters: str, frame_bytes: int) -> list[str]:
        """A function of several lines, with that much memory of its own."""
        raise NotImplementedError

    def part_begin(self, parameters: str, name: str, places: dict[str, int | None], turns: str | None) -> list[str]:
        """A line of it: sets its pointers, into that memory or to out and in; and counts, if it is a loop, so many turns."""
        raise NotImplementedError

    def part_end(self, name: str, advance: int, is_loop: bool) -> list[str]:
        """Moves the message's pointer; a loop of no turns goes on here."""
        raise NotImplementedError

    def message_end(self, frame_bytes: int) -> list[str]:
        """Clears the memory, by a register that has been cleared, and returns."""
        raise NotImplementedError

    def constants(self, name: str, words: list[int]) -> list[str]:
        """After a function."""
        return go_constants(name, words)

    def vector(self, operand: str) -> int | None:
        """The number of a register that values are in."""
        raise NotImplementedError

    def memory(self, operand: str, broadcast: bool = False) -> Memory | None:
        raise NotImplementedError

    def read(self, mnemonic: str, operands: list[str], values: dict[int, int]) -> Op | None:
        """The instruction, on the values that registers hold; None if it is not understood."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Architecture:
    """An instruction set with registers of one size.

        cpus: LLVM's names of those whose models schedules are made for. features: the names in /proc/cpuinfo of what a CPU needs.
        alternatives: for each thing that may be done in several ways, these; the first is the plain one. selector: the rules, a Selector
    (select.py). order: of a number of
    lanes, which block is in each. load: the instruction that loads a vector. replaces_sum: an instruction that accumulates
    has its result in the register of the sum. word_bytes: of an element of a register. chains: its lines go from one to
    the next in registers (functions.py). scalable: the code is the same for every length of vectors. emulator: the command
    that runs programs elsewhere. pack: of the numbers for the blocks, how a register holds them; by default each in an element
    of its own, in that order."""

    name: str
    triple: str
    registers: int
    vector_bytes: int
    cpus: tuple[str, ...]
    features: tuple[str, ...]
    instructions: dict[str, Instruction]
    alternatives: dict[str, tuple[str, ...]]
    selector: type
    order: Callable[[int], tuple[int, ...]]
    load: str
    gnu: Syntax
    go: GoSyntax | None
    goarch: str
    replaces_sum: bool = False
    big_endian: bool = False
    scalable: bool = False
    emulator: tuple[str, ...] = ()
    pack: Callable[[Value], Value] | None = None
    word_bytes: int = 8
    chains: bool = False
