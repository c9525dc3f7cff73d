# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test blocks that are emitted by themselves, on CPUs and in Go, and instructions that the Go module does not contain."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coconut.architectures.s390x import Z14
from coconut.check_instructions import check_architecture
from coconut.functions import SingleBlock
from coconut.interpret import compare
from coconut.prove.graphs import BlockProof
from coconut.prove.polynomials import Ring
from coconut.prove.programs import check_program
from coconut.select import supported
from coconut.tests.test_commands import changed, check_go, go
from coconut.trace import read_traced
from lab.schedules.architectures import FURTHER
from lab.schedules.neon import NEON, NeonSelector
from lab.schedules.rvv import RVV, RvvAssembler, ScalableBlock
from lab.schedules.tests.conftest import Command


def test_emitted(command: Command, tmp_path: Path) -> None:
    """Go's assembler accepts the files, go vet finds that functions match their declarations, and they run."""
    assert "with 8 lanes, run by qemu-riscv64" in command("emit", "--folder", tmp_path)
    shutil.copy(Path(__file__).parents[1] / "blocks_test.go", tmp_path)
    (tmp_path / "go.mod").write_text("module emitted\n\ngo 1.24\n")
    assert subprocess.run(["gofmt", "-l", "."], cwd=tmp_path, capture_output=True, check=True).stdout == b""
    check_go(tmp_path, "vet", ".")
    check_go(tmp_path, "test", ".")
    check_go(tmp_path, "vet", ".", GOARCH="s390x")
    check_go(tmp_path, "test", "-exec", "qemu-s390x -cpu max", ".", GOARCH="s390x")
    check_go(tmp_path, "vet", ".", GOARCH="riscv64")
    check_go(tmp_path, "test", "-c", "-o", "blocks.test", ".", GOARCH="riscv64")
    # One RISC-V program serves vectors of 128, 256 and 512 bits.
    for lanes, file in ((2, "blocks_riscv64.json"), (4, "blocks_riscv64_4.json"), (8, "blocks_riscv64_8.json")):
        cpu = f"rv64,v=true,vlen={64 * lanes},vext_spec=v1.0"
        environment = os.environ | {"BLOCKS": file}
        subprocess.run(["qemu-riscv64", "-cpu", cpu, "./blocks.test"], cwd=tmp_path, env=environment, check=True)
    # A mistake in the emitted file is noticed.
    file_amd64 = tmp_path / "blocks_amd64.s"
    file_amd64.write_text(changed(file_amd64.read_text(), r"VPSRLQ \$26", "VPSRLQ $27"))
    assert go(tmp_path, "test", ".").returncode != 0


@pytest.mark.parametrize("kernel", FURTHER)
def test_further_selections(kernel: str) -> None:
    """Instruction selections compute the same, on samples and for all inputs, and their instructions are those of CPUs."""
    graphs, samples = read_traced(kernel)
    selected = 0
    for name, graph in graphs.items():
        for program in supported(FURTHER[kernel], graph):
            selected += 1
            for sample in samples[name]:
                compare(program, sample)
            ring = Ring.of(program.graph.title, certify=False)
            proof = BlockProof(graph, FURTHER[kernel].big_endian, ring)
            proof.check_graph()
            assert check_program(proof, program) > 0
    assert selected >= 5
    block = ScalableBlock.of if kernel in RVV else SingleBlock.of
    assert check_architecture(FURTHER[kernel], block) > 100


def other_power(original: Callable[..., Any]) -> Callable[..., Any]:
    """Find every eighth power's successors at the eighth power."""

    def address(self: RvvAssembler, place: Any) -> Any:
        if place.base == "powers" and place.offset >= 8 * self.vector_bytes:
            place = replace(place, offset=place.offset - place.offset % (8 * self.vector_bytes))
        return original(self, place)

    return address


def zip_the_other(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, half, blocks, high: original(self, half, blocks, not high)


Plant = Callable[[pytest.MonkeyPatch], object]
HEAD = tuple(line.replace("e64", "e32") for line in RVV["rvv2"].gnu.head)
UZP = replace(NEON.instructions["uzp1"], gnu="uzp2 v{d}.4s, v{0}.4s, v{1}.4s")
# What only four iterations show, elements of another size, another power, a rule, a template.
MISTAKES: dict[str, tuple[str, Plant]] = {
    "advance": (
        "vmsl/step 1",
        lambda patch: patch.setitem(Z14.gnu.controls, "advance", "la {pointer}, 16+{bytes}({pointer})"),
    ),
    "element size": ("rvv2/step 2", lambda patch: patch.setitem(vars(RVV["rvv2"].gnu), "head", HEAD)),
    "power": ("rvv2/step 2", lambda patch: patch.setattr(RvvAssembler, "address", other_power(RvvAssembler.address))),
    "zip": (
        "neon/step 2",
        lambda patch: patch.setattr(NeonSelector, "words_of_blocks", zip_the_other(NeonSelector.words_of_blocks)),
    ),
    "uzp": ("neon/step 2", lambda patch: patch.setitem(NEON.instructions, "uzp1", UZP)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    block, plant = MISTAKES[name]
    plant(monkeypatch)
    with pytest.raises(SystemExit, match="^lab.schedules: "):
        command("emit", block, "--folder", str(tmp_path))
