# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A folder of src/ includes what lies below it, as docs/design.md says."""

import re

from support import ROOT, suite

SOURCE = ROOT / "src"
BELOW = {
    "core": set(),
    "poly1305": {"core"},
    "chacha20": {"core"},
    "aes": {"core"},
    "poly1305_aes": {"core", "poly1305", "aes"},
    "aead": {"core", "poly1305", "chacha20"},
    "library": {"core", "poly1305", "chacha20", "aes", "poly1305_aes", "aead"},
}
# A kernel file puts parts together: it may choose the companion of its passes.
KERNEL_FILES = {"src/chacha20/kernels": {"src/aead/stitched.h"}}
INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.MULTILINE)


def files():
    return sorted(path for path in SOURCE.rglob("*") if path.suffix in {".c", ".h", ".def"})


@suite("check quick", cpu_seconds=1)
def test_layers():
    count, wrong = 0, []
    for path in files():
        folder = path.relative_to(SOURCE).parts[0]
        for name in INCLUDE.findall(path.read_text()):
            to = (path.parent / name).resolve().relative_to(ROOT)
            allowed = KERNEL_FILES.get(path.parent.relative_to(ROOT).as_posix(), set())
            if to.parts[0] == "src" and to.as_posix() not in allowed:
                count += 1
                if to.parts[1] not in BELOW[folder] | {folder}:
                    wrong.append(f"{path.relative_to(ROOT)} includes {to}")
        if folder == "chacha20" and "poly1305" in path.read_text().lower():
            wrong.append(f"{path.relative_to(ROOT)} names Poly1305")
    print(f"{count} includes")
    assert not wrong, "\n".join(wrong)
    assert count > 400, "fewer includes than expected"


DEFINITION = re.compile(r"^\w[\w\s*]*?(\w+)\(((?:[^()]|\([^()]*\))*)\)\n\{", re.MULTILINE)
PARAMETERS_MAX = 6


@suite("check quick", cpu_seconds=1)
def test_parameters():
    """No function has more parameters, except those that the headers declare, and what does their work."""
    public = "".join(path.read_text() for path in (ROOT / "include").glob("*.h"))
    count, wrong = 0, []
    for path in files():
        for name, parameters in DEFINITION.findall(path.read_text()):
            count += 1
            number = re.sub(r"\([^()]*\)", "", parameters).count(",") + 1
            if number > PARAMETERS_MAX and not re.search(rf"\b{name}\(", public):
                wrong.append(f"{path.relative_to(ROOT)}: {name} has {number} parameters")
    assert wrong == []
    assert count > 500
    print(f"{count} functions")
