# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shared code of instructions.py and cycles.py: the rows of architectures.txt, and the library built for them."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "counts"
TABLE = re.compile(r"(?:^\|.*(?:\n|\Z))+", re.MULTILINE)


def execute(*command: object, cwd: Path = ROOT) -> str:
    """Run a command and return its output. If it fails, show its errors and exit."""
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{result.stdout}{result.stderr}")
    return result.stdout


def table_row(cells: list[str]) -> str:
    """Return a row of a Markdown table."""
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"


def printed_by(function: Callable[[], None]) -> str:
    """Return what a function prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        function()
    return printed.getvalue()


def replace_tables(title: str, printed: str, file: Path = HERE / "results.md") -> None:
    """Replace the tables of a section by those that were printed, in order."""
    text, tables = file.read_text(encoding="utf-8"), TABLE.findall(printed)
    before, heading, rest = text.partition(f"## {title}\n")
    section, more, after = rest.partition("\n## ")
    if not heading or len(TABLE.findall(section)) != len(tables):
        sys.exit(f"{file}: not {len(tables)} tables in '{title}'")
    new = iter(tables)
    file.write_text(before + heading + TABLE.sub(lambda _: next(new), section) + more + after, encoding="utf-8")


def per_compiler(texts: list[str]) -> str:
    """Return the texts for each compiler, or a single one if they are the same."""
    return " / ".join(dict.fromkeys(texts))


class Architecture:
    """A row of architectures.txt. Sources of further kernels, each named after its kernel, are compiled with the
    library."""

    def __init__(self, name: str, names: list[str], further: Sequence[Path] = ()) -> None:
        rows = (ROOT / "tests/cross/architectures.txt").read_text(encoding="utf-8").splitlines()
        row = next((row.split() for row in rows if row.startswith(name + " ")), None)
        if row is None or name not in names:
            sys.exit(f"{name} is none of {', '.join(names)}")
        self.name, self.triple, emulator, option, _, kernels, _ = row
        self.emulator = emulator.split(":")
        self.compilers = ["clang-19"] if option == "clang" else ["gcc", "clang-19"]
        self.clang_options = [option] if option.startswith("-") and option != "-" else []
        self.kernels = kernels.split(",")
        self.further = further
        self.folder = BUILD / (name + "-further" * bool(further))

    def compiler(self, compiler: str) -> list[str]:
        """Return the command that compiles for it."""
        if compiler == "gcc":
            return [f"{self.triple}-gcc", "-O2"]
        return [compiler, f"--target={self.triple}", *self.clang_options, "-O2"]

    def linked(self) -> list[object]:
        """Return what programs must be linked with for the emulator, as in test_architectures.py."""
        if not self.triple.startswith("riscv64-"):
            return []
        return ["-Wl,--wrap=syscall", ROOT / "tests/cross/hwprobe.c"]

    def objects(self, compiler: str) -> list[Path]:
        """Compile the library and return its objects."""
        folder = self.folder / compiler
        script = f'. tests/support/build.sh; sources+=({shlex.join(map(str, self.further))}); build_objects "$@"'
        execute("bash", "-euc", script, "bash", folder, *self.compiler(compiler))
        return sorted(folder.glob("*.o"))
