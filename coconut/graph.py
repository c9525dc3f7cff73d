# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Data-flow graphs of straight lines of code, as coconut/lanes/recorder.h writes them."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import networkx

from coconut.operations import MULTIPLICATIONS, WORD_MAX

# Where an input is. A word is in memory, and one number of 64 bits.
REGISTER, MEMORY, WORD = 0, 1, 2


@dataclass(frozen=True)
class Node:
    """A value, by the operation that makes it of others. What it is the output or the input of, if it is, stands in name;
    limit is the bound that the code states for each lane."""

    op: str
    args: tuple[int, ...] = ()
    imm: tuple[int, ...] = ()
    limit: int = WORD_MAX
    name: str = ""

    @property
    def in_memory(self) -> bool:
        """Of an input."""
        return self.op == "input" and self.imm != (REGISTER,)

    @property
    def stored_at(self) -> int | None:
        """Of an output in memory, from which byte on."""
        return self.imm[1] if self.op == "output" and self.imm[:1] == (MEMORY,) else None


@dataclass(frozen=True)
class Graph:
    """A line: its nodes, each after those that it takes."""

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
        """Of an input or an output: whether it is one number, in place of one for each lane."""
        node = self.nodes[i]
        return node.imm == (WORD,) if node.op == "input" else self.nodes[node.args[0]].op in {"sum", "word"}

    def loading(self) -> "Graph":
        """A line that is no loop, with all inputs in memory."""
        nodes = (
            replace(node, imm=(MEMORY,)) if node.op == "input" and node.imm == (REGISTER,) else node
            for node in self.nodes
        )
        return replace(self, nodes=tuple(nodes))

    def carried(self) -> dict[str, tuple[int, int]]:
        """From one turn of the loop to the next: input and output of each name. None if the line is no loop."""
        if self.advance == 0:
            return {}
        outputs = {self.nodes[i].name: i for i in self.outputs()}
        return {
            self.nodes[i].name: (i, outputs[self.nodes[i].name]) for i in self.inputs() if self.nodes[i].name in outputs
        }

    def users(self) -> list[list[int]]:
        """Of each node those that take it."""
        users: list[list[int]] = [[] for _ in self.nodes]
        for i, node in enumerate(self.nodes):
            for arg in dict.fromkeys(node.args):
                users[arg].append(i)
        return users

    def label(self, i: int) -> str:
        """What a value is called: an input by its name, a constant by its value, others by their numbers."""
        node = self.nodes[i]
        if node.op == "input":
            return node.name
        if node.op == "splat":
            return hex(node.imm[0])
        return f"v{i}"

    def expression(self, i: int) -> str:
        """The operation that makes a value, as a term over its operands."""
        node = self.nodes[i]
        terms = [self.label(arg) for arg in node.args]
        if node.op not in {"input", "splat"}:
            terms += [str(value) for value in node.imm]
        if node.op == "output":
            return f"{node.name} = {terms[0]}"
        return node.op + (f"({', '.join(terms)})" if terms else "")

    def phases(self) -> list[str]:
        """Of each node, to which part of the evaluation it belongs, by where it stands: what no product leads to is
        "expand"; a product, and a sum that a product is added to, "multiply"; what comes after, "reduce". Where nothing
        is loaded or multiplied, sums are reduced."""
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

    def networkx(self) -> "networkx.DiGraph":
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self.nodes)))
        graph.add_edges_from((arg, i) for i, node in enumerate(self.nodes) for arg in node.args)
        return graph

    def simplified(self) -> "Graph":
        """The same values by fewer nodes: equal ones once, none that nothing takes, no sum with zero, constants computed."""
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
        return replace(self, nodes=tuple(nodes)).without_dead()

    def without_dead(self) -> "Graph":
        """Without what no output needs, but with all inputs, whose order says where in memory they are."""
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
    """The lines of a kernel by their names."""
    content = json.loads(path.read_text())
    graphs = {}
    for line in content["lines"]:
        nodes = tuple(
            Node(node["op"], tuple(node["args"]), tuple(node["imm"]), node["max"], node["name"])
            for node in line["nodes"]
        )
        graphs[line["name"]] = Graph(kernel, content["lanes"], line["name"], line["advance"], nodes)
    return graphs
