# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the peers, measures them beside Hornet, and writes results, tables and figures: python -m lab.bench COMMAND."""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import numpy

from lab.report import results
from tools.measure.samples import (
    IDLE_OR_BUSY,
    Failed,
    Run,
    Samples,
    find_busy,
    parse,
    program,
    run_lines,
    warn_of_load,
)

from . import page, peers, processes
from .groups import GROUPS, Series
from .peers import BENCH, BUILD, HORNETS, PEERS, SECTIONS, Peer

# Forced in Hornet; and OPENSSL_ia32cap, which hides bits of CPUID leaf 7, EBX, from OpenSSL and AWS-LC. AVX-512 F is bit
# 16, DQ 17, IFMA 21, CD 28, BW 30, VL 31. IFMA makes no difference to ChaCha20.
KERNELS = {"best": "", "avx2": ",poly1305=avx2,chacha20=avx2", "avx512f": ",poly1305=avx512f"}
MASKS = {"best": None, "avx2": ":~0xd0230000", "avx512f": ":~0x200000"}
CHECKED = {"mac": "", "aes": " with AES", "pieces": " in pieces", "batch": ", batch", "seal": ", sealed"} | {
    "open": ", opened",
    "seal_batch": ", sealed in a batch",
    "open_batch": ", opened in a batch",
}


def say(line: str) -> None:
    print(f"bench: {line}", file=sys.stderr, flush=True)


def selected(names: list[str] | None) -> list[Peer]:
    """Return the peers whose names start with the words of one of these, or all."""

    def is_meant(peer: Peer, name: str) -> bool:
        return f"{peer.name.lower()} ".startswith(f"{name.strip().lower()} ")

    everything = [*HORNETS, *PEERS]
    for name in names or []:
        if not any(is_meant(peer, name) for peer in everything):
            raise Failed(f"no peer {name!r}; there are {', '.join(peer.name for peer in everything)}")
    return [peer for peer in everything if not names or any(is_meant(peer, name) for name in names)]


def runs_here(section: str) -> bool:
    return section == "best" or section in Path("/proc/cpuinfo").read_text().split()


def arguments(files: dict[Peer, Path], section: str) -> dict[str, str]:
    """Return the peers of a section as measure.c takes them: Hornet's with its kernels."""
    kernels = {peer: KERNELS[section] if peer in HORNETS else "" for peer in files}
    return {peer.name: f"{file}{kernels[peer]}" for peer, file in files.items() if section in peer.sections}


def cases_of(
    section: str, chosen: list[str], names: list[str], rounds: int, step: int = 1
) -> list[tuple[str, Series, int, str]]:
    """Return all cases of a section: group, series, x, and the line for measure.c; only each STEP-th x of a sweep."""
    of = {peer.name: peer for peer in [*HORNETS, *PEERS]}
    found = []
    for group in chosen:
        for series in GROUPS[group].series:
            who = [i for i, name in enumerate(names) if series.who(of[name])]
            if not who or section not in GROUPS[group].sections:
                continue
            series = replace(series, xs=series.xs[:: step if group in results.SWEEPS else 1])
            for x in series.xs:
                line = series.case(x)
                line += f" peers={','.join(map(str, who))}"
                if "rounds=" not in line:
                    line += f" rounds={max(rounds // series.divisor, min(rounds, 3))}"
                found.append((group, series, x, line))
    return found


def columns_of(run: Run, cases: list[tuple], which: list[int], series: Series) -> dict[str, dict[str, list[float]]]:
    """Return the columns of a series as one process measured it: nanoseconds, cycles, and the ratio to the first."""
    found: dict[str, dict[str, list[float]]] = {}
    for case in which:
        measured: list[tuple[str, Samples]] = []
        divide = series.in_a_message(cases[case][2])
        for operation in cases[case][3].split()[0].split("+"):
            measured += [
                (peer["name"] + series.suffix(operation), run.samples[case, operation, peer["name"]])
                for peer in run.peers
                if (case, operation, peer["name"]) in run.samples
            ]
        # One call is that of Hornet, with which pieces are compared.
        measured = [one for one in measured if results.is_hornet(one[0]) or not one[0].endswith(results.ONE_CALL)]
        for name, samples in measured:
            column = found.setdefault(name, {"ns": [], "cycles": [], "ratio": []})
            column["ns"].append(samples.median() / divide)
            column["cycles"].append(samples.median_cycles() / divide)
            first = measured[0][1]
            column["ratio"].append(samples.ratio_to(first) or samples.median() / first.median())
    return found


def series_of(section: str, runs: list[Run], cases: list[tuple]) -> list[dict]:
    """Return the measured series in the form of lab/report/results.py."""
    found = []
    for group, series in dict.fromkeys((group, series) for group, series, _, _ in cases):
        which = [i for i, case in enumerate(cases) if case[:2] == (group, series)]
        processes_ = []
        for run in runs:
            columns = [{"name": name, **of} for name, of in columns_of(run, cases, which, series).items()]
            form = {"group": group, "variant": series.variant, "axis": series.axis, "xs": list(series.xs)}
            processes_.append([form | {"columns": columns, "notes": list(series.notes)}])
        if processes_[0][0]["columns"]:
            found += results.merge(processes_, section)
    return found


def checks_of(run: Run) -> list[dict]:
    return [
        {
            "peer": check["check"] + CHECKED[check["op"]],
            "inputs": check["inputs"],
            "wrong": check["wrong"],
            "example": check["first"] or None,
        }
        for check in run.checks
    ]


def measure_section(section: str, files: dict[Peer, Path], chosen: list[str], options: argparse.Namespace) -> dict:
    """Measure a section in several processes, and return what goes into the results."""
    given = arguments(files, section)
    cases = cases_of(section, chosen, list(given), options.rounds, 41 if options.quick else 1)
    mask = {"OPENSSL_ia32cap": MASKS[section]} if MASKS[section] else {}
    cpus: SimpleQueue[int | None] = SimpleQueue()
    for cpu in options.cpus or [None]:
        cpus.put(cpu)
    program()  # built once

    def measured(process: int) -> Run:
        cpu = cpus.get()
        say(f"{section}: process {process + 1} of {options.processes}")
        check = [] if process == 0 else ["--no-check"]
        flags = ["--tolerant", "--seed", process + 1, *check]
        try:
            lines = list(run_lines(given, [line for *_, line in cases], *flags, env=mask, cpu=cpu))
        finally:
            cpus.put(cpu)
        raw = BUILD / "samples" / f"{section}-{process}.jsonl"
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_text("\n".join(lines) + "\n")
        return parse(lines, state=options.sibling)

    with ThreadPoolExecutor(len(options.cpus or [None])) as pool:
        runs = list(pool.map(measured, range(options.processes)))
    find_busy(runs)
    kernels = runs[0].peers[0].get("kernels", ["", ""])
    return {
        "section": {
            "section": section,
            "mask": MASKS[section],
            "kernel": kernels[0],
            "chacha20_kernel": kernels[1],
            "checks": checks_of(runs[0]),
            "busy": round(float(numpy.mean([run.busy() for run in runs])), 3) if cases else 0.0,
        },
        "series": series_of(section, runs, cases),
        "versions": {peer["name"]: peer.get("version", "") for peer in runs[0].peers},
        "missing": {peer["name"]: peer["missing"] for peer in runs[0].peers if peer.get("missing")},
    }


def tools() -> dict[str, str]:
    """Return the first lines of what compilers say of their versions."""
    found = {}
    for name, command in (("gcc", "gcc --version"), ("clang", "clang-19 --version"), ("rustc", "rustc --version")) + (
        ("go", "go version"),
    ):
        try:
            found[name] = subprocess.run(
                command.split(), capture_output=True, text=True, check=True
            ).stdout.splitlines()[0]
        except (OSError, subprocess.CalledProcessError, IndexError):
            found[name] = "none"
    return found


def version_of(peer: Peer, said: str) -> str:
    """Return the version of a peer: what its library says, or that of its crate or module."""
    if peer in HORNETS:
        return "this tree"
    crates = {"rustcrypto": "poly1305", "libcrux": "libcrux-poly1305", "aws_lc": "aws-lc-sys"}
    if peer.source == "go":
        words = (BENCH / "go/go.mod").read_text().split()
        return words[words.index("golang.org/x/crypto") + 1]
    return said or peers.locked()[crates.get(peer.source, peer.source)]


def run(options: argparse.Namespace) -> int:
    """Measure all sections, and write the results."""
    if options.quick:
        options.processes, options.rounds, options.small, options.out = 1, 3, True, BUILD / "out"
        options.out.mkdir(parents=True, exist_ok=True)
    old = results.load(options.into) if options.into else None
    warn_of_load()
    machine = results.this_machine()
    chosen = options.only or [*GROUPS, *processes.GROUPS]
    if unknown := set(chosen) - {*GROUPS, *processes.GROUPS}:
        raise Failed(f"no group {', '.join(sorted(unknown))}")
    calls = [group for group in chosen if group in GROUPS]
    wanted = [peer for peer in selected(options.peers) if not peer.groups or set(peer.groups) & {"mac", *calls}]
    os.environ["EDIT_MIB"] = "4" if options.small else "1024"
    files, missing = peers.build_all(wanted)
    if not any(peer.source == "hornet" for peer in files):
        raise Failed("Hornet cannot be built")
    date = results.today()
    found: dict = {"sections": [], "series": [], "missing": missing}
    versions: dict[str, str] = {}
    for section in options.sections:
        if not runs_here(section):
            say(f"{section}: left out, this CPU has not the instructions")
            continue
        measured = measure_section(section, files, calls, options)
        found["sections"].append(measured["section"])
        found["series"] += measured["series"]
        found["missing"] |= measured["missing"]
        versions |= measured["versions"]
        for group in [group for group in chosen if group in processes.GROUPS and section == "best"]:
            say(f"{group}: {options.processes} rounds")
            found["series"] += processes.measure(group, options.command, options.processes, options.small)
    if not found["sections"]:
        raise Failed("nothing was measured")
    machine["load"].append(results.this_machine()["load"][0])
    named = list(dict.fromkeys(series["group"] for series in found["series"]))
    whole = processes.versions() if set(chosen) & set(processes.GROUPS) else {}
    new = {
        "date": date,
        "machine": machine,
        "clock": {"name": "chain"},
        "runs": [{"date": date, "groups": named, "processes": options.processes, "rounds": options.rounds}],
        "tools": tools() | whole,
        "flags": {"hornet": "those of the Makefile, HORNET_KERNELS=all"}
        | ({"rust": "-C target-cpu=native"} if any(map(peers.is_rust, files)) else {}),
        "peers": [
            {"name": peer.name, "version": version_of(peer, versions[peer.name]), "note": peer.note or None}
            for peer in files
            if peer.name in versions and peer.name not in found["missing"]
        ],
        **found,
    }
    if options.sibling:
        new["sibling"] = options.sibling
    path = options.into or options.out / f"{results.base_name(new)}.json"
    if old is not None:
        try:
            new = results.insert(old, new)
        except results.Different as why:
            raise Failed(f"{path}: {why}") from why
    results.save(path, new)
    page.write(new, path.parent)
    return wrong_hornets(found["sections"])


def wrong_hornets(sections: list[dict]) -> int:
    """Return 1 if Hornet's results are wrong."""
    checks = [check for section in sections for check in section["checks"]]
    return int(any(results.is_hornet(check["peer"]) and check["wrong"] > 0 for check in checks))


def check(options: argparse.Namespace) -> int:
    """Check the peers, and every pair of Hornet's kernels, without measuring."""
    files, _ = peers.build_all([peer for peer in selected(options.peers) if peer.groups != ("edit",)])
    given = {}
    for peer, file in files.items():
        given[peer.name] = str(file)
        if peer.source == "hornet":
            for poly1305, chacha20 in peers.kernel_pairs(file):
                given[f"{peer.name} {poly1305}/{chacha20}"] = f"{file},poly1305={poly1305},chacha20={chacha20}"
    run_ = parse(run_lines(given, [], "--tolerant"))
    checks = checks_of(run_)
    for one in checks:
        print(page.verdict(one))
    for peer in run_.peers:
        if peer.get("missing"):
            print(f"{peer['name']}: left out, {peer['missing']}")
    print(f"{len(checks)} checks of {len(given)} peers")
    return wrong_hornets([{"checks": checks}])


def list_peers(options: argparse.Namespace) -> int:
    for peer in selected(options.peers):
        print(f"{peer.name} ({', '.join(peer.sections)}){': ' if peer.note else ''}{peer.note}")
    return 0


def render(options: argparse.Namespace) -> int:
    for file in options.file:
        page.write(results.load(file), file.parent)
    return 0


def main() -> int:
    def listed(text: str) -> list[str]:
        return text.split(",")

    def numbers(text: str) -> list[int]:
        return [int(number) for number in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run", help="measure, and write results, tables and figures")
    one.set_defaults(does=run)
    one.add_argument("--sections", type=listed, default=list(SECTIONS), help=",".join(SECTIONS))
    one.add_argument("--only", type=listed, help=f"these groups: {','.join([*GROUPS, *processes.GROUPS])}")
    one.add_argument("--processes", type=int, default=9, help="figures are medians over them")
    one.add_argument("--rounds", type=int, default=41, help="the samples of each peer in each case and process")
    one.add_argument(
        "--cpus", type=numbers, help="CPUs that run a process each at the same time; one after another without"
    )
    one.add_argument(
        "--sibling", choices=IDLE_OR_BUSY, help="count samples beside a thread in this state where there are"
    )
    one.add_argument("--quick", action="store_true", help="few lengths, processes and rounds, into build/bench/out")
    one.add_argument(
        "--small", action="store_true", help="use small inputs in the groups edit, file, tree and incremental"
    )
    one.add_argument("--command", type=Path, default=peers.ROOT / "build/hornet", help="the hornet command")
    where = one.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, default=BENCH / "results", help="the folder of the results")
    where.add_argument("--into", type=Path, metavar="FILE.json", help="replace these groups in earlier results")
    for name, does, about in (
        ("check", check, "compare all results with a reference, without measuring"),
        ("list", list_peers, "list the peers"),
    ):
        commands.add_parser(name, help=about).set_defaults(does=does)
    for command in commands.choices.values():
        command.add_argument("--peers", type=listed, help="these, by the first words of their names")
    one = commands.add_parser("render", help="write the tables and figures of results again")
    one.set_defaults(does=render)
    one.add_argument("file", type=Path, nargs="+")
    options = parser.parse_args()
    try:
        return options.does(options)
    except Failed as why:
        say(str(why))
        return 2


if __name__ == "__main__":
    sys.exit(main())
