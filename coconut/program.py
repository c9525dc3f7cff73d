# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Represent programs: graphs of instructions, which selection makes of graphs, with unlimited registers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from coconut.architecture import Architecture
from coconut.graph import Graph
from coconut.instructions import Memory, Op
from coconut.operations import Value
from coconut.simulate import Broken, Sample, show


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

    def input_words(self) -> int:
        """Return the length of the inputs in memory, in 64-bit words."""
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in self.memory_inputs())

    def output_words(self) -> int:
        """Return the length of the accumulator, or of the outputs of a block that is not a loop, in 64-bit words."""
        names = [name for name, _ in self.outputs] if not self.is_loop else self.inputs
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in names)

    def carried(self) -> dict[int, int]:
        """Return, for each input that the loop carries, the value that the next iteration gets for it."""
        names = self.graph.carried()
        outputs = dict(self.outputs)
        return {i: outputs[name] for i, name in enumerate(self.inputs) if name in names}

    def in_register(self, value: int) -> bool:
        """Return whether the value is in a register with a number, not in flags or a multiplication's fixed registers."""
        return value < self.first_op or not self.ops[value - self.first_op].instruction.hidden

    def hidden_takes(self) -> list[tuple[int, int]]:
        """Return the pairs of instructions between which flags and the like carry values."""
        return [
            (op.args[operand] - self.first_op, i)
            for i, op in enumerate(self.ops)
            for operand, _ in op.instruction.takes
        ]

    def groups(self) -> list[range]:
        """Return all instructions in groups that stay together: from one that sets a flag to one that takes it."""
        ends = list(range(len(self.ops)))
        for before, after in self.hidden_takes():
            ends[before] = max(ends[before], after)
        parts, start, end = [], 0, 0
        for i in range(len(self.ops)):
            if i > end:
                parts.append(range(start, i))
                start = end = i
            end = max(end, ends[i])
        return [*parts, range(start, len(self.ops))] if self.ops else []

    def check_hidden(self) -> None:
        """Raise Broken if a flag, or the like, is overwritten before it is taken."""
        held: dict[str, int] = {}
        for i, op in enumerate(self.ops):
            for operand, place in op.instruction.takes:
                if held.get(place) != op.args[operand]:
                    raise Broken(
                        f"{self.graph.title}: {op.instruction.name} takes {place} after something else has overwritten it"
                    )
            for place in op.instruction.destroys:
                held.pop(place, None)
            for place in op.instruction.gives:
                held[place] = self.first_op + i

    def reordered(self, order: list[int]) -> "Program":
        """Return the program with its instructions in another order, in which they must be able to run."""
        first = self.first_op
        place = {first + old: first + new for new, old in enumerate(order)}
        at = [place.get(value, value) for value in range(first + len(self.ops))]
        ops = tuple(replace(self.ops[old], args=tuple(at[arg] for arg in self.ops[old].args)) for old in order)
        if any(arg >= first + i for i, op in enumerate(ops) for arg in op.args):
            raise Broken(f"{self.graph.title}: an instruction comes before an operand")
        return replace(self, ops=ops, outputs=tuple((name, at[value]) for name, value in self.outputs))


def to_lanes(program: Program, name: str, value: Value) -> Value:
    """Return an input or an output as a register holds it.

    A word is one element; a 128-bit sum is two, the high one first; otherwise there is one for each block.
    """
    if program.is_word(name):
        return value
    if program.architecture.pack is not None:
        return program.architecture.pack(value)
    if len(value) == 1 and len(program.order) != 1:
        return (value[0] >> 64, value[0] & (1 << 64) - 1)
    return tuple(value[block] for block in program.order)


def byte_order(program: Program) -> Literal["big", "little"]:
    return "big" if program.architecture.big_endian else "little"


def memory_of(program: Program, sample: Sample) -> dict[str, bytes]:
    """Return what the pointers point to."""

    def pack(vectors: list[Value]) -> bytes:
        size = program.architecture.word_bytes
        return b"".join(number.to_bytes(size, byte_order(program)) for vector in vectors for number in vector)

    return {
        "message": sample.message,
        "constants": pack(list(program.constants)),
        "powers": pack([to_lanes(program, name, sample.inputs[name]) for name in program.memory_inputs()]),
        "state": pack([sample.state]),
    }


def words_of(program: Program, sample: Sample) -> dict[str, list[int]]:
    """Return what an emitted function takes and leaves, as words in memory: accumulator, powers, accumulator.

    A block that is not a loop takes no accumulator.
    """

    def flat(names: Iterable[str], values: dict[str, Value]) -> list[int]:
        return [number for name in names for number in to_lanes(program, name, values[name])]

    return {
        "t": flat(program.inputs, sample.inputs),
        "powers": flat(program.memory_inputs(), sample.inputs),
        "want": flat(program.inputs if program.is_loop else program.memory_outputs(), sample.outputs),
    }


def load(program: Program, memory: dict[str, bytes], place: Memory) -> Value:
    vector_bytes, size = program.architecture.vector_bytes, program.architecture.word_bytes
    stride = 0 if place.broadcast else place.stride or size
    starts = [place.offset + stride * i for i in range(vector_bytes // size)]
    return tuple(int.from_bytes(memory[place.base][i : i + size], byte_order(program)) for i in starts)


def simulate(program: Program, sample: Sample) -> list[Value]:
    """Return every value of the program, as its register holds it."""
    memory = memory_of(program, sample)
    values = [to_lanes(program, name, sample.inputs[name]) for name in program.inputs] + list(program.kept)
    for op in program.ops:
        operands = [values[arg] for arg in op.args]
        if op.memory is not None and not op.instruction.stores:
            operands.append(load(program, memory, op.memory))
        values.append(op.instruction.meaning(op.imm, *operands))
    return values


def compare(program: Program, sample: Sample) -> None:
    """Raise Broken unless the program computes the same as the model lanes."""
    values = simulate(program, sample)
    for name, value in program.outputs:
        expected = to_lanes(program, name, sample.outputs[name])
        found = values[value][: len(expected)]
        if found != expected:
            raise Broken(
                f"{program.graph.title}, {program.architecture.name}, sample {sample.number}: {name} is "
                f"{show(found)}, not {show(expected)}"
            )
