# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test pictures and tables of schedules, and the types."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from coconut.trace import ROOT
from lab.schedules.__main__ import INTERVALS
from lab.schedules.compiled import with_compiled
from lab.schedules.tests.conftest import Command

LEGEND = {"expand": "#cfe2f3", "multiply": "#f9cb9c", "reduce": "#d9ead3"}


def texts_in(picture: str) -> list[str]:
    """Return what is written in an SVG file, apart from what only the pointer shows."""
    return [text.text or "" for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def test_draw(command: Command, tmp_path: Path) -> None:
    """Pictures have a title, a legend of the phases, and those of schedules, axes of ports and cycles."""
    graph = Path(command("draw", "vmsl/step 1").strip()).read_text()
    assert command("draw", "vmsl/step 1", "--schedule", "z14", "--seconds", "1000")
    schedule = (tmp_path / "pictures" / "vmsl-step-1-z14.svg").read_text()
    for picture in (graph, schedule):
        assert all(colour in picture for colour in LEGEND.values()) and set(LEGEND) <= set(texts_in(picture))
    assert "vmsl/step 1: data flow of 83 operations" in texts_in(graph)
    written = texts_in(schedule)
    assert {
        "vmsl/step 1 on z14: an iteration every 50 cycles",
        "port",
        "taken",
        "free",
        "cycle of the interval",
    } <= set(written)
    assert {str(cycle) for cycle in range(0, 50, 5)} <= set(written)
    # Both vector units are busy in every cycle of the interval.
    assert written.count("100 %") == 2


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
