# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of whole calls of the AEAD, and that mistakes are refused."""

import gc
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from coconut.instructions import octets, of_octets
from coconut.lift.objects import Line, Linked, compiled
from coconut.prove import aead
from coconut.prove.aead import Case, Run, Shared, prove_cases, sealed
from coconut.prove.calls import Calls
from coconut.prove.choices import Choice, choice_named, choices, kernels_of_chacha20, missing
from coconut.prove.composition import tag_of
from coconut.prove.every_length import prove_every_length
from coconut.prove.mutations_aead import CALLS, plant_in_call
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Number, Unproved
from coconut.prove.reached import is_filler, reachable, unreached
from coconut.prove.terms import Term, Terms
from coconut.tests.test_prove_objects import program

AVX2 = "avx2_golden_cove with avx2, scalar64"
SSE2 = "vector128 with scalar64"


def available(linked: Linked, name: str) -> Choice:
    choice = choice_named(linked, name)
    if lacking := missing(linked, choice):
        pytest.skip(lacking)
    return choice


def words(text: bytes) -> list[int]:
    return list(of_octets(text, 4))


PLAINTEXT = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
AAD = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
SEALED_KEY = bytes(range(0x80, 0xA0))
# RFC 8439, section 2.8.2, and draft-irtf-cfrg-xchacha-03, appendix A.3.1: the nonce, the first bytes sealed, and the tag.
VECTORS = {
    False: ("070000004041424344454647", "d31a8d34648e60db7b86afbc53ef7ec2", "1ae10b594f09e26a7e902ecbd0600691"),
    True: (
        "404142434445464748494a4b4c4d4e4f5051525354555657",
        "bd6d179d3e83d43b9576579493c0e939",
        "c0875924c1c7987947deafd8780acf49",
    ),
}


@pytest.mark.parametrize("extended", [False, True])
def test_definition(extended: bool) -> None:
    """The definition that calls are compared with makes the test vectors."""
    nonce, first, tag = (bytes.fromhex(text) for text in VECTORS[extended])
    linked, case = program("gcc"), Case(False, len(PLAINTEXT), len(AAD), extended=extended)
    padded = PLAINTEXT + bytes(-len(PLAINTEXT) % 4)
    calls = Calls(linked, choices(linked)[0])
    made = sealed(calls, words(SEALED_KEY), words(nonce), words(padded), words(AAD), case)
    assert bytes(octets(made.out, 4)[:16]) == first
    assert tag_of(bytes(octets(made.key, 8)), bytes(octets(made.input, 8))) == tag


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
@pytest.mark.parametrize("name", [SSE2, AVX2])
@pytest.mark.parametrize("case", [Case(False, 150, 13, in_place=True), Case(True, 65, 0, extended=True)], ids=str)
def test_calls(compiler: str, name: str, case: Case) -> None:
    """Calls are proved, and do the same on public numbers, on which nothing else is compared."""
    linked = program(compiler)
    choice, ran = available(linked, name), set[int]()
    assert prove_cases(linked, choice, [case], ran) == len(case.verdicts)
    assert len(ran) > 500
    for valid in case.verdicts:
        assert Run(linked, choice, case, valid).sample(1).steps > 1000


def test_a_call_that_does_not_end() -> None:
    """An endless loop is refused after some times the instructions that the call takes."""
    linked, case = program("gcc"), Case(False, 65, 13)
    line = linked.lines[linked.symbols[case.function]]
    endless = replace(line, name="jmp", operands=(f"{line.at:x}",), text=f"jmp {line.at:x}")
    with changed_line(linked, endless), pytest.raises(Unproved, match=r"more than 2\d{4} instructions"):
        prove_cases(linked, available(linked, AVX2), [case], set())


def test_too_long() -> None:
    """A text that is too long is refused by the library, which writes nothing."""
    linked = program("gcc")
    for length in (2**38 - 63, 2**63):
        calls = Calls(linked, choices(linked)[0])
        result = calls.call(Case(False, 0, 0).function, [aead.OUT, aead.TAG, aead.IN, length, aead.AAD, 0, 1, 2], [])
        assert isinstance(result, int) and result & 255 == 0


def nothing(line: Line) -> Line:
    return replace(line, name="nop", operands=())


def lines_of(linked: Linked, case: Case, valid: bool = True) -> list[Line]:
    choice = available(linked, AVX2)
    return [linked.lines[at] for at in Run(linked, choice, case, valid).prove().ran]


def refused(linked: Linked, line: Line, case: Case, match: str = "") -> None:
    with changed_line(linked, line), pytest.raises(Unproved, match=match):
        prove_cases(linked, available(linked, AVX2), [case], set())


OPEN, SEAL = Case(True, 100, 20), Case(False, 100, 20)


def verdicts_taken(linked: Linked) -> tuple[list[Line], list[Line]]:
    """Return the lines of a call that opens up to the first on whose verdict something depends, and all of these."""
    run = Run(linked, available(linked, AVX2), OPEN)
    lines = [linked.lines[at] for at in run.prove().ran]
    decided = [line for line in lines if line.at in run.decided]
    return lines[: lines.index(decided[0])], decided


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_half_of_the_tag(compiler: str) -> None:
    linked = program(compiler)
    lines, _ = verdicts_taken(linked)
    union = next(line for line in reversed(lines) if line.name == "or")
    refused(linked, nothing(union), OPEN, "something else than a tag|not compared|a condition on")


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_other_verdict(compiler: str) -> None:
    linked = program(compiler)
    for line in verdicts_taken(linked)[1]:
        other = {"sete": "setne", "setne": "sete", "je": "jne", "jne": "je"}[line.name]
        refused(linked, replace(line, name=other), OPEN)


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_no_zeros(compiler: str) -> None:
    """What only a call with a wrong tag runs sets the output to zeros."""
    linked = program(compiler)
    right = {line.at for line in lines_of(linked, OPEN)}
    only = [line for line in lines_of(linked, OPEN, False) if line.at not in right]
    (clears,) = (line for line in only if line.name == "call")
    refused(linked, nothing(clears), OPEN, "the output is another one")


def function_called(linked: Linked, line: Line) -> str:
    found = re.fullmatch("[0-9a-f]+", line.operands[0].split()[0])
    return linked.functions.get(int(found[0], 16), "") if found else ""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_no_clearing(compiler: str) -> None:
    linked = program(compiler)
    calls = [
        line
        for line in lines_of(linked, SEAL)
        if line.name == "call" and function_called(linked, line).startswith("hornet_clear")
    ]
    assert calls
    for line in calls:
        refused(linked, nothing(line), SEAL, "a secret at the end")


def test_associated_data_left() -> None:
    """A store of zeros over associated data, which may be secret, is needed, as is each other one after Poly1305."""
    linked = program("gcc")
    lines = lines_of(linked, SEAL)
    last = max(i for i, line in enumerate(lines) if line.name in {"mul", "mulx"})
    stores = [line for line in lines[last:] if line.name == "movaps" and "(" in line.operands[-1]]
    assert len(stores) >= 4
    left = 0
    for line in stores:
        with changed_line(linked, nothing(line)):
            try:
                prove_cases(linked, available(linked, AVX2), [SEAL], set())
            except Unproved as error:
                left += "the stack has a secret at the end" in str(error)
    assert left >= 2


def test_no_clamp() -> None:
    """A key that is not clamped is refused, on the path of short texts and on that of long ones."""
    linked = program("gcc")
    for case in (SEAL, Case(False, 1100, 70)):
        clamps = [line for line in lines_of(linked, case) if line.name == "and" and "(" in line.operands[0]]
        found = 0
        for line in clamps:
            with changed_line(linked, nothing(line)):
                try:
                    prove_cases(linked, available(linked, AVX2), [case], set())
                except Unproved:
                    found += 1
        assert found >= 2


@pytest.mark.parametrize("call", CALLS[:2], ids=str)
def test_mistakes(call: object) -> None:
    """Mistakes in some instructions of a call are refused, or compute the same."""
    made = plant_in_call(call._replace(every=8 * call.every))  # type: ignore[attr-defined]
    assert made.planted >= 2 and not made.unexplained(), made.survivors


# What a wrong definition would say.
WRONG: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "counter": lambda patch: patch.setattr(aead, "block", later(aead.block)),
    "constants": lambda patch: patch.setattr(aead, "CONSTANTS", (1, *aead.CONSTANTS[1:])),
    "padding": lambda patch: patch.setattr(aead, "padded", lambda text: [*text, *[1] * (-len(text) % 4)]),
}


def later(block: Callable[..., object]) -> Callable[..., object]:
    return lambda terms, key, counter, nonce: block(terms, key, counter + 1, nonce)


@pytest.mark.parametrize("name", WRONG)
def test_other_definition(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = program("gcc")
    choice = available(linked, SSE2)
    prove_cases(linked, choice, [SEAL], set())
    WRONG[name](monkeypatch)
    with pytest.raises(Unproved):
        prove_cases(linked, choice, [SEAL], set())


def test_passes() -> None:
    """The passes that a table has over a number of blocks compute all of them, and block 0; sampled texts reach all."""
    linked = program("gcc")
    kernels = kernels_of_chacha20(linked)
    assert len(kernels) >= 9
    for kernel in kernels.values():
        for blocks in range(200):
            *others, (_, last) = kernel.passes(blocks)
            before = sum(kernel.layouts[layout].blocks for _, layout in others)
            assert before < blocks + 1 <= before + kernel.layouts[last].blocks
        known: set[aead.Pass] = set()
        counts = aead.block_counts(kernel, known, True)
        assert counts and not aead.block_counts(kernel, known, True)
        assert known == {each for count in range(3 * len(kernel.first)) for each in aead.passes_of(kernel, count, True)}
        assert {function for function, _, _ in known} <= {layout.function for layout in kernel.layouts}


def test_reached() -> None:
    """Functions that a call reaches are those that it may call; what it has not run is listed."""
    linked = program("gcc")
    ran = {line.at for line in lines_of(linked, SEAL)}
    roots = [linked.symbols[SEAL.function]]
    functions = reachable(linked, roots)
    assert {at for at in ran if not is_filler(linked.lines[at])} <= {
        x.at for lines in functions.values() for x in lines
    }
    assert linked.symbols["hornet_poly1305_batch"] not in functions
    rest = {name: len(lines) for name, lines, _ in unreached(linked, functions, ran)}
    assert "chacha20_lanes2_avx2" in rest and sum(rest.values()) + len(ran) >= sum(map(len, functions.values()))


def test_a_call_is_refused_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused in the words of other calls is proved in its own; or refused again."""
    linked, choice, tried = program("gcc"), available(program("gcc"), SSE2), list[bool]()

    def shared_is_refused(linked: Linked, choice: Choice, cases: Sequence[Case], ran: set[int], *terms: Terms) -> int:
        tried.append(bool(terms))
        if terms:
            raise Unproved("another name")
        return prove_cases(linked, choice, cases, ran)

    monkeypatch.setattr(aead, "prove_cases", shared_is_refused)
    assert aead.prove_shared(linked, choice, SEAL, set(), Shared()) == 1 and tried == [True, False]
    ran = Run(linked, choice, SEAL).prove().ran
    *_, line = (linked.lines[at] for at in sorted(ran) if linked.lines[at].name == "paddd")
    with changed_line(linked, replace(line, name="pxor")), pytest.raises(Unproved, match="output"):
        aead.prove_shared(linked, choice, SEAL, set(), Shared())


def test_what_calls_share_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once too much is kept, or after a long text, it is freed, also without the collector of garbage."""
    linked, shared = program("gcc"), Shared()
    choice, case = available(linked, SSE2), Case(False, 100, 13)
    prove_cases(linked, choice, [case], set(), shared.of(case))

    def count() -> int:
        return sum(type(it) in {Term, Number} for it in gc.get_objects())

    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        before = count()
        none = {"SHARED_RESULTS": 0, "RESULTS_OF_A_BYTE": 0}
        for limits in (none, {"SHARED_NUMBERS": 0}, {"SHARED_BYTES": 99}):
            with monkeypatch.context() as patched:
                for name, limit in limits.items():
                    patched.setattr(aead, name, limit)
                prove_cases(linked, choice, [case], set(), shared.of(case))
        shared.of(Case(False, 0, 0))
        assert 1000 < before and count() < before * 1.1
    finally:
        if was_enabled:
            gc.enable()


def test_jobs_at_every_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each job has a line, which a later run does not prove again; one that is refused is named, with its lengths."""
    linked, names = compiled("gcc"), [SSE2]

    def printed(lengths: range) -> str:
        prove_every_length(["gcc"], lengths, names, 1, tmp_path)
        return capsys.readouterr().out

    first = printed(range(15, 18))
    assert "2 jobs, 0 done before" in first and "9 calls at 3 lengths, 0 jobs refused" in first
    assert (again := printed(range(15, 18))).replace("2 done before", "0 done before") == first != again
    ran = Run(linked, choice_named(linked, SSE2), Case(False, 20, 13)).sample(0).ran
    line = [linked.lines[at] for at in ran if linked.lines[at].name == "paddd"][-1]
    with changed_line(linked, replace(line, name="pxor")), pytest.raises(ValueError, match="2 jobs are refused"):
        printed(range(20, 21))
    assert "refused: vector128 with scalar64, 20 to 20: " in capsys.readouterr().out
