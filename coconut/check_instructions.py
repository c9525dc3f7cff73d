# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the tables of instructions with CPUs, here or emulated, on edge operands.

Each form of an instruction is a program, which is emitted like any other: it loads the operands, runs the instruction,
and stores the result. For scalar architectures it also stores the carry and the product, which must still be there if
the table does not list them as overwritten.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product

from coconut.architecture import Architecture
from coconut.architectures import INSTRUCTION_SETS, SCALAR
from coconut.assembler import Assembler
from coconut.functions import SingleBlock
from coconut.graph import Graph
from coconut.instructions import FLAGS, PRODUCT, Instruction, Memory, Op
from coconut.interpret import Storage, execute, store
from coconut.native import build, prefix_of, run
from coconut.operations import WORD_MAX, Value
from coconut.program import Program
from coconut.simulate import Mismatch, show
from coconut.trace import BLOCKS, BUILD

EDGES = (
    0,
    1,
    (1 << 26) - 1,
    (1 << 32) - 1,
    1 << 32,
    (1 << 44) - 1,
    (1 << 52) - 1,
    1 << 52,
    1 << 63,
    WORD_MAX,
    0x0123456789ABCDEF,
    0xFEDCBA9876543210,
)
# Operands of scalar forms, and the index of one that is zero.
SCALAR_OPERANDS, ZERO = 7, 6


@dataclass
class Form:
    """A form of an instruction: its last operand in a register, in memory or broadcast from it, and an immediate."""

    architecture: Architecture
    instruction: Instruction
    imm: int | None
    memory: Memory | None
    ops: list[Op] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        instruction = self.instruction
        uses = dict(instruction.implicit_uses)
        count = instruction.operands - (self.memory is not None)
        held = self.prepare()
        args = [held[uses[i]] if i in uses else self.load(i) for i in range(count)]
        result = self.emit(instruction.name, *args, imm=self.imm, memory=self.memory)
        held |= dict.fromkeys(instruction.implicit_defs, result)
        if not instruction.implicit:
            self.outputs.append(result)
        overwritten = {*instruction.clobbers} - {*instruction.implicit_defs}
        if FLAGS in held and FLAGS not in overwritten:
            self.outputs.append(self.carry(held[FLAGS]))
        if PRODUCT in held and PRODUCT not in overwritten:
            whole = PRODUCT not in instruction.implicit_defs or instruction.name.startswith("mul")
            self.outputs += [self.emit(name, held[PRODUCT]) for name in ("take_lo", "take_hi")[: 1 + whole]]

    def prepare(self) -> dict[str, int]:
        """Set flags and a product, the product first, because some multiplications set flags."""
        table, held = self.architecture.instructions, {}
        flags = next((name for name in ("adds", "add") if name in table and FLAGS in table[name].implicit_defs), None)
        factor = next((name for name in ("to_ax", "to_odd") if name in table), None)
        if factor is not None:
            held[PRODUCT] = self.emit("mul", self.emit(factor, self.load(4)), self.load(5))
        if flags is not None:
            held[FLAGS] = self.emit(flags, self.load(2), self.load(3))
        return held

    def emit(self, name: str, *args: int, imm: int | None = None, memory: Memory | None = None) -> int:
        self.ops.append(Op(self.architecture.instructions[name], args, imm, memory))
        return len(self.ops) - 1

    def load(self, i: int) -> int:
        return self.emit(self.architecture.load, memory=Memory("powers", self.architecture.vector_bytes * i))

    def carry(self, flags: int) -> int:
        """Emit the carry as a number."""
        if "adc_zero" in self.architecture.instructions:
            return self.emit("adc_zero", self.load(ZERO), flags)
        if "adc_number" in self.architecture.instructions:
            return self.emit("adc_number", self.load(ZERO), flags, imm=0)
        return self.emit("adc", self.load(ZERO), flags, self.load(ZERO))

    def program(self) -> Program:
        graph = Graph("instructions", 1, self.instruction.name, 0, ())
        outputs = tuple((f"result {i}", value) for i, value in enumerate(self.outputs))
        return Program(self.architecture, graph, (), (), (), tuple(self.ops), outputs, ())

    def operands(self) -> list[list[Value]]:
        """Return vectors of operands that pair every edge, as an element holds it, with every other."""
        architecture = self.architecture
        largest = (1 << 8 * architecture.word_bytes) - 1
        edges = tuple(edge & largest for edge in EDGES)
        count = SCALAR_OPERANDS if architecture in SCALAR else self.instruction.operands
        elements = architecture.vector_bytes // architecture.word_bytes
        operand_sets = list(product(edges, repeat=min(count, 2)))
        # Adjacent lanes differ in every operand: 13 and the number of operand_sets have no common factor.
        operand_sets = [operand_sets[13 * k % len(operand_sets)] for k in range(len(operand_sets))]
        vectors = []
        for start in range(0, len(operand_sets), elements):
            part = [operand_sets[(start + 13 * i) % len(operand_sets)] for i in range(elements)]
            columns = [tuple(operands[k] for operands in part) for k in range(min(count, 2))]
            # Further operands have the edges in other orders.
            columns += [
                tuple(edges[(7 * start + k * (start // 12 + 1) + 5 * i) % len(edges)] for i in range(elements))
                for k in range(2, count)
            ]
            if architecture in SCALAR:
                columns[ZERO] = (0,)
            vectors.append(columns)
        return vectors

    def message(self, vectors: list[Value]) -> list[Value]:
        """Return two vectors, from which the instruction loads its last operand."""
        zeros = (0,) * (self.architecture.vector_bytes // self.architecture.word_bytes)
        last = vectors[self.instruction.operands - 1] if vectors else zeros
        if not self.instruction.stride:
            return [last, last]
        strided = tuple(number for number in last for _ in range(2))
        return [strided[: len(last)], strided[len(last) :]]


def forms(architecture: Architecture) -> list[Form]:
    """Return all forms, with several immediates. Stores are left out: the results of all others are stored."""
    result = []
    for instruction in architecture.instructions.values():
        is_word = instruction.low in {"operand", "result"}
        places: list[Memory | None] = [None] * (instruction.memory != "only")
        places += [Memory("message", 0, is_word)] * (instruction.memory != "")
        if instruction.memory == "broadcast" and architecture.registers == 32:
            places.append(Memory("message", 0, broadcast=True))
        if not instruction.stores:
            for imm in instruction.edges if instruction.immediate else (None,):
                result += [Form(architecture, instruction, imm, place) for place in places]
    return result


def assembler_of(architecture: Architecture) -> Assembler:
    """Return GNU's assembler for functions of three arguments: results, operands and message."""
    assembler = architecture.gnu
    if architecture.chains:
        others = (known for known in INSTRUCTION_SETS if known.triple == architecture.triple and not known.chains)
        return replace(assembler, pointers=assembler_of(next(others)).pointers)
    if architecture in SCALAR:
        registers = assembler.pointers["powers"], assembler.pointers["message"], assembler.counters[0]
        return replace(assembler, pointers=dict(zip(("state", "powers", "message"), registers, strict=True)))
    return assembler


def check_architecture(
    architecture: Architecture, block: Callable[[Program, str], SingleBlock] = SingleBlock.of
) -> int:
    """Check the instructions of an architecture, and return how many results agree. `block` makes functions."""
    name, size, word_bytes = architecture.name, architecture.vector_bytes, architecture.word_bytes
    all_forms = forms(architecture)
    programs = [form.program() for form in all_forms]
    calls = [form.operands() for form in all_forms]
    table, source, binary = (BUILD / f"instructions-{name}.{suffix}" for suffix in ("h", "S", "bin"))
    BUILD.mkdir(parents=True, exist_ok=True)
    lines = (
        f"INSTRUCTION(check_{i}, {len(operand_sets[0])}, {len(form.outputs)}, {len(operand_sets)})\n"
        for i, (form, operand_sets) in enumerate(zip(all_forms, calls, strict=True))
    )
    table.write_text("".join(lines))
    assembler = assembler_of(architecture)
    source.write_text("".join(block(program, f"check_{i}").text(assembler) for i, program in enumerate(programs)))
    options = [f'-DINSTRUCTIONS="{table}"', f"-DVECTOR_BYTES={size}"]
    build(architecture, "gcc", binary, [BLOCKS / "instructions.c", source], options)
    given = b"".join(
        number.to_bytes(word_bytes, architecture.byte_order)
        for form, operand_sets in zip(all_forms, calls, strict=True)
        for vectors in operand_sets
        for vector in (*vectors, *form.message(vectors))
        for number in vector
    )
    ran = run(architecture, [str(binary)], input=given)
    wanted = sum(len(operand_sets) * len(form.outputs) for form, operand_sets in zip(all_forms, calls, strict=True))
    if ran.returncode != 0 or len(ran.stdout) != size * wanted:
        raise Mismatch(f"{name}: the program that runs its instructions fails: {ran.returncode}")
    words = [
        int.from_bytes(ran.stdout[i : i + word_bytes], architecture.byte_order)
        for i in range(0, len(ran.stdout), word_bytes)
    ]
    at, count = 0, size // word_bytes
    for form, program, operand_sets in zip(all_forms, programs, calls, strict=True):
        for vectors in operand_sets:
            storage: Storage = {}
            store(storage, "powers", vectors, word_bytes)
            store(storage, "message", form.message(vectors), word_bytes)
            values = execute(program, [], storage)
            for output in form.outputs:
                expected, found = values[output][:count], tuple(words[at : at + count])
                at += count
                if found != expected:
                    raise Mismatch(
                        f"{name}: {form.instruction.name}, immediate {form.imm}, on {' | '.join(map(show, vectors))}: "
                        f"the CPU says {show(found)}, the table {show(expected)}"
                    )
    return wanted


def check_instructions(architectures: list[Architecture]) -> tuple[int, list[Architecture]]:
    """Return how many results agree, and the architectures whose instructions nothing here runs."""
    runnable = [architecture for architecture in architectures if prefix_of(architecture) is not None]
    return sum(map(check_architecture, runnable)), [known for known in architectures if known not in runnable]
