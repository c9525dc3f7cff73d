# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test graphs, instructions, schedules and emitted code, the last in Go's assembler, too."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coconut.architecture import Architecture
from coconut.architectures import ARCHITECTURES, INSTRUCTION_SETS, SCALAR
from coconut.check_instructions import check_architecture
from coconut.native import prefix_of
from coconut.tests.conftest import Command
from coconut.trace import HERE, KERNELS, ROOT

EMULATORS = {known.goarch: known.emulator for known in (*SCALAR, *ARCHITECTURES.values())}
GO_MODULE = ROOT / "bindings" / "go"
# Mistakes in emitted files that only Go's assembler shows: a template is read back as it was meant.
SCALAR_TESTS = ("./internal/poly1305", "PowersAtTheEdge|BlockOrder|Padding|Alignments")
LANES_TESTS = ("./internal/poly1305", "BlockOrder|Cuts")
CHACHA20_TESTS = ("./internal/chacha20", "Emitted|Vectors")
EMITTED_MISTAKES = {
    "emitted_scalar_amd64.s": (*SCALAR_TESTS, r"SHRQ \$2, AX", "SHRQ $3, AX"),
    "emitted_scalar_arm64.s": (*SCALAR_TESTS, "ADCS", "ADDS"),
    "emitted_scalar_riscv64.s": (*SCALAR_TESTS, r"SLTU (X\d+), (X\d+)", r"SLTU \2, \1"),
    "emitted_scalar_s390x.s": (*SCALAR_TESTS, "ADDE", "ADDC"),
    "emitted_lanes_s390x.s": (*LANES_TESTS, r"VESRLG \$44", "VESRLG $43"),
    "emitted_arm64.s": (*CHACHA20_TESTS, r"VZIP1 (V\d+.S4), (V\d+.S4)", r"VZIP1 \2, \1"),
    "emitted_s390x.s": (*CHACHA20_TESTS, r"VPERM (V\d+), (V\d+)", r"VPERM \2, \1"),
}


def go(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = ["go", *words]
    return subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False)


def check_go(folder: Path, *words: str, **variables: str) -> None:
    ran = go(folder, *words, **variables)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.sample(8)
@pytest.mark.parametrize("kernel", KERNELS)
def test_simulate(coconut: Command, kernel: str) -> None:
    assert "simulations agree" in coconut("simulate", kernel)


@pytest.mark.parametrize("architecture", INSTRUCTION_SETS, ids=lambda known: known.name)
def test_instructions(architecture: Architecture) -> None:
    if prefix_of(architecture) is None:
        pytest.skip("nothing here runs them")
    assert check_architecture(architecture) > 100


def test_closed_pipe() -> None:
    """The reader of the output may close the pipe early."""
    ran = subprocess.run(
        f"{sys.executable} -m coconut blocks | true", shell=True, cwd=ROOT, capture_output=True, check=True
    )
    assert ran.stderr == b""


def test_print(coconut: Command) -> None:
    assert "mul32(t[0], R^1[0])" in coconut("print", "avx2/step 1")


def changed(text: str, old: str, new: str) -> str:
    """Return the text with the first match of a pattern replaced."""
    text, count = re.subn(old, new, text, count=1)
    assert count == 1
    return text


@pytest.mark.release
def test_go_module() -> None:
    """The Go module contains the generated files, which are the same on every machine."""
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-m", "coconut", "go", "--check"], cwd=ROOT, env=environment, check=True)


@pytest.mark.release
@pytest.mark.parametrize("name", EMITTED_MISTAKES)
def test_emitted_in_go(name: str, tmp_path: Path) -> None:
    """A mistake in the Go module's emitted functions is noticed, natively or in an emulator; without it, the same tests pass,
    in emulators those of `make test-cross-quick`."""
    package, chosen, old, new = EMITTED_MISTAKES[name]
    goarch = name.removesuffix(".s").rpartition("_")[2]
    emulator = " ".join(EMULATORS[goarch])
    tests = [*(["-exec", emulator] if emulator else []), "-run", chosen, package]
    module = tmp_path / "module"
    shutil.copytree(GO_MODULE, module)
    if not emulator:
        check_go(module, "test", *tests, GOARCH=goarch)
    file = module / package / name
    file.write_text(changed(file.read_text(), old, new))
    ran = go(module, "test", *tests, GOARCH=goarch)
    assert ran.returncode != 0 and "_test" in ran.stdout


def test_types() -> None:
    subprocess.run([sys.executable, "-m", "mypy", "--config-file", HERE / "mypy.ini", "coconut"], cwd=ROOT, check=True)
