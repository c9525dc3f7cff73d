# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What `make` compiles again after a change."""

import re
import shutil

from support import ROOT, output, suite

# Stops after the preprocessor, and writes the same dependencies as if it compiled.
COMPILER = """#!/bin/sh
for word; do [ "$before" != -o ] || made=$word; before=$word; done
exec cc -E -MT "$made" "$@"
"""
HEADERS = "core/tuning.h", "core/bytes.h", "poly1305/lanes/avx2.h", "chacha20/kernels.def"


@suite("quick")
def test_make_dependencies(folder):
    """A changed header compiles the files that include it, according to the compiler, and no others."""
    for name in "include", "src", "bindings/openssl/src":
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "Makefile", folder)
    sources = {
        f"build/obj/{path.relative_to(top).with_suffix('.o')}": path.relative_to(folder)
        for top in (folder / "src", folder / "bindings/openssl")
        for path in top.rglob("*.c")
    }
    objects = {re.sub("obj/src/", "obj/provider/", name): path for name, path in sources.items()}
    (folder / "cc").write_text(COMPILER)
    (folder / "cc").chmod(0o755)

    def made():
        return set(re.findall(r" -c -o (\S+)", output("make", "CC=./cc", *objects, cwd=folder)))

    assert made() == objects.keys() and not made()

    includes = {
        name: set(output("cc", "-MM", "-Iinclude", path, cwd=folder).split()[1:]) for name, path in objects.items()
    }
    depend = {}
    for header in HEADERS:
        (folder / "src" / header).write_text((folder / "src" / header).read_text() + "\n")
        compiled = made()
        real = {
            name
            for name, files in includes.items()
            if any((folder / file).resolve() == folder / "src" / header for file in files)
        }
        assert compiled == real, f"{header}: {compiled ^ real}"
        depend[header] = len(compiled)
    print(f"of {len(objects)} objects: {depend}")
    assert len(objects) > 50 and all(0 < number < len(objects) / 2 for number in depend.values())
