# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs measure.c, and tells samples that were taken beside an idle sibling thread from those beside a busy one.

After each sample, measure.c times instructions that need nothing but a slot, as many as the core can start in a cycle, and
a chain of dependent multiplications. The chain takes three cycles for each, and shows the clock. The others take longer
beside a busy thread, which gets a part of the slots: on Golden Cove, 0.17 cycles beside an idle one and 0.2 to 0.5 beside a
busy one. A chain of additions does not tell: a thread that gets half of the slots can still start one in each cycle.
"""

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
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
BUSY = 1.1  # beside a busy thread, an instruction takes a slot for this many times as long or more
SLOWEST = 0.26  # cycles for one of them, beside an idle thread: CPUs with AVX2 start four or more in a cycle
IDLE_OR_BUSY = ("idle", "busy")
TIMED = (("slot", "slots"), ("mul", "multiplications"))  # the keys of times, and of how many


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


def slot_beside_idle(slots: numpy.ndarray, multiplications: numpy.ndarray) -> float:
    """Return how long an instruction takes a slot beside an idle thread, relative to a multiplication, in both of which an
    interruption would show: the least, or on x86 what the slowest CPUs take."""
    steady = multiplications <= 1.02 * numpy.median(multiplications)
    least = float(numpy.quantile((slots / multiplications)[steady], 0.01))
    return min(least, SLOWEST / MULTIPLICATION_CYCLES) if platform.machine() == "x86_64" else least


@dataclass
class Samples:
    """The samples of one operation of one peer in one case, in the order of the rounds."""

    ns: numpy.ndarray  # for a message
    slot: numpy.ndarray  # an instruction's, relative to a multiplication
    ghz: numpy.ndarray  # the clock
    state: str | None = None  # that of the sibling thread whose samples count, if there are any
    busy: numpy.ndarray = field(init=False)  # whether the sibling thread was: find_busy()

    def beside(self, state: str) -> numpy.ndarray:
        """Return which samples were taken beside a thread in this state."""
        return self.busy == (state == "busy")

    def _chosen(self) -> numpy.ndarray:
        """Return which samples count: without a state, those beside an idle thread, unless most were beside a busy one."""
        if self.state is not None:
            of = self.beside(self.state)
            return of if of.any() else ~of
        return ~self.busy if self.busy.mean() <= 0.5 else self.busy

    def median(self) -> float:
        return float(numpy.median(self.ns[self._chosen()]))

    def median_cycles(self) -> float:
        return float(numpy.median((self.ns * self.ghz)[self._chosen()]))

    def ratio_to(self, base: "Samples", state: str | None = None) -> float | None:
        """Return the median over the rounds of the ratio to another peer's times. Only rounds count in which the sibling
        thread was in the same state beside both samples, and in that state if it is given."""
        same = self.busy == base.busy
        if state is None and self.state is not None and (same & self.beside(self.state)).any():
            state = self.state
        if state is not None:
            same &= self.beside(state)
        return float(numpy.median(self.ns[same] / base.ns[same])) if same.any() else None


@dataclass
class Run:
    """What a process measured."""

    peers: list[dict]
    checks: list[dict]
    samples: dict[tuple[int, str, str], Samples]  # of a case, an operation and a peer
    idle: float  # slot_beside_idle()

    def busy(self) -> float:
        """Return the share of samples beside a busy thread."""
        return float(numpy.mean(numpy.concatenate([one.busy for one in self.samples.values()])))

    def clock(self) -> tuple[float, float]:
        """Return the lowest and the highest clock in GHz, without the outermost percent."""
        all_ = numpy.concatenate([one.ghz for one in self.samples.values()])
        low, high = numpy.quantile(all_, [0.01, 0.99])
        return float(low), float(high)


def parse(lines: Iterable[str], state: str | None = None) -> Run:
    """Return what the lines of measure.c say: of samples in this state of the sibling thread, if it is given."""
    head, checks, rows = {}, [], []
    for line in lines:
        row = json.loads(line)
        if "peers" in row:
            head = row
        elif "check" in row:
            checks.append(row)
        else:
            rows.append(row)
    run = Run(head["peers"], checks, {}, math.inf)
    if not rows:
        return run
    slots, multiplications = ([numpy.array(row[key]) / head[count] for row in rows] for key, count in TIMED)
    run.idle = slot_beside_idle(numpy.concatenate(slots), numpy.concatenate(multiplications))
    for row, slot, mul in zip(rows, slots, multiplications):
        ns = numpy.array(row["ns"]) / row["count"]
        key = row["case"], row["op"], head["peers"][row["peer"]]["name"]
        run.samples[key] = Samples(ns, slot / mul, MULTIPLICATION_CYCLES / mul, state)
    find_busy([run])
    return run


def find_busy(runs: list[Run]) -> None:
    """Find which samples were taken beside a busy thread: of all processes together, as in one of them all may have been."""
    idle = min(run.idle for run in runs)
    for one in (one for run in runs for one in run.samples.values()):
        one.busy = one.slot > BUSY * idle


def run_lines(
    peers: dict[str, str],
    cases: Iterable[str],
    *options: object,
    env: dict[str, str] | None = None,
    cpu: int | None = None,
) -> Iterator[str]:
    """Run measure.c on a CPU with these peers, name and file, and cases; yield its lines."""
    pinned = [] if cpu is None else ["taskset", "--cpu-list", str(cpu)]
    command = [*pinned, str(program()), *map(str, options), *(f"{name}={file}" for name, file in peers.items())]
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
