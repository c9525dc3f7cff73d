# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe z/Architecture in general registers.

MLGR multiplies the odd register of a pair, and leaves the product in both; sums carry in the condition code. The
message's words are loaded with their bytes reversed.

The pair is r10 and r11. Its odd register also holds, for the next instruction, operands without a register of their
own.
"""

from typing import Any

from coconut.architectures.scalar import PairSelector, scalar_architecture, with_carry, word, words
from coconut.graph import Node
from coconut.instructions import FLAGS, PRODUCT, Instruction, Memory, identity, octets, of_octets, table

SUM: dict[str, Any] = {"accumulates": True, "implicit_defs": (FLAGS,)}
PLAIN: dict[str, Any] = {"accumulates": True, "clobbers": (FLAGS,)}
LOW: dict[str, Any] = {"implicit": True, "implicit_defs": (PRODUCT,)}
CARRY = ((1, FLAGS),)


def low(index: int) -> dict[str, Any]:
    return {"implicit_uses": ((index, PRODUCT),)}


def reversed_bytes(_: int | None, a: Any) -> Any:
    (reversed_number,) = of_octets(octets((a,), 8), 8, "big")
    return reversed_number


INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="lg {d}, {m}", go="MOVD {m}, {d}"),
    Instruction("load_reversed", 1, word(reversed_bytes), memory="only", gnu="lrvg {d}, {m}", go="MOVDBR {m}, {d}"),
    Instruction("copy", 1, identity, gnu="lgr {d}, {0}", go="MOVD {0}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="stg {0}, {m}", go="MOVD {0}, {m}"),
    Instruction("to_odd", 1, identity, gnu="lgr %r11, {0}", go="MOVD {0}, R11", **LOW),
    Instruction("load_odd", 1, identity, memory="only", gnu="lg %r11, {m}", go="MOVD {m}, R11", **LOW),
    Instruction(
        "reversed_odd", 1, word(reversed_bytes), memory="only", gnu="lrvg %r11, {m}", go="MOVDBR {m}, R11", **LOW
    ),
    Instruction("number_odd", 0, lambda i: (i,), True, gnu="lghi %r11, {i}", go="MOVD ${i}, R11", **LOW),
    Instruction(
        "shr_odd", 1, word(lambda i, a: a >> i), True, gnu="srlg %r11, {0}, {i}", go="SRD ${i}, {0}, R11", **LOW
    ),
    Instruction("mul", 2, words(lambda _, a, b: a * b), gnu="mlgr %r10, {1}", go="MLGR {1}, R10", **low(0), **LOW),
    Instruction("take_lo", 1, identity, gnu="lgr {d}, %r11", go="MOVD R11, {d}", **low(0)),
    Instruction("take_hi", 1, lambda _, a: a[1:], gnu="lgr {d}, %r10", go="MOVD R10, {d}", **low(0)),
    Instruction("add", 2, words(lambda _, a, b: a + b), gnu="algr {0}, {1}", go="ADDC {1}, {0}", **SUM),
    Instruction("add_lo", 2, words(lambda _, a, b: a + b), gnu="algr {0}, %r11", go="ADDC R11, {0}", **low(1), **SUM),
    Instruction("adc", 3, with_carry, gnu="alcgr {0}, {2}", go="ADDE {2}, {0}", implicit_uses=CARRY, **SUM),
    Instruction(
        "adc_lo", 3, with_carry, gnu="alcgr {0}, %r11", go="ADDE R11, {0}", implicit_uses=(*CARRY, (2, PRODUCT)), **SUM
    ),
    Instruction(
        "adc_hi",
        3,
        lambda _, a, carry, b: with_carry(None, a, carry, b[1:]),
        gnu="alcgr {0}, %r10",
        go="ADDE R10, {0}",
        implicit_uses=(*CARRY, (2, PRODUCT)),
        **SUM,
    ),
    Instruction(
        "low2",
        1,
        word(lambda _, a: a & 3),
        gnu="risbg {d}, {0}, 62, 191, 0",
        go="RISBGZ $62, $63, $0, {0}, {d}",
        clobbers=(FLAGS,),
    ),
    Instruction("shr", 1, word(lambda i, a: a >> i), True, gnu="srlg {d}, {0}, {i}", go="SRD ${i}, {0}, {d}"),
    Instruction("shl", 1, word(lambda i, a: a << i), True, gnu="sllg {d}, {0}, {i}", go="SLD ${i}, {0}, {d}"),
    Instruction(
        "msg_lo", 2, word(lambda _, a, b: a * b), gnu="msgr {0}, %r11", go="MULLD R11, {0}", accumulates=True, **low(1)
    ),
)


class S390x(PairSelector):
    def load(self, place: Memory, name: str = "") -> int:
        return super().load(place, "load_reversed" if place.base == "message" else "load")

    def multiply(self, a: int, b: int) -> int:
        """Return the product.

        b is moved to the odd register, since a comes from the product before it; but a shift that only products use is
        made there.
        """
        node = self.graph.nodes[a]
        if node.op == "shr" and self.shifted(a):
            shifted = self.emit("shr_odd", self.value(node.args[0]), imm=node.imm[0])
            return self.emit("mul", shifted, self.value(b))
        place = self.memory(b)
        factor = self.emit("to_odd", self.value(b)) if place is None else self.emit("load_odd", memory=place)
        return self.emit("mul", factor, self.value(a))

    def low_product(self, node: Node) -> int:
        a, b = node.args
        if self.number(a) == 5:
            return self.emit("add", self.emit("shl", self.value(b), imm=2), self.value(b))
        factor, place = self.fresh(a), self.memory(b)
        odd = self.emit("to_odd", self.value(b)) if place is None else self.emit("load_odd", memory=place)
        return self.emit("msg_lo", factor, odd)

    def shift(self, node: Node) -> int:
        return self.emit("shr", self.value(node.args[0]), imm=node.imm[0])

    def select_and(self, node: Node) -> int:
        assert self.number(node.args[1]) == 3
        return self.emit("low2", self.value(node.args[0]))

    def plus(self, a: int, b: int, carry: int | None) -> int:
        if self.number(a) is not None:
            a, b = b, a
        flags = () if carry is None else (carry,)
        name = "add" if carry is None else "adc"
        total = self.fresh(a)
        if self.is_product(b):
            node = self.graph.nodes[b]
            product = self.product(node)
            return self.emit(f"{name}_{node.op[4:]}", total, *flags, product)
        number, place = self.number(b), self.memory(b)
        if number is not None:
            return self.emit(f"{name}_lo", total, *flags, self.emit("number_odd", imm=number))
        if place is not None:
            odd = self.emit("reversed_odd" if place.base == "message" else "load_odd", memory=place)
            return self.emit(f"{name}_lo", total, *flags, odd)
        return self.emit(name, total, *flags, self.value(b))


# Left out are 13 (Go's), 14 (the link), 15 (the stack), and 10 and 11 (the pair).
NUMBERS = (0, 1, 5, 6, 7, 8, 9, 12)

GNU = dict(
    registers=tuple(f"%r{i}" for i in NUMBERS),
    pointers={"powers": "%r2", "message": "%r3"},
    head=("stmg %r5, %r15, 40(%r15)",),
    tail=("lmg %r6, %r15, 48(%r15)", "br %r14"),
    counters=("%r4",),
    controls={
        "advance": "aghi %r3, {bytes}",
        "none_left": "aghi %r4, -1; je {label}",
        "align": "",
        "again": "brctg %r4, {label}",
        "no_last": "lg %r3, 40(%r15); ltgr %r3, %r3; je {label}",
    },
)
GO = dict(
    registers=tuple(f"R{i}" for i in NUMBERS),
    pointers={"powers": "R2", "message": "R3"},
    tail=("RET",),
    counters=("R4",),
    controls={
        "argument": "MOVD {name}+{offset}(FP), {register}",
        "advance": "ADD ${bytes}, R3",
        "none_left": "ADD $-1, R4; CMPBEQ R4, $0, {label}",
        "align": "",
        "again": "BRCTG R4, {label}",
        "no_last": "MOVD last+24(FP), R3; CMPBEQ R3, $0, {label}",
    },
)

S390X = scalar_architecture(
    "s390x",
    "s390x",
    ("z13", "z14"),
    INSTRUCTIONS,
    S390x,
    GNU,
    GO,
    emulator=("qemu-s390x",),
    replaces_sum=True,
    big_endian=True,
)
