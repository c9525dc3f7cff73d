# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bernstein's own programs of 2005: doubles in C, and in 32-bit programs x87 in assembly for two CPUs. pip fetches them, by
the hash in originals/requirements.txt."""

import subprocess
import sys
import tarfile
from pathlib import Path

STUDY = Path(__file__).resolve().parent
ORIGINALS = STUDY / "originals"
REQUIREMENT = ORIGINALS / "requirements.txt"
SOURCES = "c/poly1305aes-20050218"
FUNCTION = "poly1305_auth"
# The functions of 64-bit and of 32-bit programs, and their files.
PROGRAMS = {
    64: {"53": ["poly1305_53.c", "poly1305_53_constants.c"]},
    32: {name: [f"poly1305_{name}.s", f"poly1305_{name}_constants.s"] for name in ("athlon", "ppro")},
}


def fetched() -> Path:
    """Return the folder with the sources, which pip fetches if they are not there."""
    folder = STUDY.parents[1] / "build/study/originals"
    if not list(folder.glob("*.tar.gz")):
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "poly1305-aes"]
        subprocess.run([*pip, "--require-hashes", "-r", REQUIREMENT, "-d", folder], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.glob(f"*/{SOURCES}"))


def built(folder: Path, bits: int, compiler: list[str]) -> list[tuple[str, Path, str]]:
    """Build the programs into a folder, and return name, shared object and function of each."""
    sources, kernels = fetched(), []
    for name, files in PROGRAMS[bits].items():
        shared = folder / f"poly1305aes_{name}.so"
        options = ["-w", "-fPIC", "-shared", "-Wl,-z,notext,-z,noexecstack", f"-DORIGINAL=poly1305_{name}"]
        wrapped = [ORIGINALS / "poly1305aes.c", *(sources / file for file in files)]
        subprocess.run([*compiler, *options, "-o", shared, *wrapped], check=True)
        kernels.append((f"poly1305aes_{name}", shared, FUNCTION))
    return kernels
