# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Everything outside lab/ does without it, and documents tell both Makefiles' targets apart."""

import re
from pathlib import Path

from support import ROOT, output, suite
from support.suites import SUITES

# The lines that lead CI or a reader there, beside those in Markdown.
WAYS_THERE = {
    ".ci/run": ["timed make -C lab test"],
    ".github/workflows/ci.yml": ["target: [test, test-slow, test-cross-quick, test-scale, -C lab test]"],
    "Makefile": ["# Research, and comparisons with other libraries, have a Makefile of their own: make -C lab"],
}


@suite("check quick")
def test_lab():
    """Nothing outside lab/ imports, includes, reads or makes what is in it: no other file has the word."""
    listed = [path for path in output("git", "ls-files").splitlines() if (ROOT / path).is_file()]
    # The site shows the whole tree.
    outside = [path for path in listed if not path.startswith(("lab/", "tools/site/")) and not path.endswith(".md")]
    outside.remove(str(Path(__file__).relative_to(ROOT)))
    found = {}
    for path in outside:
        for line in (ROOT / path).read_text(errors="replace").splitlines():
            if re.search(r"\blab\b", line):
                found.setdefault(path, []).append(line.strip())
    assert found == WAYS_THERE
    assert len(outside) > 700 and len(listed) - len(outside) > 200
    print(f"{len(outside)} files outside lab/ name nothing in it")


def targets_of(makefile):
    """Return the targets that a Makefile declares."""
    text = (ROOT / makefile).read_text().replace("\\\n", " ")
    return set(re.search(r"^\.PHONY:(.*)$", text, re.M)[1].split()) - {"FORCE"}


@suite("check quick")
def test_targets():
    """Documents name targets that exist."""
    root, lab = targets_of("Makefile"), targets_of("lab/Makefile")
    assert len(root) <= 21
    root |= {f"test-{name}" for name in SUITES}
    count, unknown = 0, []
    for path in output("git", "ls-files", "*.md").splitlines():
        for in_lab, target in re.findall(r"(?:`| {4})make( -C lab)? ([a-z][a-z-]*)", (ROOT / path).read_text()):
            count += 1
            if target not in (lab if in_lab else root):
                unknown.append(f"{path}: make{in_lab} {target}")
    assert not unknown and count > 60, f"of {count}, unknown: {unknown}"
