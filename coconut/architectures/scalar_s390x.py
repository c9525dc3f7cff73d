# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe z/Architecture in general registers.

MLGR multiplies the odd register of a pair, and leaves the product in both; sums carry in the condition code. The
message's words are loaded with their bytes reversed.

The pair is r10 and r11. Its odd register also holds, for the next instruction, operands without a register of their
own.
"""

from coconut.architectures.scalar import (
    FLAGS,
    PRODUCT,
    PairSelector,
    Style,
    Template,
    scalar_architecture,
    table,
    with_carry,
    word,
    words,
)
from coconut.graph import Node
from coconut.instructions import Memory

SUM = {"accumulates": True, "gives": (FLAGS,)}
PLAIN = {"accumulates": True, "destroys": (FLAGS,)}
LOW = {"hidden": True, "gives": (PRODUCT,)}
CARRY = ((1, FLAGS),)


def low(index: int) -> dict:
    return {"takes": ((index, PRODUCT),)}


def reversed_bytes(_, a: int) -> int:
    return int.from_bytes(a.to_bytes(8, "big"), "little")


INSTRUCTIONS = table(
    Template("load", 1, word(lambda _, a: a), memory="only", gnu="lg {d}, {m}", go="MOVD {m}, {d}"),
    Template("load_reversed", 1, word(reversed_bytes), memory="only", gnu="lrvg {d}, {m}", go="MOVDBR {m}, {d}"),
    Template("copy", 1, word(lambda _, a: a), gnu="lgr {d}, {0}", go="MOVD {0}, {d}"),
    Template("to_odd", 1, word(lambda _, a: a), gnu="lgr %r11, {0}", go="MOVD {0}, R11", **LOW),
    Template("load_odd", 1, word(lambda _, a: a), memory="only", gnu="lg %r11, {m}", go="MOVD {m}, R11", **LOW),
    Template("reversed_odd", 1, word(reversed_bytes), memory="only", gnu="lrvg %r11, {m}", go="MOVDBR {m}, R11", **LOW),
    Template("number_odd", 0, lambda i: (i,), True, gnu="lghi %r11, {i}", go="MOVD ${i}, R11", **LOW),
    Template("shr_odd", 1, word(lambda i, a: a >> i), True, gnu="srlg %r11, {0}, {i}", go="SRD ${i}, {0}, R11", **LOW),
    Template("mul", 2, words(lambda _, a, b: a * b), gnu="mlgr %r10, {1}", go="MLGR {1}, R10", **low(0), **LOW),
    Template("take_lo", 1, word(lambda _, a: a), gnu="lgr {d}, %r11", go="MOVD R11, {d}", **low(0)),
    Template("take_hi", 1, lambda _, a: a[1:], gnu="lgr {d}, %r10", go="MOVD R10, {d}", **low(0)),
    Template("add", 2, words(lambda _, a, b: a + b), gnu="algr {0}, {1}", go="ADDC {1}, {0}", **SUM),
    Template("add_lo", 2, words(lambda _, a, b: a + b), gnu="algr {0}, %r11", go="ADDC R11, {0}", **low(1), **SUM),
    Template("adc", 3, with_carry, gnu="alcgr {0}, {2}", go="ADDE {2}, {0}", takes=CARRY, **SUM),
    Template("adc_lo", 3, with_carry, gnu="alcgr {0}, %r11", go="ADDE R11, {0}", takes=(*CARRY, (2, PRODUCT)), **SUM),
    Template(
        "adc_hi",
        3,
        lambda _, a, carry, b: with_carry(None, a, carry, b[1:]),
        gnu="alcgr {0}, %r10",
        go="ADDE R10, {0}",
        takes=(*CARRY, (2, PRODUCT)),
        **SUM,
    ),
    Template(
        "low2",
        1,
        word(lambda _, a: a & 3),
        gnu="risbg {d}, {0}, 62, 191, 0",
        go="RISBGZ $62, $63, $0, {0}, {d}",
        destroys=(FLAGS,),
    ),
    Template("shr", 1, word(lambda i, a: a >> i), True, gnu="srlg {d}, {0}, {i}", go="SRD ${i}, {0}, {d}"),
    Template("shl", 1, word(lambda i, a: a << i), True, gnu="sllg {d}, {0}, {i}", go="SLD ${i}, {0}, {d}"),
    Template(
        "msg_lo", 2, word(lambda _, a, b: a * b), gnu="msgr {0}, %r11", go="MULLD R11, {0}", accumulates=True, **low(1)
    ),
)


class S390x(PairSelector):
    def load(self, place: Memory) -> int:
        if place not in self.loaded:
            self.loaded[place] = self.emit("load_reversed" if place.base == "message" else "load", memory=place)
        return self.loaded[place]

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

GNU = Style(
    assembler="gnu",
    registers=tuple(f"%r{i}" for i in NUMBERS),
    pointers={"powers": "%r2", "message": "%r3"},
    address="{offset}({pointer})",
    copy="lgr {d}, {0}",
    load="lg {d}, {m}",
    store="stg {0}, {m}",
    advance="aghi %r3, {i}",
    head=("stmg %r5, %r15, 40(%r15)",),
    none_left=("aghi %r4, -1", "je {label}"),
    loop=(),
    again=("brctg %r4, {label}",),
    no_last=("lg %r3, 40(%r15)", "ltgr %r3, %r3", "je {label}"),
    tail=("lmg %r6, %r15, 48(%r15)", "br %r14"),
)
GO = Style(
    assembler="go",
    registers=tuple(f"R{i}" for i in NUMBERS),
    pointers={"powers": "R2", "message": "R3"},
    address="{offset}({pointer})",
    copy="MOVD {0}, {d}",
    load="MOVD {m}, {d}",
    store="MOVD {0}, {m}",
    advance="ADD ${i}, R3",
    head=("MOVD p+0(FP), R2", "MOVD message+8(FP), R3", "MOVD blocks+16(FP), R4"),
    none_left=("ADD $-1, R4", "CMPBEQ R4, $0, {label}"),
    loop=(),
    again=("BRCTG R4, {label}",),
    no_last=("MOVD last+24(FP), R3", "CMPBEQ R3, $0, {label}"),
    tail=("RET",),
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
