# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe z/Architecture: the vectors of the z13, four lanes in radix 2^26, and VMSL of the z14."""

from collections.abc import Callable
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures.pairs import Pairs, low, product
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import Instruction, Meaning, Memory, elements, identity, octets, of_octets, table
from coconut.operations import SUM_MAX, WORD_MAX, Value
from coconut.select import Selector


def vperm(imm: None, a: Value, b: Value, mask: Value) -> Value:
    size = 16 // len(a)
    data = octets(a + b, size, "big")
    return of_octets([data[index & 31] for index in octets(mask, size, "big")], size, "big")


def vmslg(imm: None, a: Value, b: Value, total: Value) -> Value:
    """Return both products plus 128 bits (the z14 paper, appendix 1)."""
    result = (total[0] << 64 | total[1]) + a[0] * b[0] + a[1] * b[1] & SUM_MAX
    return (result >> 64, result & WORD_MAX)


def quadword(function: Callable[..., Any]) -> Meaning:
    """Return the meaning of a function on numbers of 128 bits."""

    def meaning(imm: int | None, *args: Value) -> Value:
        result = function(imm, *(a[0] << 64 | a[1] for a in args)) & SUM_MAX
        return (result >> 64, result & WORD_MAX)

    return meaning


def vmal(shift: int) -> Meaning:
    """Return the meaning that adds two products of 32-bit elements, the even or the odd ones.

    The even ones are the high ones here.
    """
    return lambda imm, a, b, total: tuple(
        product(number, low(x >> shift), low(y >> shift)) for number, x, y in zip(total, a, b, strict=True)
    )


BOTH = table(
    Instruction("vl", 1, identity, memory="only"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="vst {0}, {m}", go="VST {0}, {m}"),
    Instruction("copy", 1, identity, gnu="vlr {d}, {0}", go="VLR {0}, {d}"),
    Instruction("vperm", 3, vperm),
    Instruction("vmrhg", 2, lambda imm, a, b: (a[0], b[0])),
    Instruction("vmrlg", 2, lambda imm, a, b: (a[1], b[1])),
    Instruction("vpdi", 2, lambda imm, a, b: (a[imm >> 2 & 1], b[imm & 1]), immediate=True, edges=(0, 1, 4, 5)),
    Instruction("vag", 2, elements(lambda imm, a, b: a + b)),
    Instruction("vn", 2, elements(lambda imm, a, b: a & b)),
    Instruction("vo", 2, elements(lambda imm, a, b: a | b)),
    Instruction("veslg", 1, elements(lambda imm, a: a << imm), immediate=True),
    Instruction("vesrlg", 1, elements(lambda imm, a: a >> imm), immediate=True),
)

Z13_INSTRUCTIONS = BOTH | table(Instruction("vmalef", 3, vmal(32)), Instruction("vmalof", 3, vmal(0)))
# GNU's last operand doubles products; Go's assembler has none.
Z14_INSTRUCTIONS = BOTH | table(
    Instruction("vmslg", 3, vmslg, gnu="vmslg {d}, {0}, {1}, {2}, 0"),
    Instruction("vaq", 2, quadword(lambda imm, a, b: a + b)),
    Instruction("vsq", 2, quadword(lambda imm, a, b: a - b), go="VSQ {1}, {0}, {d}"),
    Instruction(
        "vsldb", 2, quadword(lambda imm, a, b: (a << 128 | b) >> 128 - 8 * imm), immediate=True, edges=(0, 1, 7, 8, 15)
    ),
)


class Blocks(Selector):
    """Load the words of blocks, whose bytes are reversed."""

    def words_of(self, a: int, b: int, high: bool) -> int:
        """Return the first or second words of two blocks."""
        if self.choices["expand"] == "permute":
            start = 15 if high else 7
            indices = [*range(start, start - 8, -1), *range(start + 16, start + 8, -1)]
            return self.emit("vperm", a, b, self.keep(pair_of_bytes(indices)))
        mask = self.keep(pair_of_bytes([*range(7, -1, -1), *range(15, 7, -1)]))
        return self.emit("vmrlg" if high else "vmrhg", *(self.reverse(block, mask) for block in (a, b)))

    def reverse(self, block: int, mask: int) -> int:
        """Reverse the bytes of a block, only once for each block."""
        place = Memory("reversed", block)
        if place not in self.loaded:
            self.loaded[place] = self.emit("vperm", block, block, mask)
        return self.loaded[place]


class Z13Selector(Blocks, Pairs):
    """Select instructions of the z13; the halves are the even and the odd blocks."""

    names = {"add": "vag", "and": "vn", "or": "vo", "shl": "veslg", "shr": "vesrlg"}

    def multiply_add(self, half: int, total: int, a: int, b: int) -> int:
        return self.emit(("vmalef", "vmalof")[half], a, b, total)

    def join(self, first: int, second: int) -> int:
        if self.choices["join"] == "shift":
            return self.emit("vo", self.emit("veslg", first, imm=32), second)
        indices = [*range(4, 8), *range(20, 24), *range(12, 16), *range(28, 32)]
        return self.emit("vperm", first, second, self.keep(pair_of_bytes(indices)))

    def words_of_blocks(self, half: int, blocks: list[int], high: bool) -> int:
        return self.words_of(blocks[half], blocks[half + 2], high)


class Z14Selector(Blocks):
    """Select VMSL, with constants in registers, of which there are 32."""

    simple = Z13Selector.names | {"sums_low": "vmrlg", "sums_high": "vmrhg", "sum_add": "vaq", "sum_sub": "vsq"}

    def value(self, i: int) -> int:
        node = self.graph.nodes[i]
        if node.op in {"splat", "sum_zero"}:
            return self.keep(node.imm * 2)
        if node.op == "sum_of":
            return self.keep(node.imm)
        if node.in_memory:
            return self.load(self.places[i])
        return self.values[i]

    def select_alone(self, node: Node) -> int:
        zero = self.keep((0, 0))
        return self.emit("vmrhg" if node.imm == (0,) else "vmrlg", self.value(node.args[0]), zero)

    def select_sum_mul_add(self, node: Node) -> int:
        total, a, b = map(self.value, node.args)
        for operand in node.args[1:]:
            self.check_bits(operand, 56)
        if self.choices["sums"] == "apart" and self.graph.nodes[node.args[0]].op != "sum_zero":
            return self.emit("vaq", total, self.emit("vmslg", a, b, self.keep((0, 0))))
        return self.emit("vmslg", a, b, total)

    def select_shuffle(self, node: Node) -> int:
        a, b = map(self.value, node.args)
        first, second = (lane - 2 * i for i, lane in enumerate(node.imm))
        if first == second:
            return self.emit("vmrlg" if first else "vmrhg", a, b)
        return self.emit("vpdi", a, b, imm=4 * first + second)

    def select_sum_bytes(self, node: Node) -> int:
        first, count, to = node.imm
        a, zero = self.value(node.args[0]), self.keep((0, 0))
        if first + count == 16 and to == 0:
            return self.emit("vsldb", zero, a, imm=count)
        return self.bytes_of(a, [first + i - to if to <= i < to + count else None for i in range(16)])

    def select_sum_limbs(self, node: Node) -> int:
        (size,) = node.imm
        # Lane 0 is in the upper half.
        places = [first + i if i < size else None for first in (size, 0) for i in range(8)]
        return self.bytes_of(self.value(node.args[0]), places)

    def bytes_of(self, a: int, places: list[int | None]) -> int:
        """Return the bytes of a number at these places, from the lowest one on, and zeros."""
        indices = [16 if place is None else 15 - place for place in reversed(places)]
        return self.emit("vperm", a, self.keep((0, 0)), self.keep(pair_of_bytes(indices)))

    def select_load(self, node: Node, high: bool) -> int:
        first, stride = node.imm
        a, b = (self.load(Memory("message", first + offset)) for offset in (0, stride))
        return self.words_of(a, b, high)

    def select_load_lo(self, node: Node) -> int:
        return self.select_load(node, high=False)

    def select_load_hi(self, node: Node) -> int:
        return self.select_load(node, high=True)


def pair_of_bytes(indices: list[int]) -> Value:
    return int.from_bytes(bytes(indices[:8]), "big"), int.from_bytes(bytes(indices[8:]), "big")


def operands(instruction: Instruction, kind: str) -> list[str]:
    return ["{m}"] if kind else [f"{{{i}}}" for i in range(instruction.operands)]


def gnu_default(instruction: Instruction, kind: str) -> str:
    return f"{instruction.name} {', '.join(['{d}', *operands(instruction, kind), *['{i}'] * instruction.immediate])}"


def go_default(instruction: Instruction, kind: str) -> str:
    parts = [*["${i}"] * instruction.immediate, *operands(instruction, kind), "{d}"]
    return f"{instruction.name.upper()} {', '.join(parts)}"


def callee_saved(name: str) -> tuple[str, ...]:
    """Return the stores or loads of f8 to f15, the first halves of v8 to v15, where the caller leaves room."""
    return tuple(f"{name} %f{i}, {16 + 8 * (i - 8)}(%r15)" for i in range(8, 16))


def assemblers(machine: str, instructions: dict[str, Instruction]) -> dict[str, Any]:
    """Return GNU's assembler, for the ABI's calling convention, and Go's."""
    gnu = Assembler(
        is_go=False,
        registers=tuple(f"%v{i}" for i in range(32)),
        pointers={"constants": "%r1", "state": "%r2", "powers": "%r3", "message": "%r4"},
        counters=("%r5",),
        controls={
            "constants": "larl {register}, {name}_constants",
            "align": "",
            "advance": "aghi {pointer}, {bytes}",
            "again": "brctg {counter}, {label}",
        },
        default=gnu_default,
        head=(f".machine {machine}", *callee_saved("std")),
        tail=(*callee_saved("ld"), "br %r14"),
    )
    go = Assembler(
        is_go=True,
        registers=tuple(f"V{i}" for i in range(32)),
        pointers={"constants": "R1", "state": "R2", "powers": "R3", "message": "R4"},
        counters=("R5",),
        controls={
            "argument": "MOVD {name}+{offset}(FP), {register}",
            "constants": "MOVD $·{name}Constants<>(SB), {register}",
            "align": "",
            "advance": "ADD ${bytes}, {pointer}",
            "again": "BRCTG {counter}, {label}",
        },
        default=go_default,
        tail=("RET",),
        comment="//",
        clears="VZERO V{}".format,
        instructions=instructions,
    )
    return {"gnu": gnu, "go": go}


def pack(value: Value) -> Value:
    """Return four 32-bit numbers in two elements."""
    return tuple(value[i] << 32 | value[i + 1] for i in (0, 2))


EMULATOR = ("qemu-s390x", "-cpu", "max")
# "apart": the z14 paper's figure 4, in which no VMSL waits for another one. The first product of each sum goes to the
# accumulator ("A"), the others to registers ("T") that are added to it.
SUMS = ("chained", "apart")
# Words of two blocks: "merge" reverses the bytes of each first, "permute" does both at once by another permutation.
EXPAND = ("permute", "merge")

Z13 = Architecture(
    name="z13",
    triple="s390x",
    registers=32,
    vector_bytes=16,
    cpus=("z13", "z14"),
    features=("vx",),
    instructions=Z13_INSTRUCTIONS,
    # Four numbers are joined from two halves by a permutation, or by a shift.
    alternatives={"expand": EXPAND, "join": ("permute", "shift")},
    selector=Z13Selector,
    load="vl",
    **assemblers("z13", Z13_INSTRUCTIONS),
    goarch="s390x",
    big_endian=True,
    emulator=EMULATOR,
    pack=pack,
)

Z14 = Architecture(
    name="z14",
    triple="s390x",
    registers=32,
    vector_bytes=16,
    cpus=("z14",),
    features=("vxe",),
    instructions=Z14_INSTRUCTIONS,
    alternatives={"expand": EXPAND, "sums": SUMS},
    selector=Z14Selector,
    load="vl",
    **assemblers("z14", Z14_INSTRUCTIONS),
    goarch="s390x",
    big_endian=True,
    emulator=EMULATOR,
)
