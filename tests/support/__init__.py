# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What tests are written with.

A test is a function of a few lines that runs programs, and fails if one of them does. Its name in a run is that of the
function, or that of the row with which it is called. For example, a test for two compilers:

    from support import ROOT, library, program, row, rows, run

    @rows("compiler, level", row("sum-gcc-O2", "gcc", "-O2", suites="check quick"), row("sum-clang-O0", "clang-19", "-O0"))
    def test_sum(compiler, level, folder):
        built = library(compiler, level)
        run(program(folder / "sum", built, "tests/unit/test_sum.c"))

- `suites` names the suites that contain the test, `quick` if it is omitted; `@suite("slow")` is for a function that
  is called once. `cpu_seconds` is for a test of more than ten: the longest tests start first.
- `folder` is build/tests/NAME, empty at the start.
- `library` compiles the library as this compiler and these options do it, once for all tests.
- All that the test prints is in build/test-logs/NAME.log; a failure shows the end of it.

`make test TESTS=sum`, or `build/venv/bin/pytest -k sum`, runs the tests whose names contain `sum`. Break what a new test
tests, and see it fail.
"""

from support.build import (
    ALL_KERNELS,
    CCACHE,
    DEFAULT_KERNELS,
    STRICT,
    WARNINGS,
    Library,
    compiled,
    library,
    program,
    sources_in,
)
from support.commands import ROOT, WORKSPACE, attempt, cpus, fails, output, run
from support.kernels import kernel_names, lanes_program
from support.suites import row, rows, scripts, suite

__all__ = [
    "ALL_KERNELS",
    "CCACHE",
    "DEFAULT_KERNELS",
    "ROOT",
    "STRICT",
    "WARNINGS",
    "WORKSPACE",
    "Library",
    "attempt",
    "compiled",
    "cpus",
    "fails",
    "kernel_names",
    "lanes_program",
    "library",
    "output",
    "program",
    "row",
    "rows",
    "run",
    "scripts",
    "sources_in",
    "suite",
]
