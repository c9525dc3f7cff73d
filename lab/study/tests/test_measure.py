# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds the study's measuring program for another architecture, runs it in an emulator, and makes the page from the kernels
that are available. The times are meaningless.

    ARCHITECTURE=aarch64 pytest lab/study/tests/test_measure.py      a row of tests/cross/architectures.txt
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
STUDY = ROOT / "lab/study"
sys.path[:0] = [str(STUDY.parent), str(STUDY)]

import reporting  # noqa: E402
import run  # noqa: E402
from report import results  # noqa: E402


@pytest.mark.skipif("ARCHITECTURE" not in os.environ, reason="ARCHITECTURE names no row")
def test_another_architecture():
    name = os.environ["ARCHITECTURE"]
    rows = (ROOT / "tests/cross/architectures.txt").read_text().splitlines()
    _, triple, emulator, *_ = next(row.split() for row in rows if row.startswith(f"{name} "))
    folder = ROOT / "build/tests" / f"study-measure-{name}"
    subprocess.run([STUDY / "build.sh", folder, f"{triple}-gcc", "-O2"], check=True)
    program = [folder / "measure", *(STUDY / name for name in run.SOURCES)]
    subprocess.run([f"{triple}-gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", *program, "-ldl"], check=True)
    emulated = [emulator, "-L", f"/usr/{triple}", program[0]]
    of = f"gcc={folder / 'study.so'}"
    checks = json.loads(run.output_of(*emulated, "--check", of))["checks"]
    measured = run.merged([json.loads(run.output_of(*emulated, "--quick", "--seed", seed, of)) for seed in "12"])

    committed = results.load(next((STUDY / "results").glob("*-f*.json*")))
    runs = [committed["runs"][0] | {"quick": True}]
    found = committed | {"runs": runs, "tools": {"gcc": "gcc"}, "operations": [], "checks": checks} | measured
    page = reporting.page(found, "emulated.json", json.loads(reporting.MODEL.read_text()))
    (folder / "index.html").write_text(page)
    ran = [kernel["label"] for kernel in found["kernels"] if kernel["runs"]]
    assert len(ran) >= 10
    assert [label for label in ran if reporting.powers(label) not in page] == []
    assert "None" not in page and "nan" not in page.split()
    assert len(checks) == len(ran) and all(check["inputs"] > 1600 and not check["wrong"] for check in checks)
    assert ": none is wrong." in page
