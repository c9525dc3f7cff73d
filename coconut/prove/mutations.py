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
    r"scalar32/.*: v\d+ = t\[4\] = v\d+: another value": "the value before it is below 2^32 already",
    r"scalar32/.*: v\d+ = k\[4\] = .*: another value": "5/4 of the lowest limb of r is not used",
    r"ends26x2/end 5: v\d+ = add\(v\d+, v55\): .*": "the carry into the lowest limb is 0",
    r"ends26x2/begun 1: v1[458] = .*": "when a message begins matters only by which steps come before",
    r"vmsum/leave: v\d+ = constant\(4398046511103\): .*": "all bits that the mask keeps, but the highest two, are shifted out",
    r"neon32/step 1: v\d+ = block\(R\^1\[4\], 0\): .*": "the last number of a multiplier fills its vector",
    r"tag/padded.*: 0x100000000000000 = splat: the constant 0x100000000000001": "the lowest bit is shifted out",
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


# Constants of lanes, and of words.
CONSTANTS = {"splat", "constant"}


def mutants(graph: Graph) -> Iterator[tuple[str, str, Graph]]:
    """Return graphs that differ from one in a node, the operation there, and what is different: every second change."""
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
        if node.op == "output" and i + 1 < len(nodes):
            made.append(("another value", (replace(node, args=(node.args[0] - 1,)),)))
        for what, new in alternating(made, i):
            yield node.op, f"{graph.label(i)} = {graph.expression(i)}: {what}", with_node(graph, i, *new)


def without_limits(graph: Graph) -> Graph:
    """Return the graph without the bounds that the code states, which are proved elsewhere: values must be wrong."""
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
    *(f"scalar64/{name}" for name in ("first", "small block", "small last", "small end 5", "end 5")),
    *(f"scalar32/{name}" for name in ("block", "end 5")),
    *(f"ends26x2/{name}" for name in ("first 1", "end 5", "keys", "begun 1", "short", "finish")),
    *("ends44x4/finish", "vmsum/enter", "vmsum/leave", "neon32/step 1", "vsx/expand"),
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
