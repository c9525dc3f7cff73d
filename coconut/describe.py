# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile the library's kernels over graph lanes and over model lanes, and run both."""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coconut.graph import Graph, read_graphs
from coconut.simulate import Sample, read_samples

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "src"
BUILD = ROOT / "build" / "coconut"


def kernel_file(kernel: str) -> Path:
    return SOURCE / "poly1305" / "kernels" / f"{kernel}.c"


@dataclass(frozen=True)
class Description:
    """A kernel whose basic blocks are described, and its number of lanes.

    - summed, scalar: a program of its own describes it; the lanes' products are summed, or there are words, not lanes.
    - model: the kernel's file is empty on this CPU, and this other one with the same field is described.
    - runs_beside: the kernel whose loops are compared with the emitted ones, if not its own.
    """

    kernel: str
    lanes: int
    summed: bool = False
    scalar: bool = False
    model: str = ""
    runs_beside: str = ""

    @property
    def group_bytes(self) -> int:
        """Return the bytes of a group, as in the kernel: with sums, two evaluations run in parallel."""
        return 16 * self.lanes * (2 if self.summed else 1)

    def source(self) -> Path:
        own = "summed.c" if self.summed else "scalar.cc" if self.scalar else ""
        return HERE / "lines" / own if own else kernel_file(self.model or self.kernel)

    def compiler(self) -> list[str]:
        """Return the compiler's command: clang, because it knows all instruction sets."""
        return ["clang++-19", "-Wno-missing-designated-field-initializers"] if self.scalar else ["clang-19"]

    def kernel_file(self) -> Path:
        """Return the file of the kernel whose loops are compared with the emitted ones."""
        return kernel_file(self.runs_beside or self.kernel)

    def lanes_options(self) -> list[str]:
        return [f"-DPORTABLE_LANES={self.lanes}"] if self.runs_beside == "portable" else []

    def options(self, lanes: str) -> list[str]:
        """Return the compiler's options over "graph" or "values" lanes."""
        hook = HERE / "lanes" / f"{lanes}{'_summed' if self.summed else '_scalar' if self.scalar else ''}.h"
        options = [f'-DHORNET_LANES_HOOK="{hook}"', f"-DCOCONUT_LANES={self.lanes}"]
        if self.model:
            options.append(f"-DGROUPS_TO_A_REDUCTION(X)={MODEL_GROUPS}")
        if self.summed or self.scalar:
            return options
        return [*options, f'-DHORNET_KERNEL_HOOK="{HERE / "lines" / "decimated.h"}"']


# How many groups share a reduction in kernels described by a model.
MODEL_GROUPS = "X(2, 2) X(4, 8)"


@dataclass(frozen=True)
class Words(Description):
    """ChaCha20, in vectors of `lanes` words."""

    def source(self) -> Path:
        return HERE / "lines" / "words.c"

    def options(self, lanes: str) -> list[str]:
        # Vectors wider than the registers that every CPU has are passed in memory: no warning.
        options = ["-Wno-psabi", f"-DWORDS={self.lanes}", f'-DCOCONUT_KERNEL="{self.kernel}"']
        return options + [f'-DHORNET_WORDS_HOOK="{HERE / "lanes" / "graph_words.h"}"'] * (lanes == "graph")


# Each pair of a field and a number of lanes, under a kernel that has it.
DESCRIPTIONS = (
    Description("avx2", 4),
    Description("ifma256", 4),
    Description("ifma", 8),
    Description("neon", 4, model="portable"),
    Description("vx", 4, model="portable"),
    Description("vmsl", 2, summed=True),
    # As many 64-bit lanes as vectors of 128, 256 and 512 bits have.
    Description("rvv2", 2, model="portable", runs_beside="portable"),
    Description("rvv4", 4, model="portable", runs_beside="portable"),
    Description("rvv8", 8, model="portable", runs_beside="portable"),
    Description("scalar64", 1, scalar=True),
    Words("chacha20-256", 8),
    Words("chacha20-512", 16),
)


def description_of(kernel: str) -> Description:
    found = next((description for description in DESCRIPTIONS if description.kernel == kernel), None)
    if found is None:
        raise ValueError(f"no kernel {kernel}; there are {', '.join(known.kernel for known in DESCRIPTIONS)}")
    return found


def newest_source() -> float:
    """Return when the last of the compiled sources was changed."""
    folders = (SOURCE, HERE, ROOT / "tests" / "vectors", ROOT / "tests" / "support")
    return max(file.stat().st_mtime for folder in folders for file in folder.rglob("*.[ch]*"))


def describe(description: Description, lanes: str) -> Path:
    """Return the JSON file of the blocks over "graph" or "values" lanes, rewritten if a source has changed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"{description.kernel}-{lanes}"
    result = program.with_suffix(".json")
    if result.exists() and result.stat().st_mtime > newest_source():
        return result
    unfinished = result.with_suffix(".unfinished")
    compiler, *warnings = description.compiler()
    subprocess.run(
        [
            compiler,
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            *warnings,
            *description.options(lanes),
            "-o",
            program,
            description.source(),
        ],
        check=True,
    )
    with unfinished.open("w") as file:
        subprocess.run([program], stdout=file, check=True)
    return unfinished.replace(result)


@cache
def read_described(kernel: str) -> tuple[dict[str, Graph], dict[str, list[Sample]]]:
    """Return the graphs of a kernel's basic blocks and the samples of each, by name."""
    description = description_of(kernel)
    samples: dict[str, list[Sample]] = {}
    for sample in read_samples(describe(description, "values")):
        samples.setdefault(sample.line, []).append(sample)
    return read_graphs(describe(description, "graph"), kernel), samples
