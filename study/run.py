#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the study with gcc and with clang, measure, count, and write the results and the report.

run.py                  the results for this CPU into study/results, and the report into study/report
run.py --quick          fewer lengths and samples, gcc only; into build/study, so that nothing here is replaced
run.py --count FILE     measures nothing: repeats the counts, also those for the z14, and this results file's report
"""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import report
import z14

STUDY = Path(__file__).resolve().parent
BUILD = STUDY.parent / "build" / "study"
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
FLAGS = ["-O2"]


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def this_cpu() -> dict:
    """Return what /proc/cpuinfo says about the first CPU, and the CPU's base name for files, as in bench/results."""
    fields = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    cpu = {
        key: fields.get(name, "")
        for key, name in (
            ("model", "model name"),
            ("family", "cpu family"),
            ("number", "model"),
            ("stepping", "stepping"),
        )
    }
    for key, name in (("model", "CPU implementer"), ("family", "CPU architecture"), ("number", "CPU part")):
        cpu[key] = cpu[key] or fields.get(name, "")
    words = [
        word for word in re.split(r"[^a-z0-9]", cpu["model"].lower()) if word not in ("", "r", "tm", "cpu", "processor")
    ]
    cpu["slug"] = "-".join([*words, f"f{cpu['family']}m{cpu['number']}"])
    return cpu


def build(compilers: dict[str, str]) -> list[str]:
    """Build everything, and return the command that measures."""
    # One after another: each compiles as many files at a time as there are CPUs.
    for name, compiler in compilers.items():
        subprocess.run([STUDY / "build.sh", BUILD / name, compiler, *FLAGS], check=True)
    program = BUILD / "measure"
    subprocess.run(["gcc", "-O2", "-o", program, STUDY / "measure.c", STUDY / "cycles.c", "-ldl"], check=True)
    return [str(program), *(f"{name}={BUILD / name / 'study.so'}" for name in compilers)]


def counts() -> list[dict]:
    """Return the counts of the kernels over counting lanes; empty on machines where these are not compiled."""
    if os.uname().machine != "x86_64":
        return []
    subprocess.run([STUDY / "build.sh", "--counts", BUILD / "gcc"], check=True)
    return [json.loads(line) for line in (BUILD / "gcc" / "counts.json").read_text().splitlines()]


def write_json(path: Path, value: dict) -> None:
    """Write value with each series on one line."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    text = re.sub(r"\[\s+([^\[\]{}\"]*?)\s+\]", lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def write_report(results: dict, path: Path, target: Path) -> None:
    write_json(path, results)
    page = target / "report" / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(report.page(results, path.name, json.loads(report.MODEL.read_text())))
    print(f"{path.relative_to(STUDY.parent)}\n{page.relative_to(STUDY.parent)}")


def of_z14() -> dict:
    """Write the results of z14.py, if it can run. Return what the results say about it."""
    missing = z14.missing()
    if not missing:
        write_json(report.MODEL, z14.results())
    return {"z14_tools_missing": missing}


def measured(quick: bool) -> dict:
    compilers = {name: compiler for name, compiler in COMPILERS.items() if name == "gcc" or not quick}
    command = build(compilers)
    print("measuring", file=sys.stderr)
    load_before = os.getloadavg()[0]
    found = json.loads(output_of(command[0], *(["--quick"] if quick else []), *command[1:]))
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "quick": quick,
        "cpu": this_cpu(),
        "system": f"{os.uname().sysname} {os.uname().release}",
        "load": [round(load_before, 1), round(os.getloadavg()[0], 1)],
        "compilers": {name: output_of(compiler, "--version").splitlines()[0] for name, compiler in compilers.items()},
        "flags": " ".join(FLAGS),
        **found,
    }


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--count":
        path = Path(sys.argv[2]).resolve()
        results = json.loads(path.read_text())
        subprocess.run([STUDY / "build.sh", BUILD / "gcc", COMPILERS["gcc"], *FLAGS], check=True)
        write_report(results | {"counts": counts()} | of_z14(), path, STUDY)
        return
    quick = sys.argv[1:] == ["--quick"]
    if sys.argv[1:] and not quick:
        sys.exit(__doc__)
    results = measured(quick)
    results |= {"counts": counts()} | ({} if quick else of_z14())
    target = BUILD if quick else STUDY
    write_report(results, target / "results" / f"{results['cpu']['slug']}.json", target)


if __name__ == "__main__":
    main()
