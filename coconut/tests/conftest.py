# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trace the kernels once, before the tests run in parallel, keep tests apart, and choose samples for CI."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coconut import __main__, check_instructions, functions, go_module, trace

Command = Callable[..., str]


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        for kernel in trace.KERNELS.values():
            for lanes in ("graph", "values"):
                trace.trace(kernel, lanes)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a test with the mark sample(n) leaves to `make test-release`."""
    called: Counter[str] = Counter()
    for item in items:
        if (mark := item.get_closest_marker("sample")) is not None:
            test, _, _ = item.nodeid.partition("[")
            if called[test] % mark.args[0]:
                item.add_marker(pytest.mark.release)
            called[test] += 1


def clear_caches() -> None:
    """Clear what is cached from call to call: a mistake may change it."""
    for function in (go_module.poly1305_program, go_module.scalar_functions, functions.ordered):
        function.cache_clear()


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(check_instructions, "BUILD", tmp_path)
    clear_caches()
    yield
    clear_caches()


@pytest.fixture
def coconut(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command, and return what it prints."""

    def run(*words: str | Path) -> str:
        __main__.run([str(word) for word in words])
        return capsys.readouterr().out

    return run
