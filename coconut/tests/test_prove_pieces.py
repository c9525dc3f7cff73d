# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of messages in pieces, and that mistakes are refused."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from coconut.lift.objects import COMPILERS, Line, Linked, compiled, installed
from coconut.prove.choices import LISTS, Choice, choices, missing, new_records, records_in_use
from coconut.prove.evaluation import NamingRing
from coconut.prove.mutations_objects import changed_line
from coconut.prove.objects import PIECES_LANES
from coconut.prove.pieces import (
    FINAL,
    FORCE,
    IN,
    STATE,
    TOO_LONG,
    VERIFY,
    AeadInPieces,
    Pieces,
    Poly1305InPieces,
    Step,
    UnalignedRing,
    aads,
    texts,
    updates,
)
from coconut.prove.polynomials import Unproved, poly_of


def program(compiler: str) -> tuple[Linked, Choice]:
    """Return a program, and a choice with AVX2 or NEON in the streaming state."""
    if compiler not in installed():
        pytest.skip(f"{compiler} is not installed")
    linked = compiled(compiler)
    choice = next(
        choice for choice in choices(linked) if choice.name.endswith(("with avx2, scalar64", "with neon, scalar64"))
    )
    if lacking := missing(linked, choice):
        pytest.skip(lacking)
    return linked, choice


def prove(kind: Callable[..., Pieces], steps: Sequence[Step], compiler: str = "gcc", valid: bool = True) -> Any:
    return kind(*program(compiler), steps, valid).prove()


@pytest.mark.parametrize("compiler", COMPILERS[::3])
def test_poly1305(compiler: str) -> None:
    """Lanes are begun and ended, and every block is in them once; another kernel's lanes stay in use after a change."""
    calls = prove(Poly1305InPieces, [*updates(257, 300), FORCE, *updates(305), FINAL], compiler)
    names = [title.split()[1] for title in calls.taken]
    assert names == ["absorb", "lanes_begin", "lanes_absorb", "lanes_absorb", "lanes_end", "absorb"]


@pytest.mark.parametrize("compiler", COMPILERS[::3])
@pytest.mark.parametrize("valid", [True, False])
def test_aead(compiler: str, valid: bool) -> None:
    steps = [*aads(3), *texts("decrypt", 65), *texts("encrypt", 2), *texts("decrypt", 9, TOO_LONG), VERIFY, VERIFY]
    assert prove(AeadInPieces, steps, compiler, valid).steps > 1000


def lines_in(linked: Linked, function: str) -> list[Line]:
    """Return the instructions of a function."""
    start = linked.symbols[function]
    end = min(at for at in linked.functions if at > start)
    return [line for at, line in linked.lines.items() if start <= at < end]


def refused(
    function: str,
    chosen: Callable[[Line], bool],
    kind: Callable[..., Pieces],
    steps: Sequence[Step],
    why: str,
    which: int = 0,
    **changes: Any,
) -> None:
    """Check that a change of one instruction of a function is refused, and the function as it is is not."""
    linked, choice = program("gcc")
    kind(linked, choice, steps).prove()
    lines = [line for line in lines_in(linked, function) if chosen(line)]
    assert lines
    changed = replace(lines[which], **(changes or {"name": "nop", "operands": ()}))
    with changed_line(linked, changed), pytest.raises(Unproved, match=why):
        kind(linked, choice, steps).prove()


def stores(line: Line) -> bool:
    return line.name.startswith(("mov", "vmov")) and len(line.operands) == 2 and "(" in line.operands[1]


def test_state_is_wiped() -> None:
    """A state of which 16 bytes stay is refused."""
    refused(
        "hornet_poly1305_final_using",
        lambda line: line.name.startswith("movups") and stores(line),
        Poly1305InPieces,
        [*updates(20), FINAL],
        "the state has a secret|live",
    )


def test_piece_absorbed_twice() -> None:
    """What was absorbed and stays in the buffer is refused."""
    refused(
        "buffer_rest",
        lambda line: line.name == "movq" and line.operands[0] == "$0x0",
        Poly1305InPieces,
        [*updates(200, 205), FINAL],
        "Poly1305 has computed nothing of this|which nothing has written",
    )


def test_tail_of_a_piece_is_lost() -> None:
    """A piece of which the last bytes are not counted in the buffer is refused."""
    refused(
        "buffer_rest",
        lambda line: line.name == "mov" and line.operands[-1].startswith("0x40("),
        Poly1305InPieces,
        [*updates(200, 205), FINAL],
        "Poly1305 has computed nothing of this",
    )


def test_half_of_a_tag() -> None:
    """A comparison of one of both words of a tag is refused."""
    refused(
        "hornet_poly1305_final_verify",
        lambda line: line.name == "or" and all(operand.startswith("%r") for operand in line.operands),
        Poly1305InPieces,
        [*updates(20), VERIFY],
        "something else than a tag|symbolic",
    )


@pytest.mark.parametrize("lengths", [(32, 304), (304, 304), (304, 304, 304)])
def test_other_message(lengths: tuple[int, ...]) -> None:
    """An accumulator that has a piece twice has no tag, in the buffer, in words and in lanes."""

    class Twice(Poly1305InPieces):
        def update(self, step: Step) -> None:
            super().update(step)
            if self.count == len(lengths):
                self.call("hornet_poly1305_update", [self.place(IN), step.length])

    linked, choice = program("gcc")
    steps = [*updates(*lengths), FINAL]
    assert Poly1305InPieces(linked, choice, steps).prove().taken
    with pytest.raises(Unproved, match="computed nothing of this|of the tag is another number"):
        Twice(linked, choice, steps).prove()


@pytest.mark.parametrize("count", [*range(1, 16)])
def test_last_block(count: int) -> None:
    """A last block of each length is proved, as the first block and after others."""
    assert prove(Poly1305InPieces, [*updates(count), FINAL]).taken
    assert prove(Poly1305InPieces, [*updates(21, 11 + count), FINAL]).taken


def test_counter_advances() -> None:
    """A counter that stays where it was makes other text, or is noticed before."""
    refused(
        "hornet_chacha20_pass",
        lambda line: line.name == "mov" and line.operands[-1].startswith("0x30("),
        AeadInPieces,
        [*texts("encrypt", 64, 64), FINAL],
        "the counter is not that",
    )


def test_padding_of_associated_data() -> None:
    """Associated data that does not fit is padded when text arrives; one byte less is refused."""
    refused(
        "aead_process_chunks",
        lambda line: line.name == "and" and line.operands[0] == "$0xf",
        AeadInPieces,
        [*aads(260), *texts("encrypt", 20), FINAL],
        "Poly1305 has computed nothing of this",
        operands=("$0x7", "%edx"),
    )


@pytest.mark.parametrize("function", ["hornet_poly1305_final_verify", "hornet_aead_final_verify_truncated"])
def test_verdict(function: str) -> None:
    """The opposite verdict is refused."""
    is_aead = "aead" in function
    refused(
        function,
        lambda line: line.name == "sete",
        AeadInPieces if is_aead else Poly1305InPieces,
        [*(texts("decrypt", 5) if is_aead else updates(5)), VERIFY],
        "returns something else than|symbolic",
        which=-1,
        name="setne",
    )


def test_lanes_must_be_as_left() -> None:
    """Lanes that something has changed between calls are refused, also if only a power of r is another one."""
    linked, choice = program("gcc")

    class Changed(Poly1305InPieces):
        def change(self, step: Step) -> None:
            at = STATE + step.length
            self.calls.memory.write(at, 8, self.calls.ring.input("other", 5))

    steps = [*updates(257, 300), Step("change", PIECES_LANES + 8 * 45), *updates(300), FINAL]
    with pytest.raises(Unproved, match="is not as it was left"):
        Changed(linked, choice, steps).prove()


def test_each_kernel_is_new_once() -> None:
    """Each kernel that a choice has is new in one choice."""
    linked, _ = program("gcc")
    known = set[int]()
    new = [at for choice in choices(linked) for found in new_records(linked, choice, known).values() for at in found]
    used = {at for x in choices(linked) for which in LISTS for at in records_in_use(linked, which, getattr(x, which))}
    assert len(new) == len(used) > 10 and set(new) == used == known


def test_end_is_needed() -> None:
    """Nothing is proved by a sequence that does not end, and one without a tag is not of a message."""
    with pytest.raises(Unproved, match="does not end"):
        prove(Poly1305InPieces, updates(3))


def test_remainders() -> None:
    """The quotient of an unaligned word is that of its upper part, if the part below cannot carry."""
    ring = UnalignedRing()
    low, high = ring.input("low", 2**32 - 1), ring.input("high", 2**32 - 1)
    word = (low & 0xFFFF) + (high << 16)
    assert poly_of(word >> 32) == poly_of(high >> 16)
    # What may carry stays.
    other = (low & 0x1FFFF) + (high << 16)
    assert poly_of(other >> 32) != poly_of(high >> 16)
    assert isinstance(ring, NamingRing)
