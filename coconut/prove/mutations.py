# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in Poly1305: in each node of graphs, and in lines of the Go module's functions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from coconut.graph import Graph, Node
from coconut.operations import SUM_MAX
from coconut.prove.go import committed
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.planting import Changed, Tally, alternating, changed_functions
from coconut.prove.polynomials import Ring

# Survivors that compute the same: a pattern of their titles, and the reason. Which ones there are depends on FUNCTIONS.
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


def with_node(graph: Graph, i: int, *nodes: Node) -> Graph:
    """Return the graph with node i replaced by the last of these, which may take those before it, numbered from i on."""
    shift = len(nodes) - 1
    others = [replace(node, args=tuple(arg if arg < i else arg + shift for arg in node.args)) for node in graph.nodes]
    return replace(graph, nodes=(*others[:i], *nodes, *others[i + 1 :]))


def mutants(graph: Graph) -> Iterator[tuple[str, str, Graph]]:
    """Return graphs that differ from one in a node, the operation there, and what is different: every second change."""
    nodes, inputs = graph.nodes, set(graph.inputs())
    for i, node in enumerate(nodes):
        # The bounds that the code states are proved elsewhere: here, values must be wrong.
        node = replace(node, limit=SUM_MAX)
        made: list[tuple[str, tuple[Node, ...]]] = []
        if node.op in {"shr", "shl"}:
            made += [
                (f"a shift by {bits}", (replace(node, imm=(bits,)),)) for bits in (node.imm[0] - 1, node.imm[0] + 1)
            ]
        if node.op == "and":
            for value, mask in (node.args, node.args[::-1]):
                if nodes[mask].op == "splat":
                    for number in (nodes[mask].imm[0] >> 1, nodes[mask].imm[0] << 1 | 1):
                        constant = Node("splat", (), (number,))
                        made.append((f"the mask {number:#x}", (constant, replace(node, args=(value, i)))))
                    made.append(("no mask", (Node("or", (value, value)),)))
        if node.op in {"add", "or", "sub"}:
            made += [("one operand alone", (Node("or", (arg, arg)),)) for arg in node.args]
        if node.op in {"add", "sub"}:
            made.append(("the other sign", (replace(node, op="sub" if node.op == "add" else "add"),)))
        if node.op in {"add_carry", "carry_of"}:
            op = {"add_carry": "add", "carry_of": "carry"}[node.op]
            made.append(("no carry in", (replace(node, op=op, args=node.args[:2]),)))
        if node.op in {"carry", "carry_of"}:
            made.append(("no carry out", (Node("splat", (), (0,)),)))
        if node.op == "splat" and node.imm[0]:
            made += [(f"the constant {n:#x}", (replace(node, imm=(n,)),)) for n in (node.imm[0] - 1, node.imm[0] + 1)]
        if node.op.startswith(("mul", "madd", "sum_mul")):
            for k, arg in enumerate(node.args):
                if arg in inputs and arg + 1 in inputs:
                    args = (*node.args[:k], arg + 1, *node.args[k + 1 :])
                    made.append(("the input behind an operand", (replace(node, args=args),)))
        swapped = {"madd52lo": "madd52hi", "madd52hi": "madd52lo", "mul_lo": "mul_hi", "mul_hi": "mul_lo"}
        swapped |= {"low32": "high32", "high32": "low32", "sums_low": "sums_high", "sums_high": "sums_low"}
        if node.op in swapped:
            made.append((swapped[node.op], (replace(node, op=swapped[node.op]),)))
        if node.op.startswith(("madd", "sum_mul")):
            made.append(("no product", (Node("or", (node.args[0], node.args[0])),)))
        if node.op.startswith("load_"):
            made.append(("16 bytes further on", (replace(node, imm=(node.imm[0] + 16, *node.imm[1:])),)))
            other = "load_hi" if node.op == "load_lo" else "load_lo"
            made.append((other, (replace(node, op=other),)))
        if node.op == "blend":
            made.append(("operands exchanged", (replace(node, args=node.args[::-1]),)))
        if node.op in {"block", "alone"}:
            made.append(("another lane", (replace(node, imm=(node.imm[0] ^ 1,)),)))
        if node.op == "output" and i + 1 < len(nodes):
            made.append(("another value", (replace(node, args=(node.args[0] - 1,)),)))
        for what, new in alternating(made, i):
            yield node.op, f"{graph.label(i)} = {graph.expression(i)}: {what}", with_node(graph, i, *new)


def without_limits(graph: Graph) -> Graph:
    return replace(graph, nodes=tuple(replace(node, limit=SUM_MAX) for node in graph.nodes))


def plant_in_graph(graph: Graph) -> Tally:
    # A recorded graph has nodes that nothing uses.
    tally, simplified = Tally(), without_limits(graph.simplified())
    for op, what, mutant in mutants(simplified):
        title = f"{graph.title}: {what}"
        tally.plant(op, title, partial(BlockProof(graph).check_graph, mutant), partial(reason_for, title))
    return tally


# Each field and evaluation once, with the fewest lanes.
BLOCKS = (
    *(f"rvv2/{name}" for name in ("expand", "reduce", "step 1", "step 2", "step 4", "end", "begin 2")),
    *(f"avx2/{name}" for name in ("long group", "long step 8")),
    *(f"ifma256/{name}" for name in ("expand", "reduce", "step 1", "step 2", "step 4", "end", "begin 2", "long group")),
    *(f"vmsl/{name}" for name in ("expand", "reduce", "step 1", "step 2")),
    *(f"scalar64/{name}" for name in ("begin", "block", "blocks 2", "last", "end", "start", "four", "finish")),
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
