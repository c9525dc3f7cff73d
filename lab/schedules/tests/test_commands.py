# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test pictures and tables of schedules, and the types."""

import subprocess
import sys
from pathlib import Path

import pytest

from coconut.trace import ROOT
from lab.schedules.__main__ import INTERVALS
from lab.schedules.compiled import with_compiled
from lab.schedules.tests.conftest import Command


def test_draw(command: Command, tmp_path: Path) -> None:
    picture = Path(command("draw", "vmsl/step 1").strip()).read_text()
    assert all(colour in picture for colour in ("#cfe2f3", "#f9cb9c", "#d9ead3"))  # expand, multiply, reduce
    # Both vector units are busy in every cycle of the interval.
    assert command("draw", "vmsl/step 1", "--schedule", "z14", "--seconds", "1000")
    assert (tmp_path / "pictures" / "vmsl-step-1-z14.svg").read_text().count(">100 %<") == 2


@pytest.mark.parametrize(
    ("block", "seconds", "row"),
    (
        ("avx2/long group", "100", "| optimal |"),
        ("rvv2/step 2", "1", " s, cut off by the limit |"),  # two minutes do not find a schedule at the bound
        ("vmsl/step 1", "1000", "| 50 | 44 | 50 | optimal |"),  # found in two seconds
        ("ifma/step 2", "1000", "| 36 | optimal |"),  # each instruction has a port of Zen 4
    ),
)
def test_table(command: Command, block: str, seconds: str, row: str) -> None:
    assert row in command("table", block, "--seconds", seconds)


def test_compiled() -> None:
    """What is written of compiled loops is what the compilers make today: of two kernels, for all would take a minute."""
    text = INTERVALS.read_text()
    assert "".join(with_compiled(text, frozenset({"vmsl", "ifma"}))) == text, "run python -m lab.schedules compiled"
    row = next(line for line in text.splitlines() if line.startswith("| vmsl/step 1 |"))
    changed = text.replace(row, "|".join([*row.split("|")[:-3], " 1.0 ", " - ", ""]))
    assert changed != text and "".join(with_compiled(changed, frozenset({"vmsl"}))) == text


def test_types() -> None:
    options = ["--config-file", "lab/schedules/mypy.ini", "-p", "lab.schedules"]
    subprocess.run([sys.executable, "-m", "mypy", *options], cwd=ROOT, check=True)
