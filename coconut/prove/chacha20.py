# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove that ChaCha20's basic blocks, selections and Go functions compute RFC 8439's blocks, for all inputs.

The definition below follows section 2.3 of the RFC, and runs on numbers and on symbolic words (terms.py). What must
compute the same is interpreted by the tables of operations and instructions, on symbolic words, and must leave the same
terms: at each place the word of the block with the right counter, exclusive or the message, in the RFC's byte order.

What is assumed is in ASSUMED.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures import WORDS_128, architectures_of
from coconut.architectures.amd64_words import AVX2_WORDS, AVX2_WORDS_STITCHED, AVX512_WORDS, AVX512VL_WORDS
from coconut.architectures.scalar_amd64 import AMD64
from coconut.architectures.scalar_amd64_words import AMD64_WORDS
from coconut.architectures.scalar_riscv64_words import RISCV64_WORDS
from coconut.graph import Graph
from coconut.interpret import Call, Code, Output, Pointer, Storage, execute, forked, read_function, store
from coconut.operations import OPERATIONS, STATE_LOADS
from coconut.program import Program, as_stored
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Proved, proved
from coconut.prove.terms import Symbolic, Terms
from coconut.select import select, supported
from coconut.sources import check_arguments, parameters_in
from coconut.trace import KERNELS, ROOT, read_traced

DOUBLE_ROUNDS = 10
COUNTER = 12
WORDS = 16  # of a block
ROW = 4  # words of a row of a block

# The parts in which each lane has a counter and a nonce of its own.
SAMPLE_PARTS = ("samples begin", "row end")

WORDS_KERNELS = tuple(kernel.name for kernel in KERNELS.values() if kernel.kind == "words")

ASSUMED = (
    "Registers and memory do what the tables of instructions and controls say, which are tested on CPUs.",
    "Message, output, state, constants and frame do not overlap, and have the lengths that the arguments say; but the "
    "output may be the message.",
    "Go's assembler encodes controls as it lists them; all else is compared with it in go_files.py.",
    "The functions with Poly1305 are called with 1 to 10 rounds, and all functions with at least one group.",
    "Poly1305's numbers in general registers can be anything here: what becomes of them is proved in stitched.py.",
)


# RFC 8439, sections 2.1 to 2.3: on ints, or on symbolic words.
def rotated(number: Any, by: int) -> Any:
    return (number << by | number >> 32 - by) & 0xFFFFFFFF


# The words of the three columns that do not have the counter, row by row.
COLUMNS = tuple(4 * row + column for row in range(4) for column in (1, 2, 3))


def quarter_round(x: list[Any], a: int, b: int, c: int, d: int) -> None:
    for to, plus, by, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[to] = x[to] + x[plus] & 0xFFFFFFFF
        x[by] = rotated(x[by] ^ x[to], bits)


def column_round(x: list[Any]) -> None:
    quarter_round(x, 0, 4, 8, 12)
    quarter_round(x, 1, 5, 9, 13)
    quarter_round(x, 2, 6, 10, 14)
    quarter_round(x, 3, 7, 11, 15)


def inner_block(x: list[Any]) -> None:
    column_round(x)
    quarter_round(x, 0, 5, 10, 15)
    quarter_round(x, 1, 6, 11, 12)
    quarter_round(x, 2, 7, 8, 13)
    quarter_round(x, 3, 4, 9, 14)


def block_of(state: Sequence[Any], double_rounds: int = DOUBLE_ROUNDS) -> list[Any]:
    """Return the words of a block, of which the keystream has the least significant byte of each first."""
    x = list(state)
    for _ in range(double_rounds):
        inner_block(x)
    return [number + first & 0xFFFFFFFF for number, first in zip(x, state, strict=True)]


def with_counter(state: Sequence[Any], later: int) -> list[Any]:
    """Return the state some blocks later: its counter is modulo 2^32."""
    return [word + later & 0xFFFFFFFF if i == COUNTER else word for i, word in enumerate(state)]


def expect_same(found: dict[Any, Any], expected: dict[Any, Any]) -> int:
    """Raise Unproved unless both have the same places, and the same term at each; return the number of terms."""
    for place in found.keys() ^ expected.keys():
        raise Unproved(f"{place} is {'missing' if place in expected else 'not expected'}")
    for place, term in expected.items():
        other = found[place]
        if other is not term and (isinstance(other, Symbolic) or isinstance(term, Symbolic) or other != term):
            raise Unproved(f"{place} is not the definition's word")
    return len(expected)


@dataclass
class Words:
    """The symbolic words of a claim: of the state, the message, and inputs in registers, by name and lane."""

    terms: Terms = field(default_factory=Terms)

    def __post_init__(self) -> None:
        self.state: tuple[Any, ...] = tuple(self.terms.variable(f"state {i}") for i in range(WORDS))
        self.block = cache(self.block_later)
        self.unknowns = 0

    def message(self, at: int) -> Any:
        return self.terms.variable(f"message {at}")

    def input(self, block: int, word: int) -> Any:
        return self.terms.variable(f"x {block} {word}")

    def unknown(self) -> Any:
        """Return a word that is like no other: what a register holds that nothing has set."""
        self.unknowns += 1
        return self.terms.variable(f"unknown {self.unknowns}")

    def block_later(self, later: int, double_rounds: int = DOUBLE_ROUNDS) -> list[Any]:
        """Return the words of the block with the state's counter plus a number."""
        return block_of(with_counter(self.state, later), double_rounds)


@dataclass(frozen=True)
class Claim:
    """What a basic block's outputs must be: in registers by name and lane, in memory by offset in byte order.

    - lanes: those of a vector, each of which holds a word of a block.
    - first: which block after the state's counter is in the first lane.
    """

    layout: str
    sets: int
    part: str
    lanes: int
    first: int = 0
    words: Words = field(default_factory=Words)

    @staticmethod
    def of(graph: Graph, first: int = 0) -> "Claim":
        found = re.fullmatch(r"(lanes|rows) (\d) (.*)", graph.name)
        if found is None:
            raise Unproved(f"{graph.title}: nothing is claimed of such a basic block")
        return Claim(found[1], int(found[2]), found[3], graph.lanes, first)

    def held(self, vector: int, lane: int) -> tuple[int, int]:
        """Return the block and the number of the word that a lane of a vector holds during the rounds."""
        if self.part in SAMPLE_PARTS:
            # Parts of four vectors are transposed: lane 1 has the first part of the second vector.
            return lane % 4 * (self.lanes // 4) + lane // 4, vector
        if self.layout == "lanes":
            return vector // WORDS * self.lanes + lane, vector % WORDS
        return (vector // 4 * self.lanes + lane) // 4, vector % 4 * 4 + lane % 4

    @property
    def vectors(self) -> int:
        """Return the number of vectors of all sets."""
        return self.sets * (WORDS if self.layout == "lanes" else 4)

    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """Return the words of all blocks in registers, or of the columns that they share."""
        if self.part == "first double round":
            return self.columns()
        return {
            f"x[{vector}]": tuple(self.words.input(*self.held(vector, lane)) for lane in range(self.lanes))
            for vector in range(self.vectors)
        }

    def columns(self) -> dict[str, tuple[Any, ...]]:
        """Return the words after the first column round that do not depend on the counter."""
        x = list(self.words.state)
        column_round(x)
        return {f"column[{i}]": (x[word],) * self.lanes for i, word in enumerate(COLUMNS)}

    def message_at(self, block: int, word: int) -> int:
        """Return the number of the message's word that a word of a block is combined with."""
        return self.lanes * word + block if self.part == "lanes xor end" else WORDS * block + word

    def block(self, block: int) -> list[Any]:
        """Return what the basic block must make of a block of ChaCha20, by the definition."""
        begin = with_counter(self.words.state, self.first + block)
        x = [self.words.input(block, word) for word in range(WORDS)]
        if self.part == "begin":
            return begin
        if self.part == "samples begin":
            return [*self.words.state[:COUNTER], *(self.words.message(ROW * block + i) for i in range(ROW))]
        if self.part == "first double round":
            inner_block(begin)
            return begin
        if self.part in {"double round", "double round in turn"}:
            inner_block(x)
            return x
        if self.part in {"lanes end", "lanes xor end", "stream end", "xor end", "row end"}:
            result = [a + b & 0xFFFFFFFF for a, b in zip(x, begin, strict=True)]
        elif self.part in {"stream", "xor"}:
            result = self.words.block(self.first + block)
        else:
            raise Unproved(f"nothing is claimed of {self.part!r}")
        if self.is_xor:
            return [word ^ self.words.message(self.message_at(block, i)) for i, word in enumerate(result)]
        return result

    @property
    def is_xor(self) -> bool:
        return self.part in {"xor", "xor end", "lanes xor end"}

    @property
    def in_memory(self) -> bool:
        return self.part not in {
            "begin",
            "samples begin",
            "columns",
            "first double round",
            "double round",
            "double round in turn",
        }

    def expected(self) -> dict[tuple[str, int], Any]:
        """Return the outputs: by name and lane, or by "out" and the offset in bytes."""
        if self.part == "columns":
            return {(name, lane): word for name, words in self.columns().items() for lane, word in enumerate(words)}
        held = {(k, lane): self.held(k, lane) for k in range(self.vectors) for lane in range(self.lanes)}
        blocks = [self.block(block) for block in range(max(block for block, _ in held.values()) + 1)]
        if not self.in_memory:
            return {(f"x[{k}]", lane): blocks[block][word] for (k, lane), (block, word) in held.items()}
        if self.part in {"lanes end", "lanes xor end"}:
            # The first set only, as it is in registers.
            return {
                ("out", 4 * (self.lanes * k + lane)): blocks[block][word]
                for (k, lane), (block, word) in held.items()
                if k < WORDS
            }
        stored = ROW if self.part == "row end" else WORDS
        return {("out", 4 * (stored * i + word)): blocks[i][word] for i in range(len(blocks)) for word in range(stored)}

    def message(self) -> list[Any]:
        count = self.lanes * self.vectors if self.is_xor else self.lanes * ROW * (self.part == "samples begin")
        return [self.words.message(at) for at in range(count)]


def graph_values(graph: Graph, claim: Claim, inputs: dict[str, tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return every value of a graph."""
    values: list[tuple[Any, ...]] = []
    for i in range(len(graph.nodes)):
        values.append(node_value(graph, i, values, claim, inputs))
    return values


def node_value(
    graph: Graph, i: int, values: Sequence[tuple[Any, ...]], claim: Claim, inputs: dict[str, tuple[Any, ...]]
) -> tuple[Any, ...]:
    node = graph.nodes[i]
    if node.op == "input":
        return inputs[node.name]
    if node.op in STATE_LOADS:
        return STATE_LOADS[node.op](graph.lanes, node.imm[0], claim.words.state)
    if node.op == "load_words":
        if node.imm[0] % 4 or not 0 <= node.imm[0] // 4 <= len(claim.message()) - graph.lanes:
            raise Unproved(f"a load of the message at {node.imm[0]}")
        return tuple(claim.words.message(node.imm[0] // 4 + lane) for lane in range(graph.lanes))
    return OPERATIONS[node.op](graph.lanes, node.imm, *(values[arg] for arg in node.args))


def graph_outputs(graph: Graph, values: Sequence[tuple[Any, ...]]) -> dict[tuple[str, int], Any]:
    """Return the outputs as Claim.expected has them. Two must not be at the same place."""
    found: dict[tuple[str, int], Any] = {}
    for i in graph.outputs():
        node = graph.nodes[i]
        for lane, term in enumerate(values[i]):
            place = (node.name, lane) if node.stored_at is None else ("out", node.stored_at + 4 * lane)
            if place in found:
                raise Unproved(f"two outputs are at {place}")
            found[place] = term
    return found


def prove_graph(graph: Graph, claim: Claim) -> int:
    values = graph_values(graph, claim, claim.inputs())
    return expect_same(graph_outputs(graph, values), claim.expected())


def prove_program(program: Program, claim: Claim) -> int:
    """Prove the same of what is selected. What it stores is where its instructions store it."""
    architecture = program.architecture
    storage: Storage = {}
    store(storage, "constants", program.constants, 4)
    store(storage, "message", [as_stored(architecture, claim.message())], 4)
    store(storage, "state", [claim.words.state], 4)
    inputs = claim.inputs()
    values = execute(program, [*(inputs[name] for name in program.inputs), *program.kept], storage)
    found = {
        (name, lane): term
        for name, value in program.outputs
        if name not in program.stored
        for lane, term in enumerate(values[value])
    }
    for op in program.ops:
        if op.instruction.stores:
            assert op.memory is not None
            for lane, term in enumerate(values[op.args[0]]):
                place = op.memory.base, op.memory.offset + 4 * lane
                if place in found:
                    raise Unproved(f"two stores to {place}")
                found[place] = term
    expected = claim.expected()
    if claim.in_memory:
        expected = dict(zip(expected, as_stored(architecture, expected.values()), strict=True))
    return expect_same(found, expected)


def graphs_of(kernels: Iterable[str]) -> Iterator[Graph]:
    for kernel in kernels or WORDS_KERNELS:
        yield from read_traced(kernel)[0].values()


def prove_graphs(kernels: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove every basic block of kernels, as recorded and simplified."""
    for graph in graphs_of(kernels):
        claim = Claim.of(graph)
        yield proved(f"{graph.title}, as recorded", lambda: prove_graph(graph, claim))
        yield proved(f"{graph.title}, simplified", lambda: prove_graph(graph.simplified(), claim))


# Basic blocks of which a lane is made in general registers, by kernel, and which lanes: stitched, these are the block
# before them, blocks in them, and the one after.
ALONE = {
    "chacha20-128": (RISCV64_WORDS, r"lanes 1 (begin|double round|lanes.*end)", (0,)),
    "chacha20-256": (AMD64_WORDS, r"lanes 1 (begin|double.*|lanes end)", (-1, 0, 1, 8)),
}


def prove_selections(kernels: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove every selection for every basic block, and those in general registers, of one lane."""
    for graph in graphs_of(kernels):
        claim = Claim.of(graph)
        for program in (p for known in architectures_of(graph.kernel) for p in supported(known, graph)):
            title = f"{graph.title}, {program.architecture.name}{', ' * bool(program.choices)}{program.choices}"
            yield proved(title, lambda: prove_program(program, claim))
        if graph.kernel not in ALONE:
            continue
        general, names, lanes = ALONE[graph.kernel]
        for lane in lanes if re.fullmatch(names, graph.name) else ():
            one = graph.one_lane(lane)
            claim_of_one = Claim.of(one, lane)
            program = select(general, one)
            yield proved(f"{graph.title}, lane {lane}, {general.name}", lambda: prove_program(program, claim_of_one))


class Havoc(Symbolic):
    """Any value, other than all others: what is computed from it is havoc, too."""

    def made(self, *_: object) -> "Havoc":
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __and__ = __rand__ = __or__ = __ror__ = made
    __xor__ = __rxor__ = __lshift__ = __rshift__ = made


HAVOC: Any = Havoc()


@dataclass(frozen=True, eq=False)
class Count(Symbolic):
    """The number of groups that are left, minus `done`. Whether none is left after one is a case of the proof."""

    is_last: bool
    done: int = 0

    def __add__(self, number: int) -> "Count":
        return replace(self, done=self.done - number)

    def __sub__(self, number: int) -> "Count":
        return replace(self, done=self.done + number)

    def __eq__(self, other: object) -> bool:
        if self.done != 1 or other != 0:
            raise Unproved("a decision that depends on the number of groups")
        return self.is_last

    __hash__ = Symbolic.__hash__


GO = ROOT / "bindings" / "go" / "internal"
GO_FILES = (*sorted((GO / "chacha20").glob("emitted_*.s")), *sorted((GO / "stitched").glob("emitted_*.s")))
# The size of poly1305.State of the Go module, and where h is in it.
MAC_BYTES, MAC_H = 56, 32
# No call of a proof has more groups; what is there is what can be written.
GROUPS_MAX = 2
LOOP = "group"


@dataclass(frozen=True)
class GoFunction:
    """A function of the Go module, as its file has it.

    Its name says whether it takes a message, how many blocks a group has, and what is stitched to them: 16 times `mac`
    bytes of Poly1305's message in a round, or `others` blocks.
    """

    code: Code
    parameters: tuple[str, ...]
    is_xor: bool
    blocks: int
    mac: int = 0
    others: int = 0
    double_rounds: int = DOUBLE_ROUNDS

    @staticmethod
    def of(text: str, declarations: str, name: str, goarch: str) -> "GoFunction":
        found = re.fullmatch(r"(xor|stream|pass|mask|combine)(\d*)(?:MAC(\d+)|And(\d+))?(AVX2|AVX512|AVX512VL)?", name)
        declared = re.search(rf"^func {name}\((.*)\)$", declarations, re.MULTILINE)
        heading = re.search(rf"^TEXT ·{name}\(SB\), \w+, \$\d+-(\d+)$", text, re.MULTILINE)
        if found is None or declared is None or heading is None:
            raise Unproved(f"{name}: nothing is known of such a function")
        kind, blocks, mac, others, feature = found.groups()
        if (goarch == "amd64") != (feature is not None):
            raise Unproved(f"{name}: no architecture")
        vectors: Architecture = {
            "AVX2": AVX2_WORDS,
            "AVX512VL": AVX512VL_WORDS,
            "AVX512": AVX512_WORDS,
        }.get(feature or "") or next(known for known in (*WORDS_128, RISCV64_WORDS) if known.goarch == goarch)
        scalar = AMD64 if mac else AMD64_WORDS if others else None
        parameters = parameters_in(declared[1])
        code = read_function(text, name, vectors if scalar is None else AVX2_WORDS_STITCHED, True, scalar)
        kinds = {"pass": GoPass, "mask": GoMask, "combine": GoCombine}
        function = kinds.get(kind, GoFunction)(
            code, parameters, kind != "stream", int(blocks or 1), int(mac or 0), int(others or 0)
        )
        if int(heading[1]) != 8 * len(parameters):
            raise Unproved(f"{name}: arguments of {heading[1]} bytes")
        function.check_arguments()
        return function

    def check_arguments(self) -> None:
        """Raise ParseError unless arguments are where Go's declaration has them, which the interpreter finds by name."""
        for line in self.code.lines:
            check_arguments(line.number, line.text, self.parameters)

    @property
    def title(self) -> str:
        return f"{self.code.architecture.goarch} {self.code.name}"

    @property
    def counts(self) -> bool:
        """Return whether the function advances the state's counter."""
        return self.is_xor or self.mac != 0

    def call(self, words: Words, groups: int | Count, in_place: bool, rounds: int) -> tuple[Call, Storage]:
        """Return a call, and what is in memory before it, apart from the frame."""
        architecture = self.code.architecture
        count = WORDS * self.blocks * (groups if isinstance(groups, int) else 1)
        storage: Storage = {}
        store(storage, "state", [words.state], 4)
        if self.is_xor:
            store(storage, "src", [as_stored(architecture, map(words.message, range(count)))], 4)
        if not in_place:
            store(storage, "dst", [tuple(words.unknown() for _ in range(count))], 4)
        store(storage, "others", [tuple(words.unknown() for _ in range(WORDS * self.others))], 4)
        if self.mac:
            length = 16 * self.mac * rounds * (groups if isinstance(groups, int) else 1)
            store(storage, "mac", [(HAVOC,) * (MAC_BYTES // 8)], 8)
            store(storage, "message", [(HAVOC,) * (length // 8)], 8)
        arguments: dict[str, Any] = {name: Pointer(name) for name in self.parameters}
        if in_place:
            arguments["dst"] = Pointer("src")
        arguments |= {name: number for name, number in (("groups", groups), ("rounds", rounds)) if name in arguments}
        call = self.code.call(arguments, storage, words.unknown, self.outputs(in_place))
        # Twice what ten rounds of two groups take: a changed function may not end.
        call.steps = 40 * len(self.code.lines)
        return call, memory_of(call)

    def outputs(self, in_place: bool) -> dict[str, Output]:
        """Return what the function may write: blocks, the state's counter, and Poly1305's h."""
        blocks = Output(0, 4 * WORDS * self.blocks * GROUPS_MAX, 4)
        found = {"src" if in_place else "dst": blocks}
        if self.counts:
            found["state"] = Output(4 * COUNTER, 4 * COUNTER + 4, 4)
        if self.others:
            found["others"] = Output(0, 4 * WORDS * self.others, 4)
        if self.mac:
            found["mac"] = Output(MAC_H, MAC_BYTES, 8)
        return found

    def check(self, call: Call, before: Storage, words: Words, groups: int) -> int:
        """Raise Unproved unless memory is as before, apart from the blocks and the counter."""
        expected: dict[Any, Any] = dict(before)
        to = "dst" if ("dst", 0) in before else "src"
        made: list[Any] = []
        for block in range(groups * self.blocks):
            result = words.block(block, self.double_rounds)
            if self.is_xor:
                result = [word ^ words.message(WORDS * block + i) for i, word in enumerate(result)]
            made += as_stored(self.code.architecture, result)
        store(expected, to, [tuple(made)], 4)
        for number, later in enumerate((-1, self.blocks)[: self.others]):
            store(expected, "others", [tuple(words.block(later, self.double_rounds))], 4, 4 * WORDS * number)
        if self.counts:
            store(expected, "state", [tuple(with_counter(words.state, groups * self.blocks))], 4)
        expect_same(memory_of(call), expected)
        return len(made) + WORDS * (1 + self.others)

    def shared(self) -> set[int]:
        """Return the vectors that no instruction between the head of the loop and the jump to it names as its result."""
        lines, first = self.code.lines, self.code.labels[LOOP]
        last = max((i for i, line in enumerate(lines) if LOOP in line.operands), default=first)
        read = (line.read for line in lines[first:last] if line.read is not None and not line.is_scalar)
        return set(range(self.code.architecture.registers)) - {
            register
            for found in read
            if not found.instruction.stores
            for key, register in found.registers.items()
            if key == "d" or key == "0" and found.instruction.accumulates
        }

    def arguments_after(self, label: str) -> set[str]:
        lines = self.code.lines[self.code.labels[label] :]
        return {name for line in lines for name in re.findall(r"(\w+)\+\d+\(FP\)", line.text)}

    def is_next(self, value: Any, after: Any, rounds: int) -> bool:
        """Return whether a general register or an argument is ready for the next group."""
        if isinstance(value, Count):
            return isinstance(after, Count) and after.done == value.done + 1
        if not isinstance(value, Pointer):
            return type(value) is type(after) and bool(value == after)
        size = 4 * WORDS * self.blocks
        step = {"dst": size, "src": size, "stream": size, "message": 16 * self.mac * rounds}.get(value.base, 0)
        return isinstance(after, Pointer) and after == replace(value, offset=value.offset + step)

    def prove_groups(self, groups: int, in_place: bool = False, rounds: int = 1, words: Words | None = None) -> int:
        """Prove a call with some number of groups."""
        words = words or Words()
        call, before = self.call(words, groups, in_place, rounds)
        call.run_to()
        call.check_cleared()
        return self.check(call, before, words, groups)

    def prove_any_groups(self, in_place: bool = False, rounds: int = 1, words: Words | None = None) -> int:
        """Prove by induction over the groups that a call with any number of them makes their blocks.

        At the head of the loop, frame and vectors can hold anything, except for vectors that the loop does not change;
        and so can the state's counter, whatever it was when these were made. An iteration makes the group's blocks, and
        leaves general registers and arguments as they were, apart from pointers that advance by the group, and one group
        less. After the last, registers and frame are cleared.
        """
        words = words or Words()
        call, before, held = self.at_head(words, Count(False), in_place, rounds)
        numbers = set(call.machine.numbers)
        while True:
            vectors = {number: call.machine.registers[number] for number in self.shared()}
            if not call.run_to(LOOP):
                raise Unproved("the loop over groups ends early")
            for number, value in vectors.items():
                if any(a is not b for a, b in zip(call.machine.registers[number], value, strict=True)):
                    raise Unproved(f"an iteration changes vector {number}")
            after = call.machine.arguments | call.machine.general
            for name, value in held.items():
                if not self.is_next(value, after.get(name), rounds):
                    raise Unproved(f"an iteration does not leave {name} as the next one needs it")
            if numbers <= set(call.machine.numbers):
                break
            # Without a number that is not left for the next iteration.
            numbers &= set(call.machine.numbers)
            call, before, held = self.at_head(words, Count(False), in_place, rounds, numbers)
        claims = self.check(call, before, words, 1)
        written = {place for place, value in call.frame.items() if call.machine.storage[place] is not value}
        call, before, _ = self.at_head(words, Count(True), in_place, rounds, numbers)
        call.frame |= dict.fromkeys(written, HAVOC)
        if call.run_to(LOOP):
            raise Unproved("the loop over groups does not end")
        call.check_cleared()
        return claims + self.check(call, before, words, 1)

    def at_head(
        self, words: Words, groups: Count, in_place: bool, rounds: int, numbers: set[int] | None = None
    ) -> tuple[Call, Storage, dict[str, Any]]:
        """Return a call at the head of its loop, what is in memory, and what its controls have.

        Vectors that are not shared, and the frame, hold anything, and so do general registers, or only those of some
        numbers. The counter of the state is another than at the beginning.
        """
        call, before = self.call(words, groups, in_place, rounds)
        machine, counter = call.machine, ("state", 4 * COUNTER)
        at_first = machine.storage[counter] = words.unknown()
        if not call.run_to(LOOP):
            raise Unproved("there is no loop over groups")
        expect_same(memory_of(call), before | {counter: at_first})
        machine.storage[counter] = before[counter]
        # Only what the loop takes: others need not advance with it.
        machine.arguments = {name: machine.arguments[name] for name in self.arguments_after(LOOP)}
        lanes = machine.architecture.vector_bytes // machine.architecture.word_bytes
        for number in machine.registers.keys() - self.shared():
            machine.registers[number] = tuple(words.unknown() for _ in range(lanes))
        machine.numbers = {
            number: (HAVOC,) * len(value)
            for number, value in machine.numbers.items()
            if numbers is None or number in numbers
        }
        machine.implicit, machine.result = {}, None
        call.frame = {place: words.unknown() for place in call.frame}
        machine.storage |= call.frame
        return call, before, machine.arguments | machine.general


@dataclass(frozen=True)
class GoCombine(GoFunction):
    """A function that combines a message with the keystream in memory: here, with any words."""

    @property
    def counts(self) -> bool:
        return False

    def call(self, words: Words, groups: int | Count, in_place: bool, rounds: int) -> tuple[Call, Storage]:
        call, _ = super().call(words, groups, in_place, rounds)
        count = WORDS * (groups if isinstance(groups, int) else 1)
        store(call.machine.storage, "stream", [tuple(words.input(0, i) for i in range(count))], 4)
        return call, memory_of(call)

    def check(self, call: Call, before: Storage, words: Words, groups: int) -> int:
        expected, to = dict(before), "dst" if ("dst", 0) in before else "src"
        made = tuple(words.message(i) ^ words.input(0, i) for i in range(WORDS * groups))
        store(expected, to, [made], 4)
        expect_same(memory_of(call), expected)
        return len(made)


@dataclass(frozen=True)
class GoMask(GoFunction):
    """A function that makes the first row of each block, whose counter and nonce are in src."""

    @property
    def counts(self) -> bool:
        return False

    def call(self, words: Words, groups: int | Count, in_place: bool, rounds: int) -> tuple[Call, Storage]:
        """Return a call with no more memory than the samples and rows take."""
        call, _ = super().call(words, 1, in_place, rounds)
        storage = call.machine.storage
        for base, offset in list(storage):
            if base in {"dst", "src"} and offset >= 4 * ROW * self.blocks:
                del storage[base, offset]
        return call, memory_of(call)

    def outputs(self, in_place: bool) -> dict[str, Output]:
        return {"src" if in_place else "dst": Output(0, 4 * ROW * self.blocks, 4)}

    def check(self, call: Call, before: Storage, words: Words, groups: int) -> int:
        expected, to = dict(before), "dst" if ("dst", 0) in before else "src"
        made: list[Any] = []
        for block in range(self.blocks):
            sample = [words.message(ROW * block + i) for i in range(ROW)]
            row = block_of([*words.state[:COUNTER], *sample], self.double_rounds)[:ROW]
            made += as_stored(self.code.architecture, row)
        store(expected, to, [tuple(made)], 4)
        expect_same(memory_of(call), expected)
        return len(made)


@dataclass(frozen=True)
class GoPass(GoFunction):
    """A function that makes blocks in its frame, and writes what the arguments say of them."""

    @property
    def counts(self) -> bool:
        return False

    def call(self, words: Words, groups: int | Count, in_place: bool, rounds: int) -> tuple[Call, Storage]:
        """Return a call in which all blocks are written, to three places."""
        call, _ = super().call(words, 1, in_place, rounds)
        for base in ("key", "last"):
            store(call.machine.storage, base, [tuple(words.unknown() for _ in range(WORDS))], 4)
        call.machine.arguments["blocks"] = self.blocks - 2
        return call, memory_of(call)

    def outputs(self, in_place: bool) -> dict[str, Output]:
        block = Output(0, 4 * WORDS, 4)
        return super().outputs(in_place) | {"key": block, "last": block}

    def prove_groups(self, groups: int, in_place: bool = False, rounds: int = 1, words: Words | None = None) -> int:
        """Prove calls with and without each argument that may be nil, and with every number of blocks."""
        words, claims = words or Words(), 0
        call, _ = self.call(words, 1, in_place, rounds)
        at = {i for i, line in enumerate(self.code.lines) if "key+" in line.text}
        if not call.run_to_line(at):
            raise Unproved("the arguments are not taken")
        to = "src" if in_place else "dst"
        for has_key, has_last in product((False, True), repeat=2):
            for blocks in range(self.blocks - has_key - has_last + 1):
                path = forked(call)
                machine = path.machine
                machine.arguments |= {"blocks": blocks}
                machine.arguments |= {base: 0 for base, has in (("key", has_key), ("last", has_last)) if not has}
                machine.writable = {**machine.writable, to: Output(0, 4 * WORDS * blocks, 4)}
                sizes = {"dst": blocks, "src": blocks, "key": has_key, "last": has_last}
                machine.storage = {
                    (base, offset): value
                    for (base, offset), value in machine.storage.items()
                    if offset < 4 * WORDS * sizes.get(base, WORDS * self.blocks)
                }
                expected = memory_of(path)
                path.run_to()
                path.check_cleared()
                made = [words.block(i, self.double_rounds) for i in range(has_key + blocks + has_last)]
                for base, number in (("key", 0), ("last", has_key + blocks)):
                    if sizes[base]:
                        store(expected, base, [tuple(made[number])], 4)
                message = [
                    word ^ words.message(WORDS * i + k)
                    for i in range(blocks)
                    for k, word in enumerate(made[has_key + i])
                ]
                store(expected, to, [tuple(message)], 4)
                expect_same(memory_of(path), expected)
                claims += WORDS * len(made)
        return claims


def memory_of(call: Call) -> Storage:
    """Return what is in memory, apart from the frame."""
    return {place: value for place, value in call.machine.storage.items() if place[0] != "frame"}


def go_functions(files: Iterable[Path] = GO_FILES) -> Iterator[GoFunction]:
    """Yield all functions of files, as they are in the tree."""
    for file in files:
        text, declarations = file.read_text(), file.with_suffix(".go").read_text()
        for name in re.findall(r"^TEXT ·(\w+)\(SB\)", text, re.MULTILINE):
            yield GoFunction.of(text, declarations, name, file.stem.removeprefix("emitted_"))


def prove_go(files: Iterable[Path] = GO_FILES) -> Iterator[Proved]:
    """Prove every function of the Go module's files, from its first line to the last."""
    for function in go_functions(files):
        for rounds in range(1, 1 + (DOUBLE_ROUNDS if function.mac else 1)):
            stitched = f", {rounds} rounds stitched to Poly1305" if function.mac else ""
            for in_place in (False, True)[: 1 + function.is_xor]:
                title = f"{function.title}{', in place' * in_place}{stitched}"
                if "groups" in function.parameters:
                    prove = partial(function.prove_any_groups, in_place, rounds)
                    yield proved(f"{title}, any number of groups", prove)
                else:
                    yield proved(title, partial(function.prove_groups, 1, in_place, rounds))
