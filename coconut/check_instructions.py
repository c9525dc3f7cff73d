# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Holds the table of amd64's instructions against this CPU, on edge operands."""

import ctypes
import subprocess
from itertools import product
from pathlib import Path

from coconut.describe import BUILD
from coconut.gnu import text
from coconut.instructions import AMD64, Instruction
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

# The names of /proc/cpuinfo, for what is checked in vectors of so many bytes.
FEATURES = {32: ("avx2",), 64: ("avx512f", "avx512ifma", "avx512_vbmi2")}
ONLY_512 = {
    "vmovdqu64",
    "vmovdqa64",
    "vpxorq",
    "vpandq",
    "vporq",
    "vpshrdq",
    "vpternlogq",
    "vpmadd52luq",
    "vpmadd52huq",
}
ONLY_256 = {"vmovdqu", "vmovdqa", "vpand", "vpor"}


def forms(instruction: Instruction, vector_bytes: int) -> list[Op]:
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
        if instruction.memory == "broadcast" and vector_bytes == 64:
            ops.append(Op(instruction, registers[:-1], imm, Memory("message", 0, broadcast=True)))
    return ops


def function(name: str, op: Op, vector_bytes: int) -> str:
    """void NAME(result, operands): the operands one after another; what is in memory is the last."""
    move = "vmovdqu64" if vector_bytes == 64 else "vmovdqu"
    vector = "zmm" if vector_bytes == 64 else "ymm"
    memory = op.memory and Memory("message", len(op.args) * vector_bytes, op.memory.broadcast)
    result = 0 if op.instruction.accumulates else 9
    lines = [f".globl {name}", f"{name}:", "mov %rsi, %rcx"]
    lines += [f"{move} {i * vector_bytes}(%rcx), %{vector}{i}" for i in range(len(op.args))]
    lines += [
        text("x86_64", vector_bytes, Op(op.instruction, op.args, op.imm, memory), list(op.args), result),
        f"{move} %{vector}{result}, (%rdi)",
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


def runs_here(vector_bytes: int) -> bool:
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")).split()
    return set(FEATURES[vector_bytes]) <= set(flags)


def check_instructions() -> tuple[int, list[int]]:
    """How many calls agree, and the sizes of vectors that this CPU cannot check."""
    ops = {}
    for vector_bytes, others in ((32, ONLY_512), (64, ONLY_256)):
        if runs_here(vector_bytes):
            for instruction in AMD64.values():
                if instruction.name not in others:
                    for op in forms(instruction, vector_bytes):
                        ops[f"check_{len(ops)}"] = (op, vector_bytes)
    BUILD.mkdir(parents=True, exist_ok=True)
    source, library = BUILD / "instructions.S", BUILD / "instructions.so"
    source.write_text(
        ".text\n" + "".join(function(name, *of) for name, of in ops.items()) + '.section .note.GNU-stack,"",@progbits\n'
    )
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
    functions = ctypes.CDLL(str(library))
    checked = 0
    for name, (op, vector_bytes) in ops.items():
        elements = vector_bytes // 8
        for vectors in operands(op.instruction.operands, elements):
            packed = (ctypes.c_uint64 * (elements * len(vectors)))(*(number for vector in vectors for number in vector))
            result = (ctypes.c_uint64 * elements)()
            functions[name](result, packed)
            if op.memory is not None and op.memory.broadcast:
                vectors = [*vectors[:-1], vectors[-1][:1] * elements]
            expected = op.instruction.meaning(op.imm, *vectors)[:elements]
            if tuple(result) != expected:
                raise Broken(
                    f"{op.instruction.name}, immediate {op.imm}, on {' | '.join(map(show, vectors))}: the CPU says "
                    f"{show(tuple(result))}, the table {show(expected)}"
                )
            checked += 1
    return checked, [vector_bytes for vector_bytes in FEATURES if not runs_here(vector_bytes)]
