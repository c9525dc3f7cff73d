# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the library's functions as compilers made them, as wholes, at one length after another.

A function of the object is executed symbolically: key, state and message are inputs, lengths and addresses public. In
the same ring the basic blocks of claims.py are executed one after another, as the length has them, and their outputs
are replaced by fresh variables. So the function's numbers become polynomials in the same variables, if they are the
same numbers, and what it leaves in memory must be what the last block leaves, for all inputs. The formulas that are
proved of the blocks are composed, and compared with Bernstein's polynomial.

All that a call does at this length is observed, too: it reads only what it is given, writes only its result
and its stack, takes no branch and computes no address on a secret, restores the registers that it must, and leaves
nothing symbolic in vector registers or on the stack.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from coconut.architectures import ARCHITECTURES
from coconut.graph import Graph
from coconut.lift.amd64 import Amd64
from coconut.lift.arm64 import Arm64
from coconut.lift.compare import check_features, comparable
from coconut.lift.machine import STACK_BYTES, STACK_TOP, Machine, Memory, Unknown
from coconut.lift.objects import Linked, chosen, compiled
from coconut.operations import BLOCK_BYTES, WORD_MAX
from coconut.prove.claims import kind_of
from coconut.prove.evaluation import (
    KEY,
    MESSAGE,
    RECORDS,
    STATE,
    TAG,
    Evaluation,
    Inputs,
    Record,
    groups_listed,
    numbered,
)
from coconut.prove.graphs import graphs_of
from coconut.prove.polynomials import Lanes, Message, Number, Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import ONES, Symbolic, Term

ASSUMED = (
    "Instructions do on all operands what lift/amd64.py and lift/arm64.py say, as each form that ran did on those that were "
    "compared with a CPU, here or emulated, in this run; and instructions of a form are read and encoded alike.",
    "The linked program is what a program that uses the library runs: the linker only places objects.",
    "Message, key, tag, state and stack do not overlap, and addresses choose no path: the first three are at odd ones, "
    "the state at 8 and the stack at 16 more than a multiple of 64.",
    "The call follows the System V ABI or the AAPCS64; r in a state is clamped, and its h_2 is at most 4.",
    "Nothing else writes to the message, the key, the state or the stack during a call.",
)


# The functions of a kernel that take a message of any length.
WHOLE = ("mac", "absorb")
MACHINES: dict[str, type[Machine]] = {"x86_64": Amd64, "aarch64": Arm64}
# Offsets in struct poly1305, and in struct poly1305_streaming, which begins with one.
STATE_H, PIECES_LANES = 32, 352
PIECES = STATE + PIECES_LANES
# For a number of limbs, how many numbers a power has that all lanes share.
POWER_NUMBERS = {3: 5, 5: 9}


@dataclass
class Function:
    """A function of a kernel's record, in a program, and the inputs of its calls."""

    linked: Linked
    record: Record
    member: str
    inputs: Inputs = field(default_factory=Inputs)
    # The addresses of the instructions that the last call ran, in order.
    ran: list[int] = field(default_factory=list)

    def machine(self, memory: Memory) -> Machine:
        return MACHINES[self.linked.target.architecture](
            self.linked, memory, lambda _: self.inputs.ring.input("anything", WORD_MAX)
        )

    def call(self, memory: Memory, arguments: list[int], expected: dict[int, Number | int], size: int = 8) -> int:
        """Prove a call: it leaves these numbers of some bytes at these addresses. Return how many instructions it has."""
        machine = self.machine(memory)
        machine.call(self.linked.entry(self.record.name, self.member), arguments)
        for at, word in expected.items():
            self.inputs.ring.claim_same(f"the word at {at:#x}", memory.read(at, size), word)
        check_writes(machine, expected, size)
        self.ran = list(machine.ran)
        check_left(machine)
        return machine.steps

    def run(self, key: bytes, message: bytes) -> bytes:
        """Return the tag that mac makes of public bytes."""
        memory = Memory(self.linked)
        for at, content in ((KEY, key), (MESSAGE, message)):
            memory.cells |= {at + i: (1, byte) for i, byte in enumerate(content)}
        self.machine(memory).call(self.linked.entry(self.record.name, "mac"), [TAG, MESSAGE, len(message), KEY])
        tag: int = memory.read(TAG, 8) | memory.read(TAG + 8, 8) << 64
        return tag.to_bytes(16, "little")

    def prove(self, length: int) -> int:
        """Prove mac or absorb at one length."""
        memory = Memory(self.linked)
        self.inputs.message(memory, length)
        evaluation = Evaluation(self.inputs, self.record, memory, length, self.member == "mac")
        expected = evaluation.result()
        arguments, result = self.prepared(evaluation)
        return self.call(memory, arguments, {result + 8 * i: word for i, word in enumerate(expected)})

    def prepared(self, evaluation: Evaluation) -> tuple[list[int], int]:
        """Write the key or the state of mac or absorb to memory; return the arguments, and where the result will be."""
        mac, memory, length = evaluation.mac, evaluation.memory, evaluation.length
        words = [*self.inputs.clamped(whole=mac), *evaluation.pad, *([] if mac else evaluation.h_words)]
        for i, word in enumerate(words):
            memory.cells[(KEY if mac else STATE) + 8 * i] = 8, word
        return ([TAG, MESSAGE, length, KEY], TAG) if mac else ([STATE, MESSAGE, length], STATE + STATE_H)


@dataclass
class StreamingState(Function):
    """The functions on the streaming state: lanes that are kept between the chunks of a message, in struct
    poly1305_streaming."""

    @property
    def order(self) -> tuple[int, ...]:
        """Return which block is in each lane."""
        known = ARCHITECTURES.get(self.record.kernel)
        return known.order(self.record.lanes) if known else tuple(range(self.record.lanes))

    def graph(self, block: str) -> Graph:
        return graphs_of(self.record.ends_with(block))[block]

    def places(self, graph: Graph, count: int) -> dict[str, tuple[int, ...]]:
        """Return the addresses of T, the last powers and the steps' powers: of each number, those of its lanes."""
        limbs = sum(graph.nodes[i].name.startswith("t[") for i in graph.inputs())
        lanes, size, numbers = self.record.lanes, self.record.factor_bytes, POWER_NUMBERS[limbs]
        element = 8 * limbs * lanes

        def each(at: int, i: int) -> tuple[int, ...]:
            """Return where the lanes of factor i of those from an address on are."""
            return tuple(at + size * (i * lanes + self.order.index(block)) for block in range(lanes))

        found: dict[str, tuple[int, ...]] = {}
        for which, name in enumerate(("t", "last")):
            found |= {f"{name}[{i}]": each(PIECES + element * which, i) for i in range(limbs)}
        # Packed, the numbers of a power are in the lanes of a few factors.
        packed = -(-numbers // lanes) if self.record.ends.endswith("packed") else 0
        for k in range(count):
            at = PIECES + 2 * element + 8 * (lanes * packed or numbers) * k
            if packed:
                found |= {f"R^{k + 1}[{i}]": each(at, i) for i in range(packed)}
            else:
                found |= {f"R^{k + 1}[{i}]": (at + 8 * i,) * lanes for i in range(numbers)}
        return found

    def put(self, memory: Memory, places: Mapping[str, tuple[int, ...]], limits: Mapping[str, int]) -> dict[str, Lanes]:
        """Write any numbers within their limits to memory, and return them."""
        found = {}
        for name, limit in limits.items():
            each = len(set(places[name])) > 1
            lanes = [self.inputs.word(f"{name}.{lane if each else 0}", limit) for lane in range(self.record.lanes)]
            size = self.record.factor_bytes
            memory.cells |= {at: (size, number) for at, number in zip(places[name], lanes, strict=True)}
            found[name] = tuple(lanes)
        return found

    def prove_begin(self) -> int:
        """Prove lanes_begin: what a first group and h leave."""
        memory, lanes = Memory(self.linked), self.record.lanes
        self.inputs.message(memory, BLOCK_BYTES * lanes)
        evaluation = Evaluation(self.inputs, self.record, memory, BLOCK_BYTES * lanes, mac=False)
        words = [*evaluation.r_words, *evaluation.pad, *evaluation.h_words]
        memory.cells |= {STATE + 8 * i: (8, word) for i, word in enumerate(words)}
        given = numbered("r", evaluation.r_words) | numbered("h", evaluation.h_words)
        outputs = evaluation.run(self.record.ends, "stream begin", given, 0)
        places = self.places(
            self.graph("stream end"), len({name.partition("[")[0] for name in outputs if name.startswith("R^")})
        )
        expected = {at: word for name in outputs for at, word in zip(places[name], outputs[name], strict=True)}
        return self.call(memory, [STATE, MESSAGE], expected, self.record.factor_bytes)

    def prove_absorb(self, first: int, second: int) -> int:
        """Prove lanes_absorb, for these numbers of groups in two places."""
        memory, record, lanes = Memory(self.linked), self.record, self.record.lanes
        group, graphs = BLOCK_BYTES * lanes, graphs_of(record.ends)
        self.inputs.message(memory, group * (first + second))
        steps = max(n for kind, n in map(kind_of, graphs.values()) if kind == "stream")
        largest = graphs[f"stream {steps}"]
        places = self.places(largest, steps)
        limits = {largest.nodes[i].name: largest.nodes[i].limit for i in largest.inputs()}
        given = self.put(memory, places, limits)
        evaluation = Evaluation(self.inputs, record, memory, group * (first + second), mac=False)
        at = 0
        for left in (first, second):
            for n in streaming_steps(steps, left):
                needed = {graphs[f"stream {n}"].nodes[i].name for i in graphs[f"stream {n}"].inputs()}
                inputs = {name: numbers for name, numbers in given.items() if name in needed}
                given |= evaluation.run(record.ends, f"stream {n}", inputs, at)
                at += group * n
        written = {name: given[name] for name in given if name.startswith("t[")}
        expected = {at: word for name in written for at, word in zip(places[name], written[name], strict=True)}
        arguments = [STATE, MESSAGE, first, MESSAGE + group * first, second]
        return self.call(memory, arguments, expected, self.record.factor_bytes)

    def prove_end(self) -> int:
        """Prove lanes_end: h of the lanes."""
        memory, graph = Memory(self.linked), self.graph("stream end")
        limits = {graph.nodes[i].name: graph.nodes[i].limit for i in graph.inputs()}
        given = self.put(memory, self.places(graph, 0), limits)
        outputs = self.inputs.run(self.record.ends_with("stream end"), "stream end", given, Message(self.inputs.ring))
        return self.call(memory, [STATE], {STATE + STATE_H + 8 * i: outputs[f"h[{i}]"][0] for i in range(3)})


def streaming_steps(most: int, groups: int) -> list[int]:
    """Return the numbers of groups of the steps, as streaming.h takes them."""
    found = []
    while most:
        found += [most] * (groups // most)
        groups, most = groups % most, most // 2
    return found


def check_writes(machine: Machine, result: Collection[int], size: int = 8) -> None:
    """Raise Unproved if a call wrote a byte of anything but its result, numbers at these addresses, and its own stack."""
    allowed = {at + i for at in result for i in range(size)}
    end = STACK_TOP - machine.stack.return_bytes
    for start, count in machine.written:
        on_stack = STACK_TOP - STACK_BYTES <= start and start + count <= end
        if not on_stack and not allowed.issuperset(range(start, start + count)):
            raise Unproved(f"{count} bytes are written at {start:#x}")


def check_left(machine: Machine, public: Collection[int] = (), not_set: Collection[int] = ()) -> None:
    """Raise Unproved if a call leaves a secret in a vector register, or one of other atoms than these on the stack.

    not_set: the atoms of what nothing has set, which vectors may have.
    """
    for number, lanes in machine.vectors.items():
        if any(is_left(value, not_set) for value in lanes):
            raise Unproved(f"vector {number} has a secret at the end")
    for at, (_, value) in machine.memory.cells.items():
        if STACK_TOP - STACK_BYTES <= at and is_left(value, public):
            what = f": {value.ring.show(value.poly)}" if isinstance(value, Number) else ""
            raise Unproved(f"the stack has a secret at the end, at {at - STACK_TOP:#x}{what}")


def is_left(value: Any, public: Collection[int] = ()) -> bool:
    """Return whether a value is a secret: symbolic, unless it is a word of these atoms."""
    if isinstance(value, Term):
        return not atoms_of(value).issubset(public)
    return isinstance(value, Number | Symbolic) or (isinstance(value, Unknown) and value.secret)


def atoms_of(word: Any) -> set[int]:
    """Return the atoms of a word, and in place of a function of words those of these."""
    plain = word.resolved() if isinstance(word, Term) else word
    if not isinstance(plain, Term):
        return set()
    functions, found = plain.terms.functions, set[int]()
    for atom in {atom for _, _, atom, _ in plain.slices if atom != ONES}:
        found |= {atom} if atom not in functions else set().union(*map(atoms_of, functions[atom][1]))
    return found


# How many lengths share inputs, which limits the memory that polynomials take.
LENGTHS_SHARING = 80
# Every length up to this one, and a few behind it, if all are wanted.
EVERY_LENGTH_MAX = 600
LONGER = (1023, 1664, 1700, 2500, 3001, 4095, 4096)
SCALAR_LENGTHS = (0, 1, 2, 3, 5, 6, 8, 11, 15, 16, 17, 23, 24, 31, 32, 33, 47, 48, 300)


def sampled_lengths(record: Record) -> list[int]:
    """Return lengths that reach every step of a kernel, with any number of blocks absent and short last blocks."""
    if not record.ends:
        return list(SCALAR_LENGTHS)
    group = BLOCK_BYTES * record.lanes
    found = {group + 1 + i * (group + 13) for i in range(3)}
    return sorted(found | {group * (least + n) - 19 for n, least in groups_listed(record.groups)})


def prove_lengths(linked: Linked, record: Record, member: str, lengths: Sequence[int]) -> int:
    """Prove a function at these lengths, and return how many they are."""
    ran: set[int] = set()
    for first in range(0, len(lengths), LENGTHS_SHARING):
        function = Function(linked, record, member)
        for length in lengths[first : first + LENGTHS_SHARING]:
            try:
                function.prove(length)
            except Unproved as error:
                raise Unproved(f"{length} bytes: {error}") from None
            ran.update(function.ran)
    check_features(linked, record, ran)
    return len(lengths)


# Numbers of groups at two places, for all steps and their rests.
RUNS = ((1, 0), (7, 5))


def prove_streaming(linked: Linked, record: Record) -> int:
    """Prove the functions on the streaming state, and return the number of calls."""
    inputs = Inputs()
    StreamingState(linked, record, "lanes_begin", inputs).prove_begin()
    for first, second in RUNS:
        StreamingState(linked, record, "lanes_absorb", inputs).prove_absorb(first, second)
    StreamingState(linked, record, "lanes_end", inputs).prove_end()
    return 2 + len(RUNS)


def prove_objects(compilers: Iterable[str] = (), every: bool = False) -> Iterator[Proved]:
    """Prove what compilers made of all kernels, at some lengths, or at every one up to 600 bytes."""
    for linked, record in kernels_of(chosen(compilers)):
        lengths = sampled_lengths(record)
        if every:
            lengths = sorted({*lengths, *range(EVERY_LENGTH_MAX + 1), *LONGER})
        title = f"{linked.version}: {record.name}"
        if reason := comparable(linked, record):
            yield omitted(title, linked, record, reason)
            continue
        for member in WHOLE:
            # There is no call for an empty piece.
            reached = [length for length in lengths if length or member == "mac"]
            of = described(linked, record, member, ", ".join(map(str, reached)))
            yield proved(f"{title} {member}", partial(prove_lengths, linked, record, member, reached), compiled=of)
        if record.ends:
            of = described(linked, record, "lanes_absorb", ", ".join(f"{i} and {k} groups" for i, k in RUNS))
            yield proved(f"{title}, streaming state", partial(prove_streaming, linked, record), compiled=of)


def kernels_of(compilers: Iterable[str]) -> Iterator[tuple[Linked, Record]]:
    """Yield each kernel that a compiler made: others are for another architecture, and AVX-IFMA needs gcc 14."""
    for compiler in compilers:
        linked = compiled(compiler)
        yield from ((linked, record) for record in RECORDS if linked.has(record.name))


def described(linked: Linked, record: Record, member: str, lengths: str) -> Compiled:
    function = linked.function_at(linked.entry(record.name, member))
    return Compiled(linked.version, record.name, function, lengths)


def omitted(title: str, linked: Linked, record: Record, reason: str) -> Proved:
    return Proved(title, 0, compiled=Compiled(linked.version, record.name), omitted=reason)
