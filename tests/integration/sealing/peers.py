# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Other programs that seal files in age's format, and the test vectors of the age project."""

from support import ROOT, run
from support.build import once

HERE = ROOT / "tests/integration/sealing"
# tests/integration/sealing/install.sh installs it.
RAGE = ROOT / "build/tools/rage/bin/rage"


def build(folder):
    programs = [f"filippo.io/age/cmd/{name}" for name in ("age", "age-keygen")]
    run("go", "build", "-o", f"{folder}/", *programs, cwd=HERE)
    (folder / "vectors").mkdir()
    run("go", "run", ".", folder / "vectors", cwd=HERE)


def age():
    return once("sealing", build) / "age"


def vectors():
    return sorted((once("sealing", build) / "vectors").iterdir())
