# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in the instructions that a compiled function runs at one length.

A change that is not refused must compute the same at that length, as a comparison with another number may; it is also
run on samples, where something else would show that the proof is unsound.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from coconut.lift.objects import Line, Linked, compiled
from coconut.prove.composition import Key
from coconut.prove.evaluation import Inputs, Record, record_called
from coconut.prove.loops import Induction
from coconut.prove.objects import Function
from coconut.prove.planting import Tally
from coconut.prove.polynomials import Unproved

# Instructions with the same operands.
OTHERS = (
    ("vpaddq", "vpsubq"),
    ("vpsllq", "vpsrlq"),
    ("vpmadd52luq", "vpmadd52huq"),
    ("vpunpcklqdq", "vpunpckhqdq"),
    ("vpandq", "vporq"),
    ("vpand", "vpor"),
    ("add", "sub"),
    ("adc", "add"),
    ("and", "or"),
    ("shl", "shr"),
)
ARM_OTHERS = (
    ("adds", "subs"),
    ("add", "sub"),
    ("adcs", "adds"),
    ("adc", "add"),
    ("and", "orr"),
    ("shl", "ushr"),
    ("lslv", "lsrv"),
    ("sli", "shl"),
    ("usra", "sli"),
    ("zip1", "zip2"),
    ("trn1", "trn2"),
    ("uzp1", "uzp2"),
    ("csel", "csinc"),
)


def both_ways(others: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(others) | {b: a for a, b in others}


OTHER = {"x86_64": both_ways(OTHERS), "aarch64": both_ways(ARM_OTHERS)}
# Each is replaced by the one before it.
NAMES = ("rax", "rcx", "rdx", "rbx", "rsi", "rdi", *(f"r{i}" for i in range(8, 16)))
GENERAL = {f"%{name}": f"%{NAMES[i - 1]}" for i, name in enumerate(NAMES)}
ARM_NAMES = tuple(str(i) for i in range(29))
ARM_GENERAL = {f"{width}{name}": f"{width}{ARM_NAMES[i - 1]}" for width in "xw" for i, name in enumerate(ARM_NAMES)}


def other_operands(operand: str) -> Iterator[tuple[str, str]]:
    """Yield the kind of each change of an operand on x86-64, and what it becomes."""
    if found := re.fullmatch(r"\$(-?0x[0-9a-f]+|-?\d+)", operand):
        yield from (("number", f"${int(found[1], 0) + by:#x}") for by in (1, -1))
    elif found := re.match(r"%([xyz])mm(\d+)", operand):
        yield "register", f"%{found[1]}mm{int(found[2]) ^ 1}{operand[found.end() :]}"
    elif operand in GENERAL:
        yield "register", GENERAL[operand]
    elif found := re.match(r"(-?0x[0-9a-f]+)?\(%(?!rip)", operand):
        yield "offset", f"{int(found[1] or '0', 0) + 8:#x}{operand[operand.index('(') :]}"


def other_arm_operands(operand: str) -> Iterator[tuple[str, str]]:
    """Yield the same on 64-bit Arm."""
    if found := re.fullmatch(r"#(-?0x[0-9a-f]+|-?\d+)", operand):
        yield from (("number", f"#{int(found[1], 0) + by}") for by in (1, -1))
    elif found := re.match(r"([vqds])(\d+)(?!\w)", operand):
        yield "register", f"{found[1]}{int(found[2]) ^ 1}{operand[found.end() :]}"
        if index := re.search(r"\[(\d)\]$", operand):
            yield "element", f"{operand[: index.start()]}[{int(index[1]) ^ 1}]"
    elif operand in ARM_GENERAL:
        yield "register", ARM_GENERAL[operand]
    elif found := re.fullmatch(r"\[(\w+)(?:, #(-?\d+))?\](!?)", operand):
        yield "offset", f"[{found[1]}, #{int(found[2] or 0) + 8}]{found[3]}"
    elif found := re.fullmatch(r"lsl #(0x)?(\d+)", operand):
        yield "shift", f"lsl #{int(found[2]) + 1}"


def changes(line: Line, architecture: str = "x86_64") -> Iterator[tuple[str, Line]]:
    """Yield the kind of each change of an instruction, and what it becomes."""
    yield "left out", replace(line, name="nop", operands=())
    if line.name in OTHER[architecture]:
        yield "operation", replace(line, name=OTHER[architecture][line.name])
    others = other_operands if architecture == "x86_64" else other_arm_operands
    for i, operand in enumerate(line.operands):
        for kind, other in others(operand):
            yield kind, replace(line, operands=(*line.operands[:i], other, *line.operands[i + 1 :]))


def one_of_each(linked: Linked, ran: Iterable[int], every: int) -> list[tuple[str, Line]]:
    """Return a change of every n-th instruction, of the first one on: of one the first, of the next the second."""
    found = []
    for i, at in enumerate(sorted(ran)):
        made = list(changes(linked.lines[at], linked.target.architecture))
        found.append(made[i % len(made)])
    return found[::every]


@contextmanager
def changed_line(linked: Linked, line: Line) -> Iterator[None]:
    """Have a changed instruction in the place of the one at its address."""
    before = linked.lines[line.at]
    linked.lines[line.at] = line
    try:
        yield
    finally:
        linked.lines[line.at] = before


def reason_for(function: Function, length: int) -> str:
    """Return why a change is right, if the function still computes tags of samples."""
    for sample in map(Key, range(3)):
        try:
            if function.run(sample.key, sample.message[:length]) != sample.tag(length):
                return ""
        except Unproved:
            return ""
    return "the same at this length, on samples too"


# The compiler, the kernel, the length, and which instructions get a mistake: every n-th.
CALLS = (
    ("gcc", "scalar64", 40, 3),
    ("clang-19", "scalar64", 21, 3),
    ("gcc", "ifma256", 143, 47),
    ("clang-19", "avx2", 79, 97),
    ("aarch64-linux-gnu-gcc", "scalar64", 37, 3),
    ("clang-19 --target=aarch64-linux-gnu", "scalar64", 21, 3),
    ("aarch64-linux-gnu-gcc", "neon", 142, 97),
    ("clang-19 --target=aarch64-linux-gnu", "neon_in_order", 79, 97),
)


def plant(
    linked: Linked, ran: Iterable[int], every: int, where: str, prove: Callable[[], object], reason: Callable[[], str]
) -> Tally:
    """Plant a mistake in every n-th instruction that ran."""
    tally = Tally()
    for kind, changed in one_of_each(linked, ran, every):
        title = f"{linked.version}: {where}: {linked.lines[changed.at].text}, {kind}"
        with changed_line(linked, changed):
            tally.plant(kind, title, prove, reason)
    return tally


def plant_in_call(compiler: str, record: str, length: int, every: int) -> Tally:
    """Plant a mistake in every n-th instruction that a call of mac runs."""
    linked = compiled(compiler)
    function = Function(linked, record_called(record), "mac", Inputs())
    function.prove(length)
    where, prove = f"{record} mac, {length} bytes", partial(function.prove, length)
    return plant(linked, list(function.ran), every, where, prove, partial(reason_for, function, length))


# The compiler, the kernel, and which instructions that run at any length get a mistake: every n-th.
LOOPS = (("gcc", "scalar64", 29), ("clang-19", "scalar64", 29))
# At these lengths, samples tell whether a change computes the same.
SAMPLED = (*range(49), 63, 64, 95, 160, 161, 1000)


def plant_in_loops(compiler: str, record: str, every: int) -> Tally:
    """Plant a mistake in every n-th instruction of mac, which the proof for all lengths must refuse."""
    linked, found = compiled(compiler), record_called(record)
    induction = Induction(linked, found, "mac")
    induction.prove_all()

    def prove() -> int:
        return Induction(linked, found, "mac").prove_all()

    reason = partial(reason_at_all, linked, found, induction.shortest)
    return plant(linked, induction.ran_all, every, f"{record} mac, every length", prove, reason)


def reason_at_all(linked: Linked, record: Record, shortest: int) -> str:
    """Return why a change is right, if the function still computes tags of samples of all lengths that are proved."""
    function = Function(linked, record, "mac")
    reasons = {reason_for(function, length) for length in SAMPLED if length >= shortest}
    return "the same at every length, on samples too" if "" not in reasons else ""


def plant_in_objects(each: bool = False) -> Iterator[tuple[str, Tally]]:
    """Plant mistakes in calls; yield the title of each, and what became of them.

    each: in every instruction that runs, for hours.
    """
    for compiler, record, every in LOOPS:
        every = 1 if each else every
        title = f"{compiler} {record}, every length, one instruction in {every}"
        yield title, plant_in_loops(compiler, record, every)
    for compiler, record, length, every in CALLS:
        every = 1 if each else every
        title = f"{compiler} {record}, {length} bytes, one instruction in {every}"
        yield title, plant_in_call(compiler, record, length, every)
