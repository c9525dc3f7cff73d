# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove that ChaCha20's basic blocks, selections and Go functions compute RFC 8439's blocks, for all inputs.

The definition below follows section 2.3 of the RFC, and runs on numbers and on symbolic words (terms.py). What must
compute the same is interpreted by the tables of operations and instructions, on symbolic words, and must leave the same
terms: at each place the word of the block with the right counter, exclusive or the message, in the RFC's order of bytes.

What is assumed is in ASSUMED.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from coconut.architecture import Architecture
from coconut.architectures import architectures_of
from coconut.architectures.scalar_amd64_words import AMD64_WORDS
from coconut.graph import Graph
from coconut.instructions import octets, of_octets
from coconut.interpret import Storage, execute, store
from coconut.operations import OPERATIONS, STATE_LOADS
from coconut.program import Program
from coconut.prove.terms import Symbolic, Terms, Unproved
from coconut.select import Unsupported, alternatives, select
from coconut.trace import KERNELS, read_traced

DOUBLE_ROUNDS = 10
COUNTER = 12
WORDS = 16  # of a block

WORDS_KERNELS = tuple(kernel.name for kernel in KERNELS.values() if kernel.kind == "words")

ASSUMED = (
    "Registers and memory do what the tables of instructions and controls say, which are tested on CPUs.",
    "Message, output, state, constants and frame do not overlap; but the output may be the message.",
    "Go's assembler encodes each line as it is written, and places the constants as they are declared.",
    "The functions beside Poly1305 are called with 1 to 10 rounds, and all functions with at least one group.",
    "Poly1305's numbers in general registers can be anything here: what becomes of them is proved elsewhere.",
)


# RFC 8439, sections 2.1 to 2.3: on ints, or on symbolic words.
def rotated(number: Any, by: int) -> Any:
    return (number << by | number >> 32 - by) & 0xFFFFFFFF


def quarter_round(x: list[Any], a: int, b: int, c: int, d: int) -> None:
    for to, plus, by, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[to] = x[to] + x[plus] & 0xFFFFFFFF
        x[by] = rotated(x[by] ^ x[to], bits)


def inner_block(x: list[Any]) -> None:
    quarter_round(x, 0, 4, 8, 12)
    quarter_round(x, 1, 5, 9, 13)
    quarter_round(x, 2, 6, 10, 14)
    quarter_round(x, 3, 7, 11, 15)
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


class Proved(NamedTuple):
    """What was proved: its title, the seconds that it took, and the number of words that are the definition's."""

    title: str
    seconds: float
    claims: int


def timed(title: str, prove: Callable[[], int]) -> Proved:
    """Run a proof, which returns the number of its claims."""
    start = time.monotonic()
    try:
        claims = prove()
    except Unproved as error:
        raise Unproved(f"{title}: {error}") from None
    return Proved(title, time.monotonic() - start, claims)


def expect_same(found: dict[Any, Any], expected: dict[Any, Any]) -> int:
    """Raise Unproved unless both have the same places, and the same term at each; return the number of terms."""
    for place in found.keys() ^ expected.keys():
        raise Unproved(f"{place} is {'missing' if place in expected else 'not expected'}")
    for place, term in expected.items():
        other = found[place]
        if other is not term and (isinstance(other, Symbolic) or isinstance(term, Symbolic) or other != term):
            raise Unproved(f"{place} is not the definition's word")
    return len(expected)


def as_stored(architecture: Architecture, words: Iterable[Any]) -> list[Any]:
    """Return words, least significant byte first, as the CPU's words."""
    return list(words) if not architecture.big_endian else list(of_octets(octets(words, 4), 4, "big"))


@dataclass
class Words:
    """The symbolic words of a claim: of the state, the message, and inputs in registers, by name and lane."""

    terms: Terms = field(default_factory=Terms)

    def __post_init__(self) -> None:
        self.state = tuple(self.terms.variable(f"state {i}") for i in range(WORDS))
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
    """What a basic block's outputs must be: in registers by name and lane, in memory by offset in the order of bytes.

    - lanes: those of a vector, each of which holds a word of a block.
    - first: which block after the state's counter is in the first lane.
    """

    shape: str
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
        if self.shape == "lanes":
            return vector // WORDS * self.lanes + lane, vector % WORDS
        return (vector // 4 * self.lanes + lane) // 4, vector % 4 * 4 + lane % 4

    @property
    def vectors(self) -> int:
        """Return the number of vectors of all sets."""
        return self.sets * (WORDS if self.shape == "lanes" else 4)

    def inputs(self) -> dict[str, tuple[Any, ...]]:
        """Return the words of all blocks in registers."""
        return {
            f"x[{vector}]": tuple(self.words.input(*self.held(vector, lane)) for lane in range(self.lanes))
            for vector in range(self.vectors)
        }

    def block(self, block: int) -> list[Any]:
        """Return what the basic block must make of a block of ChaCha20, by the definition."""
        begin = with_counter(self.words.state, self.first + block)
        x = [self.words.input(block, word) for word in range(WORDS)]
        if self.part == "begin":
            return begin
        if self.part in {"double round", "double round in turn"}:
            inner_block(x)
            return x
        if self.part in {"lanes end", "stream end", "xor end"}:
            result = [a + b & 0xFFFFFFFF for a, b in zip(x, begin, strict=True)]
        elif self.part in {"stream", "xor"}:
            result = self.words.block(self.first + block)
        else:
            raise Unproved(f"nothing is claimed of {self.part!r}")
        if self.part in {"xor", "xor end"}:
            return [word ^ self.words.message(WORDS * block + i) for i, word in enumerate(result)]
        return result

    @property
    def in_memory(self) -> bool:
        return self.part not in {"begin", "double round", "double round in turn"}

    def expected(self) -> dict[tuple[str, int], Any]:
        """Return the outputs: by name and lane, or by "out" and the offset in bytes."""
        held = {(k, lane): self.held(k, lane) for k in range(self.vectors) for lane in range(self.lanes)}
        blocks = [self.block(block) for block in range(max(block for block, _ in held.values()) + 1)]
        if not self.in_memory:
            return {(f"x[{k}]", lane): blocks[block][word] for (k, lane), (block, word) in held.items()}
        if self.part == "lanes end":
            # Of the first set only, and as it is in registers.
            return {
                ("out", 4 * (self.lanes * k + lane)): blocks[block][word]
                for (k, lane), (block, word) in held.items()
                if k < WORDS
            }
        return {("out", 4 * (WORDS * i + word)): blocks[i][word] for i in range(len(blocks)) for word in range(WORDS)}

    def message(self) -> list[Any]:
        count = self.lanes * self.vectors if self.part.startswith("xor") else 0
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
    store(storage, "message", [tuple(as_stored(architecture, claim.message()))], 4)
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
        yield timed(f"{graph.title}, as recorded", lambda: prove_graph(graph, claim))
        yield timed(f"{graph.title}, simplified", lambda: prove_graph(graph.simplified(), claim))


def selections(graph: Graph) -> Iterator[Program]:
    """Yield what is selected for a graph, for each architecture in all variants, as far as there are rules."""
    for architecture in architectures_of(graph.kernel):
        try:
            yield from alternatives(architecture, graph)
        except Unsupported:
            continue


# The lanes of which one is made in general registers: the block before, blocks in vectors, and the one after.
LANES_ALONE = (-1, 0, 1, 8)


def prove_selections(kernels: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove every selection for every basic block, and those in general registers, of one lane."""
    for graph in graphs_of(kernels):
        claim = Claim.of(graph)
        for program in selections(graph):
            title = f"{graph.title}, {program.architecture.name}{', ' * bool(program.choices)}{program.choices}"
            yield timed(title, lambda: prove_program(program, claim))
        if graph.kernel == "chacha20-256" and re.fullmatch(r"lanes 1 (begin|double.*|lanes end)", graph.name):
            for lane in LANES_ALONE:
                one = graph.one_lane(lane)
                claim_of_one = Claim.of(one, lane)
                program = select(AMD64_WORDS, one)
                title = f"{graph.title}, lane {lane}, {AMD64_WORDS.name}"
                yield timed(title, lambda: prove_program(program, claim_of_one))
