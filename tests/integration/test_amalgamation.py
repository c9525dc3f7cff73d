# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The library in one file compiles with no flag except -O2 in an empty folder, and so do the sources themselves.

That there are no warnings is shown by reference-amalgamation, whose objects have those of WARNINGS. As C++ the headers compile, and the library says in one error that it is C.
"""

import pytest
from support import CCACHE, ROOT, fails, library, program, row, rows, run

LEFT_OUT = "tests/integration/omitted_kernels.c"
HEADERS = [path.name for path in sorted((ROOT / "include").glob("*.h"))]
HEADER = (
    "".join(f'#include "{name}"\n' for name in HEADERS)
    + "int main() { return hornet_kernel_in_use(HORNET_POLY1305) == 0; }\n"
)


@pytest.fixture
def one_file(outside, compiler):
    """A folder with the files, and the object."""
    run(ROOT / "tools/amalgamate.py", outside)
    assert sorted(path.name for path in outside.iterdir()) == ["hornet.c", *HEADERS]
    assert all((outside / name).read_bytes() == (ROOT / "include" / name).read_bytes() for name in HEADERS)
    run(*CCACHE, compiler, "-O2", "-c", "hornet.c", cwd=outside)
    return outside


@rows(
    "compiler",
    row("amalgamation-gcc", "gcc", cpu_seconds=20),
    row("amalgamation-clang-19", "clang-19", suites="slow", cpu_seconds=20),
)
def test_amalgamation(compiler, one_file, folder):
    run(program(folder / "one-file", [compiler, "-O2"], LEFT_OUT, options=["-Iinclude"], link=[one_file / "hornet.o"]))
    run(program(folder / "sources", library(compiler, "-O2"), LEFT_OUT, options=["-Iinclude"]))


@rows("compiler, cxx", row("amalgamation-g++", "gcc", "g++"), row("amalgamation-clang++-19", "clang-19", "clang++-19"))
def test_cxx(compiler, cxx, one_file):
    (one_file / "header.cc").write_text(HEADER)
    for standard in (98, 11, 14, 17, 20):
        options = [f"-std=c++{standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        run(cxx, *options, "-o", "header", "header.cc", "hornet.o", cwd=one_file)
        run(one_file / "header")
    # The error, the line that it stands in, and clang's count.
    errors = fails(cxx, "-x", "c++", "-c", "-o", "as_cxx.o", "hornet.c", cwd=one_file)
    assert errors.count("error:") == 1 and "compile it as C" in errors and len(errors.splitlines()) <= 4
