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
        "bench-report build/venv/bin/python -m pytest -q lab/bench/tests/test_report.py",
        "rust-declarations bindings/rust/ffi.sh --check",
        "prove-quick build/venv/bin/python -m coconut.prove",
    ),
    *scripts(
        "slow",
        "coconut coconut/test.sh ~700",
        "circuit study/circuit/test.sh ~60",
        "circuit-types build/coconut/venv/bin/python -m mypy --config-file study/circuit/mypy.ini study/circuit",
        "prove-shipped make prove-shipped ~480",
        "python make python ~170",
        "study-page build/venv/bin/python -m pytest -q study/tests/test_page.py ~90",
        "study-run build/venv/bin/python -m pytest -q study/tests/test_run.py ~70",
    ),
    *scripts(
        "release",
        "prove make prove ~1100",
        "prove-mutations build/coconut/venv/bin/python -m coconut mutations ~600",
    ),
    *scripts(
        "cross cross-quick",
        "study-measure-aarch64 env ARCHITECTURE=aarch64 build/venv/bin/python -m pytest -q study/tests/test_measure.py ~30",
        "study-page-browser env CHROMIUM=chromium build/venv/bin/python -m pytest -q study/tests/test_page.py",
    ),
)
def test_script(command):
    run(*command)
