# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every header compiles alone, so that opening one in an editor shows no errors, and no header includes itself."""

import graphlib
import os.path
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import attempt, cpus, output, suite


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
