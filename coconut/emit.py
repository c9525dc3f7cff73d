# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write functions of basic blocks for an assembler, each instruction with the name of the graph's value.

`coconut print` shows the expression of each name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from coconut.allocate import Allocator, Step
from coconut.architecture import Architecture
from coconut.assembler import Assembler
from coconut.instructions import Memory, Op
from coconut.program import Program

LICENCE = "SPDX-License-Identifier: Apache-2.0 OR MIT"


def text_of(steps: Iterable[Step], assembler: Assembler) -> list[str]:
    """Return the assembly of steps."""
    lines = []
    for step in steps:
        *before, text = assembler.text(step.op, step.args, step.result)
        lines += [*before, f"{text} {assembler.comment} {step.label}" if step.label else text]
    return lines


def moved(architecture: Architecture, name: str, register: int, place: Memory, label: str = "") -> Step:
    """Return a load or a store of a register."""
    instruction = architecture.instructions[name]
    return Step(
        Op(instruction, (0,) * instruction.stores, None, place), (register,) * instruction.stores, register, label
    )


@dataclass(frozen=True)
class Block:
    """A basic block in registers.

    - steps: an iteration.
    - repeat: the number of iterations, or the function's argument that has it.
    - before, after: what a loop loads before its first iteration, and stores after the last one.
    - vectors: the number of vectors of memory for spilled values.
    """

    program: Program
    steps: tuple[Step, ...]
    repeat: int | str = 1
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()
    vectors: int = 0

    @staticmethod
    def of(program: Program, allocator: Allocator, repeat: int | str = 1) -> "Block":
        return Block(program, tuple(allocator.steps), repeat, vectors=allocator.spilled)

    @property
    def output_words(self) -> int:
        """Return the length of outputs and spilled vectors, in 64-bit words."""
        return self.program.output_words() + self.vectors * self.program.architecture.vector_bytes // 8

    @property
    def name(self) -> str:
        return "".join(word.capitalize() for word in self.program.graph.name.split())

    def iteration(self, assembler: Assembler) -> list[str]:
        return text_of(self.steps, assembler)

    def advance(self, assembler: Assembler, advance_bytes: int) -> list[str]:
        return assembler.control("advance", bytes=advance_bytes, pointer=assembler.pointers["message"])

    def loop(self, assembler: Assembler, label: str) -> list[str]:
        """Return the block with its label and what counts its iterations."""
        start = f".L{label}" if not assembler.is_go else f"loop{label}"
        return [
            *text_of(self.before, assembler),
            "",
            f"{start}:",
            *self.iteration(assembler),
            *self.advance(assembler, self.program.graph.advance),
            *assembler.control("again", counter=assembler.counters[0], label=start),
            "",
            *text_of(self.after, assembler),
        ]


@dataclass(frozen=True)
class Function:
    """A function of basic blocks; each kind says how values pass between them.

    - parameters: those in Go, of 8 bytes each.
    - constants: the words of each table of constants, by name.
    - frame_bytes: the room in the function's frame, aligned to `align` bytes if that is not 0.
    - clears: it leaves nothing in its frame and in registers.
    """

    name: str
    blocks: tuple[Block, ...]
    parameters: tuple[str, ...]
    description: str
    constants: dict[str, Sequence[int]] = field(default_factory=dict)
    frame_bytes: int = 0
    align: int = 0
    clears: bool = False

    @property
    def architecture(self) -> Architecture:
        return self.blocks[0].program.architecture

    @property
    def signature(self) -> str:
        """Return name and parameters in Go; adjacent parameters of one type share it."""
        types = [parameter.partition(" ")[2] for parameter in self.parameters]
        shown = [
            parameter if types[i : i + 1] != types[i + 1 : i + 2] else parameter.partition(" ")[0]
            for i, parameter in enumerate(self.parameters)
        ]
        return f"{self.name}({', '.join(shown)})"

    def body(self, assembler: Assembler) -> list[str]:
        """Return the function from where its arguments and its head are done with."""
        raise NotImplementedError

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        """Return the general register of each argument that is loaded at the beginning."""
        raise NotImplementedError

    def argument(self, assembler: Assembler, name: str, register: str) -> list[str]:
        names = [parameter.split()[0] for parameter in self.parameters]
        return assembler.control("argument", name=name, offset=8 * names.index(name), register=register)

    def head(self, assembler: Assembler) -> list[str]:
        """Return what the assembler's functions begin with, and the pointer to the constants."""
        table = [] if self.name not in self.constants else self.table(assembler, self.name)
        if not assembler.is_go:
            return [*assembler.head, *table]
        arguments = self.arguments(assembler)
        return [
            *(line for name in arguments for line in self.argument(assembler, name, arguments[name])),
            *table,
            *assembler.head,
        ]

    def table(self, assembler: Assembler, name: str) -> list[str]:
        return assembler.control("constants", name=name, register=assembler.pointers["constants"])

    def text(self, assembler: Assembler) -> str:
        lines = [*self.head(assembler), *self.body(assembler), *self.clear(assembler), *assembler.tail]
        lines = [indented(line) for line in lines]
        return "\n".join(self.go(lines) if assembler.is_go else self.gnu(lines, assembler))

    def clear(self, assembler: Assembler) -> list[str]:
        """Return what clears registers and frame."""
        if not self.clears or assembler.clears is None:
            return []
        places = (Memory("frame", at) for at in range(0, self.frame_bytes, self.architecture.vector_bytes))
        stores = [moved(self.architecture, self.architecture.store, 0, place) for place in places]
        return [*map(assembler.clears, range(self.architecture.registers)), *text_of(stores, assembler)]

    def go(self, lines: list[str]) -> list[str]:
        frame = self.frame_bytes + self.align
        data = self.architecture.word_bytes
        return [
            f"// func {self.signature}",
            f"// {self.description}",
            f"TEXT ·{self.name}(SB), {'0' if self.align else 'NOSPLIT'}, ${frame}-{8 * len(self.parameters)}",
            *lines,
            "",
            *(
                line
                for name, words in self.constants.items()
                for line in (
                    *(
                        f"DATA ·{name}Constants<>+{data * i}(SB)/{data}, ${word:#0{2 + 2 * data}x}"
                        for i, word in enumerate(words)
                    ),
                    f"GLOBL ·{name}Constants<>(SB), RODATA|NOPTR, ${data * len(words)}",
                )
            ),
            "",
        ]

    def gnu(self, lines: list[str], assembler: Assembler) -> list[str]:
        constants = [
            line
            for name, words in self.constants.items()
            for line in (f"{name}_constants:", *(f"\t.quad {word:#x}" for word in words))
        ]
        return [
            f"{assembler.comment} {self.description}",
            ".text",
            f".globl {self.name}",
            f".type {self.name}, {assembler.mark}function",
            ".p2align 6",
            f"{self.name}:",
            *lines,
            f".size {self.name}, . - {self.name}",
            *([".section .rodata", ".p2align 6", *constants] if constants else []),
            f'.section .note.GNU-stack,"",{assembler.mark}progbits',
            "",
        ]


def indented(line: str) -> str:
    return line if not line or line.endswith(":") or line.startswith((".", "//")) else f"\t{line}"


def go_header(constraint: str) -> list[str]:
    return [f"// {LICENCE}", "", "// Code generated by coconut; DO NOT EDIT.", "", f"//go:build {constraint}", ""]


def go_file(functions: Sequence[Function], constraint: str) -> str:
    texts = []
    for function in functions:
        assembler = function.architecture.go
        if assembler is None:
            raise ValueError(f"{function.architecture.name} is not written in Go's assembly")
        texts.append(function.text(assembler))
    named = "// Instructions are followed by the names of values, which `coconut print` explains."
    return "\n".join([*go_header(constraint), named, "", '#include "textflag.h"', "", *texts])


def go_declarations(functions: Sequence[Function], package: str, constraint: str) -> str:
    """Return a Go file that declares functions, each under its description."""
    lines = [*go_header(constraint), f"package {package}"]
    for function in functions:
        lines += ["", f"// {function.description}", "//", "//go:noescape", f"func {function.signature}"]
    return "\n".join([*lines, ""])
