# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every header compiles alone, so that opening one in an editor shows no errors, and no header includes itself.

Everything that those of include/ declare is documented, according to Doxygen.
"""

import graphlib
import os.path
import re
import shutil
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import ROOT, attempt, cpus, output, suite

from tools import manual


def parsed(compiler, paths, *options):
    """Return each path, and what the compiler prints when it reads that file."""

    def parse(path):
        # gcc 12 does not support RISC-V vectors.
        riscv = ["clang-19", "--target=riscv64-linux-gnu", "-ffreestanding"]
        command = [*(riscv if path.endswith("/rvv.h") else [compiler]), "-std=c11", "-o", "/dev/null"]
        # These files expect the name of a kernel. kernel_end.h has nothing to end here.
        if path.endswith("/layouts/kernel.h"):
            command += ["-DKERNEL=alone", "-DKERNEL_REQUIRED=0"]
        elif re.search(r"/kernel_\w*\.h$|\.c$", path):
            command += ["-DKERNEL=alone"]
        status, text = attempt(*command, *options, "-x", "c", path)
        assert status == 0, f"{compiler}: {path} does not parse alone:\n{text}"
        return path, text

    with ThreadPoolExecutor(cpus()) as pool:
        return list(pool.map(parse, paths))


@suite("quick", cpu_seconds=20)
def test_headers():
    headers = output("git", "ls-files", "include/*.h", "src/*.h").split()
    for compiler in "gcc", "clang-19":
        parsed(compiler, headers, *"-fsyntax-only -Wall -Wextra -Wno-unused -Werror".split())

    includes = defaultdict(set)
    for path, text in parsed("gcc", [*headers, *output("git", "ls-files", "src/*.c").split()], "-E", "-H"):
        # Each line of -H has as many dots as the nesting depth of the header.
        above = [os.path.normpath(path)]
        for dots, name in re.findall(r"^(\.+) ([^/\n].*)$", text, re.M):
            above[len(dots) :] = [os.path.normpath(name)]
            includes[above[-2]].add(above[-1])
    count = sum(map(len, includes.values()))
    assert count > 50, "too few includes were seen"
    try:
        graphlib.TopologicalSorter(includes).prepare()
    except graphlib.CycleError as error:
        pytest.fail(f"headers include themselves: {error.args[1]}")
    print(f"{len(headers)} headers parse alone; {count} includes, no cycle")


# Macros with which the headers mark what they declare, and those that keep them from being read twice.
NOT_DECLARED = {"HORNET_API", "HORNET_CHECKED", *(f"{path.stem.upper()}_H" for path in (ROOT / "include").glob("*.h"))}
DOXYGEN = """
INPUT = {root}/include
OUTPUT_DIRECTORY = {folder}
QUIET = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = HORNET_API= HORNET_CHECKED=
WARN_AS_ERROR = FAIL_ON_WARNINGS
"""


def doxygen(root, folder):
    """Return the exit status of Doxygen, what it prints, and the number of declarations that it found."""
    (folder / "Doxyfile").write_text(DOXYGEN.format(root=root, folder=folder))
    status, text = attempt("doxygen", folder / "Doxyfile")
    found = "".join(path.read_text() for path in (folder / "xml").glob("[gs]*.xml"))
    return status, text, len(re.findall("<memberdef |<enumvalue ", found))


@suite("quick")
def test_documented(folder):
    """Doxygen finds everything that the headers declare documented. What most programs need is short."""
    lines = {path.name: path.read_text().count("\n") for path in (ROOT / "include").glob("*.h")}
    assert len(lines) == 5 and lines["hornet.h"] <= 250, lines
    status, text, count = doxygen(ROOT, folder)
    assert status == 0 and count >= 85, f"{count} declarations:\n{text}"
    # What tools/manual.py reads, for man pages and the site, is what Doxygen reads.
    found = "".join(path.read_text() for path in (folder / "xml").glob("*.xml"))
    names = set(re.findall(r"<compoundname>(hornet_\w+)</compoundname>", found))
    names |= set(re.findall(r'<memberdef kind="(?:function|define|enum)".*?<name>(\w+)</name>', found, re.S))
    assert {one.name for header in manual.ALL for one in header.declarations} == names - NOT_DECLARED
    # It must notice what has an ordinary comment.
    for before in (
        "/** Writes the tag of all",
        "/**< 12 bytes; 24 for the batches of XChaCha20-Poly1305 */",
        "/**< r and s */",
    ):
        shutil.copytree(ROOT / "include", folder / "include", dirs_exist_ok=True)
        header = (folder / "include/hornet.h").read_text()
        assert before in header
        (folder / "include/hornet.h").write_text(header.replace(before, before.replace("/**", "/*").replace("<", "")))
        status, text, _ = doxygen(folder, folder)
        assert status != 0 and "is not documented" in text, before
