# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Graphs of instructions: what selection makes of a graph, in registers without number."""

from dataclasses import dataclass, replace
from typing import Literal

from coconut.architecture import Architecture
from coconut.graph import Graph
from coconut.instructions import Instruction
from coconut.operations import Value
from coconut.simulate import Broken, Sample, show


@dataclass(frozen=True)
class Memory:
    """Bytes from a pointer on: of the message, of the inputs in memory ("powers"), or of the constants. broadcast: eight of
    them, in all elements."""

    base: str
    offset: int
    broadcast: bool = False


@dataclass(frozen=True)
class Op:
    """An instruction on values, by their numbers. Where there is memory, it is the last operand. node is the graph's."""

    instruction: Instruction
    args: tuple[int, ...]
    imm: int | None = None
    memory: Memory | None = None
    node: int = -1


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

    def memory_inputs(self) -> dict[str, int]:
        """Where each input in memory is, from the pointer to the powers on."""
        names = [self.graph.nodes[i].name for i in self.graph.inputs() if self.graph.nodes[i].in_memory]
        return {name: i * self.architecture.vector_bytes for i, name in enumerate(names)}

    def argument_words(self) -> tuple[int, int]:
        """How many words of 64 bits the accumulator has, and the inputs in memory."""
        words = self.architecture.vector_bytes // 8
        return len(self.inputs) * words, len(self.memory_inputs()) * words

    def go_parameters(self) -> str:
        """Of the function in Go."""
        state, powers = self.argument_words()
        return f"(t *[{state}]uint64, powers *[{powers}]uint64, message *byte, turns uint64)"

    def carried(self) -> dict[int, int]:
        """Of each input that the loop carries, the value that the next turn gets for it."""
        names = self.graph.carried()
        outputs = dict(self.outputs)
        return {i: outputs[name] for i, name in enumerate(self.inputs) if name in names}

    def reordered(self, order: list[int]) -> "Program":
        """The same with its instructions in another order, which must be one that they can run in."""
        first = self.first_op
        place = {first + old: first + new for new, old in enumerate(order)}
        at = [place.get(value, value) for value in range(first + len(self.ops))]
        ops = tuple(replace(self.ops[old], args=tuple(at[arg] for arg in self.ops[old].args)) for old in order)
        if any(arg >= first + i for i, op in enumerate(ops) for arg in op.args):
            raise Broken(f"{self.graph.title}: an instruction comes before an operand")
        return replace(self, ops=ops, outputs=tuple((name, at[value]) for name, value in self.outputs))


def to_lanes(program: Program, value: Value) -> Value:
    """A sum of 128 bits is two elements, the high one first; else there is one for each block."""
    if len(value) == 1 and len(program.order) != 1:
        return (value[0] >> 64, value[0] & (1 << 64) - 1)
    return tuple(value[block] for block in program.order)


def byte_order(program: Program) -> Literal["big", "little"]:
    return "big" if program.architecture.big_endian else "little"


def memory_of(program: Program, sample: Sample) -> dict[str, bytes]:
    """What the pointers point to."""

    def pack(vectors: list[Value]) -> bytes:
        return b"".join(number.to_bytes(8, byte_order(program)) for vector in vectors for number in vector)

    return {
        "message": sample.message,
        "constants": pack(list(program.constants)),
        "powers": pack([to_lanes(program, sample.inputs[name]) for name in program.memory_inputs()]),
    }


def words_of(program: Program, sample: Sample) -> dict[str, list[int]]:
    """What an emitted function is given and leaves, in words as they lie in memory: accumulator, powers, accumulator."""

    def flat(vectors: list[Value]) -> list[int]:
        return [number for vector in vectors for number in vector]

    return {
        "t": flat([to_lanes(program, sample.inputs[name]) for name in program.inputs]),
        "powers": flat([to_lanes(program, sample.inputs[name]) for name in program.memory_inputs()]),
        "want": flat([to_lanes(program, sample.outputs[name]) for name in program.inputs]),
    }


def load(program: Program, memory: dict[str, bytes], place: Memory) -> Value:
    vector_bytes = program.architecture.vector_bytes
    data = memory[place.base][place.offset : place.offset + (8 if place.broadcast else vector_bytes)]
    if place.broadcast:
        data *= vector_bytes // 8
    return tuple(int.from_bytes(data[i : i + 8], byte_order(program)) for i in range(0, len(data), 8))


def simulate(program: Program, sample: Sample) -> list[Value]:
    """Every value of the program, as its register holds it."""
    memory = memory_of(program, sample)
    values = [to_lanes(program, sample.inputs[name]) for name in program.inputs] + list(program.kept)
    for op in program.ops:
        operands = [values[arg] for arg in op.args]
        if op.memory is not None:
            operands.append(load(program, memory, op.memory))
        values.append(op.instruction.meaning(op.imm, *operands))
    return values


def compare(program: Program, sample: Sample) -> None:
    """Fails unless the program computes what the model lanes do."""
    values = simulate(program, sample)
    for name, value in program.outputs:
        expected = to_lanes(program, sample.outputs[name])
        if values[value] != expected:
            raise Broken(
                f"{program.graph.title}, {program.architecture.name}, sample {sample.number}: {name} is "
                f"{show(values[value])}, not {show(expected)}"
            )
