# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every header compiles alone, so that opening one in an editor shows no errors, and no header includes itself.

Everything that hornet.h declares has a comment that Doxygen takes.
"""

import graphlib
import os.path
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import ROOT, attempt, cpus, output, suite


def parsed(compiler, paths, *options):
    """Return each path, and what the compiler prints when it reads that file."""

    def parse(path):
        # gcc 12 does not support RISC-V vectors.
        riscv = ["clang-19", "--target=riscv64-linux-gnu", "-ffreestanding"]
        command = [*(riscv if path.endswith("/rvv.h") else [compiler]), "-std=c11", "-o", "/dev/null"]
        # These files expect the name of a kernel. kernel_end.h has nothing to end here.
        if path.endswith("/shapes/kernel.h"):
            command += ["-DKERNEL=alone", "-DKERNEL_REQUIRED=0"]
        elif re.search(r"/kernel_\w*\.h$|\.c$", path):
            command += ["-DKERNEL=alone"]
        status, text = attempt(*command, *options, "-x", "c", path)
        assert status == 0, f"{compiler}: {path} does not parse alone:\n{text}"
        return path, text

    with ThreadPoolExecutor(cpus()) as pool:
        return list(pool.map(parse, paths))


@suite("check quick", cpu_seconds=20)
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


# What hornet.h declares: a function, a type with its members, a macro.
DECLARED = (
    r"^(?:HORNET_API [^;]*?\b(hornet_\w+)\(|typedef (?:struct|enum) (\w+) \{\n((?:.*\n)*?)\}|#define (HORNET_\w+) .*)"
)


def undocumented(text):
    """Return the number of declarations in a header, and those to which no comment for Doxygen belongs."""
    count, missing = 0, []
    for found in re.finditer(DECLARED, text, re.M):
        function, type_name, members, macro = found.groups()
        before = re.sub(r"(?:^#.*\n)+\Z", "", text[: found.start()], flags=re.M)
        comment = before[before.rindex("/*") :]
        own = comment.startswith("/** ") and comment.endswith(" */\n") and "@}" not in comment
        if not own and "/**<" not in found[0].partition("\n")[0]:
            missing.append(function or type_name or macro)
        lines = (members or "").splitlines()
        missing += [f"{type_name}: {line.strip()}" for line in lines if "/**<" not in line]
        count += 1 + len(lines)
    return count, missing


@suite("check quick")
def test_documented():
    text = (ROOT / "include/hornet.h").read_text()
    count, missing = undocumented(text)
    assert count > 80 and not missing, f"of {count} declarations, without a comment for Doxygen: {missing}"
    # An ordinary comment is not one.
    assert undocumented(text.replace("/** Writes the tag", "/* Writes the tag", 1))[1] == ["hornet_poly1305"]
    assert undocumented(text.replace("/**< 12 bytes */", "/* 12 bytes */"))[1] != []
