# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Interpret graphs, and compare the results with the values of the library's model lanes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from coconut.graph import Graph, Node
from coconut.operations import OPERATIONS, STATE_LOADS, WORD_MAX, Value, load


@dataclass(frozen=True)
class Sample:
    """The inputs of a basic block, and the outputs of the model lanes."""

    block: str
    number: int
    message: bytes
    inputs: dict[str, Value]
    outputs: dict[str, Value]

    @property
    def state(self) -> Value:
        """Return the words of ChaCha20's state, in memory; none for other blocks."""
        return self.inputs.get("state[0]", ())


def numbers(words: list[str]) -> Value:
    return tuple(int(word, 16) for word in words)


def read_samples(path: Path) -> Iterator[Sample]:
    for entry in json.loads(path.read_text())["values"]:
        yield Sample(
            entry["block"],
            entry["sample"],
            bytes.fromhex(entry["message"]),
            {name: numbers(words) for name, words in entry["inputs"].items()},
            {name: numbers(words) for name, words in entry["outputs"].items()},
        )


class Mismatch(Exception):
    """Raised if a value is not what it must be."""


def states_limit(graph: Graph, node: Node, value: Value) -> bool:
    """Return whether the limit of a node is one of its value: that of a sum may be left out, and has more than a word."""
    return len(value) == graph.lanes or node.limit > WORD_MAX


def simulate(graph: Graph, sample: Sample) -> list[Value]:
    """Return every value of the graph, after checking the bounds that the code states."""
    values: list[Value] = []
    for i, node in enumerate(graph.nodes):
        if node.op == "input":
            value = sample.inputs[node.name]
        elif node.op in STATE_LOADS:
            value = STATE_LOADS[node.op](graph.lanes, node.imm[0], sample.state)
        elif node.op.startswith("load_"):
            value = load(node.op, graph.lanes, node.imm, sample.message)
        else:
            value = OPERATIONS[node.op](graph.lanes, node.imm, *(values[arg] for arg in node.args))
        if max(value) > node.limit and states_limit(graph, node, value):
            raise Mismatch(
                f"{graph.title}, sample {sample.number}: {graph.label(i)} = {graph.expression(i)} is "
                f"{max(value):#x}, above {node.limit:#x}"
            )
        values.append(value)
    return values


def outputs_of(graph: Graph, sample: Sample) -> dict[str, Value]:
    values = simulate(graph, sample)
    return {graph.nodes[i].name: values[i] for i in graph.outputs()}


def after(graph: Graph, sample: Sample, iterations: int) -> Iterator[Sample]:
    """Yield the samples of a loop's iterations, each with the outputs of the one before it; the message stays."""
    for i in range(iterations):
        if i:
            carried = {name: sample.outputs[name] for name in graph.carried()}
            sample = replace(sample, inputs=sample.inputs | carried)
            sample = replace(sample, outputs=outputs_of(graph, sample))
        yield sample


def compare(graph: Graph, sample: Sample) -> None:
    """Raise Mismatch unless the graph computes the same as the model lanes."""
    outputs = outputs_of(graph, sample)
    if outputs.keys() != sample.outputs.keys():
        raise Mismatch(f"{graph.title}: outputs {sorted(outputs)} are not {sorted(sample.outputs)}")
    for name, expected in sample.outputs.items():
        if outputs[name] != expected:
            raise Mismatch(
                f"{graph.title}, sample {sample.number}: {name} is {show(outputs[name])}, not {show(expected)}"
            )


def show(value: Value) -> str:
    return " ".join(f"{number:#x}" for number in value)


def trace(graph: Graph, sample: Sample) -> str:
    """Return every value with its expression, as in section 8 of the z14 paper."""
    return "\n".join(
        f"{graph.label(i) if graph.nodes[i].op != 'output' else '':8} ({show(value)}, {graph.expression(i)})"
        for i, value in enumerate(simulate(graph, sample))
    )
