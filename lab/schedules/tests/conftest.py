# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keep tests apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.schedules import __main__, native

Command = Callable[..., str]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run a command, and return what it prints."""
    for module in (native, __main__):
        monkeypatch.setattr(module, "BUILD", tmp_path)

    def run(*words: str | Path) -> str:
        __main__.run([str(word) for word in words])
        return capsys.readouterr().out

    return run
