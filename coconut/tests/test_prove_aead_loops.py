# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of calls of ChaCha20-Poly1305 at every length, and that mistakes are refused that short texts do not
reach."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache

import pytest

from coconut.lift.objects import Linked, read_line
from coconut.lift.publics import Space, Split, range_of
from coconut.prove import aead_loops
from coconut.prove.aead import Case
from coconut.prove.aead_loops import (
    AHEAD,
    ANY,
    ANYWHERE,
    BLOCK_BYTES,
    CIPHER_BLOCK,
    LAST,
    NOTHING,
    TEXT_MAX,
    Form,
    Key,
    LongText,
    Path,
    Piece,
    Tables,
    Tail,
    TextMemory,
    is_covered,
    with_piece,
)
from coconut.prove.choices import Choice, choices
from coconut.prove.loops import is_same
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved
from coconut.tests.test_prove_objects import program

# Where no instructions are.
FREE = 0x3000
# How many bytes of a text are done where a mistake is made.
FAR = 1 << 20
# How many periods of blocks, whole blocks and bytes a text has: most paths are alike.
MIDDLE = {"v": (1 << 12, 1 << 20), "c": (1, 1), "y": (1, 15), "z": (1, 2)}


class Middle(LongText):
    """The proof for some lengths alone, whose passes are of one layout."""

    def enter(self) -> Path:
        return narrowed(super().enter(), "cyz")

    def resume(
        self, key: Key, tail: Tail | None = None, valid: bool = True, is_low: bool = False, phase: int = 0
    ) -> Path:
        return narrowed(super().resume(key, tail, valid, is_low, phase), "vcyz" if key.n < 0 else "cyz")


def narrowed(path: Path, names: str) -> Path:
    path.ranges |= {name: MIDDLE[name[0]] for name in path.ranges if name[0] in names}
    return path


@contextmanager
def inserted(linked: Linked, before: int, texts: list[str], free: int = FREE) -> Iterator[None]:
    """Insert instructions before the one at an address; "skip" is the address behind them."""
    line = linked.lines[before]
    skip = free + 8 * len(texts)
    whole = [*(text.replace("skip", f"{skip:x}") for text in texts), line.text, f"jmp {line.after:x}"]
    lines = [read_line(free + 8 * i, free + 8 * (i + 1), text) for i, text in enumerate(whole)]
    assert not any(at in linked.lines for at in range(free, lines[-1].after))
    linked.lines.update({line.at: line for line in lines})
    try:
        with changed_line(linked, replace(line, name="jmp", operands=(f"{free:x}",), text=f"jmp {free:x}")):
            yield
    finally:
        for line in lines:
            del linked.lines[line.at]


def chosen(name: str = "vector128") -> tuple[Linked, Choice]:
    linked = program("gcc")
    return linked, next(choice for choice in choices(linked) if choice.name.startswith(name))


@cache
def proved(opens: bool) -> LongText:
    proof = (Middle if opens else LongText)(*chosen(), Case(opens, 0, 13))
    proof.prove_states()
    return proof


def again(opens: bool) -> LongText:
    """Return a proof of which what begins when a pass has returned is to be run again, and what changes then."""
    found = proved(opens)
    made = object.__new__(type(found))
    made.__dict__ |= found.__dict__ | {
        "forms": {
            shared: {place: list(forms) for place, forms in known.items()} for shared, known in found.forms.items()
        },
        "secrets": {which: set(places) for which, places in found.secrets.items()},
        "states": {key: () if key.at in found.cuts else known for key, known in found.states.items()},
        "tables": dict(found.tables),
        "tails": {key: set(left) for key, left in found.tails.items()},
        "versions": dict(found.versions),
    }
    return made


# gcc has the chunk at %rbx, what is absorbed in %r12, and what is done in %r14, where it becomes %rbp for the next pass.
NEXT_PASS = "mov    %r14,%rbp"
FAR_ENOUGH = [f"cmp ${FAR:#x},%r14", "jb skip"]
MISTAKES = {
    "counter": [*FAR_ENOUGH, "mov 0x28(%rbx),%rdx", "subl $0x1,0x30(%rdx)"],
    "counter of 16 bits": ["mov 0x28(%rbx),%rdx", "movzwl 0x30(%rdx),%eax", "mov %eax,0x30(%rdx)"],
    "count that wraps": ["mov %r14d,%r14d"],
    "text": [*FAR_ENOUGH, "subq $0x100,0x8(%rbx)"],
    "a block left out": [*FAR_ENOUGH, "addq $0x40,0x8(%rbx)", "addq $0x40,(%rbx)", "subq $0x40,0x10(%rbx)"],
    "output": [*FAR_ENOUGH, "subq $0x100,(%rbx)"],
    "absorbed twice": [*FAR_ENOUGH, "sub $0x10,%r12"],
    "not absorbed": [*FAR_ENOUGH, "add $0x10,%r12"],
    "another byte": [*FAR_ENOUGH, "mov (%rbx),%rdx", "movb $0x0,-0x1(%rdx)"],
    "accumulator": [*FAR_ENOUGH, "mov 0x58(%rbx),%rdx", "addq $0x1,0x20(%rdx)"],
    "key": [*FAR_ENOUGH, "mov 0x58(%rbx),%rdx", "movq $0x0,(%rdx)"],
}


def next_pass(linked: Linked) -> int:
    """Return the address of the instruction behind a pass that begins the next one."""
    first = linked.symbols[aead_loops.LOOP]
    *_, found = (at for at, line in linked.lines.items() if first <= at < first + 0x800 and line.text == NEXT_PASS)
    return found


# Mistakes that a call that opens may make in another way than one that seals.
SEALING = ("a block left out", "absorbed twice", "not absorbed")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("opens", "name"), [*((True, name) for name in MISTAKES), *((False, name) for name in SEALING)]
)
def test_mistakes_far_into_a_text_are_refused(name: str, opens: bool) -> None:
    proof = again(opens)
    with inserted(proof.linked, next_pass(proof.linked), MISTAKES[name]), pytest.raises(Unproved):
        proof.settle()


def test_passes_that_do_nothing() -> None:
    """A loop over passes that does not end is refused: here while 1 MiB or more is left."""
    proof = again(True)
    cut = next(key.at for key in proof.states if key.at in proof.cuts)
    texts = [f"cmpq ${FAR:#x},0x10(%rbx)", "jb skip", "mov %rdx,%rax", f"jmp {cut:x}"]
    with (
        inserted(proof.linked, next_pass(proof.linked), texts),
        pytest.raises(Unproved, match="a pass has done nothing"),
    ):
        proof.settle()


def in_function(linked: Linked, name: str, text: str) -> list[int]:
    """Return where a function has instructions whose text begins so."""
    start = next(at for at, found in linked.named if found == name)
    end = min((at for at in linked.functions if at > start))
    return [at for at in sorted(linked.lines) if start <= at < end and linked.lines[at].text.startswith(text)]


def check_end_refused(reason: str) -> None:
    """Check that an end of a call that seals is refused."""
    proof = again(False)
    key = next(key for key in proof.states if key.n < 0 and key.at in proof.cuts)
    with pytest.raises(Unproved, match=reason):
        proof.explore(proof.resume(key, Tail(3 * CIPHER_BLOCK + 5)))


def test_vectors_that_are_kept() -> None:
    """Key stream that is left in vectors, which `absorb` of scalar64 does not change, is refused."""
    linked, _ = chosen()
    first, *_, last = in_function(linked, "hornet_clear_stack", "pxor")[1:]
    with inserted(linked, first, [f"jmp {linked.lines[last].after:x}"]):
        check_end_refused(r"vector \d+ has a secret at the end")


def test_a_stack_that_is_not_aligned() -> None:
    linked, _ = chosen()
    *_, at = in_function(linked, "message_processed", "call   *0x20")
    with (
        inserted(linked, linked.lines[at].after, ["add $0x8,%rsp"]),
        inserted(linked, at, ["sub $0x8,%rsp"], FREE + 0x400),
    ):
        check_end_refused("a stack, or a state, that is not aligned")


def test_ends_that_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some numbers of bytes from each state on are run to the end, and each remainder of them from some state on."""
    proof, ran = again(False), list[tuple[Key, Tail]]()
    monkeypatch.setattr(proof, "resume", lambda key, tail, valid: ran.append((key, tail)))
    monkeypatch.setattr(proof, "explore", lambda path: None)
    tails = {(key, tail) for key in proof.tails for tail in proof.tails_of(key)}
    assert proof.prove_tails() == len(ran) == len(tails) and {*ran} == tails
    ran.clear()
    assert proof.prove_tails(97) == len(ran) == len({*ran}) < len(tails) / 40
    assert {key for key, _ in ran} == {*proof.tails}
    assert {tail.left % BLOCK_BYTES for _, tail in ran} == {*range(BLOCK_BYTES)}


@pytest.mark.parametrize("opens", [True])
def test_what_is_no_mistake(opens: bool) -> None:
    """What is inserted is refused for what it does; and an end is proved from each state."""
    proof = again(opens)
    with inserted(proof.linked, next_pass(proof.linked), [*FAR_ENOUGH, "mov 0x28(%rbx),%rdx", "addl $0x0,0x30(%rdx)"]):
        proof.settle()
    ends = [key for key in proof.states if key.n < 0 and key.at in proof.cuts]
    for valid in proof.case.verdicts:
        proof.explore(proof.resume(ends[0], Tail(3 * CIPHER_BLOCK + 5), valid))


BESIDE = {"": "nop", "twice": "sub $0x10,%r12", "not at all": "add $0x10,%r12", "accumulator": "addq $0x1,0x20(%rdi)"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", BESIDE)
def test_poly1305_beside_all_passes(name: str) -> None:
    """A call that opens absorbs beside each pass what it decrypts later; mistakes of the first passes are refused."""
    linked, choice = chosen("avx2_golden_cove")
    proof, seen = LongText(linked, choice, Case(True, 0, 13)), set[Key]()
    texts = ["mov 0x58(%rbx),%rdi", BESIDE[name]]
    with inserted(linked, next_pass(linked), texts), pytest.raises(Unproved) if name else nullcontext():
        proof.explore(proof.enter())
        for _ in range(6):
            # That in which most waits: the text is longer than that.
            key = max(proof.states.keys() - seen, key=lambda key: (key.n < 0, key.waits))
            seen.add(key)
            proof.explore(proof.resume(key))
        assert any(key.kind == AHEAD and key.waits > 1 << 15 and key.beside for key in seen)
        assert key.kind == AHEAD and key.n < 0 and key.waits and key.beside


def near(proof: LongText) -> Key:
    """Return a state in which Poly1305 is as far as ChaCha20, and any number of bytes is left."""
    proof.explore(proof.enter())
    proof.explore(proof.resume(next(iter(proof.states))))
    key = next(key for key in proof.states if key.kind == AHEAD)
    made = key._replace(n=-1, ahead=0, waits=0, beside=0)
    proof.forms[made.shared], proof.tables[made] = proof.forms[key.shared], Tables()
    return made


def test_words_that_the_text_may_not_have() -> None:
    """What Poly1305 may absorb ahead is not read unless the text is known to be that long."""
    proof = LongText(*chosen("avx2_golden_cove"), Case(True, 0, 13))
    path = proof.resume(near(proof))
    memory = path.calls.memory
    assert isinstance(memory, TextMemory)
    known = path.begun.text_at + proof.least
    assert memory.read(known - 8, 8) is not None
    assert memory.read(known - 5, 1) is not None
    for at in (known - 7, known, known + CIPHER_BLOCK):
        with pytest.raises(Unproved, match="Poly1305 reads" if at >= known else "nothing has written"):
            memory.read(at, 8)


def test_ciphertext_is_among_what_is_read() -> None:
    """An instruction that reads ciphertext by its name has read a symbolic word from memory, with which it was compared."""
    proof = again(False)
    key = next(key for key in proof.states if key.kind == NOTHING and key.at in proof.cuts)
    path = proof.resume(key)
    memory, begun = path.calls.memory, path.begun
    assert isinstance(memory, TextMemory)
    proof.space.ranges = path.ranges
    memory.found.clear()
    assert [memory.read(begun.out_at - begun.n + begun.absorbed, 8)] == memory.found


def test_how_far_poly1305_is() -> None:
    """States have any number of tables, or the one that all have that arrive; and ends each of them."""
    proof = LongText(*chosen("avx2_golden_cove"), Case(True, 0, 13))
    key = near(proof)._replace(ahead=128, waits=64)
    proof.tables[key] = Tables(0, TEXT_MAX // proof.table, 1, 3)
    ahead, waits = proof.distances(key, None)
    assert range_of(ahead)[0] == 128 and range_of(ahead)[1] > TEXT_MAX - proof.table
    assert range_of(waits) == (64 + proof.table, 64 + 3 * proof.table)
    proof.tables[key] = Tables(2, 2, 1, 1)
    assert proof.distances(key, None) == (128 + 2 * proof.table, 64 + proof.table)
    proof.tables[key] = Tables(-1, 9, 0, 1)
    proof.tails[key] = {0, 191, 192, 192 + proof.table}
    assert [*proof.tails_of(key)] == [
        Tail(0, -1, 0),
        Tail(191, -1, 0),
        Tail(192, -1, 0),
        Tail(192, 0, 0),
        Tail(192, -1, 1),
        *(Tail(192 + proof.table, i, 0) for i in (-1, 0, 1)),
        *(Tail(192 + proof.table, i, 1) for i in (-1, 0)),
    ]
    for tail in proof.tails_of(key):
        ahead, waits = proof.distances(key, tail)
        assert 0 <= ahead + waits <= tail.left or ahead < 0


def test_how_much_is_behind_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text goes on by what all have that arrive, in blocks of Poly1305, and by as many of ChaCha20 as a state says."""
    monkeypatch.setattr(LongText, "waits", lambda *_: 0)
    for kernel in ("avx2_golden_cove", "avx2_zen4"):
        proof = LongText(*chosen(kernel), Case(True, 0, 13))
        proof.enter()
        n = proof.space.variable("m", 1, 9) * CIPHER_BLOCK
        left = proof.space.variable("v", 0, 9) * proof.table + 192 + 1127
        key, _ = proof.ahead(Key(1, 2, -1, AHEAD, 0, 0, 70, 16), proof.calls, n, left, n + 192)
        assert (key.residue >= 0) == (proof.period > 1) == (kernel == "avx2_zen4")
        assert proof.tables[key].behind == 1120
        proof.forms[key.shared] = {}
        *low, (least, _) = (range_of(path.begun.left) for path in proof.resumed_at(key))
        if proof.period > 1:
            assert low == [(1312, 1343)] and least == 1280 + proof.period * CIPHER_BLOCK
        else:
            assert not low and least == 1312


def test_lengths_that_are_left() -> None:
    """Each number of bytes from the least on is run: up to a whole block of ChaCha20, and all others."""
    proof = LongText(*chosen("avx2_golden_cove"), Case(True, 0, 13))
    proof.enter()
    one = Key(at=1, layout=2, n=-1, kind=LAST, lag=0, end=0, beside=0, blocks=0)
    proof.forms[one.shared] = {}

    def ranges(key: Key) -> list[tuple[int, int]]:
        return [range_of(path.begun.left) for path in proof.resumed_at(key)]

    ((low, high),) = ranges(one)
    assert low == proof.least and high > TEXT_MAX
    uneven = one._replace(lag=proof.least + 16)
    assert ranges(uneven) == [(proof.least + 16, proof.least + 63), (proof.least + 64, high + 64)]


def test_a_part_of_a_block() -> None:
    """Where Poly1305 may have absorbed a part of a block of ChaCha20, it is any number of its own blocks before what was
    encrypted; and before a pass that absorbs beside it, that many more."""
    proof = LongText(*chosen("avx512_zen5"), Case(False, 0, 13))
    assert proof.is_uneven and not proof.is_stitched
    proof.enter()
    for least, beside in ((0, 0), (128, 0), (128, 50), (832, 50)):
        proof.least_lag = least
        key = Key(1, 2, -1, ANYWHERE, 0, 0, beside, 16 if beside else 0)
        proof.forms[key.shared] = {}
        found = set[tuple[int, int]]()
        for path in proof.resumed_at(key):
            n, absorbed = path.begun.n, path.begun.absorbed
            assert n % CIPHER_BLOCK == 0 and (n - absorbed) % BLOCK_BYTES == 0
            found.add((range_of(n - absorbed)[0], range_of(absorbed)[0]))
        first = max(least, BLOCK_BYTES * beside)
        assert found == {(lag, -lag % CIPHER_BLOCK) for lag in range(first, first + CIPHER_BLOCK, BLOCK_BYTES)}
        proof.tails[key] = {5}
        assert [tail.phase for tail in proof.tails_of(key)] == [*proof.phases(key)] == [0, 16, 32, 48]


def test_what_was_absorbed_beside_the_last_pass() -> None:
    """Where a pass has returned, any number of blocks was absorbed beside it that a layout has."""
    proof = LongText(*chosen("avx512_zen5"), Case(False, 0, 13))
    proof.enter()
    key = Key(1, 2, -1, ANYWHERE, 0, 0, ANY, 0)
    proof.forms[key.shared] = {("general", "%rax"): [Form("beside")], ("general", "%rbx"): [Form("absorbed before")]}
    path = proof.resume(key)
    beside, before = (path.calls.machine.general[name] for name in ("%rax", "%rbx"))
    assert range_of(beside) == (0, 50) and is_same(before + beside * BLOCK_BYTES, path.begun.absorbed)


def test_what_is_absorbed_beside_was_encrypted() -> None:
    """Where Poly1305 has absorbed nothing, a pass that absorbs beside it comes behind as many bytes; and how far it is
    must say so where the pass begins."""
    proof = LongText(*chosen("avx512_zen5"), Case(False, 0, 13))
    begun = proof.enter().begun._replace(n=CIPHER_BLOCK)
    key = Key(1, 2, -1, NOTHING, 0, 0, 50, 16)
    proof.forms[key.shared] = {}
    n = proof.resume(key).begun.n
    assert range_of(n)[0] == 13 * CIPHER_BLOCK
    assert proof.kind_of(begun, n, 1, 0, 16, 52) == (NOTHING, 0)
    for absorbed, beside in ((0, 53), (16, 52)):
        with pytest.raises(Unproved, match="blocks are absorbed beside a pass"):
            proof.kind_of(begun, n, 1, absorbed, 16, beside)


def test_ciphertext_behind() -> None:
    """What was encrypted before is read by its name at constant addresses, too: not before what is absorbed."""
    proof = LongText(*chosen(), Case(False, 0, 13))
    proof.enter()
    key = Key(1, 2, -1, NOTHING, 0, 0, 0, 0)
    proof.forms[key.shared] = {}
    path = proof.resume(key)
    path.calls.fix("m0", 3)
    memory, at = path.calls.memory, path.begun.out_at - 3 * CIPHER_BLOCK
    assert path.begun.n == 3 * CIPHER_BLOCK and path.begun.absorbed == 0
    assert memory.read(at, 8) == memory.read(at, 8) != memory.read(at + 8, 8)
    with pytest.raises(Unproved, match="which it has absorbed"):
        memory.read(at - 8, 8)


def test_zero_that_moves() -> None:
    """A register that is 0 is what Poly1305 has absorbed, if that is asked for, and may be."""
    zero, moving, other = Form("constant", 0), Form("absorbed before"), Form("n")
    general, cell = ("general", "r13"), ("cells", 8, 8)
    for zero_moves in (False, True):
        proof = LongText(*chosen(), Case(False, 0, 13), zero_moves)
        assert proof.form_at(general, [zero, other, moving]) == (moving if zero_moves else zero)
        assert proof.form_at(general, [zero, other]) == proof.form_at(cell, [zero, moving]) == zero
        assert proof.form_at(general, [other, moving]) == other


@pytest.mark.parametrize("opens", [True])
def test_ranges_that_are_too_small(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not within its range is not known, or refused."""
    proof = again(opens)
    monkeypatch.setattr(aead_loops, "PART_BYTES", 1 << 12)
    with pytest.raises(Unproved):
        proof.settle()


def test_other_ciphertext_is_not_the_next() -> None:
    piece = with_piece([1, 2], 0, 64)
    assert with_piece(piece, 64, 80) == [1, 2, Piece(0, 80)]
    for start in (0, 48, 80):
        with pytest.raises(Unproved, match="Poly1305 absorbs"):
            with_piece(piece, start, start + 16)


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


def test_what_is_not_covered() -> None:
    """Some kernels are not proved, or to seal alone, and calls that open in place are not."""
    for name in ("vector128", "avx2_zen4", "avx2 ", "avx512_zen5"):
        assert is_covered(*chosen(name), opens=False) and is_covered(*chosen(name), opens=True)
    of_clang = next(choice for choice in choices(program("clang-19")) if choice.name.startswith("avx2_zen4"))
    assert [is_covered(program("clang-19"), of_clang, opens) for opens in (False, True)] == [True, False]
    with pytest.raises(Unproved, match="in place"):
        LongText(*chosen(), Case(True, 0, 13, in_place=True))
