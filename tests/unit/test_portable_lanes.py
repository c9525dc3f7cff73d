# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The algorithms on numbers of lanes other than those of the kernels in plain C.

Four lanes of radix 2^44 are what AVX-IFMA computes, which no emulator here supports.
"""

from support import library, program, row, rows, run


@rows(
    "kernel, lanes",
    *(
        row(f"reference-{kernel}-{lanes}-lanes", kernel, lanes, suites=suites, cpu_seconds=15)
        for kernel in ("portable", "portable44")
        for lanes, suites in ((1, "release"), (4, "slow"), (8, "release"), (16, "release"))
    ),
)
def test_portable_lanes(kernel, lanes, folder):
    built = library("clang-19", "-O2")
    sources = ["tests/unit/test_poly1305.c", "tests/support/reference.c", f"src/poly1305/kernels/{kernel}.c"]
    options = [f"-DPORTABLE_LANES={lanes}"]
    test = program(folder / "test", built, *sources, objects=built.without(kernel), options=options, link=["-lgmp"])
    run(test, kernel)
