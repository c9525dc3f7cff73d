# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the study, check every kernel, measure, count, and write the results and the report.

run.py                        into build/study: nothing that is tracked is overwritten
run.py --publish              into lab/study/results and lab/study/report
run.py --quick                fewer lengths, samples and processes, gcc only
run.py --with mine.c          also your own kernel (README.md)
run.py --originals            also the papers' own programs, which are fetched
run.py --page FILE...         measures nothing: the report of these results, of one or of several CPUs
run.py --count FILE           measures nothing: repeats the counts, also those for the z14, and the report
run.py --compare FILE FILE    measures nothing: how many conclusions of two runs on one CPU are not the same; more than 3 %
                              are a failure
"""

import argparse
import csv
import gzip
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which

import numpy

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent))

import calibration  # noqa: E402
import poly1305aes  # noqa: E402
import reporting  # noqa: E402
import z14  # noqa: E402
from report import results, samples  # noqa: E402

from tools.measure.samples import BUSY, MULTIPLICATION_CYCLES, slot_beside_idle, warn_of_load  # noqa: E402

BUILD = STUDY.parents[1] / "build" / "study"
FLAGS = "-O2"
# The name of each build, its compiler, and its flags, if they are not the options'. The IET paper has gcc -O3, clang -O2.
BUILDS = {"gcc": ("gcc", ""), "gcc-O3": ("gcc", "-O3"), "clang": ("clang-19", "")}
# What is gcc for 32-bit programs, which flags with -m32 ask for, and what links these.
M32, COMPILER_32 = "-m32", "i686-linux-gnu-gcc"
LINK_32 = ["-Wl,--dynamic-linker=/usr/i686-linux-gnu/lib/ld-linux.so.2", "-Wl,-rpath,/usr/i686-linux-gnu/lib"]
# What Polyakov measured in 32-bit programs.
FILTERS_32 = ["--groups", "lengths", "--kernels", "polyakov_sse2,scalar26,scalar32,x87,hornet"]
OWN_FUNCTION = "poly1305_auth"
SOURCES = ["measure.c", "check.c", "cycles.c", "instructions.c"]
EXTENSION = ".json.xz"
FILTERS = ("kernels", "lengths", "groups")
# What says at each length that one kernel is faster than another is measured in more processes than all else.
PROCESSES, FEWER, CONCLUDED = 25, 9, ["--groups", "sweep4,sweep8,lengths"]
MOST_CHANGED = 3  # in %, of the conclusions of two runs


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


def is_32(flags: str) -> bool:
    return M32 in flags.split()


def command_of(compiler: str, flags: str) -> list[str]:
    """Return the command that compiles."""
    return [COMPILER_32 if is_32(flags) else compiler, *flags.split()]


def build(of: dict[str, tuple[str, str]], own: list) -> list[str]:
    """Build everything, each with a compiler and its flags, all or none for 32 bits, and return the command that measures."""
    # One after another: each compiles as many files at a time as there are CPUs.
    builds, kernels = [], []
    for name, (compiler, flags) in of.items():
        folder = folder_of(compiler, flags)
        subprocess.run([STUDY / "build.sh", folder, *command_of(compiler, flags)], check=True)
        builds.append(f"{name}={folder / 'study.so'}")
        for kernel, path, function in own:
            shared = path
            if path.suffix == ".c":
                shared = folder / f"own-{kernel}.so"
                subprocess.run([*command_of(compiler, flags), "-fPIC", "-shared", "-o", shared, path], check=True)
            kernels.append(f"{name}:{kernel}={shared}:{function}")
    for_32 = any(is_32(flags) for _, flags in of.values())
    program = BUILD / f"measure{M32 if for_32 else ''}"
    command = command_of("gcc", f"-O2 {M32 if for_32 else ''}")
    command += ["-o", str(program), *(str(STUDY / file) for file in SOURCES), "-ldl", *(LINK_32 if for_32 else [])]
    subprocess.run(command, check=True)
    return [str(program), *builds, *kernels]


def operations() -> list[dict]:
    """Return the counts of the kernels over counting lanes; empty on machines where these are not compiled."""
    if os.uname().machine != "x86_64":
        return []
    folder = folder_of("gcc", FLAGS)
    subprocess.run([STUDY / "build.sh", folder, "gcc", *FLAGS.split()], check=True)
    subprocess.run([STUDY / "build.sh", "--counts", folder], check=True)
    return [json.loads(line) for line in (folder / "counts.json").read_text().splitlines()]


def inputs() -> Path:
    """Write the inputs with which kernels are checked, and return their file."""
    command, path = build({"gcc": ("gcc", FLAGS)}, []), BUILD / "inputs"
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


def calibrate(publish: bool) -> None:
    """Write the results of calibration.py, if they are to be replaced and it can run."""
    if publish and not calibration.missing():
        reporting.CALIBRATION = calibration.results()
        calibration.FILE.write_text(json.dumps(reporting.CALIBRATION, indent=1) + "\n")


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


def by_state(cycles: numpy.ndarray, busy: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return the medians of the samples beside an idle sibling thread, and beside a busy one, in place of the rounds, the
    last axis; that of the other state, where a process has none in one."""
    states = [numpy.nanmedian(numpy.where(of, cycles, numpy.nan), axis=-1) for of in (~busy, busy)]
    only = [numpy.isnan(states[1]), numpy.isnan(states[0])]
    found = numpy.stack(
        [numpy.where(only[1], states[1], states[0]), numpy.where(only[0], states[0], states[1])], axis=-1
    )
    return found, numpy.stack([only[1], ~only[0]], axis=-1)


def merged(processes: list[dict]) -> dict:
    """Merge the measurements of several processes: at each length, the medians of each process, beside one another, in
    cycles by the clock beside each sample, and which of them are of samples beside a busy sibling thread."""
    found = processes[0]
    clock = found["clock"]
    slots, multiplications = clock.pop("slots"), clock.pop("multiplications")
    clock["busy"], clock["samples"] = 0, 0

    of = [{(one["group"], one["variant"]): one["columns"] for one in process["series"]} for process in processes]

    def together(at: int, quantity: str) -> numpy.ndarray:
        """Return what the processes that measured a series did, [column, length, process, round]."""
        key = found["series"][at]["group"], found["series"][at]["variant"]
        return numpy.stack([[column[quantity] for column in one[key]] for one in of if key in one], axis=2)

    measured_ = [at for at, series in enumerate(found["series"]) if series["columns"] and series["xs"]]
    slot = {at: together(at, "slots") / slots for at in measured_}
    multiplication = {at: together(at, "multiplications") / multiplications for at in measured_}
    if measured_:
        all_ = (numpy.concatenate([one[at].ravel() for at in measured_]) for one in (slot, multiplication))
        clock["idle_slot"] = results.rounded(slot_beside_idle(*all_))
    for at in measured_:
        series = found["series"][at]
        rates = multiplication[at] / MULTIPLICATION_CYCLES
        series["clock"] = [
            list(map(results.rounded, numpy.quantile(of, [0.01, 0.5, 0.99]))) for of in numpy.moveaxis(rates, 2, 0)
        ]
        busy = slot[at] / multiplication[at] > BUSY * clock["idle_slot"]
        clock["busy"], clock["samples"] = clock["busy"] + int(busy.sum()), clock["samples"] + busy.size
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # no sample in a state
            cycles, busy = by_state(together(at, "counts") / rates, busy)
        series["rounds"] = cycles.shape[3]
        columns = zip(list(series["columns"]), cycles, busy)
        series["columns"] = [
            {
                "name": column["name"],
                "cycles": {"samples": [list(map(results.rounded, row.ravel())) for row in cycles]},
                "busy": [sum(1 << int(i) for i in numpy.flatnonzero(row)) for row in states],
            }
            for column, cycles, states in columns
        ]
    return found


def with_32_bits(options: argparse.Namespace) -> bool:
    """Return whether 32-bit programs are measured besides: not where they cannot be built, and not if only a part is."""
    partial = any(getattr(options, name) for name in FILTERS)
    return not (partial or is_32(options.flags)) and which(COMPILER_32) is not None and os.uname().machine == "x86_64"


def measured(options: argparse.Namespace) -> dict:
    of = {name: (BUILDS[name][0], BUILDS[name][1] or options.flags) for name in options.compilers}
    if options.originals:
        # Not where build.sh builds, which empties its folder.
        folder = BUILD / "originals" / folder_of("gcc", options.flags).name
        folder.mkdir(parents=True, exist_ok=True)
        options.with_ += poly1305aes.built(folder, 32 if is_32(options.flags) else 64, command_of("gcc", options.flags))
    filters = [word for name in FILTERS if getattr(options, name) for word in (f"--{name}", getattr(options, name))]
    programs = [(build(of, options.with_), filters)]
    if with_32_bits(options):
        programs.append((build({reporting.BUILD_32: ("gcc", f"{options.flags} {M32}")}, []), FILTERS_32))
    os.sched_setaffinity(0, {options.cpu})
    own = {name for name, _, _ in options.with_}
    checks, commands = [], []
    for command, chosen in programs:
        found_here, skipped = checked(command, chosen, own)
        checks += found_here
        more = [*chosen, *(["--skip", ",".join(skipped)] if skipped else []), *["--quick"] * options.quick]
        commands.append([command[0], *more, *command[1:]])
    print("measuring", file=sys.stderr)
    warn_of_load()
    machine = results.this_machine()
    processes = []
    for number in range(options.processes):
        if number == FEWER and not options.groups:
            commands[0][1:1] = CONCLUDED
        first, *others = (json.loads(output_of(of[0], "--seed", str(number + 1), *of[1:])) for of in commands)
        first["series"] += [series for other in others for series in other["series"]]
        processes.append(first)
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
        "tools": {
            name: output_of(command_of(compiler, flags)[0], "--version").splitlines()[0]
            + (f", {BUILDS[name][1]}" if BUILDS[name][1] else "")
            for name, (compiler, flags) in of.items()
        },
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


def compare(files: list[Path]) -> bool:
    """Print how many conclusions of two results are not the same, and return whether these are few."""
    model = json.loads(reporting.MODEL.read_text())
    reports = [reporting.Report(results.load(path), path.name, model) for path in files]
    if reports[0].here != reports[1].here:
        sys.exit(f"run.py: the CPU and flags of one are {reports[0].here}, of the other {reports[1].here}")
    for report in reports:
        report.body()
    found = reporting.changes(*reports)
    print(f"{'conclusions':24} {'both':>7} {'changed':>8} {'%':>6} {'opposed':>8}")
    for of, (number, unlike, opposed) in found.items():
        print(f"{of:24} {number:7} {unlike:8} {100 * unlike / max(number, 1):6.2f} {opposed:8}")
    number, unlike, _ = found["all"]
    return number > 0 and 100 * unlike <= MOST_CHANGED * number


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
    add("--csv", action="store_true", help="also CSV: medians with intervals, and each process's, into OUT/csv")
    add("--figures", action="store_true", help="also every figure as SVG and PDF, into OUT/figures")
    add(
        "--flags",
        default=FLAGS,
        metavar="OPTIONS",
        help=f"for the compilers, such as --flags='-O3'; {FLAGS} by default",
    )
    add("--compilers", type=lambda text: text.split(","), metavar="LIST", help="of gcc,gcc-O3,clang; with --quick, gcc")
    add("--cpu", type=int, metavar="N", help="the CPU to measure on; by default the last that the process may use")
    add(
        "--processes",
        type=int,
        metavar="N",
        help="how many processes measure, one after another; 25, or 5 with --quick",
    )
    add("--kernels", metavar="LIST", help="only these of kernels.def, the library's, or your own; * matches any text")
    add("--lengths", metavar="LIST", help="only these lengths in bytes, such as 49-1000,1500")
    add("--groups", metavar="LIST", help="only these of sweep4,sweep8,lengths,cases,aes,instructions,phases")
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
    add("--compare", type=Path, nargs=2, metavar="FILE")
    add("--originals", action="store_true", help="also the papers' own programs that a package has")
    options = parser.parse_args(arguments)
    options.cpus = os.sched_getaffinity(0)
    if options.cpu is None:
        options.cpu = max(options.cpus)
    if options.cpu not in options.cpus:
        parser.error(f"--cpu: the process may use {sorted(options.cpus)}")
    if options.compilers is None:
        others = [name for name in BUILDS if BUILDS[name][1] != options.flags]
        options.compilers = ["gcc"] if options.quick or is_32(options.flags) else others
    if is_32(options.flags) and options.compilers != ["gcc"]:
        parser.error(f"--flags: {M32} with gcc alone")
    if options.compilers[0] != "gcc" or not set(options.compilers) <= set(BUILDS):
        parser.error(f"--compilers: gcc, or of {','.join(BUILDS)}")
    if options.processes is None:
        options.processes = 5 if options.quick else PROCESSES
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
    if options.compare:
        sys.exit(0 if compare(options.compare) else 1)
    if options.count:
        found = results.load(options.count) | {"operations": operations()} | of_z14(options.publish)
        path = options.count
    else:
        found = measured(options) | {"operations": operations()} | of_z14(options.publish and not options.originals)
        folder = target / "results" / ("originals" if options.originals else "")
        path = folder / f"{name_of(found)}{EXTENSION}"
    calibrate(options.publish and not options.originals)
    results.save(path, found)
    if options.originals and options.publish:
        print("the report has them after run.py --publish --page and the results of a complete run")
        return
    write([path], target, options)


if __name__ == "__main__":
    main(sys.argv[1:])
