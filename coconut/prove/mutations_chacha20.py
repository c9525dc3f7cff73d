# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Change what is proved of ChaCha20, one place at a time: each change must be refused, or compute the same.

A change that is not refused is run on samples: if one tells it from the original, the proof is unsound.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from coconut.assembler import ParseError
from coconut.graph import Graph, Node
from coconut.interpret import Line, Mismatch, line_of, store
from coconut.operations import WORD32_MAX, WORD_MAX
from coconut.prove.chacha20 import (
    DOUBLE_ROUNDS,
    WORDS,
    Claim,
    GoFunction,
    Words,
    expect_same,
    go_functions,
    graph_outputs,
    graph_values,
    graphs_of,
    node_value,
)
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.stitched import prove_mac
from coconut.prove.terms import Symbolic

# What refuses a change: it is not what is claimed, cannot run, or is no text of the module.
REFUSALS = (Unproved, Mismatch, ParseError, KeyError, IndexError)


# Why a change computes the same.
SAME = "it leaves the same value"
UNUSED = "nothing takes what differs"
EQUAL = "for all inputs, though other instructions do it"


class Unsound(Exception):
    """Raised if a change that a sample notices is not refused."""


@dataclass
class Count:
    """How many changes were tried and refused, by kind; and those that compute the same, by the reason."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    survivors: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, refused: bool) -> None:
        self.tried[kind] += 1
        self.refused[kind] += refused

    def survived(self, reason: str, title: str) -> None:
        self.survivors.setdefault(reason, []).append(title)

    def lines(self) -> Iterator[str]:
        """Yield a summary, with an example of each reason."""
        tried, refused = sum(self.tried.values()), sum(self.refused.values())
        kinds = ", ".join(f"{kind} {number}" for kind, number in self.tried.most_common())
        yield f"{tried} changes ({kinds}), {refused} refused"
        for reason, titles in self.survivors.items():
            yield f"{len(titles)} compute the same: {reason}; such as {titles[0]}"


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
    for graph in graphs_of(kernels):
        if not whole(graph) and graph.nodes not in seen:
            seen.add(graph.nodes)
            yield graph


def mutate_graph(graph: Graph, count: Count) -> None:
    """Change each node in each way."""
    claim = Claim.of(graph)
    inputs, expected = claim.inputs(), claim.expected()
    values = graph_values(graph, claim, inputs)
    expect_same(graph_outputs(graph, values), expected)
    users, terms = graph.users(), claim.words.terms
    for i in range(len(graph.nodes)):
        for kind, node in changed_nodes(graph, i):
            changed = replace(graph, nodes=(*graph.nodes[:i], node, *graph.nodes[i + 1 :]))
            mark = terms.mark()
            try:
                found = list(values)
                waiting = {i}
                for j in range(i, len(graph.nodes)):
                    if j in waiting:
                        found[j] = node_value(changed, j, found, claim, inputs)
                        if any(a is not b for a, b in zip(found[j], values[j], strict=True)):
                            waiting.update(users[j])
                expect_same(graph_outputs(changed, found), expected)
                refused = False
            except REFUSALS:
                refused = True
            terms.forget(mark)
            count.add(kind, refused)
            if not refused:
                title = f"{graph.title}: {graph.label(i)} = {graph.expression(i)}, changed to {node.op} {node.args} {node.imm}"
                is_same = all(a is b for a, b in zip(found[i], values[i], strict=True))
                count.survived(SAME if is_same else UNUSED, title)
                expect_sample(changed, graph, title)


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


def mutate_graphs(kernels: Iterable[str] = ()) -> Count:
    count = Count()
    for graph in distinct_graphs(kernels):
        mutate_graph(graph, count)
    return count


# Instructions with the same operands.
OTHERS = (
    ("VPADDD", "VPXOR"),
    ("VPADDD", "VPXORD"),
    ("VPSLLD", "VPSRLD"),
    ("VPUNPCKLDQ", "VPUNPCKHDQ"),
    ("VPUNPCKLQDQ", "VPUNPCKHQDQ"),
    ("VPERM2I128", "VSHUFI32X4"),
    ("VADD", "VEOR"),
    ("VZIP1", "VZIP2"),
    ("VAF", "VX"),
    ("VMRHF", "VMRLF"),
    ("VMRHG", "VMRLG"),
    ("ADDL", "XORL"),
    ("ADDQ", "ADCQ"),
    ("JZ", "JNZ"),
    ("CBZ", "CBNZ"),
    ("DECQ", "INCQ"),
    ("VPBROADCASTD", "VMOVDQU"),
    ("VBROADCASTI128", "VMOVDQU"),
    ("VSHL", "VSRI"),
    ("VREV32", "VREV64"),
)
OTHER = dict(OTHERS) | {b: a for a, b in OTHERS}
VECTOR = re.compile(r"(?<![A-Z0-9])([XYZVFR])(\d+)")


def other_registers(text: str) -> Iterator[str]:
    """Yield a line with another register in one place."""
    for found in VECTOR.finditer(text):
        name, number = found[1], int(found[2])
        for other in (number + 1, abs(number - 1)):
            yield f"{text[: found.start()]}{name}{other}{text[found.end() :]}"


def other_numbers(text: str) -> Iterator[str]:
    """Yield a line with another immediate number."""
    if (found := re.search(r"\$(-?\d+)", text)) is not None:
        for by in (1, -1):
            yield f"{text[: found.start()]}${int(found[1]) + by}{text[found.end() :]}"


def other_offsets(text: str) -> Iterator[str]:
    """Yield a line with another offset of its operand in memory."""
    if (found := re.search(r"(\d+)(?=\((?!FP)\w+\))", text)) is not None:
        for by in (4, 16, -16):
            if int(found[1]) + by >= 0:
                yield f"{text[: found.start()]}{int(found[1]) + by}{text[found.end() :]}"


def other_operations(text: str) -> Iterator[str]:
    mnemonic, _, operands = text.partition(" ")
    if mnemonic in OTHER:
        yield f"{OTHER[mnemonic]} {operands}"


def swapped_operands(text: str) -> Iterator[str]:
    mnemonic, _, operands = text.partition(" ")
    parts = operands.split(", ")
    if len(parts) >= 2 and parts[0] != parts[1]:
        yield f"{mnemonic} {', '.join([parts[1], parts[0], *parts[2:]])}"


def other_arguments(text: str) -> Iterator[str]:
    """Yield a line with another argument's offset."""
    if (found := re.search(r"(\d+)(?=\(FP\))", text)) is not None:
        yield f"{text[: found.start()]}{int(found[1]) + 8}{text[found.end() :]}"


LINE_KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "register": other_registers,
    "operation": other_operations,
    "number": other_numbers,
    "offset": other_offsets,
    "operands": swapped_operands,
    "argument": other_arguments,
    "left out": lambda text: iter(["VZEROUPPER"]),
}


# Their first two operands can be swapped.
COMMUTATIVE = ("VPADDD", "VPXOR", "VPXORD", "VPOR", "VADD", "VEOR", "VAF", "VX")


def changed_lines(line: Line) -> Iterator[tuple[str, str]]:
    """Yield the text of a line changed in one way at a time."""
    if line.text.endswith(":") or line.text.startswith(("PCALIGN", "RET", "VZEROUPPER")):
        return
    for kind, change in LINE_KINDS.items():
        if kind == "operands" and line.text.partition(" ")[0] in COMMUTATIVE:
            continue
        for text in change(line.text):
            yield kind, text


def with_rounds(function: GoFunction, double_rounds: int) -> GoFunction:
    """Return a function with fewer double rounds: the number that counts them in its text is replaced."""
    halves = 2 if function.others else 1
    old, new = f"${DOUBLE_ROUNDS // halves},", f"${double_rounds // halves},"
    code, lines = function.code, []
    for line in function.code.lines:
        if re.match(r"MOV[QD] \$", line.text):
            line = line_of(line.number, line.text.replace(old, new), code.architecture, code.beside)
        lines.append(line)
    return replace(function, code=replace(code, lines=lines), double_rounds=double_rounds)


def with_line(function: GoFunction, i: int, text: str) -> GoFunction:
    code = function.code
    line = line_of(code.lines[i].number, text, code.architecture, code.beside)
    return replace(function, code=replace(code, lines=[*code.lines[:i], line, *code.lines[i + 1 :]]))


# The double rounds of the functions that are changed, so that each loop goes on and ends; beside Poly1305, BESIDE and one.
ROUNDS, BESIDE = 2, 2


def prove_function(function: GoFunction, words: Words, is_control: bool) -> None:
    """Prove a function that may be changed; the cheap proof refuses most changes of instructions on vectors."""
    if not is_control or "groups" not in function.parameters:
        function.prove_groups(1, rounds=BESIDE, words=words)
    if "groups" in function.parameters:
        function.prove_any_groups(rounds=BESIDE, words=words)


def mutate_function(function: GoFunction, count: Count, every: int = 1) -> None:
    """Change each line in each way, or every n-th of these changes."""
    function = with_rounds(function, BESIDE + 1 if function.mac else ROUNDS)
    words = Words()
    prove_function(function, words, False)
    mark, number = words.terms.mark(), 0
    for i, line in enumerate(function.code.lines):
        if function.mac and line.is_beside:
            # Poly1305, of which nothing is claimed here.
            continue
        for kind, text in changed_lines(line):
            number += 1
            if number % every:
                continue
            try:
                changed = with_line(function, i, text)
            except ParseError:
                continue
            try:
                changed.check_arguments()
                prove_function(changed, words, line.read is None)
                refused = False
            except REFUSALS:
                refused = True
            words.terms.forget(mark)
            count.add(kind, refused)
            if not refused:
                title = f"{function.title}, line {line.number}: {line.text}, changed to {text}"
                count.survived(
                    SAME if left_after(function, i, words) == left_after(changed, i, words) else UNUSED, title
                )
                words.terms.forget(mark)
                expect_samples(changed, title)


def left_after(function: GoFunction, i: int, words: Words) -> list[list[Any]]:
    """Return what registers and memory hold after a line, each time."""
    words.unknowns = 0
    call, _ = function.call(words, 1, False, BESIDE)
    found = []
    while call.run_to_line({i + 1}):
        machine = call.machine
        parts: tuple[dict[Any, Any], ...] = (machine.registers, machine.numbers, machine.general, machine.storage)
        found.append([{place: key_of(value) for place, value in part.items()} for part in parts])
    return found


def key_of(value: Any) -> Any:
    """Return what is equal only for equal terms, and for equal numbers."""
    if isinstance(value, tuple):
        return tuple(map(key_of, value))
    return ("symbolic", id(value)) if isinstance(value, Symbolic) else value


def expect_samples(changed: GoFunction, title: str) -> None:
    """Raise Unsound unless a changed function makes the blocks of some numbers."""
    for groups in (1, 2)[: 1 + ("groups" in changed.parameters)]:
        try:
            changed.prove_groups(groups, rounds=BESIDE, words=Numbers())
        except REFUSALS as error:
            raise Unsound(f"{title}: {error}") from None


# One in EVERY changes of lines is tried: all of them take a quarter of an hour.
EVERY = 37


def mutate_go(every: int = EVERY, names: Iterable[str] = ()) -> Count:
    count = Count()
    for function in go_functions():
        if not names or function.code.name in names:
            mutate_function(function, count, every)
    return count


def mutate_mac(function: GoFunction, count: Count, every: int = 1) -> None:
    """Change each line of Poly1305 beside ChaCha20 in each way, or every n-th of these changes."""
    number = 0
    for i, line in enumerate(function.code.lines):
        for kind, text in changed_lines(line) if line.is_beside else ():
            number += 1
            if number % every:
                continue
            try:
                changed = with_line(function, i, text)
            except ParseError:
                continue
            try:
                prove_mac(changed, BESIDE, Ring())
                refused = False
            except REFUSALS:
                refused = True
            count.add(kind, refused)
            if not refused:
                title = f"{function.title}, line {line.number}: {line.text}, changed to {text}"
                count.survived(EQUAL, title)
                expect_mac_samples(changed, title)


def expect_mac_samples(changed: GoFunction, title: str) -> None:
    """Raise Unsound unless a changed function absorbs blocks of random numbers, and of ones, into random values."""
    chosen, modulus = random.Random(1), 2**130 - 5
    for number in range(20):
        words = Numbers()
        call, _ = changed.call(words, 1, False, BESIDE)
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


def mutations(every: int = EVERY) -> Iterator[str]:
    """Try all changes of graphs, and some of the Go module's text; yield lines that say what came of them."""
    for title, count in (("graphs", mutate_graphs()), ("Go module", mutate_go(every))):
        yield from (f"{title}: {line}" for line in count.lines())
