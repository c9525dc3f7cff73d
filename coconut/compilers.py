# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What gcc and clang make of the library's loops, and how long it takes: under LLVM's models, and on this CPU."""

import re
import subprocess
from pathlib import Path

from coconut.describe import BUILD, HERE, SOURCE
from coconut.emit import assembly
from coconut.machine import mca
from coconut.orders import TURNS
from coconut.program import Program

COMPILERS = {
    "x86_64": {"gcc": ["gcc"], "clang": ["clang-19"]},
    "s390x": {"gcc": ["s390x-linux-gnu-gcc"], "clang": ["clang-19", "--target=s390x-linux-gnu"]},
}
OPTIONS = ["-O2", "-w"]


def kernel_file(kernel: str) -> Path:
    return SOURCE / "poly1305" / "kernels" / f"{kernel}.c"


def hooked(name: str) -> str:
    return f'-DHORNET_KERNEL_HOOK="{HERE / "lines" / name}"'


def compiled_loops(triple: str, compiler: str, kernel: str) -> dict[str, str]:
    """The turns of the loops, in assembly, by their names."""
    run = subprocess.run(
        [*COMPILERS[triple][compiler], *OPTIONS, "-S", "-o", "-", hooked("loops.h"), kernel_file(kernel)],
        capture_output=True,
        text=True,
        check=True,
    )
    loops = {}
    for found in re.finditer(r"LLVM-MCA-BEGIN ([^\n]*)\n(.*?)\n[^\n]*LLVM-MCA-END", run.stdout, re.DOTALL):
        # What the assembler is told about lines and files is of no use to llvm-mca.
        lines = [line for line in found[2].splitlines() if re.match(r"\s+[a-z]", line)]
        if not any(re.match(r"\s+j", line) for line in lines):
            loops[found[1]] = "\n".join(lines) + "\n"
    return loops


def compiled_cycles(triple: str, compiler: str, kernel: str, line: str, cpu: str) -> float | None:
    """Of a turn among many, by llvm-mca; None if the turn is no straight line."""
    text = compiled_loops(triple, compiler, kernel).get(line)
    if text is None:
        return None
    totals = [
        mca(triple, cpu, text, f"-iterations={turns}")["CodeRegions"][0]["SummaryView"]["TotalCycles"]
        for turns in (TURNS, 2 * TURNS)
    ]
    return (totals[1] - totals[0]) / TURNS


def run_native(program: Program, compiler: str, rounds: int) -> tuple[float, float] | None:
    """The nanoseconds of a turn as compiled, and as emitted, on this CPU; None if there are to be no rounds. Fails unless both
    leave the same accumulator for every sample."""
    name = "coconut_loop"
    groups = program.graph.advance // (16 * program.graph.lanes)
    source, binary = BUILD / f"native-{compiler}.S", BUILD / f"native-{compiler}"
    source.write_text(assembly(program, name, program.architecture.gnu))
    # What of the library these functions do not call is not linked.
    subprocess.run(
        [
            *COMPILERS["x86_64"][compiler],
            *OPTIONS,
            f"-DLINE_GROUPS={groups}",
            f"-DEMITTED={name}",
            hooked("native.h"),
            "-Wl,--unresolved-symbols=ignore-all",
            "-o",
            binary,
            kernel_file(program.graph.kernel),
            source,
        ],
        check=True,
    )
    run = subprocess.run([binary, str(rounds)], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise ValueError(f"{program.graph.title}, emitted: {run.stdout.strip() or run.returncode}")
    times = run.stdout.split()
    return (float(times[0]), float(times[1])) if times else None
