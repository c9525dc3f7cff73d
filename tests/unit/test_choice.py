# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A call reads its choice of kernels once, so that other threads may force kernels at any time.

test_choice.c counts the reads, and test_threads.c forces kernels while other threads call.
"""

import re

from support import ALL_KERNELS, ROOT, fails, library, program, row, rows, run, suite

# Every kernel handles every length that it can.
OPTIONS = ["-O2", "-DHORNET_NO_CROSSOVERS"]
ADDRESS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
SECONDS = 10


@suite("quick")
def test_choice_calls():
    """Every function in include/ is called, except those that only answer questions about kernels or lengths."""
    text = "".join(path.read_text() for path in (ROOT / "include").glob("*.h"))
    header = re.sub(r"^ \*.*", "", text, flags=re.M)
    declared = set(re.findall(r"\b(hornet_\w+)\(", header))
    questions = r"hornet_(kernel|cpu)_.*|.*_name|hornet_version|.*_len_bytes"
    calls = (ROOT / "tests/support/secret_calls.h").read_text()
    missing = [name for name in declared if not re.fullmatch(questions, name) and not re.search(rf"\b{name}\(", calls)]
    assert len(declared) > 40 and not missing, f"secret_calls.h does not call {missing}"


@rows(
    "compiler",
    row("choice-gcc", "gcc", cpu_seconds=20),
    row("choice-clang-19", "clang-19", suites="release", cpu_seconds=20),
)
def test_choice(compiler, folder):
    built = library(compiler, *OPTIONS, ALL_KERNELS, "-include", ROOT / "tests/support/counted_reads.h")
    command = [compiler, *OPTIONS, ALL_KERNELS]
    test = program(folder / "test", command, "tests/unit/test_choice.c", objects=built.objects)
    run(test)
    # The test must detect a function that reads twice.
    fails(test, "twice")


@rows(
    "command",
    row("choice-threads-gcc", ["gcc"], cpu_seconds=30),
    row("choice-threads-clang-19", ["clang-19"], suites="release", cpu_seconds=30),
    row("choice-thread-sanitizer", ["clang-19", "-g", "-fsanitize=thread"], suites="slow", cpu_seconds=40),
    row("choice-address-sanitizer", ["clang-19", *ADDRESS], suites="release", cpu_seconds=40),
)
def test_threads(command, folder):
    built = library(*command, *OPTIONS)
    run(program(folder / "test", built, "tests/unit/test_threads.c", link=["-pthread"]), SECONDS)
