# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The operations of every lanes file, each tested within its kernel: test_lanes.h."""

from support import kernel_names, lanes_program, library, row, rows, run


@rows(
    "compiler, level",
    row("lanes-gcc-O0", "gcc", "-O0", suites="release"),
    row("lanes-gcc-O2", "gcc", "-O2", suites="check quick"),
    row("lanes-clang-19-O0", "clang-19", "-O0", suites="release"),
    row("lanes-clang-19-O2", "clang-19", "-O2"),
)
def test_lanes(compiler, level, folder):
    for kernel in kernel_names([compiler]):
        run(lanes_program(folder / kernel, library(compiler, level), kernel))
