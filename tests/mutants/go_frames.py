# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mistakes in what functions of the Go module may touch, one line each; coconut's proofs must refuse them.

memory      what is only read is written: message, key, the last block; memory beside a state, and beside the frame
reads       before a buffer, and far behind it, of a value that nothing uses
registers   the stack pointer, g, the frame pointer, the link register; the direction flag
headings    a smaller frame; another size of the arguments; another ABI
text        a macro or a condition, which Go's assembler expands
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mutants.changes import Mutant
from mutants.sweep import NOT_NOTICED, Sweep
from support import ROOT

from coconut.prove.chacha20 import GO_FILES, GoFunction
from coconut.prove.go import GO, committed
from coconut.prove.polynomials import Ring
from coconut.prove.proof import REFUSALS


@dataclass(frozen=True)
class Function:
    """A function of the Go module, and what proves a text of its file, under which name."""

    file: Path
    name: str
    goarch: str
    prove: Callable[[str], object]
    command: str

    @property
    def title(self) -> str:
        return f"{self.goarch} {self.name}"


def prove_chacha20(file: Path, name: str, text: str) -> None:
    """Prove a function of ChaCha20 with one round stitched to it, not in place."""
    function = GoFunction.of(text, file.with_suffix(".go").read_text(), name, file.stem.removeprefix("emitted_"))
    if "groups" in function.parameters:
        function.prove_any_groups(False, 1)
    else:
        function.prove_groups(1, False, 1)


def functions() -> Iterator[Function]:
    for one in committed().values():

        def prove(text: str, one=one) -> None:  # type: ignore[no-untyped-def]
            one.prove(one.code(text), Ring())

        yield Function(GO / one.file, one.name, one.architecture.goarch, prove, "prove go")
    for file in GO_FILES:
        for name in re.findall(r"^TEXT ·(\w+)\(SB\)", file.read_text(), re.M):

            def prove_words(text: str, file: Path = file, name: str = name) -> None:
                prove_chacha20(file, name, text)

            yield Function(file, name, file.stem.removeprefix("emitted_"), prove_words, "prove go-chacha20")


@dataclass(frozen=True)
class Assembly:
    """Instructions of an architecture: a move of a word, what no function may change, a register, the stack pointer."""

    move: str
    kept: tuple[str, ...]
    result: str
    stack: str


ASSEMBLY = {
    "amd64": Assembly("MOVQ", ("MOVQ $0, SP", "MOVQ $0, BP", "PUSHQ R8", "STD"), "R8", "SP"),
    "arm64": Assembly("MOVD", ("MOVD $0, R28", "MOVD $0, R29", "MOVD $0, R30", "MOVD $0, RSP"), "R0", "RSP"),
    "riscv64": Assembly("MOV", ("MOV $0, X27", "MOV $0, X1", "MOV $0, X2", "MOV $0, X3", "MOV $0, X4"), "X5", "X2"),
    "s390x": Assembly("MOVD", ("MOVD $0, R13", "MOVD $0, R14", "MOVD $0, R15"), "R0", "R15"),
}
# Offsets that no function has: before a buffer, and far behind it.
OUTSIDE = (-8, 1 << 20)
# Pointers to what functions write, at any offset or at some.
WRITTEN = {"out": OUTSIDE, "t": OUTSIDE, "dst": OUTSIDE, "others": OUTSIDE, "mac": (0, 8, 16, 24, 56, -8)}
WRITTEN |= {"p": WRITTEN["mac"]}


def frame_mistakes(text: str, function: Function) -> Iterator[Mutant]:
    """Plant the mistakes in a function of a file."""
    assembly, title = ASSEMBLY[function.goarch], function.title
    heading = re.search(rf"^TEXT ·{function.name}\(SB\), \w+, \$(\d+)-(\d+)$", text, re.M)
    assert heading
    begin, end = heading.end(), text.index("\tRET", heading.end())

    def line(at: int, new: str) -> Mutant:
        return Mutant(at, at, f"\t{new}\n", title)

    pointers = re.compile(rf"^\t{assembly.move} (\w+)\+\d+\(FP\), (\w+)\n", re.M)
    # A load into a register that the next line overwrites.
    load = re.compile(rf"^\t{assembly.move} -?\d+\(\w+\), (\w+)(?: //.*)?\n", re.M)
    for found in pointers.finditer(text, begin, end):
        name, base = found.groups()
        if not re.search(rf"\({base}\)", text[found.end() : end]):
            continue
        free = load.search(text, found.end(), end)
        if free and free[1] != base:
            yield from (line(free.start(), f"{assembly.move} {offset}({base}), {free[1]}") for offset in OUTSIDE)
        for offset in WRITTEN.get(name, (0, -8)):
            yield line(end, f"{assembly.move} {assembly.result}, {offset}({base})")
    frame = int(heading[1])
    for instruction in assembly.kept:
        # Go's assembler restores the frame pointer in a function that has a frame.
        if not (frame and re.search(r"BP|R29", instruction)):
            yield line(end, instruction)
    for offset in (frame + 8, -8):
        yield line(end, f"{assembly.move} {assembly.result}, {offset}({assembly.stack})")
    for group, other in ((1, -64), (2, -8), (2, 8)):
        size = int(heading[group]) + other
        if size >= 0:
            yield Mutant(heading.start(group), heading.end(group), str(size), title)
    yield Mutant(heading.start(), heading.end(), heading[0].replace("(SB)", "<ABIInternal>(SB)"), title)
    first = text.index('#include "textflag.h"\n') + len('#include "textflag.h"\n')
    yield Mutant(first, first, f"#define {assembly.move} NOP\n", title)
    yield Mutant(heading.start(), heading.start(), "#ifdef NEVER\n", title)


class FrameSweep(Sweep):
    """The mistakes of the functions of a file."""

    def __init__(self, file: Path, functions: list[Function]) -> None:
        self.path, self.text = str(file.relative_to(ROOT)), file.read_text()
        self.functions = {function.title: function for function in functions}
        self.mutants = [
            mutant
            for function in functions
            for mutant in frame_mistakes(self.text, function)
            if re.fullmatch(os.environ.get("MUTANTS", ".*"), mutant.function)
        ]

    def outcome(self, number: int, mutant: Mutant) -> str:
        function = self.functions[mutant.function]
        try:
            function.prove(mutant.of(self.text))
        except REFUSALS:
            return f"coconut {function.command}"
        return NOT_NOTICED

    def shown(self, mutant: Mutant) -> str:
        line = self.text.count("\n", 0, mutant.start) + 1
        return f"{self.path}:{line}: {mutant.function}: {mutant.replacement.strip()}"


def frame_sweeps() -> dict[str, FrameSweep]:
    """Return the sweep of each file."""
    files: dict[Path, list[Function]] = {}
    for function in functions():
        files.setdefault(function.file, []).append(function)
    return {str(file.relative_to(GO.parent)): FrameSweep(file, found) for file, found in files.items()}
