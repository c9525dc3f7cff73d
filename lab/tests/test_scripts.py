# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that are scripts, and the linters of what they test."""

from support import output, rows, run, scripts, suite

PYTEST = "build/venv/bin/python -m pytest -q"


@rows(
    "command",
    *scripts(
        "quick",
        f"lab-report {PYTEST} lab/report",
        f"bench-report {PYTEST} lab/bench/tests/test_report.py",
        "circuit lab/circuit/test.sh ~60",
        "circuit-types build/coconut/venv/bin/python -m mypy --config-file lab/circuit/mypy.ini lab/circuit",
        f"study-measure-aarch64 env ARCHITECTURE=aarch64 {PYTEST} lab/study/tests/test_measure.py ~30",
    ),
    *scripts(
        "release",
        f"bench {PYTEST} lab/bench/tests/test_bench.py ~600",
        "schedules lab/schedules/test.sh ~280",
        f"study-run {PYTEST} lab/study/tests/test_run.py lab/study/tests/test_originals.py ~90",
        f"study-page env CHROMIUM=chromium {PYTEST} lab/study/tests/test_page.py ~300",
    ),
)
def test_script(command):
    run(*command)


@suite("release", cpu_seconds=90)
def test_lint_tidy_study():
    files = output("git", "ls-files", "--", "lab/study/*.c").split()
    assert len(files) > 20
    run("clang-tidy-19", "--quiet", "--config-file=src/.clang-tidy", *files, "--", "-std=gnu11")
