# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The suites, and the marks that put a test into them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

SUITES = {
    "check": "between edits",
    "quick": "make test",
    "slow": "make test-slow",
    "cross": "other architectures, with both compilers",
    "cross-quick": "most other architectures, with one compiler each",
    "release": "before a release: what CI has no time for",
}
# The CPU time of a test that does not state it.
CPU_SECONDS = 10


def marks(suites: str, cpu_seconds: int) -> list[pytest.MarkDecorator]:
    """Return the marks of a test in the suites, which are separated by spaces."""
    names = suites.split()
    if not names or not set(names) <= set(SUITES):
        raise ValueError(f"{suites!r} are not suites, which are {', '.join(SUITES)}")
    return [*(getattr(pytest.mark, name) for name in names), pytest.mark.cpu_seconds(cpu_seconds)]


def suite(suites: str, cpu_seconds: int = CPU_SECONDS) -> Callable[[Any], Any]:
    """Put a test function into the suites."""

    def decorate(function: Any) -> Any:
        for mark in marks(suites, cpu_seconds):
            function = mark(function)
        return function

    return decorate


def row(name: str, *values: Any, suites: str = "quick", cpu_seconds: int = CPU_SECONDS) -> Any:
    """Return one call of a test function: its name, its arguments, and the suites that contain it."""
    return pytest.param(*values, id=name, marks=marks(suites, cpu_seconds))


def rows(arguments: str, *calls: Any) -> pytest.MarkDecorator:
    """Call a test function once for each row, with these arguments."""
    return pytest.mark.parametrize(arguments, calls)


def scripts(suites: str, *lines: str) -> Iterator[Any]:
    """Return rows: each line is the test's name, the script and its arguments, and its CPU time if that is long."""
    for line in lines:
        words = line.split()
        seconds = int(words.pop()[1:]) if words[-1].startswith("~") else 10
        yield row(words[0], *[words[1:]], suites=suites, cpu_seconds=seconds)


def test_name(item: pytest.Item) -> str:
    """Return the name of a test in a run: that of its row, or else that of its function."""
    call = getattr(item, "callspec", None)
    return call.id if call else item.name.removeprefix("test_").replace("_", "-")
