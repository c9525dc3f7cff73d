# SPDX-License-Identifier: Apache-2.0 OR MIT
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def outside() -> Iterator[Path]:
    """An empty folder outside the tree, so that nothing finds the tree from there."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path).resolve()
