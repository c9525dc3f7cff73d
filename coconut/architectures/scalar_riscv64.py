# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe 64-bit RISC-V, RV64IM, without flags: a carry is whether a sum is less than one of its operands."""

from coconut.architectures.scalar import ThreeOperandSelector, scalar_architecture, word
from coconut.graph import Node
from coconut.instructions import Instruction, identity, table

INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="ld {d}, {m}", go="MOV {m}, {d}"),
    Instruction("copy", 1, identity, gnu="mv {d}, {0}", go="MOV {0}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="sd {0}, {m}", go="MOV {0}, {m}"),
    Instruction("mul", 2, word(lambda _, a, b: a * b), gnu="mul {d}, {0}, {1}", go="MUL {1}, {0}, {d}"),
    Instruction("mul_high", 2, word(lambda _, a, b: a * b >> 64), gnu="mulhu {d}, {0}, {1}", go="MULHU {1}, {0}, {d}"),
    Instruction("add", 2, word(lambda _, a, b: a + b), gnu="add {d}, {0}, {1}", go="ADD {1}, {0}, {d}"),
    Instruction("add_number", 1, word(lambda i, a: a + i), True, gnu="addi {d}, {0}, {i}", go="ADD ${i}, {0}, {d}"),
    Instruction("less", 2, word(lambda _, a, b: a < b), gnu="sltu {d}, {0}, {1}", go="SLTU {1}, {0}, {d}"),
    Instruction("and", 1, word(lambda i, a: a & i), True, gnu="andi {d}, {0}, {i}", go="AND ${i}, {0}, {d}"),
    Instruction("shr", 1, word(lambda i, a: a >> i), True, gnu="srli {d}, {0}, {i}", go="SRL ${i}, {0}, {d}"),
    Instruction("shl", 1, word(lambda i, a: a << i), True, gnu="slli {d}, {0}, {i}", go="SLL ${i}, {0}, {d}"),
)


class Riscv64(ThreeOperandSelector):
    def times5(self, x: int) -> int:
        return self.emit("add", self.emit("shl", x, imm=2), x)

    def plus(self, a: int, b: int, carry: int | None) -> int:
        """Return the sum without a carry, which select_add_carry adds."""
        if self.number(a) is not None:
            a, b = b, a
        number = self.number(b)
        if number == 0:
            return self.value(a)
        if number is not None:
            return self.emit("add_number", self.value(a), imm=number)
        return self.emit("add", self.value(a), self.value(b))

    def select_carry(self, node: Node) -> int:
        self.sums[node.args] = self.plus(node.args[0], node.args[1], None)
        return self.emit("less", self.sums[node.args], self.value(node.args[1]))

    def select_add_carry(self, node: Node) -> int:
        a, b, carry = node.args
        partial = self.plus(a, b, None)
        self.sums[a, b] = partial
        self.sums[node.args] = self.emit("add", partial, self.value(carry))
        return self.sums[node.args]

    def select_carry_of(self, node: Node) -> int:
        """Return the carry out: at most one of the two additions carries."""
        a, b, carry = node.args
        second = self.emit("less", self.sums[node.args], self.value(carry))
        if self.number(b) == 0:
            return second
        return self.emit("add", self.emit("less", self.sums[a, b], self.value(b)), second)


# Those that a callee need not keep come first. Left out are 1 to 4 (the ABI's), 26 and 27 (Go's), 31 (its assembler's).
NUMBERS = (5, 6, 7, *range(14, 18), 28, 29, 30, 8, 9, *range(18, 26))
SAVED = tuple(i for i in NUMBERS if i in {8, 9, *range(18, 26)})

GNU = dict(
    registers=tuple(f"x{i}" for i in NUMBERS),
    pointers={"powers": "x10", "message": "x11"},
    head=("addi sp, sp, -80", *(f"sd x{number}, {8 * i}(sp)" for i, number in enumerate(SAVED))),
    tail=(*(f"ld x{number}, {8 * i}(sp)" for i, number in enumerate(SAVED)), "addi sp, sp, 80", "ret"),
    counters=("x12",),
    controls={
        "advance": "addi x11, x11, {bytes}",
        "none_left": "addi x12, x12, -1; beqz x12, {label}",
        "align": "",
        "again": "addi x12, x12, -1; bnez x12, {label}",
        "no_last": "mv x11, x13; beqz x11, {label}",
    },
)
GO = dict(
    registers=tuple(f"X{i}" for i in NUMBERS),
    pointers={"powers": "X10", "message": "X11"},
    tail=("RET",),
    counters=("X12",),
    controls={
        "argument": "MOV {name}+{offset}(FP), {register}",
        "advance": "ADD ${bytes}, X11, X11",
        "none_left": "SUB $1, X12, X12; BEQZ X12, {label}",
        "align": "",
        "again": "SUB $1, X12, X12; BNEZ X12, {label}",
        "no_last": "MOV last+24(FP), X11; BEQZ X11, {label}",
    },
)

RISCV64 = scalar_architecture(
    "riscv64", "riscv64", ("sifive-p670", "sifive-u74"), INSTRUCTIONS, Riscv64, GNU, GO, emulator=("qemu-riscv64",)
)
