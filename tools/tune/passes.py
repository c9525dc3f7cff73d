# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the passes of ChaCha20 on this CPU, and proposes a change of src/chacha20/passes.toml and the pass tables.

    python -m tools.tune.passes [--compiler COMPILER]... [--kernel KERNEL]... [--apply]

passes.c takes the samples; tools/measure/samples.py says how they show the clock and the sibling thread. The change is printed as a patch, which git apply takes; `--apply` makes it.
"""

import argparse
import datetime
import difflib
import json
import platform
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy

from tools.measure.crossovers import family_among
from tools.measure.samples import BUSY, IDLE_OR_BUSY, MULTIPLICATION_CYCLES, slot_beside_idle

from . import pass_tables
from .pass_tables import DATA, HEADER, ROOT

# Each with the kernel of Poly1305 that accompanies it.
KERNELS = {"avx512": "ifma", "avx512vl": "ifma256", "avx2": "avx2", "vector128": "scalar64"}
SOURCES = ("src/*/*.c", "src/*/*/*.c")
FLAGS = ("-O2", "-fPIC", "-std=c11", f"-I{ROOT}/include")
LEAST = 20  # samples, for a figure
CROWDED = 1.5  # as BUSY, beside a thread that takes a third of the slots or more


def built(program: Path, compiler: str, options: list[str], folder: Path, without: Path | None = None) -> Path:
    """Build a program with the sources of the library, all with the same options, and without one source."""
    sources = [program, *(file for pattern in SOURCES for file in ROOT.glob(pattern) if file != without)]

    def compiled(source: Path) -> Path:
        to = folder / f"{'-'.join(source.relative_to(ROOT).with_suffix('').parts)}.o"
        if source == program or not to.exists():
            subprocess.run([compiler, *FLAGS, *options, "-c", source, "-o", to], check=True)
        return to

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, sources))
    to = folder / program.stem
    subprocess.run([compiler, *objects, "-o", to], check=True)
    return to


def build(kernel: str, compiler: str, folder: Path) -> Path:
    """Build passes.c, which includes the kernel that is measured."""
    measured = ROOT / f"src/chacha20/kernels/{kernel}.c"
    options = [f'-DKERNEL_FILE="{measured}"', f'-DPOLY1305_KERNEL="{KERNELS[kernel]}"']
    return built(ROOT / "tools/tune/passes.c", compiler, options, folder, measured)


def cycles(samples: numpy.ndarray, idle: float) -> dict[str, float]:
    """Return the cycles beside an idle and a busy sibling thread, where there were enough samples of each."""
    ns, slot, multiplication = samples.T
    of_pass, ratio = ns * MULTIPLICATION_CYCLES / multiplication, slot / multiplication / idle
    found = {}
    for state, of in (("idle", ratio <= BUSY), ("busy", ratio >= CROWDED)):
        if of.sum() >= LEAST:
            found[state] = float(numpy.median(of_pass[of]))
    return found


def costs(kernel: str, outputs: list[str]) -> tuple[str, dict[str, dict]]:
    """Return the family of cores, and for each state the cost of Poly1305 and of the passes, from outputs of passes.c."""
    runs = [[json.loads(line) for line in output.splitlines()] for output in outputs]
    features, *lines = runs[0]
    kinds = ("samples", "first", "next", "with")
    of = {
        (i, key): sum((run[i + 1][key] for run in runs), [])
        for i, line in enumerate(lines)
        for key in kinds
        if key in line
    }
    all_ = numpy.array(sum(of.values(), []))
    idle = slot_beside_idle(all_[:, 1], all_[:, 2])
    measured = {key: cycles(numpy.array(one), idle) for key, one in of.items()}
    found = {}
    for state in IDLE_OR_BUSY:
        if not all(state in one for one in measured.values()):  # not enough samples
            continue
        shorter, longer = (measured[i, "samples"][state] for i in (0, 1))
        counts = [line["poly1305_blocks"] for line in lines[:2]]
        block = (longer - shorter) / (counts[1] - counts[0])
        poly1305 = {"kernel": KERNELS[kernel], "call": round(shorter - block * counts[0]), "block": round(block, 3)}
        passes = {}
        for i, line in enumerate(lines[2:], 2):
            stitched = {"stitched": line["stitched"]} if line["stitched"] else {}
            figures = {key: round(measured[i, key][state]) for key in kinds[1:] if key in line}
            passes[line["name"]] = {"blocks": line["blocks"], **stitched, **figures}
        found[state] = {"poly1305": poly1305, "passes": passes}
    return family_among(features) or "other", found


def measure(kernel: str, compiler: str, folder: Path, runs: int) -> tuple[str, dict[str, dict]] | None:
    """Return what costs() does; None if this CPU cannot run the kernel."""
    program = build(kernel, compiler, folder)
    outputs = [subprocess.run([program], check=True, capture_output=True, text=True).stdout for _ in range(runs)]
    return costs(kernel, outputs) if outputs[0] else None


def inline(table: dict) -> str:
    values = (f"{key} = {json.dumps(value)}" for key, value in table.items())
    return "{" + ", ".join(values) + "}"


def entry(about: dict[str, str], date: str, found: dict) -> str:
    """Return an entry of costs."""
    lines = ["[[costs]]", *(f'{key} = "{value}"' for key, value in about.items()), f"date = {date}"]
    lines.append(f"poly1305 = {inline(found['poly1305'])}")
    lines += [f"passes.{name} = {inline(of)}" for name, of in found["passes"].items()]
    return "\n".join(lines) + "\n"


def replaced(text: str, new: str) -> str:
    """Return the data with an entry in place of that of the same kernel, family, compiler and state, or at the end."""

    def key(entry: str) -> list[str]:
        of = pass_tables.read(entry)["costs"][0]
        return [of["kernel"], of["family"], of["compiler"].split()[0], of["sibling"]]

    head, *entries = re.split(r"(?m)^(?=\[\[costs\]\]$)", text)
    for i, old in enumerate(entries):
        if key(old) == key(new):
            entries[i] = new + ("\n" if i + 1 != len(entries) else "")
            return head + "".join(entries)
    return text.rstrip("\n") + "\n\n" + new


def patch(name: str, old: str, new: str) -> str:
    """Return the difference between two texts of a file, as git apply takes it."""
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(lines)


def version(compiler: str) -> str:
    text = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout
    number = re.search(r"(\d+\.\d+)\.\d+", text)
    return f"{'clang' if 'clang' in text else 'gcc'} {number[1] if number else '?'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="by default gcc and clang-19")
    parser.add_argument("--kernel", action="append", choices=KERNELS, help="by default all that run here")
    parser.add_argument("--runs", type=int, default=5, help="of each program")
    parser.add_argument("--apply", action="store_true", help="change the files")
    options = parser.parse_args()
    if platform.machine() != "x86_64":
        print("passes: the passes of other CPUs than x86-64 are not measured", file=sys.stderr)
        return 0
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    old = new = DATA.read_text()
    for compiler in options.compiler or ["gcc", "clang-19"]:
        with tempfile.TemporaryDirectory() as folder:
            for kernel in options.kernel or KERNELS:
                measured = measure(kernel, compiler, Path(folder), options.runs)
                if measured is None:
                    print(f"passes: {kernel} does not run on this CPU", file=sys.stderr)
                    continue
                family, states = measured
                for state, found in states.items():
                    about = {"kernel": kernel, "family": family, "compiler": version(compiler)}
                    new = replaced(new, entry({**about, "sibling": state}, today, found))
    try:
        header = pass_tables.header(pass_tables.read(new))
    except pass_tables.Wrong as why:
        print(f"passes: {why}", file=sys.stderr)
        return 2
    for path, before, after in ((DATA, old, new), (HEADER, HEADER.read_text(), header)):
        print(patch(path.relative_to(ROOT).as_posix(), before, after), end="")
    if options.apply:
        DATA.write_text(new)
        HEADER.write_text(header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
