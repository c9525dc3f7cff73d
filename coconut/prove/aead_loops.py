# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove calls of ChaCha20-Poly1305 as compilers made them at every length of a long text: the loop over ChaCha20's passes
by induction.

aead.py proves a call at one length. Here the length is n + left: what the passes have done, and what is left. The place
where a pass has returned to hornet_aead_long_chunk is the cut point. There, any pass may have been the last one (havoc):

- n is any multiple of 64, and left is any number from `least` on, or in a range if Poly1305 is a constant before n. The
  text that is left is any text.
- The counter of the next block is any word, but RFC 8439's for n. The accumulator is any, but what Poly1305 leaves for the
  associated data and the first `absorbed` bytes of ciphertext. How far these are from n is what kinds of states differ by.
- Public numbers are a constant, or one plus n, left, the length, what is absorbed, or an address that moves with these; or
  n and up to a part. Other words are kept if they are the same whenever a pass returns. All else is unknown, and maybe
  secret.

A path is run from there until the next pass has returned, or to the end of the call if fewer than `least` bytes are left,
at each number of them. What it has written must be the RFC's output, at its address, and what it has absorbed must be the
next blocks of ciphertext. What it leaves must be a state as above, with all numbers moved on. So the states are a loop
invariant; it is inferred from what arrives.

Addresses that move with n are constants, and the addresses of the whole text and output are what depends on n: so the
machine reads and writes as if a call began there. Ciphertext is known by its place in the text: a word at a place that
depends on the length is any word, but it is the same whenever that place is read, and a kernel of Poly1305 that absorbs a
number of blocks that depends on the length does what loops.py proves of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from coconut.lift.machine import RETURN, Memory, Unknown
from coconut.lift.objects import LIBRARY, X86_64, Linked, chosen, compiled, target_of
from coconut.lift.publics import Public, Residue, Space, Split, Whole, exact, range_of
from coconut.operations import BLOCK_BYTES, WORD32_MAX
from coconut.prove.aead import AAD, IN, KEY, NONCE, OUT, SHARED_RESULTS, TAG, Case, block, check_verdict, subkey
from coconut.prove.calls import (
    BESIDE_BLOCKS,
    BESIDE_COUNT,
    BESIDE_STATE,
    Accumulator,
    Calls,
    Run,
    clamped,
    doubled,
    padded,
)
from coconut.prove.chacha20 import DOUBLE_ROUNDS
from coconut.prove.choices import BLOCKS, Choice, choices, kernels_named, kernels_of_chacha20, missing, records_in_use
from coconut.prove.evaluation import Record
from coconut.prove.loops import NOT_PROVED, bits_of, is_same, is_whole, put, values_of
from coconut.prove.objects import atoms_of, is_left
from coconut.prove.polynomials import Number, Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import Difference, Term, same

CIPHER_BLOCK = 64
# The longest text (RFC 8439, section 2.8): 2^32 - 1 blocks.
TEXT_MAX = (1 << 38) - CIPHER_BLOCK
# Shorter texts are copied (AEAD_COPIED_BYTES).
COPIED = 4096
# The largest difference of a number and n that is not always the same: AEAD_PART_BYTES, and a pass.
PART_BYTES = (1 << 16) + (1 << 12)
# How far the addresses of a text and its output are from those of other memory; each has a region of its own.
WITHIN, REGION = 1 << 39, 1 << 40
# chacha20_work: what is left of the text; and aead_chunk, which begins with it: where its stack has ended so far.
WORK_LEFT, CHUNK_END = 16, 80
# Limits that no proof reaches, and of the bytes that wait for Poly1305 if all passes have it beside them; if a call opens,
# in tables of passes.
PATHS_MAX, VISITS_MAX, LAG_MAX, TABLES_BEHIND = 1 << 20, 1 << 14, 4096, 2
# The length of the associated data, and of how many numbers of bytes that are left to the last passes one is proved; it
# has no factor in common with the lengths of blocks.
AAD_LENGTH, EACH = 13, 97
# With what a choice begins that is proved by default.
QUICK = "vector128"
LOOP, PASS = "hornet_aead_long_chunk", "hornet_chacha20_pass"
ASSUMED = (
    "Texts and their output do not overlap other memory, wherever they are, and branches do not depend on addresses.",
    "At a cut point the text that is left is at odd addresses, as whole calls of coconut.prove.aead have it; shorter calls "
    "are proved there.",
    "A kernel of Poly1305 that absorbs does what coconut.prove.loops proves of it.",
)


@dataclass
class TextMemory(Memory):
    """Memory with addresses that depend on the length, if what is read there does not, or if it is ciphertext.

    ciphertext: returns bytes of ciphertext at an address, or None if that is none. around: addresses before and behind the
    text that is left, where ciphertext may be that has no names yet.
    """

    ciphertext: Callable[[Whole, int], Any] = lambda *_: None
    around: tuple[range, ...] = ()

    def read(self, at: Whole, count: int) -> Any:
        if isinstance(at, int):
            if not any(at in part for part in self.around):
                return super().read(at, count)
            found = self.ciphertext(at, count)
        else:
            at = exact(at)
            found = self.ciphertext(at, count) if isinstance(at, Public) else None
            if found is None:
                return self.read_table(at, count)
        self.found.append(found)
        return found

    def read_table(self, at: Whole, count: int) -> Any:
        """Read what is the same at all addresses that a number may be; else ask which one it is."""
        low, high = range_of(at)
        if isinstance(at, int) or low == high:
            return super().read(low, count)
        name, *others = at.varying()
        if others:
            at.separate(name)
        rest, _ = at.range(name)

        def found(value: int) -> Any:
            byte = self.linked.constants
            place = rest + at.terms[name] * value
            if not any(start <= place and place + count <= start + len(content) for start, content in byte.items()):
                raise Unproved(f"{count} bytes at {at}, which are no constants")
            return super(TextMemory, self).read(place, count)

        first, last = at.space.ranges[name]
        if last - first >= CIPHER_BLOCK or len(values := {found(value) for value in range(first, last + 1)}) > 1:
            at.separate(name, found)
        (value,) = values
        return value

    def write(self, at: Whole, count: int, value: Any) -> None:
        low, high = range_of(at)
        if low != high:
            raise Unproved(f"{count} bytes are written at {at}")
        super().write(low, count, value)


class Piece(NamedTuple):
    """Ciphertext that Poly1305 has absorbed: where it begins in the text, and ends."""

    start: Whole
    end: Whole

    def is_same(self, other: "Piece") -> bool:
        return is_same(self.start, other.start) and is_same(self.end, other.end)


def public_numbers(calls: Calls) -> Iterator[Whole]:
    """Yield the public numbers that general registers and memory hold, if more than their low bits are known."""
    for place, value in values_of(calls.machine):
        if place[0] in {"general", "cells"} and is_whole(value) and not bits_of(value):
            yield exact(value)


def held(calls: Calls, number: Whole) -> int:
    """Return in how many places a public number is."""
    return sum(is_same(value, exact(number)) for value in public_numbers(calls))


def one_value(number: Whole) -> int:
    """Return a number; where it depends on variables, for each value of one by itself."""
    if isinstance(number, Public):
        number.separate(number.varying()[0])
    return number


def rest_of(number: Whole, by: int) -> int:
    """Return the remainder, in the same way."""
    try:
        return one_value(number % by)
    except Residue as residue:
        assert isinstance(number, Public)
        number.separate(residue.variable)


def is_multiple(number: Whole, of: int) -> bool:
    """Return whether a number is one whatever its variables are."""
    terms = [*number.terms.values(), number.constant] if isinstance(number, Public) else [number]
    return not any(term % of for term in terms)


def with_value(number: Any, name: str, value: int) -> Any:
    return number.with_value(name, value) if isinstance(number, Public) else number


class Begun(NamedTuple):
    """What a path begins with.

    - n, left: bytes of the text that are done, and that are left. text: the words of those, as far as they are read.
    - text_at, out_at: the addresses of the next byte. counter: of the next block. absorbed: bytes of ciphertext.
    - below: numbers that are known to be no more than the length.
    """

    n: Whole
    left: Whole
    text: list[Any]
    text_at: int
    out_at: int
    counter: Any
    absorbed: Whole
    below: tuple[Whole, ...] = ()

    @property
    def length(self) -> Whole:
        return self.n + self.left

    def with_value(self, name: str, value: int) -> "Begun":
        n, left, absorbed, *below = (
            with_value(number, name, value) for number in (self.n, self.left, self.absorbed, *self.below)
        )
        return self._replace(n=n, left=left, absorbed=absorbed, below=tuple(below))


@dataclass
class LongCalls(Calls):
    """Calls at a length that is not known, which is that of `begun`.

    opens: whether the ciphertext is the text. chacha20_key, chacha20_nonce: words of those. public: words of ciphertext.
    zeroed: whether all of the output has been set to zeros.
    """

    opens: bool = False
    begun: Begun = Begun(0, 0, [], 0, 0, 0, 0)
    chacha20_key: Sequence[Any] = ()
    chacha20_nonce: Sequence[Any] = ()
    public: list[Any] = field(default_factory=list)
    zeroed: bool = False

    def anything(self, is_secret: bool) -> Term:
        # Paths that part, and come together again, have no name in common.
        self.unknowns = self.terms.number()
        return super().anything(is_secret)

    def parted(self) -> "LongCalls":
        made = super().parted()
        made.public = list(self.public)
        return made

    def use_memory(self, memory: Memory) -> None:
        """Use a memory, whose ciphertext is that of this call."""
        assert isinstance(memory, TextMemory)
        memory.ciphertext = self.ciphertext_word
        super().use_memory(memory)

    def names_of(self, run: Run) -> list[Any]:
        # The same words may be those of other places in the text.
        return self.names()

    def fix(self, name: str, value: int) -> None:
        """Put a value in place of a variable."""
        for place, number in list(values_of(self.machine)):
            if isinstance(number, Public):
                put(self.machine, place, number.with_value(name, value))
        self.begun = self.begun.with_value(name, value)
        fixed = [
            found._replace(
                blocks=[
                    Piece(*(with_value(end, name, value) for end in word)) if isinstance(word, Piece) else word
                    for word in found.blocks
                ]
            )
            for found in self.accumulators
        ]
        self.accumulators[:] = fixed

    def is_short(self, blocks: Sequence[Any]) -> bool:
        return super().is_short([word for word in blocks if not isinstance(word, Piece)])

    def keystream(self, length: int) -> list[Any]:
        """Return the words of the next blocks, for a number of bytes."""
        words: list[Any] = []
        for i in range(-(-length // CIPHER_BLOCK)):
            counter = self.begun.counter + i & WORD32_MAX
            words += block(self.terms, self.chacha20_key, counter, self.chacha20_nonce)
        return words

    def out_of(self, length: int) -> list[Any]:
        """Return the RFC's words of the next bytes."""
        keystream = self.keystream(length)
        words = self.begun.text[: -(-length // 4)]
        return [(word ^ keystream[i]) & self.mask(length - 4 * i) for i, word in enumerate(words)]

    def ciphertext_of(self, length: int) -> list[Any]:
        """Return the words of the next bytes of ciphertext."""
        words = self.begun.text[: -(-length // 4)]
        return [word & self.mask(length - 4 * i) for i, word in enumerate(words)] if self.opens else self.out_of(length)

    def place_of(self, at: Whole) -> Whole | None:
        """Return which byte of ciphertext is at an address; None if that is of other memory."""
        begins = self.begun.text_at if self.opens else self.begun.out_at
        low, high = range_of(at)
        region = begins // REGION * REGION
        return self.begun.n + (exact(at) - begins) if region <= low and high < region + REGION else None

    def check_place(self, start: Whole, end: Whole) -> None:
        """Raise Unproved unless bytes from one to another are ciphertext, from what was not absorbed when the path began."""
        begun = self.begun
        if range_of(start - begun.absorbed)[0] < 0:
            raise Unproved(f"Poly1305 reads the ciphertext at {start}, which it has absorbed")
        if self.opens:
            if not any(range_of(bound - end)[0] >= 0 for bound in (begun.length, *begun.below)):
                raise Unproved(f"Poly1305 reads {end} bytes of {begun.length}")
        elif (written := end - begun.n) > 0:
            written = one_value(written)
            self.claim_terms("the output", begun.out_at, self.out_of(written), written)

    def ciphertext_word(self, at: Whole, count: int) -> Any:
        """Return a word of ciphertext at a place that depends on the length, or that has no names yet."""
        place = self.place_of(at)
        if place is None:
            return None
        if count != 8:
            raise Unproved(f"{count} bytes of ciphertext at {place}")
        self.check_place(place, place + count)
        # States that differ by how far Poly1305 is have the same names.
        waits = place - self.begun.absorbed
        name = f"ciphertext that waits, {waits}" if isinstance(waits, int) else f"ciphertext at {place}"
        low, high = (self.terms.variable(f"{name}, {half}") for half in range(2))
        self.public += low, high
        return low | high << 32

    def words_at(self, at: Whole, count: int) -> list[Any]:
        memory = self.memory
        assert isinstance(memory, TextMemory)
        if isinstance(at, int):
            for place in range(at, at + 8 * count, 8):
                size, value = self.memory.cells.get(place, (0, 0))
                if isinstance(value, Public):
                    if size != 8 or not is_same(value, self.begun.length):
                        raise Unproved(f"Poly1305 absorbs {value}")
                    self.memory.cells[place] = 8, self.length_word()
        return [memory.read(at + 8 * i, 8) for i in range(count)]

    def length_word(self) -> Any:
        """Return the length for Poly1305, whose last block has any 64 bits."""
        if isinstance(self.begun.length, int):
            return self.begun.length
        low, high = (self.terms.variable(f"length {half}") for half in range(2))
        return low | high << 32

    def advance(self, at: int) -> int:
        if at in self.members:
            return self.absorb_any(at)
        if at == LIBRARY["memset"] and not isinstance(self.machine.general[self.machine.ARGUMENTS[2]], int):
            return self.zero_all()
        return super().advance(at)

    def absorb_any(self, at: int) -> int:
        """Do what a kernel's function does, and return: absorb any number of blocks."""
        record, member = self.members[at]
        state, source, count = (self.machine.general[name] for name in self.machine.ARGUMENTS[:3])
        if member != "absorb" or (record.name, member) in NOT_PROVED or not isinstance(state, int):
            raise Unproved(f"{record.name} {member} with a long text")
        if count % BLOCK_BYTES != 0 or not count > 0:
            raise Unproved(f"{record.name} absorbs {count} bytes")
        if (self.machine.general[self.machine.STACK] + self.machine.stack.return_bytes) % 16 != 0 or state % 8 != 0:
            raise Unproved(f"{record.name} is called with a stack, or a state, that is not aligned")
        before = self.accumulator_at(state)
        place = self.place_of(source)
        if place is None:
            if not isinstance(source, int) or not isinstance(count, int):
                raise Unproved(f"{record.name} absorbs {count} bytes at {source}")
            blocks = before.blocks + self.words_at(source, count // 8)
        else:
            self.check_place(place, place + count)
            blocks = with_piece(before.blocks, place, place + count)
        self.taken.append(record.name)
        at = self.returned()
        self.give_names(state, before._replace(blocks=blocks), self.names())
        return at

    def zero_all(self) -> int:
        """Do what memset does with all of the output, after which a call that opens writes nothing there."""
        machine = self.machine
        to, byte, count = (machine.general[name] for name in machine.ARGUMENTS[:3])
        begun = self.begun
        is_all = is_same(exact(to), begun.out_at - begun.n) and is_same(exact(count), begun.length)
        if not is_all or not isinstance(byte, int) or byte != 0 or not isinstance(begun.left, int):
            raise Unproved(f"memset of {count} bytes at {to}")
        self.check_written([(begun.out_at, begun.left)])
        machine.written.clear()
        self.zeroed = True
        at = self.returned()
        machine.general[machine.RESULT] = to
        return at

    def begin(self, at: int) -> None:
        count = self.memory.read(self.machine.general[self.machine.ARGUMENTS[0]] + BESIDE_COUNT, 8)
        if isinstance(count, Public):
            count.separate(next(iter(count.terms)))
        super().begin(at)

    def absorb(
        self, title: str, record: Record, state: int, blocks: list[Any], beside: bool = False, reduces: bool = False
    ) -> None:
        super().absorb(title, record, state, blocks, beside, reduces)
        running = self.running[-1]
        place = self.place_of(self.memory.read(self.machine.general[self.machine.ARGUMENTS[0]] + BESIDE_BLOCKS, 8))
        if place is None:
            raise Unproved("what is absorbed beside a pass is no ciphertext")
        end = place + 8 * len(blocks)
        self.check_place(place, end)
        of = with_piece(self.accumulator_at(state).blocks, place, end)
        self.running[-1] = running._replace(result=running.result._replace(blocks=of))


def with_piece(blocks: list[Any], start: Whole, end: Whole) -> list[Any]:
    """Return what is absorbed with more of the ciphertext, which must follow."""
    before = blocks[-1] if blocks else None
    if not isinstance(before, Piece):
        before, blocks = Piece(0, 0), [*blocks, None]
    if not is_same(before.end, start):
        raise Unproved(f"Poly1305 absorbs the ciphertext from {start} on, behind {before.end}")
    return [*blocks[:-1], Piece(before.start, end)]


@dataclass
class Path:
    """A path of the symbolic execution. passes: how many have begun; work: the address of what they are given. valid: the
    verdict on the tag, if it takes one. layout: of the pass that is run, or was. least: how many bytes are left at least,
    when it begins. start: the address where it begins."""

    calls: LongCalls
    at: int
    ranges: dict[str, tuple[int, int]]
    valid: bool = True
    work: int = 0
    layout: int = 0
    least: int = 0
    moved: bool = False
    decided: bool = False
    start: int = 0

    @property
    def begun(self) -> Begun:
        return self.calls.begun


class Form(NamedTuple):
    """What a number is at a cut point: a constant, or one plus something else; or a word."""

    of: str
    constant: Any = 0


# Where a number is, as in loops.py.
Place = tuple[Any, ...]
# Where a part ends: anywhere from a place on, or within the last block of the text, which may not be a whole one.
FREE, WITHIN_BLOCK = Form("any from n on"), Form("any within a block")


class Arrived(NamedTuple):
    """What numbers are compared with that a path leaves at a cut point: other numbers, by their names, the counter of the
    next block, and the accumulator."""

    anchors: dict[str, Whole]
    counter: Any
    found: Accumulator


# How far what Poly1305 has absorbed is from n: a constant behind it; any number of blocks behind it; before it, up to the
# end of a part; before it, a constant modulo a table of passes; a constant from the last whole block of the text.
# Before the first pass, nothing is absorbed; and maybe not before the end of the first part.
FIRST, NOTHING, BEHIND, ANYWHERE = "first", "nothing", "behind", "anywhere"
PART, AHEAD, LAST = "part", "ahead", "last"
# Any number of blocks.
ANY = -1
# With what the name of a variable begins that is a number of tables of passes that wait for Poly1305.
WAITS = "f"


class Key(NamedTuple):
    """What states differ by: the address; the layout of the pass that begins or returns; n, if that is known, else
    -1; how many bytes Poly1305 is behind n, if that is a constant, or from the end of the text (LAST); where the stack has
    ended; how many blocks are absorbed beside this pass, or the last one (ANY: any number); of how many blocks this pass
    is; and where it returns to.

    And if passes absorb before n (AHEAD): how many bytes Poly1305 is before n, modulo a table of passes, if n is not known;
    how many wait for it up to the end of the part, so, or 0 if none do; and how many blocks are left, modulo those of a
    period. Then, and if Poly1305 is a constant from the end, in how many places the length is held: in more, once the part
    ends with the text."""

    at: int
    layout: int
    n: int
    kind: str
    lag: int
    end: int
    beside: int
    blocks: int
    back: int = 0
    ahead: int = 0
    waits: int = 0
    ends: int = 0
    residue: int = ANY

    @property
    def shared(self) -> tuple[object, ...]:
        """Return what states have in common of which the same is known."""
        ahead = (self.ahead, self.waits, self.residue) if self.kind == AHEAD else ()
        return self.at, self.layout, self.n, self.kind, self.back, self.ends, *ahead

    @property
    def secret(self) -> tuple[object, ...]:
        """Return what states have in common that have secrets in the same places."""
        return *self.shared, self.end

    @property
    def least_left(self) -> int:
        """Return how many bytes are left at least."""
        return self.lag if self.kind == LAST else 0

    @property
    def beside_pass(self) -> int:
        """Return how many bytes are absorbed beside the pass that begins, if one does."""
        return BLOCK_BYTES * self.beside if self.blocks else 0

    @property
    def to_end_of_part(self) -> int:
        """Return how many bytes the part has behind n, but for whole tables of passes (AHEAD)."""
        return self.ahead + self.waits


class Tail(NamedTuple):
    """An end of a call: how many bytes are left, and how many tables of passes Poly1305 is before n, and are yet to be
    absorbed of the part, beside what the state says of these; and one of its phases."""

    left: int
    ahead: int = 0
    waits: int = 0
    phase: int = 0


class Tables(NamedTuple):
    """How many tables of passes Poly1305 is before n, at least and at most, and how many wait for it, beside what a state
    says; and how many bytes are behind the part at least, in whole blocks of Poly1305."""

    least: int = 0
    furthest: int = 0
    fewest: int = 0
    most: int = 0
    behind: int = 0


class Parts(NamedTuple):
    """A length: how many bytes there are, and how many of them are in no whole block of Poly1305."""

    total: Whole
    rest: Whole


@dataclass
class LongText:
    """The proof of a call for all lengths of the text from `long` on, at one length of the associated data.

    - zero_moves: whether a general register that is 0, and what is absorbed before a pass, is taken for the latter: it may
      be 0 on the first paths alone. Else it is a constant, if all agree.
    - least: how many bytes are left in a state at least. kernel: of ChaCha20.
    - forms: what is known where at the cut point, by what may be true of it, for each kind of states; the first one is
      taken. least_lag: how many bytes wait for Poly1305 at least, if that may be any number.
    - secrets: where a secret may be, if nothing else is known; it depends on where the stack has ended, too.
    - states: what was known when each of them was run. tails: how many bytes may be left, by the state.
    - tables: the same of how many tables of passes, if passes absorb before n.
    """

    linked: Linked
    choice: Choice
    case: Case
    zero_moves: bool = False
    space: Space = field(default_factory=Space)
    forms: dict[tuple[object, ...], dict[Place, list[Form]]] = field(default_factory=dict)
    least_lag: int = TEXT_MAX
    secrets: dict[tuple[object, ...], set[Place]] = field(default_factory=dict)
    states: dict[Key, tuple[Any, ...]] = field(default_factory=dict)
    tails: dict[Key, set[int]] = field(default_factory=dict)
    tables: dict[Key, Tables] = field(default_factory=dict)
    versions: dict[tuple[object, ...], int] = field(default_factory=dict)
    likely: dict[tuple[int, int, Place], Form] = field(default_factory=dict)
    resumed: int = 0
    paths: int = 0
    work: int = 0

    def __post_init__(self) -> None:
        case = self.case
        if case.opens and case.in_place:
            raise Unproved("calls that open in place are not proved at all lengths")
        self.kernel = kernels_of_chacha20(self.linked)[records_in_use(self.linked, "chacha20", self.choice.chacha20)[0]]
        most = max(self.kernel.layouts[i].blocks for i in self.kernel.others)
        self.least = CIPHER_BLOCK * (most + 1)
        self.long = max(COPIED + CIPHER_BLOCK, CIPHER_BLOCK * (2 * most + 1))
        self.calls = calls = LongCalls(self.linked, self.choice, opens=case.opens)
        calls.memory = TextMemory(self.linked, calls.memory.cells)
        self.ring, self.terms = calls.ring, calls.terms
        key, nonce = calls.data(KEY, "key", 32), calls.data(NONCE, "nonce", 24 if case.extended else 12)
        self.prefix = doubled(padded(calls.data(AAD, "aad", case.aad_length)))
        self.given = doubled(calls.data(TAG, "tag", 16)) if case.opens else []
        if case.extended:
            key, nonce = subkey(key, nonce), [0, *nonce[4:]]
        calls.chacha20_key, calls.chacha20_nonce = key, nonce
        poly_key = block(self.terms, key, 0, nonce)[:8]
        calls.cut_key(poly_key)
        self.poly_key = doubled(poly_key)
        self.clamped = clamped(self.poly_key)
        # The accumulator with which a path begins; paths have the same names, so that a pass is computed once.
        self.words = calls.names()
        symbols = self.linked.symbols
        first = symbols[LOOP]
        end = min(at for at in self.linked.functions if at > first)
        target = f"{symbols[PASS]:x}"
        self.cuts = {
            line.after
            for at, line in self.linked.lines.items()
            if first <= at < end and line.name == "call" and line.operands[0].split()[0] == target
        }

    def from_length(self, least: int, tables: int, residue: int = ANY) -> Parts:
        """Return any length from this one on, below a number of tables more; maybe of a number of blocks modulo the
        period."""
        # The code computes the number modulo the period of its table, in which passes may repeat.
        whole = self.space.variable("v", 0, tables - 1) * self.table + least
        if repeats := self.kernel.period // self.period - 1:
            whole = whole + self.space.variable("b", 0, repeats) * (self.period * CIPHER_BLOCK)
        if residue != ANY:
            whole = whole + (residue - least // CIPHER_BLOCK) % self.period * CIPHER_BLOCK
        elif self.period > 1:
            whole = whole + self.space.variable("c", 0, self.period - 1) * CIPHER_BLOCK
        if not self.case.opens:
            return Parts(whole + self.space.variable("y", 0, CIPHER_BLOCK - 1), 0)
        blocks = self.space.variable("z", 0, CIPHER_BLOCK // BLOCK_BYTES - 1) * BLOCK_BYTES
        rest = self.space.variable("y", 0, BLOCK_BYTES - 1)
        return Parts(whole + blocks + rest, rest)

    @property
    def table(self) -> int:
        """Return after how many bytes of a long text the table of passes repeats."""
        return CIPHER_BLOCK * self.kernel.period

    @property
    def period(self) -> int:
        """Return after how many blocks of a long text the passes repeat."""
        last = self.kernel.others[-self.kernel.period :]
        return next(i for i in range(1, len(last) + 1) if last[i:] + last[:i] == last)

    @property
    def bound(self) -> int:
        """Return the first length that is longer than all that are proved: a number of tables more than the least."""
        return self.long + (TEXT_MAX + 1 - self.long) // self.table * self.table

    def enter(self) -> Path:
        """Return a call."""
        self.space.ranges = {}
        (length, _), case = self.from_length(self.long, (self.bound - self.long) // self.table), self.case
        calls = self.calls
        text_at = OUT if case.in_place else IN
        first = [OUT, text_at, length, TAG] if case.opens else [OUT, TAG, text_at, length]
        self.before = calls.enter([*first, AAD, case.aad_length, NONCE, KEY])
        # What registers have that the call restores is the same on all paths; what is of the text is not.
        self.shared_atoms = self.terms.count
        text = calls.data(text_at, "text", self.long)
        calls.cut_slices(text)
        calls.begun = Begun(0, length, text, text_at, OUT, 1, 0)
        return Path(calls.parted(), self.linked.symbols[case.function], self.space.ranges)

    def run_to_cut(self, path: Path) -> list[Path]:
        """Run a path to the cut point, to its end, or to where it forks; return the paths into which it forks."""
        self.space.ranges = path.ranges
        self.terms.decide = partial(self.verdict, path)
        calls, passes_at = path.calls, self.linked.symbols[PASS]
        calls.enter_scope()
        machine, cuts = calls.machine, {passes_at} if is_zero(path.begun.n) else {passes_at, *self.cuts}
        while path.at != RETURN:
            try:
                if not path.moved and path.begun.left < path.least:
                    return []
                if path.at == passes_at:
                    path.work = machine.general[machine.ARGUMENTS[1]]
                if path.moved and path.at in cuts and not self.is_tail(path.begun.left):
                    self.arrive(path)
                    return []
                path.at = calls.advance_or_undo(path.at, Split)
                path.moved = True
            except Split as split:
                return list(self.fork(path, split))
            except Residue as residue:
                raise Unproved(f"a question about {residue}") from None
        self.finish(path)
        return []

    def is_tail(self, left: Whole) -> bool:
        """Return whether a path that begins with this number of bytes left is run to the end of the call."""
        return isinstance(left, int) and left < self.least

    def fork(self, path: Path, split: Split) -> Iterator[Path]:
        """Yield the path with a variable in each part of its range."""
        for low, high in split.parts:
            part = replace(path, calls=path.calls.parted(), ranges=path.ranges | {split.variable: (low, high)})
            if low == high:
                part.calls.fix(split.variable, low)
            yield part

    def arrive(self, path: Path) -> None:
        """End a path at the cut point: check what it has done, and join what it leaves with what is known there."""
        calls, begun = path.calls, path.begun
        memory = calls.memory
        left = exact(memory.read(path.work + WORK_LEFT, 8))
        done = begun.left - left
        is_entry = path.at == self.linked.symbols[PASS]
        if not isinstance(done, int) or done % CIPHER_BLOCK or not 0 <= done <= 4 * len(begun.text):
            raise Unproved(f"{done} bytes are done")
        # So no call goes on forever: between a return and the next pass alone nothing is done.
        if is_zero(done) and (not is_entry or path.start == path.at):
            raise Unproved("a pass has done nothing")
        if calls.running or calls.zeroed:
            raise Unproved("a pass returns while Poly1305 runs, or after the end")
        calls.claim_terms("the output", begun.out_at, calls.out_of(done), done)
        calls.check_written([(begun.out_at, done)])
        n, end = begun.n + done, memory.read(path.work + CHUNK_END, 8)
        found, absorbed = self.found_at(n, calls, path.work)
        if range_of(absorbed - begun.absorbed)[0] < 0:
            raise Unproved("fewer blocks are absorbed than before")
        if n % CIPHER_BLOCK != 0:
            raise Unproved(f"{n} bytes are done")
        beside = memory.read(path.work + BESIDE_COUNT, 8)
        if isinstance(beside, Public):
            beside.separate(next(iter(beside.terms)))
        layout = calls.machine.general[calls.machine.ARGUMENTS[0]] if is_entry else path.layout
        if not isinstance(layout, int):
            raise Unproved("a layout that depends on the length")
        if not isinstance(end, int) or not isinstance(beside, int):
            raise Unproved("the end of the stack, or what is absorbed beside a pass, depends on the length")
        blocks = self.linked.number(layout + BLOCKS, 2) if is_entry else 0
        kind, lag = self.kind_of(begun, n, left, absorbed, blocks, beside if is_entry else 0)
        # While Poly1305 is not before n, numbers of both are the same.
        is_first = is_zero(begun.n) or kind == AHEAD and is_same(n, absorbed)
        n_known = n if is_first and isinstance(n, int) else -1
        back = calls.machine.copied().back() if is_entry else 0
        is_any = kind == ANYWHERE and self.is_uneven and not is_entry and beside <= self.beside_most
        key, part = Key(path.at, layout, n_known, kind, lag, end, ANY if is_any else beside, blocks, back), absorbed
        if kind == AHEAD:
            key, part = self.ahead(key, calls, n, left, absorbed)
        elif kind == LAST and self.is_stitched:
            key = key._replace(ends=held(calls, n + left))
        if range_of(left)[0] < key.least_left:
            raise Unproved(f"{left} bytes are left, and {lag} wait for Poly1305")
        anchors = anchors_of(key, n, left, absorbed, part, begun.text_at + done, begun.out_at + done, beside)
        counter = begun.counter + done // CIPHER_BLOCK & WORD32_MAX
        self.join(calls, key, Arrived(anchors, counter, found), calls.ciphertext_of(done))
        if self.work not in {0, path.work}:
            raise Unproved("two places of what passes are given")
        self.work = path.work
        if (low := range_of(left)[0]) < self.least:
            self.tails.setdefault(key, set()).update(range(max(0, low), self.least))
        self.states.setdefault(key, ())

    def kind_of(
        self, begun: Begun, n: Whole, left: Whole, absorbed: Whole, blocks: int, beside: int
    ) -> tuple[str, int]:
        """Return how far Poly1305 is, and if it is a constant behind n, or from the end, how many bytes.

        A call that opens has absorbed the blocks of a pass before it begins, but for those beside it.
        """
        if is_zero(n):
            return FIRST, 0
        if self.case.opens:
            rest = exact(n + left - left % BLOCK_BYTES) - exact(absorbed)
            if isinstance(rest, int) and rest <= BLOCK_BYTES * beside:
                return LAST, rest
            if self.is_stitched:
                return AHEAD, 0
            # What passes absorb beside them is absorbed before they end.
            taken = absorbed + BLOCK_BYTES * beside
            ahead = exact(taken - n) - blocks * CIPHER_BLOCK
            low, high = range_of(ahead)
            if ahead % CIPHER_BLOCK != 0 or low < 0 or high > PART_BYTES:
                raise Unproved(f"Poly1305 is {ahead} bytes before {n}, of which {left} are left")
            if not any(range_of(bound - taken)[0] >= 0 for bound in (begun.length, *begun.below)):
                raise Unproved("Poly1305 has absorbed more than the text")
            return PART, 0
        lag = n - absorbed
        low, _ = range_of(lag)
        if low < 0:
            raise Unproved(f"Poly1305 is {lag} bytes behind")
        if self.is_stitched or is_zero(begun.n):
            if not isinstance(lag, int) or lag > LAG_MAX or lag % 8:
                raise Unproved(f"{lag} bytes of ciphertext are not absorbed")
            return BEHIND, lag
        if low < BLOCK_BYTES * beside:
            raise Unproved(f"{beside} blocks are absorbed beside a pass, and {lag} bytes wait")
        if is_zero(absorbed):
            return NOTHING, 0
        if lag % (BLOCK_BYTES if self.is_uneven else CIPHER_BLOCK) != 0:
            raise Unproved(f"Poly1305 is {lag} bytes behind")
        if low < self.least_lag:
            self.least_lag = low - low % CIPHER_BLOCK
        return ANYWHERE, 0

    def ahead(self, key: Key, calls: LongCalls, n: Whole, left: Whole, absorbed: Whole) -> tuple[Key, Whole]:
        """Return the key of a state in which passes absorb before n, and where the part ends."""
        ahead, waits = exact(absorbed - n), self.waits(calls, key, n, left, absorbed)
        residue = rest_of(left // CIPHER_BLOCK, self.period) if self.period > 1 else ANY
        ends = held(calls, n + left)
        if isinstance(waits, Public):
            # None, or some.
            waits.decide(lambda low, high: low > 0 if low > 0 or high <= 0 else None)
        if key.n < 0:
            found = rest_of(ahead, self.table)
            more = 0 if is_zero(waits) else rest_of(waits - 1, self.table) + 1
        else:
            found, more = one_value(ahead), one_value(waits)
        made = key._replace(ahead=found, waits=more, ends=ends, residue=residue)
        least, furthest = (end // self.table for end in range_of(ahead - found))
        fewest, most = (end // self.table for end in range_of(waits - more))
        behind = range_of(left - ahead - waits)[0]
        behind -= behind % BLOCK_BYTES
        if behind < 0 or range_of(waits)[0] < 0 or least < -TABLES_BEHIND:
            raise Unproved(f"Poly1305 is {ahead} bytes before {n}, of which {left} are left, and {waits} wait")
        before = self.tables.get(made, Tables(least, furthest, fewest, most, behind))
        # Where they differ they are any numbers: the text, and a part, have no more bytes than that; and what is absorbed
        # beside a pass is of the part.
        if furthest != before.furthest:
            furthest = TEXT_MAX // self.table
        if (fewest, most) != (before.fewest, before.most):
            fewest = min(fewest, before.fewest, max(0, -((more - key.beside_pass) // self.table)))
            most = (PART_BYTES - more) // self.table
        self.tables[made] = Tables(min(before.least, least), furthest, fewest, most, min(before.behind, behind))
        return made, absorbed + waits

    def waits(self, calls: LongCalls, key: Key, n: Whole, left: Whole, absorbed: Whole) -> Whole:
        """Return how many bytes seem to wait for Poly1305 up to the end of the part, which is the furthest place that is
        held, and not the end of the text or of the pass: a constant, or that of an earlier state. States may be told apart
        by anything."""
        found: list[Whole] = [0]
        for value in public_numbers(calls):
            waits, behind = value - absorbed, value - n
            names = waits.terms if isinstance(waits, Public) else ()
            if not is_multiple(behind, CIPHER_BLOCK) or any(not name.startswith(WAITS) for name in names):
                continue
            low, high = range_of(waits)
            is_end = is_same(left, behind) or key.blocks and is_same(behind, key.blocks * CIPHER_BLOCK)
            is_within = range_of(left - behind)[0] >= 0 and not is_end
            if 0 <= low and high <= PART_BYTES and is_within:
                found.append(waits)
        return max(found, key=lambda waits: range_of(waits)[1])

    @property
    def is_stitched(self) -> bool:
        """Return whether all passes of a long text have Poly1305 beside them."""
        return all(self.kernel.layouts[i].beside for i in self.kernel.others[-self.kernel.period :])

    def found_at(self, n: Whole, calls: LongCalls, work: int) -> tuple[Accumulator, Whole]:
        """Return the accumulator, which is none before the first pass has given a key, and how much it has absorbed."""
        if is_zero(n):
            return Accumulator([], [], []), 0
        found = calls.accumulator_at(calls.memory.read(work + BESIDE_STATE, 8))
        return found, self.absorbed_of(found)

    @property
    def is_uneven(self) -> bool:
        """Return whether Poly1305 may have absorbed a part of a block of ChaCha20."""
        return self.beside_most > 0

    @property
    def beside_most(self) -> int:
        """Return how many blocks a pass of a long text absorbs beside it at most."""
        return DOUBLE_ROUNDS * max(self.kernel.layouts[i].beside for i in self.kernel.others)

    def absorbed_of(self, found: Accumulator) -> Whole:
        """Return how many bytes of ciphertext an accumulator is of; raise Unproved unless it is of those, and of the
        associated data, under the RFC's key."""
        *before, piece = found.blocks
        if not isinstance(piece, Piece):
            before, piece = found.blocks, Piece(0, 0)
        if len(before) != len(self.prefix) or not all(map(same, before, self.prefix)):
            raise Unproved("Poly1305 has absorbed other blocks than the next ones")
        if not is_same(piece.start, 0) or not all(map(same, found.key, self.clamped)):
            raise Unproved("Poly1305 has another key")
        if not all(isinstance(word, Number) for word in found.words):
            raise Unproved("Poly1305 has absorbed nothing")
        return piece.end

    def join(self, calls: LongCalls, key: Key, arrived: Arrived, ciphertext: Sequence[Any]) -> None:
        """Keep of what is known at the cut point what is true of what a path leaves."""
        values = {
            place: value
            for place, value in values_of(calls.machine)
            if place[0] in {"general", "vectors"} or (place[0] == "cells" and not moves(place[1]))
        }
        public = {atom for word in (*ciphertext, *calls.public) for atom in atoms_of(word)}
        secrets = self.secrets.setdefault(key.secret, set())
        secrets |= {place for place, value in values.items() if place not in secrets and is_left(value, public)}
        version = self.versions.get(key.shared, 0)
        if key.shared not in self.forms:
            self.forms[key.shared] = {
                place: self.likely_first(key, place, self.forms_of(value, arrived)) for place, value in values.items()
            }
            self.versions[key.shared] = version + 1
            return
        forms = self.forms[key.shared]
        forms |= {place: [] for place in values.keys() - forms.keys()}
        for place, known in forms.items():
            if not known:
                continue
            kept = [form for form in known if place in values and self.is_true(form, values[place], arrived)]
            if len(kept) != len(known):
                self.versions[key.shared] = version + 1
            forms[place] = kept
            if kept and key.n < 0:
                self.likely[key.at, key.back, place] = kept[0]

    def likely_first(self, key: Key, place: Place, forms: list[Form]) -> list[Form]:
        """Return what may be true with what is true there in other states as the first: where numbers are the same by
        chance, as that which is absorbed and n, another one would lead to states that there are not."""
        likely = self.likely.get((key.at, key.back, place))
        return sorted(forms, key=lambda form: likely is None or not is_form(form, likely))

    def is_true(self, form: Form, value: Any, arrived: Arrived) -> bool:
        """Return whether something is true of a value that a path leaves."""
        if form.of == "same":
            return value is form.constant
        if form.of == "accumulator":
            words = arrived.found.words
            return form.constant < len(words) and words[form.constant] is value
        if form.of == "counter":
            return isinstance(value, int | Term) and same(value, arrived.counter)
        if not is_whole(value) or bits_of(value):
            return False
        if form.of in arrived.anchors:
            return is_same(value - arrived.anchors[form.of], form.constant)
        if form.of == "constant":
            return is_same(value, form.constant)
        least, most = ("n then", PART_BYTES) if form == FREE else ("absorbed", BLOCK_BYTES - 1)
        low, high = range_of(value - arrived.anchors[least])
        return 0 <= low and high <= most

    def forms_of(self, value: Any, arrived: Arrived) -> list[Form]:
        """Return what may be true of a value at the cut point whenever a pass returns, what is likely first."""
        forms: list[Form] = []
        if is_whole(value) and not bits_of(value):
            exactly, nearly = list[Form](), list[Form]()
            for of, anchor in arrived.anchors.items():
                difference = value - anchor
                if isinstance(difference, int) and abs(difference) < (1 if of in {"end", "beside"} else PART_BYTES):
                    (nearly if difference else exactly).append(Form(of, difference))
            if isinstance(value, int):
                constant = Form("constant", value)
                forms += [Form("counter")] if self.is_true(Form("counter"), value, arrived) else []
                forms += [constant, *exactly, *nearly] if value == 0 else [*exactly, constant, *nearly]
            else:
                forms += exactly + nearly
            forms += [form for form in (WITHIN_BLOCK, FREE) if self.is_true(form, value, arrived)]
        elif isinstance(value, Term):
            if self.is_true(Form("counter"), value, arrived):
                forms.append(Form("counter"))
            # What depends on the text of a path has the same names on others.
            if max(atoms_of(value), default=0) <= self.shared_atoms:
                forms.append(Form("same", value))
        elif isinstance(value, Number):
            forms += [Form("accumulator", i) for i, word in enumerate(arrived.found.words) if word is value]
        elif isinstance(value, Unknown):
            forms.append(Form("same", value))
        return forms

    def first_of(self, key: Key) -> int:
        """Return how many bytes are left before the first pass at least; else 0."""
        return self.long if key.kind == FIRST else 0

    def fewest_left(self, key: Key) -> int:
        """Return how many bytes are left at least, if that is no tail."""
        return max(self.least, key.least_left, self.first_of(key))

    def least_of(self, key: Key) -> int:
        """Return the same, up to a whole block of ChaCha20."""
        return -(-self.fewest_left(key) // CIPHER_BLOCK) * CIPHER_BLOCK

    def below_a_block(self, key: Key) -> range:
        """Return how many bytes may be left that are no tail, and fewer than whole blocks of ChaCha20 from the least on."""
        first = self.fewest_left(key)
        return range(first, self.least_of(key))

    def behind_a_part(self, key: Key) -> range:
        """Return how many bytes may be left at least where the part ends, if that is no tail, and fewer than whole blocks of
        ChaCha20, of which the state says how many are left."""
        first = key.to_end_of_part + self.tables[key].behind
        is_low = key.residue == first // CIPHER_BLOCK % self.period
        return range(first, -(-first // CIPHER_BLOCK) * CIPHER_BLOCK if is_low else first)

    def resumed_at(self, key: Key) -> Iterator[Path]:
        """Yield paths that begin at the cut point, with any number of bytes left that is no tail."""
        for phase in self.phases(key):
            if self.behind_a_part(key) if key.kind == AHEAD else self.below_a_block(key):
                yield self.resume(key, phase=phase, is_low=True)
            yield self.resume(key, phase=phase)

    def phases(self, key: Key) -> range:
        """Return how many bytes Poly1305 may be behind n, modulo a block of ChaCha20, if a state does not say it (ANYWHERE)."""
        return range(0, CIPHER_BLOCK if key.kind == ANYWHERE and self.is_uneven else 1, BLOCK_BYTES)

    def form_at(self, place: Place, forms: Sequence[Form]) -> Form:
        """Return what is taken to be known at a place, of all that may be true there."""
        first, moving = forms[0], Form("absorbed before")
        takes_it = self.zero_moves and place[0] == "general" and first == Form("constant", 0) and moving in forms
        return moving if takes_it else first

    def resume(
        self, key: Key, tail: Tail | None = None, valid: bool = True, is_low: bool = False, phase: int = 0
    ) -> Path:
        """Return a path that begins at the cut point, with any number of bytes left, or one that is less than `least`; or, if
        that is asked for, any of below_a_block."""
        self.resumed += 1
        left, phase = (tail.left, tail.phase) if tail else (None, phase)
        self.space.ranges, lag = {}, key.lag
        first = self.first_of(key)
        # What waits for Poly1305 was encrypted, and is no more than n; and so is what is absorbed beside a pass that begins.
        n: Whole = key.n
        if key.n < 0:
            waiting = {BEHIND: lag, NOTHING: key.beside_pass}.get(key.kind, 0)
            n = self.space.variable("m", max(1, -(-waiting // CIPHER_BLOCK)), TEXT_MAX // CIPHER_BLOCK) * CIPHER_BLOCK
        least = self.least_of(key)
        # Whole tables: up to more than any text has left.
        tables = TEXT_MAX // self.table + 1
        ahead, waits = self.distances(key, tail) if key.kind == AHEAD else (0, 0)
        if left is None and key.kind == AHEAD:
            # Behind the end of the part is any number of bytes. Fewer than `least` are no path.
            found = self.behind(key, is_low, tables)
            rest, last = found.total + ahead + waits, found.rest
        elif left is not None:
            rest, last = Parts(left, left % BLOCK_BYTES)
        elif is_low:
            few = self.below_a_block(key)
            least, (rest, last) = few.start, self.within(few)
        else:
            rest, last = self.from_length(least, tables)
        absorbed, below = n + ahead - lag, []
        if key.kind == AHEAD:
            below = [absorbed + waits]
        elif key.kind == NOTHING:
            absorbed = 0
        elif key.kind == ANYWHERE:
            # Sums, so that no number is below zero.
            part = -phase % CIPHER_BLOCK
            fewest = max(0, -(-(max(self.least_lag, key.beside_pass) - phase) // CIPHER_BLOCK))
            whole = self.space.variable("k", 0, TEXT_MAX // CIPHER_BLOCK) * CIPHER_BLOCK
            absorbed = whole + part
            n = absorbed + phase + self.space.variable("l", fewest, TEXT_MAX // CIPHER_BLOCK) * CIPHER_BLOCK
        elif key.kind == LAST:
            absorbed = n + rest - last - lag
        elif key.kind == PART:
            # The part ends within the text.
            most = PART_BYTES if left is None else min(left, PART_BYTES)
            taken = n + (self.space.variable("e", 0, most // CIPHER_BLOCK) + key.blocks) * CIPHER_BLOCK
            absorbed = taken - key.beside_pass
            below = [taken]
        text_at, out_at = (IN + WITHIN, OUT + WITHIN) if key.n < 0 else (IN + key.n, OUT + key.n)
        if self.case.in_place:
            text_at = out_at
        calls, name = copy(self.calls), f"after pass {self.resumed}"
        calls.machine, calls.public = self.calls.machine.copied(), []
        memory = TextMemory(self.linked)
        calls.use_memory(memory)
        shown = left if left is not None else first or self.least
        text = calls.data(text_at, "text left", shown)
        if key.kind in {AHEAD, LAST}:
            end = text_at + -(-shown // 4) * 4
            memory.around = range(text_at - PART_BYTES, text_at), range(end, text_at + PART_BYTES)
        elif key.kind in {NOTHING, ANYWHERE}:
            memory.around = (range(out_at - PART_BYTES, out_at),)
        calls.cut_slices(text)
        calls.public += [*text] if self.case.opens else []
        if key.kind == BEHIND:
            behind: list[Any] = [self.terms.variable(f"ciphertext behind {i}") for i in range(lag // 4)]
            calls.put(out_at - lag, behind, lag)
            calls.public += behind
        counter = 1 if key.kind == FIRST else self.terms.variable("counter")
        words = self.words
        calls.begun = Begun(n, rest, text, text_at, out_at, counter, absorbed, tuple(below))
        calls.accumulators = [
            Accumulator(words, [*self.prefix, *([] if is_zero(absorbed) else [Piece(0, absorbed)])], self.clamped)
        ]
        if key.kind == FIRST:
            calls.accumulators.clear()
        calls.tags, calls.running, calls.taken = [], [], [name]
        machine = calls.machine
        machine.flags, machine.written = type(machine.flags)(), set()
        machine.general = {}
        machine.steps = 0
        getattr(machine, "masks", {}).clear()
        beside = self.space.variable("s", 0, self.beside_most) if key.beside == ANY else key.beside
        anchors = anchors_of(key, n, rest, absorbed, absorbed + waits, text_at, out_at, beside)
        held: list[tuple[Place, Any]] = []
        unknown: dict[int, bool] = {}
        secrets = self.secrets.get(key.secret, set())
        for place, forms in self.forms[key.shared].items():
            if not forms:
                value: Any = Unknown(f"{place} {name}", place in secrets)
            elif (form := self.form_at(place, forms)) == FREE:
                value = anchors["n then"] + self.space.variable("q", 0, PART_BYTES)
            elif form == WITHIN_BLOCK:
                value = absorbed + self.space.variable("r", 0, BLOCK_BYTES - 1)
            elif form.of == "accumulator":
                value = words[form.constant]
            elif form.of == "counter":
                value = counter
            elif form.of == "same":
                value = form.constant
            else:
                value = anchors.get(form.of, 0) + form.constant
            if place[0] != "cells":
                put(machine, place, value)
            elif forms:
                held.append((place, value))
            else:
                for at in range(place[1], place[1] + place[2]):
                    unknown[at] = unknown.get(at, False) or value.secret
        calls.memory.cells |= {at: (1, Unknown(f"{at:#x} {name}", secret)) for at, secret in unknown.items()}
        for place, value in held:
            calls.memory.write(place[1], place[2], value)
        return Path(calls, key.at, self.space.ranges, valid, self.work, key.layout, 0 if tail else least, start=key.at)

    def within(self, lengths: range) -> Parts:
        """Return any length of a number of whole blocks of Poly1305 from the first one on."""
        rest = self.space.variable("y", 0, BLOCK_BYTES - 1)
        blocks = self.space.variable("z", 0, len(lengths) // BLOCK_BYTES - 1) * BLOCK_BYTES
        return Parts(blocks + rest + lengths.start, rest)

    def behind(self, key: Key, is_low: bool, tables: int) -> Parts:
        """Return any number of bytes behind the end of a part: those of behind_a_part, or all others."""
        end, least = key.to_end_of_part, self.tables[key].behind
        if is_low:
            few = self.behind_a_part(key)
            return self.within(range(few.start - end, few.stop - end))
        if key.residue == ANY:
            return self.from_length(least, tables)
        blocks = -(-(end + least) // CIPHER_BLOCK)
        # How many blocks there are is known of all that is left.
        whole, rest = self.from_length(CIPHER_BLOCK * blocks, tables, key.residue)
        return Parts(whole - end, rest)

    def distances(self, key: Key, tail: Tail | None) -> tuple[Whole, Whole]:
        """Return how many bytes Poly1305 is before n, and how many wait for it up to the end of the part."""
        if tail:
            return key.ahead + self.table * tail.ahead, key.waits + self.table * tail.waits
        if key.n >= 0:
            return key.ahead, key.waits
        tables = self.tables[key]
        ahead, waits = self.any_of("j", tables.least, tables.furthest), self.any_of(WAITS, tables.fewest, tables.most)
        return ahead * self.table + key.ahead, waits * self.table + key.waits

    def any_of(self, name: str, low: int, high: int) -> Whole:
        """Return any number in a range, which is no variable if there is one."""
        return self.space.variable(name, low, high) if low < high else low

    def tails_of(self, key: Key) -> Iterator[Tail]:
        """Yield the ends of calls from a state on."""
        tables = self.tables.get(key, Tables())
        for left in sorted(self.tails.get(key, ())):
            if key.kind != AHEAD:
                yield from (Tail(left, phase=phase) for phase in self.phases(key))
            elif key.residue in {ANY, left // CIPHER_BLOCK % self.period}:
                for waits in range(tables.fewest, tables.most + 1):
                    room = (left - key.to_end_of_part - tables.behind) // self.table - waits
                    yield from (Tail(left, i, waits) for i in range(tables.least, min(tables.furthest, room) + 1))

    def expected_tag(self, calls: LongCalls) -> list[Any]:
        """Return the words of the RFC's tag, at the end of a call."""
        left = calls.begun.left
        if not isinstance(left, int) or not self.is_tail(left):
            raise Unproved("a tag of a call of which much is left")
        whole = left - left % BLOCK_BYTES
        text = Piece(0, calls.begun.n + whole)
        # Where one is the same, it is taken.
        pieces = [word for found in calls.accumulators for word in found.blocks if isinstance(word, Piece)]
        text = next((piece for piece in pieces if piece.is_same(text)), text)
        rest = calls.ciphertext_of(left)[whole // 4 :]
        lengths = [doubled([self.case.aad_length, 0])[0], calls.length_word()]
        return calls.tag_of([*self.prefix, text, *doubled(padded(rest)), *lengths], self.poly_key)

    def verdict(self, path: Path, difference: Difference) -> bool:
        """Return the verdict on a tag, if all of it, and that of the RFC, is compared with the given one."""
        path.calls.check_compared(difference, self.given, self.expected_tag(path.calls))
        path.decided = True
        return path.valid

    def finish(self, path: Path) -> None:
        """Prove what a path leaves at the end of the call."""
        calls, begun, left = path.calls, path.begun, path.begun.left
        if not isinstance(left, int) or not self.is_tail(left):
            raise Unproved("a call ends while much of the text is left")
        if calls.zeroed == path.valid:
            raise Unproved("the output is zeros, or is not")
        results = [] if calls.zeroed else [(begun.out_at, left)]
        if path.valid:
            calls.claim_terms("the output", begun.out_at, calls.out_of(left), left)
        if not self.case.opens:
            calls.claim_words("the tag", TAG, self.expected_tag(calls))
            results.append((TAG, 16))
        elif not path.decided:
            raise Unproved("the verdict depends on nothing")
        result = calls.leave(self.before, results)
        check_verdict(result, path.valid)
        calls.check_left([*calls.ciphertext_of(left), *calls.public])

    def explore(self, path: Path) -> None:
        """Explore all paths from here to the cut point and to the end."""
        if len(self.terms.results) > SHARED_RESULTS:
            self.terms.results.clear()
        paths = [path]
        while paths:
            self.paths += 1
            if self.paths > PATHS_MAX:
                raise Unproved("too many paths")
            paths += self.run_to_cut(paths.pop())

    def known(self, key: Key) -> tuple[Any, ...]:
        """Return numbers that are others whenever something else is known in a state."""
        return (
            self.versions.get(key.shared, 0),
            len(self.secrets.get(key.secret, ())),
            self.least_lag if key.kind == ANYWHERE else 0,
            self.tables.get(key, Tables()),
        )

    def prove_states(self) -> None:
        """Find what is known at the cut point, and prove all paths but for those of the tails."""
        self.explore(self.enter())
        self.settle()
        if not any(key.n < 0 for key in self.states):
            raise Unproved("no pass returns")

    def settle(self) -> None:
        """Run states until none of them has changed since it was run."""
        visits = 0
        # A state that is not proved as long as too much seems to be known may be so later, when more paths have arrived.
        failed: dict[Key, Unproved] = {}
        while stale := [key for key, known in self.states.items() if known != self.known(key)]:
            visits += 1
            if visits > VISITS_MAX:
                raise next(iter(failed.values()), Unproved("no invariant is found"))
            # Those first that were never run, as most is lost in what they leave; those last of which more may arrive.
            key = min(stale, key=lambda key: (self.states[key] != (), key.kind == LAST, self.states[key]))
            self.states[key] = self.known(key)
            failed.pop(key, None)
            try:
                for path in self.resumed_at(key):
                    self.explore(path)
            except Unproved as error:
                failed[key] = error
        if failed:
            raise next(iter(failed.values()))

    def prove_tails(self, step: int = 1) -> int:
        """Prove the end of a call, with each number of bytes that may be left, or each `step`-th from each state on, and
        each remainder modulo the length of a block from some state on; return how many ends there are."""
        wanted, others = [], dict[int, tuple[Key, Tail]]()
        for i, key in enumerate(self.tails):
            tails = [*self.tails_of(key)]
            wanted += [(key, tail) for tail in tails[i % step :: step] or tails[:1]]
            others |= {tail.left % BLOCK_BYTES: (key, tail) for tail in tails}
        for _, tail in wanted:
            others.pop(tail.left % BLOCK_BYTES, None)
        ends = [*wanted, *others.values()]
        for key, tail in ends:
            for valid in self.case.verdicts:
                mark = dict(self.versions)
                self.explore(self.resume(key, tail, valid))
                if self.versions != mark:
                    raise Unproved("an end that goes on")
        return len(ends) * len(self.case.verdicts)


def anchors_of(
    key: Key, n: Whole, left: Whole, absorbed: Whole, part: Whole, text_at: Whole, out_at: Whole, beside: Whole
) -> dict[str, Whole]:
    """Return the numbers that others may be a constant away from. part: where it ends; beside: how many blocks are absorbed
    beside a pass."""
    return {
        "text": text_at,
        "output": out_at,
        "whole text": text_at - n,
        "whole output": out_at - n,
        "text of Poly1305": text_at - n + absorbed,
        "output of Poly1305": out_at - n + absorbed,
        "left": left,
        "length": n + left,
        "absorbed": absorbed,
        "part": part,
        "absorbed before": absorbed - beside * BLOCK_BYTES,
        "absorbed then": absorbed + beside * BLOCK_BYTES,
        "output absorbed before": out_at - n + absorbed - beside * BLOCK_BYTES,
        "n": n,
        "n then": n + key.blocks * CIPHER_BLOCK,
        "end": key.end,
        "beside": beside,
    }


def is_zero(number: Whole) -> bool:
    return isinstance(number, int) and number == 0


def moves(at: int) -> bool:
    """Return whether an address is one of the text or the output."""
    return OUT <= at < OUT + REGION or IN <= at < IN + REGION


def is_form(a: Form, b: Form) -> bool:
    if a.of != b.of:
        return False
    return a.constant is b.constant if a.of == "same" else bool(a.constant == b.constant)


def prove_choice(proof: LongText) -> int:
    """Prove the passes of a call at all lengths, and some ends; return how many states it has, and how many ends."""
    try:
        proof.prove_states()
    except Unproved:
        # Another try has terms, and numbers, of its own.
        proof = LongText(proof.linked, proof.choice, proof.case, zero_moves=True)
        proof.prove_states()
    if not (ends := proof.prove_tails(EACH)):
        raise Unproved("no call comes to its end")
    return len(proof.states) + ends


# The kernels of ChaCha20 with which calls are proved that seal and open; that only seal, of what other compilers than gcc
# make; and of what gcc makes alone. With others that was not run to the end.
KERNELS = {"vector128", "avx512vl", "avx512vl_zen4"}
AVX2, AVX512 = {"avx2", "avx2_golden_cove", "avx2_zen4"}, {"avx512", "avx512_golden_cove", "avx512_zen5"}


def is_covered(linked: Linked, choice: Choice, opens: bool) -> bool:
    """Return whether calls are proved at all lengths: with one of these kernels, the first, which long texts get, and kernels
    of Poly1305 that loops.py proves."""
    absorbing = kernels_named(linked, "poly1305", choice.poly1305).split(", ")
    kernel, *_ = kernels_named(linked, "chacha20", choice.chacha20).split(", ")
    is_gcc = linked.version.startswith("gcc")
    is_known = kernel in KERNELS or kernel in AVX2 and (is_gcc or not opens) or kernel in AVX512 and is_gcc
    return is_known and not any((name, "absorb") in NOT_PROVED for name in absorbing)


def prove_aead_loops(compilers: Iterable[str] = (), every: bool = False) -> Iterator[Proved]:
    """Prove calls with long texts, of what compilers made for x86-64: of a choice that takes least time, or of one for each
    kernel of ChaCha20."""
    for compiler in chosen(compilers):
        if target_of(compiler) != X86_64:
            continue
        linked = compiled(compiler)
        seen = set[int]()
        for choice in choices(linked):
            at = records_in_use(linked, "chacha20", choice.chacha20)[0]
            if at in seen or not (every or choice.name.startswith(QUICK)) or not is_covered(linked, choice, False):
                continue
            seen.add(at)
            for opens in (False, True):
                if is_covered(linked, choice, opens):
                    yield prove_long(linked, choice, Case(opens, 0, AAD_LENGTH))


def prove_long(linked: Linked, choice: Choice, case: Case) -> Proved:
    title = f"{linked.version}: {choice.name}, {'open' if case.opens else 'seal'}, long texts"
    of = Compiled(linked.version, choice.name, case.function)
    if lacking := missing(linked, choice):
        return Proved(title, 0, compiled=of, omitted=lacking)
    proof = LongText(linked, choice, case)
    lengths = (
        f"passes at every length from {proof.long} to {proof.bound - 1}, and {AAD_LENGTH} of associated data; of the "
        f"numbers of bytes left to the last passes each {EACH}th, and each remainder modulo {BLOCK_BYTES}"
    )
    return proved(title, partial(prove_choice, proof), compiled=of._replace(lengths=lengths))
