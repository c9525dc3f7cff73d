#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a program that makes the calls of a section of docs/migrating.md, and check that it has each line of its table.

    check.py SECTION SOURCE COMMAND...

For a line, the program makes both calls, compares their results, and calls same(FIRST, EQUAL), which prints the first call.
The calls stand in SOURCE as in the document, apart from white space.
"""

import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[3] / "docs/migrating.md"
FEWEST = 9  # lines of a table


def squeezed(code: str) -> str:
    """Return code as a formatter does not change it."""
    return re.sub(r",(?=[)}])", "", re.sub(r"\s+", "", code))


def lines_of(section: str) -> dict[str, list[str]]:
    """Return the calls of each line, by the first one."""
    text = DOCUMENT.read_text().split(f"\n### {section}\n")[1].split("\n#")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (`.*) \|$", text, re.M)]
    lines = {}
    for theirs, ours, *_ in rows:
        calls = re.findall(r"`([^`]*)`", theirs) + re.findall(r"`([^`]*)`", ours)
        assert len(calls) >= 2 and calls[0] not in lines, f"{section}: {theirs} | {ours}"
        lines[calls[0]] = calls
    assert len(lines) >= FEWEST, f"{section}: {len(lines)} lines"
    return lines


def main(section: str, source: str, *command: str) -> None:
    lines = lines_of(section)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, f"{command}: exit status {done.returncode}"
    printed = done.stdout.splitlines()
    assert sorted(printed) == sorted(lines), f"not the lines of {section}: {set(printed) ^ set(lines)}"
    # What stands in a string is not called.
    code = squeezed(re.sub(r'"(\\.|[^"\\\n])*"', '""', Path(source).read_text()))
    missing = [call for calls in lines.values() for call in calls if squeezed(call) not in code]
    assert not missing, f"{source} has no {missing}"
    print(f"{section}: {len(lines)} lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
