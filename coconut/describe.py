# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the library's kernels over graph lanes and over model lanes, and runs both."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "src"
BUILD = ROOT / "build" / "coconut"


@dataclass(frozen=True)
class Description:
    """A kernel whose lines are described: its file, or a program of its own, and how many lanes it has. The program runs on
    lanes of its own kind, whose files have that in their names."""

    kernel: str
    lanes: int
    program: str = ""
    kind: str = ""

    def source(self) -> Path:
        return HERE / "lines" / self.program if self.program else SOURCE / "poly1305" / "kernels" / f"{self.kernel}.c"

    def compiler(self) -> list[str]:
        """clang, because it knows all instruction sets."""
        if self.program.endswith(".cc"):
            return ["clang++-19", "-Wno-missing-designated-field-initializers"]
        return ["clang-19"]

    def options(self, lanes: str) -> list[str]:
        hook = HERE / "lanes" / f"{lanes}{self.kind}.h"
        options = [f'-DHORNET_LANES_HOOK="{hook}"', f"-DCOCONUT_LANES={self.lanes}"]
        return options if self.program else [*options, f'-DHORNET_KERNEL_HOOK="{HERE / "lines" / "decimated.h"}"']


# A field and a number of lanes each, by a kernel that has them.
DESCRIPTIONS = (
    Description("avx2", 4),
    Description("ifma256", 4),
    Description("ifma", 8),
    Description("vmsl", 2, "summed.c", "_summed"),
    Description("scalar64", 1, "scalar.cc", "_words"),
)


def newest_source() -> float:
    """When the last of what is compiled has changed."""
    folders = (SOURCE / "core", SOURCE / "poly1305", HERE, ROOT / "tests" / "vectors", ROOT / "tests" / "support")
    return max(file.stat().st_mtime for folder in folders for file in folder.rglob("*.[ch]*"))


def describe(description: Description, lanes: str) -> Path:
    """The lines over "graph" or "values" lanes, as JSON; made anew if a source has changed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    program = BUILD / f"{description.kernel}-{lanes}"
    result = program.with_suffix(".json")
    if result.exists() and result.stat().st_mtime > newest_source():
        return result
    unfinished = result.with_suffix(".unfinished")
    warnings = ["-Wall", "-Wextra", "-Werror"]
    options = [*warnings, *description.options(lanes)]
    subprocess.run(
        [*description.compiler()[:1], "-O1", *options, *description.compiler()[1:], "-o", program, description.source()],
        check=True,
    )
    with unfinished.open("w") as file:
        subprocess.run([program], stdout=file, check=True)
    return unfinished.replace(result)
