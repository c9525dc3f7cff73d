# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares the speed of two revisions: builds both with gcc and with clang, and measures them in turn.

    python -m tools.measure.compare BASE [TREE]

A revision is one of this repository, or the folder of a source tree; TREE is this tree if it is omitted. Each pair of
libraries is measured in several processes, because the addresses of code, stack and heap affect the time; the order in
which the libraries are loaded alternates. A ratio is the tree's time to the base's, within one round, while the sibling
thread was in the same state; its sample is the mean of two processes.
"""

import argparse
import hashlib
import lzma
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy

from . import intervals
from .samples import BUILD, IDLE_OR_BUSY, ROOT, Failed, Run, find_busy, parse, run_lines, warn_of_load

COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
MESSAGES = 64  # in a batch
BASE, TREE = "base", "tree"
WORST = 10  # cases that are printed
LIMITS = (1.00, 1.02, 1.03)


@dataclass(frozen=True)
class Case:
    group: str
    operation: str
    bytes: str
    line: str


def grouped(bounds: list[int], length: int, operation: str) -> str:
    """Return the name of the group of lengths that has this one."""
    low = max(bound for bound in bounds if bound <= length)
    higher = [bound for bound in bounds if bound > length]
    return f"{operation}, {low} to {higher[0] - 1} bytes" if higher else f"{operation}, from {low} bytes"


def cases(step: int = 1) -> list[Case]:
    """Return what is measured; with a step, only some of the lengths."""
    bounds = [0, 64, 256, 1024, 4096, 16384]
    found = []

    def lengths(operation: str, to: int, step: int, more: str = "") -> None:
        for length in [*range(0, to, step), *(1 << power for power in range(12, 21))]:
            line = f"{operation} len={length}{more}"
            found.append(Case(grouped(bounds, length, operation), operation, str(length), line))

    lengths("mac", 2305, step)
    lengths("seal", 4200, 3 * step, " aad=16")
    lengths("open", 4200, 21 * step, " aad=16")
    noise = numpy.random.default_rng(64)
    for operation in ("batch", "seal_batch"):
        of = {str(length): [length] * MESSAGES for length in (16, 32, 64, 128, 256, 512, 1350)}
        for longest in (300, 1500):
            of[f"0..{longest}"] = noise.integers(longest, size=MESSAGES, endpoint=True).tolist()
        for name, lens in of.items():
            line = f"{operation} lens={','.join(map(str, lens))}" + (" aad=16" if operation == "seal_batch" else "")
            found.append(Case(f"{operation} of {MESSAGES}", operation, name, line))
    for then in (16, 64, 256, 1024, 4096, 16384):
        found.append(Case("pieces of 64 KiB", "pieces", str(then), f"pieces len=65536 first={then} then={then}"))
    return found


def tree_of(name: str) -> tuple[str, Path]:
    """Return the name and the folder of a source tree: a folder, or a revision, which is extracted."""
    if not name:
        raise Failed("name a revision or a folder: make compare BASE=REV")
    if Path(name).is_dir():
        return Path(name).resolve().name, Path(name).resolve()
    git = ["git", "-C", str(ROOT)]
    revision = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", "--short", f"{name}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    if not revision:
        raise Failed(f"there is no folder and no revision {name!r}")
    folder = BUILD / revision
    if not folder.exists():
        archive = subprocess.run(
            [*git, "archive", revision, "Makefile", "include", "src"], capture_output=True, check=True
        ).stdout
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", new], input=archive, check=True)
        new.rename(folder)
    return revision, folder


def library(tree: Path, compiler: str, name: str = "", *variables: str) -> Path:
    """Build a tree's library as its Makefile does, with these variables, and return the file."""
    # Folders may have the same name.
    path = hashlib.sha256(str(tree.resolve()).encode()).hexdigest()[:8]
    build = BUILD / f"{name or tree.name}-{path}-{compiler}"
    command = ["make", "-C", str(tree), f"-j{os.cpu_count()}", "--no-print-directory", "library"]
    command += [f"BUILD={build}", f"CC={compiler}", *variables]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        lines = process.stderr.splitlines()
        error = next((line for line in lines if "error" in line), lines[-1] if lines else "")
        raise Failed(f"{name or tree.name}, {compiler}: {error}")
    return build / "libhornet.so"


@dataclass
class Found:
    """The samples of one case: the ratio, and nanoseconds of base and tree, of each pair of processes."""

    case: Case
    ratios: numpy.ndarray
    ns: tuple[float, float]
    by_state: dict[str, float]


def pairs(values: list[float]) -> numpy.ndarray:
    """Return the geometric means of two processes each, of which one loaded the base first and the other the tree."""
    logs = numpy.log(numpy.array(values))
    return numpy.exp((logs[0::2] + logs[1::2]) / 2)


def evaluated(measured: list[Case], runs: list[Run]) -> list[Found]:
    """Return the samples of the cases that both libraries offer and all processes measured in a same state."""
    found = []
    for which, case in enumerate(measured):
        both = [[run.samples.get((which, case.operation, peer)) for peer in (BASE, TREE)] for run in runs]
        if any(None in one for one in both):
            continue
        ratios = [tree.ratio_to(base) for base, tree in both]
        if None in ratios:
            continue
        ns = [float(numpy.median([one[i].median() for one in both])) for i in (0, 1)]
        by_state = {}
        for state in IDLE_OR_BUSY:
            of = [tree.ratio_to(base, state) for base, tree in both]
            if known := [ratio for ratio in of if ratio is not None]:
                by_state[state] = float(numpy.median(known))
        found.append(Found(case, pairs(ratios), (ns[0], ns[1]), by_state))
    return found


def mean(found: list[Found]) -> intervals.Interval:
    """Return the geometric mean of the cases, and its bootstrap interval over the processes."""
    logs = intervals.mean_of_medians(numpy.log(numpy.array([one.ratios for one in found])))
    return intervals.Interval(math.exp(logs.middle), math.exp(logs.low), math.exp(logs.high))


def verdict(of: intervals.Interval) -> str:
    if of.low == 0:  # too few processes for an interval
        return ""
    return "slower" if of.low > 1 else "faster" if of.high < 1 else "no difference"


def text(title: str, found: list[Found], runs: list[Run]) -> str:
    """Return the table of groups, the highest ratios, and the conditions."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.case.group, []).append(one)
    head = f"{'':32}{'cases':>6}{'mean':>9}{'interval of 95 %':>20}"
    lines = [title, head + "".join(f"{f'> {limit:.2f}':>8}" for limit in LIMITS) + "  worst"]
    for name, cases_ in [*groups.items(), ("all", found)]:
        of = mean(cases_)
        medians = [float(numpy.median(one.ratios)) for one in cases_]
        above = "".join(f"{sum(value > limit for value in medians):>8}" for limit in LIMITS)
        at = cases_[int(numpy.argmax(medians))].case
        worst = f"  {max(medians):.3f} ({at.operation} {at.bytes})"
        interval = f"{of.low:.4f} to {of.high:.4f}" if of.low > 0 else "-"
        lines.append(f"{name:32}{len(cases_):>6}{of.middle:>9.4f}{interval:>20}{above}{worst}  {verdict(of)}")
    lines.append(f"highest ratios: {'ns, base':>16}{'ns, tree':>10}{'ratio':>8}  quartiles")
    for one in sorted(found, key=lambda one: -float(numpy.median(one.ratios)))[:WORST]:
        low, middle, high = numpy.quantile(one.ratios, [0.25, 0.5, 0.75])
        name = f"{one.case.operation} {one.case.bytes}"
        lines.append(f"  {name:20}{one.ns[0]:>10.4g}{one.ns[1]:>10.4g}{middle:>8.3f}  {low:.3f} to {high:.3f}")
    busy = float(numpy.mean([run.busy() for run in runs]))
    lines.append(f"sibling thread: busy beside {100 * busy:.0f} % of the samples")
    for state in IDLE_OR_BUSY:
        if (of := [one.by_state[state] for one in found if state in one.by_state]) and 0.02 < busy < 0.98:
            lines.append(f"  {state}: {math.exp(numpy.mean(numpy.log(of))):.4f} over {len(of)} cases")
    low, high = (end([run.clock()[i] for run in runs]) for i, end in ((0, min), (1, max)))
    lines.append(f"clock: {low:.2f} to {high:.2f} GHz" + (", it changed" if high > 1.05 * low else ""))
    return "\n".join(lines) + "\n"


def measured_pair(libraries: dict[str, str], cases_: list[Case], processes: int, rounds: int) -> Iterator[list[str]]:
    """Yield the lines of each process; the first checks the results too."""
    for process in range(processes):
        order = (BASE, TREE) if process % 2 == 0 else (TREE, BASE)
        options = ["--rounds", rounds, "--seed", process + 1, *(["--no-check"] if process > 1 else [])]
        peers = {name: libraries[name] for name in order}
        yield list(run_lines(peers, [case.line for case in cases_], *options))


def even(word: str) -> int:
    if int(word) < 2 or int(word) % 2 == 1:
        raise argparse.ArgumentTypeError("must be an even number, at least 2")
    return int(word)


def compare(options: argparse.Namespace) -> None:
    base, tree = tree_of(options.base), tree_of(options.tree) if options.tree else ("this tree", ROOT)
    only = options.only.split(",") if options.only else None
    chosen = [case for case in cases(options.step) if only is None or case.operation in only]
    if options.lengths:
        low, high = map(int, options.lengths.split(".."))
        chosen = [case for case in chosen if case.bytes.isdigit() and low <= int(case.bytes) <= high]
    if not chosen:
        raise Failed("no case is left: see --only and --lengths")
    warn_of_load()
    libraries = {}
    for compiler in options.compiler or COMPILERS:
        print(f"building {base[0]} and {tree[0]} with {compiler}", file=sys.stderr, flush=True)
        files = {BASE: base, TREE: tree}
        libraries[compiler] = {
            of: str(library(folder, COMPILERS[compiler], "tree" if folder == ROOT else ""))
            + (f",{options.kernels}" if options.kernels else "")
            for of, (_, folder) in files.items()
        }
    # Alternates between the compilers, so that changes of the load affect both.
    all_lines: dict[str, list[list[str]]] = {compiler: [] for compiler in libraries}
    processes = {
        compiler: measured_pair(files, chosen, options.processes, options.rounds)
        for compiler, files in libraries.items()
    }
    for i in range(options.processes):
        print(f"process {i + 1} of {options.processes}", file=sys.stderr, flush=True)
        for compiler, of in processes.items():
            all_lines[compiler].append(next(of))
    print(f"The time of {tree[0]} to that of {base[0]}; {options.processes} processes, {options.rounds} rounds")
    for compiler, of in all_lines.items():
        version = subprocess.run([COMPILERS[compiler], "--version"], capture_output=True, text=True, check=True).stdout
        runs = [parse(lines) for lines in of]
        find_busy(runs)
        print()
        print(text(f"{compiler} ({version.splitlines()[0]})", evaluated(chosen, runs), runs), end="", flush=True)
    if options.out:
        with lzma.open(options.out, "wt") as file:
            for compiler, of in all_lines.items():
                for i, lines in enumerate(of):
                    file.write(f'{{"compiler": "{compiler}", "process": {i}}}\n' + "\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="a revision, or the folder of a source tree")
    parser.add_argument("tree", nargs="?", help="the same; this tree if it is omitted")
    parser.add_argument("--compiler", action="append", choices=COMPILERS, help="all if it is omitted")
    parser.add_argument("--processes", type=even, default=32, help="for each compiler; an even number")
    parser.add_argument("--rounds", type=int, default=11, help="the samples of each library in each case and process")
    parser.add_argument("--step", type=int, default=1, help="measure only every STEP-th length")
    parser.add_argument("--only", metavar="OPERATIONS", help="mac,seal,open,batch,seal_batch,pieces")
    parser.add_argument("--lengths", metavar="A..B", help="only messages of these lengths")
    parser.add_argument("--kernels", metavar="poly1305=NAME,chacha20=NAME", help="force these in both")
    parser.add_argument("--out", type=Path, metavar="FILE.xz", help="write all samples to this file")
    options = parser.parse_args()
    try:
        if options.out and not options.out.resolve().parent.is_dir():
            raise Failed(f"{options.out}: there is no such folder")
        compare(options)
    except Failed as why:
        print(f"compare: {why}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
