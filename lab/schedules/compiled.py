# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile the library's loops with gcc and clang, and estimate their cycles by LLVM's models."""

import functools
import re
import subprocess
from collections.abc import Iterator

from coconut.native import COMPILERS, OPTIONS
from coconut.orders import steady_cycles
from coconut.own import own_of
from lab.schedules.architectures import ARCHITECTURES
from lab.schedules.native import IN_C, file_of, hooked

COMPILED = ("gcc", "clang")


@functools.cache
def compiled_loops(triple: str, compiler: str, kernel: str) -> dict[str, list[str]]:
    """Return the iterations of the loops in assembly, by name, if they are basic blocks."""
    options = [*OPTIONS, "-S", "-o", "-", hooked("loops.h"), str(file_of(kernel))]
    command = [*COMPILERS[triple][compiler], *options]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    loops = {}
    for found in re.finditer(r"LLVM-MCA-BEGIN ([^\n]*)\n(.*?)\n[^\n]*LLVM-MCA-END", run.stdout, re.DOTALL):
        # llvm-mca has no use for directives about lines and files.
        lines = [line for line in found[2].splitlines() if re.match(r"\s+[a-z]", line)]
        if not any(re.match(r"\s+j", line) for line in lines):
            loops[found[1]] = lines
    return loops


def compiled_cycles(triple: str, compiler: str, kernel: str, block: str, cpu: str) -> float | None:
    """Return the steady-state cycles per iteration; None if it is not a basic block, or the library has no such loop."""
    if kernel in IN_C or own_of(kernel):
        return None
    lines = compiled_loops(triple, compiler, kernel).get(block)
    return None if lines is None else steady_cycles(triple, cpu, lines)


def cells_of(triple: str, kernel: str, block: str, cpu: str) -> list[str]:
    """Return the cycles of both compilers' loops, as cells of a table."""
    cycles = [compiled_cycles(triple, compiler, kernel, block, cpu) for compiler in COMPILED]
    return ["-" if figure is None else f"{figure:.1f}" for figure in cycles]


def with_compiled(text: str, kernels: frozenset[str] | None = None) -> Iterator[str]:
    """Return the lines of results/schedules.md, with the compilers' cycles of the loops of these kernels, or all, anew."""
    for line in text.splitlines(keepends=True):
        row = [cell.strip() for cell in line.strip("|\n").split("|")]
        kernel, _, block = row[0].partition("/")
        if len(row) == 10 and kernel in ARCHITECTURES and (kernels is None or kernel in kernels):
            found = [cells_of(ARCHITECTURES[kernel].triple, kernel, block, cpu) for cpu in row[1].split(", ")]
            row[-2:] = [", ".join(dict.fromkeys(of)) for of in zip(*found)]
            yield f"| {' | '.join(row)} |\n".replace("|  |", "| |")
        else:
            yield line
