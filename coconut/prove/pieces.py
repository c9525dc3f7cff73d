# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove Poly1305 and ChaCha20-Poly1305 of messages in pieces, as compilers made them, in one sequence of calls after another.

The public functions run one after another on the same memory, with all that they call (calls.py), on a state that they
leave between calls. For all keys, nonces, texts, associated data, given tags, and contents of the state before it begins:

- Each byte of the output is the RFC's at its position in the text, whatever the pieces are.
- The tag is that of the whole message, or of the RFC's input of Poly1305, under its key. What Poly1305 keeps of a message
  between calls is an accumulator, or one in lanes, with their powers of r: each has names, and beside them which blocks
  are in it. So an accumulator of other blocks has no tag.
- Between calls, the counters and the keystream that waits are those of the position.
- Calls that are out of order return false and write no output; what is said of them otherwise is that the message goes
  on, or has ended, as if they had not been made.
- At the end nothing of the state is secret. After each call no secret is left in vectors or on the stack.
- Both verdicts on a tag are proved, as in aead.py; of a state that is not live it is false in either case.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from coconut.lift.machine import STACK_BYTES, STACK_TOP
from coconut.lift.objects import Linked, chosen, compiled
from coconut.operations import BLOCK_BYTES
from coconut.prove.aead import block, subkey
from coconut.prove.calls import Accumulator, Calls, Running, doubled
from coconut.prove.choices import FALLBACK_BIT, Choice, choices, missing, new_records
from coconut.prove.claims import horner, product, total
from coconut.prove.composition import Names, bernstein, expect
from coconut.prove.evaluation import Inputs, NamingRing, Record, numbered
from coconut.prove.graphs import graphs_of
from coconut.prove.macs import blocks_of, check_result
from coconut.prove.objects import PIECES, PIECES_LANES, StreamingState, is_left, streaming_steps
from coconut.prove.polynomials import Lanes, Message, Poly, Range, Unproved, add, power_of_2
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import Difference, Terms, value_of

# Where calls have their arguments: only the state is aligned. Each piece has an address of its own.
STATE = 8 << 40
OUT, TAG, IN, NONCE, KEY, GIVEN = ((i << 40) + 2 * i - 1 for i in range(9, 15))
APART = 1 << 32
POLY1305_STATE_BYTES, AEAD_STATE_BYTES = 8 * 112, 8 * 176
# struct aead (src/aead/chunks.c).
LIVE, DIRECTION, AAD_BYTES, TEXT_BYTES, BEGUN, AHEAD, COUNTER, WAITING = 0, 8, 16, 24, 32, 40, 48 + 4 * 12, 112
WAITING_BYTES = 256
# live of struct poly1305_streaming.
POLY1305_LIVE = 56
TOO_LONG = 1 << 38


class UnalignedRing(NamingRing):
    """A ring that also drops low parts which are remainders, as words of a message have whose pieces begin anywhere."""

    def divided_rest(self, rest: Poly, bits: int, limits: Range) -> tuple[Poly, int]:
        """As divided, of upper * 2^above and a part below that, of which remainders x - 2^k (x / 2^k) are taken as a whole."""
        parts = self.in_remainders(rest)
        if len(parts) > 1:
            scales = [min(power_of_2({(): c}) for c in part.values()) for part, _ in parts]
            for above in sorted({scale for scale in scales if 0 < scale <= bits}, reverse=True):
                is_low = [scale < above for scale in scales]
                ranges = [limits for (_, limits), low in zip(parts, is_low, strict=True) if low]
                if sum(low for low, _ in ranges) < 0 or sum(high for _, high in ranges) >> above:
                    continue
                part = total(terms for (terms, _), low in zip(parts, is_low, strict=True) if low)
                upper = {m: c >> above for m, c in rest.items() if m not in part}
                return self.divided_above(part, upper, above, bits)
        return super().divided_rest(rest, bits, limits)

    def in_remainders(self, poly: Poly) -> list[tuple[Poly, Range]]:
        """Return the parts of a polynomial that are remainders times a number, and its other terms, each with its range."""
        found, left = [], dict(poly)
        for monomial, coefficient in poly.items():
            if coefficient < 0 and len(monomial) == 1 and monomial[0] in self.origins and monomial in left:
                of, bits, _ = self.origins[monomial[0]]
                scale = -coefficient >> bits
                if scale << bits == -coefficient and all(left.get(m) == scale * c for m, c in of.items()):
                    part = {monomial: left.pop(monomial)} | {m: left.pop(m) for m in of}
                    found.append((part, (0, scale * ((1 << bits) - 1))))
        return found + [({m: c}, self.range_of({m: c})) for m, c in left.items()]


class Kept(NamedTuple):
    """An accumulator in lanes, in a streaming state at an address.

    - numbers: T and the powers of r, by the names of basic blocks; changed: those that its function has written.
    - t: the formulas of T; h, polys: what they are of, with `names`.
    - blocks, key: as in an accumulator.
    """

    state: int
    record: Record
    numbers: dict[str, Lanes]
    changed: frozenset[str]
    names: Names
    h: Poly
    polys: list[Poly]
    t: list[Poly]
    blocks: list[Any]
    key: list[Any]


@dataclass
class Streams(Calls):
    """Calls that may keep an accumulator in lanes."""

    terms: Terms = field(default_factory=lambda: Terms(UnalignedRing()))
    kept: list[Kept] = field(default_factory=list)

    @cached_property
    def members(self) -> dict[int, tuple[Record, str]]:
        lanes = {
            self.linked.entry(record.name, name): (record, name)
            for record, member in super().members.values()
            for name in ("lanes_begin", "lanes_absorb", "lanes_end")
            if member == "mac" and record.ends
        }
        return super().members | lanes

    def call(self, function: str, arguments: Sequence[int], results: Sequence[tuple[int, int]]) -> Any:
        """As before; what an earlier call has left on the stack cannot be read."""
        for at in [at for at in self.memory.cells if STACK_TOP - STACK_BYTES <= at]:
            del self.memory.cells[at]
        return super().call(function, arguments, results)

    def begin(self, at: int) -> None:
        record, member = self.members.get(at, (None, ""))
        if record is None or not member.startswith("lanes"):
            super().begin(at)
            return
        state, *rest = (self.machine.general[name] for name in self.machine.ARGUMENTS[:5])
        title = f"{record.name} {member}"
        if member == "lanes_begin":
            result: Any = self.lanes_begun(record, state, rest[0])
        elif member == "lanes_absorb":
            result = self.lanes_absorbed(title, record, state, rest)
        else:
            result = self.lanes_ended(title, record, state)
        self.running.append(Running(self.pointer_after, title, state, False, result))

    def places(self, record: Record, state: int) -> dict[str, tuple[int, ...]]:
        """Return where a streaming state has the numbers of its lanes."""
        of = StreamingState(self.linked, record, "lanes_begin")
        steps = max(streaming_steps_of(record))
        found = of.places(of.graph(f"stream {steps}"), steps)
        offset = state + PIECES_LANES - PIECES
        return {name: tuple(at + offset for at in places) for name, places in found.items()}

    def lanes_begun(self, record: Record, state: int, group: int) -> Kept:
        """Have the basic block run that begins lanes."""
        before, blocks = self.accumulator_at(state), self.words_at(group, 2 * record.lanes)
        if len(before.blocks) % 2:
            raise Unproved("lanes after a short block")
        evaluation = self.absorbed(Inputs(self.ring), record, blocks, before)
        given = numbered("r", evaluation.r_words) | numbered("h", evaluation.h_words)
        numbers = evaluation.run(record.ends, "stream begin", given, 0)
        names = Names()
        h, polys = names.variable(), names.variables(record.lanes)
        t = [add(poly, h if i == 0 else {}) for i, poly in enumerate(polys)]
        return Kept(state, record, numbers, frozenset(numbers), names, h, polys, t, before.blocks + blocks, before.key)

    def lanes_at(self, title: str, record: Record, state: int) -> Kept:
        """Return what the lanes of a state are, which must be as they were left."""
        places = self.places(record, state)
        kept: Kept
        for kept in reversed(self.kept):
            if kept.state == state and kept.record.ends == record.ends:
                for name, numbers in kept.numbers.items():
                    found = [self.memory.read(at, record.factor_bytes) for at in places[name]]
                    if any(a is not b for a, b in zip(found, numbers, strict=True)):
                        raise Unproved(f"{title}: {name} is not as it was left")
                return kept
        raise Unproved(f"{title}: lanes that nothing has begun")

    def lanes_absorbed(self, title: str, record: Record, state: int, runs: Sequence[int]) -> Kept:
        """Have the basic blocks run that absorb two runs of groups."""
        kept, lanes = self.lanes_at(title, record, state), record.lanes
        first, first_groups, second, second_groups = runs
        counts = first_groups, second_groups
        blocks = self.words_at(first, 2 * lanes * counts[0]) + self.words_at(second, 2 * lanes * counts[1])
        evaluation = self.absorbed(Inputs(self.ring), record, blocks, Accumulator([0, 0, 0], [], kept.key))
        polys, taken, t, numbers = kept.names.variables(len(blocks) // 2), 0, kept.t, dict(kept.numbers)
        for groups in counts:
            for n in streaming_steps(max(streaming_steps_of(record)), groups):
                graph = graphs_of(record.ends_with(f"stream {n}"))[f"stream {n}"]
                needed = {graph.nodes[i].name for i in graph.inputs()}
                given = {name: number for name, number in numbers.items() if name in needed}
                numbers |= evaluation.run(record.ends, f"stream {n}", given, BLOCK_BYTES * taken)
                powers = [[kept.names.power(lanes * k)] * lanes for k in range(n + 1)]
                t = horner(polys[taken:].__getitem__, t, powers)
                taken += n * lanes
        if taken != len(polys):
            raise Unproved(f"{title}: {len(polys) - taken} blocks are not taken")
        return kept._replace(
            numbers=numbers,
            changed=frozenset(name for name in numbers if name.startswith("t[")),
            polys=kept.polys + polys,
            t=t,
            blocks=kept.blocks + blocks,
        )

    def lanes_ended(self, title: str, record: Record, state: int) -> Accumulator:
        """Have the basic block run that sums lanes, of which the formula must be Bernstein's."""
        kept = self.lanes_at(title, record, state)
        value = total(product(t, kept.names.power(record.lanes - i)) for i, t in enumerate(kept.t))
        expect(title, value, bernstein(kept.names, kept.h, kept.polys))
        kernel = record.ends_with("stream end")
        graph = graphs_of(kernel)["stream end"]
        given = {graph.nodes[i].name: kept.numbers[graph.nodes[i].name] for i in graph.inputs()}
        outputs = Inputs(self.ring).run(kernel, "stream end", given, Message(self.ring))
        return Accumulator([outputs[f"h[{i}]"][0] for i in range(3)], kept.blocks, kept.key)

    def finish(self, running: Running) -> None:
        kept = running.result
        if not isinstance(kept, Kept):
            super().finish(running)
            return
        record = kept.record
        self.taken.append(f"{running.title} of {len(kept.polys)}")
        places, numbers, limits = self.places(record, kept.state), dict(kept.numbers), limits_of_lanes(record)
        if limits.keys() != numbers.keys():
            raise Unproved(f"{running.title}: other numbers than lanes have")
        for name, lanes in kept.numbers.items():
            for at, number in zip(places[name], lanes, strict=True):
                found = value_of(self.memory.read(at, record.factor_bytes))
                self.ring.claim_same(f"{running.title}, {name}", found, number)
            if name in kept.changed:
                each = len(set(places[name])) > 1
                named = [
                    self.ring.input(f"lanes {len(self.taken)} {name}.{lane}", limits[name])
                    for lane in range(record.lanes if each else 1)
                ]
                numbers[name] = tuple(named if each else named * record.lanes)
                for at, number in zip(places[name], numbers[name], strict=True):
                    self.memory.write(at, record.factor_bytes, number)
        self.kept.append(kept._replace(numbers=numbers))


def streaming_steps_of(record: Record) -> list[int]:
    """Return for how many groups there are basic blocks on a streaming state."""
    return [
        int(name.removeprefix("stream "))
        for name in graphs_of(record.ends)
        if name[:7] == "stream " and name[7:].isdigit()
    ]


def limits_of_lanes(record: Record) -> dict[str, int]:
    """Return the limits of the numbers that lanes consist of, which basic blocks assume of their inputs."""
    found: dict[str, int] = {}
    for name in ("stream end", f"stream {max(streaming_steps_of(record))}"):
        graph = graphs_of(record.ends_with(name))[name]
        found |= {graph.nodes[i].name: graph.nodes[i].limit for i in graph.inputs()}
    return found


class Step(NamedTuple):
    """A call of a sequence: what it does, with a piece of how many bytes, and whether the output is the input.

    - `update`, `aad`, `encrypt`, `decrypt`; `force`, which has other kernels in use from here on;
    - `final`, `verify`, which end the message.
    """

    does: str
    length: int = 0
    in_place: bool = False


def without_first(in_use: int) -> int:
    """Return the entries in use without the first one, if others are left: the last bit says which kernel is the fallback."""
    rest = in_use & in_use - 1
    return rest if rest & (1 << FALLBACK_BIT) - 1 else in_use


def bytes_of(words: Sequence[Any], length: int) -> list[Any]:
    """Return the bytes of words of 4 bytes."""
    return [words[i // 4] >> 8 * (i % 4) & 255 for i in range(length)]


def words_of(content: Sequence[Any], size: int) -> list[Any]:
    """Return the words of bytes, the last one with zeros after them."""
    found = []
    for first in range(0, len(content), size):
        word: Any = 0
        for i, byte in enumerate(content[first : first + size]):
            word = word | byte << 8 * i
        found.append(word)
    return found


@dataclass
class Pieces:
    """A sequence of calls on symbolic words. `valid` is the verdict on a tag.

    - public: words that are no secrets. live: whether the message has begun, and not ended.
    - terms: what the words of several sequences are made in, of which each then makes fewer.
    """

    linked: Linked
    choice: Choice
    steps: Sequence[Step]
    valid: bool = True
    live: bool = False
    public: list[Any] = field(default_factory=list)
    given: list[Any] = field(default_factory=list)
    decided: int = 0
    count: int = 0
    terms: Terms = field(default_factory=lambda: Terms(UnalignedRing()))

    STATE_BYTES: ClassVar[int]

    def prove(self) -> Streams:
        """Run the calls, and check all that each of them leaves."""
        self.calls = Streams(self.linked, self.choice, self.terms)
        self.calls.terms.decide = self.verdict
        self.begin()
        for step in self.steps:
            self.count += 1
            getattr(self, step.does)(step)
        if self.live:
            raise Unproved("a sequence that does not end its message")
        return self.calls

    def begin(self) -> None:
        raise NotImplementedError

    def expected_tag(self) -> list[Any]:
        """Return the words of the tag of the message so far; zeros if there is none."""
        raise NotImplementedError

    def call(self, function: str, arguments: Sequence[int], *results: tuple[int, int]) -> Any:
        """Run a function on the state, which may write these results."""
        found = self.calls.call(function, [STATE, *arguments], [(STATE, self.STATE_BYTES), *results])
        self.calls.check_left(self.public)
        return found

    def place(self, base: int) -> int:
        """Return where this call has an argument."""
        return base + APART * self.count

    def force(self, _: Step) -> None:
        """Leave out the first entries of both lists, if others are left, as hornet_kernel_force does."""
        self.choice = self.choice._replace(
            chacha20=without_first(self.choice.chacha20), poly1305=without_first(self.choice.poly1305)
        )
        self.calls.use(self.choice)

    def claim_tag(self, words: Sequence[Any]) -> None:
        self.calls.claim_words("the tag", self.place(TAG), words)

    def compare(self, function: str, arguments: Sequence[int], is_right: bool) -> None:
        """Run a function that compares the tag with a given one; if `is_right` is false, no tag is valid."""
        self.given = doubled(self.calls.data(self.place(GIVEN), f"given {self.count}", 16))
        self.decided, was_live = 0, self.live
        found = self.call(function, [self.place(GIVEN), *arguments])
        if was_live and not self.decided:
            raise Unproved("the verdict depends on nothing")
        check_result(function, found, self.valid and is_right)

    def verdict(self, difference: Difference) -> bool:
        """Return the verdict on a tag, if all of it is compared with the given one."""
        self.calls.check_compared(difference, self.given, self.expected_tag())
        self.decided += 1
        return self.valid

    def end(self, offset: int) -> None:
        """Check that nothing of the state is secret, and that it is not live."""
        self.live = False
        for at, (_, value) in self.calls.memory.cells.items():
            if STATE <= at < STATE + self.STATE_BYTES and is_left(value):
                raise Unproved(f"the state has a secret at the end, at {at - STATE:#x}")
        if self.number(offset) != 0:
            raise Unproved("the state is live at the end")

    def number(self, offset: int, count: int = 8) -> Any:
        return self.calls.memory.read(STATE + offset, count)


@dataclass
class Poly1305InPieces(Pieces):
    """Poly1305 of a message in pieces."""

    STATE_BYTES: ClassVar[int] = POLY1305_STATE_BYTES
    message: list[Any] = field(default_factory=list)

    def begin(self) -> None:
        self.key = self.calls.data(KEY, "key", 32)
        self.calls.cut_key(self.key)
        # Words of a last block that is not full are loaded in parts.
        self.whole = sum(step.length for step in self.steps if step.does == "update") // BLOCK_BYTES * BLOCK_BYTES
        self.call("hornet_poly1305_init", [KEY])
        self.live = True

    def update(self, step: Step) -> None:
        at = self.place(IN)
        words = self.calls.data(at, f"message {self.count}", step.length)
        content = bytes_of(words, step.length)
        if self.live:
            self.message += content
            for byte in content[max(0, step.length - len(self.message) + self.whole) :]:
                ((_, _, atom, _),) = byte.slices
                self.calls.terms.cuts[atom] = (0, 8, 16, 24)
        self.call("hornet_poly1305_update", [at, step.length])

    def expected_tag(self) -> list[Any]:
        return (
            self.calls.tag_of(blocks_of(words_of(self.message, 4), len(self.message)), doubled(self.key))
            if self.live
            else [0, 0]
        )

    def final(self, _: Step) -> None:
        self.call("hornet_poly1305_final", [self.place(TAG)], (self.place(TAG), 16))
        self.claim_tag(self.expected_tag())
        self.end(POLY1305_LIVE)

    def verify(self, _: Step) -> None:
        self.compare("hornet_poly1305_final_verify", [], self.live)
        self.end(POLY1305_LIVE)


@dataclass
class AeadInPieces(Pieces):
    """ChaCha20-Poly1305 of a message in pieces; extended: whether the nonce has 24 bytes.

    - aad, text, ciphertext: bytes so far. direction: `encrypt` or `decrypt`, once text has arrived.
    """

    STATE_BYTES: ClassVar[int] = AEAD_STATE_BYTES
    extended: bool = False
    aad_bytes: list[Any] = field(default_factory=list)
    ciphertext: list[Any] = field(default_factory=list)
    keystream: list[Any] = field(default_factory=list)
    direction: str = ""

    def begin(self) -> None:
        calls = self.calls
        self.key, self.nonce = calls.data(KEY, "key", 32), calls.data(NONCE, "nonce", 24 if self.extended else 12)
        # An earlier message may have been abandoned.
        calls.data(STATE, "before", AEAD_STATE_BYTES)
        if self.extended:
            self.key, self.nonce = subkey(self.key, self.nonce), [0, *self.nonce[4:]]
        self.poly_key = block(calls.terms, self.key, 0, self.nonce)[:8]
        calls.cut_key(self.poly_key)
        self.call(f"hornet_{'x' * self.extended}chacha20_poly1305_init", [NONCE, KEY])
        self.live = True
        self.check_between()

    def pad(self, length: int) -> list[Any]:
        """Return bytes of the keystream of the text, from its first one on."""
        while len(self.keystream) < length:
            counter = 1 + len(self.keystream) // 64
            self.keystream += bytes_of(block(self.calls.terms, self.key, counter, self.nonce), 64)
        return self.keystream[:length]

    def aad(self, step: Step) -> None:
        at, is_right = self.place(IN), self.live and not self.direction
        content = bytes_of(self.calls.data(at, f"aad {self.count}", step.length), step.length)
        self.aad_bytes += content if is_right else []
        found = self.call("hornet_aead_aad", [at, step.length])
        check_result("hornet_aead_aad", found, is_right)
        self.check_between()

    def encrypt(self, step: Step) -> None:
        self.process(step)

    def decrypt(self, step: Step) -> None:
        self.process(step)

    def process(self, step: Step) -> None:
        at, calls = self.place(IN), self.calls
        to = at if step.in_place else self.place(OUT)
        is_right = self.live and step.length < TOO_LONG and self.direction in {"", step.does}
        length = step.length if step.length < TOO_LONG else 0
        words = calls.data(at, f"text {self.count}", length)
        content = bytes_of(words, length)
        expected: list[Any] = []
        if is_right:
            self.direction, position = step.does, len(self.ciphertext)
            pad = self.pad(position + length)[position:]
            expected = [a ^ b for a, b in zip(content, pad, strict=True)]
            self.ciphertext += expected if step.does == "encrypt" else content
            self.public = words_of(self.ciphertext, 4)
        found = self.call(f"hornet_aead_{step.does}", [to, at, step.length], (to, length if is_right else 0))
        check_result(f"hornet_aead_{step.does}", found, is_right)
        if is_right:
            calls.claim_terms("the output", to, words_of(expected, 4), length)
        self.check_between()

    def expected_tag(self) -> list[Any]:
        if not self.live:
            return [0, 0]
        content = [byte for part in (self.aad_bytes, self.ciphertext) for byte in (*part, *[0] * (-len(part) % 16))]
        lengths = [len(self.aad_bytes), len(self.ciphertext)]
        return self.calls.tag_of([*words_of(content, 8), *lengths], doubled(self.poly_key))

    def check_between(self) -> None:
        """Check the counters, and what waits: associated data, or keystream."""
        if not self.live:
            return
        begun, ahead = self.number(BEGUN), self.number(AHEAD)
        length, position = len(self.aad_bytes), len(self.ciphertext)
        waits = self.aad_bytes if not begun else []
        at = WAITING
        if begun:
            ahead -= ahead >> 63 << 64
            end = position + ahead
            if end % 64 or self.number(COUNTER, 4) != 1 + end // 64:
                raise Unproved("the counter is not that of the position")
            if ahead > 0:
                waits, at = self.pad(end)[position:], WAITING + WAITING_BYTES - ahead
        elif self.number(COUNTER, 4) != 0 or position:
            raise Unproved("the counter is not that of the position")
        if (self.number(AAD_BYTES), self.number(TEXT_BYTES)) != (length, position):
            raise Unproved("other lengths than those of what has arrived")
        directions = {"": 0, "encrypt": 1, "decrypt": 2}
        if self.number(DIRECTION) != directions[self.direction]:
            raise Unproved("another direction than that of the text")
        self.calls.claim_terms("what waits", STATE + at, words_of(waits, 4), len(waits))

    def final(self, _: Step) -> None:
        at = self.place(TAG)
        found = self.call("hornet_aead_final", [at], (at, 16))
        is_right = self.live and self.direction != "decrypt"
        self.claim_tag(self.expected_tag() if is_right else [0, 0])
        check_result("hornet_aead_final", found, is_right)
        self.end(LIVE)

    def verify(self, _: Step) -> None:
        self.compare("hornet_aead_final_verify", [], self.live and self.direction != "encrypt")
        self.end(LIVE)


def updates(*lengths: int) -> list[Step]:
    return [Step("update", length) for length in lengths]


def texts(does: str, *lengths: int, in_place: bool = False) -> list[Step]:
    return [Step(does, length, in_place) for length in lengths]


def aads(*lengths: int) -> list[Step]:
    return [Step("aad", length) for length in lengths]


FINAL, VERIFY, FORCE = Step("final"), Step("verify"), Step("force")
# Between them, the buffer is empty, filled up, full, and passed by; lanes begin from it and from the message, absorb from
# both, end, and are those of another kernel than the one in use; each way to load a last block is taken.
POLY1305: tuple[list[Step], ...] = (
    [FINAL, FINAL, *updates(3), VERIFY],
    [*updates(3), VERIFY, VERIFY],
    [*updates(60, 200, 0, 300, 700, 257), FINAL],
    [*updates(257, 300), FORCE, *updates(700), VERIFY],
    [*updates(257), FINAL],
    [*updates(16, 7), FINAL],
    [*updates(9), FINAL],
    [*updates(1), FINAL],
)
# Associated data that waits, and that does not fit; keystream that waits, and does not; text in passes and without;
# calls that are out of order, too long, and of a state that has ended. True: the nonce has 24 bytes.
AEAD: tuple[tuple[bool, list[Step]], ...] = (
    (False, [*aads(13), *texts("encrypt", 65, 13, 400), FINAL]),
    (False, [*aads(13, 0, 270, 41), *texts("encrypt", 0, 65, 300, 40), FINAL]),
    (True, [*aads(20), *texts("encrypt", 100), *aads(3), *texts("decrypt", 3), *texts("encrypt", TOO_LONG, 5), FINAL]),
    (False, [*aads(3), *texts("decrypt", 300, in_place=True), *texts("decrypt", 1, 290), *texts("encrypt", 2), VERIFY]),
    (False, [*aads(257), *texts("decrypt", 30, 7), VERIFY, *texts("decrypt", 3), *aads(1), VERIFY, FINAL]),
    (False, [*aads(20), *texts("encrypt", 80, in_place=True), FORCE, *texts("encrypt", 800), FINAL, FINAL]),
    (True, [FINAL, *texts("encrypt", 3)]),
    (False, [*texts("encrypt", 257), VERIFY]),
    (False, [*texts("decrypt", 256), FINAL]),
)
# What choices get with a kernel of Poly1305 that no other one has, and with any such kernel.
OF_POLY1305, OF_EACH = POLY1305[2:4], (AEAD[0], AEAD[3])


def sequences(
    linked: Linked, choice: Choice, new: Mapping[str, Sequence[int]], is_first: bool = False
) -> Iterator[Pieces]:
    """Yield the sequences of calls for a choice of kernels of which some are new, each with both verdicts if it has any; all
    of them for the first choice."""
    terms = Terms(UnalignedRing())
    of_aead = AEAD if is_first else OF_EACH
    kinds: list[tuple[Any, list[Step]]] = [
        *((Poly1305InPieces, steps) for steps in (POLY1305 if is_first else OF_POLY1305 if new["poly1305"] else ())),
        *((partial(AeadInPieces, terms=terms, extended=extended), steps) for extended, steps in of_aead),
    ]
    for kind, steps in kinds:
        for valid in (True, False) if VERIFY in steps else (True,):
            yield kind(linked, choice, steps, valid)


def shown(steps: Iterable[Step]) -> str:
    return ", ".join(f"{step.does} {step.length}".removesuffix(" 0") for step in steps)


def prove_sequences(found: Iterable[Pieces]) -> int:
    """Prove sequences, and return how many they are."""
    count = 0
    for sequence in found:
        try:
            sequence.prove()
        except Unproved as error:
            raise Unproved(f"{shown(sequence.steps)}: {error}") from None
        count += 1
    return count


def prove_pieces(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove what compilers made of messages in pieces, for the choices that have kernels which no other one has."""
    for compiler in chosen(compilers):
        linked = compiled(compiler)
        known, is_first = set[int](), True
        for choice in choices(linked):
            of = Compiled(linked.version, choice.name, "hornet_poly1305_update, hornet_aead_encrypt and others")
            title = f"{linked.version}: {choice.name}, pieces"
            if lacking := missing(linked, choice):
                yield Proved(title, 0, compiled=of, omitted=lacking)
                continue
            new = new_records(linked, choice, known)
            if any(new.values()):
                found = list(sequences(linked, choice, new, is_first))
                of = of._replace(lengths="; ".join(dict.fromkeys(shown(sequence.steps) for sequence in found)))
                yield proved(title, partial(prove_sequences, found), compiled=of)
                is_first = False
