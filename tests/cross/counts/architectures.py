# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What instructions.py and cycles.py share: the rows of architectures.txt, and the library built for them."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
BUILD = ROOT / "build" / "counts"

COMPILERS = ["gcc", "clang-19"]


def execute(*command: object, cwd: Path = ROOT) -> str:
    """Runs a command, and returns what it prints. Its errors are shown if it fails."""
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{result.stdout}{result.stderr}")
    return result.stdout


def table_row(cells: list[str]) -> str:
    """A row of a table in Markdown."""
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|"


def per_compiler(texts: list[str]) -> str:
    """What holds for each compiler, or once if it is the same."""
    return " / ".join(dict.fromkeys(texts))


class Architecture:
    """A row of architectures.txt."""

    def __init__(self, name: str, names: list[str]) -> None:
        rows = (ROOT / "tests/cross/architectures.txt").read_text(encoding="utf-8").splitlines()
        row = next((row.split() for row in rows if row.startswith(name + " ")), None)
        if row is None or name not in names:
            sys.exit(f"{name} is none of {', '.join(names)}")
        self.name, self.triple, self.emulator, self.clang_option, _, kernels, _ = row
        self.kernels = kernels.split(",")
        self.folder = BUILD / name

    def compiler(self, compiler: str) -> list[str]:
        """The command that compiles for it."""
        if compiler == "gcc":
            return [f"{self.triple}-gcc", "-O2"]
        option = [] if self.clang_option == "-" else [self.clang_option]
        return [compiler, f"--target={self.triple}", *option, "-O2"]

    def objects(self, compiler: str) -> list[Path]:
        """The library, compiled."""
        folder = self.folder / compiler
        execute("bash", "-euc", '. tests/support/build.sh; build_objects "$@"', "bash", folder, *self.compiler(compiler))
        return sorted(folder.glob("*.o"))
