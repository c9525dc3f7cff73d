# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe x86-64 in general registers.

MULQ multiplies AX, and leaves the product in DX and AX; sums carry in a flag. MULX, which takes any registers, needs a
CPU that has it, and frees no register that is scarce here.
"""

from typing import Any

from coconut.architectures.scalar import PairSelector, scalar_architecture, with_carry, word, words
from coconut.graph import Node
from coconut.instructions import FLAGS, PRODUCT, Instruction, identity, table

SUM: dict[str, Any] = {"accumulates": True, "implicit_defs": (FLAGS,)}
PLAIN: dict[str, Any] = {"accumulates": True, "clobbers": (FLAGS,)}
PRODUCES: dict[str, Any] = {"implicit": True, "implicit_defs": (PRODUCT,)}


def low(index: int) -> dict[str, Any]:
    return {"implicit_uses": ((index, PRODUCT),)}


CARRY = ((1, FLAGS),)

INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="movq {m}, {d}", go="MOVQ {m}, {d}"),
    Instruction("copy", 1, identity, gnu="movq {0}, {d}", go="MOVQ {0}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="movq {0}, {m}", go="MOVQ {0}, {m}"),
    Instruction("to_ax", 1, identity, gnu="movq {0}, %rax", go="MOVQ {0}, AX", **PRODUCES),
    Instruction("load_ax", 1, identity, memory="only", gnu="movq {m}, %rax", go="MOVQ {m}, AX", **PRODUCES),
    Instruction(
        "shr_ax",
        1,
        word(lambda i, a: a >> i),
        True,
        gnu="shrq ${i}, %rax",
        go="SHRQ ${i}, AX",
        clobbers=(FLAGS,),
        **low(0),
        **PRODUCES,
    ),
    Instruction(
        "mul", 2, words(lambda _, a, b: a * b), gnu="mulq {1}", go="MULQ {1}", clobbers=(FLAGS,), **low(0), **PRODUCES
    ),
    Instruction("take_lo", 1, identity, gnu="movq %rax, {d}", go="MOVQ AX, {d}", **low(0)),
    Instruction("take_hi", 1, lambda _, a: a[1:], gnu="movq %rdx, {d}", go="MOVQ DX, {d}", **low(0)),
    Instruction("add", 2, words(lambda _, a, b: a + b), gnu="addq {1}, {0}", go="ADDQ {1}, {0}", **SUM),
    Instruction(
        "add_memory", 2, words(lambda _, a, b: a + b), memory="only", gnu="addq {m}, {0}", go="ADDQ {m}, {0}", **SUM
    ),
    Instruction("add_lo", 2, words(lambda _, a, b: a + b), gnu="addq %rax, {0}", go="ADDQ AX, {0}", **low(1), **SUM),
    Instruction("adc", 3, with_carry, gnu="adcq {2}, {0}", go="ADCQ {2}, {0}", implicit_uses=CARRY, **SUM),
    Instruction(
        "adc_memory", 3, with_carry, memory="only", gnu="adcq {m}, {0}", go="ADCQ {m}, {0}", implicit_uses=CARRY, **SUM
    ),
    Instruction(
        "adc_number", 2, with_carry, True, gnu="adcq ${i}, {0}", go="ADCQ ${i}, {0}", implicit_uses=CARRY, **SUM
    ),
    Instruction(
        "adc_hi",
        3,
        lambda _, a, carry, b: with_carry(None, a, carry, b[1:]),
        gnu="adcq %rdx, {0}",
        go="ADCQ DX, {0}",
        implicit_uses=(*CARRY, (2, PRODUCT)),
        **SUM,
    ),
    Instruction("and", 1, word(lambda i, a: a & i), True, gnu="andq ${i}, {0}", go="ANDQ ${i}, {0}", **PLAIN),
    Instruction("shr", 1, word(lambda i, a: a >> i), True, gnu="shrq ${i}, {0}", go="SHRQ ${i}, {0}", **PLAIN),
    Instruction("imul", 2, word(lambda _, a, b: a * b), gnu="imulq {1}, {0}", go="IMULQ {1}, {0}", **PLAIN),
    Instruction(
        "imul_memory", 2, word(lambda _, a, b: a * b), memory="only", gnu="imulq {m}, {0}", go="IMULQ {m}, {0}", **PLAIN
    ),
    Instruction("times5", 1, word(lambda _, a: 5 * a), gnu="leaq ({0},{0},4), {d}", go="LEAQ ({0})({0}*4), {d}"),
)


class Amd64(PairSelector):
    def multiply(self, a: int, b: int) -> int:
        """Return the product.

        b is moved to AX, since a comes from the product before it; but a shift that only products use is made there.
        """
        node = self.graph.nodes[a]
        if node.op == "shr" and self.shifted(a):
            shifted = self.emit("shr_ax", self.emit("to_ax", self.value(node.args[0])), imm=node.imm[0])
            return self.emit("mul", shifted, self.value(b))
        place = self.memory(b)
        factor = self.emit("to_ax", self.value(b)) if place is None else self.emit("load_ax", memory=place)
        return self.emit("mul", factor, self.value(a))

    def low_product(self, node: Node) -> int:
        a, b = node.args
        if self.number(a) == 5:
            return self.emit("times5", self.value(b))
        place = self.memory(b)
        if place is not None:
            return self.emit("imul_memory", self.fresh(a), memory=place)
        return self.emit("imul", self.fresh(a), self.value(b))

    def shift(self, node: Node) -> int:
        return self.emit("shr", self.fresh(node.args[0]), imm=node.imm[0])

    def select_and(self, node: Node) -> int:
        mask = self.number(node.args[1])
        assert mask is not None
        return self.emit("and", self.fresh(node.args[0]), imm=mask)

    def plus(self, a: int, b: int, carry: int | None) -> int:
        if self.number(a) is not None:
            a, b = b, a
        flags = () if carry is None else (carry,)
        name = "add" if carry is None else "adc"
        if self.is_product(b):
            node = self.graph.nodes[b]
            product = self.product(node)
            return self.emit(f"{name}_{node.op[4:]}", self.fresh(a), *flags, product)
        number = self.number(b)
        if number is not None:
            return self.emit(f"{name}_number", self.fresh(a), *flags, imm=number)
        place = self.memory(b)
        if place is not None:
            return self.emit(f"{name}_memory", self.fresh(a), *flags, memory=place)
        return self.emit(name, self.fresh(a), *flags, self.value(b))


SAVED = ("rbp", "rbx", "r12", "r13", "r14", "r15")

GNU = dict(
    registers=("%r8", "%r9", "%r10", "%r11", "%r12", "%r13", "%r14", "%r15", "%rbx"),
    pointers={"powers": "%rdi", "message": "%rsi"},
    head=(*(f"pushq %{register}" for register in SAVED), "movq %rcx, %rbp", "movq %rdx, %rcx"),
    tail=(*(f"popq %{register}" for register in reversed(SAVED)), "ret"),
    counters=("%rcx",),
    controls={
        "advance": "addq ${bytes}, %rsi",
        "none_left": "decq %rcx; jz {label}",
        "align": ".p2align 6",
        "again": "decq %rcx; jnz {label}",
        "no_last": "movq %rbp, %rsi; testq %rsi, %rsi; jz {label}",
    },
)
# BP, the frame pointer, and SP are left out. Functions of ABI0 may overwrite R14, and R15 where no global is read.
GO = dict(
    registers=("R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "BX"),
    pointers={"powers": "DI", "message": "SI"},
    tail=("RET",),
    counters=("CX",),
    clears=lambda i: "XORL {0}, {0}".format(("R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "BX")[i]),
    controls={
        "argument": "MOVQ {name}+{offset}(FP), {register}",
        "advance": "ADDQ ${bytes}, SI",
        "none_left": "DECQ CX; JZ {label}",
        "skip": "TESTQ CX, CX; JZ {label}",
        "align": "PCALIGN $64",
        "again": "DECQ CX; JNZ {label}",
        "no_last": "MOVQ last+24(FP), SI; TESTQ SI, SI; JZ {label}",
    },
)

AMD64 = scalar_architecture(
    "amd64", "x86_64", ("sapphirerapids", "znver4"), INSTRUCTIONS, Amd64, GNU, GO, replaces_sum=True
)
