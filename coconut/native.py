# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run emitted functions beside the library's loops, on this CPU or in an emulator, and compare what they leave."""

import ctypes
import platform
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from coconut.architecture import Architecture
from coconut.functions import ScalarBlocks, SingleBlock
from coconut.program import Program
from coconut.simulate import Mismatch, Sample
from coconut.trace import BLOCKS, BUILD, kernel_named

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
Times = tuple[float, float] | None


def hooked(name: str) -> str:
    return f'-DHORNET_KERNEL_HOOK="{BLOCKS / name}"'


def runs_here(architecture: Architecture) -> bool:
    """Return whether this CPU runs the architecture's programs natively."""
    if architecture.triple != platform.machine():
        return False
    known = re.search(r"^(?:flags|features|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return known is not None and set(architecture.features) <= set(known[1].split())


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


def run_samples(function: SingleBlock, samples: list[Sample]) -> None:
    """Run the emitted function on this CPU, a loop for one iteration, and compare with the model lanes."""
    (block,) = function.blocks
    with TemporaryDirectory(dir=BUILD) as folder:
        source, library = Path(folder) / "block.S", Path(folder) / "block.so"
        source.write_text(function.text(function.architecture.gnu))
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
        native = getattr(ctypes.CDLL(str(library)), function.name)
    for sample in samples:
        words = block.program.words_of(sample)
        state = (ctypes.c_uint64 * block.output_words)(*words["t"])
        powers = (ctypes.c_uint64 * len(words["powers"]))(*words["powers"])
        native(state, powers, sample.message, ctypes.c_uint64(1))
        if state[: len(words["want"])] != words["want"]:
            raise Mismatch(f"{function.name}, sample {sample.number}: the emitted function leaves something else")


def build(architecture: Architecture, compiler: str, binary: Path, sources: list[Path], options: list[str]) -> None:
    command = [*COMPILERS[architecture.triple][compiler], *OPTIONS, *options, *LINKED, "-o", str(binary)]
    command += map(str, sources)
    subprocess.run(command, check=True)


def beside(
    title: str, text: str, kernel: str, architecture: Architecture, compiler: str, rounds: int, options: list[str]
) -> Times:
    """Build an emitted function with the compiled kernel, and run both."""
    source, binary = (BUILD / f"beside-{architecture.name}-{compiler}{suffix}" for suffix in (".S", ""))
    source.write_text(text)
    build(architecture, compiler, binary, [kernel_named(kernel).file(), source], options)
    ran = run(architecture, [str(binary), str(rounds)], text=True)
    if ran.returncode != 0:
        raise Mismatch(f"{title}, emitted: {ran.stdout.strip() or ran.returncode}")
    times = ran.stdout.split()
    return (float(times[0]), float(times[1])) if times else None


def run_function(function: ScalarBlocks, compiler: str, rounds: int) -> Times:
    """Return the nanoseconds for 13 blocks, compiled and emitted, in the same way as run_beside."""
    architecture, graph = function.architecture, function.blocks[0].program.graph
    options = [f"-DEMITTED={function.name}", hooked("native_scalar.h")]
    return beside(graph.title, function.text(architecture.gnu), graph.kernel, architecture, compiler, rounds, options)


def run_beside(program: Program, compiler: str, rounds: int, emitted: Program | None = None) -> Times:
    """Return the nanoseconds per iteration, compiled and emitted, where the program runs; None without rounds.

    Raise Mismatch unless both leave the same accumulator for every sample. emitted is the code of that program, which
    was made for vectors of another length.
    """
    architecture, graph = program.architecture, program.graph
    kernel = kernel_named(graph.kernel)
    function = SingleBlock.of(emitted or program, "coconut_loop")
    groups = graph.advance // kernel.group_bytes
    options = [
        f"-DITERATION_GROUPS={groups}",
        f"-DEMITTED={function.name}",
        *kernel.lanes_options(),
        hooked("native.h"),
    ]
    text = function.text(function.architecture.gnu)
    return beside(graph.title, text, graph.kernel, architecture, compiler, rounds, options)
