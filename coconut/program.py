# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Graphs of instructions: what selection makes of a graph, in registers without number."""

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
    """Of each input in memory, where it is from the pointer to the powers on."""
    places, place = {}, 0
    for i in graph.inputs():
        if graph.nodes[i].in_memory:
            places[i] = place
            place += 8 if graph.is_word(i) else vector_bytes
    return places


@dataclass(frozen=True)
class Program:
    """Values are numbered: first those that come in registers (inputs, then constants that are kept there), then the results
    of the instructions. order[i] is the block in lane i."""

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
        """The number of the first instruction's result."""
        return len(self.inputs) + len(self.kept)

    @property
    def is_loop(self) -> bool:
        return self.graph.advance != 0

    @property
    def ends(self) -> bool:
        """Of a line: whether it leaves words. Then it is the last of a message."""
        return not self.is_loop and self.words >= set(self.memory_outputs())

    @property
    def loads_message(self) -> bool:
        return any(op.memory is not None and op.memory.base == "message" for op in self.ops)

    def memory_inputs(self) -> dict[str, int]:
        """Where each input in memory is, from the pointer to the powers on."""
        places = memory_inputs(self.graph, self.architecture.vector_bytes)
        return {self.graph.nodes[i].name: place for i, place in places.items()}

    @cached_property
    def words(self) -> set[str]:
        """The names of inputs and outputs that are words."""
        graph = self.graph
        return {graph.nodes[i].name for i in [*graph.inputs(), *graph.outputs()] if graph.is_word(i)}

    def is_word(self, name: str) -> bool:
        return name in self.words

    def memory_outputs(self) -> dict[str, int]:
        """Of a line that is no loop: where each output is to be, from the pointer to the state on."""
        places, place = {}, 0
        for name, _ in self.outputs:
            places[name] = place
            place += 8 if self.is_word(name) else self.architecture.vector_bytes
        return places

    def input_words(self) -> int:
        """How many words of 64 bits the inputs in memory have."""
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in self.memory_inputs())

    def output_words(self) -> int:
        """How many the accumulator has, or what goes out of a line that is no loop."""
        names = [name for name, _ in self.outputs] if not self.is_loop else self.inputs
        return sum(1 if self.is_word(name) else self.architecture.vector_bytes // 8 for name in names)

    def carried(self) -> dict[int, int]:
        """Of each input that the loop carries, the value that the next turn gets for it."""
        names = self.graph.carried()
        outputs = dict(self.outputs)
        return {i: outputs[name] for i, name in enumerate(self.inputs) if name in names}

    def in_register(self, value: int) -> bool:
        """Rather than in flags, or where a multiplication leaves its product."""
        return value < self.first_op or not self.ops[value - self.first_op].instruction.hidden

    def hidden_takes(self) -> list[tuple[int, int]]:
        """What flags and the like carry from one instruction to another."""
        return [
            (op.args[operand] - self.first_op, i)
            for i, op in enumerate(self.ops)
            for operand, _ in op.instruction.takes
        ]

    def groups(self) -> list[range]:
        """All instructions, in parts that stay together: what stands between one that sets a flag and one that takes it."""
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
        """Fails if a flag, or the like, is overwritten before it is taken."""
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
        """The same with its instructions in another order, which must be one that they can run in."""
        first = self.first_op
        place = {first + old: first + new for new, old in enumerate(order)}
        at = [place.get(value, value) for value in range(first + len(self.ops))]
        ops = tuple(replace(self.ops[old], args=tuple(at[arg] for arg in self.ops[old].args)) for old in order)
        if any(arg >= first + i for i, op in enumerate(ops) for arg in op.args):
            raise Broken(f"{self.graph.title}: an instruction comes before an operand")
        return replace(self, ops=ops, outputs=tuple((name, at[value]) for name, value in self.outputs))


def to_lanes(program: Program, name: str, value: Value) -> Value:
    """Of an input or an output: a word is one element; a sum of 128 bits is two, the high one first; else there is one for each
    block."""
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
    """What the pointers point to."""

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
    """What an emitted function is given and leaves, in words as they lie in memory: accumulator, powers, accumulator. If it is
    no loop, it is given no accumulator."""

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
    """Every value of the program, as its register holds it."""
    memory = memory_of(program, sample)
    values = [to_lanes(program, name, sample.inputs[name]) for name in program.inputs] + list(program.kept)
    for op in program.ops:
        operands = [values[arg] for arg in op.args]
        if op.memory is not None and not op.instruction.stores:
            operands.append(load(program, memory, op.memory))
        values.append(op.instruction.meaning(op.imm, *operands))
    return values


def compare(program: Program, sample: Sample) -> None:
    """Fails unless the program computes what the model lanes do."""
    values = simulate(program, sample)
    for name, value in program.outputs:
        expected = to_lanes(program, name, sample.outputs[name])
        found = values[value][: len(expected)]
        if found != expected:
            raise Broken(
                f"{program.graph.title}, {program.architecture.name}, sample {sample.number}: {name} is "
                f"{show(found)}, not {show(expected)}"
            )
