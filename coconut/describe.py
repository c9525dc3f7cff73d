# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the library's kernels over graph lanes and over model lanes, and runs both."""

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


@dataclass(frozen=True)
class Description:
    """A kernel whose lines are described: its file, or a program of its own, and how many lanes it has."""

    kernel: str
    lanes: int
    summed: bool = False

    def source(self) -> Path:
        return HERE / "lines" / "summed.c" if self.summed else SOURCE / "poly1305" / "kernels" / f"{self.kernel}.c"

    def options(self, lanes: str) -> list[str]:
        """Over "graph" or "values" lanes."""
        hook = HERE / "lanes" / f"{lanes}{'_summed' if self.summed else ''}.h"
        options = [f'-DHORNET_LANES_HOOK="{hook}"', f"-DCOCONUT_LANES={self.lanes}"]
        return options if self.summed else [*options, f'-DHORNET_KERNEL_HOOK="{HERE / "lines" / "decimated.h"}"']


@dataclass(frozen=True)
class Words(Description):
    """ChaCha20, in vectors of so many words."""

    def source(self) -> Path:
        return HERE / "lines" / "words.c"

    def options(self, lanes: str) -> list[str]:
        # Vectors wider than the registers of every CPU are passed in memory.
        options = ["-Wno-psabi", f"-DWORDS={self.lanes}", f'-DCOCONUT_KERNEL="{self.kernel}"']
        return options + [f'-DHORNET_WORDS_HOOK="{HERE / "lanes" / "graph_words.h"}"'] * (lanes == "graph")


# A field and a number of lanes each, by a kernel that has them.
DESCRIPTIONS = (
    Description("avx2", 4),
    Description("ifma256", 4),
    Description("ifma", 8),
    Description("vmsl", 2, summed=True),
    Words("chacha20-256", 8),
    Words("chacha20-512", 16),
)


def newest_source() -> float:
    """When the last of what is compiled has changed."""
    folders = (SOURCE, HERE, ROOT / "tests" / "vectors", ROOT / "tests" / "support")
    return max(file.stat().st_mtime for folder in folders for file in folder.rglob("*.[ch]"))


def describe(description: Description, lanes: str) -> Path:
    """The lines over "graph" or "values" lanes, as JSON; made anew if a source has changed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"{description.kernel}-{lanes}"
    result = program.with_suffix(".json")
    if result.exists() and result.stat().st_mtime > newest_source():
        return result
    unfinished = result.with_suffix(".unfinished")
    # clang, because it knows all instruction sets.
    subprocess.run(
        [
            "clang-19",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
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
    """The lines of a kernel, and the samples of each, by their names."""
    description = next(description for description in DESCRIPTIONS if description.kernel == kernel)
    samples: dict[str, list[Sample]] = {}
    for sample in read_samples(describe(description, "values")):
        samples.setdefault(sample.line, []).append(sample)
    return read_graphs(describe(description, "graph")), samples
