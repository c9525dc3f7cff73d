#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Combine the library into two files, hornet.c and hornet.h: `cc -O2 -c hornet.c` builds it.

    tools/amalgamate.py FOLDER

The sources follow one another, with each include replaced by the included file: headers once, except the templates that
each kernel includes again. Nothing is renamed; src/poly1305/names.h keeps the names of kernels apart.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
HEADER = ROOT / "include" / "hornet.h"

# Included wherever they are requested.
ALWAYS = {"core/target_begin.h", "core/target_end.h", "core/rows.h", "aes/by_instructions.h"}

# Included once by each kernel, which begins with one of KERNEL_BEGIN: kernel_end.h undefines their guards.
KERNEL_BEGIN = ("poly1305/kernel_begin.h", "chacha20/shapes/kernel.h")
TEMPLATES = {
    "poly1305/kernel_end.h",
    "poly1305/lanes.h",
    "poly1305/field.h",
    "poly1305/scalar_field.h",
}
TEMPLATE_FOLDERS = ("poly1305/lanes/", "poly1305/field/", "poly1305/horner/", "chacha20/lanes/", "chacha20/shapes/")

INCLUDE = re.compile(r'#include "([^"]+)"')


class Amalgamation:
    """The text so far, and the headers that need not be included again."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.seen: set[str] = set()
        self.seen_by_kernel: set[str] = set()

    def needs(self, name: str) -> bool:
        """Return whether a header must be included now, and remember it."""
        if name in KERNEL_BEGIN:
            self.seen_by_kernel.clear()
        if name in ALWAYS or name in KERNEL_BEGIN or name.endswith(".def"):
            return True
        is_template = name in TEMPLATES or name.startswith(TEMPLATE_FOLDERS)
        seen = self.seen_by_kernel if is_template else self.seen
        if name in seen:
            return False
        seen.add(name)
        return True

    def add(self, path: Path) -> None:
        self.lines += ["", f"/* ---- {path.relative_to(ROOT).as_posix()} ---- */"]
        for line in path.read_text(encoding="utf-8").splitlines():
            include = INCLUDE.match(line)
            if include is None:
                self.lines.append(line)
                continue
            included = (path.parent / include.group(1)).resolve()
            if included == HEADER:
                self.lines.append('#include "hornet.h"')
            elif self.needs(included.relative_to(SOURCE).as_posix()):
                self.add(included)


def is_conditional(source: Path) -> bool:
    """Return whether a source is for some targets only: an #if encloses all of it, including headers inserted into
    it."""
    return re.search(r"^#if(def)? ", source.read_text(encoding="utf-8"), re.MULTILINE) is not None


def sources() -> list[Path]:
    """Return all sources, those for all targets first, in an order that does not depend on the file system."""
    return sorted(SOURCE.rglob("*.c"), key=lambda path: (is_conditional(path), path.relative_to(SOURCE).as_posix()))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    amalgamation = Amalgamation()
    for source in sources():
        amalgamation.add(source)
    opening = [
        "/* SPDX-License-Identifier: Apache-2.0 OR MIT",
        " *",
        " * Hornet in one file, made by tools/amalgamate.py: ChaCha20-Poly1305, Poly1305, ChaCha20, XChaCha20-Poly1305 and Poly1305-AES.",
        " * hornet.h states the contracts. cc -O2 -c hornet.c needs no other flag. */",
        "#define HORNET_AMALGAMATED 1",
        # The rest is skipped: after an #error, compilers go on, and report each difference between the languages.
        "#ifdef __cplusplus",
        '#error "hornet.c is C11: compile it as C, and include hornet.h from C++"',
        "#else",
    ]
    closing = ["", "#endif"]
    text = "\n".join(opening + amalgamation.lines + closing) + "\n"
    (folder / "hornet.c").write_text(text, encoding="utf-8")
    (folder / "hornet.h").write_text(HEADER.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
