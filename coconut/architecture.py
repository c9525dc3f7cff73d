# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define what selection, allocation, scheduling, emission and parsing ask of an architecture.

Each architecture has a file in architectures/: the table of its instructions, the rules that select them, and how
assemblers write them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coconut.instructions import Instruction, Memory, Op
from coconut.operations import Value


class Syntax:
    """Write instructions and functions for an assembler, as indented lines.

        void NAME(t, powers, message, turns)      func NAME(t *T, powers *P, message *byte, turns uint64)

    is the signature of a loop: the accumulator's limbs ("state"), the graph's inputs in memory one after another
    ("powers"), the message, and the number of iterations, at least one. Another basic block is

        void NAME(out, in, message)      func NAME(out *O, in *I[, message *byte])

    where outputs ("state") and inputs ("powers") do not overlap; out has room for spilled values. A Memory that is
    "broadcast" is one word. "constants" points to words that come with the function.
    """

    def text(self, op: Op, args: list[int], result: int) -> str:
        """Return an instruction with its operands and result in these registers."""
        raise NotImplementedError

    def move(self, to: int, source: int) -> str:
        raise NotImplementedError

    def load(self, register: int, place: Memory) -> str:
        """Return the load of a vector."""
        raise NotImplementedError

    def store(self, register: int, place: Memory) -> str:
        """Return the store of a vector, or of its first element as a word."""
        raise NotImplementedError

    def begin(self, name: str, description: str, parameters: str, inputs: int, advance: int) -> list[str]:
        """Return the beginning of a function, up to where its pointers are set.

        parameters are Go's; inputs is the number of vectors in memory; advance is the length of an iteration in bytes.
        """
        raise NotImplementedError

    def loop(self, name: str) -> list[str]:
        """Return the label of the loop."""
        raise NotImplementedError

    def advance(self, advance: int) -> list[str]:
        """Return what advances the message's pointer by `advance` bytes."""
        raise NotImplementedError

    def again(self, name: str) -> list[str]:
        """Return the end of the loop: count an iteration, and jump to the label unless it was the last."""
        raise NotImplementedError

    def clear(self, registers: int) -> list[str]:
        """Return what clears secrets from the first `registers` registers."""
        raise NotImplementedError

    def end(self, name: str, words: list[int]) -> list[str]:
        """Return the return instruction, and the constants, which are 64-bit words."""
        raise NotImplementedError


def go_begin(name: str, description: str, parameters: str, move: str, registers: tuple[str, ...]) -> list[str]:
    """Return the beginning of a function in Go's assembler, which loads its arguments into these registers."""
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
    """Return the end of a function in Go's assembler, which is the same on every CPU."""
    return ["\tRET", "", *go_constants(name, words)]


def go_constants(name: str, words: list[int]) -> list[str]:
    return [
        *(f"DATA ·{name}Constants+{8 * i}(SB)/8, ${word:#018x}" for i, word in enumerate(words)),
        f"GLOBL ·{name}Constants(SB), RODATA|NOPTR, ${8 * len(words)}",
    ]


class GoSyntax(Syntax):
    """Write Go's assembler, and read it back."""

    # General registers, by what they point to.
    pointers: dict[str, str]

    def begin_reading(self) -> None:
        """Start reading a function."""

    def follow(self, mnemonic: str, operands: list[str]) -> None:
        """Track an instruction on general registers, for syntaxes whose addresses depend on them."""

    def words_of_vectors(self, words: dict[int, int]) -> dict[int, int]:
        """Return the words of whole vectors, by offset, from those in the file."""
        return words

    def message_begin(self, name: str, description: str, parameters: str, frame_bytes: int) -> list[str]:
        """Return the beginning of a function of several basic blocks, with a frame of frame_bytes."""
        raise NotImplementedError

    def part_begin(self, parameters: str, name: str, places: dict[str, int | None], turns: str | None) -> list[str]:
        """Return the beginning of one of its basic blocks.

        It sets the pointers, to places in the frame or, for None, to the arguments out and in; turns is the argument
        with the number of iterations, if the block is a loop.
        """
        raise NotImplementedError

    def part_end(self, name: str, advance: int, is_loop: bool) -> list[str]:
        """Return the end of one of its basic blocks, which advances the message's pointer.

        A loop without iterations continues here.
        """
        raise NotImplementedError

    def message_end(self, frame_bytes: int) -> list[str]:
        """Return the end of the function: clear the frame with a register that has been cleared, and return."""
        raise NotImplementedError

    def constants(self, name: str, words: list[int]) -> list[str]:
        """Return the constants that follow a function."""
        return go_constants(name, words)

    def vector(self, operand: str) -> int | None:
        """Return the number of the vector register that an operand names; None if it is something else."""
        raise NotImplementedError

    def memory(self, operand: str, broadcast: bool = False) -> Memory | None:
        raise NotImplementedError

    def read(self, mnemonic: str, operands: list[str], values: dict[int, int]) -> Op | None:
        """Return the instruction on the values that the registers hold; None if it is not understood."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Architecture:
    """An instruction set with registers of one size.

    - cpus: LLVM's names of the CPUs whose models schedules are made for.
    - features: the names in /proc/cpuinfo of what a CPU needs.
    - alternatives: for each thing that can be done in several ways, the variants, the plain one first.
    - selector: the rules, a Selector (select.py).
    - order: for a number of lanes, which block is in each.
    - load: the instruction that loads a vector.
    - replaces_sum: an accumulating instruction has its result in the sum's register.
    - word_bytes: the size of a register's element.
    - chains: values pass from one basic block to the next in registers (functions.py).
    - scalable: the code is the same for every vector length.
    - emulator: the command that runs programs on other CPUs.
    - pack: how a register holds the numbers for the blocks; by default each in its own element, in that order.
    """

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
