# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes, one at a time, which proofs must refuse.

Graphs: another shift, mask, operand, operation or offset in each node. Go's assembly: each line left out, another
immediate, register or offset. What survives computes the same, for a reason that EQUIVALENT names.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from coconut.architectures import SCALAR, SCALAR_NAME
from coconut.assembler import ParseError
from coconut.graph import Graph, Node
from coconut.operations import SUM_MAX
from coconut.prove.go import prove_message, prove_scalar, prove_single_loop, text_of
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Unproved
from coconut.simulate import Mismatch


@dataclass
class Tally:
    """How many mistakes were refused, and those that were not."""

    refused: int = 0
    survivors: list[str] = field(default_factory=list)

    def plant(self, title: str, prove: Callable[[], object]) -> None:
        """Count a mistake, which `prove` contains."""
        try:
            prove()
        except (Unproved, Mismatch, ParseError):
            self.refused += 1
        else:
            self.survivors.append(title)

    @property
    def planted(self) -> int:
        return self.refused + len(self.survivors)


# Survivors that compute the same: a pattern of their titles, and the reason.
EQUIVALENT = {
    r"riscv64 .*: SLTU .*: another register": "a sum is less than either of its operands if it has wrapped",
    r"s390x .*: MOVD \$0, R11 .*": "the register is 0 already",
    r"s390x .*: VZERO V\d+: .*": "the register is 0 already",
    r"amd64 avx2By2.*: VPAND 0\(DX\), .*: another offset": "the last lane has another constant, and is not used",
    r"scalar32/.*: v\d+ = t\[4\] = v\d+: another value": "the value before it is below 2^32 already",
    r"scalar32/.*: v\d+ = k\[4\] = .*: another value": "5/4 of the lowest limb of r is not used",
    r"ends26x2/end 5: v\d+ = add\(v\d+, v55\): .*": "the carry into the lowest limb is 0",
    r"ends26x2/begun 1: v1[458] = .*": "when a message begins matters only by which steps come before",
    r"vmsum/leave: v\d+ = constant\(4398046511103\): .*": "all bits that the mask keeps, but the highest two, are shifted out",
    r"neon32/step 1: v\d+ = block\(R\^1\[4\], 0\): .*": "the last number of a multiplier fills its vector",
    r"tag/padded.*: 0x100000000000000 = splat: the constant 0x100000000000001": "the lowest bit is shifted out",
    r"amd64 .*: VMOVDQU Y0, \d+\(BX\): another register": "every register is 0 while the frame is cleared",
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


def mutants(graph: Graph) -> Iterator[tuple[str, Graph]]:
    """Return graphs that differ from one in a node, and what is different."""
    nodes, inputs = graph.nodes, set(graph.inputs())
    for i, node in enumerate(nodes):
        # The bounds that the code states are proved elsewhere: here, values must be wrong.
        node = replace(node, limit=SUM_MAX)
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
        for what, new in made:
            yield f"{graph.label(i)} = {graph.expression(i)}: {what}", with_node(graph, i, *new)


def without_limits(graph: Graph) -> Graph:
    return replace(graph, nodes=tuple(replace(node, limit=SUM_MAX) for node in graph.nodes))


def plant_in_graph(tally: Tally, graph: Graph) -> None:
    # A recorded graph has nodes that nothing uses.
    simplified = without_limits(graph.simplified())
    for what, mutant in mutants(simplified):
        tally.plant(f"{graph.title}: {what}", lambda mutant=mutant: BlockProof(graph).check_graph(mutant))  # type: ignore[misc]


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
        tally = Tally()
        plant_in_graph(tally, graphs_of(kernel)[name])
        yield title, tally


def changed_lines(line: str) -> Iterator[tuple[str, str]]:
    """Return what can be written in place of a line of Go's assembly, and what is different."""
    code, _, comment = line.partition("//")
    if not code.startswith("\t") or re.match(r"\t(RET|PCALIGN|VZEROUPPER)", code):
        return
    yield "left out", ""
    for pattern, text in (
        (r"\$(\d+),", "immediate"),
        (r"\b(\d+)\(\w+\)", "offset"),
        (r"\b[XYZVRF](\d+)\b", "register"),
    ):
        found = re.search(pattern, code)
        if found:
            start, end = found.span(1)
            step = 8 if text == "offset" else 1
            yield f"another {text}", f"{code[:start]}{int(found[1]) + step}{code[end:]}"


def plant_in_text(title: str, text: str, name: str, prove: Callable[[str], object], every: int = 1) -> Tally:
    """Plant mistakes in each line of a function, or in every n-th."""
    tally, lines = Tally(), text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"TEXT ·{name}(SB)"))
    end = next(i for i in range(start, len(lines)) if lines[i] == "\tRET")
    for i in range(start + 1, end, every):
        for what, line in changed_lines(lines[i]):
            mutant = "\n".join([*lines[:i], line, *lines[i + 1 :]])
            tally.plant(f"{title}: {lines[i].strip()}: {what}", lambda mutant=mutant: prove(mutant))  # type: ignore[misc]
    return tally


def plant_in_go() -> Iterator[tuple[str, Tally]]:
    """Plant mistakes in functions of the Go module; yield the name of each, and what became of them."""
    for architecture in SCALAR:
        title, text = f"{architecture.goarch} {SCALAR_NAME}", text_of(f"emitted_scalar_{architecture.goarch}.s")
        prove = partial(prove_scalar, architecture)
        yield title, plant_in_text(title, text, SCALAR_NAME, prove)
    title, text = "s390x vmslBy1", text_of("emitted_lanes_s390x.s")
    yield title, plant_in_text(title, text, "vmslBy1", partial(prove_single_loop, "vmslBy1"))
    text = text_of("emitted_lanes_amd64.s")
    for name, every in (("avx2By2", 16), ("ifmaBy4", 128)):
        title = f"amd64 {name}, every {every}th line"
        yield title, plant_in_text(title, text, name, partial(prove_message, name), every)
