# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Represent programs: graphs of instructions, which selection makes of graphs, with unlimited registers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from coconut.architecture import Architecture
from coconut.graph import Graph
from coconut.instructions import Op, octets, of_octets
from coconut.operations import Value
from coconut.simulate import Mismatch, Sample


def memory_inputs(graph: Graph, vector_bytes: int) -> dict[int, int]:
    """Return the offset of each input in memory from the pointer to the powers."""
    places, place = {}, 0
    for i in graph.inputs():
        if graph.nodes[i].in_memory:
            places[i] = place
            place += 8 if graph.is_word(i) else vector_bytes
    return places


@dataclass(frozen=True)
class Program:
    """Instructions on numbered values.

    First come the values in registers (inputs, then constants that are kept there), then the results of the
    instructions. order[i] is the block in lane i.
    """

    architecture: Architecture
    graph: Graph
    order: tuple[int, ...]
    inputs: tuple[str, ...]
    kept: tuple[Value, ...]
    ops: tuple[Op, ...]
    outputs: tuple[tuple[str, int], ...]
    constants: tuple[Value, ...]
    choices: str = ""

    @property
    def first_op(self) -> int:
        """Return the number of the first instruction's result."""
        return len(self.inputs) + len(self.kept)

    @property
    def is_loop(self) -> bool:
        return self.graph.advance != 0

    @property
    def ends(self) -> bool:
        """Return whether the block leaves words; it is then the last of a message."""
        return not self.is_loop and self.words >= set(self.memory_outputs())

    @property
    def loads_message(self) -> bool:
        return any(op.memory is not None and op.memory.base == "message" for op in self.ops)

    def memory_inputs(self) -> dict[str, int]:
        """Return the offset of each input in memory from the pointer to the powers."""
        places = memory_inputs(self.graph, self.architecture.vector_bytes)
        return {self.graph.nodes[i].name: place for i, place in places.items()}

    @cached_property
    def words(self) -> set[str]:
        """Return the names of inputs and outputs that are words."""
        graph = self.graph
        return {graph.nodes[i].name for i in [*graph.inputs(), *graph.outputs()] if graph.is_word(i)}

    def is_word(self, name: str) -> bool:
        return name in self.words

    def memory_outputs(self) -> dict[str, int]:
        """Return the offset of each output from the pointer to the state.

        This is for a block that is not a loop.
        """
        places, place = {}, 0
        for name, _ in self.outputs:
            places[name] = place
            place += 8 if self.is_word(name) else self.architecture.vector_bytes
        return places

    @cached_property
    def stored(self) -> set[str]:
        """Return the names of outputs that the graph has in memory."""
        nodes = (self.graph.nodes[i] for i in self.graph.outputs())
        return {node.name for node in nodes if node.stored_at is not None}

    def input_words(self) -> int:
        """Return the length of the inputs in memory, in 64-bit words."""
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in self.memory_inputs())

    def output_words(self) -> int:
        """Return the length of the accumulator, or of the outputs of a block that is not a loop, in 64-bit words."""
        names = [name for name, _ in self.outputs] if not self.is_loop else self.inputs
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in names)

    def words_of(self, sample: Sample) -> dict[str, list[int]]:
        """Return what an emitted function takes and leaves, as words in memory: accumulator, powers, accumulator.

        A block that is not a loop takes no accumulator.
        """

        def flat(names: Iterable[str], values: dict[str, Value]) -> list[int]:
            return [number for name in names for number in to_lanes(self, name, values[name])]

        return {
            "t": flat(self.inputs, sample.inputs),
            "powers": flat(self.memory_inputs(), sample.inputs),
            "want": flat(self.inputs if self.is_loop else self.memory_outputs(), sample.outputs),
        }

    def carried(self) -> dict[int, int]:
        """Return, for each input that the loop carries, the value that the next iteration gets for it."""
        names = self.graph.carried()
        outputs = dict(self.outputs)
        return {i: outputs[name] for i, name in enumerate(self.inputs) if name in names}

    def label(self, value: int) -> str:
        """Return the name of a value: that of the graph's input, output or other value, or where it is loaded from."""
        if value < self.first_op:
            return self.inputs[value] if value < len(self.inputs) else "constant"
        op = self.ops[value - self.first_op]
        if op.memory is not None and not op.args:
            if op.memory.base != "powers":
                return op.memory.base
            return next((name for name, at in reversed(self.memory_inputs().items()) if at <= op.memory.offset), "")
        return self.output_names.get(op.node) or (self.graph.label(op.node) if op.node >= 0 else "")

    @cached_property
    def output_names(self) -> dict[int, str]:
        """Return the names of outputs by the node that they hold."""
        return {self.graph.nodes[i].args[0]: self.graph.nodes[i].name for i in self.graph.outputs()}

    def constant_vectors(self) -> list[Value]:
        """Return all constants in memory: those of instructions, then those that are kept in registers."""
        return [*self.constants, *self.kept]

    def in_register(self, value: int) -> bool:
        """Return whether the value is in a register with a number, not in flags or a multiplication's fixed registers."""
        return value < self.first_op or not self.ops[value - self.first_op].instruction.implicit

    def implicit_edges(self) -> list[tuple[int, int]]:
        """Return the pairs of instructions between which flags and the like carry values."""
        return [
            (op.args[operand] - self.first_op, i)
            for i, op in enumerate(self.ops)
            for operand, _ in op.instruction.implicit_uses
        ]

    def bundles(self) -> list[range]:
        """Return all instructions in bundles that stay together: the live ranges of flags and the like."""
        ends = list(range(len(self.ops)))
        for before, after in self.implicit_edges():
            ends[before] = max(ends[before], after)
        parts, start, end = [], 0, 0
        for i in range(len(self.ops)):
            if i > end:
                parts.append(range(start, i))
                start = end = i
            end = max(end, ends[i])
        return [*parts, range(start, len(self.ops))] if self.ops else []

    def check_implicit(self) -> None:
        """Raise Mismatch if a flag, or the like, is clobbered before its use."""
        held: dict[str, int] = {}
        for i, op in enumerate(self.ops):
            for operand, place in op.instruction.implicit_uses:
                if held.get(place) != op.args[operand]:
                    raise Mismatch(
                        f"{self.graph.title}: {op.instruction.name} takes {place} after something else has overwritten it"
                    )
            for place in op.instruction.clobbers:
                held.pop(place, None)
            for place in op.instruction.implicit_defs:
                held[place] = self.first_op + i

    def reordered(self, order: list[int]) -> "Program":
        """Return the program with its instructions in another order, in which they must be able to run."""
        first = self.first_op
        place = {first + old: first + new for new, old in enumerate(order)}
        at = [place.get(value, value) for value in range(first + len(self.ops))]
        ops = tuple(replace(self.ops[old], args=tuple(at[arg] for arg in self.ops[old].args)) for old in order)
        if any(arg >= first + i for i, op in enumerate(ops) for arg in op.args):
            raise Mismatch(f"{self.graph.title}: an instruction comes before an operand")
        return replace(self, ops=ops, outputs=tuple((name, at[value]) for name, value in self.outputs))


def as_stored(architecture: Architecture, words: Iterable[Any]) -> Value:
    """Return 32-bit words, least significant byte first in memory, as the CPU's words."""
    return of_octets(octets(words, 4), 4, "big") if architecture.big_endian else tuple(words)


def to_lanes(program: Program, name: str, value: Value) -> Value:
    """Return an input or an output as a register holds it.

    A word is one element; a 128-bit sum is two, the high one first; otherwise there is one for each block.
    """
    if program.is_word(name):
        return value
    if name in program.stored:
        return as_stored(program.architecture, value)
    if program.architecture.pack is not None:
        return program.architecture.pack(value)
    if len(value) == 1 and len(program.order) != 1:
        return (value[0] >> 64, value[0] & (1 << 64) - 1)
    return tuple(value[block] for block in program.order)
