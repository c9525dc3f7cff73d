# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of Poly1305's public functions for one message, and that wrong programs are refused."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from coconut.lift import amd64, machine
from coconut.lift.objects import COMPILERS, Line, Linked, compiled, installed
from coconut.prove import calls, objects, pieces
from coconut.prove.aead import Case, prove_cases
from coconut.prove.choices import Choice, choices, missing
from coconut.prove.macs import (
    AES_KEY_BYTES,
    KEY,
    PAD,
    Macs,
    Padded,
    prove_appended,
    prove_clamped,
    prove_computed,
    prove_partial_verdict,
    prove_rejected,
    prove_replaced,
    prove_segments,
    prove_tag,
    prove_verdict,
    prove_zeros,
)
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved


def program(compiler: str) -> Linked:
    if compiler not in installed():
        pytest.skip(f"{compiler} is not installed")
    return compiled(compiler)


def choice_of(linked: Linked, name: str) -> Choice:
    """Return a choice of kernels with a kernel of Poly1305, which this CPU can run."""
    for choice in choices(linked):
        if name in choice.name.partition(" with ")[2].replace(",", "").split():
            if lacking := missing(linked, choice):
                pytest.skip(lacking)
            return choice
    raise AssertionError(name)


def ran_in(calls: Macs, function: str) -> list[Line]:
    """Return the instructions of a function that a call has run."""
    linked = calls.linked
    begin = linked.symbols[function]
    end = min(at for at in linked.functions if at > begin)
    return [linked.lines[at] for at in calls.ran if begin <= at < end]


def is_refused(linked: Linked, line: Line, prove: Callable[[], Macs], **changes: object) -> bool:
    with changed_line(linked, replace(line, **(changes or {"name": "nop", "operands": ()}))):  # type: ignore[arg-type]
        try:
            prove()
        except Unproved:
            return True
    return False


@pytest.mark.parametrize("compiler", COMPILERS[::3])
def test_one_call(compiler: str) -> None:
    linked = program(compiler)
    choice = choice_of(linked, "scalar64")
    for length in (0, 5, 40, 77):
        assert prove_tag(linked, choice, length).taken == [f"scalar64 mac of {-(-length // 16)}"]
    for valid in (True, False):
        prove_verdict(linked, choice, 0, valid)
        prove_verdict(linked, choice, 37, valid)
        prove_partial_verdict(linked, choice, 20, valid)


@pytest.mark.parametrize("compiler", COMPILERS[::3])
def test_other_pads(compiler: str) -> None:
    linked = program(compiler)
    choice = choice_of(linked, "scalar64")
    for aes in (True, False):
        for valid in (None, True, False):
            for clamped in (True, False):
                Padded(linked, choice, aes, 20, valid, clamped).prove()
    assert prove_clamped(linked) == 1


@pytest.mark.parametrize("compiler", COMPILERS[::3])
def test_partials(compiler: str) -> None:
    linked = program(compiler)
    choice = choice_of(linked, "scalar64")
    prove_computed(linked, choice, 20)
    prove_segments(linked, choice, 100, 32)
    prove_appended(linked, choice, 32, 20, join=False)
    prove_appended(linked, choice, 20, 5, join=True)
    prove_replaced(linked, choice, 100, 32, 36)
    prove_zeros(linked, choice, 20)
    prove_rejected(linked, choice, "replace")


@pytest.mark.sample(3)
@pytest.mark.parametrize("place", [32, 48, 64])
def test_other_places_of_the_stack(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved with the stack at one place in a cache line is proved at the others."""
    top = machine.STACK_TOP // 64 * 64 + place
    for module in (machine, amd64, objects, pieces, calls):
        assert module.STACK_TOP % 64 == 16
        monkeypatch.setattr(module, "STACK_TOP", top)
    linked = program("gcc")
    choice = choice_of(linked, "avx2")
    prove_tag(linked, choice, 37)
    prove_segments(linked, choice, 100, 32)
    prove_appended(linked, choice, 20, 5, join=True)
    prove_replaced(linked, choice, 100, 32, 36)
    prove_zeros(linked, choice, 20)
    for case in (Case(False, 65, 13), Case(True, 150, 0, in_place=True, extended=True)):
        prove_cases(linked, choice, [case], set())


def test_half_of_a_tag() -> None:
    """A comparison of one of both words is refused, whatever the verdict."""
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")
    for valid in (True, False):

        def prove(valid: bool = valid) -> Macs:
            return prove_verdict(linked, choice, 37, valid)

        lines = ran_in(prove(), "hornet_poly1305_verify")
        joined = [line for line in lines if line.name == "or" and all(x.startswith("%r") for x in line.operands)]
        assert joined
        assert all(is_refused(linked, line, prove) for line in joined)


def test_verdict_swapped() -> None:
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")

    def prove() -> Macs:
        return prove_verdict(linked, choice, 37, valid=True)

    (line,) = [line for line in ran_in(prove(), "hornet_poly1305_verify") if line.name == "sete"]
    assert is_refused(linked, line, prove, name="setne")


def test_no_clamp() -> None:
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")

    def prove() -> Macs:
        return prove_tag(linked, choice, 37)

    lines = [linked.lines[at] for at in prove().ran]
    clamps = [line for line in lines if line.name == "and" and line.operands[0].endswith("(%rcx)")]
    assert len(clamps) == 2
    assert all(is_refused(linked, line, prove, name="mov") for line in clamps)


def shifted(monkeypatch: pytest.MonkeyPatch, register: str, by: int) -> None:
    """Have AES get another pointer than the program gives it."""
    entered = Macs.entered

    def other(calls: Macs, at: int) -> int:
        if at in calls.aes:
            calls.machine.general[register] += by
        return entered(calls, at)

    monkeypatch.setattr(Macs, "entered", other)


@pytest.mark.parametrize(("register", "by"), [("rsi", KEY - PAD), ("rdx", AES_KEY_BYTES // 2)])
def test_other_input_of_aes(monkeypatch: pytest.MonkeyPatch, register: str, by: int) -> None:
    """AES of another block than the nonce, or under r in place of k, is refused."""
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")
    call = Padded(linked, choice, aes=True, length=20)
    call.prove()
    shifted(monkeypatch, register, by)
    with pytest.raises(Unproved, match="nothing has written|computed nothing"):
        call.prove()


def test_no_aes() -> None:
    """A pad that is the nonce itself is refused."""
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")
    call = Padded(linked, choice, aes=True, length=20)
    lines = [line for line in ran_in(call.prove(), "keys_of_nonces") if line.name == "call"]
    assert any(is_refused(linked, line, call.prove) for line in lines if "*" in line.operands[0])


def test_segment_of_another_length() -> None:
    """A segment that is shifted by the blocks of another one is refused."""
    linked = program("gcc")
    choice = choice_of(linked, "scalar64")

    def prove() -> Macs:
        return prove_appended(linked, choice, 32, 20, join=False)

    products = [line for line in ran_in(prove(), "raise") if line.name in {"mul", "imul", "mulx"}]
    assert products
    assert is_refused(linked, products[-1], prove)
