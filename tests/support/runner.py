# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How tests are ordered, logged and reported: what conftest.py imports."""

import contextlib
import os
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import ROOT
from support.suites import CPU_SECONDS, SUITES, test_name

LOGS = ROOT / "build/test-logs"
LINES_SHOWN = 25


class Results:
    """Prints one line for each test, and their number at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.passed = self.failed = 0
        self.skipped = Counter()

    def print(self, line: str) -> None:
        writer = self.config.get_terminal_writer()
        writer.line(line)
        writer.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Return the category by which pytest counts a report, and nothing to print for it."""
        category = report.outcome if report.when == "call" or report.failed else ""
        return category, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print the line of a test that has ended. A test that fails counts once."""
        facts = dict(report.user_properties)
        if report.failed:
            self.failed += 1
        elif report.when == "call" and report.passed:
            self.passed += 1
        elif report.skipped:
            _, _, reason = report.longrepr
            self.skipped[reason.removeprefix("Skipped: ")] += 1
        if report.when == "call" or not report.passed:
            word = {"passed": "ok", "failed": "FAILED", "skipped": "SKIPPED"}[report.outcome]
            self.print(f"{word:7s} {facts['name']:34s} {facts['seconds']:4d} s, of CPUs {facts['cpu_seconds']:4d} s")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        for reason, tests in self.skipped.items():
            self.print(f"{tests} skipped: {reason}")
        # CI reads this line.
        self.print(f"{self.passed} passed, {self.failed} failed")


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in SUITES.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    LOGS.mkdir(parents=True, exist_ok=True)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Results(config))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let -k find a test by its name in a run."""
    item.extra_keyword_matches.add(test_name(item))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests that no suite contains, or that share a log."""
    names = [test_name(item) for item in items]
    if twice := {name for name in names if names.count(name) > 1}:
        raise pytest.UsageError(f"several tests are called {', '.join(sorted(twice))}")
    if lost := [item.nodeid for item in items if not any(item.get_closest_marker(name) for name in SUITES)]:
        raise pytest.UsageError(f"in no suite: {', '.join(lost)}")


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_order(items: list[pytest.Item]) -> None:
    """Put the longest of the chosen tests first, so that all CPUs are busy to the end.

    pytest-xdist gives two tests to each process at the start, and further ones one by one. Of the first ones, the
    longest goes with the shortest.
    """

    def cpu_seconds(item: pytest.Item) -> int:
        mark = item.get_closest_marker("cpu_seconds")
        return mark.args[0] if mark else CPU_SECONDS

    items.sort(key=cpu_seconds, reverse=True)
    count = 2 * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if len(items) >= count:
        first = items[:count]
        items[:count] = [item for pair in zip(first, reversed(first), strict=True) for item in pair][:count]


@contextlib.contextmanager
def logged(item: pytest.Item) -> Iterator[None]:
    """Append what this process and its children print to the log of a test."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    log = os.open(LOGS / f"{test_name(item)}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    os.close(log)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, old in zip((1, 2), kept, strict=True):
            os.dup2(old, descriptor)
            os.close(old)


def children_cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    (LOGS / f"{test_name(item)}.log").unlink(missing_ok=True)
    item.began = time.monotonic(), children_cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with logged(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with logged(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    with logged(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[pytest.TestReport]:
    """Add what the test took, and where it fails, the end of its log."""
    report = yield
    began, cpu_before = item.began
    report.user_properties += [
        ("name", test_name(item)),
        ("seconds", round(time.monotonic() - began)),
        ("cpu_seconds", round(children_cpu_seconds() - cpu_before)),
    ]
    if report.failed:
        log = LOGS / f"{test_name(item)}.log"
        lines = log.read_text(errors="replace").splitlines()[-LINES_SHOWN:] if log.exists() else []
        report.sections.append((f"the end of {log.relative_to(ROOT)}", "\n".join(lines)))
    return report


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder build/tests/NAME, empty."""
    path = ROOT / "build/tests" / test_name(request.node)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    return path
