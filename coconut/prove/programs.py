# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove programs: what instruction selection makes of graphs.

A program is interpreted on symbolic numbers by interpret.py, with the meanings of the tables of instructions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures import SCALAR, architectures_of
from coconut.functions import program_of
from coconut.graph import Graph
from coconut.interpret import Storage, execute, store
from coconut.program import Program, to_lanes
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Lanes, Message, Ring, Unproved
from coconut.prove.proof import Proved, proved
from coconut.select import Unsupported, supported

WORD_BYTES = 8  # of a message


@dataclass
class SymbolicMemory(dict[tuple[str, int], Any]):
    """Memory that has symbolic bytes at some bases, from offset 0 on.

    - lengths: how many bytes may be read of each base; if a base is not there, any number.
    """

    messages: dict[str, Message]
    byte_order: str
    lengths: Mapping[str, int] = field(default_factory=dict)

    def __missing__(self, place: tuple[str, int]) -> Any:
        base, offset = place
        if base not in self.messages:
            raise KeyError(place)
        if offset < 0 or offset + WORD_BYTES > self.lengths.get(base, offset + WORD_BYTES):
            known = (
                f"of which {self.lengths[base]} may be read here" if base in self.lengths else "of which none is there"
            )
            raise Unproved(f"{WORD_BYTES} bytes at {offset} of {base} are read, {known}")
        return self.messages[base].word(offset, self.byte_order)


def values_of(program: Program, proof: BlockProof) -> list[Lanes]:
    """Return every value of a program, as its register holds it."""
    size, inputs = program.architecture.word_bytes, proof.claims.inputs
    storage: Storage = SymbolicMemory({"message": proof.claims.message}, program.architecture.byte_order)
    store(storage, "constants", program.constants, size)
    store(storage, "powers", (to_lanes(program, name, inputs[name]) for name in program.memory_inputs()), size)
    return execute(
        program, [*(to_lanes(program, name, inputs[name]) for name in program.inputs), *program.kept], storage
    )


def from_lanes(program: Program, name: str, value: Lanes) -> Lanes:
    """Return an input or an output with a number for each block: the inverse of to_lanes."""
    architecture, lanes = program.architecture, program.graph.lanes
    if program.is_word(name):
        return value[:1]
    if architecture.pack is None:
        return tuple(value[program.order.index(block)] for block in range(lanes))
    found = []
    for block in range(lanes):
        packed = architecture.pack(tuple(int(i == block) for i in range(lanes)))
        i = next(i for i, number in enumerate(packed) if number)
        found.append(value[i] >> packed[i].bit_length() - 1 & 0xFFFFFFFF)
    return tuple(found)


def check_program(proof: BlockProof, program: Program) -> int:
    """Raise Unproved unless a program has the outputs that are claimed of its basic block."""
    values = values_of(program, proof)
    outputs = {name: from_lanes(program, name, values[value]) for name, value in program.outputs}
    nodes = proof.graph.nodes
    for node in (nodes[i] for i in proof.graph.outputs()):
        # Outputs that are inputs in memory stay there.
        if node.name not in outputs and nodes[node.args[0]].op == "input":
            outputs[node.name] = proof.claims.inputs[nodes[node.args[0]].name]
    return proof.claims.check(outputs)


def programs_for(architecture: Architecture, graph: Graph) -> list[Program]:
    """Return the programs for a graph, as they are emitted; none if the architecture lacks an operation."""
    if architecture not in SCALAR:
        return supported(architecture, graph)
    try:
        return [program_of(architecture, graph)]
    except Unsupported:
        return []


def prove_selections(kernel: str, certify: bool = False) -> Iterator[Proved]:
    """Prove all instruction selections of a kernel's basic blocks."""
    for graph in graphs_of(kernel).values():
        for architecture in architectures_of(kernel):
            programs = programs_for(architecture, graph)
            if not programs:
                continue
            ring = Ring.of(f"{graph.title}, {architecture.name}", certify)
            proof = BlockProof(graph, architecture.big_endian, ring)
            proof.check_graph()
            for program in programs:
                title = f"{graph.title}, {architecture.name}, {program.choices or 'selected'}"
                yield proved(title, partial(check_program, proof, program), ring)
