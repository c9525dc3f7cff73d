# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Calls leave no data that depends on secrets on the stack or in vector registers: test_stack_wipe.c."""

from support import STRICT, fails, library, program, row, rows, run

HARDENED = "-O2 -fPIC -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2 -fcf-protection".split()
COMPILERS = "gcc", "clang-19"


@rows(
    "compiler, options",
    row("stack-wipe-gcc-O2", "gcc", ["-O2"]),
    row("stack-wipe-clang-19-O2", "clang-19", ["-O2"], suites="slow"),
    *(row(f"stack-wipe-{compiler}-O3", compiler, ["-O3"], suites="slow") for compiler in COMPILERS),
    *(
        row(f"stack-wipe-{compiler}{level}", compiler, [level], suites="release")
        for compiler in COMPILERS
        for level in ("-O0", "-Os")
    ),
    row("stack-wipe-hardened-gcc", "gcc", HARDENED, suites="slow"),
    row("stack-wipe-hardened-clang-19", "clang-19", HARDENED, suites="release"),
)
def test_stack_wipe(compiler, options, folder):
    unoptimized = {"gcc": 1 << 20, "clang-19": 2 << 20}
    stack = unoptimized[compiler] if options == ["-O0"] else 64 << 10
    # Every kernel handles every length that it can.
    built = library(compiler, *options, "-DHORNET_NO_CROSSOVERS")
    # Bound at start, because lazy binding saves all registers on the stack.
    test = program(
        folder / "test",
        [compiler, "-O2"],
        "tests/unit/test_stack_wipe.c",
        objects=built.objects,
        options=[*STRICT, f"-DSTACK_BYTES={stack}"],
        link=["-Wl,-z,now"],
    )
    run(test)
    # A function that leaves a word of its key behind must be detected.
    for leak in ("stack", "register"):
        fails(test, "leak", leak)
