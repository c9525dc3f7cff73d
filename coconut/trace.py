# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trace the library's kernels: compile them over graph lanes and over model lanes, and run both."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Protocol

from coconut.graph import Graph, read_graphs
from coconut.simulate import Sample, read_samples

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "src"
BUILD = ROOT / "build" / "coconut"
LANES, BLOCKS = HERE / "lanes", HERE / "blocks"

# How many groups share a reduction in kernels described by a model.
MODEL_GROUPS = "X(2, 2) X(4, 8)"


class Described(Protocol):
    """What describes blocks that are not the library's (own.py)."""

    @property
    def source(self) -> Path: ...

    @property
    def modulus(self) -> int: ...

    @property
    def architectures(self) -> tuple[str, ...]: ...

    def check_sample(self, graph: Graph, sample: Sample) -> None: ...

    def claim(self, claims: Any) -> None: ...


@dataclass(frozen=True)
class Kernel:
    """A kernel whose basic blocks are traced, and its number of lanes.

    - kind: "" for lanes of Poly1305; "vmsl", whose products are summed; "scalar"; "tag", in words too, what all kernels
      share; "ends", in lanes and words, what surrounds the basic blocks of a field; "words", in ChaCha20's vectors of
      32-bit words. Each but the first has a program in blocks/.
    - model: the kernel's file is empty on this CPU, and this other one with the same field is traced.
    - radix: in a program of all fields, the exponent of the radix.
    - surrounds: the kernel whose basic blocks this one surrounds, with the same field and number of lanes.
    - groups: how many share a reduction, if a model is traced.
    - offers: what lanes of Poly1305 offer beyond what they must.
    - own: the description of blocks that are not the library's.
    """

    name: str
    lanes: int
    kind: str = ""
    model: str = ""
    radix: int = 0
    surrounds: str = ""
    groups: str = MODEL_GROUPS
    offers: tuple[str, ...] = ()
    own: Described | None = None

    def command(self, lanes: str) -> list[str | Path]:
        """Return the compiler's command over "graph" or "values" lanes: clang, because it knows all instruction sets."""
        compiler: list[str | Path] = ["clang-19", "-O1", "-Wall", "-Wextra", "-Werror"]
        hook = f'"{LANES / lanes}{"_" * bool(self.kind)}{"scalar" if self.kind == "tag" else self.kind}.h"'
        if self.kind == "words":
            # Vectors wider than the registers that every CPU has are passed in memory: no warning.
            options = ["-Wno-psabi", f"-DWORDS={self.lanes}", f'-DCOCONUT_KERNEL="{self.name}"']
            return [*compiler, *options, *[f"-DHORNET_WORDS_HOOK={hook}"] * (lanes == "graph"), BLOCKS / "words.c"]
        compiler += [f"-DHORNET_LANES_HOOK={hook}", f"-DCOCONUT_LANES={self.lanes}"]
        compiler += [f"-DCOCONUT_{offer.upper()}" for offer in self.offers]
        if self.kind:
            # C++ that is C, but for the type of words. Optimizing it takes longer than running it.
            compiler[:2] = ["clang++-19", "-O0"]
            compiler += ["-Wno-missing-designated-field-initializers", "-Wno-overloaded-shift-op-parentheses"]
            compiler += ["-Wno-c99-designator", "-Wno-unused-function", f"-DKERNEL={self.name}"]
            if self.own:
                return [*compiler, f"-I{LANES}", self.own.source]
            field_file = SOURCE / "poly1305" / "field" / f"radix{self.radix}.h"
            return [*compiler, f'-DFIELD_FILE="{field_file}"', BLOCKS / f"{self.kind}.cc"]
        if self.model:
            compiler.append(f"-DGROUPS_TO_A_REDUCTION(X)={self.groups}")
        source = SOURCE / "poly1305" / "kernels" / f"{self.model or self.name}.c"
        return [*compiler, f'-DHORNET_KERNEL_HOOK="{BLOCKS / "decimated.h"}"', source]


# Each pair of a field and a number of lanes, under a kernel that has it.
KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("avx2", 4),
        Kernel("ifma256", 4),
        Kernel("ifma", 8),
        Kernel("avx512f", 8),
        Kernel("neon", 4, model="portable"),
        Kernel("vx", 4, model="portable"),
        # As the C kernels have them: limbs are cut by instructions of their own, and multipliers are packed.
        Kernel("vsx", 4, model="portable", groups="X(2, 2) X(8, 42)", offers=("cut_26",)),
        Kernel("neon-packed", 4, model="portable", groups="X(2, 2) X(8, 64)", offers=("cut_26", "multiply_block")),
        Kernel("neon32", 2, model="portable", groups="X(2, 2) X(4, 20)", offers=("cut_26", "multiply_block")),
        Kernel("sse2", 2, model="portable", groups="X(2, 2) X(8, 42)"),
        Kernel("vmsl", 2, "vmsl", radix=44),
        # As the C kernels of z14 and POWER9 have it.
        Kernel("vmsum", 2, "vmsl", radix=44, offers=("cut_44",)),
        # As many 64-bit lanes as vectors of 128, 256 and 512 bits have.
        *(Kernel(f"rvv{lanes}", lanes, model="portable") for lanes in (2, 4, 8)),
        Kernel("scalar64", 1, "scalar", radix=64),
        Kernel("scalar32", 1, "scalar", radix=32),
        Kernel("ends26x1", 1, "ends", radix=26),
        Kernel("ends26x2", 2, "ends", radix=26, surrounds="rvv2"),
        Kernel("ends26x4", 4, "ends", radix=26, surrounds="avx2"),
        Kernel("ends26x8", 8, "ends", radix=26, surrounds="avx512f"),
        Kernel("ends26x2packed", 2, "ends", radix=26, surrounds="neon32", offers=("cut_26", "multiply_block")),
        Kernel("ends26x4packed", 4, "ends", radix=26, surrounds="neon-packed", offers=("cut_26", "multiply_block")),
        Kernel("ends44x4", 4, "ends", radix=44, surrounds="ifma256"),
        Kernel("ends44x8", 8, "ends", radix=44, surrounds="ifma"),
        Kernel("tag", 1, "tag"),
        Kernel("chacha20-128", 4, "words"),
        Kernel("chacha20-256", 8, "words"),
        Kernel("chacha20-512", 16, "words"),
    )
}


def kernel_named(name: str) -> Kernel:
    if name not in KERNELS:
        raise ValueError(f"no kernel {name}; there are {', '.join(KERNELS)}")
    return KERNELS[name]


def newest_source() -> float:
    """Return when the last of the compiled sources was changed."""
    folders = (SOURCE, HERE, ROOT / "tests" / "vectors", ROOT / "tests" / "support")
    return max(file.stat().st_mtime for folder in folders for file in folder.rglob("*.[ch]*"))


def run(kernel: Kernel, command: list[str | Path], stdout: IO[str] | None = None) -> None:
    """Run a command. What it says of one's own source is a ValueError."""
    ran = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE if kernel.own else None, text=True, check=False)
    if ran.returncode and kernel.own:
        raise ValueError(f"{kernel.own.source}: {command[0]} fails with {ran.returncode}\n{ran.stderr}")
    ran.check_returncode()


def trace(kernel: Kernel, lanes: str, folder: Path | None = None) -> Path:
    """Return the JSON file of the blocks over "graph" or "values" lanes, rewritten if a source has changed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = (folder or BUILD) / f"{kernel.name}-{lanes}"
    result = program.with_suffix(".json")
    if result.exists() and result.stat().st_mtime > newest_source():
        return result
    # Other processes may do the same now.
    program = program.with_suffix(f".{os.getpid()}")
    unfinished = program.with_suffix(f"{program.suffix}.json")
    try:
        run(kernel, [*kernel.command(lanes), "-o", program])
        with unfinished.open("w") as file:
            run(kernel, [program], file)
        return unfinished.replace(result)
    finally:
        program.unlink(missing_ok=True)
        unfinished.unlink(missing_ok=True)


@cache
def read_traced(name: str) -> tuple[dict[str, Graph], dict[str, list[Sample]]]:
    """Return the graphs of a kernel's basic blocks and the samples of each, by name."""
    kernel = kernel_named(name)
    samples: dict[str, list[Sample]] = {}
    with TemporaryDirectory() as folder:
        # Other blocks of one's own may have the same name, at the same time.
        into = Path(folder) if kernel.own else None
        for sample in read_samples(trace(kernel, "values", into)):
            samples.setdefault(sample.block, []).append(sample)
        return read_graphs(trace(kernel, "graph", into), name), samples
