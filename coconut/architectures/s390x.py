# SPDX-License-Identifier: Apache-2.0 OR MIT
"""z/Architecture: VMSL of the z14."""

from coconut.architecture import Architecture, Syntax
from coconut.graph import Node
from coconut.instructions import Instruction, elements
from coconut.operations import SUM_MAX, WORD_MAX, Value
from coconut.program import Memory, Op, Program
from coconut.select import Selector


def octets(*vectors: Value) -> bytes:
    """As they lie in memory on a big-endian CPU."""
    return b"".join(number.to_bytes(8, "big") for vector in vectors for number in vector)


def words(data: bytes) -> Value:
    return tuple(int.from_bytes(data[i : i + 8], "big") for i in range(0, len(data), 8))


def vperm(imm: None, a: Value, b: Value, mask: Value) -> Value:
    data = octets(a, b)
    return words(bytes(data[index & 31] for index in octets(mask)))


def vmslg(imm: int, a: Value, b: Value, total: Value) -> Value:
    """Both products and 128 bits (the z14 paper, appendix 1). imm is 0: no product is doubled."""
    result = (total[0] << 64 | total[1]) + a[0] * b[0] + a[1] * b[1] & SUM_MAX
    return (result >> 64, result & WORD_MAX)


INSTRUCTIONS = {
    instruction.name: instruction
    for instruction in (
        Instruction("vl", 1, lambda imm, a: a, memory="only"),
        Instruction("vperm", 3, vperm),
        Instruction("vmrhg", 2, lambda imm, a, b: (a[0], b[0])),
        Instruction("vmrlg", 2, lambda imm, a, b: (a[1], b[1])),
        Instruction("vpdi", 2, lambda imm, a, b: (a[imm >> 2 & 1], b[imm & 1]), immediate=True),
        Instruction("vag", 2, elements(lambda imm, a, b: a + b)),
        Instruction("vn", 2, elements(lambda imm, a, b: a & b)),
        Instruction("vo", 2, elements(lambda imm, a, b: a | b)),
        Instruction("veslg", 1, elements(lambda imm, a: a << imm), immediate=True),
        Instruction("vesrlg", 1, elements(lambda imm, a: a >> imm), immediate=True),
        Instruction("vmslg", 3, vmslg, immediate=True),
    )
}


class Z14Selector(Selector):
    """VMSL, with constants in registers, of which there are 32."""

    def value(self, i: int) -> int:
        node = self.graph.nodes[i]
        if node.op in {"splat", "sum_zero"}:
            return self.keep(node.imm * 2)
        if node.in_memory:
            return self.load(Memory("powers", self.slots[i] * 16))
        return self.values[i]

    def load(self, place: Memory) -> int:
        if place not in self.loaded:
            self.loaded[place] = self.emit("vl", memory=place)
        return self.loaded[place]

    def binary(self, name: str, node: Node) -> int:
        return self.emit(name, *map(self.value, node.args))

    def select_add(self, node: Node) -> int:
        return self.binary("vag", node)

    def select_and(self, node: Node) -> int:
        return self.binary("vn", node)

    def select_or(self, node: Node) -> int:
        return self.binary("vo", node)

    def select_shl(self, node: Node) -> int:
        return self.emit("veslg", self.value(node.args[0]), imm=node.imm[0])

    def select_shr(self, node: Node) -> int:
        return self.emit("vesrlg", self.value(node.args[0]), imm=node.imm[0])

    def select_alone(self, node: Node) -> int:
        zero = self.keep((0, 0))
        return self.emit("vmrhg" if node.imm == (0,) else "vmrlg", self.value(node.args[0]), zero)

    def select_sum_mul_add(self, node: Node) -> int:
        total, a, b = map(self.value, node.args)
        return self.emit("vmslg", a, b, total, imm=0)

    def select_sums_low(self, node: Node) -> int:
        return self.binary("vmrlg", node)

    def select_sums_high(self, node: Node) -> int:
        return self.binary("vmrhg", node)

    def blocks(self, node: Node) -> tuple[int, int]:
        first, stride = node.imm
        return self.load(Memory("message", first)), self.load(Memory("message", first + stride))

    def select_load(self, node: Node, high: bool) -> int:
        """The bytes of the words, reversed."""
        a, b = self.blocks(node)
        if self.choices["expand"] == "permute":
            start = 15 if high else 7
            indices = [*range(start, start - 8, -1), *range(start + 16, start + 8, -1)]
            return self.emit("vperm", a, b, self.keep(pair_of_bytes(indices)))
        mask = self.keep(pair_of_bytes([*range(7, -1, -1), *range(15, 7, -1)]))
        return self.emit("vmrlg" if high else "vmrhg", *(self.reverse(block, mask) for block in (a, b)))

    def reverse(self, block: int, mask: int) -> int:
        """Once for each block."""
        place = Memory("reversed", block)
        if place not in self.loaded:
            self.loaded[place] = self.emit("vperm", block, block, mask)
        return self.loaded[place]

    def select_load_lo(self, node: Node) -> int:
        return self.select_load(node, high=False)

    def select_load_hi(self, node: Node) -> int:
        return self.select_load(node, high=True)


def pair_of_bytes(indices: list[int]) -> Value:
    return int.from_bytes(bytes(indices[:8]), "big"), int.from_bytes(bytes(indices[8:]), "big")


class Gnu(Syntax):
    """The ABI's calls: no more than five arguments, in r2 to r6."""

    pointers = {"state": "%r2", "powers": "%r3", "constants": "%r4", "message": "%r5"}

    def text(self, op: Op, args: list[int], result: int) -> str:
        operands = [f"%v{number}" for number in (result, *args)]
        if op.memory is not None:
            operands.append(self.address(op.memory))
        if op.instruction.immediate:
            operands.append(str(op.imm))
        return f"\t{op.instruction.name} {', '.join(operands)}"

    def address(self, place: Memory) -> str:
        return f"{place.offset}({self.pointers[place.base]})"

    def move(self, to: int, source: int) -> str:
        return f"\tvlr %v{to}, %v{source}"

    def advance(self, advance: int) -> list[str]:
        return [f"\taghi %r5, {advance}"]


Z14 = Architecture(
    name="z14",
    triple="s390x",
    registers=32,
    vector_bytes=16,
    cpus=("z14",),
    features=(),
    instructions=INSTRUCTIONS,
    # Words out of two blocks: reverse the bytes of each, then merge; or both at once, by another permutation.
    alternatives={"expand": ("permute", "merge")},
    selector=Z14Selector,
    order=lambda lanes: (0, 1),
    load="vl",
    gnu=Gnu(),
    go=None,
    big_endian=True,
)
