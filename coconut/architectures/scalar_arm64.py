# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe AArch64 in general registers: three operands, and a flag that only some additions set."""

from coconut.architectures.scalar import ThreeOperandSelector, scalar_architecture, with_carry, word, words
from coconut.instructions import FLAGS, Instruction, identity, table

CARRY = ((1, FLAGS),)
SETS = (FLAGS,)

INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="ldr {d}, {m}", go="MOVD {m}, {d}"),
    Instruction("copy", 1, identity, gnu="mov {d}, {0}", go="MOVD {0}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="str {0}, {m}", go="MOVD {0}, {m}"),
    Instruction("mul", 2, word(lambda _, a, b: a * b), gnu="mul {d}, {0}, {1}", go="MUL {1}, {0}, {d}"),
    Instruction("mul_high", 2, word(lambda _, a, b: a * b >> 64), gnu="umulh {d}, {0}, {1}", go="UMULH {1}, {0}, {d}"),
    Instruction("add", 2, word(lambda _, a, b: a + b), gnu="add {d}, {0}, {1}", go="ADD {1}, {0}, {d}"),
    Instruction("add_number", 1, word(lambda i, a: a + i), True, gnu="add {d}, {0}, #{i}", go="ADD ${i}, {0}, {d}"),
    Instruction(
        "adds", 2, words(lambda _, a, b: a + b), gnu="adds {d}, {0}, {1}", go="ADDS {1}, {0}, {d}", implicit_defs=SETS
    ),
    Instruction(
        "adcs",
        3,
        with_carry,
        gnu="adcs {d}, {0}, {2}",
        go="ADCS {2}, {0}, {d}",
        implicit_defs=SETS,
        implicit_uses=CARRY,
    ),
    Instruction(
        "adcs_zero",
        2,
        with_carry,
        gnu="adcs {d}, {0}, xzr",
        go="ADCS ZR, {0}, {d}",
        implicit_defs=SETS,
        implicit_uses=CARRY,
    ),
    Instruction("adc", 3, with_carry, gnu="adc {d}, {0}, {2}", go="ADC {2}, {0}, {d}", implicit_uses=CARRY),
    Instruction("adc_zero", 2, with_carry, gnu="adc {d}, {0}, xzr", go="ADC ZR, {0}, {d}", implicit_uses=CARRY),
    Instruction(
        "and", 1, word(lambda i, a: a & i), True, edges=(1, 3, 12), gnu="and {d}, {0}, #{i}", go="AND ${i}, {0}, {d}"
    ),
    Instruction("shr", 1, word(lambda i, a: a >> i), True, gnu="lsr {d}, {0}, #{i}", go="LSR ${i}, {0}, {d}"),
    Instruction("times5", 1, word(lambda _, a: 5 * a), gnu="add {d}, {0}, {0}, lsl #2", go="ADD {0}<<2, {0}, {d}"),
)


class Arm64(ThreeOperandSelector):
    def times5(self, x: int) -> int:
        return self.emit("times5", x)

    def plus(self, a: int, b: int, carry: int | None) -> int:
        if self.number(a) is not None:
            a, b = b, a
        number = self.number(b)
        if carry is None:
            name = "adds" if self.graph.nodes[self.node].op == "carry" else "add"
            return self.emit(name, self.value(a), self.value(b))
        # If the carry out is used, a node carry_of has the same operands.
        more = any(node.op == "carry_of" and node.args == self.graph.nodes[self.node].args for node in self.graph.nodes)
        if number is None:
            return self.emit("adcs" if more else "adc", self.value(a), carry, self.value(b))
        if number == 0:
            return self.emit("adcs_zero" if more else "adc_zero", self.value(a), carry)
        # The number is added first, which sets no flag.
        assert not more
        return self.emit("adc_zero", self.emit("add_number", self.value(a), imm=number), carry)


def registers(letter: str) -> tuple[str, ...]:
    """Return the registers for values.

    Left out are those of the platform (18), Go (27, 28), the frame and the link, and those that a callee must keep.
    """
    return tuple(f"{letter}{i}" for i in range(4, 18))


GNU = dict(
    registers=registers("x"),
    pointers={"powers": "x0", "message": "x1"},
    offset="[{pointer}, #{offset}]",
    head=(),
    tail=("ret",),
    mark="%",
    comment="//",
    counters=("x2",),
    controls={
        "advance": "add x1, x1, #{bytes}",
        "none_left": "sub x2, x2, #1; cbz x2, {label}",
        "align": ".p2align 5",
        "again": "sub x2, x2, #1; cbnz x2, {label}",
        "no_last": "mov x1, x3; cbz x1, {label}",
    },
)
GO = dict(
    registers=registers("R"),
    pointers={"powers": "R0", "message": "R1"},
    tail=("RET",),
    counters=("R2",),
    controls={
        "argument": "MOVD {name}+{offset}(FP), {register}",
        "advance": "ADD ${bytes}, R1, R1",
        "none_left": "SUB $1, R2, R2; CBZ R2, {label}",
        "align": "PCALIGN $32",
        "again": "SUB $1, R2, R2; CBNZ R2, {label}",
        "no_last": "MOVD last+24(FP), R1; CBZ R1, {label}",
    },
)

ARM64 = scalar_architecture(
    "arm64",
    "aarch64",
    ("neoverse-v2", "apple-m1", "cortex-a55"),
    INSTRUCTIONS,
    Arm64,
    GNU,
    GO,
    emulator=("qemu-aarch64",),
)
