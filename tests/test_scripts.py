# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that are scripts."""

from support import ROOT, row, rows, run


def table(path: str) -> list[list[str]]:
    """Return the words of each row of a table in a text file."""
    lines = (ROOT / path).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def scripts(suites, *lines):
    """Return rows: each line is the test's name, the script and its arguments, and its CPU time if that is long."""
    for line in lines:
        words = line.split()
        seconds = int(words.pop()[1:]) if words[-1].startswith("~") else 10
        yield row(words[0], *[words[1:]], suites=suites, cpu_seconds=seconds)


def of_each_compiler(suites, *lines):
    return scripts(suites, *(line.replace("COMPILER", name) for line in lines for name in ("gcc", "clang-19")))


SANITIZED = "-g -fsanitize=address,undefined -fno-sanitize-recover=all"


@rows(
    "command",
    *scripts("check", "lint-fast tests/lint.sh fast ~20"),
    *scripts(
        "quick",
        "lint tests/lint.sh ~150",
        "study-bounds study/bounds.sh",
        "study-report tests/unit/study_report.sh",
    ),
    *scripts(
        "slow",
        "study-sanitized tests/unit/study.sh sanitized double53,multiples,scalar26,gg4,z14_parallel clang-19 -O1"
        " -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all ~60",
        "fuzz-c fuzz/c/run.sh 30 ~120",
        "coconut coconut/test.sh ~230",
    ),
    *of_each_compiler(
        "slow",
        "study-COMPILER tests/unit/study.sh COMPILER all COMPILER -O2 ~80",
    ),
    *scripts(
        "cross cross-quick",
        "study-i686 tests/unit/study.sh i686 papers i686-linux-gnu-gcc -O2 ~60",
        "study-s390x tests/unit/study.sh s390x z14 s390x-linux-gnu-gcc -O2 ~60",
        "study-measure-aarch64 tests/cross/study.sh aarch64 ~30",
        "study-report-browser tests/unit/study_report.sh chromium",
    ),
)
def test_script(command):
    run(*command)
