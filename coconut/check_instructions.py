# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Holds the table of amd64's instructions against this CPU, on edge operands."""

import ctypes
import platform
import subprocess
from itertools import product
from pathlib import Path

from coconut.describe import BUILD
from coconut.architecture import Architecture
from coconut.architectures.amd64 import AVX2, AVX512
from coconut.instructions import Instruction
from coconut.operations import WORD_MAX, Value
from coconut.program import Memory, Op
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
SHIFTS = (1, 2, 12, 26, 44, 52, 63)
TERNARY = (0b10101000, 0b10010110, 0b11001010)


def forms(instruction: Instruction, architecture: Architecture) -> list[Op]:
    """In registers, with the last operand in memory, and with a number of it in all lanes; with several immediates."""
    immediates: tuple[int | None, ...] = (None,)
    if instruction.immediate:
        immediates = TERNARY if instruction.name == "vpternlogq" else SHIFTS
    registers = tuple(range(instruction.operands))
    ops = []
    for imm in immediates:
        if instruction.memory != "only":
            ops.append(Op(instruction, registers, imm))
        if instruction.memory:
            ops.append(Op(instruction, registers[:-1], imm, Memory("message", 0, instruction.name == "vpbroadcastq")))
        if instruction.memory == "broadcast" and architecture.vector_bytes == 64:
            ops.append(Op(instruction, registers[:-1], imm, Memory("message", 0, broadcast=True)))
    return ops


def function(name: str, op: Op, architecture: Architecture) -> str:
    """void NAME(result, operands): the operands one after another; what is in memory is the last."""
    size, syntax = architecture.vector_bytes, architecture.gnu
    memory = op.memory and Memory("message", len(op.args) * size, op.memory.broadcast)
    result = 0 if op.instruction.accumulates else 9
    lines = [f".globl {name}", f"{name}:", "mov %rsi, %rcx"]
    lines += [syntax.load(i, Memory("message", i * size)) for i in range(len(op.args))]
    lines += [
        syntax.text(Op(op.instruction, op.args, op.imm, memory), list(op.args), result),
        syntax.store(result, Memory("state", 0)),
        "vzeroupper",
        "ret",
    ]
    return "\n".join(lines) + "\n"


def operands(count: int, elements: int) -> list[list[Value]]:
    """Every edge with every other, spread over the lanes."""
    rows = list(product(EDGES, repeat=min(count, 2)))
    vectors = []
    for start in range(0, len(rows), elements):
        part = [rows[(start + i) % len(rows)] for i in range(elements)]
        columns = [tuple(row[k] for row in part) for k in range(min(count, 2))]
        # A third operand: the edges in another order.
        columns += [tuple(EDGES[(start + 5 * i) % len(EDGES)] for i in range(elements))] * (count - len(columns))
        vectors.append(columns)
    return vectors


def runs_here(architecture: Architecture) -> bool:
    """Natively."""
    if architecture.triple != platform.machine():
        return False
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")).split()
    return set(architecture.features) <= set(flags)


def check_instructions() -> tuple[int, list[Architecture]]:
    """How many calls agree, and what this CPU cannot check."""
    checkable = (AVX2, AVX512)
    ops = {}
    for architecture in filter(runs_here, checkable):
        for instruction in architecture.instructions.values():
            for op in forms(instruction, architecture):
                ops[f"check_{len(ops)}"] = (op, architecture)
    BUILD.mkdir(parents=True, exist_ok=True)
    source, library = BUILD / "instructions.S", BUILD / "instructions.so"
    source.write_text(
        ".text\n" + "".join(function(name, *of) for name, of in ops.items()) + '.section .note.GNU-stack,"",@progbits\n'
    )
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
    functions = ctypes.CDLL(str(library))
    checked = 0
    for name, (op, architecture) in ops.items():
        count = architecture.vector_bytes // 8
        for vectors in operands(op.instruction.operands, count):
            packed = (ctypes.c_uint64 * (count * len(vectors)))(*(number for vector in vectors for number in vector))
            result = (ctypes.c_uint64 * count)()
            functions[name](result, packed)
            if op.memory is not None and op.memory.broadcast:
                vectors = [*vectors[:-1], vectors[-1][:1] * count]
            expected = op.instruction.meaning(op.imm, *vectors)[:count]
            if tuple(result) != expected:
                raise Broken(
                    f"{op.instruction.name}, immediate {op.imm}, on {' | '.join(map(show, vectors))}: the CPU says "
                    f"{show(tuple(result))}, the table {show(expected)}"
                )
            checked += 1
    return checked, [architecture for architecture in checkable if not runs_here(architecture)]
