# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the tables of instructions with CPUs, here or emulated, on edge operands.

Each form of an instruction is a program of its own, emitted like any other; its state is the operands and the result.
"""

from dataclasses import replace
from itertools import product

from coconut.architecture import Architecture
from coconut.architectures import SCALAR
from coconut.architectures.amd64 import Gnu
from coconut.check_scalar import check_scalar
from coconut.compilers import build, prefix_of, run
from coconut.describe import BUILD, HERE
from coconut.emit import assembly
from coconut.graph import MEMORY, REGISTER, Graph, Node
from coconut.instructions import Instruction, Memory, Op
from coconut.operations import WORD_MAX, Value
from coconut.program import Program
from coconut.simulate import Broken, show

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


def forms(instruction: Instruction, architecture: Architecture) -> list[Op]:
    """Return the forms of an instruction, with several immediates.

    The operands are in registers, or the last one is in memory, or a number of it in memory is broadcast to all lanes.
    """
    immediates: tuple[int | None, ...] = instruction.edges if instruction.immediate else (None,)
    registers = tuple(range(instruction.operands))
    ops = []
    for imm in immediates:
        if instruction.memory != "only":
            ops.append(Op(instruction, registers, imm))
        if instruction.memory:
            stride = 16 if instruction.name == "vlse64.v" else 0
            place = Memory("message", 0, instruction.low in {"operand", "result"}, stride)
            ops.append(Op(instruction, registers[:-1], imm, place))
        if instruction.memory == "broadcast" and architecture.registers == 32:
            ops.append(Op(instruction, registers[:-1], imm, Memory("message", 0, broadcast=True)))
    return ops


def program_of(op: Op, architecture: Architecture) -> Program:
    """Return a loop of that instruction alone, which replaces the last vector of its state."""
    names = [*(f"operand {i}" for i in range(len(op.args))), "result"]
    nodes = [Node("input", (), (REGISTER,), WORD_MAX, name) for name in names]
    nodes += [Node("input", (), (MEMORY,), WORD_MAX, "none"), Node("output", (0,), (), WORD_MAX, "result")]
    size = architecture.vector_bytes
    graph = Graph("instructions", size // 8, op.instruction.name, 2 * size, tuple(nodes))
    return Program(architecture, graph, (), tuple(names), (), (op,), (("result", len(names)),), ())


def operands(count: int, elements: int, largest: int) -> list[list[Value]]:
    """Return operands that pair every edge, as an element holds it, with every other, spread over the lanes."""
    edges = tuple(edge & largest for edge in EDGES)
    rows = list(product(edges, repeat=min(count, 2)))
    # Adjacent lanes differ in every operand: 13 and the number of rows have no common factor.
    rows = [rows[13 * k % len(rows)] for k in range(len(rows))]
    vectors = []
    for start in range(0, len(rows), elements):
        part = [rows[(start + 13 * i) % len(rows)] for i in range(elements)]
        columns = [tuple(row[k] for row in part) for k in range(min(count, 2))]
        # A third operand has the edges in another order.
        columns += [tuple(edges[(start + 5 * i) % len(edges)] for i in range(elements))] * (count - len(columns))
        vectors.append(columns)
    return vectors


def message_for(op: Op, vectors: list[Value], count: int) -> Value:
    """Return two vectors, from which the instruction loads its last operand; zeros if it loads none."""
    if op.memory is None:
        return (0,) * (2 * count)
    return tuple(number for number in vectors[-1] for _ in range(2)) if op.memory.stride == 16 else vectors[-1] * 2


def check_architecture(architecture: Architecture) -> int:
    """Check the instructions of an architecture, and return how many results agree."""
    if architecture in SCALAR:
        return check_scalar(architecture, EDGES)
    if architecture.chains:
        # Its functions have other pointers; the instructions are written in the same way.
        architecture = replace(
            architecture, gnu=Gnu(architecture.vector_bytes, architecture.instructions, architecture.word_bytes)
        )
    word_bytes = architecture.word_bytes
    count = architecture.vector_bytes // word_bytes
    # Stores are left out: the results of all others are stored.
    instructions = [instruction for instruction in architecture.instructions.values() if not instruction.stores]
    ops = [op for instruction in instructions for op in forms(instruction, architecture)]
    name = f"instructions-{architecture.name}"
    table, source, binary = (BUILD / f"{name}.{suffix}" for suffix in ("h", "S", "bin"))
    calls = [operands(op.instruction.operands, count, (1 << 8 * word_bytes) - 1) for op in ops]
    BUILD.mkdir(parents=True, exist_ok=True)
    table.write_text(
        "".join(
            f"INSTRUCTION(check_{i}, {len(op.args) + 1}, {len(vectors)})\n"
            for i, (op, vectors) in enumerate(zip(ops, calls, strict=True))
        )
    )
    source.write_text(
        "".join(assembly(program_of(op, architecture), f"check_{i}", architecture.gnu) for i, op in enumerate(ops))
    )
    options = [f'-DINSTRUCTIONS="{table}"', f"-DELEMENTS={architecture.vector_bytes // 8}"]
    build(architecture, "gcc", binary, [HERE / "lines" / "instructions.c", source], options)
    order = "big" if architecture.big_endian else "little"
    given = [
        vector
        for op, rows in zip(ops, calls, strict=True)
        for vectors in rows
        for vector in (*vectors[: len(op.args)], message_for(op, vectors, count))
    ]
    ran = run(
        architecture,
        [str(binary)],
        input=b"".join(number.to_bytes(word_bytes, order) for vector in given for number in vector),
    )
    size = architecture.vector_bytes
    results = iter(range(0, len(ran.stdout), size))
    checked = sum(map(len, calls))
    if ran.returncode != 0 or len(ran.stdout) != size * checked:
        raise Broken(f"{architecture.name}: the program that runs its instructions fails: {ran.returncode}")
    for op, rows in zip(ops, calls, strict=True):
        for vectors in rows:
            at = next(results)
            result = tuple(
                int.from_bytes(ran.stdout[i : i + word_bytes], order) for i in range(at, at + size, word_bytes)
            )
            if op.memory is not None and op.memory.broadcast:
                vectors = [*vectors[:-1], vectors[-1][:1] * count]
            expected = op.instruction.meaning(op.imm, *vectors)[:count]
            if result != expected:
                raise Broken(
                    f"{op.instruction.name}, immediate {op.imm}, on {' | '.join(map(show, vectors))}: the CPU says "
                    f"{show(result)}, the table {show(expected)}"
                )
    return checked


def check_instructions(architectures: list[Architecture]) -> tuple[int, list[Architecture]]:
    """Return how many results agree, and the architectures whose instructions nothing here runs."""
    runnable = [architecture for architecture in architectures if prefix_of(architecture) is not None]
    return sum(map(check_architecture, runnable)), [known for known in architectures if known not in runnable]
