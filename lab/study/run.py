# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the study, check every kernel, measure, count, and write the results and the report.

run.py                        into build/study: nothing that is tracked is overwritten
run.py --publish              into lab/study/results and lab/study/report
run.py --quick                fewer lengths, samples and processes, gcc only
run.py --with mine.c          also your own kernel (README.md)
run.py --originals            also the papers' own programs, which are fetched
run.py --page FILE...         measures nothing: the report of these results, of one or of several CPUs
run.py --count FILE           measures nothing: repeats the counts, also those for the z14, and the report
"""

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent))

import poly1305aes  # noqa: E402
import reporting  # noqa: E402
import z14  # noqa: E402
from report import results, samples  # noqa: E402

from tools.measure.samples import warn_of_load  # noqa: E402

BUILD = STUDY.parents[1] / "build" / "study"
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
# For 32-bit programs, which flags with -m32 ask for, and what links them.
M32 = "-m32"
COMPILERS_32 = {"gcc": "i686-linux-gnu-gcc"}
LINK_32 = ["-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2", "-Wl,-rpath,/usr/i686-linux-gnu/lib"]
FLAGS = "-O2"
OWN_FUNCTION = "poly1305_auth"
SOURCES = ["measure.c", "check.c", "cycles.c", "instructions.c"]
EXTENSION = ".json.xz"
FILTERS = ("kernels", "lengths", "groups")


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


# Build.


def own_kernel(text: str) -> tuple[str, Path, str]:
    """Return name, file and function of [NAME=]FILE[:FUNCTION]."""
    found = re.fullmatch(r"(?:([\w.+-]+)=)?([^:]+)(?::(\w+))?", text)
    path = Path(found[2]).resolve() if found else Path()
    if not path.is_file() or path.suffix not in (".c", ".so"):
        raise argparse.ArgumentTypeError(f"{text}: [NAME=]FILE[:FUNCTION], a file that ends in .c or .so")
    name = found[1] or re.sub(r"[^\w.+-]", "_", path.stem)
    return name, path, found[3] or OWN_FUNCTION


def folder_of(name: str, flags: str) -> Path:
    return BUILD / f"{name}{re.sub('[^A-Za-z0-9]+', '-', '' if flags == FLAGS else flags).rstrip('-')}"


def build(compilers: dict[str, str], flags: str, own: list) -> list[str]:
    """Build everything, and return the command that measures."""
    # One after another: each compiles as many files at a time as there are CPUs.
    builds, kernels = [], []
    for name, compiler in compilers.items():
        folder = folder_of(name, flags)
        subprocess.run([STUDY / "build.sh", folder, compiler, *flags.split()], check=True)
        builds.append(f"{name}={folder / 'study.so'}")
        for kernel, path, function in own:
            shared = path
            if path.suffix == ".c":
                shared = folder / f"own-{kernel}.so"
                subprocess.run([compiler, *flags.split(), "-fPIC", "-shared", "-o", shared, path], check=True)
            kernels.append(f"{name}:{kernel}={shared}:{function}")
    is_32 = M32 in flags.split()
    program = BUILD / f"measure{M32 if is_32 else ''}"
    command = [compilers["gcc"], "-O2", "-o", program, *(STUDY / file for file in SOURCES), "-ldl"]
    subprocess.run([*command, *(LINK_32 if is_32 else [])], check=True)
    return [str(program), *builds, *kernels]


def operations() -> list[dict]:
    """Return the counts of the kernels over counting lanes; empty on machines where these are not compiled."""
    if os.uname().machine != "x86_64":
        return []
    folder = folder_of("gcc", FLAGS)
    subprocess.run([STUDY / "build.sh", folder, COMPILERS["gcc"], *FLAGS.split()], check=True)
    subprocess.run([STUDY / "build.sh", "--counts", folder], check=True)
    return [json.loads(line) for line in (folder / "counts.json").read_text().splitlines()]


def inputs() -> Path:
    """Write the inputs with which kernels are checked, and return their file."""
    command, path = build({"gcc": COMPILERS["gcc"]}, FLAGS, []), BUILD / "inputs"
    with path.open("wb") as file:
        subprocess.run([command[0], "--inputs", *command[1:]], check=True, stdout=file)
    return path


def of_z14(publish: bool) -> dict:
    """Write the results of z14.py, if they are to be replaced and it can run. Return why they are the stored ones, or ""."""
    if not publish:
        return {"z14_stored": "this run replaces nothing that is stored"}
    missing = z14.missing()
    if missing:
        return {"z14_stored": f"this machine lacks {', '.join(missing)}"}
    reporting.MODEL.write_text(json.dumps(z14.results(inputs()), indent=1) + "\n")
    return {"z14_stored": ""}


# Measure.


def checked(command: list[str], options: list[str], own: set[str]) -> tuple[list[dict], list[str]]:
    """Compare all kernels with the reference. Return what was found, and the kernels that are not to be measured: those
    with wrong tags, except the user's that do no more than compute them."""
    checks = json.loads(output_of(command[0], "--check", *options, *command[1:]))["checks"]
    for check in checks:
        check["measured"] = not check["wrong"] or (
            check["kernel"] in own and not check["signal"] and not check["overruns"]
        )
        if check["wrong"]:
            ended = f", signal {check['signal']}" if check["signal"] else ""
            print(
                f"warning: {check['kernel']}, {check['build']}: wrong on {check['wrong']} of {check['inputs']} inputs, "
                f"first on {check['example']}{ended}: {'' if check['measured'] else 'not '}measured",
                file=sys.stderr,
            )
    return checks, [f"{check['build']}:{check['kernel']}" for check in checks if not check["measured"]]


def merged(processes: list[dict]) -> dict:
    """Merge the measurements of several processes: at each length, the samples of each process, beside one another."""
    found = processes[0]
    for at, series in enumerate(found["series"]):
        same = [process["series"][at] for process in processes]
        series["clock"] = [one["clock"] for one in same]
        series["rounds"] = len(series["columns"][0]["counts"]["samples"][0]) if series["columns"] else 0
        for i, column in enumerate(series["columns"]):
            rows = zip(*(one["columns"][i]["counts"]["samples"] for one in same), strict=True)
            column["counts"]["samples"] = [
                [results.rounded(sample) for samples in row for sample in samples] for row in rows
            ]
    return found


def measured(options: argparse.Namespace) -> dict:
    is_32 = M32 in options.flags.split()
    compilers = {name: (COMPILERS_32 if is_32 else COMPILERS)[name] for name in options.compilers}
    if options.originals:
        # Not where build.sh builds, which empties its folder.
        folder = BUILD / "originals" / folder_of("gcc", options.flags).name
        folder.mkdir(parents=True, exist_ok=True)
        compiler = [compilers["gcc"], *options.flags.split()]
        options.with_ += poly1305aes.built(folder, 32 if is_32 else 64, compiler)
    filters = [word for name in FILTERS if getattr(options, name) for word in (f"--{name}", getattr(options, name))]
    command = build(compilers, options.flags, options.with_)
    os.sched_setaffinity(0, {options.cpu})
    own = {name for name, _, _ in options.with_}
    checks, skipped = checked(command, filters[: 2 if options.kernels else 0], own)
    print("measuring", file=sys.stderr)
    warn_of_load()
    machine = results.this_machine()
    processes = []
    for number in range(options.processes):
        more = [*filters, "--seed", str(number + 1), *(["--skip", ",".join(skipped)] if skipped else [])]
        more += ["--quick"] if options.quick else []
        processes.append(json.loads(output_of(command[0], *more, *command[1:])))
    machine["load"].append(results.this_machine()["load"][0])
    os.sched_setaffinity(0, options.cpus)
    found = merged(processes)
    wrong = {check["kernel"] for check in checks if check["wrong"]}
    for kernel in found["kernels"]:
        kernel["label"] += ", wrong tags" if kernel["name"] in wrong else ""
    groups = list(dict.fromkeys(series["group"] for series in found["series"]))
    return {
        "date": results.today(),
        "machine": machine,
        "tools": {name: output_of(compiler, "--version").splitlines()[0] for name, compiler in compilers.items()},
        "flags": {"hornet": options.flags},
        "peers": [],
        "missing": {},
        "runs": [
            {
                "date": results.today(),
                "groups": groups,
                "processes": options.processes,
                "quick": options.quick,
                "filters": {name: getattr(options, name) for name in FILTERS if getattr(options, name)},
            }
        ],
        "sections": [],
        "checks": checks,
        **found,
    }


# Write.


def name_of(found: dict) -> str:
    """Return the base name of the files with these results: the CPU, and the flags if they are not the usual ones."""
    flags = found["flags"]["hornet"]
    return results.slug(found["machine"]) + ("" if flags == FLAGS else re.sub("[^A-Za-z0-9]+", "-", flags).rstrip("-"))


def target_of(options: argparse.Namespace) -> Path:
    return STUDY if options.publish else (options.out or BUILD).resolve()


def write(files: list[Path], folder: Path, options: argparse.Namespace) -> None:
    """Write the report of results files, and what else is wanted, into a folder."""
    of = [(results.load(path), f"{'originals/' * (path.parent.name == 'originals')}{path.name}") for path in files]
    text, drawn = reporting.report(of, json.loads(reporting.MODEL.read_text()))
    html = folder / "report" / "index.html"
    html.parent.mkdir(parents=True, exist_ok=True)
    html.write_text(text)
    print(html)
    if options.publish:
        readme = STUDY / "README.md"
        listed = reporting.of_the_papers(reporting.Report(*of[0], json.loads(reporting.MODEL.read_text())))
        readme.write_text(re.sub(r"^\| paper \|(?:.*\|\n)+", lambda _: f"{listed}\n", readme.read_text(), flags=re.M))
    if options.csv:
        for found, name in of:
            base = folder / "csv" / name.partition(".")[0]
            write_csv(base.with_name(f"{base.name}-medians.csv"), samples.median_rows(found), open)
            write_csv(base.with_name(f"{base.name}-samples.csv.gz"), samples.sample_rows(found), gzip.open)
    if options.figures:
        (folder / "figures").mkdir(parents=True, exist_ok=True)
        for old in (folder / "figures").glob("*.*"):
            old.unlink()
        for drawing in drawn:
            drawing.save(folder / "figures")
        print(folder / "figures")


def write_csv(path: Path, rows: Iterator[dict], opened: Callable) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with opened(path, "wt", newline="") as file:
        first = next(rows)
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)
    print(path)


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--quick", action="store_true")
    add("--publish", action="store_true", help="write into lab/study/results and lab/study/report")
    add("--out", type=Path, metavar="FOLDER", help="write into FOLDER/results and FOLDER/report")
    add("--csv", action="store_true", help="also CSV: medians with intervals, and all samples, into OUT/csv")
    add("--figures", action="store_true", help="also every figure as SVG and PDF, into OUT/figures")
    add(
        "--flags",
        default=FLAGS,
        metavar="OPTIONS",
        help=f"for the compilers, such as --flags='-O3'; {FLAGS} by default",
    )
    add("--compilers", type=lambda text: text.split(","), metavar="LIST", help="gcc,clang; with --quick, gcc")
    add("--cpu", type=int, metavar="N", help="the CPU to measure on; by default the last that the process may use")
    add(
        "--processes", type=int, metavar="N", help="how many processes measure, one after another; 9, or 5 with --quick"
    )
    add("--kernels", metavar="LIST", help="only these of kernels.def, the library's, or your own; * matches any text")
    add("--lengths", metavar="LIST", help="only these lengths in bytes, such as 49-1000,1500")
    add("--groups", metavar="LIST", help="only these of sweep4,sweep8,lengths,cases,instructions,phases")
    add(
        "--with",
        dest="with_",
        type=own_kernel,
        action="append",
        default=[],
        metavar="[NAME=]FILE[:FUNCTION]",
        help=f"your kernel: a .c or .so file; its function is {OWN_FUNCTION} by default",
    )
    add("--page", type=Path, nargs="+", metavar="FILE")
    add("--count", type=Path, metavar="FILE")
    add("--originals", action="store_true", help="also the papers' own programs that a package has")
    options = parser.parse_args(arguments)
    options.cpus = os.sched_getaffinity(0)
    if options.cpu is None:
        options.cpu = max(options.cpus)
    if options.cpu not in options.cpus:
        parser.error(f"--cpu: the process may use {sorted(options.cpus)}")
    is_32 = M32 in options.flags.split()
    if options.compilers is None:
        options.compilers = ["gcc"] if options.quick or is_32 else list(COMPILERS)
    if is_32 and options.compilers != ["gcc"]:
        parser.error(f"--flags: {M32} with gcc alone")
    if options.compilers[0] != "gcc" or not set(options.compilers) <= set(COMPILERS):
        parser.error("--compilers: gcc or gcc,clang")
    if options.processes is None:
        options.processes = 5 if options.quick else 9
    partial = options.kernels or options.lengths or options.groups or options.with_
    if options.publish and (options.quick or (partial and not options.originals)):
        parser.error("--publish: only a complete run, or one with --originals")
    return options


def main(arguments: list[str]) -> None:
    options = parsed(arguments)
    target = target_of(options)
    if options.page:
        write(options.page, target, options)
        return
    if options.count:
        found = results.load(options.count) | {"operations": operations()} | of_z14(options.publish)
        path = options.count
    else:
        found = measured(options) | {"operations": operations()} | of_z14(options.publish and not options.originals)
        folder = target / "results" / ("originals" if options.originals else "")
        path = folder / f"{name_of(found)}{EXTENSION}"
    results.save(path, found)
    if options.originals and options.publish:
        print("the report has them after run.py --publish --page and the results of a complete run")
        return
    write([path], target, options)


if __name__ == "__main__":
    main(sys.argv[1:])
