# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The executed instructions, and the addresses that they load from and store to, do not depend on secrets: test_traces.c.

It single-steps every kernel of this CPU. valgrind's lackey, which does not support AVX-512, records loads and stores.
"""

import re
import shlex

from support import attempt, fails, library, program, row, rows, run


def recorded(test, begin, secrets, *leak):
    """Return a checksum and the number of all instructions, loads and stores from begin_record on, under these secrets.

    What precedes begin_record depends on other things.
    """
    lackey = shlex.join(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=9", str(test), "once", *leak])
    lines = f"sed -n '/^I  0*{begin}/,$ {{ /^I/p; /^ [LSM]/p }}'"
    status, text = attempt(
        "bash", "-c", f"set -o pipefail; {lackey} < {secrets} 9>&1 | {lines} | tee >(wc -l >&2) | sha256sum"
    )
    checksum = re.search(r"^([0-9a-f]{64}) ", text, re.M)
    assert status == 0 and checksum, text
    return checksum[1], int(re.search(r"^ *(\d+)$", text, re.M)[1])


def traced(folder, compiler):
    # Every kernel handles every length that it can.
    built = library(compiler, "-O2", "-DHORNET_NO_CROSSOVERS")
    return program(folder / "test", built, "tests/unit/test_traces.c", link=["-static"])


def compilers(name, cpu_seconds):
    return [
        row(f"{name}-{compiler}", compiler, suites="slow", cpu_seconds=cpu_seconds) for compiler in ("gcc", "clang-19")
    ]


@rows("compiler", *compilers("traces-stepped", 100))
def test_stepped(compiler, folder):
    test = traced(folder, compiler)
    run(test)
    # A function that leaks must be detected.
    fails(test, "leak")


@rows("compiler", *compilers("traces-recorded", 80))
def test_recorded(compiler, folder):
    test = traced(folder, compiler)
    begin = re.search(r"^0*([0-9a-f]+) T begin_record$", attempt("nm", test)[1], re.M)[1]

    def trace(kind, *leak):
        secrets = folder / f"secrets-{kind}"
        run("sh", "-c", f"{test} secrets {kind} > {secrets}")
        return recorded(test, begin, secrets, *leak)

    expected, count = trace(0)
    assert count > 1000000
    for kind in 1, 2, 4, 6:
        assert trace(kind)[0] == expected, f"other instructions or addresses under secrets {kind}"
    print(f"{count} instructions, loads and stores, each of 5 times")
    assert trace(0, "leak") != trace(4, "leak"), "a leak is not noticed"
