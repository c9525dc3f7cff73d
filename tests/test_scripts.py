# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that are scripts."""

from support import row, rows, run


def scripts(suites, *lines):
    """Return rows: each line is the test's name, the script and its arguments, and its CPU time if that is long."""
    for line in lines:
        words = line.split()
        seconds = int(words.pop()[1:]) if words[-1].startswith("~") else 10
        yield row(words[0], *[words[1:]], suites=suites, cpu_seconds=seconds)


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
        "rust-package bindings/rust/package-test.sh ~120",
        "coconut coconut/test.sh ~230",
    ),
    *scripts(
        "cross cross-quick",
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
