# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove calls of ChaCha20-Poly1305 as compilers made them at every length of a long text: the loop over ChaCha20's passes
by induction. So far these are calls that seal, with kernels that have Poly1305 beside all passes of a long text.

aead.py proves a call at one length. Here the length is n + left: what the passes have done, and what is left. The place
where a pass has returned to hornet_aead_long_chunk is the cut point. There, any pass may have been the last one (havoc):

- n is any multiple of 64, and left is any number from `least` on. The text that is left is any text, and what the last
  passes have encrypted, and Poly1305 has not absorbed, is any ciphertext: `lag` bytes, a number of which each state has one.
- The counter of the next block is any word, but RFC 8439's for n. The accumulator is any, but what Poly1305 leaves for the
  blocks before those bytes.
- Public numbers are a constant, or one plus n, left, the length, or an address that moves with n; or n and up to a part.
  Other words are kept if they are the same whenever a pass returns. All else is unknown, and maybe secret.

A path is run from there until the next pass has returned, or to the end of the call if fewer than `least` bytes are left,
at each number of them. What it has written must be the RFC's ciphertext, at its address, and what it has absorbed must be
the next blocks. What it leaves must be a state as above, with n and left moved on. So the states are a loop invariant; it
is inferred from what arrives.

Addresses that move with n are constants, and the addresses of the whole text and output are what depends on n: so the
machine reads and writes as if a call began there.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from coconut.lift.machine import RETURN, Machine, Memory, Unknown, may_be_secret
from coconut.lift.objects import X86_64, Linked, chosen, compiled, target_of
from coconut.lift.publics import Public, Residue, Space, Split, Whole, exact, range_of
from coconut.prove.aead import AAD, CONSTANTS, IN, KEY, NONCE, OUT, TAG, Case, block, subkey
from coconut.prove.calls import BESIDE_COUNT, BESIDE_STATE, CLAMP, Accumulator, Calls, doubled, padded
from coconut.prove.chacha20 import block_of
from coconut.prove.choices import Choice, choices, kernels_of_chacha20, missing, records_in_use
from coconut.prove.claims import H_WORDS
from coconut.prove.loops import copied, is_same, is_whole, put, values_of
from coconut.prove.polynomials import Number, Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import Term, same

CIPHER_BLOCK = 64
# The longest text (RFC 8439, section 2.8): 2^32 - 1 blocks.
TEXT_MAX = (1 << 38) - CIPHER_BLOCK
# The shortest text that is proved here; it is never copied (AEAD_COPIED_BYTES).
LONG = 4096 + CIPHER_BLOCK
# The largest difference of a number and n that is not always the same: AEAD_PART_BYTES.
PART_BYTES = 1 << 16
# How far the addresses of a text and its output are from those of other memory.
WITHIN = 1 << 39
# After how many passes the first cut point is, when numbers that will differ do; and how many bytes these may read.
FIRST_PASSES, FIRST_BYTES = 2, 4096
# chacha20_work: what is left of the text; and aead_chunk, which begins with it: where its stack has ended so far.
WORK_LEFT, CHUNK_END = 16, 80
# Limits: without Poly1305 beside the passes, what is not absorbed grows up to the end of a part.
PATHS_MAX, VISITS_MAX, LAG_MAX = 4096, 64, 4096
ASSUMED = (
    "Texts and their output do not overlap other memory, wherever they are, and branches do not depend on addresses.",
    f"At a cut point the text that is left is at odd addresses, as whole calls of coconut.prove.aead have it; calls with "
    f"less than {LONG} bytes are proved there.",
)
# The length of the associated data, and of how many lengths of what is left to the last passes one is proved; a number
# that has no factor in common with the lengths of blocks.
AAD_LENGTH, EACH = 13, 97
LOOP, PASS = "hornet_aead_long_chunk", "hornet_chacha20_pass"


@dataclass
class TextMemory(Memory):
    """Memory with addresses that depend on the length, if what is read there does not."""

    def read(self, at: Whole, count: int) -> Any:
        return super().read(at, count) if isinstance(at, int) else self.read_table(exact(at), count)

    def read_table(self, at: Whole, count: int) -> Any:
        """Read what is the same at all addresses that a number may be; else ask which one it is."""
        low, high = range_of(at)
        if isinstance(at, int) or low == high:
            return super().read(low, count)
        names = [name for name in at.terms if len(set(at.space.ranges[name])) > 1]
        if len(names) > 1:
            raise Unproved(f"an address depends on {' and '.join(names)}")
        (name,) = names
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


@dataclass
class LongCalls(Calls):
    """Calls at a length that is not known. length: that length, of which Poly1305's last block has any 64 bits."""

    length: Whole = 0

    def anything(self) -> Term:
        # Paths that part, and come together again, have no name in common.
        self.unknowns = self.terms.number()
        return super().anything()

    def words_at(self, at: int, count: int) -> list[Any]:
        if not isinstance(at, int) or not isinstance(count, int):
            raise Unproved(f"Poly1305 absorbs {count} words at {at}")
        for place in range(at, at + 8 * count, 8):
            size, value = self.memory.cells.get(place, (0, 0))
            if isinstance(value, Public):
                if size != 8 or not is_same(value, self.length):
                    raise Unproved(f"Poly1305 absorbs {value}")
                self.memory.cells[place] = 8, self.length_word()
        return super().words_at(at, count)

    def length_word(self) -> Any:
        if isinstance(self.length, int):
            return self.length
        low, high = (self.terms.variable(f"length {half}") for half in range(2))
        return low | high << 32

    def parted(self) -> "LongCalls":
        """Return calls that have the same, and go on alone."""
        made = copy(self)
        made.machine = copied(self.machine)
        assert isinstance(made.machine.memory, TextMemory)
        made.memory = made.machine.memory
        made.machine.anything = made.anything
        made.accumulators, made.tags, made.running = list(self.accumulators), list(self.tags), list(self.running)
        made.taken = list(self.taken)
        return made


class Begun(NamedTuple):
    """What a path begins with.

    - n, left: bytes of the text that are done, and that are left. text: the words of those, as far as they are read.
    - text_at, out_at: the addresses of the next byte. counter: of the next block.
    - blocks: what Poly1305 has absorbed, in words of 64 bits. behind: the words of ciphertext before n that it has not.
    """

    n: Whole
    left: Whole
    text: list[Any]
    text_at: int
    out_at: int
    counter: Any
    blocks: list[Any]
    behind: list[Any]

    def with_value(self, name: str, value: int) -> "Begun":
        n, left = (x.with_value(name, value) if isinstance(x, Public) else x for x in (self.n, self.left))
        return self._replace(n=n, left=left)


@dataclass
class Path:
    """A path of the symbolic execution. passes: how many have begun; work: the address of what they are given."""

    calls: LongCalls
    at: int
    ranges: dict[str, tuple[int, int]]
    begun: Begun
    passes: int = 0
    work: int = 0
    moved: bool = False


class Form(NamedTuple):
    """What a number is at a cut point: a constant, or one plus something else; or a word."""

    of: str
    constant: Any = 0


# Where a number is, as in loops.py.
Place = tuple[Any, ...]
FREE = Form("any from n on")


class Key(NamedTuple):
    """What states differ by: how many bytes of ciphertext Poly1305 has not absorbed, where the stack has ended, and how
    many blocks the last pass has absorbed."""

    lag: int
    end: int
    beside: int


@dataclass
class LongText:
    """The proof of a call for all lengths of the text from LONG on, at one length of the associated data.

    - least: how many bytes are left in a state at least. period: how many layouts repeat in the kernel's table of passes.
    - forms: what is known where at the cut point, by what may be true of it; the first one is taken.
    - secrets: where a secret may be, if nothing else is known; it depends on where the stack has ended.
    - states: what was known when each of them was run. tails: how many bytes may be left, by the state.
    """

    linked: Linked
    choice: Choice
    case: Case
    space: Space = field(default_factory=Space)
    forms: dict[Place, list[Form]] | None = None
    secrets: dict[int, set[Place]] = field(default_factory=dict)
    states: dict[Key, tuple[int, int]] = field(default_factory=dict)
    tails: dict[Key, set[int]] = field(default_factory=dict)
    version: int = 0
    resumed: int = 0
    paths: int = 0
    cut: int = 0
    work: int = 0

    def __post_init__(self) -> None:
        case = self.case
        if case.opens:
            raise Unproved("only calls that seal are proved at all lengths")
        self.period, self.least = layouts_of(self.linked, self.choice.chacha20)
        self.calls = calls = LongCalls(self.linked, self.choice)
        calls.memory = TextMemory(self.linked, calls.memory.cells)
        self.ring, self.terms = calls.ring, calls.terms
        key, nonce = calls.data(KEY, "key", 32), calls.data(NONCE, "nonce", 24 if case.extended else 12)
        self.aad = calls.data(AAD, "aad", case.aad_length)
        if case.extended:
            key, nonce = subkey(key, nonce), [0, *nonce[4:]]
        self.key, self.nonce = key, nonce
        poly_key = block(self.terms, key, 0, nonce)[:8]
        calls.cut_key(poly_key)
        self.poly_key = doubled(poly_key)
        self.clamped = [word & mask for word, mask in zip(self.poly_key, CLAMP, strict=False)] + self.poly_key[2:]
        symbols = self.linked.symbols
        first = symbols[LOOP]
        end = min(at for at in self.linked.functions if at > first)
        target = f"{symbols[PASS]:x}"
        self.cuts = {
            line.after
            for at, line in self.linked.lines.items()
            if first <= at < end and line.name == "call" and line.operands[0].split()[0] == target
        }

    def from_length(self, least: int) -> Whole:
        """Return any length from this one on, up to the longest, but for less than a period of blocks."""
        size = CIPHER_BLOCK * self.period
        return (
            self.space.variable("v", 0, (TEXT_MAX - least + 1) // size - 1) * size
            + self.space.variable("b", 0, self.period - 1) * CIPHER_BLOCK
            + self.space.variable("y", 0, CIPHER_BLOCK - 1)
            + least
        )

    def bound(self, least: int) -> int:
        """Return the first length that is longer than all of those."""
        size = CIPHER_BLOCK * self.period
        return least + (TEXT_MAX - least + 1) // size * size

    def keystream(self, begun: Begun, length: int) -> list[Any]:
        words: list[Any] = []
        for i in range(-(-length // CIPHER_BLOCK)):
            words += block_of([*CONSTANTS, *self.key, begun.counter + i & 0xFFFFFFFF, *self.nonce])
        return words

    def out_of(self, begun: Begun, length: int) -> list[Any]:
        """Return the RFC's words of the next bytes."""
        keystream = self.keystream(begun, length)
        return [
            (word ^ keystream[i]) & self.calls.mask(length - 4 * i)
            for i, word in enumerate(begun.text[: -(-length // 4)])
        ]

    def enter(self) -> Path:
        """Return a call."""
        self.space.ranges = {}
        length, case = self.from_length(LONG), self.case
        calls = self.calls
        text_at = OUT if case.in_place else IN
        text = calls.data(text_at, "text", FIRST_BYTES)
        arguments = [OUT, TAG, text_at, length, AAD, case.aad_length, NONCE, KEY]
        self.before = calls.enter(case.function, arguments)
        calls.length = length
        begun = Begun(0, length, text, text_at, OUT, 1, doubled(padded(self.aad)), [])
        return Path(calls.parted(), self.linked.symbols[case.function], self.space.ranges, begun)

    def run_to_cut(self, path: Path) -> list[Path]:
        """Run a path to the cut point, to its end, or to where it forks; return the paths into which it forks."""
        self.space.ranges = path.ranges
        calls, passes_at = path.calls, self.linked.symbols[PASS]
        machine = calls.machine
        while path.at != RETURN:
            if path.moved and path.at in self.cuts and path.passes > FIRST_PASSES and not self.is_tail(path.begun.left):
                self.arrive(path)
                return []
            if path.at == passes_at:
                path.passes, path.work = path.passes + 1, machine.general["rsi"]
            general, flags, written = dict(machine.general), machine.flags, len(machine.written)
            running = len(calls.running)
            try:
                path.at = calls.advance(path.at)
                path.moved = True
            except Split as split:
                if len(machine.written) != written:
                    raise Unproved("an instruction that is not known to run has written to memory") from None
                machine.general, machine.flags = general, flags
                del calls.running[running:]
                return list(self.fork(path, split))
            except Residue as residue:
                raise Unproved(f"a question about {residue}") from None
        self.finish(path)
        return []

    def run(self, path: Path) -> list[Path]:
        """Run a path as run_to_cut does, where all else that depends on the length is refused."""
        try:
            return self.run_to_cut(path)
        except (Split, Residue) as question:
            raise Unproved(f"what is left at the end depends on {question}") from None

    def is_tail(self, left: Whole) -> bool:
        """Return whether a path that begins with this number of bytes left is run to the end of the call."""
        return isinstance(left, int) and left < self.least

    def fork(self, path: Path, split: Split) -> Iterator[Path]:
        """Yield the path with a variable in each part of its range."""
        for low, high in split.parts:
            part = replace(path, calls=path.calls.parted(), ranges=path.ranges | {split.variable: (low, high)})
            if low == high:
                for place, number in list(values_of(part.calls.machine)):
                    if isinstance(number, Public):
                        put(part.calls.machine, place, number.with_value(split.variable, low))
                part.begun = part.begun.with_value(split.variable, low)
                part.calls.length = part.begun.n + part.begun.left
            yield part

    def arrive(self, path: Path) -> None:
        """End a path at the cut point: check what it has done, and join what it leaves with what is known there."""
        calls, begun = path.calls, path.begun
        memory = calls.memory
        left = exact(memory.read(path.work + WORK_LEFT, 8))
        done = begun.left - left
        if not isinstance(done, int) or done <= 0 or done % CIPHER_BLOCK or done > 4 * len(begun.text):
            raise Unproved(f"{done} bytes are done")
        if calls.running:
            raise Unproved("a pass returns while Poly1305 runs")
        out = self.out_of(begun, done)
        calls.claim_terms("the output", begun.out_at, out, done)
        calls.check_written(self.case.function, [(begun.out_at, done)])
        found = calls.accumulator_at(memory.read(path.work + BESIDE_STATE, 8))
        behind = begun.behind + out
        self.check_absorbed(found, begun.blocks + doubled(behind))
        absorbed = (len(found.blocks) - len(begun.blocks)) * 2
        if absorbed < 0:
            raise Unproved("fewer blocks are absorbed than before")
        n, lag, end = begun.n + done, 4 * (len(behind) - absorbed), memory.read(path.work + CHUNK_END, 8)
        if range_of(left)[1] >= self.bound(self.least):
            raise Unproved(f"{left} bytes are left")
        if n % CIPHER_BLOCK != 0 or range_of(n - lag)[0] < 0:
            raise Unproved(f"{n} bytes are done, and {lag} of them not absorbed")
        beside = memory.read(path.work + BESIDE_COUNT, 8)
        if not isinstance(end, int) or not isinstance(beside, int):
            raise Unproved("the end of the stack, or what is absorbed beside a pass, depends on the length")
        key = Key(lag, end, beside)
        anchors = anchors_of(key, n, left, begun.text_at + done, begun.out_at + done)
        counter = begun.counter + done // CIPHER_BLOCK & 0xFFFFFFFF
        self.join(calls.machine, key, anchors, counter, found)
        if self.cut not in {0, path.at} or self.work not in {0, path.work}:
            raise Unproved("two places where a pass returns")
        self.cut, self.work = path.at, path.work
        if lag > LAG_MAX:
            raise Unproved(f"{lag} bytes of ciphertext are not absorbed")
        if (low := range_of(left)[0]) < self.least:
            self.tails.setdefault(key, set()).update(range(low, self.least))
        self.states.setdefault(key, (-1, -1))

    def check_absorbed(self, found: Accumulator, blocks: Sequence[Any]) -> None:
        """Raise Unproved unless an accumulator is of the first ones of these blocks, under the RFC's key."""
        if len(found.blocks) > len(blocks) or not all(map(same, found.blocks, blocks)):
            raise Unproved("Poly1305 has absorbed other blocks than the next ones")
        if not all(map(same, found.key, self.clamped)):
            raise Unproved("Poly1305 has another key")
        if not all(isinstance(word, Number) for word in found.words):
            raise Unproved("Poly1305 has absorbed nothing")

    def join(self, machine: Machine, key: Key, anchors: dict[str, Whole], counter: Any, found: Accumulator) -> None:
        """Keep of what is known at the cut point what is true of what a path leaves."""
        values = {place: value for place, value in values_of(machine) if place[0] in {"general", "cells", "vectors"}}
        values = {place: value for place, value in values.items() if not (place[0] == "cells" and moves(place[1]))}
        for place, value in values.items():
            if may_be_secret(value) and not isinstance(value, Public):
                self.secrets.setdefault(key.end, set()).add(place)
        if self.forms is None:
            self.forms = {place: forms_of(value, anchors, counter, found) for place, value in values.items()}
            self.version += 1
            return
        for place in self.forms.keys() | values.keys():
            known = self.forms.get(place, [])
            kept = []
            if known and place in values:
                true = forms_of(values[place], anchors, counter, found)
                kept = [form for form in known if any(is_form(form, other) for other in true)]
            if len(kept) != len(known):
                self.version += 1
            self.forms[place] = kept

    def resume(self, key: Key, left: int | None = None) -> Path:
        """Return a path that begins at the cut point, with any number of bytes left, or one that is less than `least`."""
        assert self.forms is not None
        self.resumed += 1
        self.space.ranges, lag = {}, key.lag
        # What is behind n was encrypted, and no more than n.
        least = max(1, -(-lag // CIPHER_BLOCK))
        n = self.space.variable("m", least, TEXT_MAX // CIPHER_BLOCK) * CIPHER_BLOCK
        rest = self.from_length(self.least) if left is None else left
        text_at, out_at = IN + WITHIN, OUT + WITHIN
        if self.case.in_place:
            text_at = out_at
        calls = copy(self.calls)
        calls.memory = TextMemory(self.linked)
        calls.length = n + rest
        name = f"after pass {self.resumed}"
        variable = self.terms.variable
        behind: list[Any] = [variable(f"ciphertext {i} {name}") for i in range(lag // 4)]
        text = calls.data(text_at, f"text {name}", self.least if left is None else left)
        calls.put(out_at - lag, behind, lag)
        counter = variable(f"counter {name}")
        words = [self.ring.input(f"h {name}.{i}", limit) for i, limit in enumerate(H_WORDS.limits)]
        blocks: list[Any] = [variable(f"absorbed {name}.{i}") for i in range(2)]
        calls.accumulators, calls.tags, calls.running = [Accumulator(words, blocks, self.clamped)], [], []
        calls.taken = [name]
        machine = copied(self.calls.machine)
        machine.memory, machine.anything, calls.machine = calls.memory, calls.anything, machine
        machine.flags, machine.written = type(machine.flags)(), set()
        machine.general = {}
        machine.steps = 0
        getattr(machine, "masks", {}).clear()
        anchors = anchors_of(key, n, rest, text_at, out_at)
        held: list[tuple[Place, Any]] = []
        unknown: dict[int, bool] = {}
        secrets = self.secrets.get(key.end, set())
        for place, forms in self.forms.items():
            if not forms:
                value: Any = Unknown(f"{place} {name}", place in secrets)
            elif (form := forms[0]) == FREE:
                value = n + self.space.variable("q", 0, PART_BYTES)
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
        begun = Begun(n, rest, text, text_at, out_at, counter, blocks, behind)
        return Path(calls, self.cut, self.space.ranges, begun, FIRST_PASSES, self.work)

    def finish(self, path: Path) -> None:
        """Prove what a path leaves at the end of the call."""
        calls, begun, left = path.calls, path.begun, path.begun.left
        if not isinstance(left, int) or not self.is_tail(left):
            raise Unproved("a call ends while much of the text is left")
        out = self.out_of(begun, left)
        calls.claim_terms("the output", begun.out_at, out, left)
        ciphertext = begun.behind + out
        lengths = [doubled([self.case.aad_length, 0])[0], calls.length_word()]
        blocks = begun.blocks + doubled(padded(ciphertext)) + lengths
        calls.claim_words("the tag", TAG, calls.tag_of(blocks, self.poly_key))
        result = calls.leave(self.case.function, self.before, [(begun.out_at, left), (TAG, 16)])
        if not isinstance(result, int) or result & 255 != 1:
            raise Unproved("the function returns another verdict")
        calls.check_left(ciphertext)

    def explore(self, path: Path) -> None:
        """Explore all paths from here to the cut point and to the end."""
        paths = [path]
        while paths:
            self.paths += 1
            if self.paths > PATHS_MAX:
                raise Unproved("too many paths")
            paths += self.run(paths.pop())

    def known(self, key: Key) -> tuple[int, int]:
        """Return a pair of numbers that is another one whenever something else is known in a state."""
        return self.version, len(self.secrets.get(key.end, ()))

    def prove_states(self) -> None:
        """Find what is known at the cut point, and prove all paths but for those of the tails."""
        self.explore(self.enter())
        visits = 0
        while stale := [key for key, known in self.states.items() if known != self.known(key)]:
            visits += 1
            if visits > VISITS_MAX:
                raise Unproved("no invariant is found")
            # Those first that were never run, as most is lost in what they leave.
            key = min(stale, key=lambda key: self.states[key])
            self.states[key] = self.known(key)
            self.explore(self.resume(key))
        if not self.states:
            raise Unproved("no pass returns")

    def prove_tails(self, step: int = 1) -> int:
        """Prove the end of a call, at each number of bytes that may be left, or every so many of them."""
        count = 0
        for key, tails in self.tails.items():
            for left in sorted(tails)[::step]:
                mark = self.version
                self.explore(self.resume(key, left))
                if self.version != mark:
                    raise Unproved("an end that goes on")
                count += 1
        return count


def layouts_of(linked: Linked, in_use: int) -> tuple[int, int]:
    """Return how many layouts of the kernel in use repeat, and from how many bytes on no pass comes to the end of a text.

    A proof is not found, or is of other lengths, if these are others.
    """
    kernel = kernels_of_chacha20(linked)[records_in_use(linked, "chacha20", in_use)[0]]
    return kernel.period, CIPHER_BLOCK * (max(kernel.layouts[i].blocks for i in kernel.others) + 1)


def anchors_of(key: Key, n: Whole, left: Whole, text_at: Whole, out_at: Whole) -> dict[str, Whole]:
    """Return the numbers that others may be a constant away from."""
    return {
        "text": text_at,
        "output": out_at,
        "whole text": text_at - n,
        "whole output": out_at - n,
        "left": left,
        "length": n + left,
        "absorbed": n - key.lag,
        "absorbed before": n - key.lag - 16 * key.beside,
        "n": n,
        "end": key.end,
        "beside": key.beside,
    }


def moves(at: int) -> bool:
    """Return whether an address is one of the text or the output."""
    return any(start <= at < start + (1 << 40) for start in (OUT, IN))


def is_form(a: Form, b: Form) -> bool:
    if a.of != b.of:
        return False
    return a.constant is b.constant if a.of == "same" else bool(a.constant == b.constant)


def forms_of(value: Any, anchors: dict[str, Whole], counter: Any, found: Accumulator) -> list[Form]:
    """Return what may be true of a value at the cut point whenever a pass returns, what is likely first."""
    forms: list[Form] = []
    if is_whole(value) and not (isinstance(value, Public) and value.bits):
        exactly, nearly = list[Form](), list[Form]()
        for of, anchor in anchors.items():
            difference = value - anchor
            if isinstance(difference, int) and abs(difference) < (1 if of in {"end", "beside"} else PART_BYTES):
                (nearly if difference else exactly).append(Form(of, difference))
        if isinstance(value, int):
            if isinstance(counter, int) and value == counter:
                forms.append(Form("counter"))
            forms += (
                [Form("constant", value), *exactly, *nearly]
                if value == 0
                else [*exactly, Form("constant", value), *nearly]
            )
        else:
            forms += exactly + nearly
        low, high = range_of(value - anchors["n"])
        if 0 <= low and high <= PART_BYTES:
            forms.append(FREE)
    elif isinstance(value, Term):
        if same(value, counter):
            forms.append(Form("counter"))
        forms.append(Form("same", value))
    elif isinstance(value, Number):
        forms += [Form("accumulator", i) for i, word in enumerate(found.words) if word is value]
    elif isinstance(value, Unknown):
        forms.append(Form("same", value))
    return forms


def found_choices(linked: Linked) -> Iterator[Choice]:
    """Yield the choices whose ChaCha20 has Poly1305 beside all passes of a long text.

    With others, what is yet to be absorbed grows up to the end of a part, which needs proofs that absorb any number of
    blocks.
    """
    for choice in choices(linked):
        at, *_ = records_in_use(linked, "chacha20", choice.chacha20)
        kernel = kernels_of_chacha20(linked)[at]
        if all(kernel.layouts[i].beside for i in kernel.others[-kernel.period :]):
            yield choice


def prove_choice(linked: Linked, choice: Choice, case: Case, step: int) -> int:
    """Prove a call at all lengths, or at those that leave every so many bytes to the last passes; return how many paths
    it has."""
    proof = LongText(linked, choice, case)
    proof.prove_states()
    if not proof.prove_tails(step):
        raise Unproved("no call comes to its end")
    return proof.paths


def prove_aead_loops(compilers: Iterable[str] = (), every: bool = False) -> Iterator[Proved]:
    """Prove calls that seal long texts, of what compilers made for x86-64."""
    for compiler in chosen(compilers):
        if target_of(compiler) != X86_64:
            continue
        linked = compiled(compiler)
        for choice in found_choices(linked):
            case, step = Case(False, 0, AAD_LENGTH), 1 if every else EACH
            title = f"{linked.version}: {choice.name}, seal, every length"
            of = Compiled(linked.version, choice.name, case.function)
            if lacking := missing(linked, choice):
                yield Proved(title, 0, compiled=of, omitted=f"this CPU has no {lacking}")
                continue
            lengths = f"every length from {LONG} to 2^38 - 2048, and {AAD_LENGTH} of associated data"
            if not every:
                lengths += f"; of the numbers of bytes left to the last passes each {step}th"
            prove = partial(prove_choice, linked, choice, case, step)
            yield proved(title, prove, compiled=of._replace(lengths=lengths))
