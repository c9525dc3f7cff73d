# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of calls of ChaCha20-Poly1305 at every length, and that mistakes are refused that short texts do not
reach."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from coconut.lift.objects import Linked, read_line
from coconut.lift.publics import Space, Split
from coconut.prove.aead import Case
from coconut.prove.aead_loops import PART_BYTES, LongText, Path, TextMemory, found_choices
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved
from coconut.tests.test_prove_objects import program

# Where no instructions are.
FREE = 0x3000
# What a mistake needs to be made: a text of which so many bytes are done.
FAR = 1 << 20


@contextmanager
def inserted(linked: Linked, before: int, texts: list[str]) -> Iterator[None]:
    """Insert instructions before the one at an address; "skip" is the address behind them."""
    line = linked.lines[before]
    skip = FREE + 8 * len(texts)
    whole = [*(text.replace("skip", f"{skip:x}") for text in texts), line.text, f"jmp {line.after:x}"]
    lines = [read_line(FREE + 8 * i, FREE + 8 * (i + 1), text) for i, text in enumerate(whole)]
    assert not any(at in linked.lines for at in range(FREE, lines[-1].after))
    linked.lines.update({line.at: line for line in lines})
    try:
        with changed_line(linked, replace(line, name="jmp", operands=(f"{FREE:x}",), text=f"jmp {FREE:x}")):
            yield
    finally:
        for line in lines:
            del linked.lines[line.at]


def narrowed(path: Path) -> Path:
    """Return a path with lengths and places in a part that are in the middle, where few paths begin."""
    middle = {"v": (128, 1 << 20), "b": (1, 1), "y": (1, 63), "q": (1 << 12, PART_BYTES)}
    path.ranges |= {name: middle[name[0]] for name in path.ranges if name[0] in middle}
    return path


def begun() -> LongText:
    """Return the proof of a call as gcc made it, after the first passes over some lengths."""
    linked = program("gcc")
    choice = next(choice for choice in found_choices(linked) if choice.name.startswith("avx2"))
    proof = LongText(linked, choice, Case(False, 0, 13))
    proof.explore(narrowed(proof.enter()))
    assert proof.states
    return proof


BEGUN: list[LongText] = []


@pytest.fixture
def proof() -> LongText:
    """Return one on which a test goes on alone."""
    if not BEGUN:
        BEGUN.append(begun())
    (found,) = BEGUN
    assert found.forms is not None
    forms = {place: list(known) for place, known in found.forms.items()}
    secrets = {end: set(places) for end, places in found.secrets.items()}
    tails = {key: set(left) for key, left in found.tails.items()}
    return replace_in(found, forms=forms, secrets=secrets, tails=tails, states=dict(found.states))


def replace_in(found: LongText, **changes: object) -> LongText:
    made = object.__new__(LongText)
    made.__dict__ |= found.__dict__ | changes
    return made


def line_at(proof: LongText, text: str) -> int:
    """Return the address of the first instruction with a text behind the cut point."""
    return min(at for at, line in proof.linked.lines.items() if at >= proof.cut and line.text == text)


# gcc has the chunk at %rbx, what is absorbed in %r12, and what is done in %r14, where it becomes %rbp for the next pass;
# 0x20(%rsp) has the address of the last block.
NEXT_PASS = "mov    %r14,%rbp"
END = "cmpb   $0x0,0x3f(%rsp)"
FAR_ENOUGH = [f"cmp ${FAR:#x},%r14", "jb skip"]
# For each mistake, before which instruction it is, and its instructions.
MISTAKES = {
    "counter": (NEXT_PASS, ["mov 0x28(%rbx),%rdx", "subl $0x1,0x30(%rdx)"]),
    "text": (NEXT_PASS, ["subq $0x200,0x8(%rbx)"]),
    "output": (NEXT_PASS, ["subq $0x200,(%rbx)"]),
    "absorbed twice": (NEXT_PASS, ["sub $0x10,%r12"]),
    "not absorbed": (NEXT_PASS, ["add $0x10,%r12"]),
    "another byte": (NEXT_PASS, ["mov (%rbx),%rdx", "movb $0x0,-0x1(%rdx)"]),
    "accumulator": (NEXT_PASS, ["mov 0x58(%rbx),%rdx", "addq $0x1,0x20(%rdx)"]),
    "key": (NEXT_PASS, ["mov 0x58(%rbx),%rdx", "movq $0x0,(%rdx)"]),
}


def go_on(proof: LongText, before: str, texts: list[str], left: int | None = None) -> None:
    """Have a pass run with instructions inserted, and the next one, which begins with what it leaves."""
    with inserted(proof.linked, line_at(proof, before), texts):
        for _ in range(2):
            (key, *_) = sorted(proof.states)
            proof.explore(narrowed(proof.resume(key, left)))


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_far_into_a_text_are_refused(proof: LongText, name: str) -> None:
    before, texts = MISTAKES[name]
    with pytest.raises(Unproved):
        go_on(proof, before, [*FAR_ENOUGH, *texts])


def test_what_is_no_mistake(proof: LongText) -> None:
    """What is inserted is refused for what it does."""
    go_on(proof, NEXT_PASS, [*FAR_ENOUGH, "mov 0x28(%rbx),%rdx", "addl $0x0,0x30(%rdx)"])


@pytest.mark.parametrize(("byte", "is_refused"), [(0, False), (1, True)])
def test_padding_of_the_last_block(proof: LongText, byte: int, is_refused: bool) -> None:
    texts = [f"cmp ${FAR:#x},%rdx", "jb skip", "mov 0x20(%rsp),%rdi", f"movb ${byte:#x},0xf(%rdi)"]
    if is_refused:
        with pytest.raises(Unproved, match="Poly1305 has computed nothing of this input"):
            go_on(proof, END, texts, left=100)
    else:
        go_on(proof, END, texts, left=100)


def test_tables_at_numbers_that_depend_on_the_length() -> None:
    """What is read must be the same at all addresses, and constant; else the number is divided."""
    linked = program("gcc")
    start = next(at for at, content in linked.constants.items() if len(content) >= 64)
    content, memory, space = linked.constants[start][:32], TextMemory(linked), Space()
    place = space.variable("b", 0, 31) + start
    assert len(set(content)) > 1
    with pytest.raises(Split) as split:
        memory.read(place, 1)
    for low, high in split.value.parts:
        space.ranges[split.value.variable] = low, high
        assert {memory.read(place, 1)} == set(content[low : high + 1])
    for at in (place, space.variable("b", 0, 3) + (1 << 45)):
        space.ranges[split.value.variable] = 0, 31
        with pytest.raises(Unproved, match="are written at|no constants"):
            memory.write(place, 1, 0) if at is place else memory.read(at, 1)


def test_kernels_without_poly1305_beside_passes_are_not_chosen() -> None:
    linked = program("gcc")
    names = [choice.name for choice in found_choices(linked)]
    assert any(name.startswith("avx2") for name in names) and not any(name.startswith("avx512") for name in names)
