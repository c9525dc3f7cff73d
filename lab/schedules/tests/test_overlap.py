# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test overlapped loops: proofs, mistakes that they must notice, and runs on CPUs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from coconut.allocate import Step
from coconut.go_module import poly1305_program
from coconut.interpret import compare
from coconut.native import runs_here
from coconut.simulate import Mismatch
from coconut.trace import read_traced
from lab.schedules import overlap
from lab.schedules.native import run_against_compiled
from lab.schedules.overlap import Allocated, Overlapped, OverlappedBlock, legal, loading, prove, spilling_cycles
from lab.schedules.tests.conftest import Command

PARTS = ("prologue", "kernel", "epilogue")
Steps = tuple[Step, ...]


def overlapped(title: str, last: int, loaded: int = 0) -> Allocated:
    """Return a loop that is cut evenly into stages, in the order of its kernel; maybe with constants that are loaded."""
    program, _ = loading(poly1305_program(title), loaded)
    loop = Overlapped(program, legal(program, [i * (last + 1) // len(program.ops) for i in range(len(program.ops))]))
    return Allocated.of(loop, loop.kernel)


def without_one(steps: Steps) -> Steps:
    return steps[: len(steps) // 2] + steps[len(steps) // 2 + 1 :]


def other_register(steps: Steps) -> Steps:
    i = next(i for i, step in enumerate(steps) if len(set(step.args)) > 1)
    return (*steps[:i], replace(steps[i], args=steps[i].args[:-1] + steps[i].args[:1]), *steps[i + 1 :])


def other_block(steps: Steps) -> Steps:
    """Load from elsewhere in the message."""
    i = next((i for i, step in enumerate(steps) if step.op.memory and step.op.memory.base == "message"), None)
    if i is None:
        return without_one(steps)
    place = steps[i].op.memory
    assert place is not None
    op = replace(steps[i].op, memory=replace(place, offset=place.offset + 16))
    return (*steps[:i], replace(steps[i], op=op), *steps[i + 1 :])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("mistake", (without_one, other_register, other_block))
def test_mistake(part: str, mistake: Callable[[Steps], Steps]) -> None:
    allocated = overlapped("ifma256/step 2", 1)
    prove(allocated)
    number = PARTS.index(part)
    steps = tuple(mistake(of) if i == number else of for i, of in enumerate(allocated.steps))
    with pytest.raises(Mismatch):
        prove(replace(allocated, steps=steps))


@pytest.mark.parametrize("title", ("ifma256/step 2", "ifma/step 1", "vmsl/step 1"))
@pytest.mark.parametrize(("last", "loaded"), ((1, 0), (2, 0), (1, 3)))
def test_run(title: str, last: int, loaded: int) -> None:
    """1, 4 and 13 iterations leave what the compiled loop does: fewer than overlap, and more."""
    allocated = overlapped(title, last, loaded)
    prove(allocated)
    architecture = allocated.kernel.architecture
    if architecture.emulator or runs_here(architecture):
        function = OverlappedBlock.overlapped(allocated, "coconut_loop")
        run_against_compiled(allocated.loop.program, "gcc", rounds=0, function=function)


def test_loading() -> None:
    """A program with constants that are loaded computes the same; the fewest uses are loaded first."""
    program = poly1305_program("vmsl/step 1")
    for count in range(len(program.kept) + 1):
        found, numbers = loading(program, count)
        assert len(found.kept) == len(program.kept) - count and len(numbers) == len(found.ops)
        for sample in read_traced("vmsl")[1]["step 1"]:
            compare(found, sample)
    assert len(loading(program, 1)[0].ops) == len(program.ops) + 2


def test_spilling(monkeypatch: pytest.MonkeyPatch) -> None:
    """With values in the frame, a kernel fits into fewer registers than it has values in flight."""
    monkeypatch.setattr(overlap, "INTERVALS", 1)
    monkeypatch.setattr(overlap, "LEFT", (2,))
    cycles = spilling_cycles(poly1305_program("avx2/step 1"), "znver4", 30)
    assert cycles is not None and 22 < cycles < 40


def test_table(command: Command) -> None:
    rows = command("overlap", "ifma256/step 1", "--rounds", "0").splitlines()
    assert any("ifma256/step 1 | znver4 | 48 | 13 | 17 | 23.0 | neither |" in row for row in rows)
