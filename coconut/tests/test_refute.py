# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Do what docs/refute.md says, to the letter, in another copy of the tree, and compare what it says with what happens."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coconut.prove import manifest
from coconut.tests.sections import scripts, section
from coconut.trace import ROOT

PAGE = (ROOT / "docs" / "refute.md").read_text()
# What the commands need of the tree.
COPIED = ("Makefile", "include", "src", "tools", "coconut", "tests")
# For each block of commands, its exit status, and what it prints.
STEPS = (
    (0, ""),
    (
        0,
        r"2 proofs, 0 refused\n(.|\n)*: the same\n(.* nothing is proved of \d+ others;.*\n)?15 of 15 calls .*\n(.*: the same\n){15}15 calls are proved",
    ),
    (0, ""),
    (1, r": differs\n(.|\n)*: the same\n(.|\n)* has SHA-256 (.|\n)*refused: .* is another one"),
    (1, "a counterexample: [0-9a-f]{64} "),
    (
        0,
        r"\n[1-9]\d* calls are the RFC's\n(.|\n)*: the same\n(.* nothing is proved of \d+ others;.*\n)?12 of 15 calls .*\n(.*: the same\n){12}12 calls are proved",
    ),
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "build" / "coconut").mkdir(parents=True)
    (tmp_path / "build" / "coconut" / "venv").symlink_to(sys.prefix)
    (search,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "search.py").write_text(search)
    return tmp_path


@pytest.mark.release
def test_page(tree: Path) -> None:
    """What the page proves is proved, what it changes is refused and found, and the rest is as before."""
    found = scripts(PAGE)
    assert len(found) == len(STEPS)
    for script, (status, printed) in zip(found, STEPS, strict=True):
        ran = subprocess.run(["sh", "-eu", "-c", script], cwd=tree, capture_output=True, text=True, check=False)
        said = ran.stdout + ran.stderr
        assert ran.returncode == status, f"{script}\n{said}"
        assert re.search(printed, said), f"{script}\n{said}"


def test_entries() -> None:
    """The page describes each entry of a manifest, and no other."""
    named = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", section("docs/refute.md", "The manifest"), re.MULTILINE))
    )
    assert {*named} == {*manifest.SHAPE, "calls"}
    assert f"`{manifest.FORMAT}`, {manifest.VERSION} " in PAGE
    assert json.dumps(manifest.SHAPE["format"].pattern) == f'"{manifest.FORMAT}"'  # type: ignore[attr-defined]
