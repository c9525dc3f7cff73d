# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove batches as compilers made them: tags of many messages, and packets of ChaCha20-Poly1305, at sampled lengths.

The public functions run whole (calls.py), with all that they call: sorting, sharing of lanes and passes, what is left to be
computed alone, comparisons and clearing. A kernel's `batch` has messages in lanes, each under a key of its own: the basic
blocks run first on the same numbers, as the messages' lengths have them, and what each lane leaves must be what they
leave. Their formulas are composed for each lane, and must make Bernstein's polynomial of the lane's message.

For all keys, nonces, messages, associated data and given tags:

- Each tag is that of its own message under its own key; each word of an output is the RFC's, for its own key and nonce.
- Where tags are given, each verdict is that of one comparison, of both words of its own tag with its own given one. All
  sampled patterns of verdicts are run: a forged packet leaves zeros, and the others what they would leave alone.
- As aead.py has it: all else is public, nothing else is written, and no secret is left.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

from coconut.lift.objects import X86_64, Linked, chosen, compiled
from coconut.prove.aead import Case, Sealed, sealed
from coconut.prove.calls import Accumulator, Input, clamped, doubled
from coconut.prove.choices import Choice, choices, missing, new_records
from coconut.prove.claims import BEGUN_STEP, MESSAGE_BYTES, claims_for, product
from coconut.prove.composition import Names, bernstein, expect
from coconut.prove.evaluation import MESSAGE, Inputs, NamingRing, Record, Words, numbered
from coconut.prove.graphs import graphs_of
from coconut.prove.macs import (
    BLOCK_BYTES,
    Macs,
    Verdicts,
    check_limits,
    check_result,
    described,
    place,
    prove_calls,
)
from coconut.prove.polynomials import Lanes, Message, Poly, Unproved, add
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import Terms, value_of
from coconut.trace import KERNELS, ROOT

# struct hornet_batch: the tags, the messages, their lengths, and the keys.
BATCH_WORDS = 4
KEY_BYTES, TAG_BYTES = 32, 16


@cache
def tuned(name: str) -> int:
    """Return a number of core/tuning.h."""
    found = re.search(rf"#define {name} (\d+)", (ROOT / "src" / "core" / "tuning.h").read_text())
    assert found
    return int(found[1])


@cache
def vectors_of(record: str) -> int:
    """Return how many vectors of messages of equal length a kernel takes together.

    That suggests how messages share lanes, and is no part of a proof.
    """
    folder = ROOT / "src" / "poly1305" / "kernels"
    files = [path for path in folder.glob("*.c") if record == path.stem or record.startswith(f"{path.stem}_")]
    found = re.search(r"#define BATCH_VECTORS +(\d+)", max(files, key=lambda path: len(path.stem)).read_text())
    return int(found[1]) if found else 1


class Places(Message):
    """What blocks take from a message, by offsets; around it is any number, which none may use."""

    def __init__(self, words: dict[int, Any], around: Any) -> None:
        self.given, self.around = words, around

    def word(self, at: int, order: str = "little") -> Any:
        return self.given.get(at, self.around)


@dataclass
class Bundle:
    """Messages that share a vector, one in each lane, the longest first; and the basic blocks that evaluate them.

    keys: in words of 8 bytes. equal: whether all have the same length, which may then be in several vectors.
    """

    inputs: Inputs
    record: Record
    messages: list[Input]
    keys: list[list[Any]]
    names: Names = field(default_factory=Names)

    def __post_init__(self) -> None:
        lengths = [message.length for message in self.messages]
        counts = [-(-length // BLOCK_BYTES) for length in lengths]
        self.nsteps = counts[0]
        self.first = [self.nsteps - count for count in counts]
        self.nfull = self.nsteps - any(length % BLOCK_BYTES for length in lengths)
        self.blocks = [self.names.variables(count) for count in counts]
        self.values: list[Poly] = [{}] * self.record.lanes
        self.step = 0
        # What the last basic block has left of the lanes, and the powers of r.
        self.state: dict[str, Lanes] = {}

    @property
    def fields(self) -> Any:
        graphs = graphs_of(self.record.kernel)
        return claims_for(KERNELS[self.record.kernel].kind, graphs["batch 1"])[1]

    def run(self, block: str, words: dict[int, Any], **more: Lanes) -> dict[str, Lanes]:
        """Run a basic block on the lanes, and on words of a message by offsets."""
        kernel = self.record.kernel if block.startswith("batch") else self.record.ends
        graph = graphs_of(kernel)[block]
        given = {graph.nodes[i].name: (self.state | more)[graph.nodes[i].name] for i in graph.inputs()}
        check_limits(kernel, block, given)
        message = Places(words, self.inputs.word("around", 2**64 - 1))
        return self.inputs.run(kernel, block, given, message)

    def word(self, lane: int, step: int, half: int) -> Any:
        return self.messages[lane].read(MESSAGE + BLOCK_BYTES * (step - self.first[lane]) + 8 * half, 8)

    def absorb(self, lane: int, step: int, power: int = 1) -> Poly:
        """Return a lane's block of a step times a power of r, in formulas; nothing before its message begins."""
        if step < self.first[lane]:
            return {}
        return product(self.blocks[lane][step - self.first[lane]], self.names.power(power))

    def tags(self) -> list[list[Any]]:
        """Return the words of each lane's tag."""
        lanes, every = self.record.lanes, range(self.record.lanes)
        keys = {KEY_BYTES * i + 8 * k: value_of(word) for i in every for k, word in enumerate(self.keys[i])}
        self.state = self.run("keys", keys)
        while self.step < min(self.nfull, max(self.first)):
            self.take(self.ragged())
        if self.nfull - self.step >= tuned("HORNET_BATCH_LAZY_BLOCKS"):
            self.raise_r()
            while self.nfull - self.step >= 2:
                self.take(self.full(2), 2)
        while self.step < self.nfull:
            self.take(self.full(1))
        if self.step < self.nsteps:
            self.take(self.last())
        for lane in every:
            made = bernstein(self.names, {}, self.blocks[lane])
            expect(f"lane {lane} of {lanes}", self.values[lane], made)
        outputs = self.run("finish", {})
        return [[outputs[f"tag[{k}]"][lane] for k in range(2)] for lane in every]

    def take(self, outputs: dict[str, Lanes], count: int = 1) -> None:
        """Let lanes have what a basic block over some steps leaves, and the same in formulas."""
        self.state = self.state | outputs
        for lane in range(self.record.lanes):
            value = product(self.values[lane], self.names.power(count))
            for k in range(count):
                value = add(value, self.absorb(lane, self.step + k, count - k))
            self.values[lane] = value
        self.step += count

    def ragged(self) -> dict[str, Lanes]:
        """Run a step at which some messages have begun: those before others, which are as short or shorter."""
        lanes = self.record.lanes
        begun = sum(first <= self.step for first in self.first)
        if any(first <= self.step for first in self.first[begun:]):
            raise Unproved("messages of a batch that are not sorted by their lengths")
        apart = MESSAGE_BYTES // lanes
        words = {
            apart * i + BLOCK_BYTES * BEGUN_STEP + 8 * half: self.word(i, self.step, half)
            for i in range(begun)
            for half in range(2)
        }
        return self.run(f"begun {begun}", words)

    def full(self, count: int) -> dict[str, Lanes]:
        """Run steps at which all lanes have full blocks."""
        lanes = self.record.lanes
        words = {
            BLOCK_BYTES * (k * lanes + i) + 8 * half: self.word(i, self.step + k, half)
            for k in range(count)
            for i in range(lanes)
            for half in range(2)
        }
        return self.run(f"batch {count}", words)

    def raise_r(self) -> None:
        """Let lanes have r^2: what the basic block of a last step leaves of r, in place of a value, and of no blocks."""
        encoding = self.fields.multiplier
        limbs = range(len(self.fields.fe.weights))
        nothing = {f"block{i}[{k}]": (0,) for i in range(self.record.lanes) for k in range(3)}
        r = {f"value[{i}]": self.state[f"r^1[{i}]"] for i in limbs}
        squares = self.run("short", {}, **(nothing | r))
        self.state |= {f"r^2[{i}]": squares[f"value[{i}]"] for i in limbs}
        for i, derived in encoding.derived.items():
            if len(derived.of) != 1 or derived.divisor != 1:
                raise Unproved("a multiplier of another form")
            of = squares[f"value[{derived.of[0]}]"]
            self.state[f"r^2[{i}]"] = tuple(number * derived.factor for number in of)

    def last(self) -> dict[str, Lanes]:
        """Run the last step, at which blocks may be short, or missing."""
        more: dict[str, Lanes] = {}
        for i, message in enumerate(self.messages):
            more |= numbered(f"block{i}", self.last_block(i, message))
        return self.run("short", {}, **more)

    def last_block(self, lane: int, message: Input) -> list[Any]:
        length = message.length
        if length % BLOCK_BYTES == 0:
            return [*(self.word(lane, self.nsteps - 1, half) for half in range(2)), 1] if length else [0, 0, 0]
        whole = length // BLOCK_BYTES * BLOCK_BYTES
        name, at = (f"padded after {length - whole}", whole - BLOCK_BYTES) if whole else (f"padded {length}", 0)
        memory: Any = message
        outputs = self.inputs.run("tag", name, {}, Words(memory, MESSAGE + at, length))
        return [outputs[f"block[{i}]"][0] for i in range(3)]


class Batch(NamedTuple):
    """A run of a kernel's batch: the stack pointer when it has returned, the kernel, and the tags with their places."""

    pointer: int
    title: str
    tags: list[tuple[int, Accumulator]]


@dataclass
class Batches(Macs):
    """As Macs, with the functions of kernels for batches."""

    batches: list[Batch] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        entries = {record: self.linked.entry(record.name, "batch") for record, _ in self.members.values()}
        self.of_batches = {at: record for record, at in entries.items() if at}

    def entered(self, at: int) -> int:
        if at in self.of_batches:
            self.begin_batch(self.of_batches[at])
        return super().entered(at)

    def begin_batch(self, record: Record) -> None:
        """Have the basic blocks run before a kernel's batch does."""
        machine = self.machine
        batch, order_at, count, least = (machine.general[name] for name in machine.ARGUMENTS[:4])
        tags_at, messages_at, lengths_at, keys_at = self.words_at(batch, BATCH_WORDS)
        order = [self.memory.read(order_at + i, 1) for i in range(count)]
        messages, keys = {}, {}
        for i in order:
            messages[i] = Input(
                self.message_at(self.memory.read(messages_at + 8 * i, 8), self.length_at(lengths_at, i))
            )
            keys[i] = self.words_at(keys_at + KEY_BYTES * i, 4)
        found = []
        for members in bundles(record, [messages[i].length for i in order], least):
            of = [order[k] for k in members]
            made = Bundle(Inputs(self.ring), record, [messages[i] for i in of], [keys[i] for i in of]).tags()
            for i, words in zip(of, made, strict=True):
                of_tag = Accumulator(words, list(messages[i].words), clamped(keys[i]))
                found.append((tags_at + TAG_BYTES * i, of_tag))
        self.batches.append(
            Batch(self.pointer_after, f"{record.name} batch of {len(dict(found))}", list(dict(found).items()))
        )

    def length_at(self, at: int, i: int) -> int:
        found: int = self.memory.read(at + 8 * i, 8)
        return found

    def end(self) -> None:
        """Compare the tags that a batch has left, if it has returned."""
        while self.batches and self.machine.general[self.machine.STACK] == self.batches[-1].pointer:
            _, title, tags = self.batches.pop()
            self.taken.append(title)
            for at, found in tags:
                self.claim_words(f"a tag of {title}", at, found.words)
                self.tags.append(found)
        super().end()


def bundles(record: Record, lengths: Sequence[int], least: int) -> Iterator[list[int]]:
    """Yield which messages share a vector, by their places among those that are sorted, as horner/batch.h has it.

    Lanes that are left over have the last message of the vector.
    """
    eighths, lanes, done = tuned("HORNET_BATCH_MIN_EIGHTHS"), record.lanes, 0
    while 8 * (len(lengths) - done) >= eighths * lanes and lengths[done] >= least:
        left, room = len(lengths) - done, vectors_of(record.name) * lanes
        count = min(left, room)
        if 8 * left < eighths * room or lengths[done] != lengths[done + count - 1]:
            room, count = lanes, min(left, lanes)
        places = [done + min(i, count - 1) for i in range(room)]
        yield from (places[i : i + lanes] for i in range(0, room, lanes))
        done += count


TAGS, MESSAGES, LENGTHS, KEYS, VALID, PACKETS, NONCES = map(place, range(7))


def at_of(which: int, i: int) -> int:
    """Return where packet i has one of its arguments."""
    return place(8 + 6 * i + which)


def valid_of(what: str, calls: Batches, result: Any, valid: Sequence[bool]) -> None:
    """Check what a function that verifies returns, and the verdicts that it has left."""
    check_result(what, result, all(valid))
    for i, expected in enumerate(valid):
        check_result(f"{what}, message {i}", calls.memory.read(VALID + i, 1), expected)


def prove_messages(
    linked: Linked,
    choice: Choice,
    lengths: Sequence[int],
    valid: Sequence[bool] = (),
    aes: bool = False,
    terms: Terms | None = None,
) -> Batches:
    """Prove hornet_poly1305_batch, or hornet_poly1305_verify_batch with these verdicts; or those of Poly1305-AES."""
    calls, count = Batches(linked, choice, terms or Terms(NamingRing())), len(lengths)
    messages, keys, given = [], [], []
    for i, length in enumerate(lengths):
        messages.append(calls.message(at_of(0, i), f"message {i}", length))
        key_at = KEYS + KEY_BYTES * i
        if aes:
            cipher_key = doubled(calls.data(key_at, f"k {i}", 16))
            nonce = doubled(calls.data(NONCES + BLOCK_BYTES * i, f"nonce {i}", BLOCK_BYTES))
            r = calls.clamped(key_at + BLOCK_BYTES, f"r {i}")
            keys.append([*r, *doubled(calls.encrypted(cipher_key, nonce))])
        else:
            keys.append(calls.key(key_at, f"key {i}"))
        if valid:
            given.append(doubled(calls.data(TAGS + TAG_BYTES * i, f"tag {i}", TAG_BYTES)))
    calls.public(MESSAGES, [at_of(0, i) for i in range(count)])
    calls.public(LENGTHS, lengths)

    def tag(i: int) -> list[Any]:
        return calls.tag_of(messages[i], keys[i])

    first = [VALID] if valid else []
    arguments = [*first, TAGS, MESSAGES, LENGTHS, *[NONCES] * aes, KEYS, count]
    function = f"hornet_poly1305_{'aes_' * aes}{'verify_' * bool(valid)}batch"
    results = [(VALID, count)] if valid else [(TAGS, TAG_BYTES * count)]
    verdicts = Verdicts(calls, given, tag, valid)
    result = calls.call(function, arguments, results)
    verdicts.check()
    if valid:
        valid_of(function, calls, result, valid)
    else:
        for i in range(count):
            calls.claim_words(f"tag {i}", TAGS + TAG_BYTES * i, tag(i))
    if aes and not valid:
        check_result(function, result, True)
    calls.check_left([])
    return calls


class Packet(NamedTuple):
    """The lengths of a packet, and whether its output is its input."""

    length: int
    aad_length: int
    in_place: bool = False


def prove_packets(
    linked: Linked,
    choice: Choice,
    packets: Sequence[Packet],
    valid: Sequence[bool] = (),
    extended: bool = False,
    terms: Terms | None = None,
) -> Batches:
    """Prove hornet_chacha20_poly1305_seal_batch, or _open_batch with these verdicts; or those of XChaCha20-Poly1305."""
    calls, opens, count = Batches(linked, choice, terms or Terms(NamingRing())), bool(valid), len(packets)
    expected: list[Sealed] = []
    given, results = [], [(VALID, count)] if opens else []
    for i, (length, aad_length, in_place) in enumerate(packets):
        out, text_at, aad_at, nonce_at, key_at, tag_at = (at_of(which, i) for which in range(6))
        text_at = out if in_place else text_at
        key, nonce = calls.data(key_at, f"key {i}", 32), calls.data(nonce_at, f"nonce {i}", 24 if extended else 12)
        aad, text = calls.data(aad_at, f"aad {i}", aad_length), calls.data(text_at, f"text {i}", length)
        expected.append(sealed(calls, key, nonce, text, aad, Case(opens, length, aad_length, extended=extended)))
        results.append((out, length))
        if opens:
            given.append(doubled(calls.data(tag_at, f"tag {i}", TAG_BYTES)))
        else:
            results.append((tag_at, TAG_BYTES))
        calls.public(PACKETS + 64 * i, [out, text_at, length, aad_at, aad_length, nonce_at, key_at, tag_at])

    def tag(i: int) -> list[Any]:
        return calls.tag_of(expected[i].input, expected[i].key)

    verdicts = Verdicts(calls, given, tag, valid)
    function = f"hornet_{'x' * extended}chacha20_poly1305_{'open' if opens else 'seal'}_batch"
    result = calls.call(function, [*[VALID] * opens, PACKETS, count], results)
    verdicts.check()
    for i, (length, _, _) in enumerate(packets):
        is_valid, words = not opens or valid[i], expected[i].out
        calls.claim_terms(f"output {i}", at_of(0, i), words if is_valid else [0] * len(words), length)
        if not opens:
            calls.claim_words(f"tag {i}", at_of(5, i), tag(i))
    if opens:
        valid_of(function, calls, result, valid)
    else:
        check_result(function, result, True)
    calls.check_left([word for of in expected for word in of.ciphertext])
    return calls


# Lengths of messages: ragged, in no order, and equal; for kernels that take several vectors, and for one.
RAGGED = (220, 37, 0, 16, 100, 97, 48, 5, 130, 64, 64, 64, 64, 64, 64, 1, 31, 15, 203, 112)
FEW = (100, 37, 0, 16, 220, 97, 48, 5)
EQUAL = ((100,) * 16, (96,) * 8, (100,) * 3)
# Packets: ragged, one of which has associated data that is too long to share lanes; equal ones; one long one, which is
# alone, among short ones.
SHARED = tuple(
    Packet(length, aad, in_place=length % 2 == 0)
    for length, aad in ((200, 60), (20, 17), (129, 1), (100, 13), (64, 64), (70, 65), (37, 0), (5, 0), (0, 5))
)
FEW_SHARED = (Packet(40, 13), Packet(100, 5), Packet(20, 0), Packet(64, 16, in_place=True), Packet(0, 3))
SAME = (Packet(40, 13),) * 16
LONG = (*[Packet(24, 8)] * 4, Packet(1540, 5), *[Packet(24, 8)] * 4)
NONE: tuple[bool, ...] = ()


def forged(count: int) -> tuple[bool, ...]:
    """Return verdicts of which some are true and some are not, such that neighbours differ on both sides."""
    return tuple(i % 3 != 1 for i in range(count))


def calls_of(linked: Linked, choice: Choice) -> Iterator[partial[Batches]]:
    """Yield the proofs of the calls of batches of messages for a choice of kernels."""
    terms = Terms(NamingRing())
    for lengths in (RAGGED, *EQUAL):
        yield partial(prove_messages, linked, choice, lengths, terms=terms)
    for valid, aes in ((forged(len(FEW)), False), (forged(len(FEW)), True), (NONE, True)):
        yield partial(prove_messages, linked, choice, FEW, valid, aes, terms=terms)


def calls_of_packets(
    linked: Linked, choice: Choice, new: Mapping[str, Sequence[int]], is_first: bool
) -> Iterator[partial[Batches]]:
    """Yield the proofs of the calls of batches of packets for a choice of kernels, of which some are new; those that open
    packets for new ones of Poly1305, XChaCha20-Poly1305 for new ones of ChaCha20, and all calls for the first choice."""
    terms = Terms(NamingRing())
    yield partial(prove_packets, linked, choice, SHARED if new["poly1305"] else FEW_SHARED, terms=terms)
    if new["poly1305"]:
        yield partial(prove_packets, linked, choice, SHARED, forged(len(SHARED)), terms=terms)
    if new["chacha20"]:
        yield partial(prove_packets, linked, choice, FEW_SHARED, NONE, True, terms=terms)
    if is_first:
        few = forged(len(FEW_SHARED))
        yield partial(prove_packets, linked, choice, FEW_SHARED, few, True, terms=terms)
        yield partial(prove_packets, linked, choice, SHARED, (True,) * len(SHARED), terms=terms)
        for packets in (SAME, LONG):
            yield partial(prove_packets, linked, choice, packets, terms=terms)


def prove_batches(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove what compilers made of batches, at sampled lengths, for the choices that have kernels which no other one has."""
    for compiler in chosen(compilers):
        linked = compiled(compiler)
        if linked.target != X86_64:
            # Messages are put in order of their lengths by instructions on 16-bit lanes, which the machine has not.
            continue
        known, is_first = set[int](), True
        for choice in choices(linked):
            of = Compiled(
                linked.version, choice.name, "hornet_poly1305_batch, hornet_chacha20_poly1305_seal_batch and others"
            )
            title = f"{linked.version}: {choice.name}, batches"
            if lacking := missing(linked, choice):
                yield Proved(title, 0, compiled=of, omitted=lacking)
                continue
            new = new_records(linked, choice, known)
            if not any(new.values()):
                continue
            calls: list[partial[Batches]] = [*calls_of_packets(linked, choice, new, is_first)]
            if new["poly1305"]:
                calls += calls_of(linked, choice)
            of = of._replace(lengths="; ".join(map(described, calls)))
            yield proved(title, partial(prove_calls, calls, set()), compiled=of)
            is_first = False
