# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds the cheapest passes of ChaCha20 for each number of blocks: the plans of src/core/tuning.h.

passes.c measures each shape of a kernel on this CPU. A message of the AEAD is a sequence of passes, followed by Poly1305 over
what the passes did not take; its cost is the sum of theirs. Among all sequences, dynamic programming finds the cheapest.
"""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = {"avx512": "ifma", "avx512vl": "ifma256", "avx2": "avx2", "vector128": "scalar64"}  # with this Poly1305
DOUBLE_ROUNDS = 10
BLOCKS_OF_POLY1305 = 4  # in a block of ChaCha20
SOURCES = ("src/*/*.c", "src/*/*/*.c")


@dataclass(frozen=True)
class Shape:
    name: str
    blocks: int
    keyed: bool
    beside: int
    first: float
    next: float = 0
    with_poly1305: float = 0

    def taken(self, ready: int) -> int:
        """Return how many of the blocks of Poly1305 that are ready it takes."""
        return min(ready // self.beside, DOUBLE_ROUNDS) * self.beside if self.beside else 0

    def cost(self, taken: int) -> float:
        share = taken / (DOUBLE_ROUNDS * self.beside) if taken else 0
        return self.next + share * (self.with_poly1305 - self.next)


@dataclass(frozen=True)
class Measured:
    shapes: tuple[Shape, ...]
    poly1305_block: float  # one more block in a call of Poly1305's kernel
    poly1305_call: float


def measure(kernel: str, compiler: str) -> Measured | None:
    """Measure the passes of a kernel, or return None if this CPU cannot run it."""
    measured = ROOT / f"src/chacha20/kernels/{kernel}.c"  # which passes.c includes
    sources = [file for pattern in SOURCES for file in ROOT.glob(pattern) if file != measured]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "passes"
        flags = ["-O2", "-fPIC", "-std=c11", f"-I{ROOT}/include", f'-DKERNEL_FILE="{measured}"']
        flags.append(f'-DPOLY1305_KERNEL="{KERNELS[kernel]}"')
        subprocess.run([compiler, *flags, ROOT / "lab/bench/passes.c", *sources, "-o", program], check=True)
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    if not lines:
        return None
    poly1305, *shapes = (json.loads(line) for line in lines)
    return Measured(tuple(Shape(**shape) for shape in shapes), **poly1305)


class Plans:
    """The cheapest sequences of passes."""

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        self.then = cache(self._then)

    def _then(self, blocks: int, ready: int) -> tuple[float, tuple[str, ...]]:
        """Return cost and shapes for the blocks that are left, and for Poly1305 over what is ready and over them."""
        if blocks == 0:
            return self.measured.poly1305_call + ready * self.measured.poly1305_block, ()
        found = []
        for shape in self.measured.shapes:
            if not shape.keyed:
                taken, done = shape.taken(ready), min(blocks, shape.blocks)
                cost, shapes = self.then(blocks - done, ready - taken + BLOCKS_OF_POLY1305 * done)
                found.append((cost + shape.cost(taken), (shape.name, *shapes)))
        return min(found)

    def message(self, blocks: int) -> tuple[float, tuple[str, ...]]:
        """Return cost and shapes for a message of that many blocks, and the key."""
        found = []
        for shape in self.measured.shapes:
            done = min(blocks, shape.blocks - 1)
            cost, shapes = self.then(blocks - done, BLOCKS_OF_POLY1305 * done)
            found.append((cost + shape.first, (shape.name, *shapes)))
        return min(found)

    def continuation(self, blocks: int) -> str:
        """Return the shape for blocks that are left of a message, when a whole pass of Poly1305 is ready."""
        largest = max(shape.taken(10**6) for shape in self.measured.shapes)
        return self.then(blocks, largest)[1][0] if blocks else self.measured.shapes[0].name


def counted(shapes: list[str]) -> str:
    """Return a list as in src/core/tuning.h: X(shape, n) for n times the same."""
    found: list[list] = []
    for shape in shapes:
        if found and found[-1][0] == shape:
            found[-1][1] += 1
        else:
            found.append([shape, 1])
    return " ".join(f"X({name}, {number})" for name, number in found)


def report(kernel: str, compiler: str) -> str:
    measured = measure(kernel, compiler)
    if measured is None:
        return f"{kernel}: not on this CPU\n"
    lines = [
        f"{kernel}, cycles, {compiler}; {measured.poly1305_block:.2f} for one more block of Poly1305 in its own kernel:"
    ]
    lines += [
        f"  {shape.name:14} {shape.blocks:3} blocks: first {shape.first:5.0f}, next {shape.next:5.0f}"
        + (
            f", with {DOUBLE_ROUNDS * shape.beside} blocks of Poly1305 {shape.with_poly1305:5.0f}"
            if shape.beside
            else ""
        )
        for shape in measured.shapes
    ]
    period = max(shape.blocks - shape.keyed for shape in measured.shapes)
    plans = Plans(measured)
    numbers = range(2 * period + 1)
    first = [plans.message(blocks)[1][0] for blocks in numbers]
    following = [plans.continuation(blocks) for blocks in numbers]
    name = kernel.upper()
    lines += [
        f"#define PLAN_{name}_period {period}",
        f"#define PLAN_{name}_first(X) {counted(first)}",
        f"#define PLAN_{name}_next(X) {counted(following)}",
        "",
    ]
    return "\n".join(lines)


def main(compilers: list[str]) -> None:
    for kernel in KERNELS:
        for compiler in compilers:
            print(report(kernel, compiler), flush=True)
