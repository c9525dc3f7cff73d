# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe NEON of 64-bit Arm with 64-bit elements, in GNU's assembler: what compilers make of the kernel."""

from coconut.architecture import Architecture
from coconut.architectures.pairs import low, product
from coconut.assembler import Assembler
from coconut.instructions import EDGES, Instruction, Meaning, elements, identity, table


def umlal(half: int) -> Meaning:
    """Return the meaning that adds two products of the 32-bit elements in a half of the operands."""
    return lambda imm, total, a, b: (
        product(total[0], low(a[half]), low(b[half])),
        product(total[1], a[half] >> 32, b[half] >> 32),
    )


def immediate(name: str, operands: int, meaning: Meaning, gnu: str, *edges: int, go: str = "") -> Instruction:
    """Return an instruction with an immediate; one of two operands accumulates in the first."""
    return Instruction(name, operands, meaning, True, operands == 2, edges=edges or EDGES, gnu=gnu, go=go)


D = "v{d}.2d, v{0}.2d"
INSTRUCTIONS = table(
    Instruction("ldr", 1, identity, memory="only", gnu="ldr q{d}, {m}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="str q{0}, {m}"),
    Instruction("copy", 1, identity, gnu="mov v{d}.16b, v{0}.16b"),
    Instruction("add", 2, elements(lambda imm, a, b: a + b), gnu=f"add {D}, v{{1}}.2d"),
    Instruction("and", 2, elements(lambda imm, a, b: a & b), gnu="and v{d}.16b, v{0}.16b, v{1}.16b"),
    Instruction("orr", 2, elements(lambda imm, a, b: a | b), gnu="orr v{d}.16b, v{0}.16b, v{1}.16b"),
    Instruction("shl", 1, elements(lambda imm, a: a << imm), immediate=True, gnu=f"shl {D}, #{{i}}"),
    Instruction("ushr", 1, elements(lambda imm, a: a >> imm), immediate=True, gnu=f"ushr {D}, #{{i}}"),
    immediate("usra", 2, elements(lambda imm, d, a: d + (a >> imm)), "usra v{d}.2d, v{1}.2d, #{i}"),
    Instruction("zip1", 2, lambda imm, a, b: (a[0], b[0]), gnu=f"zip1 {D}, v{{1}}.2d"),
    Instruction("zip2", 2, lambda imm, a, b: (a[1], b[1]), gnu=f"zip2 {D}, v{{1}}.2d"),
    Instruction(
        "uzp1",
        2,
        lambda imm, a, b: tuple(low(x[0]) | low(x[1]) << 32 for x in (a, b)),
        gnu="uzp1 v{d}.4s, v{0}.4s, v{1}.4s",
    ),
    Instruction("umlal", 3, umlal(0), accumulates=True, gnu="umlal v{d}.2d, v{1}.2s, v{2}.2s"),
    Instruction("umlal2", 3, umlal(1), accumulates=True, gnu="umlal2 v{d}.2d, v{1}.4s, v{2}.4s"),
)


def callee_saved(name: str) -> tuple[str, ...]:
    """Return the stores or loads of the first halves of v8 to v15."""
    return tuple(f"{name} d{i}, d{i + 1}, [sp, #{8 * (i - 8)}]" for i in range(8, 16, 2))


# For the ABI's calling convention.
GNU = Assembler(
    is_go=False,
    registers=tuple(str(i) for i in range(32)),
    pointers={"state": "x0", "powers": "x1", "message": "x2", "constants": "x4"},
    counters=("x3",),
    controls={
        "constants": "adrp {register}, {name}_constants; add {register}, {register}, :lo12:{name}_constants",
        "align": "",
        "advance": "add {pointer}, {pointer}, #{bytes}",
        "again": "subs {counter}, {counter}, #1; b.ne {label}",
    },
    default=lambda instruction, kind: "",
    head=("sub sp, sp, #64", *callee_saved("stp")),
    tail=(*callee_saved("ldp"), "add sp, sp, #64", "ret"),
    offset="[{pointer}, #{offset}]",
    comment="//",
    mark="%",
)


NEON = Architecture(
    name="neon",
    triple="aarch64",
    registers=32,
    vector_bytes=16,
    cpus=("neoverse-v2", "apple-m1"),
    features=("asimd",),
    instructions=INSTRUCTIONS,
    selector=None,
    load="ldr",
    gnu=GNU,
    go=None,
    goarch="arm64",
    replaces_sum=True,
    emulator=("qemu-aarch64",),
)
