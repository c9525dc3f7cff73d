# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove graphs: as recorded, and simplified.

A graph is interpreted on symbolic numbers (polynomials.py) by the same table of operations as on samples.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from coconut.graph import Graph, Node
from coconut.operations import OPERATIONS, WORD_MAX
from coconut.prove.claims import Claims, Limits, claims_for, limits_of, packed_in
from coconut.prove.polynomials import EXACT, Lanes, Message, Number, Ring, Unproved, exact
from coconut.prove.proof import Proved, proved
from coconut.simulate import states_limit
from coconut.trace import KERNELS, kernel_named, read_traced, trace

# Basic blocks in which products are multiplied.
NAMING = ("begin", "powers", "stream begin")
# Limbs get names if one of them has more terms than this.
TERMS_MAX = 8

# The weights of words, which get names where they enter the lanes.
WORDS = (1, 2**64, 2**128)

# For the last of the nodes that are an element's limbs: all these nodes, and the weights of the limbs.
Elements = Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]


@cache
def graphs_of(kernel: str) -> dict[str, Graph]:
    return read_traced(kernel)[0]


@cache
def limits_in(kernel: str) -> Limits:
    """Return the limits of the inputs of a kernel's basic blocks, and of those that they surround."""
    names = (KERNELS[kernel].surrounds, kernel)
    return limits_of(graph for name in names if name for graph in graphs_of(name).values())


@cache
def recorded_checks(kernel: str) -> dict[str, list[list[int]]]:
    """Return, for each basic block, the nodes whose bounds the code states, with the bounds, in its order."""
    content = json.loads(trace(kernel_named(kernel), "graph").read_text())
    return {block["name"]: block["checks"] for block in content["blocks"]}


def elements_in(graph: Graph, weights: tuple[int, ...], limits: set[int]) -> Elements:
    """Return the elements whose limbs the code bounds one after another.

    This suggests which values to name, and is no part of a proof.
    """
    checks, count = recorded_checks(graph.kernel)[graph.name], len(weights)
    found: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for i in range(len(checks) - count + 1):
        nodes = tuple(node for node, _ in checks[i : i + count])
        if {limit for _, limit in checks[i : i + count]} <= limits and len(set(nodes)) == count:
            found.setdefault(max(nodes), (nodes, weights))
    # Words that enter the lanes one after another.
    for i in range(len(graph.nodes) - 2):
        words = graph.nodes[i : i + 3]
        if all(word.op == "word_splat" and graph.nodes[word.args[0]].op not in {"input", "word"} for word in words):
            nodes = tuple(word.args[0] for word in words)
            found.setdefault(max(nodes), (nodes, WORDS))
    return found


def elements_to_name(graph: Graph) -> Elements | None:
    """Return the elements in a basic block in which products are multiplied."""
    kernel = KERNELS[graph.kernel]
    if kernel.own:
        # Sums of which the code states a bound, each by itself.
        return {i: ((i,), (1,)) for i, node in enumerate(graph.nodes) if node.limit > WORD_MAX}
    _, fields = claims_for(kernel.kind, graph)
    if fields is None or not graph.name.startswith(NAMING):
        return None
    names, stated = ("end/t", "end/last", "value", "leave/t"), limits_in(kernel.name)
    return elements_in(graph, fields.fe.weights, {limit for name in names for limit in stated.get(name, ())})


def node_value(lanes: int, node: Node, values: Sequence[Lanes], message: Message, inputs: Mapping[str, Lanes]) -> Lanes:
    """Return the value of a node, given those before it."""
    if node.op == "input":
        return inputs[node.name]
    if node.op == "load_number":
        return (message.number(*node.imm),)
    if node.op in {"load_lo", "load_hi"}:
        first = node.imm[0] + (8 if node.op == "load_hi" else 0)
        return tuple(message.word(first + node.imm[1] * lane) for lane in range(lanes))
    args = [values[arg] for arg in node.args]
    if node.op in {"carry", "carry_of"} and any(wraps(number) for arg in args for number in arg):
        return (carry_of_words(args),)
    return OPERATIONS[node.op](lanes, node.imm, *args)


def words_loaded(graph: Graph, message: Message) -> Iterator[Number | int]:
    """Yield what the nodes of a graph load from a message, or fail if something else than node_value knows is loaded."""
    for node in graph.nodes:
        if node.op.startswith("load_"):
            yield from node_value(graph.lanes, node, (), message, {})


def interpret(
    graph: Graph, ring: Ring, message: Message, inputs: Mapping[str, Lanes], elements: Elements | None = None
) -> list[Lanes]:
    """Return every value of the graph, after proving the bounds that the code states.

    An element gets names for its limbs once the last of them is computed.
    """
    values: list[Lanes] = []
    for i, node in enumerate(graph.nodes):
        value = node_value(graph.lanes, node, values, message, inputs)
        if node.op != "input" and states_limit(graph, node, value):
            check_limit(graph, i, value)
        values.append(value)
        if elements and i in elements:
            nodes, weights = elements[i]
            for lane in range(len(value)):
                limbs = [values[k][lane] for k in nodes]
                terms = max(len(limb.poly) if isinstance(limb, Number) else 0 for limb in limbs)
                if terms > TERMS_MAX or weights == WORDS:
                    ring.name(limbs, weights, f"{graph.label(i)}.{lane}")
            for k in nodes:
                values[k] = tuple(number.named() if isinstance(number, Number) else number for number in values[k])
    return values


def wraps(number: Number | int) -> bool:
    return isinstance(number, Number) and number.wraps != EXACT


def carry_of_words(args: Iterable[Lanes]) -> Number | int:
    """Return the carry of a sum of words that may have wrapped: what the sum exceeds its own word by."""
    numbers = [arg[0] for arg in args]
    word: Number | int = sum(numbers) & WORD_MAX
    return sum(exact(number) for number in numbers) - exact(word) >> 64


def check_limit(graph: Graph, i: int, value: Lanes) -> None:
    limit = graph.nodes[i].limit
    for number in value:
        high = number if isinstance(number, int) else number.high if number.wraps == EXACT else WORD_MAX
        if high > limit and isinstance(number, Number) and number.wraps == EXACT:
            high = number.ring.bounded_by_cases(number)
        if high > limit:
            raise Unproved(f"{graph.label(i)} = {graph.expression(i)} may be {high:#x}, above {limit:#x}")


@dataclass
class BlockProof:
    """A ring for one basic block, in which its graph comes first, and then whatever else computes the same.

    by_bytes: words of the message are loaded in other byte orders than that of the claims.
    """

    graph: Graph
    by_bytes: bool = False
    ring: Ring = field(default_factory=Ring)

    def __post_init__(self) -> None:
        kernel = KERNELS[self.graph.kernel]
        state, fields = claims_for(kernel.kind, self.graph)
        if kernel.own:
            self.ring.set_modulus(kernel.own.modulus)
        message = Message(self.ring, self.by_bytes or kernel.kind == "tag")
        self.claims = Claims(self.graph, fields, limits_in(kernel.name), self.ring, message)
        if "multiply_block" in kernel.offers:
            self.claims.packed = packed_in(kernel.lanes)
        state(self.claims)
        if not (self.claims.outputs or self.claims.tags or self.claims.powers):
            raise Unproved(f"nothing is claimed of {self.graph.title}")

    def check_graph(self, graph: Graph | None = None) -> int:
        """Prove the graph, or another one with the same inputs and outputs. Return the number of claims."""
        return self.claims.check(self.outputs(graph))

    def outputs(self, graph: Graph | None = None) -> dict[str, Lanes]:
        """Return the outputs of the graph, or of another one."""
        elements = elements_to_name(self.graph) if graph is None else None
        graph = graph or self.graph
        values = interpret(graph, self.ring, self.claims.message, self.claims.inputs, elements)
        return {graph.nodes[i].name: values[i] for i in graph.outputs()}


POLY1305_KERNELS = tuple(name for name, kernel in KERNELS.items() if kernel.kind != "words")


def prove_graphs(kernel: str, simplified: bool = True, certify: bool = False) -> Iterator[Proved]:
    """Prove the basic blocks of a kernel."""
    for graph in graphs_of(kernel).values():
        ring = Ring.of(graph.title, certify)
        proof = BlockProof(graph, ring=ring)
        yield proved(f"{graph.title}, as recorded", proof.check_graph, ring)
        if simplified:
            yield proved(f"{graph.title}, simplified", partial(proof.check_graph, graph.simplified()), ring)
