# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the library's functions as compilers made them, as wholes, at one length after another.

A function of the object runs on symbolic numbers: key, state and message are inputs, lengths and addresses are public.
In the same ring the basic blocks of claims.py run one after another, as the length has them; what each leaves gets
names. So the function's numbers become polynomials in the same names, if they are the same numbers, and what it leaves
in memory must be what the last block leaves, for all inputs. What the blocks leave together is compared with
Bernstein's polynomial, on the formulas that are proved of them.

Beside that, whatever a call can do at this length is observed: it reads only what it is given, writes only its result
and its stack, takes no branch and computes no address on a secret, restores the registers that it must, and leaves
nothing symbolic in vector registers or on the stack.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from coconut.lift.machine import KEPT, STACK_TOP, Machine, Memory
from coconut.lift.objects import Linked, compiled
from coconut.operations import BLOCK_BYTES
from coconut.prove.claims import H_WORDS, STEPS_MAX, horner, joined, in_pieces, product, total
from coconut.prove.composition import Names, bernstein, expect
from coconut.prove.graphs import TERMS_MAX, elements_to_name, graphs_of, interpret
from coconut.prove.polynomials import Key, Lanes, Message, Number, Poly, Range, Ring, Unproved, add, exact, key_of
from coconut.prove.proof import Proved, proved
from coconut.trace import ROOT

ASSUMED = (
    "Instructions do what the tables and lift/machine.py say; objdump reads them as the CPU does.",
    "The linked program is what a program that uses the library runs: the linker only places objects.",
    "Message, key, tag, state and stack do not overlap. They are at addresses that are multiples of 64.",
    "The call follows the System V ABI; r in a state is clamped, and its h_2 is at most 4.",
    "Nothing else writes to the message, the key, the state or the stack during a call.",
)

# Where a call has its arguments.
MESSAGE, KEY, TAG, STATE = (i << 40 for i in range(1, 5))
STATE_WORDS = {"r": 0, "s": 16, "h": 32}
STACK_BYTES = 1 << 16


class Record(NamedTuple):
    """A kernel's record: its basic blocks, those that surround them, the number of lanes, and the list of groups."""

    name: str
    kernel: str
    ends: str
    lanes: int
    groups: str


RECORDS = (
    Record("scalar64", "scalar64", "", 1, ""),
    Record("avx2", "avx2", "ends26x4", 4, "RADIX26"),
    Record("ifma256", "ifma256", "ends44x4", 4, "RADIX44"),
    Record("avxifma", "ifma256", "ends44x4", 4, "RADIX44"),
    Record("ifma", "ifma", "ends44x8", 8, "RADIX44"),
    Record("ifma_zen5", "ifma", "ends44x8", 8, "IFMA_ZEN5"),
)


@cache
def groups_listed(name: str) -> list[tuple[int, int]]:
    """Return a list of core/tuning.h: how many groups share a reduction, and for how many groups at least."""
    text = (ROOT / "src" / "core" / "tuning.h").read_text()
    found = re.search(rf"#define GROUPS_{name}\(X\)(.*)", text)
    assert found
    return [(int(n), int(least)) for n, least in re.findall(r"X\((\d+), (\d+)\)", found[1])]


class NamingRing(Ring):
    """A ring that gives each limb a name, of which only the range is known, and divides nothing twice."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[tuple[Key, int], tuple[Poly, int]] = {}

    def divided(self, poly: Poly, bits: int) -> tuple[Poly, int]:
        place = key_of(poly), bits
        if place not in self.found:
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


    def divided_rest(self, rest: Poly, bits: int, limits: Range) -> tuple[Poly, int]:
        """As divided, of what has no multiple of 2^bits: (w + r / 2^b) / 2^bits is (2^b w + r) / 2^(b + bits)."""
        inner = [m for m, c in rest.items() if c == 1 and len(m) == 1 and m[0] in self.origins]
        if len(rest) > 1 and inner:
            poly, before, _ = self.origins[max(inner)[0]]
            outer = {m: c for m, c in rest.items() if m != max(inner)}
            return self.divided(add(poly, outer, 1 << before), before + bits)
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
            return [joined(dict(zip((0, 28, 34, 60), low, strict=True))), joined(dict(zip((0, 2, 28, 34, 60), high, strict=True)))]
        return [joined({0: low[0], 34: low[2]}), joined({2: high[1], 34: high[3]})]

    def message(self, memory: Memory, length: int) -> None:
        """Write a message to memory: words, and bytes in a block that is not full, which are loaded twice."""
        whole = length - length % BLOCK_BYTES
        for at in (*range(0, whole, 8), *range(whole, length)):
            count = 8 if at < whole else 1
            memory.cells[MESSAGE + at] = count, self.word(f"m{at}:{count}", (1 << 8 * count) - 1)

    def run(self, kernel: str, block: str, inputs: Mapping[str, Lanes], message: Message, at: object) -> dict[str, Lanes]:
        """Return what a basic block leaves, with names; `at` says which message that is."""
        polys = tuple((name, *(key_of(exact(n).poly) if isinstance(n, Number) else n for n in lanes)) for name, lanes in inputs.items())
        place = kernel, block, at, polys
        if place not in self.outputs:
            graph = graphs_of(kernel)[block]
            values = interpret(graph, self.ring, message, inputs, elements_to_name(graph))
            for i in graph.outputs():
                self.ring.name(values[i], (), f"{block} {graph.nodes[i].name} {len(self.outputs)}")
            # Again, as what was computed from numbers that have names now is of these.
            values = interpret(graph, self.ring, message, inputs)
            self.outputs[place] = {graph.nodes[i].name: values[i] for i in graph.outputs()}
        return self.outputs[place]


def renamed(outputs: Mapping[str, Lanes], names: Mapping[str, str]) -> dict[str, Lanes]:
    """Return outputs under the names that the next basic block has for its inputs."""
    found = {}
    for name, lanes in outputs.items():
        stem, bracket, rest = name.partition("[")
        if stem in names:
            found[names[stem] + bracket + rest] = lanes
    return found


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

    def __post_init__(self) -> None:
        self.blocks = self.names.variables(-(-self.length // BLOCK_BYTES))
        self.h = {} if self.mac else self.names.variable()

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
        return self.inputs.run(kernel, block, inputs, message, (at, self.length if at is None else 0))

    def last_block(self) -> list[Number | int]:
        """Return the words of the last block, padded."""
        first = (self.length - 1) // BLOCK_BYTES * BLOCK_BYTES
        count = self.length - first
        if count == BLOCK_BYTES:
            return [self.memory.read(MESSAGE + first, 8), self.memory.read(MESSAGE + first + 8, 8), 1]
        name, at = (f"padded after {count}", first - BLOCK_BYTES) if first else (f"padded {count}", first)
        message = Words(self.memory, MESSAGE + at, self.length)
        outputs = self.inputs.run("tag", name, {}, message, (at, self.length))
        return [outputs[f"block[{i}]"][0] for i in range(3)]

    def result(self) -> list[Number | int]:
        """Return the words of the tag, or of h."""
        if self.length == 0:
            return self.pad if self.mac else self.h_words
        ngroups = -(-len(self.blocks) // self.record.lanes)
        n = max((n for n, least in groups_listed(self.record.groups) if ngroups >= least), default=0) if self.record.groups else 0
        words, value = self.decimated(n, ngroups) if n else self.serial()
        expect(f"{self.length} bytes", value, bernstein(self.names, self.h, self.blocks))
        if not self.mac:
            return words
        tag = self.run("tag", "tag 5", {f"x[{i}]": (words[i],) for i in range(3)} | {f"s[{i}]": (self.pad[i],) for i in range(2)})
        return [tag[f"tag[{i}]"][0] for i in range(2)]

    def end(self, kernel: str, block: str, inputs: Mapping[str, Lanes], at: int | None = None) -> list[Number | int]:
        outputs = self.run(kernel, block + " 5" * self.mac, inputs, at)
        return [outputs[f"{'x' if self.mac else 'h'}[{i}]"][0] for i in range(3)]

    def decimated(self, n: int, ngroups: int) -> tuple[list[Number | int], Poly]:
        lanes, ends, kernel = self.record.lanes, self.record.ends, self.record.kernel
        absent = ngroups * lanes - len(self.blocks)
        r = {f"r[{i}]": (word,) for i, word in enumerate(self.r_words)}
        powers = self.inputs.run(ends, f"powers {n}", r, Message(self.inputs.ring), "powers")
        h = {f"h[{i}]": (word,) for i, word in enumerate(self.h_words)}
        t = self.run(ends, f"first {absent}", h, -BLOCK_BYTES * lanes)
        of_r = self.names.power
        there = [add(block, self.h if i == 0 else {}) for i, block in enumerate(self.blocks[: lanes - absent])]
        value: list[Poly] = [{}] * absent + there
        taken = lanes - absent
        counts = [1] * (ngroups % 2) + [k for k in (n, 2) for _ in range((ngroups - 2 - (k == 2) * 0) // k)]
        for count in steps_of(n, ngroups - 2):
            at = BLOCK_BYTES * taken
            block, kernel_of = f"step {count}", kernel
            if n > STEPS_MAX:
                block, kernel_of = (f"long {count}", ends)
                if block not in graphs_of(ends):
                    block, kernel_of = f"long step {count}", kernel
            needed = {name for name in inputs_of(kernel_of, block)}
            given = {name: lanes_ for name, lanes_ in (powers | t).items() if name in needed}
            if "tops[0]" in needed:
                given |= self.tops(powers, count)
            t = self.run(kernel_of, block, given, at)
            blocks = self.blocks[taken:]
            value = horner(lambda i, blocks=blocks: blocks[i], value, [[of_r(lanes * k)] * lanes for k in range(count + 1)])  # type: ignore[misc]
            taken += count * lanes
        given = {name: lanes_ for name, lanes_ in powers.items() if name.startswith(("last", "others"))}
        given |= t | {f"block[{i}]": (word,) for i, word in enumerate(self.last_block())}
        if len(self.blocks) - taken != lanes:
            raise Unproved("the last group has another number of blocks")
        words = self.end(ends, "end", given, BLOCK_BYTES * taken)
        last = self.blocks[taken:]
        return words, total(
            add(product(value[i], of_r(2 * lanes - i)), product(last[i], of_r(lanes - i))) for i in range(lanes)
        )

    def serial(self) -> tuple[list[Number | int], Poly]:
        zero = self.pad  # "begin" has an s, which it does not use
        first = self.last_block() if self.length < BLOCK_BYTES else [self.memory.read(MESSAGE, 8), self.memory.read(MESSAGE + 8, 8), 1]
        given = {f"r[{i}]": (word,) for i, word in enumerate(self.r_words)}
        given |= {f"s[{i}]": (word,) for i, word in enumerate(zero)} | {f"h[{i}]": (word,) for i, word in enumerate(self.h_words)}
        state = self.inputs.run("scalar64", "begin", given, Given(first), ("first", self.length if self.length < BLOCK_BYTES else 0))
        if self.length < BLOCK_BYTES:
            # The graph has the 1 of a full block.
            state = state | {"t[2]": (state["t[2]"][0] - 1,)}
        value = add(self.blocks[0], self.h)
        small, taken = "small ", 1
        for i in range(1, len(self.blocks)):
            padded = BLOCK_BYTES * (i + 1) > self.length
            words = self.last_block() if padded else [self.memory.read(MESSAGE + BLOCK_BYTES * i + 8 * k, 8) for k in range(2)]
            name = small + ("last" if padded else "block")
            state = self.inputs.run("scalar64", name, state, Given(words), (i, self.length if padded else 0))
            value = add(product(value, self.names.power(1)), self.blocks[i])
            small, taken = "", taken + 1
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


def inputs_of(kernel: str, block: str) -> list[str]:
    graph = graphs_of(kernel)[block]
    return [graph.nodes[i].name for i in graph.inputs()]


def check_same(ring: Ring, name: str, found: Number | int, expected: Number | int) -> None:
    """Raise Unproved unless two words are equal for all inputs."""
    ring.claim_congruent(name, [exact(found), exact(expected)], [1, -1], 64)


@dataclass
class Call:
    """A function of a kernel, in a program: "mac" or "absorb"."""

    linked: Linked
    record: Record
    member: str
    inputs: Inputs = field(default_factory=Inputs)

    def prove(self, length: int) -> int:
        """Prove a call at one length, and return the number of instructions that it runs."""
        mac = self.member == "mac"
        memory = Memory(self.linked)
        self.inputs.message(memory, length)
        evaluation = Evaluation(self.inputs, self.record, memory, length, mac)
        expected = evaluation.result()
        base = KEY if mac else STATE
        words = [*self.inputs.clamped(whole=mac), *evaluation.pad, *([] if mac else evaluation.h_words)]
        for i, word in enumerate(words):
            memory.cells[base + 8 * i] = 8, word
        machine = Machine(self.linked, memory, lambda: self.inputs.ring.input("anything", 2**64 - 1))
        entry = self.linked.entry(self.record.name, self.member)
        arguments = [TAG, MESSAGE, length, KEY] if mac else [STATE, MESSAGE, length]
        machine.call(entry, arguments)
        result = TAG if mac else STATE + STATE_WORDS["h"]
        for i, word in enumerate(expected):
            check_same(self.inputs.ring, f"word {i}", memory.read(result + 8 * i, 8), word)
        check_writes(machine, result, 8 * len(expected))
        check_left(machine)
        return machine.steps


def check_writes(machine: Machine, at: int, count: int) -> None:
    """Raise Unproved if a call wrote to anything but its result and its stack."""
    for start, size in machine.written:
        in_result = at <= start and start + size <= at + count
        on_stack = STACK_TOP - STACK_BYTES <= start and start + size <= STACK_TOP
        if not in_result and not on_stack:
            raise Unproved(f"{size} bytes are written at {start:#x}")


def check_left(machine: Machine) -> None:
    """Raise Unproved if a call leaves a symbolic number in a vector register or on the stack."""
    for number, lanes in machine.vectors.items():
        if any(isinstance(value, Number) for value in lanes):
            raise Unproved(f"vector {number} has a symbolic number at the end")
    for at, (_, value) in machine.memory.cells.items():
        if STACK_TOP - STACK_BYTES <= at and isinstance(value, Number):
            raise Unproved(f"the stack has {value.ring.show(value.poly)} at the end, at {at - STACK_TOP:#x}")
