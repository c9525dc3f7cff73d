#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the study with gcc and with clang, measures, counts, and writes the results and the report.

    run.py [--quick]      the results of this CPU into study/results, and the report into study/report
                          --quick: fewer lengths and samples; into build/study, so that nothing here is replaced
"""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import report

STUDY = Path(__file__).resolve().parent
BUILD = STUDY.parent / "build" / "study"
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
FLAGS = ["-O2"]


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def this_cpu() -> dict:
    """What /proc/cpuinfo says about the first CPU, and the name that files about it have, as in bench/results."""
    fields = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    cpu = {key: fields.get(name, "") for key, name in
           (("model", "model name"), ("family", "cpu family"), ("number", "model"), ("stepping", "stepping"))}
    words = [word for word in re.split(r"[^a-z0-9]", cpu["model"].lower()) if word not in ("", "r", "tm", "cpu", "processor")]
    cpu["slug"] = "-".join([*words, f"f{cpu['family']}m{cpu['number']}"])
    return cpu


def build() -> tuple[list[str], Path]:
    """The arguments for the program that measures, which comes first, and what was counted."""
    script = str(STUDY / "build.sh")
    steps = [(script, str(BUILD / name), compiler, *FLAGS) for name, compiler in COMPILERS.items()]
    steps.append((script, "--counts", str(BUILD / "gcc")))
    # One after another: each compiles as many files at once as there are CPUs.
    for step in steps:
        subprocess.run(step, check=True)
    program = BUILD / "measure"
    subprocess.run(["gcc", "-O2", "-o", str(program), str(STUDY / "measure.c"), str(STUDY / "cycles.c"), "-ldl"], check=True)
    return [str(program)], BUILD / "gcc" / "counts.json"


def main() -> None:
    quick = sys.argv[1:] == ["--quick"]
    if sys.argv[1:] and not quick:
        sys.exit(__doc__)
    program, counts = build()
    print("measuring", file=sys.stderr)
    objects = [f"{name}={BUILD / name / 'study.so'}" for name in COMPILERS]
    load_before = os.getloadavg()[0]
    measured = json.loads(output_of(*program, *(["--quick"] if quick else []), *objects))
    results = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "quick": quick,
        "cpu": this_cpu(),
        "system": f"{os.uname().sysname} {os.uname().release}",
        "load": [round(load_before, 1), round(os.getloadavg()[0], 1)],
        "compilers": {name: output_of(compiler, "--version").splitlines()[0] for name, compiler in COMPILERS.items()},
        "flags": " ".join(FLAGS),
        **measured,
        "counts": [json.loads(line) for line in counts.read_text().splitlines()],
    }
    target = BUILD if quick else STUDY
    name = f"{results['cpu']['slug']}.json"
    for folder in ("results", "report"):
        (target / folder).mkdir(parents=True, exist_ok=True)
    path = target / "results" / name
    # A series to a line.
    text = json.dumps(results, indent=1, ensure_ascii=False)
    text = re.sub(r"\[\s+([^\[\]{}\"]*?)\s+\]", lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", text)
    path.write_text(text + "\n")
    page = target / "report" / "index.html"
    page.write_text(report.page(results, name))
    print(f"{path.relative_to(STUDY.parent)}\n{page.relative_to(STUDY.parent)}")


if __name__ == "__main__":
    main()
