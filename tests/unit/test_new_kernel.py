# SPDX-License-Identifier: Apache-2.0 OR MIT
"""docs/adding-a-kernel.md, followed to the letter: its changes are made in a copy of the tree, where its checks pass.

With any of the changes left out, they do not.
"""

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from support import ROOT, attempt, row, rows
from support.commands import execute

GUIDE = (ROOT / "docs/adding-a-kernel.md").read_text()
BLOCK = r"^(New file|In) `(\S+)`([^\n]*):\n\n```\w+\n(.*?)^```$"
PLACE = r", (after|instead of) the (?:last )?line that begins with (`+) ?(.*?) ?\2"


@dataclass(frozen=True)
class Change:
    """A block of the guide, with the sentence before it."""

    kind: str
    path: str
    place: str
    text: str

    def apply(self, folder):
        file = folder / self.path
        if self.kind == "New file":
            assert not file.exists() and not self.place
            file.write_text(self.text)
            return
        where, _, start = re.fullmatch(PLACE, self.place).groups()
        lines = file.read_text().splitlines(keepends=True)
        found = [number for number, line in enumerate(lines) if line.startswith(start)]
        assert found and (len(found) == 1 or " last line " in self.place), f"{self.path}: {len(found)} times {start}"
        lines[found[-1] + (where == "after") : found[-1] + 1] = [self.text]
        file.write_text("".join(lines))


CHANGES = [Change(*groups) for groups in re.findall(BLOCK, GUIDE, re.M | re.S)]
[COMMAND] = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.M | re.S)


def name_of(change):
    return f"new-kernel-without-{CHANGES.index(change)}-{Path(change.path).name}"


@rows(
    "missing",
    row("new-kernel", None, suites="release", cpu_seconds=120),
    *(row(name_of(change), change, suites="release", cpu_seconds=60) for change in CHANGES),
)
def test_new_kernel(missing, folder):
    assert len(CHANGES) == GUIDE.count("```\n") - 1 == 9
    for path in attempt("git", "ls-files")[1].splitlines():
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    (folder / "build").mkdir()
    (folder / "build/venv").symlink_to(ROOT / "build/venv")
    for change in CHANGES:
        if change is not missing:
            change.apply(folder)
    # Lint asks git for the files.
    for command in (["init", "--quiet"], ["add", "."]):
        assert attempt("git", *command, cwd=folder)[0] == 0

    command = shlex.split(COMMAND.replace("\n", " "))
    inherited = [f"--unset={name}" for name in os.environ if name.startswith(("PYTEST_", "GIT_"))]
    stop = ["PYTEST_ADDOPTS=--exitfirst"] if missing else []
    status, text = execute(["env", *inherited, *stop, *command], cwd=folder, capture=True)
    print(text.decode())
    if missing:
        assert status == 1, f"the checks do not notice that the guide lacks {missing.path}"
        return
    assert status == 0
    assert int(re.search(rb"(\d+) passed, 0 failed", text)[1]) >= 14

    def log(name):
        return (folder / f"build/test-logs/{name}.log").read_text()

    assert re.search(r"^kernel avx128: \d{6,} checks", log("reference-gcc-O2"), re.M)
    assert re.search(r"^ChaCha20 by avx128: runs", log("reference-gcc-O2"), re.M)
    assert re.search(r"^test_lanes avx128: \d+ checks, 0 failed", log("lanes-gcc-O2"), re.M)
    assert "bounds of avx128 (2 lanes)" in log("bounds")
    assert all(line in log("cpus-x86-64-avx") for line in ("chosen: avx128\n", "kernel avx128\n", "ChaCha20 avx128\n"))
