# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in ChaCha20: in nodes of graphs, and in lines of the Go module's functions, stitched Poly1305 included.

One that is not refused computes the same for a reason that is checked here, and is run on samples: if one tells it from
the original, the proof is unsound.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from coconut.graph import Graph, Node
from coconut.interpret import Machine, line_of, store
from coconut.operations import WORD32_MAX, WORD_MAX, Value
from coconut.prove.chacha20 import (
    DOUBLE_ROUNDS,
    WORDS,
    Claim,
    GoFunction,
    Words,
    expect_same,
    graph_outputs,
    graph_values,
    graphs_of,
    node_value,
)
from coconut.prove.planting import Changed, Tally, Unsound, changed_functions, every_second, recomputed
from coconut.prove.polynomials import Ring
from coconut.prove.proof import REFUSALS
from coconut.prove.stitched import prove_mac
from coconut.prove.terms import Symbolic

# Why a change computes the same.
UNUSED_NODE = "no node takes it"
UNUSED_OPERAND = "a shuffle takes no lane of that operand"
ADDS_ZERO = "one operand is 0"
SAME = "registers and memory hold the same after the line"
UNUSED = "nothing reads what differs"
EQUAL = "the same accumulator, modulo p"


def other_imms(node: Node, lanes: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield other immediate numbers of a node, with the kind of the change."""
    imm = node.imm
    if node.op == "rotl32":
        yield from (("rotation", ((imm[0] + by) % 32,)) for by in (1, -1))
    elif node.op == "shuffle":
        yield from (("shuffle", (*imm[:i], (imm[i] + 1) % (2 * lanes), *imm[i + 1 :])) for i in {0, lanes - 1})
        yield "shuffle", (*imm[1:], imm[0])
    elif node.op == "words":
        yield from (
            ("words", (*imm[:i], imm[i] + by & WORD32_MAX, *imm[i + 1 :])) for i in {0, lanes - 1} for by in (1,)
        )
        yield "words", tuple(number + 1 for number in imm)
    elif node.op == "state_word":
        yield from (("state", ((imm[0] + by) % 64,)) for by in (4, -4))
    elif node.op == "state_row":
        yield from (("state", ((imm[0] + by) % 64,)) for by in (16, -16))
    elif node.op == "load_words":
        yield from (("message", (imm[0] + by,)) for by in (4, 4 * lanes))
    elif node.stored_at is not None:
        yield from (("place", (imm[0], imm[1] + by)) for by in (4, 4 * lanes))


def changed_nodes(graph: Graph, i: int) -> Iterator[tuple[str, Node]]:
    """Yield a node changed in one way at a time."""
    node, inputs = graph.nodes[i], graph.inputs()
    swapped = {"add32": "xor32", "xor32": "add32"}
    if node.op in swapped:
        yield "operation", replace(node, op=swapped[node.op])
    for kind, imm in other_imms(node, graph.lanes):
        yield kind, replace(node, imm=imm)
    for k, arg in enumerate(node.args):
        for other in (arg - 1, arg + 1):
            if 0 <= other < i and graph.nodes[other].op != "output":
                yield "operand", replace(node, args=(*node.args[:k], other, *node.args[k + 1 :]))
    if node.op == "shuffle" and node.args[0] != node.args[1]:
        yield "operand", replace(node, args=node.args[::-1])
    if node.op == "input" and len(inputs) > 1:
        other = inputs[(inputs.index(i) + 1) % len(inputs)]
        yield "input", replace(node, name=graph.nodes[other].name)
    if node.op == "output" and node.stored_at is None:
        yield "output", replace(node, name=graph.nodes[graph.outputs()[0]].name + "'")


def whole(graph: Graph) -> bool:
    """Return whether a graph has all rounds: its parts are in other graphs."""
    return graph.name.endswith((" stream", " xor"))


def distinct_graphs(kernels: Iterable[str] = ()) -> Iterator[Graph]:
    """Yield graphs of which no two have the same nodes, whatever the number of lanes."""
    seen = set()
    for graph in map(Graph.without_dead_nodes, graphs_of(kernels)):
        if not whole(graph) and graph.nodes not in seen:
            seen.add(graph.nodes)
            yield graph


def reason_in_graph(graph: Graph, i: int, changed: Node, values: Sequence[tuple[Any, ...]]) -> str:
    """Return why another node computes the same, or "" if that is not known."""
    node, lanes = graph.nodes[i], graph.lanes
    if not graph.users()[i] and node.op != "output":
        return UNUSED_NODE
    if node.op == changed.op == "shuffle" and node.imm == changed.imm:
        taken = {lane // lanes for lane in node.imm}
        if all(node.args[k] == changed.args[k] for k in taken):
            return UNUSED_OPERAND
    if {node.op, changed.op} == {"add32", "xor32"} and node.args == changed.args:
        if all(0 in map(key_of, pair) for pair in zip(*(values[arg] for arg in node.args), strict=True)):
            return ADDS_ZERO
    return ""


def plant_in_graph(graph: Graph, tally: Tally) -> None:
    """Change each node in every second way."""
    claim = Claim.of(graph)
    inputs, expected = claim.inputs(), claim.expected()
    values = graph_values(graph, claim, inputs)
    expect_same(graph_outputs(graph, values), expected)
    users, terms = graph.users(), claim.words.terms

    def are_same(a: Value, b: Value) -> bool:
        return all(x is y for x, y in zip(a, b, strict=True))

    def prove(i: int, changed: Graph) -> None:
        def compute(j: int, found: Sequence[Value]) -> Value:
            return node_value(changed, j, found, claim, inputs)

        expect_same(graph_outputs(changed, recomputed(users, values, i, compute, are_same)), expected)

    def reason(i: int, changed: Graph, title: str) -> str:
        expect_sample(changed, graph, title)
        return reason_in_graph(graph, i, changed.nodes[i], values)

    for i in range(len(graph.nodes)):
        for kind, node in every_second([*changed_nodes(graph, i)], i):
            changed = replace(graph, nodes=(*graph.nodes[:i], node, *graph.nodes[i + 1 :]))
            before = f"{graph.title}: {graph.label(i)} = {graph.expression(i)}"
            title = f"{before}, changed to {node.op} {node.args} {node.imm}"
            mark = terms.mark()
            tally.plant(kind, title, partial(prove, i, changed), partial(reason, i, changed, title))
            terms.rollback(mark)


@dataclass
class Numbers(Words):
    """The words of a claim, as random numbers."""

    chosen: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.known: dict[str, int] = {}
        self.state = tuple(self.chosen.getrandbits(32) for _ in range(WORDS))

    def number(self, name: str) -> int:
        return self.known.setdefault(name, self.chosen.getrandbits(32))

    def message(self, at: int) -> Any:
        return self.number(f"message {at}")

    def input(self, block: int, word: int) -> Any:
        return self.number(f"x {block} {word}")

    def unknown(self) -> Any:
        return self.chosen.getrandbits(32)


def expect_sample(changed: Graph, graph: Graph, title: str) -> None:
    """Raise Unsound unless a changed graph computes the same numbers."""
    claim = replace(Claim.of(graph), words=Numbers())
    found = graph_outputs(changed, graph_values(changed, claim, claim.inputs()))
    if found != graph_outputs(graph, graph_values(graph, claim, claim.inputs())):
        raise Unsound(title)


def plant_in_graphs(kernels: Iterable[str] = ()) -> Tally:
    tally = Tally()
    for graph in distinct_graphs(kernels):
        plant_in_graph(graph, tally)
    return tally


def with_rounds(function: GoFunction, double_rounds: int) -> GoFunction:
    """Return a function with fewer double rounds, apart from a first one that is peeled off the loop, if there is one.

    The number that counts them in its text is replaced.
    """
    count, each = DOUBLE_ROUNDS // (2 if function.others else 1), 2 if function.others else 1
    lines, counting = list(function.code.lines), re.compile(r"MOV[QD]? \$(\d+),")
    counts = {int(found[1]) for line in lines if (found := counting.match(line.text))}
    apart = 0 if count in counts else 1
    for i, line in enumerate(lines):
        if counting.match(line.text):
            text = line.text.replace(f"${count - apart},", f"${double_rounds // each},")
            lines[i] = line_of(line.number, text, function.code.architecture, function.code.scalar)
    return replace(function, code=replace(function.code, lines=lines), double_rounds=double_rounds + apart)


# The double rounds of the functions that are changed, so that each loop goes on and ends;
# with Poly1305, STITCHED_ROUNDS and one.
ROUNDS, STITCHED_ROUNDS = 2, 2


def prove_function(function: GoFunction, words: Words, is_control: bool) -> None:
    """Prove a function that may be changed; the cheap proof refuses most changes of instructions on vectors."""
    if not is_control or "groups" not in function.parameters:
        function.prove_groups(1, rounds=STITCHED_ROUNDS, words=words)
    if "groups" in function.parameters:
        function.prove_any_groups(rounds=STITCHED_ROUNDS, words=words)
    if function.mac:
        prove_mac(function, STITCHED_ROUNDS, Ring())


def plant_in_function(function: GoFunction, tally: Tally, every: int = 1) -> None:
    """Change each line in each way, or every n-th of these changes."""
    function = with_rounds(function, STITCHED_ROUNDS + 1 if function.mac else ROUNDS)
    words = Words()
    prove_function(function, words, False)
    mark = words.terms.mark()

    def prove(changed: Changed) -> None:
        changed.code.check_line(changed.i)
        is_control = changed.code.lines[changed.i].read is None
        prove_function(replace(function, code=changed.code), words, is_control)

    def reason(changed: Changed, title: str) -> str:
        words.terms.rollback(mark)
        expect_samples(replace(function, code=changed.code), title)
        return reason_in_function(function, changed, words)

    # Nothing is claimed here of Poly1305, which is stitched to ChaCha20.
    for changed in changed_functions(function.code, every, lambda line: not (function.mac and line.is_scalar)):
        title = changed.title(function.title)
        tally.plant(changed.kind, title, partial(prove, changed), partial(reason, changed, title))
        words.terms.rollback(mark)


State = dict[tuple[str, Any], Any]


def state_of(machine: Machine) -> State:
    """Return what registers, flags and memory hold."""
    parts = ("registers", "numbers", "general", "implicit", "storage")
    return {(part, place): key_of(value) for part in parts for place, value in getattr(machine, part).items()}


def states_after(function: GoFunction, i: int, words: Words) -> list[State]:
    """Return what is held after a line, each time, in a call of one group."""
    found: list[State] = []
    words.unknowns = 0
    code = function.code.after_line(i, lambda machine: found.append(state_of(machine)))
    call, _ = replace(function, code=code).call(words, 1, False, STITCHED_ROUNDS)
    call.run_to()
    return found


def reason_in_function(function: GoFunction, changed: Changed, words: Words) -> str:
    """Return why a changed function computes the same, or "" if that is not known."""
    before = states_after(function, changed.i, words)
    after = states_after(replace(function, code=changed.code), changed.i, words)
    if before == after:
        return SAME
    if len(before) != len(after):
        return ""
    differing = {
        place
        for a, b in zip(before, after, strict=True)
        for place in a.keys() | b.keys()
        if a.get(place) != b.get(place)
    }

    def havoc(machine: Machine) -> None:
        """Remove registers that differ, so that none is read before it is written, and havoc memory that differs."""
        for part, place in differing:
            if part == "storage":
                machine.storage[place] = words.unknown()
            else:
                getattr(machine, part).pop(place, None)

    try:
        havocked = replace(function, code=function.code.after_line(changed.i, havoc))
        prove_function(havocked, words, False)
    except REFUSALS:
        return ""
    return UNUSED


def key_of(value: Any) -> Any:
    """Return what is equal only for equal terms, and for equal numbers."""
    if isinstance(value, tuple):
        return tuple(map(key_of, value))
    return ("symbolic", id(value)) if isinstance(value, Symbolic) else value


def expect_samples(changed: GoFunction, title: str) -> None:
    """Raise Unsound unless a changed function makes the blocks of some numbers."""
    for groups in (1, 2)[: 1 + ("groups" in changed.parameters)]:
        try:
            changed.prove_groups(groups, rounds=STITCHED_ROUNDS, words=Numbers())
        except REFUSALS as error:
            raise Unsound(f"{title}: {error}") from None


# One in EVERY changes of lines is tried, and fewer of Poly1305 stitched to ChaCha20: all take a quarter of an hour.
EVERY, EVERY_MAC = 53, 23


def plant_in_go(functions: Iterable[GoFunction], every: int = EVERY, every_mac: int = EVERY_MAC) -> Tally:
    tally = Tally()
    for function in functions:
        plant_in_function(function, tally, every)
        if function.mac:
            plant_in_mac(function, tally, every_mac)
    return tally


def plant_in_mac(function: GoFunction, tally: Tally, every: int = 1) -> None:
    """Change each line of Poly1305 stitched to ChaCha20 in each way, or every n-th of these changes."""

    def prove(changed: Changed) -> None:
        changed.code.check_line(changed.i)
        prove_mac(replace(function, code=changed.code), STITCHED_ROUNDS, Ring())

    def reason(changed: Changed, title: str) -> str:
        expect_mac_samples(replace(function, code=changed.code), title)
        return EQUAL

    for changed in changed_functions(function.code, every, lambda line: line.is_scalar):
        title = changed.title(function.title)
        tally.plant(f"{changed.kind}, stitched", title, partial(prove, changed), partial(reason, changed, title))


def expect_mac_samples(changed: GoFunction, title: str) -> None:
    """Raise Unsound unless a changed function absorbs blocks of random numbers, and of ones, into random values."""
    chosen, modulus = random.Random(1), 2**130 - 5
    for number in range(20):
        words = Numbers()
        call, _ = changed.call(words, 1, False, STITCHED_ROUNDS)
        storage = call.machine.storage
        ones = number % 2 == 1
        places = {place for place in storage if place[0] == "message"}
        storage |= {place: WORD_MAX if ones else chosen.getrandbits(64) for place in places}
        r = [0x0FFFFFFC0FFFFFFF, 0x0FFFFFFC0FFFFFFC]
        r = r if ones else [mask & chosen.getrandbits(64) for mask in r]
        h = [WORD_MAX, WORD_MAX, 4] if ones else [chosen.getrandbits(64), chosen.getrandbits(64), chosen.randrange(5)]
        store(storage, "mac", [(*r, 0, 0, *h)], 8)
        message = [storage["message", 8 * i] for i in range(len(places))]
        value = join(h)
        for i in range(0, len(message), 2):
            value = (value + join([*message[i : i + 2], 1])) * join(r) % modulus
        try:
            call.run_to()
        except REFUSALS as error:
            raise Unsound(f"{title}: {error}") from None
        if join([storage["mac", 32 + 8 * i] for i in range(3)]) % modulus != value:
            raise Unsound(title)


def join(words: Iterable[int]) -> int:
    return sum(word << 64 * i for i, word in enumerate(words))
