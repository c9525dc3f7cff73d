# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Everything outside lab/ does without it."""

import re
from pathlib import Path

from support import ROOT, output, suite

# The lines that lead CI or a reader there, beside those in Markdown.
WAYS_THERE = {
    ".ci/run": ["make -C lab test"],
    ".github/workflows/ci.yml": ["target: [test, test-slow, test-cross-quick, test-scale, -C lab test]"],
    "Makefile": ["# Research, and comparisons with other libraries, have a Makefile of their own: make -C lab"],
}


@suite("check quick")
def test_lab():
    """Nothing outside lab/ imports, includes, reads or makes what is in it: no other file has the word."""
    listed = [path for path in output("git", "ls-files").splitlines() if (ROOT / path).is_file()]
    outside = [path for path in listed if not path.startswith("lab/") and not path.endswith(".md")]
    outside.remove(str(Path(__file__).relative_to(ROOT)))
    found = {}
    for path in outside:
        for line in (ROOT / path).read_text(errors="replace").splitlines():
            if re.search(r"\blab\b", line):
                found.setdefault(path, []).append(line.strip())
    assert found == WAYS_THERE
    assert len(outside) > 700 and len(listed) - len(outside) > 200
    print(f"{len(outside)} files outside lab/ name nothing in it")
