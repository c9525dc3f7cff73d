# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proposes from which length each kernel is used on this CPU: measures every kernel at each length.

    python -m tools.measure.crossovers [--out FILE.json] [--apply]

A message goes to the first kernel of the list whose crossover it reaches. So, at each length, a kernel is compared with
the kernel below it that would handle the length according to their own crossovers. A build is measured in which a forced
kernel handles all lengths; if its kernels take another time than the library's at lengths that they serve now, a warning is
printed. `min_aead_bytes` are the crossovers of Poly1305 inside of the AEAD, in lengths of the text: the column of the list is
of Poly1305's input, which has 32 bytes more up to where passes absorb a part of it, so that one writes it by hand. `--apply`
writes the other proposals for this CPU's family of cores into the lists of kernels; `git diff` shows them.
"""

import argparse
import ctypes
import datetime
import itertools
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy

from coconut.listed import listed

from .compare import COMPILERS, library
from .samples import ROOT, Failed, Run, parse, run_lines, warn_of_load

NOISE = 0.01  # a kernel pays off if it is faster by more than this on average
TOLERANCE = 0.03  # of the time of a kernel in the build that is measured
EVEN_TO = 1024  # up to this length, steps are equal; above it, each length is an eighth longer than the previous one
MORE = 32  # lengths around a crossover, at most
MESSAGES = 64  # in a batch
LONGEST_IN_BATCH = 8192  # the library computes longer ones one by one
NEVER = "HORNET_NEVER"
IN_LISTS = ("min_bytes", "min_batch_bytes")  # the columns of the lists
LISTS = {"poly1305": "src/poly1305/kernels.def", "chacha20": "src/chacha20/kernels.def"}
# The builds in which a forced kernel handles all lengths.
NO_CROSSOVERS = {"poly1305": "HORNET_NO_CROSSOVERS", "chacha20": "HORNET_NO_CHACHA20_CROSSOVERS"}
Costs = dict[int, list[float]]  # of each kernel at a length; the unit may differ between lengths


# What the library says of itself.


class _Feature(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("usable", ctypes.c_bool)]


@dataclass(frozen=True)
class Kernel:
    name: str
    min_bytes: int
    min_batch_bytes: int | None


def kernels(file: Path, primitive: str) -> list[Kernel]:
    """Return the kernels of a build that this CPU can run, best first."""
    found = []
    for kernel in listed(ctypes.CDLL(str(file)), list(LISTS).index(primitive)):
        batch = kernel.min_batch_bytes
        if kernel.supported:
            is_never = batch == ctypes.c_size_t(-1).value
            found.append(Kernel(kernel.name.decode(), kernel.min_bytes, None if is_never else batch))
    return found


def family_among(features: Iterable[tuple[str, bool]]) -> str | None:
    """Return the family of cores of features that are usable or not. In x86.def, families follow no_zmm_downclock."""
    after = itertools.dropwhile(lambda feature: feature[0] != "no_zmm_downclock", features)
    return next((name for name, usable in itertools.islice(after, 1, None) if usable), None)


def _features(file: Path) -> Iterator[tuple[str, bool]]:
    loaded, feature = ctypes.CDLL(str(file)), _Feature()
    for i in itertools.count():
        if not loaded.hornet_cpu_feature_at(ctypes.byref(feature), ctypes.c_size_t(i)):
            return
        yield feature.name.decode(), feature.usable


def family(file: Path) -> str:
    """Return the family of cores, named as in the lists of kernels."""
    return family_among(_features(file)) or "ANY"


# The rule.


def serving(crossovers: list[int | None], length: int) -> int | None:
    """Return the kernel that handles a length: the first whose crossover is reached."""
    return next((i for i, at in enumerate(crossovers) if at is not None and at <= length), None)


def crossovers(costs: Costs) -> list[int | None]:
    """Return the length from which each kernel of the list pays off, or None. The last one handles all that is left."""
    rows = sorted(costs.items())
    count = len(rows[0][1]) if rows else 0
    found: list[int | None] = [None] * count
    for kernel in reversed(range(count)):
        if kernel == count - 1:
            found[kernel] = 0
            continue
        losses = []
        for length, of in rows:
            other = serving(found[kernel + 1 :], length)
            if other is not None:
                losses.append((length, math.log(of[kernel] / of[kernel + 1 + other])))
        found[kernel] = _crossover(losses)
    return found


def _crossover(losses: list[tuple[int, float]]) -> int | None:
    """Return the length from which a kernel pays off, given the logarithms of its ratios to the alternative: the start
    of the range, up to the longest length, over which their sum is smallest, so that single outliers do not matter. It
    is 0 if the kernel is no slower on shorter lengths."""
    total = weights = 0.0
    least, of_least, at = 0.0, 0.0, None
    for i in reversed(range(len(losses))):
        weight = _weight(losses, i)
        total, weights = total + weight * losses[i][1], weights + weight
        if total < least:
            least, of_least, at = total, weights, i
    if at is None or least >= -NOISE * of_least:
        return None
    return 0 if all(loss <= NOISE for _, loss in losses[:at]) else losses[at][0]


def _weight(losses: list[tuple[int, float]], i: int) -> float:
    """Return half the distance between the neighbours of a length on a logarithmic scale, so that the result does not
    depend on where the lengths are dense."""
    if len(losses) == 1:
        return 1.0
    low, high = losses[max(i - 1, 0)][0], losses[min(i + 1, len(losses) - 1)][0]
    return (math.log(high + 16) - math.log(low + 16)) / 2


def coarse(step: int, longest: int) -> list[int]:
    """Return lengths from 0 to the longest, both included."""
    found, length = [], 0
    while length < longest:
        found.append(length)
        length += step if length < EVEN_TO else max(step, length // 8)
    return [*found, longest]


def around(lengths: list[int], found: list[int | None]) -> list[int]:
    """Return the lengths between the neighbours of each crossover: all of them, or a selection with an odd distance,
    because a message that ends within a block may take longer."""
    more: set[int] = set()
    for at in found:
        if at in lengths and at > 0:
            i = lengths.index(at)
            low, high = lengths[i - 1], lengths[min(i + 1, len(lengths) - 1)]
            more.update(range(low, high + 1, -(-(high - low) // MORE) | 1))
    return sorted(more - set(lengths))


# Measuring.


@dataclass
class Table:
    """The kernels that are compared for one kind of messages."""

    what: str  # the field that is proposed
    columns: list[str]
    now: list[int | None]
    longest: int
    costs: Costs
    found: list[int | None]

    def change(self) -> float:
        """Return the geometric mean of the times with the proposals, relative to the library's."""
        logs = [math.log(of[serving(self.found, length)]) for length, of in self.costs.items()]
        return math.exp(sum(logs) / len(logs))

    def differences(self) -> list[tuple[str, float, int]]:
        """Return the kernels whose times differ in the build that is measured, among those that serve some lengths now:
        name, ratio, number of lengths."""
        different = []
        for i, name in enumerate(self.columns):
            ratios = [of[i] for length, of in self.costs.items() if serving(self.now, length) == i]
            if ratios and abs(math.log(float(numpy.median(ratios)))) > TOLERANCE:
                different.append((name, float(numpy.median(ratios)), len(ratios)))
        return different


LIBRARY = "library"


class Bench:
    """Runs measure.c with the library and the build in which a forced kernel handles all lengths."""

    def __init__(self, compiler: str, options: argparse.Namespace) -> None:
        command = COMPILERS[compiler]
        self.library = library(ROOT, command, "tree")
        self.forced = {
            primitive: library(ROOT, command, f"no-{primitive}-crossovers", f"CPPFLAGS=-D{macro}")
            for primitive, macro in NO_CROSSOVERS.items()
        }
        self.options = options

    def runs(self, primitive: str, names: list[str], lines: list[str]) -> list[Run]:
        peers = {LIBRARY: str(self.library)} | {name: f"{self.forced[primitive]},{primitive}={name}" for name in names}
        processes = range(self.options.processes)
        options = [["--no-check", "--rounds", self.options.rounds, "--seed", i + 1] for i in processes]
        return [parse(run_lines(peers, lines, *of)) for of in options]

    def table(self, what: str, primitive: str, names: list[str], now: list, longest: int, costs_of) -> Table:
        """Measure a table, then more lengths around its crossovers. `costs_of` measures costs at some lengths."""
        lengths = coarse(self.options.step, min(longest, self.options.longest))
        costs = costs_of(lengths)
        if more := around(lengths, crossovers(costs)):
            costs |= costs_of(more)
        return Table(what, names, now, lengths[-1], costs, crossovers(costs))

    def single(self, operation: str, primitive: str, names: list[str], lengths: list[int]) -> Costs:
        """Return the costs of one message, relative to the library's."""
        aad = " aad=16" if operation == "seal" else ""
        runs = self.runs(primitive, names, [f"{operation} len={length}{aad}" for length in lengths])
        return {
            length: [self.cost(runs, i, operation, name, operation) for name in names]
            for i, length in enumerate(lengths)
        }

    def batches(self, names: list[str], alone: list[str], lengths: list[int]) -> Costs:
        """The same for messages of a batch; the last cost is that of one call for each, by the kernel that serves them."""
        lines = [f"batch+mac lens={','.join([str(length)] * MESSAGES)}" for length in lengths]
        runs = self.runs("poly1305", list(dict.fromkeys([*names, *alone])), lines)
        return {
            length: [
                *(self.cost(runs, i, "batch", name, "batch") for name in names),
                self.cost(runs, i, "mac", alone[i], "batch"),
            ]
            for i, length in enumerate(lengths)
        }

    @staticmethod
    def cost(runs: list[Run], case: int, operation: str, name: str, of_library: str) -> float:
        ratios = []
        for run in runs:
            own, base = run.samples[case, operation, name], run.samples[case, of_library, LIBRARY]
            ratios.append(own.ratio_to(base) or own.median() / base.median())
        return float(numpy.median(ratios))

    def tables(self) -> dict[str, list[Table]]:
        """Return the tables of each list of kernels."""
        longest = self.options.longest
        poly, chacha = kernels(self.library, "poly1305"), kernels(self.library, "chacha20")
        batched = [
            kernel.name for kernel in kernels(self.forced["poly1305"], "poly1305") if kernel.min_batch_bytes is not None
        ]
        names, now = [kernel.name for kernel in poly], [kernel.min_bytes for kernel in poly]
        calls = self.table(
            "min_bytes", "poly1305", names, now, longest, lambda of: self.single("mac", "poly1305", names, of)
        )

        def of_batches(lengths: list[int]) -> Costs:
            return self.batches(batched, [names[serving(calls.found, length) or 0] for length in lengths], lengths)

        present = {kernel.name: kernel.min_batch_bytes for kernel in poly}
        batch_now = [*(present.get(name) for name in batched), None]
        batches = self.table(
            "min_batch_bytes", "poly1305", [*batched, "alone"], batch_now, LONGEST_IN_BATCH, of_batches
        )
        aead = self.table(
            "min_aead_bytes", "poly1305", names, now, longest, lambda of: self.single("seal", "poly1305", names, of)
        )
        ciphers, of_ciphers = [kernel.name for kernel in chacha], [kernel.min_bytes for kernel in chacha]
        seals = self.table(
            "min_bytes",
            "chacha20",
            ciphers,
            of_ciphers,
            longest,
            lambda of: self.single("seal", "chacha20", ciphers, of),
        )
        return {"poly1305": [calls, batches, aead], "chacha20": [seals]}


# Proposals.


def proposals(tables: dict[str, list[Table]]) -> dict[str, dict[str, dict[str, int | None]]]:
    """Return the proposed fields of each kernel of each list, None for never: what is beyond the measured lengths stays."""
    found: dict[str, dict[str, dict[str, int | None]]] = {}
    for primitive, of in tables.items():
        for table in of:
            for name, at, now in zip(table.columns, table.found, table.now):
                beyond = at is None and now is not None and now > table.longest
                if name != "alone":
                    found.setdefault(primitive, {}).setdefault(name, {})[table.what] = now if beyond else at
    return found


def changes(tables: dict[str, list[Table]]) -> dict[str, set[str]]:
    """Return the kernels of each list for which something else is proposed than there is now."""
    proposed = proposals(tables)
    return {
        primitive: {
            name
            for table in of
            for name, now in zip(table.columns, table.now)
            if name != "alone" and table.what in IN_LISTS and proposed[primitive][name][table.what] != now
        }
        for primitive, of in tables.items()
    }


def text(tables: dict[str, list[Table]]) -> str:
    lines = []
    for primitive, of in tables.items():
        for table in of:
            lines.append(f"{primitive}, {table.what}; {len(table.costs)} lengths up to {table.longest}:")
            for name, at, now in zip(table.columns, table.found, table.now):
                never = f"never (up to {table.longest})"
                lines.append(f"  {name:12} {never if at is None else at} (now {'never' if now is None else now})")
            lines.append(f"  the proposed crossovers take {table.change():.3f} of the present time (geometric mean)")
            for name, ratio, count in table.differences():
                lines.append(
                    f"  warning: without crossovers, {name} takes {ratio:.2f} of its time in the library (median of "
                    f"{count} lengths); it is judged too {'slow' if ratio > 1 else 'fast'}"
                )
    return "\n".join(lines) + "\n"


ENTRY = re.compile(r"^HORNET_KERNEL(?P<tuned>_TUNED)?(?P<also>_ALSO)?\((?P<arguments>[^)]*)\)(?P<comment>.*)$")


def applied(entries: str, of_family: str, proposed: dict[str, dict[str, int | None]], source: str) -> str:
    """Return a list of kernels with these proposals in the entries of a family of cores. A kernel without an entry for the
    family gets one, which comes before its others, because the first that fits counts."""
    lines = entries.splitlines()
    for name, fields in proposed.items():
        values = [
            NEVER if fields[key] is None else str(fields[key])
            for key in ("min_bytes", "min_batch_bytes")
            if key in fields
        ]
        of_kernel = []
        for i, line in enumerate(lines):
            entry = ENTRY.match(line)
            words = [word.strip() for word in entry["arguments"].split(",")] if entry else []
            if words and words[0] == name:
                of_kernel.append((i, entry, words))
        same = [one for one in of_kernel if f"CPU_{of_family}" in one[2]]
        for i, entry, words in same[:1] or of_kernel[:1]:
            head = words[: words.index(f"CPU_{of_family}") + 1] if same else [name, f"CPU_{of_family}"]
            count = len(words) - len(head) if same else min(len(values), len(words) - (3 if entry["tuned"] else 2))
            kept = (values + words[len(words) - count + len(values) :])[:count]
            kind = f"HORNET_KERNEL{entry['tuned'] or ''}{entry['also'] or ''}" if same else "HORNET_KERNEL"
            new = f"{kind}({', '.join([*head, *kept])}) /* {source} */"
            if same:
                lines[i] = new
            else:
                # The record is declared by the entry that is not ALSO; one with a tuning has a record of its own.
                main = next(at for at, of, _ in of_kernel if not of["tuned"] and not of["also"])
                lines[main] = lines[main].replace("HORNET_KERNEL(", "HORNET_KERNEL_ALSO(")
                lines.insert(i, new)
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", choices=COMPILERS, default="gcc")
    parser.add_argument("--longest", type=int, default=65536, help="the longest message")
    parser.add_argument("--step", type=int, default=16, help=f"between lengths up to {EVEN_TO}")
    parser.add_argument("--rounds", type=int, default=11, help="the samples of each kernel at each length and process")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the proposals to this file")
    parser.add_argument("--apply", action="store_true", help="change the lists of kernels")
    options = parser.parse_args()
    warn_of_load()
    try:
        bench = Bench(options.compiler, options)
        tables = bench.tables()
    except Failed as why:
        print(f"crossovers: {why}", file=sys.stderr)
        return 2
    of_family = family(bench.library)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    print(f"{of_family}, {options.compiler}, {today}\n{text(tables)}", end="")
    proposed = proposals(tables)
    if options.out:
        about = {"family": of_family, "compiler": options.compiler, "date": today}
        options.out.write_text(json.dumps(about | proposed, indent=1) + "\n")
    for primitive, file in LISTS.items():
        path = ROOT / file
        new = {name: proposed[primitive][name] for name in changes(tables)[primitive]}
        if options.apply:
            path.write_text(applied(path.read_text(), of_family, new, f"{today}, {options.compiler}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
