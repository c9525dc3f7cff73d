# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of loops of compiled functions, and that mistakes are refused."""

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from coconut.lift.machine import Unknown
from coconut.lift.objects import Line, Linked, read_line
from coconut.lift.publics import Public, Residue, Space, Split, Whole
from coconut.prove.evaluation import Inputs
from coconut.prove.loops import Induction, Limb, State, Top, fitted
from coconut.prove.mutations_objects import changed_line, plant_in_loops
from coconut.prove.polynomials import Unproved
from coconut.tests.test_prove_objects import RECORD, program


def prove(linked: Linked, name: str = "scalar64", member: str = "mac") -> Induction:
    induction = Induction(linked, RECORD[name], member, Inputs())
    assert induction.prove_all() > 10
    return induction


# `make prove QUICK=1` proves gcc's.
@pytest.mark.parametrize(("name", "member"), [("scalar64", "mac"), ("avx2", "mac")])
def test_every_length(name: str, member: str) -> None:
    prove(program("clang-19"), name, member)


def loop_of(linked: Linked, at: int) -> list[Line]:
    """Return the instructions of the loop that ends with a jump at an address."""
    first = int(linked.lines[at].operands[0].split()[0], 16)
    return [linked.lines[i] for i in sorted(linked.lines) if first <= i <= at]


def scalar_loop() -> tuple[Linked, list[Line]]:
    """Return the loop over the blocks of a message as gcc made it, which ends with the jump at which a state is."""
    linked = program("gcc")
    ends = [at for at, _, _ in prove(linked).states if linked.lines[at].name == "jne"]
    assert len(ends) == 1
    return linked, loop_of(linked, ends[0])


def other(line: Line, *operands: str) -> Line:
    return replace(line, operands=operands)


# For each mistake, the instructions of the loop that it is in, and what is in their place.
MISTAKES: dict[str, tuple[Callable[[Line], bool], Callable[[Line], Line]]] = {
    "stride": (lambda line: line.operands[:1] == ("$0x10",), lambda line: other(line, "$0x8", line.operands[1])),
    "counter": (lambda line: line.name == "cmp", lambda line: other(line, line.operands[0], line.operands[0])),
    "direction": (lambda line: line.name == "jne", lambda line: replace(line, name="je")),
    "accumulator": (lambda line: line.name == "mul", lambda line: replace(line, name="nop", operands=())),
    "message": (lambda line: "(" in "".join(line.operands[:1]), lambda line: replace(line, name="nop", operands=())),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_a_loop_are_refused(name: str) -> None:
    linked, lines = scalar_loop()
    is_it, change = MISTAKES[name]
    found = [line for line in lines if is_it(line)]
    assert found
    for line in found[:2]:
        with changed_line(linked, change(line)), pytest.raises(Unproved):
            prove(linked)


def test_reads_beyond_the_message() -> None:
    """A load behind what an iteration takes, of which nothing is used, is refused, as the last one has no more bytes."""
    linked, lines_of_loop = scalar_loop()
    (first, second), at = lines_of_loop[:2], 0x3000
    (place,) = (
        found for line in lines_of_loop if (found := re.fullmatch(r"(?:0x0)?\((%\w+)\)", "".join(line.operands[:1])))
    )
    assert first.operands[1:] == ("%rax",) and at not in linked.lines
    for offset, is_refused in ((0x8, False), (0x9, True), (0x10, True)):
        texts = (f"mov {offset:#x}({place[1]}),%rax", first.text, f"jmp {second.at:x}")
        lines = [read_line(at + 8 * i, at + 8 * (i + 1), text) for i, text in enumerate(texts)]
        linked.lines.update({line.at: line for line in lines})
        try:
            with changed_line(linked, replace(first, name="jmp", operands=("3000",))):
                if is_refused:
                    with pytest.raises(Unproved, match="are read, beyond the message"):
                        prove(linked)
                else:
                    prove(linked)
        finally:
            for line in lines:
                del linked.lines[line.at]


def test_stale_register() -> None:
    """After the loop, a register that an iteration overwrites is not taken for a limb of T."""
    linked = program("gcc")
    induction = prove(linked)
    (state,) = (state for state in induction.states.values() if linked.lines[state.key[0]].name == "jne")
    held = {place[1]: value for place, value in state.held.items() if place[0] == "general"}
    limbs = {f"%{name}" for name, value in held.items() if isinstance(value, Limb)}
    stale = [f"%{name}" for name, value in held.items() if isinstance(value, Top)]
    behind = [linked.lines[at] for at in sorted(induction.ran_all) if at > state.key[0]]
    taking = [line for line in behind if line.name in {"mov", "imul", "mul", "add"} and line.operands[0] in limbs]
    assert stale and taking
    with changed_line(linked, other(taking[0], stale[0], *taking[0].operands[1:])), pytest.raises(Unproved):
        prove(linked)


def test_first_value() -> None:
    """A state is made of what is the same in all calls: T of the first iteration is not that of later ones."""
    induction = prove(program("gcc"))
    (state,) = (state for state in induction.states.values() if len(state.arrivals) == 2 and state.ranges[3][1])
    numbers = [place for place, value in state.held.items() if isinstance(value, Limb)]
    assert len(numbers) >= 3
    first, later = state.arrivals
    # As if the second call had T of the first one, or the pointer of the first one.
    stale = replace(later, values=first.values, limbs={})
    assert state.covers(later) and not state.covers(stale)
    pointers = [place for place, value in state.held.items() if getattr(value, "factors", (0,) * 5)[2]]
    assert pointers
    for place in pointers:
        assert not state.covers(replace(later, values={**later.values, place: first.values[place]}))


def test_what_depends_on_the_path_is_not_kept() -> None:
    """A number is kept in a state only if it depends on nothing but key, state and a constant place in the message."""
    inputs = Inputs()
    induction = Induction(program("gcc"), RECORD["scalar64"], "mac", inputs)
    key, far, any_t = (inputs.word(name, 2**64 - 1) for name in ("s0", "m16u2+8:8", "any t[0].0, 0xff"))
    for number, is_kept in ((key, True), (far, False), (any_t, False), (key >> 3, True), (key + far >> 3, False)):
        assert not isinstance(number, int)
        assert induction.is_kept(number) == is_kept


def test_top() -> None:
    for use in (bool, lambda x: x == 0, lambda x: x != 0, lambda x: {1: 0}[x]):
        with pytest.raises((Unproved, KeyError)):
            use(Top("a register"))
    assert isinstance(replace(Top("")), Unknown)


def test_fit() -> None:
    """One affine relation holds on all paths, or none does."""
    space = Space()
    v: Whole = space.variable("v", 0, 100)
    samples: list[tuple[tuple[Whole, ...], Whole]] = [((0, 1, 0, v, 0), v * 64 + 7), ((0, 1, 2, v - 1, 0), v * 64 + 71)]
    found = fitted(samples)
    assert found is not None
    # 64 (u + v) + 7, as far as these two say.
    assert all(found.at(parameters) - value == 0 for parameters, value in samples)
    assert fitted([*samples, ((0, 1, 4, v - 2, 0), v * 64 + 136)]) is None
    assert State((0, 0, False), ranges=[(0, 0)]).known() == set()


def test_public_numbers() -> None:
    """Each operation on public numbers agrees with that on integers, for all values in the ranges."""
    source = random.Random(1)
    operations: list[Callable[[Whole], Whole]] = [
        lambda x: x + 5 & 2**64 - 1,
        lambda x: x - 200 & 2**64 - 1,
        lambda x: (x - 200 & 2**64 - 1) + 7 & 2**64 - 1,
        lambda x: x >> 4,
        lambda x: x & 15,
        lambda x: x & 2**64 - 16,
        lambda x: x % 48,
        lambda x: x // 16,
        lambda x: x | 16,
        lambda x: int(x < 96),
        lambda x: int(x == 96),
        lambda x: int((x - 96 & 2**64 - 1) == 0),
        lambda x: int((x - 96 & 2**64 - 1) >= 2**63),
        lambda x: ((x & 2**32 - 1) - 96 & 2**32 - 1) & 15,
        lambda x: (3 - x & 2**64 - 1) >> 63,
        lambda x: (x & 2**64 - 256 | 63) & 255,
        lambda x: (x & 255) & 2**64 - 256,
    ]
    for operation in operations:
        for _ in range(20):
            constant, factor = source.randrange(200), source.choice((1, 3, 16, 48))
            check_operation(operation, constant, factor, (source.randrange(4), source.randrange(4, 40)))


def check_operation(operation: Callable[[Whole], Whole], constant: int, factor: int, limits: tuple[int, int]) -> None:
    """Compare an operation on constant + factor w with integers, on each part of the range of w."""
    parts = [limits]
    while parts:
        low, high = parts.pop()
        space = Space()
        w = space.variable("y", low, high) if low < high else low
        try:
            result = operation(w * factor + constant)
        except Split as split:
            assert [split.parts[0][0], split.parts[-1][1]] == [low, high] and len(split.parts) > 1
            parts += split.parts
            continue
        for value in range(low, high + 1):
            found = result.with_value("y0", value) if isinstance(result, Public) else result
            if isinstance(found, Public):
                found = found.exact()
            assert found == operation(value * factor + constant)


def test_residue() -> None:
    with pytest.raises(Residue, match="w0 modulo 4"):
        Space().variable("w", 0, 1000) & 3


def test_mutations() -> None:
    tally = plant_in_loops("gcc", "scalar64", 23)
    assert tally.planted >= 5 and not tally.unexplained()
