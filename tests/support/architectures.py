# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rows of tests/cross/architectures.txt, and GMP for them."""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from support.build import Library, compiled
from support.commands import ROOT, output

# ppc64 has ppc64le's kernels in the endianness of s390x; rvv256 and rvv512 have rvv128's code on longer vectors; the only
# kernel of the others is scalar64, which rvv128 and s390x run, or scalar32, which armhf and i686 run.
SLOW = "ppc64", "rvv256", "rvv512", "riscv64", "mips64el", "mips64", "mips", "sparc64", "armel"


def table(path: str) -> list[list[str]]:
    """Return the words of each row of a table in a text file."""
    lines = (ROOT / path).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True)
class Architecture:
    """A row of the table, which describes its columns."""

    name: str
    triple: str
    emulator_words: str
    option: str
    chosen: str
    tested: str
    multiplies: str

    @property
    def emulator(self) -> list[object]:
        """The command that runs a program."""
        words = self.emulator_words.split(":")
        return [ROOT / "tests/cross" / word if word.endswith(".sh") else word for word in words]

    @property
    def quick(self) -> bool:
        """Whether CI has time for it: its kernels, or its endianness, are those of no other that is quick."""
        return self.name not in SLOW

    @property
    def gcc(self) -> str:
        return f"{self.triple}-gcc"

    @property
    def compilers(self) -> list[str]:
        return ["clang-19"] if self.option == "clang" else ["gcc", "clang-19"]

    def command(self, compiler: str) -> list[str]:
        """Return the command that compiles for this architecture."""
        if compiler == "gcc":
            return [self.gcc]
        return [
            compiler,
            f"--target={self.triple}",
            *([self.option] if self.option[1:] and self.option != "clang" else []),
        ]

    def link(self, folder: Path, built: Library) -> list[object]:
        """Return what programs for the emulator are linked with."""
        if not self.triple.startswith("riscv64-"):
            return ["-static"]
        return ["-static", "-Wl,--wrap=syscall", *compiled(folder, [*built.command, "-w"], ["tests/cross/hwprobe.c"])]


ARCHITECTURES = {words[0]: Architecture(*words) for words in table("tests/cross/architectures.txt")}


@functools.cache
def mini_gmp() -> Path:
    """Return the folder of GMP's functions in plain C, in the crate that tests/cross/mini-gmp/Cargo.toml names."""
    manifest = ROOT / "tests/cross/mini-gmp/Cargo.toml"
    metadata = output("cargo", "metadata", "--locked", "--format-version=1", "--manifest-path", manifest)
    packages = json.loads(metadata)["packages"]
    crate = next(package for package in packages if package["name"] == "gmp-mpfr-sys")
    return next(Path(crate["manifest_path"]).parent.glob("gmp-*/mini-gmp"))
