# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compile the library's loops with gcc and clang, and time them: under LLVM's models, or on this CPU.

What an emulator runs is not timed.
"""

import ctypes
import platform
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from coconut.architecture import Architecture
from coconut.describe import BUILD, HERE, description_of, kernel_file
from coconut.emit import argument_words, assembly
from coconut.machine import mca
from coconut.orders import TURNS
from coconut.program import Program, words_of
from coconut.scalar_function import Function, gnu_text
from coconut.simulate import Broken, Sample

COMPILERS = {
    "x86_64": {"gcc": ["gcc"], "clang": ["clang-19"]},
    "s390x": {"gcc": ["s390x-linux-gnu-gcc"], "clang": ["clang-19", "--target=s390x-linux-gnu"]},
    "aarch64": {"gcc": ["aarch64-linux-gnu-gcc"], "clang": ["clang-19", "--target=aarch64-linux-gnu"]},
    "riscv64": {
        "gcc": ["riscv64-linux-gnu-gcc"],
        "clang": ["clang-19", "--target=riscv64-linux-gnu", "-march=rv64gc"],
    },
}
# Library functions that these programs do not call are not linked. Emulators need static programs.
LINKED = ["-static", "-Wl,--unresolved-symbols=ignore-all"]
OPTIONS = ["-O2", "-w"]


def hooked(name: str) -> str:
    return f'-DHORNET_KERNEL_HOOK="{HERE / "lines" / name}"'


def compiled_loops(triple: str, compiler: str, kernel: str) -> dict[str, str]:
    """Return the iterations of the loops in assembly, by name."""
    run = subprocess.run(
        [
            *COMPILERS[triple][compiler],
            *OPTIONS,
            "-S",
            "-o",
            "-",
            hooked("loops.h"),
            description_of(kernel).kernel_file(),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    loops = {}
    for found in re.finditer(r"LLVM-MCA-BEGIN ([^\n]*)\n(.*?)\n[^\n]*LLVM-MCA-END", run.stdout, re.DOTALL):
        # llvm-mca has no use for directives about lines and files.
        lines = [line for line in found[2].splitlines() if re.match(r"\s+[a-z]", line)]
        if not any(re.match(r"\s+j", line) for line in lines):
            loops[found[1]] = "\n".join(lines) + "\n"
    return loops


def compiled_cycles(triple: str, compiler: str, kernel: str, line: str, cpu: str) -> float | None:
    """Return the steady-state cycles per iteration, from llvm-mca.

    None if the iteration is not a basic block, or the library has no such loop.
    """
    if description_of(kernel).runs_beside:
        return None
    text = compiled_loops(triple, compiler, kernel).get(line)
    if text is None:
        return None
    totals = [
        mca(triple, cpu, text, f"-iterations={turns}")["CodeRegions"][0]["SummaryView"]["TotalCycles"]
        for turns in (TURNS, 2 * TURNS)
    ]
    return (totals[1] - totals[0]) / TURNS


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


def run(architecture: Architecture, command: list[str], **options) -> subprocess.CompletedProcess:
    prefix = prefix_of(architecture)
    assert prefix is not None
    return subprocess.run([*prefix, *command], capture_output=True, check=False, **options)


def run_samples(program: Program, samples: list[Sample]) -> None:
    """Run the emitted function on this CPU, a loop for one iteration.

    Raise Broken unless it leaves the same as the model lanes.
    """
    with TemporaryDirectory(dir=BUILD) as folder:
        source, library = Path(folder) / "line.S", Path(folder) / "line.so"
        source.write_text(assembly(program, "coconut_line", program.architecture.gnu))
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
        function = ctypes.CDLL(str(library)).coconut_line
    for sample in samples:
        words = words_of(program, sample)
        state = (ctypes.c_uint64 * argument_words(program)[0])(*words["t"])
        powers = (ctypes.c_uint64 * len(words["powers"]))(*words["powers"])
        function(state, powers, sample.message, ctypes.c_uint64(1))
        if state[: len(words["want"])] != words["want"]:
            raise Broken(f"{program.graph.title}, sample {sample.number}: the emitted function leaves something else")


def build(architecture: Architecture, compiler: str, binary: Path, sources: list[Path], options: list[str]) -> None:
    subprocess.run(
        [*COMPILERS[architecture.triple][compiler], *OPTIONS, *options, *LINKED, "-o", binary, *sources], check=True
    )


def run_function(function: Function, compiler: str, rounds: int) -> tuple[float, float] | None:
    """Return the nanoseconds for 13 blocks, compiled and emitted, in the same way as run_beside."""
    architecture = function.loop.architecture
    source, binary = BUILD / f"function-{architecture.name}.S", BUILD / f"function-{architecture.name}"
    source.write_text(gnu_text(function))
    options = [f"-DEMITTED={function.name}", hooked("native_scalar.h")]
    build(architecture, compiler, binary, [kernel_file(function.loop.graph.kernel), source], options)
    return times_of(run(architecture, [str(binary), str(rounds)], text=True), function.loop.graph.title)


def times_of(ran: subprocess.CompletedProcess, title: str) -> tuple[float, float] | None:
    if ran.returncode != 0:
        raise ValueError(f"{title}, emitted: {ran.stdout.strip() or ran.returncode}")
    times = ran.stdout.split()
    return (float(times[0]), float(times[1])) if times else None


def run_beside(
    program: Program, compiler: str, rounds: int, emitted: Program | None = None
) -> tuple[float, float] | None:
    """Return the nanoseconds per iteration, compiled and emitted, where the program runs; None without rounds.

    Raise ValueError unless both leave the same accumulator for every sample. emitted is the code of that program, which
    was made for vectors of another length.
    """
    name = "coconut_loop"
    architecture, description = program.architecture, description_of(program.graph.kernel)
    source, binary = BUILD / f"beside-{compiler}.S", BUILD / f"beside-{compiler}"
    source.write_text(assembly(emitted or program, name, (emitted or program).architecture.gnu))
    groups = program.graph.advance // description.group_bytes
    options = [f"-DLINE_GROUPS={groups}", f"-DEMITTED={name}", *description.lanes_options(), hooked("native.h")]
    build(architecture, compiler, binary, [description.kernel_file(), source], options)
    return times_of(run(architecture, [str(binary), str(rounds)], text=True), program.graph.title)
