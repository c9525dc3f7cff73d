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


@rows(
    "compiler",
    row("traces-gcc", "gcc", suites="slow", cpu_seconds=165),
    row("traces-clang-19", "clang-19", suites="slow", cpu_seconds=165),
)
def test_traces(compiler, folder):
    # Every kernel handles every length that it can.
    built = library(compiler, "-O2", "-DHORNET_NO_CROSSOVERS")
    test = program(folder / "test", built, "tests/unit/test_traces.c", link=["-static"])
    run(test)
    # A function that leaks must be detected.
    fails(test, "leak")

    secrets = {}
    for kind in 0, 1, 2, 4, 6:
        secrets[kind] = folder / f"secrets-{kind}"
        run("sh", "-c", f"{test} secrets {kind} > {secrets[kind]}")
    begin = re.search(r"^0*([0-9a-f]+) T begin_record$", attempt("nm", test)[1], re.M)[1]
    expected, count = recorded(test, begin, secrets[0])
    assert count > 1000000
    for kind in 1, 2, 4, 6:
        assert recorded(test, begin, secrets[kind])[0] == expected, (
            f"other instructions or addresses under secrets {kind}"
        )
    print(f"{count} instructions, loads and stores, each of 5 times")
    assert recorded(test, begin, secrets[0], "leak") != recorded(test, begin, secrets[4], "leak"), (
        "a leak is not noticed"
    )
