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
    *scripts(
        "quick",
        "study-report tests/unit/study_report.sh",
        "install tests/clients/install/run.sh ~60",
        "install-command tests/clients/install/command.sh ~30",
        "go bindings/go/test.sh ~200",
    ),
    *scripts(
        "slow",
        "study-sanitized tests/unit/study.sh sanitized double53,multiples,scalar26,gg4,z14_parallel clang-19 -O1"
        " -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all ~60",
        "rust-package bindings/rust/package-test.sh ~120",
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
        *(f"go-{name} bindings/go/test.sh {name} ~60" for name in ("arm64", "s390x", "riscv64")),
        "study-report-browser tests/unit/study_report.sh chromium",
    ),
    *scripts(
        "clients",
        "restic tests/clients/restic/run.sh ~100",
    ),
)
def test_script(command):
    run(*command)
