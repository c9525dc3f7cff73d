# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that calls of compiled functions keep within their frames: planted in what compilers made, each mistake is refused."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from coconut.lift.machine import Machine, Memory
from coconut.lift.objects import COMPILERS, X86_64, Line, read_line
from coconut.prove.evaluation import KEY, MESSAGE, STATE
from coconut.prove.mutations_objects import changed_line
from coconut.prove.objects import MACHINES, Function
from coconut.prove.polynomials import Unproved
from coconut.tests.test_prove_objects import RECORD, with_kernel

GCC_ARM, CLANG_ARM = COMPILERS[2:]
# Compiler, kernel, function and length: partial, masked and wide loads at the ends of the message.
CALLS = [
    ("gcc", "scalar64", "mac", 5),
    ("gcc", "scalar64", "absorb", 37),
    ("gcc", "avx2", "absorb", 70),
    ("gcc", "ifma256", "mac", 143),
    ("gcc", "ifma", "absorb", 130),
    ("clang-19", "scalar64", "mac", 21),
    ("clang-19", "avx2", "mac", 145),
    ("clang-19", "ifma", "absorb", 257),
    (GCC_ARM, "scalar64", "absorb", 37),
    (GCC_ARM, "neon", "mac", 142),
    (CLANG_ARM, "neon", "absorb", 65),
]
# Those in which writes and registers are changed: what ends a call does not depend on the length.
ENDS = [call for call in CALLS if call[1] in {"scalar64", "ifma256"} or call[0] == CLANG_ARM]
Read = tuple[Line, int, int]


def function_of(compiler: str, name: str, member: str) -> Function:
    return Function(with_kernel(compiler, name), RECORD[name], member)


def reads_of(function: Function, length: int, monkeypatch: pytest.MonkeyPatch) -> list[Read]:
    """Return what a call reads of the message: the instruction, the first byte and how many."""
    found: list[Read] = []
    running: list[Line] = []
    machine = MACHINES[function.linked.target.architecture]
    step, read = machine.step, Memory.read

    def watched_step(self: Machine, line: Line) -> int:
        running[:] = [line]
        return step(self, line)

    def watched_read(self: Memory, at: int, count: int) -> Any:
        if running and MESSAGE <= at < MESSAGE + length:
            found.append((running[0], at - MESSAGE, count))
        return read(self, at, count)

    with monkeypatch.context() as patch:
        patch.setattr(machine, "step", watched_step)
        patch.setattr(Memory, "read", watched_read)
        function.prove(length)
    return found


# What an offset of a load of two registers is a multiple of.
UNITS = {"w": 4, "x": 8, "d": 8, "q": 16}


def moved(line: Line, by: int) -> Line:
    """Return a load with another offset: by a byte, or by the least that there is."""
    if line.name == "ldp":
        by *= UNITS[line.operands[0][0]]

    def x86(found: re.Match[str]) -> str:
        return f"{int(found[1] or '0', 0) + by:#x}{found[2]}"

    def arm(found: re.Match[str]) -> str:
        return f"[{found[1]}, #{int(found[2] or '0', 0) + by}]"

    operands = [
        re.sub(r"\[(\w+)(?:, #(-?\w+))?\]", arm, re.sub(r"^(-?0x[0-9a-f]+)?(\(%\w+.*\).*)$", x86, text))
        for text in line.operands
    ]
    return replace(line, operands=tuple(operands))


@pytest.mark.sample(4)
@pytest.mark.parametrize(("compiler", "name", "member", "length"), CALLS)
def test_reads(compiler: str, name: str, member: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte of the message is read, and none beside it; one byte more at either end is refused."""
    function = function_of(compiler, name, member)
    reads = reads_of(function, length, monkeypatch)
    assert {at + i for _, at, count in reads for i in range(count)} == set(range(length))
    first = next(line for line, at, _ in reads if at == 0)
    last = next(line for line, at, count in reads if at + count == length)
    planted = 0
    for line, by in ((first, -1), (last, 1)):
        changed = moved(line, by)
        if changed.operands == line.operands:
            # A base that is changed by the load, or an index: on Arm alone.
            continue
        planted += 1
        with (
            changed_line(function.linked, changed),
            pytest.raises(Unproved, match="are read, which nothing has written"),
        ):
            function.prove(length)
    assert planted == 2 or function.linked.target != X86_64


@contextmanager
def ended_by(function: Function, length: int, *texts: str) -> Iterator[None]:
    """Put instructions before the last one that a call runs, with which it returns."""
    linked, at = function.linked, 0x3000
    function.prove(length)
    end = linked.lines[function.ran[-1]]
    assert end.name == "ret" and at not in linked.lines
    jump = "jmp" if linked.target == X86_64 else "b"
    lines = [
        read_line(at + 8 * i, at + 8 * (i + 1), text, linked.target.comment) for i, text in enumerate((*texts, "ret"))
    ]
    linked.lines.update({line.at: line for line in lines})
    try:
        with changed_line(linked, replace(end, name=jump, operands=(f"{at:x}",))):
            yield
    finally:
        for line in lines:
            del linked.lines[line.at]


def store(linked_for: object, at: int, size: int = 1) -> tuple[str, ...]:
    """Return instructions that write zeros at an address."""
    if linked_for == X86_64:
        return f"movabs ${at:#x},%rax", f"mov{ {1: 'b', 8: 'q'}[size] } $0x0,(%rax)"
    parts = [f"movk x9, #{at >> shift & 0xFFFF:#x}, lsl #{shift}" for shift in (16, 32, 48)]
    return f"movz x9, #{at & 0xFFFF:#x}", *parts, "strb wzr, [x9]" if size == 1 else "str xzr, [x9]"


# What a call must not write: of the state r, s, what is behind h; the key; the message at both ends.
PLACES = {
    "absorb": (STATE, STATE + 15, STATE + 16, STATE + 31, STATE + 56, STATE - 1, MESSAGE, MESSAGE - 1),
    "mac": (KEY, KEY + 31, MESSAGE, MESSAGE + 4),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize(("compiler", "name", "member", "length"), ENDS)
def test_writes(compiler: str, name: str, member: str, length: int) -> None:
    """A byte that is written beside the result is refused, and so is a result that reaches beyond it by one byte."""
    function = function_of(compiler, name, member)
    target = function.linked.target
    with ended_by(function, length, "nop"):
        assert function.prove(length) > 10
    for at in PLACES[member]:
        with ended_by(function, length, *store(target, at)), pytest.raises(Unproved, match="1 bytes are written at"):
            function.prove(length)
    if member == "absorb":
        wide = store(target, STATE + 49, 8)
        with ended_by(function, length, *wide), pytest.raises(Unproved, match="is not|8 bytes are written at"):
            function.prove(length)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("compiler", "name", "member", "length"), ENDS)
def test_kept(compiler: str, name: str, member: str, length: int) -> None:
    """Each register that a call must restore, and the state of the units, are kept."""
    function = function_of(compiler, name, member)
    machine = MACHINES[function.linked.target.architecture]
    units: tuple[str, ...]
    texts = {f"mov $0x0,%{name}": f"{name} is not restored" for name in machine.CALLEE_SAVED}
    units = ("std", "ldmxcsr 0x8(%rsp)", "vldmxcsr 0x8(%rsp)", "fldcw 0x8(%rsp)", "emms")
    if function.linked.target != X86_64:
        texts = {f"orr {name}, xzr, xzr": f"{name} is not restored" for name in machine.CALLEE_SAVED}
        texts |= {f"movi v{i}.2d, #0x0": f"d{i} is not restored" for i in range(8, 16)}
        units = ("msr fpcr, xzr",)
    texts |= {text: f"^3000 : {re.escape(text)}: " for text in units}
    for text, what in texts.items():
        with ended_by(function, length, text), pytest.raises(Unproved, match=what):
            function.prove(length)
