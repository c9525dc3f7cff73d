# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds hornet-bench, runs it in several processes, and writes results, tables and figures.

An option that is not listed for `run` and `tune` is passed on to hornet-bench: see `hornet-bench measure --help` and `tune
--help`; `go` passes them on to bindings/go/compare.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import processes
from report import bench, comparison, results

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PROGRAM = BENCH / "target/release/hornet-bench"


def fail(line: str) -> NoReturn:
    say(line)
    sys.exit(2)


def say(line: str) -> None:
    print(f"measure.py: {line}", file=sys.stderr, flush=True)


def build() -> None:
    # In its folder, because of .cargo/config.toml there.
    cargo = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", "target"]
    subprocess.run(cargo, cwd=BENCH, check=True)


def output(*arguments: object) -> object:
    """Run hornet-bench, and return what it prints, parsed."""
    process = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, check=False)
    if process.returncode != 0:
        sys.exit(process.returncode)
    return json.loads(process.stdout)


def run(options: argparse.Namespace, further: list[str]) -> int:
    """Measure all sections, and write the results."""
    old = results.load(options.into) if options.into else None
    results.warn_of_load()
    machine = results.this_machine()
    groups = [group for group in options.only or [*processes.GROUPS] if group in processes.GROUPS]
    calls = [group for group in options.only or [] if group not in groups]
    more = [*further, *(["--small"] if options.small else []), *(["--only", ",".join(calls)] if calls else [])]
    if groups and options.only and not calls:
        more.append("--no-groups")  # one process checks the tags
    found = {"tools": {}, "peers": [], "missing": {}, "sections": [], "series": []}
    for section in options.sections:
        reports = []
        count = 1 if "--no-groups" in more else options.processes
        for process in range(1, count + 1):
            say(f"{section}: process {process} of {count}")
            reports.append(output("measure", "--section", section, "--rounds", options.rounds, *more))
            if reports[0] is None:
                say(f"{section}: left out, Hornet has no kernel for it here")
                break
        first = reports[0]
        if first is None:
            continue
        found |= {key: first[key] for key in ("flags", "peers", "missing")}
        found["tools"] |= first["tools"]
        found["clock"] = {"name": first["clock"]}
        found["sections"].append(
            {key: first[key] for key in ("section", "mask", "kernel", "chacha20_kernel", "checks")}
        )
        found["series"] += results.merge([report["series"] for report in reports], section)
        if section == "best":
            for group in groups:
                say(f"{group}: {options.processes} rounds")
                found["series"].append(processes.measure(group, options.command, options.processes, options.small))
                found["tools"] |= processes.versions()
    if not found["sections"]:
        fail("nothing was measured")
    machine["load"].append(results.this_machine()["load"][0])
    named = list(dict.fromkeys(series["group"] for series in found["series"]))
    one = {"date": results.today(), "groups": named, "processes": options.processes, "rounds": options.rounds}
    new = {"date": one["date"], "machine": machine, "runs": [one], **found}
    path = options.into or options.out / f"{results.slug(machine)}.json"
    if old is not None:
        try:
            new = results.insert(old, new)
        except results.Different as why:
            fail(f"{path}: {why}")
    results.save(path, new)
    bench.write(new, path.parent)
    checks = [check for section in found["sections"] for check in section["checks"]]
    return int(any(results.is_hornet(check["peer"]) and check["wrong"] > 0 for check in checks))


def tree_of(name: str, folder: Path) -> tuple[str, Path]:
    """Return the name and the folder of a source tree: a folder, or a revision of this repository, which is extracted."""
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
        fail(f"there is no folder and no revision {name!r}")
    archive = subprocess.run([*git, "archive", revision, "include", "src"], capture_output=True, check=True).stdout
    (folder / revision).mkdir()
    subprocess.run(["tar", "-x", "-C", folder / revision], input=archive, check=True)
    return revision, folder / revision


def compare(options: argparse.Namespace) -> int:
    """Compare the speed of two source trees: each library is measured first in half of the processes."""
    if options.out and not options.out.resolve().parent.is_dir():
        fail(f"{options.out}: there is no such folder")
    results.warn_of_load()
    machine = results.this_machine()
    kernel = ["--kernel", options.kernel] if options.kernel else []
    further = [
        word for name in ("only", "lengths") if (value := getattr(options, name)) for word in (f"--{name}", value)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base, base_tree = tree_of(options.base, folder)
        tree, tree_tree = tree_of(options.tree, folder) if options.tree else ("this tree", ROOT)
        compilers = [word for compiler in options.compiler for word in ("--compiler", compiler)]
        say(f"building {base} and {tree}")
        pairs = output("pair", "--out", folder, *compilers, *kernel, base_tree, tree_tree)
        samples = {pair["compiler"]: [] for pair in pairs}
        for process in range(1, options.processes, 2):
            say(f"processes {process} and {process + 1} of {options.processes}")
            # Alternates between the compilers, so that changes in the load affect all of them.
            for pair in pairs:
                arguments = [*kernel, "--rounds", options.rounds, *further, pair["base"], pair["tree"]]
                both = output("compare", *arguments), output("compare", "--tree-first", *arguments)
                samples[pair["compiler"]].append([of_both_orders(*case) for case in zip(*both, strict=True)])
    machine["load"].append(results.this_machine()["load"][0])
    found = {
        "date": results.today(),
        "machine": machine,
        "clock": {"name": "ns"},
        "tools": {pair["compiler"]: pair["version"] for pair in pairs},
        "flags": {"hornet": pairs[0]["flags"]},
        "peers": [{"name": name, "version": name, "note": options.kernel} for name in (base, tree)],
        "missing": {},
        "runs": [{"date": results.today(), "processes": options.processes, "rounds": options.rounds}],
        "sections": [],
        "series": [one for compiler, pairs in samples.items() for one in series_of(compiler, pairs, (base, tree))],
    }
    print(comparison.text(found), end="")
    if options.out:
        results.save(options.out, found)
    return 0


def of_both_orders(one: dict, other: dict) -> dict:
    """Return the mean of two processes: one measured the base first, the other the tree. The library that is measured
    first may be faster, because the branch predictors are trained on it."""
    means = {key: (one[key] + other[key]) / 2 for key in ("base_ns", "tree_ns")}
    return one | means | {"ratio": math.sqrt(one["ratio"] * other["ratio"])}


def series_of(compiler: str, pairs: list[list[dict]], names: tuple[str, str]) -> list[dict]:
    """Return a series for each kind of calls, with a sample for each pair of processes."""
    found = []
    for kind in dict.fromkeys(case["kind"] for case in pairs[0]):
        cases = [same for same in zip(*pairs, strict=True) if same[0]["kind"] == kind]

        def quantity(key: str, cases: list[tuple] = cases) -> dict:
            return {"samples": [[results.rounded(sample[key]) for sample in same] for same in cases]}

        base = {"name": names[0], "ns": quantity("base_ns")}
        tree = {"name": names[1], "ns": quantity("tree_ns"), "ratio": quantity("ratio")}
        xs = [same[0]["bytes"] for same in cases]
        form = {"section": "best", "group": kind, "variant": compiler, "axis": "bytes", "xs": xs}
        found.append(form | {"columns": [base, tree]})
    return found


def go(options: argparse.Namespace, further: list[str]) -> int:
    """Compare the Go module with golang.org/x/crypto."""
    results.warn_of_load()
    machine = results.this_machine()
    command = ["go", "run", ".", "-rounds", str(options.rounds), *further]
    found = json.loads(
        subprocess.run(command, cwd=ROOT / "bindings/go/compare", check=True, capture_output=True).stdout
    )
    machine["load"].append(results.this_machine()["load"][0])
    all_ = {
        "date": results.today(),
        "machine": machine,
        "clock": {"name": "ns"},
        "tools": {"go": found["go"]},
        "flags": {},
        "peers": [],
        "missing": {},
        "runs": [{"date": results.today(), "groups": ["go"], "processes": 1, "rounds": options.rounds}],
        "sections": [],
        "series": found["series"],
    }
    print(comparison.of_go(all_), end="")
    if options.out:
        results.save(options.out, all_)
    return 0


def even(text: str) -> int:
    number = int(text)
    if number < 2 or number % 2 == 1:
        raise argparse.ArgumentTypeError("must be an even number, at least 2")
    return number


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="what", required=True)

    def listed(text: str) -> list[str]:
        return text.split(",")

    one = commands.add_parser("run", help="measure, and write results, tables and figures")
    one.add_argument("--sections", type=listed, default=["best", "avx2", "avx512f"], help="best,avx2,avx512f")
    one.add_argument("--only", type=listed, help="measure these groups only")
    one.add_argument("--processes", type=int, default=9, help="run one after another; figures are medians over them")
    one.add_argument("--rounds", type=int, default=41, help="the samples of each peer at each length in a process")
    one.add_argument("--small", action="store_true", help="use small inputs in the groups edit, file and tree")
    one.add_argument("--command", type=Path, default=ROOT / "build/hornet", help="the hornet command")
    where = one.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, default=BENCH / "results", help="the folder of the results")
    where.add_argument("--into", type=Path, metavar="FILE.json", help="replace these groups in earlier results")
    commands.add_parser("check", help="check all tags, without measuring")
    commands.add_parser("list", help="list the peers and those that are missing")
    commands.add_parser("tune", help="propose from which length each kernel is used")
    one = commands.add_parser("render", help="write the tables and figures of results again")
    one.add_argument("file", type=Path, nargs="+")
    one = commands.add_parser("compare", help="compare the speed of two revisions or source trees")
    one.add_argument("base", help="a revision, or the folder of a source tree")
    one.add_argument("tree", nargs="?", help="the same; by default this tree")
    one.add_argument("--compiler", action="append", default=[], choices=["gcc", "clang"], help="by default all")
    one.add_argument("--processes", type=even, default=32, help="for each compiler; an even number")
    one.add_argument("--rounds", type=int, default=11, help="the samples of each library at each length in a process")
    one.add_argument("--kernel", help="force this kernel in both")
    one.add_argument("--only", choices=["calls", "batches"], help="measure these only")
    one.add_argument("--lengths", metavar="A..B", help="only messages of these lengths, no batches of random lengths")
    one.add_argument("--out", type=Path, metavar="FILE.json", help="write all results to this file")
    one = commands.add_parser("go", help="compare the Go module with golang.org/x/crypto")
    one.add_argument("--rounds", type=int, default=41, help="the samples of each at each length")
    one.add_argument("--out", type=Path, metavar="FILE.json", help="write all results to this file")
    return top


def main() -> int:
    options, further = parser().parse_known_args()
    if further and options.what in ("compare", "render"):
        parser().error(f"unknown: {' '.join(further)}")
    if options.what == "render":
        for file in options.file:
            bench.write(results.load(file), file.parent)
        return 0
    if options.what == "go":
        return go(options, further)
    build()
    if options.what == "run":
        return run(options, further)
    if options.what == "compare":
        return compare(options)
    if options.what == "tune":
        results.warn_of_load()
        further = ["--about", f"{results.title(results.this_machine())}, {results.today()}", *further]
    return subprocess.run([PROGRAM, options.what, *further], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
