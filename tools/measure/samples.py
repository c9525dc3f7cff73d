# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs measure.c, and tells samples that were taken beside an idle sibling thread from those beside a busy one.

After each sample, measure.c times a chain of dependent additions and one of dependent multiplications. An addition takes
one cycle and a multiplication three, unless another thread on the same core takes turns with them; the additions, of
which one could start in every cycle, are then delayed by more. So the multiplications show the clock, and the ratio of
both the sibling thread.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/measure"
FOLDER = Path("tools/measure")
SOURCES = [FOLDER / "measure.c", FOLDER / "check.c", Path("tests/support/reference.c")]
HEADERS = [*(ROOT / FOLDER).glob("*.h"), *(ROOT / "tests/support").glob("reference*.h")]
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra"]

MULTIPLICATION_CYCLES = 3  # on x86 and most others
BUSY = 1.08  # an addition takes this many cycles or more: beside an idle thread, 0.98 to 1.03
IDLE_OR_BUSY = ("idle", "busy")


class Failed(Exception):
    """Why there is no measurement."""


@cache
def program() -> Path:
    """Build measure.c if it changed, and return the program."""
    path = BUILD / "measure"
    inputs = [ROOT / file for file in [*SOURCES, *HEADERS]]
    if not path.exists() or path.stat().st_mtime < max(file.stat().st_mtime for file in inputs):
        BUILD.mkdir(parents=True, exist_ok=True)
        command = ["gcc", *FLAGS, "-o", str(path), *map(str, SOURCES), "-lgmp", "-ldl"]
        subprocess.run(command, cwd=ROOT, check=True)
    return path


@dataclass
class Samples:
    """The samples of one operation of one peer in one case, in the order of the rounds."""

    ns: numpy.ndarray  # for a message
    busy: numpy.ndarray  # whether the sibling thread was
    ghz: numpy.ndarray  # the clock

    def _chosen(self) -> numpy.ndarray:
        """Return which samples count: those beside an idle thread, unless most were beside a busy one."""
        return ~self.busy if self.busy.mean() <= 0.5 else self.busy

    def median(self) -> float:
        return float(numpy.median(self.ns[self._chosen()]))

    def median_cycles(self) -> float:
        return float(numpy.median((self.ns * self.ghz)[self._chosen()]))

    def ratio_to(self, base: "Samples", state: str | None = None) -> float | None:
        """Return the median over the rounds of the ratio to another peer's times. Only rounds count in which the sibling
        thread was in the same state beside both samples, and in that state if it is given."""
        same = self.busy == base.busy
        if state is not None:
            same &= self.busy == (state == "busy")
        return float(numpy.median(self.ns[same] / base.ns[same])) if same.any() else None


@dataclass
class Run:
    """What a process measured."""

    peers: list[dict]
    checks: list[dict]
    samples: dict[tuple[int, str, str], Samples]  # of a case, an operation and a peer

    def busy(self) -> float:
        """Return the share of samples beside a busy thread."""
        return float(numpy.mean(numpy.concatenate([one.busy for one in self.samples.values()])))

    def clock(self) -> tuple[float, float]:
        """Return the lowest and the highest clock in GHz, without the outermost percent."""
        all_ = numpy.concatenate([one.ghz for one in self.samples.values()])
        low, high = numpy.quantile(all_, [0.01, 0.99])
        return float(low), float(high)


def parse(lines: Iterable[str], machine: str = platform.machine()) -> Run:
    """Return what the lines of measure.c say."""
    head, checks, rows = {}, [], []
    for line in lines:
        row = json.loads(line)
        if "peers" in row:
            head = row
        elif "check" in row:
            checks.append(row)
        else:
            rows.append(row)
    additions, multiplications = head["additions"], head["multiplications"]
    chains = [(numpy.array(row["add"]) / additions, numpy.array(row["mul"]) / multiplications) for row in rows]
    idle = 1 / MULTIPLICATION_CYCLES
    if machine not in ("x86_64", "i686") and rows:  # its multiplications may take another time
        idle = float(numpy.quantile(numpy.concatenate([add / mul for add, mul in chains]), 0.05))
    samples = {}
    for row, (add, mul) in zip(rows, chains):
        ns = numpy.array(row["ns"]) / row["count"]
        key = row["case"], row["op"], head["peers"][row["peer"]]["name"]
        samples[key] = Samples(ns, add / mul > BUSY * idle, 1 / (mul * idle))
    return Run(head["peers"], checks, samples)


def run_lines(
    peers: dict[str, str], cases: Iterable[str], *options: object, env: dict[str, str] | None = None
) -> Iterator[str]:
    """Run measure.c with these peers, name and file, and cases; yield its lines."""
    command = [str(program()), *map(str, options), *(f"{name}={file}" for name, file in peers.items())]
    text = "".join(f"{case}\n" for case in cases)
    process = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, text=True, check=False, env=os.environ | (env or {})
    )
    if process.returncode != 0:
        raise Failed(f"measure ended with status {process.returncode}")
    return iter(process.stdout.splitlines())


def warn_of_load() -> None:
    """Warn if other processes keep the CPUs busy."""
    load, cpus = os.getloadavg()[0], os.cpu_count() or 1
    if load > 0.5 * cpus:
        print(f"warning: the load average is {load:.1f} on {cpus} CPUs; compare ratios only", file=sys.stderr)
