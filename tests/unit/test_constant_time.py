# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Control flow and addresses do not depend on secrets: test_constant_time.c.

It runs under valgrind, whose memcheck does not support AVX-512, and under clang's memory sanitizer, which does, if this
CPU has it; the sanitizer treats everything that asm computes as public.
"""

from support import ROOT, fails, library, program, row, rows, run

MEMCHECK = ["valgrind", "-q", "--error-exitcode=9"]
SANITIZER = "clang-19 -O2 -g -DHORNET_NO_ASM -fsanitize=memory -fno-sanitize-memory-param-retval".split()


@rows(
    "command, under",
    row("constant-time-gcc", ["gcc", "-O2", "-gdwarf-4"], MEMCHECK, cpu_seconds=30),
    row("constant-time-clang-19", ["clang-19", "-O2", "-gdwarf-4"], MEMCHECK, suites="slow", cpu_seconds=30),
    row("constant-time-avx-512", SANITIZER, [], suites="slow", cpu_seconds=30),
)
def test_constant_time(command, under, folder):
    hook = f'-DHORNET_PUBLIC_HOOK="{ROOT}/tests/support/secret_memory.h"'
    built = library(*command, hook)
    test = program(folder / "test", command, "tests/unit/test_constant_time.c", objects=built.objects)
    run(*under, test)
    # The same with a comparison that leaks, which must be detected.
    fails(*under, test, "leak")
