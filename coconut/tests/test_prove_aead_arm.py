# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of whole calls of the AEAD on 64-bit Arm, and that mistakes are refused."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from coconut.lift.objects import COMPILERS, Line, Linked
from coconut.prove.aead import Case, Run
from coconut.prove.choices import FORCED, LISTS, Choice, cpus_with_arm64, entries_in_use, family_of
from coconut.prove.choices import choices as choices_of
from coconut.prove.evaluation import RECORDS
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Number, Ring, Unproved, add
from coconut.prove.terms import WORD_MAX, Sum, Terms
from coconut.tests.test_prove_objects import with_kernel

GCC_ARM, CLANG_ARM = COMPILERS[2:]
FALLBACK_IN_USE = 1 << 31
SEAL, OPEN = Case(False, 65, 13), Case(True, 100, 20)


@cache
def program(compiler: str) -> Linked:
    return with_kernel(compiler, RECORDS[0].name)


@cache
def choices(compiler: str) -> dict[str, Choice]:
    """Return the choices by the first family that gets each, and that which is forced."""
    linked, found = program(compiler), dict[str, Choice]()
    known = {(choice.chacha20, choice.poly1305): choice for choice in choices_of(linked)}
    for cpu in cpus_with_arm64():
        entries = entries_in_use(linked, LISTS[0], cpu), entries_in_use(linked, LISTS[1], cpu)
        found.setdefault(family_of(linked, cpu).removesuffix(", aes"), known[entries])
    (found[FORCED],) = set(known.values()) - set(found.values())
    return found


def run(compiler: str, choice: str, case: Case, valid: bool = True) -> Run:
    return Run(program(compiler), choices(compiler)[choice], case, valid)


def test_choices() -> None:
    """Each entry of both lists is in a choice."""
    found, linked = choices(GCC_ARM), program(GCC_ARM)
    assert len(found) >= 8 and FORCED in found
    for which in ("chacha20", "poly1305"):
        entries = 0
        for choice in found.values():
            entries |= getattr(choice, which) & ~FALLBACK_IN_USE
        count = linked.number(linked.symbols[f"hornet_{which}_list"] + 8, 8)
        assert entries == (1 << count) - 1


@pytest.mark.parametrize("compiler", [GCC_ARM, CLANG_ARM])
@pytest.mark.parametrize(("case", "valid"), [(SEAL, True), (OPEN, True), (OPEN, False)])
def test_calls(compiler: str, case: Case, valid: bool) -> None:
    assert run(compiler, "neoverse_n1", case, valid).prove().steps > 1000


@pytest.mark.parametrize(
    ("choice", "case", "taken"),
    [
        # Poly1305 in vectors; beside a pass, where gcc has it reduced after each block; and XChaCha20, in place.
        ("neoverse_n1", Case(False, 300, 13), ["neon mac of 21"]),
        ("cortex_a53", Case(False, 600, 0), ["beside a pass of 16", "scalar64 absorb of 39"]),
        ("vector128", Case(True, 40, 0, in_place=True, extended=True), ["scalar64 mac of 4"]),
    ],
)
def test_paths(choice: str, case: Case, taken: list[str]) -> None:
    assert run(GCC_ARM, choice, case).prove().taken == taken


Change = Callable[[Line], Line]


def left_out(line: Line) -> Line:
    return replace(line, name="nop", operands=())


def named(name: str, *, operand: int = -1, other: str = "") -> Change:
    """Return a change of the name, and of an operand."""

    def changed(line: Line) -> Line:
        operands = list(line.operands)
        if other:
            operands[operand] = other
        return replace(line, name=name, operands=tuple(operands))

    return changed


# A call, the instruction by its function and text, which of those that ran it is, and what is in its place.
MISTAKES: dict[str, tuple[Case, str, str, int, Change]] = {
    "bits": (SEAL, "rows3_neon", r"sri\tv\d+\.4s, v\d+\.4s, #20", 0, named("sri", other="#19")),
    "words": (SEAL, "rows3_neon", r"ext\tv\d+\.16b, .*#4", 0, named("ext", other="#8")),
    "bytes": (SEAL, "rows3_neon", r"rev32\tv\d+\.8h", 0, left_out),
    "sum": (SEAL, "rows3_neon", r"add\tv\d+\.4s", 0, named("zip1")),
    "half of the tag": (OPEN, "message_processed", r"orr\tx0, x0, x1", -1, named("orr", operand=2, other="xzr")),
    "no tag": (OPEN, "message_processed", r"orr\tx0, x0, x1", -1, named("and")),
    "verdict": (OPEN, "message_processed", r"cbz\tx0", -1, named("cbnz")),
    "32 bits of the tag": (OPEN, "message_processed", r"cbz\tx0", -1, named("cbz", operand=0, other="w0")),
    "vectors": (SEAL, "hornet_clear_stack_vectors", r"movi\tv4\.2d", -1, left_out),
    "stack": (SEAL, "hornet_clear_stack_vectors", r"st1\t", -1, left_out),
}


@cache
def ran(case: Case) -> list[int]:
    return list(run(GCC_ARM, "neoverse_n1", case).prove().ran)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    case, function, text, which, change = MISTAKES[name]
    linked = program(GCC_ARM)
    begin = next(at for at, of in linked.named if re.search(function, of))
    end = min(at for at, _ in linked.named if at > begin)
    found = [at for at in ran(case) if begin <= at < end and re.match(text, linked.lines[at].text)]
    with changed_line(linked, change(linked.lines[found[which]])), pytest.raises(Unproved):
        run(GCC_ARM, "neoverse_n1", case).prove()


def test_sums_of_words() -> None:
    """A sum becomes that of the numbers unless it may wrap, and what has no bits in common is joined."""
    terms = Terms(Ring())
    a, b = (terms.variable(name) for name in "ab")

    def number(word: Any) -> Number:
        found = (word & WORD_MAX).value()
        assert isinstance(found, Number)
        return found

    small, wide = (number((a >> k) + (b >> k)) for k in (1, 0))
    halves, wholes = (add(number(a >> k).poly, number(b >> k).poly) for k in (1, 0))
    assert small.poly == halves and small.high == 2**32 - 2
    assert wide.poly != wholes and wide.high == WORD_MAX
    assert (a << 16 & WORD_MAX) + (a >> 16) is (a << 16 & WORD_MAX) | (a >> 16)
    assert isinstance((a << 15 & WORD_MAX) + (a >> 16), Sum)
