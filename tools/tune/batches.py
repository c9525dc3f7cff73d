# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures what packets of the AEAD take, alone and together, on this CPU, and prints the costs for src/chacha20/passes.toml.

    python -m tools.tune.batches [--compiler COMPILER] [--kernel KERNEL]...

What packets take together is fitted: a sum of the call, each packet, each pass, each block of the longest
packet, and each block of all.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from .pass_tables import ROOT
from .passes import KERNELS, built

# Which costs are those of a kernel: other kernels with vectors of that many words have them too.
NAMES = {"avx512": "words_16", "avx512vl": "words_8_sets_2", "avx2": "words_8", "vector128": "words_4"}


def measure(kernel: str, program: Path) -> list[list[str]] | None:
    """Return the lines of batches.c; None if this CPU cannot run the kernel."""
    ran = subprocess.run([program, kernel, KERNELS[kernel]], capture_output=True, text=True)
    return [line.split() for line in ran.stdout.splitlines()] if ran.returncode == 0 else None


def costs(lines: list[list[str]]) -> tuple[dict, float]:
    """Return the costs, and by which part of the time the sums are wrong at most."""
    (lanes,) = (int(line[1]) for line in lines if line[0] == "lanes")
    (single,) = (float(line[1]) for line in lines if line[0] == "single")
    alone = [float(line[2]) for line in lines if line[0] == "alone"]
    rows, times = [], []
    for kind, *values in lines:
        if kind == "together":
            count, blocks, ns = int(values[0]), int(values[1]), float(values[2])
            rows.append([1, count, -(-count * (1 + blocks) // lanes), blocks, count * blocks])
            times.append(ns)
    # The sum of relative differences is least, not that of differences, in which long calls would count most.
    sums, of = numpy.array(rows, float), numpy.array(times)
    found = numpy.linalg.lstsq(sums / of[:, None], numpy.ones(len(of)), rcond=None)[0]
    found = numpy.maximum(found, 0)
    worst = float(abs(sums @ found / of - 1).max())
    names = ("call", "packet", "pass", "longest", "block")
    together = dict(zip(names, (round(float(one)) for one in found), strict=True))
    return {"lanes": lanes, **together, "single_block": round(single), "alone": [round(ns) for ns in alone]}, worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="gcc")
    parser.add_argument("--kernel", action="append", choices=KERNELS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = built(ROOT / "tools/tune/batches.c", options.compiler, ["-DHORNET_BATCH_ALWAYS"], Path(folder))
        for kernel in options.kernel or KERNELS:
            if not (lines := measure(kernel, program)):
                print(f"# {kernel}: this CPU cannot run it", file=sys.stderr)
                continue
            found, worst = costs(lines)
            print(
                f"[batches.{NAMES[kernel]}] # sums within {100 * worst:.0f} %",
                *map(" = ".join, ((key, str(value)) for key, value in found.items())),
                "",
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
