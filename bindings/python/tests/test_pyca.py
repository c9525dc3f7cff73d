# SPDX-License-Identifier: Apache-2.0 OR MIT
"""cryptography's own tests of ChaCha20Poly1305 and Poly1305, from its source distribution, on this package's classes."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

# install.sh puts it there.
SOURCES = Path(__file__).resolve().parents[3] / "build/python/sources"
NEEDED = [
    "conftest.py",
    "utils.py",
    "__init__.py",
    "hazmat/__init__.py",
    "hazmat/primitives/__init__.py",
    "hazmat/primitives/utils.py",
    "hazmat/primitives/test_aead.py",
    "hazmat/primitives/test_poly1305.py",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Unpack the tests, with the import of each class replaced by that of ours."""
    folder = tmp_path_factory.mktemp("pyca")
    (archive,) = SOURCES.glob("cryptography-*.tar.gz")
    with tarfile.open(archive) as file:
        for name in NEEDED:
            content = file.extractfile(f"{archive.name.removesuffix('.tar.gz')}/tests/{name}").read().decode()
            target = folder / "tests" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("test_aead.py"):
                content, count = re.subn(r"(AESSIV,\n)    ChaCha20Poly1305,\n\)", r"\1)", content)
                assert count == 1
                content = f"from hornet_poly1305 import ChaCha20Poly1305\n{content}"
            if name.endswith("test_poly1305.py"):
                old = "from cryptography.hazmat.primitives.poly1305 import Poly1305\n"
                assert content.count(old) == 1
                content = content.replace(old, "from hornet_poly1305 import Poly1305\n")
            target.write_text(content)
    return folder


@pytest.mark.parametrize(
    ("file", "only", "least"), [("test_aead.py", "chacha20 or ChaCha20", 20), ("test_poly1305.py", "", 20)]
)
def test_pycas_tests_pass(folder, file, only, least):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/hazmat/primitives/{file}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    run = subprocess.run(
        [*command, "-k", only] if only else command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
    passed = int(re.search(r"(\d+) passed", run.stdout)[1])
    # What is skipped needs a cryptography without these classes.
    assert passed >= least and int(re.search(r"(\d+) skipped", run.stdout)[1]) <= 1, run.stdout
