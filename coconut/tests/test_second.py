# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the second lifter: that it agrees with the first, refuses what that refuses, and shares nothing with it."""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from coconut.lift.forms import code_of
from coconut.lift.objects import Linked
from coconut.prove import second_lifter
from coconut.prove.aead import Case, Run, prove_cases
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved
from coconut.prove.second import KERNELS, is_known, prove_case, ran_again
from coconut.prove.second_lifter import Atoms, number, xor
from coconut.tests.test_prove_aead import available, function_called, nothing
from coconut.tests.test_prove_objects import program

CASE = Case(False, 65, 0)
EVERY = 53


def test_it_is_alone() -> None:
    text = Path(second_lifter.__file__).read_text()
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names and "llvm-objdump" in text


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("name", KERNELS)
def test_calls(compiler: str, name: str) -> None:
    """It finds the ciphertext and the tag right, and the same instructions run."""
    linked = program(compiler)
    prove_case(linked, available(linked, name), Case(False, 70, 5))


def test_known() -> None:
    linked = program("gcc")
    choice = available(linked, KERNELS[0])
    assert is_known(linked, choice, CASE)
    for case in (CASE._replace(opens=True), CASE._replace(extended=True)):
        assert not is_known(linked, choice, case)


def without(linked: Linked, at: int, folder: Path) -> Linked:
    """Return a program of which an instruction does nothing."""
    code = code_of(linked, linked.read[at])
    content = bytearray(linked.path.read_bytes())
    start = min(linked.code)
    place = content.index(linked.code[start][:256]) + at - start
    assert content[place : place + len(code)] == code
    content[place : place + len(code)] = b"\x90" * len(code)
    path = folder / "changed"
    path.write_bytes(content)
    return replace(linked, path=path)


def is_refused(linked: Linked, at: int, folder: Path) -> bool:
    try:
        ran_again(without(linked, at, folder), available(linked, KERNELS[0]), CASE)
    except Unproved:
        return True
    return False


def test_instructions_left_out(tmp_path: Path) -> None:
    """If an instruction is left out, it accepts only what the prover accepts."""
    linked = program("gcc")
    choice, accepted = available(linked, KERNELS[0]), []
    ran = sorted(Run(linked, choice, CASE).sample(0).ran)[7::EVERY]
    for at in ran:
        if not is_refused(linked, at, tmp_path):
            accepted.append(at)
            with changed_line(linked, nothing(linked.lines[at])):
                prove_cases(linked, choice, [CASE], set())
    assert len(ran) >= 12 and len(accepted) <= len(ran) // 3


# What is left out last, by the name of the instruction or of the function that is called, and what that is refused for.
REASONS = {
    "paddd": "of the ciphertext is another expression",
    "pslld": "of the ciphertext is another expression|or of what has bits in common",
    "mul": "the tag is another one",
    "pop": "a register is not restored|where a function returns to|stack pointer|is written",
    "hornet_clear": "a secret is left in a vector or on the stack",
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons(name: str, tmp_path: Path) -> None:
    """What is wrong is named."""
    linked = program("gcc")
    choice = available(linked, KERNELS[0])
    lines = [linked.lines[at] for at in Run(linked, choice, CASE).sample(0).ran]
    called = [line for line in lines if line.name == "call" and function_called(linked, line).startswith(name)]
    found = called or [line for line in lines if line.name == name]
    with pytest.raises(Unproved, match=REASONS[name]):
        ran_again(without(linked, found[-1].at, tmp_path), choice, CASE)


def inputs(atoms: Atoms, count: int) -> list[second_lifter.Value]:
    return [atoms.atom(("input", i), 4, lambda i=i: [77 * i + 3, 5 << i, 1, 2**32 - 1 - i]) for i in range(count)]  # type: ignore[misc]


def test_forms() -> None:
    """Equal expressions are the same, however they are written; others are not."""
    atoms = Atoms()
    a, b, c = inputs(atoms, 3)
    assert xor(xor(a, b), b) == a and xor(a, a) == number(0, 4)
    assert atoms.add(atoms.add(a, b), c) == atoms.add(a, atoms.add(c, b)) != atoms.add(a, b)
    assert atoms.add(a, number(0, 4)) == a and atoms.add(a, number(1, 4)) != a
    for bits in (1, 7, 12, 16, 25):
        left, right = atoms.shifted(a, bits), atoms.shifted(a, bits - 32)
        assert atoms.either(left, right) == atoms.either(right, left) == atoms.rotated(a, bits)
        at = atoms.points(a)
        assert atoms.points(atoms.rotated(a, bits)) == [(x << bits | x >> 32 - bits) & 2**32 - 1 for x in at]
    assert atoms.either(atoms.shifted(a, 12), atoms.shifted(a, -19)) is None
    assert atoms.either(atoms.shifted(a, 12), atoms.shifted(b, -20)) is None
    # The same values at the points do not make two flags one.
    flags = [atoms.apply("carry", [0], lambda x: (x & 1,), word)[0] for word in (a, atoms.add(a, number(2, 4)))]
    assert flags[0].at == flags[1].at and flags[0].place != flags[1].place
    bits_ = [atoms.apply("bit", [1], lambda x: (x,), flag)[0] for flag in flags]
    assert all(first != second for first, second in pairwise(bits_))
