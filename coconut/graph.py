# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Represent basic blocks as data-flow graphs, which coconut/lanes/recorder.h writes."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from coconut.operations import MULTIPLICATIONS, WORD32_MAX, WORD_MAX

# Where an input is. A word is one 64-bit number, in memory.
REGISTER, MEMORY, WORD = 0, 1, 2


@dataclass(frozen=True)
class Node:
    """A value: the operation that makes it, and its operands.

    name is that of an input or an output; limit is the bound that the code states for each lane.
    """

    op: str
    args: tuple[int, ...] = ()
    imm: tuple[int, ...] = ()
    limit: int = WORD_MAX
    name: str = ""

    @property
    def in_memory(self) -> bool:
        """Return whether this is an input in memory."""
        return self.op == "input" and self.imm != (REGISTER,)

    @property
    def stored_at(self) -> int | None:
        """Return the offset in bytes of an output in memory; otherwise None."""
        return self.imm[1] if self.op == "output" and self.imm[:1] == (MEMORY,) else None


@dataclass(frozen=True)
class Graph:
    """A basic block: its nodes, each after its operands."""

    kernel: str
    lanes: int
    name: str
    advance: int
    nodes: tuple[Node, ...]

    @property
    def title(self) -> str:
        return f"{self.kernel}/{self.name}"

    def inputs(self) -> list[int]:
        return [i for i, node in enumerate(self.nodes) if node.op == "input"]

    def outputs(self) -> list[int]:
        return [i for i, node in enumerate(self.nodes) if node.op == "output"]

    def is_word(self, i: int) -> bool:
        """Return whether an input or an output is one number instead of one for each lane."""
        node = self.nodes[i]
        return node.imm == (WORD,) if node.op == "input" else self.nodes[node.args[0]].op in {"sum", "word"}

    def loading(self) -> "Graph":
        """Return the block with all inputs in memory, for one that is not a loop."""
        nodes = (
            replace(node, imm=(MEMORY,)) if node.op == "input" and node.imm == (REGISTER,) else node
            for node in self.nodes
        )
        return replace(self, nodes=tuple(nodes))

    def carried(self) -> dict[str, tuple[int, int]]:
        """Return, for each name that a loop carries to the next iteration, its input and its output.

        The result is empty if the block is not a loop.
        """
        if self.advance == 0:
            return {}
        outputs = {self.nodes[i].name: i for i in self.outputs()}
        return {
            self.nodes[i].name: (i, outputs[self.nodes[i].name]) for i in self.inputs() if self.nodes[i].name in outputs
        }

    def one_lane(self, lane: int) -> "Graph":
        """Return what a lane of words does, if no word moves between lanes; its words in memory are adjacent.

        Below 0 are the lanes before the first one.
        """
        nodes = []
        for node in self.nodes:
            if node.op == "words":
                step = node.imm[1] - node.imm[0]
                node = replace(node, imm=(node.imm[0] + lane * step & WORD32_MAX,))
            elif node.stored_at is not None:
                node = replace(node, imm=(node.imm[0], node.imm[1] // self.lanes))
            elif node.op == "load_words":
                node = replace(node, imm=(node.imm[0] // self.lanes,))
            elif node.op in {"shuffle", "state_row"}:
                raise ValueError(f"{self.title}: {node.op} is not in one lane")
            nodes.append(node)
        return replace(self, lanes=1, nodes=tuple(nodes))

    def users(self) -> list[list[int]]:
        """Return, for each node, its users."""
        users: list[list[int]] = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes):
            for arg in dict.fromkeys(node.args):
                users[arg].append(i)
        return users

    def label(self, i: int) -> str:
        """Return the name of an input, the value of a constant, or otherwise the number of the node."""
        node = self.nodes[i]
        if node.op == "input":
            return node.name
        if node.op == "splat":
            return hex(node.imm[0])
        return f"v{i}"

    def expression(self, i: int) -> str:
        """Return the operation that makes a value, as a term over its operands."""
        node = self.nodes[i]
        terms = [self.label(arg) for arg in node.args]
        if node.op not in {"input", "splat"}:
            terms += [str(value) for value in node.imm]
        if node.op == "output":
            return f"{node.name} = {terms[0]}"
        return node.op + (f"({', '.join(terms)})" if terms else "")

    def phases(self) -> list[str]:
        """Return, for each node, the phase of the evaluation to which it belongs by its place in the graph.

        A node that depends on no product is "expand"; a product, and a sum to which a product is added, is "multiply";
        what follows is "reduce". If nothing is loaded or multiplied, everything is "reduce": sums are reduced.
        """
        if not any(node.op in MULTIPLICATIONS or node.op.startswith("load_") for node in self.nodes):
            return ["reduce"] * len(self.nodes)
        phases: list[str] = []
        for node in self.nodes:
            operands = [self.nodes[arg] for arg in node.args]
            if node.op in MULTIPLICATIONS or node.op == "add" and any(arg.op == "mul32" for arg in operands):
                phases.append("multiply")
            elif any(phases[arg] != "expand" for arg in node.args):
                phases.append("reduce")
            else:
                phases.append("expand")
        return phases

    def simplified(self) -> "Graph":
        """Return the graph after common subexpression elimination, constant folding and dead code elimination."""
        nodes: list[Node] = []
        known: dict[tuple, int] = {}
        place: list[int] = []
        for node in self.nodes:
            node = replace(node, args=tuple(place[arg] for arg in node.args))
            operands = [nodes[arg] for arg in node.args]
            zero = [arg.op == "splat" and arg.imm == (0,) for arg in operands]
            if node.op in {"add", "or"} and any(zero):
                place.append(node.args[1 if zero[0] else 0])
                continue
            if node.op == "shl" and operands[0].op == "splat":
                node = Node("splat", (), (operands[0].imm[0] << node.imm[0] & WORD_MAX,), node.limit)
            key = (node.op, node.args, node.imm, node.name)
            if key not in known:
                known[key] = len(nodes)
                nodes.append(node)
            elif node.limit < nodes[known[key]].limit:
                nodes[known[key]] = replace(nodes[known[key]], limit=node.limit)
            place.append(known[key])
        return replace(self, nodes=tuple(nodes)).without_dead_nodes()

    def without_dead_nodes(self) -> "Graph":
        """Return the graph without dead nodes.

        All inputs stay, because their order says where in memory they are.
        """
        needed = set(self.inputs())
        for i in reversed(range(len(self.nodes))):
            if self.nodes[i].op == "output" or i in needed:
                needed.add(i)
                needed.update(self.nodes[i].args)
        order = sorted(needed)
        place = {old: new for new, old in enumerate(order)}
        return replace(
            self,
            nodes=tuple(replace(self.nodes[i], args=tuple(place[arg] for arg in self.nodes[i].args)) for i in order),
        )


def read_graphs(path: Path, kernel: str) -> dict[str, Graph]:
    """Return the graphs of a kernel's basic blocks, by name."""
    content = json.loads(path.read_text())
    graphs = {}
    for block in content["blocks"]:
        nodes = tuple(
            Node(node["op"], tuple(node["args"]), tuple(node["imm"]), node["max"], node["name"])
            for node in block["nodes"]
        )
        graphs[block["name"]] = Graph(kernel, content["lanes"], block["name"], block["advance"], nodes)
    return graphs
