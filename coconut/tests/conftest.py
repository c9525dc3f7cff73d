# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trace the kernels once, before the tests run in parallel, and keep tests apart."""

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
