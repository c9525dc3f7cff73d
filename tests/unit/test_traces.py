# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The executed instructions, and the addresses that they load from and store to, do not depend on secrets: test_traces.c.

valgrind's lackey records instructions, loads and stores of every kernel of this CPU but those of AVX-512 and AVX-IFMA, which it
does not support: these are single-stepped. On other architectures, a plugin of qemu records both.
"""

import re
import shlex

from support import STRICT, attempt, fails, library, output, program, row, rows, run
from support.architectures import ARCHITECTURES


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


def compilers(name, in_ci, cpu_seconds):
    """Return a row for each compiler, of which CI runs one or none."""
    for compiler in ("gcc", "clang-19"):
        suites = "slow" if compiler == in_ci else "release"
        yield row(f"{name}-{compiler}", compiler, suites=suites, cpu_seconds=cpu_seconds)


@rows("compiler", *compilers("traces-stepped", "gcc", 15))
def test_stepped(compiler, folder):
    test = traced(folder, compiler)
    run(test)
    # A function that leaks must be detected.
    fails(test, "leak")


@rows("compiler", *compilers("traces-recorded", None, 150))
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


# One with vectors of 128 bits, and a big-endian one.
IN_CI = "aarch64", "s390x"


def architectures():
    """Return a row for each architecture and compiler; cross-quick has one compiler, and not all."""
    for architecture in ARCHITECTURES.values():
        if architecture.name == "windows":
            continue
        for number, compiler in enumerate(architecture.compilers):
            suites = "cross" if number or architecture.name not in IN_CI else "cross cross-quick"
            yield row(f"traces-{architecture.name}-{compiler}", architecture, compiler, suites=suites, cpu_seconds=20)


@rows("architecture, compiler", *architectures())
def test_emulated(architecture, compiler, folder):
    # Every kernel handles every length that it can.
    built = library(*architecture.command(compiler), "-O2", "-DHORNET_NO_CROSSOVERS")
    test = program(
        folder / "test",
        [*built.command, "-w"],
        "tests/unit/test_traces.c",
        objects=built.objects,
        link=architecture.link(folder, built),
    )
    options = [*STRICT, "-O2", "-shared", "-fPIC"]
    plugin = program(folder / "plugin.so", ["gcc", *options], "tests/cross/traces_plugin.c")

    # i686 could run natively, but not be recorded.
    emulator = ["qemu-i386", "-cpu", "max"] if architecture.emulator == ["env"] else architecture.emulator

    def traced(*arguments):
        """Return the comparisons by number: the name of each, its traces, and its loads and stores."""
        lines = folder / "lines"
        text = output(*emulator, "-plugin", f"{plugin},out={lines}", test, *arguments)
        names = re.findall(r"^comparison (\d+): (.*)$", text, re.M)
        comparisons = {number: (name, [], []) for number, name in names}
        for line in lines.read_text().splitlines():
            number, *instructions_and_accesses = line.split()
            _, instructions, accesses = comparisons[number]
            instructions.append(tuple(instructions_and_accesses[:2]))
            accesses.append(tuple(instructions_and_accesses[2:]))
        return comparisons.values()

    comparisons = traced()
    kernels = {name.split(",")[0] for name, _, _ in comparisons}
    assert kernels >= set(architecture.tested.split(",")), f"traced are only {kernels}"
    for name, *records in comparisons:
        for what, record in zip(("instructions", "loads and stores"), records, strict=True):
            assert len(record) >= 2
            assert len(set(record)) == 1, f"{name}: other {what} under other secrets: {record}"
    totals = [sum(int(count) for _, *both in comparisons for _, count in both[i]) for i in (0, 1)]
    traces = sum(len(instructions) for _, instructions, _ in comparisons)
    print(f"{traces} traces, {totals[0]} instructions, {totals[1]} loads and stores")
    assert totals[0] > 100 * traces and totals[1] > 30 * traces
    # A function that leaks must be detected, by its instructions and by its accesses.
    ((_, *records),) = traced("leak")
    assert all(len(set(record)) > 1 for record in records), "a leak is not noticed"
