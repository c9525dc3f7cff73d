# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Evaluate a message of a length by basic blocks, one after another, on symbolic numbers.

Each block is executed as it was recorded, and is proved in graphs.py; its outputs are replaced by fresh variables
(names). So whatever computes the same numbers, in the same ring, has the same polynomials in these variables. The
formulas that are proved of the blocks are composed, too, and must make Bernstein's polynomial.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from coconut.lift.machine import Memory
from coconut.operations import BLOCK_BYTES
from coconut.prove.certificate import Certificate
from coconut.prove.claims import H_WORDS, STEPS_MAX, horner, in_pieces, joined, product, total
from coconut.prove.composition import Names, bernstein, expect
from coconut.prove.graphs import TERMS_MAX, elements_to_name, graphs_of, interpret, words_loaded
from coconut.prove.polynomials import (
    NUMBER_TERMS_MAX,
    WORD_BITS,
    Key,
    Lanes,
    Message,
    Number,
    Poly,
    Range,
    Results,
    Ring,
    Unproved,
    add,
    exact,
    exact_poly,
    exactly_weighted,
    key_of,
    places,
    power_of_2,
)
from coconut.trace import ROOT

# Where a call has its arguments: only the state is aligned, as its type is.
MESSAGE, KEY, TAG, STATE = (1 << 40) + 1, (2 << 40) + 3, (3 << 40) + 5, (4 << 40) + 8


class Record(NamedTuple):
    """A kernel's record: its basic blocks, those that surround them, the number of lanes, and the list of groups.

    factor_bytes: of a lane of a factor in memory.
    """

    name: str
    kernel: str
    ends: str
    lanes: int
    groups: str
    factor_bytes: int = 8

    def ends_with(self, block: str) -> str:
        """Return where a block that surrounds others is recorded: with packed multipliers, if it has some."""
        return self.ends if block in graphs_of(self.ends) else self.ends.removesuffix("packed")


RECORDS = (
    Record("scalar64", "scalar64", "", 1, ""),
    Record("avx2", "avx2", "ends26x4", 4, "RADIX26"),
    Record("ifma256", "ifma256", "ends44x4", 4, "RADIX44"),
    Record("avxifma", "ifma256", "ends44x4", 4, "RADIX44"),
    Record("ifma", "ifma", "ends44x8", 8, "IFMA"),
    Record("ifma_zen5", "ifma", "ends44x8", 8, "IFMA_ZEN5"),
    Record("neon", "neon-packed", "ends26x4packed", 4, "NEON", 4),
    Record("neon_in_order", "neon-packed", "ends26x4packed", 4, "TWO", 4),
)


def record_called(name: str) -> Record:
    return next(record for record in RECORDS if record.name == name)


@cache
def groups_listed(name: str) -> list[tuple[int, int]]:
    """Return a list of core/tuning.h, or none: how many groups share a reduction, and for how many groups at least."""
    if not name:
        return []
    text = (ROOT / "src" / "core" / "tuning.h").read_text()
    found = re.search(rf"#define GROUPS_{name}\(X\)(.*)", text)
    assert found
    return [(int(n), int(least)) for n, least in re.findall(r"X\((\d+), (\d+)\)", found[1])]


@dataclass
class Scope:
    """The names that a computation and what is compared with it give to polynomials, and the results with these names.

    Another computation of the same numbers, which names other ones, has a scope of its own.
    """

    named: dict[Key, int] = field(default_factory=dict)
    results: Results = field(default_factory=dict)


class NamingRing(Ring):
    """A ring that gives each limb a name, of which only the range is known, and divides nothing twice."""

    def __init__(self, certificate: Certificate | None = None) -> None:
        super().__init__(certificate)
        self.outermost = Scope(self.named, self.results)
        self.found: dict[tuple[Key, int], tuple[Poly, int]] = {}
        self.begun: set[tuple[Key, int]] = set()
        # What a name stands for.
        self.meanings: dict[int, Poly] = {}

    def forget(self) -> None:
        super().forget()
        for kept in (self.outermost.named, self.outermost.results, self.found, self.begun, self.meanings):
            kept.clear()

    def enter(self, scope: Scope) -> None:
        self.named, self.results = scope.named, scope.results

    def divided(self, poly: Poly, bits: int) -> tuple[Poly, int]:
        place = key_of(poly), bits
        if place not in self.found:
            if place in self.begun:
                # A number that was cut and joined again: its parts are quotients of itself.
                self.joined.pop(place[0], None)
            self.begun.add(place)
            self.found[place] = super().divided(poly, bits)
        return self.found[place]

    def name(self, limbs: Sequence[Number | int], weights: Sequence[int], name: str) -> None:
        for i, limb in enumerate(limbs):
            if not isinstance(limb, Number) or limb.wraps:
                continue
            key = key_of(limb.poly)
            if len(key) > TERMS_MAX and key not in self.named:
                low, high = self.range_of(limb.poly)
                self.named[key] = self.variable(f"{name}[{i}]", (max(low, limb.low), min(high, limb.high)))
                if self.certificate:
                    self.certificate.variable("name", f"{name}[{i}]", limb.place)
                self.meanings[self.named[key]] = limb.poly

    def claim_same(self, name: str, a: Number | int, b: Number | int) -> None:
        """Claim that two words are equal, with names or what they stand for, as sums may skip what has a name."""
        difference = exactly_weighted([exact(a), exact(b)], [1, -1])
        while power_of_2(difference) < WORD_BITS and len(difference) <= NUMBER_TERMS_MAX:
            named = [m for m, c in difference.items() if len(m) == 1 and m[0] in self.meanings and c % (1 << WORD_BITS)]
            if not named:
                break
            last = max(named)
            coefficient = difference.pop(last)
            difference = add(difference, self.meanings[last[0]], coefficient)
        if rest := {m: c for m, c in difference.items() if c % (1 << WORD_BITS)}:
            raise Unproved(f"{name} is another number: the difference is {self.show(rest)}")
        if self.certificate:
            self.certificate.claim(name, "multiple", places([exact(a), exact(b)]), [1, -1], 1 << WORD_BITS)

    def divided_rest(self, rest: Poly, bits: int, limits: Range) -> tuple[Poly, int]:
        """As divided, of what has no multiple of 2^bits: (w + r / 2^b) / 2^bits is (2^b w + r) / 2^(b + bits)."""
        inner = [m for m, c in rest.items() if c == 1 and len(m) == 1 and m[0] in self.origins]
        if len(rest) > 1 and inner:
            poly, before, definition = self.origins[max(inner)[0]]
            outer = {m: c for m, c in rest.items() if m != max(inner)}
            result, fact = self.divided(add(poly, outer, 1 << before), before + bits)
            if self.certificate:
                fact = self.certificate.sum([(1, fact), (-1, definition)], divisor=1 << before)
            return result, fact
        return super().divided_rest(rest, bits, limits)


class Words(Message):
    """A message as it is in memory, from an address on. Around it is any number, which no block uses."""

    def __init__(self, memory: Memory, at: int, length: int, around: Number | int = 0) -> None:
        self.memory, self.at, self.end, self.around = memory, at, MESSAGE + length, around

    def word(self, at: int, order: str = "little") -> Number | int:
        return self.number(at, 8)

    def number(self, at: int, count: int) -> Number | int:
        at += self.at
        found: Number | int = self.around
        if MESSAGE <= at and at + count <= self.end:
            found = self.memory.read(at, count)
        return found


class Given(Message):
    """A message of one block, given as words."""

    def __init__(self, words: Sequence[Number | int]) -> None:
        self.given = words

    def word(self, at: int, order: str = "little") -> Number | int:
        return self.given[at // 8]


@cache
def chained(kernel: str, block: str) -> bool:
    """Return whether an output of a basic block is computed from another output."""
    nodes = graphs_of(kernel)[block].nodes
    outputs = {nodes[i].args[0] for i in graphs_of(kernel)[block].outputs()}
    from_output: set[int] = set()
    for i, node in enumerate(nodes):
        if node.op != "output" and any(arg in outputs | from_output for arg in node.args):
            from_output.add(i)
    return bool(outputs & from_output)


@dataclass
class Inputs:
    """The inputs of calls, of which all lengths share those that they have in common."""

    ring: NamingRing = field(default_factory=NamingRing)
    known: dict[str, Number | int] = field(default_factory=dict)
    outputs: dict[object, dict[str, Lanes]] = field(default_factory=dict)

    def word(self, name: str, limit: int) -> Number | int:
        if name not in self.known:
            self.known[name] = self.ring.input(name, limit)
        return self.known[name]

    def pieces(self, name: str, bits: Sequence[int]) -> list[Number]:
        if f"{name}.0" not in self.known:
            self.known |= {f"{name}.{i}": piece for i, piece in enumerate(in_pieces(self.ring, name, bits))}
        return [self.known[f"{name}.{i}"] for i in range(len(bits))]  # type: ignore[misc]

    def clamped(self, whole: bool) -> list[Number | int]:
        """Return the words of r, or the whole words of a key from which it is clamped."""
        low, high = self.pieces("r0", (28, 6, 26, 4)), self.pieces("r1", (2, 26, 6, 26, 4))
        if whole:
            return [
                joined(dict(zip((0, 28, 34, 60), low, strict=True))),
                joined(dict(zip((0, 2, 28, 34, 60), high, strict=True))),
            ]
        return [joined({0: low[0], 34: low[2]}), joined({2: high[1], 34: high[3]})]

    def message(self, memory: Memory, length: int) -> None:
        """Write a message to memory: words, and bytes in a block that is not full, which are loaded twice."""
        whole = length - length % BLOCK_BYTES
        for at in (*range(0, whole, 8), *range(whole, length)):
            count = 8 if at < whole else 1
            memory.cells[MESSAGE + at] = count, self.word(f"m{at}:{count}", (1 << 8 * count) - 1)

    def run(self, kernel: str, block: str, inputs: Mapping[str, Lanes], message: Message) -> dict[str, Lanes]:
        """Return what a basic block leaves, with names; of the same numbers, it leaves the same."""
        graph = graphs_of(kernel)[block]
        given = {**inputs, "": tuple(words_loaded(graph, message))}
        polys = tuple((name, *(key_of(exact_poly(exact(number))) for number in lanes)) for name, lanes in given.items())
        place = kernel, block, polys
        if place not in self.outputs:
            elements = elements_to_name(graph)
            values = interpret(graph, self.ring, message, inputs, elements)
            for i in graph.outputs():
                self.ring.name(values[i], (), f"{block} {graph.nodes[i].name} {len(self.outputs)}")
            if elements or chained(kernel, block):
                # Again, as what was computed from numbers that have names now is of these.
                values = interpret(graph, self.ring, message, inputs)
            self.outputs[place] = {
                graph.nodes[i].name: tuple(x.named() if isinstance(x, Number) else x for x in values[i])
                for i in graph.outputs()
            }
        return self.outputs[place]


def numbered(name: str, words: Sequence[Number | int]) -> dict[str, Lanes]:
    """Return words as inputs of a basic block."""
    return {f"{name}[{i}]": (word,) for i, word in enumerate(words)}


@dataclass
class Evaluation:
    """The basic blocks that evaluate a message of a length, on numbers, and their formulas.

    - mac: whether the result is a tag; else a state's h is continued.
    """

    inputs: Inputs
    record: Record
    memory: Memory
    length: int
    mac: bool
    names: Names = field(default_factory=Names)
    # The formulas: the blocks, and how many of them were taken.
    blocks: list[Poly] = field(default_factory=list)
    h: Poly = field(default_factory=dict)

    @property
    def h_words(self) -> list[Number | int]:
        if self.mac:
            return [0, 0, 0]
        return [self.inputs.word(f"h{i}", H_WORDS.limits[i]) for i in range(3)]

    @property
    def r_words(self) -> list[Number | int]:
        return self.inputs.clamped(whole=False)

    @property
    def pad(self) -> list[Number | int]:
        return [self.inputs.word(f"s{i}", 2**64 - 1) for i in range(2)]

    def run(self, kernel: str, block: str, inputs: Mapping[str, Lanes], at: int | None = None) -> dict[str, Lanes]:
        message = Words(self.memory, MESSAGE + (at or 0), self.length, self.inputs.word("around", 2**64 - 1))
        kernel = self.record.ends_with(block) if kernel == self.record.ends else kernel
        return self.inputs.run(kernel, block, inputs, message)

    def last_block(self) -> list[Number | int]:
        """Return the words of the last block, padded."""
        first = (self.length - 1) // BLOCK_BYTES * BLOCK_BYTES
        count = self.length - first
        if count == BLOCK_BYTES:
            return [self.memory.read(MESSAGE + first, 8), self.memory.read(MESSAGE + first + 8, 8), 1]
        name, at = (f"padded after {count}", first - BLOCK_BYTES) if first else (f"padded {count}", first)
        message = Words(self.memory, MESSAGE + at, self.length)
        outputs = self.inputs.run("tag", name, {}, message)
        return [outputs[f"block[{i}]"][0] for i in range(3)]

    def result(self) -> list[Number | int]:
        """Return the words of the tag, or of h."""
        if self.length == 0:
            return self.pad if self.mac else self.h_words
        self.blocks = self.names.variables(-(-self.length // BLOCK_BYTES))
        self.h = {} if self.mac else self.names.variable()
        ngroups = -(-len(self.blocks) // self.record.lanes)
        n = max((n for n, least in groups_listed(self.record.groups) if ngroups >= least), default=0)
        words, value = self.decimated(n, ngroups) if n else self.serial()
        expect(f"{self.length} bytes", value, bernstein(self.names, self.h, self.blocks))
        return self.tag(words) if self.mac else words

    def end(self, kernel: str, block: str, inputs: Mapping[str, Lanes], at: int | None = None) -> list[Number | int]:
        outputs = self.run(kernel, block + " 5" * self.mac, inputs, at)
        return [outputs[f"{'x' if self.mac else 'h'}[{i}]"][0] for i in range(3)]

    def powers(self, n: int) -> dict[str, Lanes]:
        """Return the powers of r for n groups that share a reduction."""
        r = numbered("r", self.r_words)
        return self.inputs.run(self.record.ends, f"powers {n}", r, Message(self.inputs.ring))

    def first(self, absent: int) -> dict[str, Lanes]:
        """Return T of the first group, in which blocks are absent."""
        at = -BLOCK_BYTES * self.record.lanes
        return self.run(self.record.ends, f"first {absent}", numbered("h", self.h_words), at)

    def step(
        self, n: int, count: int, powers: Mapping[str, Lanes], t: Mapping[str, Lanes], at: int
    ) -> dict[str, Lanes]:
        """Return T after a step over a number of groups, which begin at an offset."""
        is_long = n > STEPS_MAX
        block, of = (f"long {count}", self.record.ends) if is_long else (f"step {count}", self.record.kernel)
        graph = graphs_of(self.record.ends_with(block) if is_long else of)[block]
        needed = {graph.nodes[i].name for i in graph.inputs()}
        given = {**powers, **t}
        return self.run(of, block, {name: numbers for name, numbers in given.items() if name in needed}, at)

    def last(self, powers: Mapping[str, Lanes], t: Mapping[str, Lanes], at: int) -> list[Number | int]:
        """Return the words that T and the last group leave, which begins at an offset."""
        given = {name: numbers for name, numbers in powers.items() if name.startswith(("last", "others"))}
        return self.end(self.record.ends, "end", {**given, **t} | numbered("block", self.last_block()), at)

    def tag(self, words: Sequence[Number | int]) -> list[Number | int]:
        """Return the words of the tag."""
        tag = self.run("tag", "tag 5", numbered("x", words) | numbered("s", self.pad))
        return [tag[f"tag[{i}]"][0] for i in range(2)]

    def decimated(self, n: int, ngroups: int) -> tuple[list[Number | int], Poly]:
        """Return the words that a kernel with lanes leaves, and the formula; n groups share a reduction."""
        lanes = self.record.lanes
        absent = ngroups * lanes - len(self.blocks)
        powers, t = self.powers(n), self.first(absent)
        of_r = self.names.power
        there = [add(block, self.h if i == 0 else {}) for i, block in enumerate(self.blocks[: lanes - absent])]
        value: list[Poly] = [{}] * absent + there
        taken = lanes - absent
        for count in steps_of(n, ngroups - 2):
            t = self.step(n, count, powers, t, BLOCK_BYTES * taken)
            value = horner(
                self.blocks[taken:].__getitem__, value, [[of_r(lanes * k)] * lanes for k in range(count + 1)]
            )
            taken += count * lanes
        if len(self.blocks) - taken != lanes:
            raise Unproved("the last group has another number of blocks")
        words = self.last(powers, t, BLOCK_BYTES * taken)
        last = self.blocks[taken:]
        return words, total(
            add(product(value[i], of_r(2 * lanes - i)), product(last[i], of_r(lanes - i))) for i in range(lanes)
        )

    def with_block(self, name: str, given: Mapping[str, Lanes], i: int) -> dict[str, Lanes]:
        """Run a basic block of the scalar kernel on block i of the message."""
        is_full = BLOCK_BYTES * (i + 1) <= self.length
        at = MESSAGE + BLOCK_BYTES * i
        words = [self.memory.read(at + 8 * k, 8) for k in range(2)] if is_full else self.last_block()
        return self.inputs.run("scalar64", name, given, Given(words))

    def begin(self) -> dict[str, Lanes]:
        """Return what the scalar kernel has after the first block, which is full."""
        given = numbered("r", self.r_words) | numbered("s", self.pad) | numbered("h", self.h_words)
        return self.with_block("begin", given, 0)

    def serial(self) -> tuple[list[Number | int], Poly]:
        """Return the words that the scalar kernel leaves, and the formula."""
        state = self.begin()
        if self.length < BLOCK_BYTES:
            # The basic block has the 1 of a full block.
            state = state | {"t[2]": (state["t[2]"][0] - 1,)}
        value, small = add(self.blocks[0], self.h), "small "
        for i in range(1, len(self.blocks)):
            is_full = BLOCK_BYTES * (i + 1) <= self.length
            state = self.with_block(small + ("block" if is_full else "last"), state, i)
            value, small = add(product(value, self.names.power(1)), self.blocks[i]), ""
        words = self.end("scalar64", small + "end", state)
        return words, product(value, self.names.power(1))


def steps_of(n: int, groups: int) -> list[int]:
    """Return the numbers of groups of the steps, as decimated_kernel.h takes them."""
    if n > STEPS_MAX:
        return [groups % n] * (groups % n > 0) + [n] * (groups // n)
    steps = [1] * (groups % 2)
    left = groups - groups % 2
    for k in range(n, 1, -2):
        steps += [k] * (left // k)
        left %= k
    return steps
