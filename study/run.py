# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build the study with gcc and with clang, measure, count, and write the results and the page.

run.py                  the results for this CPU into study/results, and the page into study/report
run.py --quick          fewer lengths and samples, gcc only; into build/study, so that nothing here is replaced
run.py --count FILE     measures nothing: repeats the counts, also those for the z14, and this results file's page
run.py --page FILE      writes the page of this results file again
"""

import json
import os
import subprocess
import sys
from pathlib import Path

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent / "bench"))

import z14  # noqa: E402
from report import results, study  # noqa: E402

BUILD = STUDY.parent / "build" / "study"
COMPILERS = {"gcc": "gcc", "clang": "clang-19"}
FLAGS = ["-O2"]


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(compilers: dict[str, str]) -> list[str]:
    """Build everything, and return the command that measures."""
    # One after another: each compiles as many files at a time as there are CPUs.
    for name, compiler in compilers.items():
        subprocess.run([STUDY / "build.sh", BUILD / name, compiler, *FLAGS], check=True)
    program = BUILD / "measure"
    subprocess.run(["gcc", "-O2", "-o", program, STUDY / "measure.c", STUDY / "cycles.c", "-ldl"], check=True)
    return [str(program), *(f"{name}={BUILD / name / 'study.so'}" for name in compilers)]


def operations() -> list[dict]:
    """Return the counts of the kernels over counting lanes; empty on machines where these are not compiled."""
    if os.uname().machine != "x86_64":
        return []
    subprocess.run([STUDY / "build.sh", "--counts", BUILD / "gcc"], check=True)
    return [json.loads(line) for line in (BUILD / "gcc" / "counts.json").read_text().splitlines()]


def write(found: dict, path: Path, target: Path) -> None:
    results.save(path, found)
    write_page(found, path.name, target / "report" / "index.html")


def write_page(found: dict, name: str, page: Path) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(study.page(found, name, json.loads(study.MODEL.read_text())))
    print(page.relative_to(STUDY.parent))


def of_z14() -> dict:
    """Write the results of z14.py, if it can run. Return what the results say about it."""
    missing = z14.missing()
    if not missing:
        study.MODEL.write_text(json.dumps(z14.results(), indent=1) + "\n")
    return {"z14_tools_missing": missing}


def measured(quick: bool) -> dict:
    compilers = {name: compiler for name, compiler in COMPILERS.items() if name == "gcc" or not quick}
    command = build(compilers)
    print("measuring", file=sys.stderr)
    results.warn_of_load()
    machine = results.this_machine()
    found = json.loads(output_of(command[0], *(["--quick"] if quick else []), *command[1:]))
    machine["load"].append(results.this_machine()["load"][0])
    groups = list(dict.fromkeys(series["group"] for series in found["series"]))
    return {
        "date": results.today(),
        "machine": machine,
        "tools": {name: output_of(compiler, "--version").splitlines()[0] for name, compiler in compilers.items()},
        "flags": {"hornet": " ".join(FLAGS)},
        "peers": [],
        "missing": {},
        "runs": [{"date": results.today(), "groups": groups, "processes": 1, "quick": quick}],
        "sections": [],
        **found,
    }


def main() -> None:
    match sys.argv[1:]:
        case ["--count", file]:
            path = Path(file).resolve()
            subprocess.run([STUDY / "build.sh", BUILD / "gcc", COMPILERS["gcc"], *FLAGS], check=True)
            write(results.load(path) | {"operations": operations()} | of_z14(), path, STUDY)
        case ["--page", file]:
            write_page(results.load(Path(file)), Path(file).name, STUDY / "report" / "index.html")
        case [] | ["--quick"]:
            quick = len(sys.argv) > 1
            found = measured(quick) | {"operations": operations()} | ({} if quick else of_z14())
            target = BUILD if quick else STUDY
            write(found, target / "results" / f"{results.slug(found['machine'])}.json", target)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
