# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in Poly1305: in each node of graphs, and in lines of the Go module's functions."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import mul
from typing import NamedTuple

from coconut.graph import Graph, Node
from coconut.operations import SUM_MAX
from coconut.prove.go import committed, same
from coconut.prove.graphs import BlockProof, graphs_of, interpret, node_value
from coconut.prove.planting import Changed, Tally, Unsound, changed_functions, every_second, recomputed
from coconut.prove.polynomials import Lanes, Number, Ring, Unproved
from coconut.simulate import simulate
from coconut.trace import read_traced

# Numbers with more terms than this many times the most that any number of the block has are refused: by a mistake, they
# have lost the names of their parts.
TERMS_FACTOR = 4

# Why a change in a graph computes the same; each is checked.
SAME_NODE = "the node has the same value for all inputs"
SAME = "the outputs have the same values for all inputs"
UNCLAIMED = "nothing is claimed of the output that differs"
CONGRUENT = "the outputs are the same elements, modulo p"

# Survivors in functions that compute the same: a pattern of their titles, and the reason.
EQUIVALENT = {
    r"riscv64 .*: SLTU .*": "a sum is less than either of its operands if it has wrapped",
    r"s390x .*: MOVD \$0, R11, .*": "the register is 0 already",
    r"s390x .*: VZERO V\d+, .*": "the register is 0 already",
    r"s390x .*: ADDC (R\d+, R\d+), changed to ADDE \1": "no carry comes in",
    r"amd64 .*: ADDQ (R\d+, R\d+), changed to ADCQ \1": "no carry comes in",
    r"s390x .*: ADDE R10, R0, changed to ADDE R10, R1": "the sum of R0 and R1 is what counts",
    r"amd64 .*: VMOVDQU Y0, \d+\(BX\), changed to VMOVDQU Y1, .*": "every register is 0 while the frame is cleared",
}


def reason_for(survivor: str) -> str:
    """Return why a survivor computes the same, or "" if that is not known."""
    return next((reason for pattern, reason in EQUIVALENT.items() if re.fullmatch(pattern, survivor)), "")


class Mistake(NamedTuple):
    """Nodes in the place of node i, of which the last one has its users: they are numbered from i on."""

    i: int
    what: str
    nodes: tuple[Node, ...]

    def planted(self, graph: Graph) -> Graph:
        """Return the graph with the mistake."""
        i, shift = self.i, len(self.nodes) - 1
        others = [replace(node, args=tuple(arg + shift * (arg >= i) for arg in node.args)) for node in graph.nodes]
        return replace(graph, nodes=(*others[:i], *self.nodes, *others[i + 1 :]))


# Constants of lanes, and of words.
CONSTANTS = {"splat", "constant"}
# Operations whose values are one number, whatever the number of lanes is.
SUMS = {"sum_zero", "sum_of", "sum_mul_add", "sum_add", "sum_sub", "sum_bytes"}
WORDS = {"constant", "word", "sum", "element", "load_number", *SUMS}


def mistakes(graph: Graph) -> Iterator[Mistake]:
    """Yield every second change of each node, from the first or the second on, and one of each at least."""
    nodes, inputs = graph.nodes, set(graph.inputs())
    for i, node in enumerate(nodes):
        made: list[tuple[str, tuple[Node, ...]]] = []
        if node.op in {"shr", "shl"}:
            made += [
                (f"a shift by {bits}", (replace(node, imm=(bits,)),))
                for bits in (node.imm[0] - 1, node.imm[0] + 1)
                if bits >= 0
            ]
        if node.op == "and":
            for value, mask in (node.args, node.args[::-1]):
                if nodes[mask].op in CONSTANTS:
                    for number in (nodes[mask].imm[0] >> 1, nodes[mask].imm[0] << 1 | 1):
                        constant = replace(nodes[mask], imm=(number,))
                        made.append((f"the mask {number:#x}", (constant, replace(node, args=(value, i)))))
                    made.append(("no mask", (Node("or", (value, value)),)))
        if node.op in {"add", "or", "sub", "xor"}:
            made += [("one operand alone", (Node("or", (arg, arg)),)) for arg in node.args]
        if node.op in {"add", "sub"}:
            made.append(("the other sign", (replace(node, op="sub" if node.op == "add" else "add"),)))
        if node.op in {"add_carry", "carry_of"}:
            op = {"add_carry": "add", "carry_of": "carry"}[node.op]
            made.append(("no carry in", (replace(node, op=op, args=node.args[:2]),)))
        if node.op in {"carry", "carry_of"}:
            made.append(("no carry out", (Node("sub", node.args[:1] * 2),)))
        if node.op in CONSTANTS and node.imm[0]:
            made += [(f"the constant {n:#x}", (replace(node, imm=(n,)),)) for n in (node.imm[0] - 1, node.imm[0] + 1)]
        if node.op.startswith(("mul", "madd", "sum_mul")):
            for k, arg in enumerate(node.args):
                if arg in inputs and arg + 1 in inputs and nodes[arg].imm == nodes[arg + 1].imm:
                    args = (*node.args[:k], arg + 1, *node.args[k + 1 :])
                    made.append(("the input behind an operand", (replace(node, args=args),)))
        swapped = {"madd52lo": "madd52hi", "madd52hi": "madd52lo", "mul_lo": "mul_hi", "mul_hi": "mul_lo"}
        swapped |= {"low32": "high32", "high32": "low32", "sums_low": "sums_high", "sums_high": "sums_low"}
        if node.op in swapped:
            made.append((swapped[node.op], (replace(node, op=swapped[node.op]),)))
        if node.op.startswith(("madd", "sum_mul")):
            made.append(("no product", (Node("or", (node.args[0], node.args[0])),)))
        if node.op == "load_number":
            made.append(("a byte further on", (replace(node, imm=(node.imm[0] + 1, node.imm[1])),)))
        elif node.op.startswith("load_"):
            made.append(("16 bytes further on", (replace(node, imm=(node.imm[0] + 16, *node.imm[1:])),)))
            other = "load_hi" if node.op == "load_lo" else "load_lo"
            made.append((other, (replace(node, op=other),)))
        if node.op == "blend":
            made.append(("operands exchanged", (replace(node, args=node.args[::-1]),)))
        if node.op in {"block", "alone", "element", "of_lane", "with_word", "cut26", "cut44"}:
            made.append(("another lane or limb", (replace(node, imm=(node.imm[0] ^ 1,)),)))
        if node.op == "from_block":
            made.append(("a block less", (replace(node, imm=(node.imm[0] + 1,)),)))
        if node.op == "sum" and graph.lanes > 1:
            made.append(("one lane alone", (replace(node, op="word"),)))
        if node.op == "output" and node.args[0] and nodes[node.args[0] - 1].op not in {"output", *SUMS}:
            made.append(("another value", (replace(node, args=(node.args[0] - 1,)),)))
        if node.op in {"sum_add", "sum_sub"}:
            made.append(("the other sign", (replace(node, op="sum_sub" if node.op == "sum_add" else "sum_add"),)))
        if node.op == "sum_of":
            made += [("1 more", (replace(node, imm=(node.imm[0], node.imm[1] ^ 1)),))]
        if node.op in {"sum_bytes", "sum_limbs"}:
            made += [
                (f"number {k} more by 1", (replace(node, imm=tuple(n + (j == k) for j, n in enumerate(node.imm))),))
                for k in range(len(node.imm))
            ]
        if node.op == "shuffle":
            made.append(("another lane", (replace(node, imm=(node.imm[0] ^ 1, *node.imm[1:])),)))
        if not made:
            number = 1 if node.op in CONSTANTS and not node.imm[0] or node.op == "sum_zero" else 0
            zero = Node(
                "constant" if node.op in WORDS or node.op == "input" and graph.is_word(i) else "splat", (), (number,)
            )
            new = (zero, replace(node, args=(i,))) if node.op == "output" else (zero,)
            made.append((f"{number} in its place", new))
        for what, changed in every_second(made, i):
            yield Mistake(i, what, changed)


def without_limits(graph: Graph) -> Graph:
    """Return the graph without the bounds that the code states, which are proved elsewhere: values must be wrong."""
    return replace(graph, nodes=tuple(replace(node, limit=SUM_MAX) for node in graph.nodes))


def terms_of(value: Lanes) -> int:
    return max((len(number.poly) for number in value if isinstance(number, Number)), default=1)


class GraphMistakes:
    """A basic block whose values are known, so that only what depends on a mistake is recomputed and proved again."""

    def __init__(self, graph: Graph) -> None:
        self.proof = BlockProof(graph)
        self.proof.check_graph()
        # A recorded graph has nodes that nothing uses.
        self.graph = without_limits(graph.simplified())
        self.values = interpret(self.graph, self.ring, self.proof.claims.message, self.proof.claims.inputs)
        self.users, self.outputs = self.graph.users(), self.outputs_of(self.values)
        self.proof.claims.check(self.outputs)
        self.terms_max = TERMS_FACTOR * max(terms_of(value) for value in self.values)
        self.mark = self.ring.mark()

    @property
    def ring(self) -> Ring:
        return self.proof.ring

    def outputs_of(self, values: Sequence[Lanes]) -> dict[str, Lanes]:
        return {self.graph.nodes[i].name: values[i] for i in self.graph.outputs()}

    def values_with(self, mistake: Mistake) -> list[Lanes]:
        """Return the values with a mistake."""

        def value(node: Node, values: Sequence[Lanes]) -> Lanes:
            claims = self.proof.claims
            result = node_value(self.graph.lanes, node, values, claims.message, claims.inputs)
            if terms_of(result) > self.terms_max:
                raise Unproved(f"a number of more than {self.terms_max} terms")
            return result

        def compute(j: int, found: Sequence[Lanes]) -> Lanes:
            if j > mistake.i:
                return value(self.graph.nodes[j], found)
            made = list(self.values[:j])
            for node in mistake.nodes:
                made.append(value(node, made))
            return made[-1]

        return recomputed(self.users, self.values, mistake.i, compute, same)

    def prove(self, mistake: Mistake) -> None:
        self.ring.rollback(self.mark)
        self.proof.claims.check(self.outputs_of(self.values_with(mistake)), self.outputs)

    def reason(self, mistake: Mistake) -> str:
        """Return why a mistake that is not refused computes the same, or ""; raise Unsound if a sample denies it."""
        values = self.values_with(mistake)
        outputs = self.outputs_of(values)
        differing = {name for name, value in outputs.items() if value is not self.outputs[name]}
        self.compare_samples(mistake, differing)
        if values[mistake.i] is self.values[mistake.i]:
            return SAME_NODE
        if not differing:
            return SAME
        anything = {name: tuple(map(self.anything, self.outputs[name])) for name in differing}
        try:
            self.proof.claims.check(self.outputs | anything, self.outputs)
        except Unproved:
            return CONGRUENT
        return UNCLAIMED

    def anything(self, number: Number | int) -> Number:
        """Return any number up to the largest that another one may be."""
        return self.ring.input("anything", number.high if isinstance(number, Number) else number)

    def compare_samples(self, mistake: Mistake, differing: Collection[str]) -> None:
        """Raise Unsound unless outputs are the same on all samples, or the same elements where they may differ."""
        title, changed = self.graph.title, mistake.planted(self.graph)
        for sample in read_traced(self.graph.kernel)[1][self.graph.name]:
            before, after = (
                {graph.nodes[i].name: values[i] for i in graph.outputs()}
                for graph, values in ((graph, simulate(graph, sample)) for graph in (self.graph, changed))
            )
            if any(before[name] != after[name] for name in before.keys() - differing):
                raise Unsound(f"{title}: {mistake.what}, sample {sample.number}")
            for name, (encoding, elements) in self.proof.claims.outputs.items():
                for lane in range(len(elements)):
                    for copy in encoding.all_copies():
                        numbers = [[of[f"{name}[{i}]"][lane] for i in copy] for of in (before, after)]
                        sums = [sum(map(mul, limbs, encoding.weights)) % self.ring.modulus for limbs in numbers]
                        if sums[0] != sums[1]:
                            raise Unsound(f"{title}: {mistake.what}, sample {sample.number}: {name}.{lane}")


def plant_in_graph(graph: Graph) -> Tally:
    """Plant mistakes in all nodes of a basic block."""
    tally, block = Tally(), GraphMistakes(graph)
    for mistake in mistakes(block.graph):
        node, i = block.graph.nodes[mistake.i], mistake.i
        title = f"{graph.title}: {block.graph.label(i)} = {block.graph.expression(i)}: {mistake.what}"
        tally.plant(node.op, title, partial(block.prove, mistake), partial(block.reason, mistake))
    return tally


# Each field and evaluation once, with the fewest lanes.
BLOCKS = (
    *(f"rvv2/{name}" for name in ("expand", "reduce", "step 1", "step 2", "step 4", "end", "begin 2")),
    *(f"avx2/{name}" for name in ("long group", "long step 8")),
    *(f"ifma256/{name}" for name in ("expand", "reduce", "step 1", "step 2", "step 4", "end", "begin 2", "long group")),
    *(f"vmsl/{name}" for name in ("expand", "reduce", "step 1", "step 2")),
    *(f"scalar64/{name}" for name in ("begin", "block", "blocks 2", "last", "end", "start", "four", "finish")),
    *(f"scalar64/{name}" for name in ("first", "small block", "small last", "small end 5", "end 5")),
    *(f"scalar32/{name}" for name in ("block", "last", "end 5")),
    *(f"ends26x2/{name}" for name in ("first 1", "end 5", "stream end", "keys", "begun 1", "short", "finish")),
    *("ends26x1/append", "ends44x4/finish", "vmsl/powers", "vmsum/enter", "vmsum/leave", "neon32/step 1", "vsx/expand"),
    *(f"tag/{name}" for name in ("tag", "tag 5", "padded 3", "padded 6", "padded 12", "padded after 11")),
)


def plant_in_graphs(titles: Iterable[str] = BLOCKS) -> Iterator[tuple[str, Tally]]:
    """Plant mistakes in basic blocks; yield the title of each, and what became of them."""
    for title in titles:
        kernel, _, name = title.partition("/")
        yield title, plant_in_graph(graphs_of(kernel)[name])


# Functions of the Go module, and which changes of lines are planted: every n-th.
FUNCTIONS = {
    "amd64 scalarBlocks": 3,
    "arm64 scalarBlocks": 3,
    "riscv64 scalarBlocks": 3,
    "s390x scalarBlocks": 3,
    "s390x vmslBy1": 7,
    "amd64 avx2By2": 127,
    "amd64 ifmaBy4": 1499,
}


def plant_in_go(functions: Mapping[str, int] = FUNCTIONS) -> Iterator[tuple[str, Tally]]:
    """Plant mistakes in functions of the Go module; yield the name of each, and what became of them."""
    for title, every in functions.items():
        function, tally = committed()[title], Tally()
        for changed in changed_functions(function.code(), every):
            survivor = changed.title(title)

            def prove(changed: Changed = changed) -> None:
                changed.code.check_line(changed.i)
                function.prove(changed.code, Ring())

            tally.plant(changed.kind, survivor, prove, partial(reason_for, survivor))
        yield f"{title}, one change in {every}", tally
