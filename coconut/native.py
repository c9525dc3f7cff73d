# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build and run programs for an architecture, on this CPU or in an emulator."""

import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from coconut.architecture import Architecture

CLANG_RISCV64 = ["clang-19", "--target=riscv64-linux-gnu", "-march=rv64gc"]
COMPILERS = {
    "x86_64": {"gcc": ["gcc"], "clang": ["clang-19"]},
    "s390x": {"gcc": ["s390x-linux-gnu-gcc"], "clang": ["clang-19", "--target=s390x-linux-gnu"]},
    "aarch64": {"gcc": ["aarch64-linux-gnu-gcc"], "clang": ["clang-19", "--target=aarch64-linux-gnu"]},
    "riscv64": {"gcc": ["riscv64-linux-gnu-gcc"], "clang": CLANG_RISCV64},
}
# Library functions that these programs do not call are not linked. Emulators need static programs.
LINKED = ["-static", "-Wl,--unresolved-symbols=ignore-all"]
OPTIONS = ["-O2", "-w"]


@cache
def cpu_features() -> frozenset[str]:
    """Return the features of this CPU, as the system names them."""
    known = re.search(r"^(?:flags|features|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return frozenset(known[1].split() if known else ())


def runner_of(architecture: Architecture) -> str:
    """Return the name of the CPU, or of the emulator, that runs an architecture's programs."""
    if not runs_here(architecture):
        return " ".join(architecture.emulator)
    known = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return known[1] if known else platform.machine()


def runs_here(architecture: Architecture) -> bool:
    """Return whether this CPU runs the architecture's programs natively."""
    return architecture.triple == platform.machine() and set(architecture.features) <= cpu_features()


def prefix_of(architecture: Architecture) -> list[str] | None:
    """Return the command that runs its programs: nothing, or an emulator; None if nothing can."""
    if runs_here(architecture):
        return []
    emulator = list(architecture.emulator)
    return emulator if emulator and shutil.which(emulator[0]) else None


def run(architecture: Architecture, command: list[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    prefix = prefix_of(architecture)
    assert prefix is not None
    return subprocess.run([*prefix, *command], capture_output=True, check=False, **options)


def build(architecture: Architecture, compiler: str, binary: Path, sources: list[Path], options: list[str]) -> None:
    command = [*COMPILERS[architecture.triple][compiler], *OPTIONS, *options, *LINKED, "-o", str(binary)]
    command += map(str, sources)
    subprocess.run(command, check=True)
