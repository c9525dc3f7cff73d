# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe NEON of 64-bit Arm, in GNU's assembler only.

Go's assembler has no mnemonic for the widening multiplication, umull or umlal.
"""

from coconut.architecture import Architecture, Syntax
from coconut.architectures.pairs import MAX32, Pairs, low, product
from coconut.graph import Node
from coconut.instructions import Instruction, Memory, Op, elements
from coconut.operations import Value

# The assembly of each instruction: d is the register of the result; a, b and c are those of the operands.
FORMATS = {
    "ldr": "ldr q{d}, {memory}",
    "add": "add v{d}.2d, v{a}.2d, v{b}.2d",
    "and": "and v{d}.16b, v{a}.16b, v{b}.16b",
    "orr": "orr v{d}.16b, v{a}.16b, v{b}.16b",
    "shl": "shl v{d}.2d, v{a}.2d, #{imm}",
    "ushr": "ushr v{d}.2d, v{a}.2d, #{imm}",
    "usra": "usra v{d}.2d, v{b}.2d, #{imm}",
    "zip1": "zip1 v{d}.2d, v{a}.2d, v{b}.2d",
    "zip2": "zip2 v{d}.2d, v{a}.2d, v{b}.2d",
    "uzp1": "uzp1 v{d}.4s, v{a}.4s, v{b}.4s",
    "umlal": "umlal v{d}.2d, v{b}.2s, v{c}.2s",
    "umlal2": "umlal2 v{d}.2d, v{b}.4s, v{c}.4s",
}


def umlal(half: int):
    """Return the meaning that adds two products of the 32-bit elements in a half of the operands."""
    return lambda imm, total, a, b: (
        product(total[0], low(a[half]), low(b[half])),
        product(total[1], a[half] >> 32, b[half] >> 32),
    )


INSTRUCTIONS = {
    instruction.name: instruction
    for instruction in (
        Instruction("ldr", 1, lambda imm, a: a, memory="only"),
        Instruction("add", 2, elements(lambda imm, a, b: a + b)),
        Instruction("and", 2, elements(lambda imm, a, b: a & b)),
        Instruction("orr", 2, elements(lambda imm, a, b: a | b)),
        Instruction("shl", 1, elements(lambda imm, a: a << imm), immediate=True),
        Instruction("ushr", 1, elements(lambda imm, a: a >> imm), immediate=True),
        Instruction("usra", 2, elements(lambda imm, d, a: d + (a >> imm)), immediate=True, accumulates=True),
        Instruction("zip1", 2, lambda imm, a, b: (a[0], b[0])),
        Instruction("zip2", 2, lambda imm, a, b: (a[1], b[1])),
        Instruction("uzp1", 2, lambda imm, a, b: tuple(low(x[0]) | low(x[1]) << 32 for x in (a, b))),
        Instruction("umlal", 3, umlal(0), accumulates=True),
        Instruction("umlal2", 3, umlal(1), accumulates=True),
    )
}


class NeonSelector(Pairs):
    load_name = "ldr"
    names = {"add": "add", "and": "and", "or": "orr", "shl": "shl", "shr": "ushr"}

    def multiply_add(self, half: int, total: int, a: int, b: int) -> int:
        return self.emit(("umlal", "umlal2")[half], total, a, b)

    def join(self, first: int, second: int) -> int:
        return self.emit("uzp1", first, second)

    def words_of_blocks(self, half: int, blocks: list[int], high: bool) -> int:
        return self.emit("zip2" if high else "zip1", *blocks[2 * half : 2 * half + 2])

    def added(self, i: int, total: int) -> tuple[int, int] | None:
        """Return what node i shifts right and by how much, if only a sum takes node i and may replace its other part.

        Otherwise, return None.
        """
        node = self.graph.nodes[i]
        alone = len(self.users[i]) == len(self.users[total]) == 1 and total in self.halves
        if self.choices["shifts"] == "accumulated" and node.op == "shr" and alone:
            return node.args[0], node.imm[0]
        return None

    def accumulated(self, node: Node) -> bool:
        for total, i in (node.args, node.args[::-1]):
            shifted = self.added(i, total)
            if shifted is not None:
                source, bits = shifted
                self.both(lambda half: self.emit("usra", self.half(total, half), self.half(source, half), imm=bits))
                return True
        return False

    def select_add(self, node: Node) -> int:
        return 0 if self.accumulated(node) else super().select_add(node)

    def select_or(self, node: Node) -> int:
        """Select an or of bits that do not overlap in the same way as a sum."""
        for a, b in (node.args, node.args[::-1]):
            up, down = self.graph.nodes[a], self.graph.nodes[b]
            if up.op == "shl" and down.op == "shr" and up.imm[0] + down.imm[0] >= 64 and self.accumulated(node):
                return 0
        return self.binary(node)


class Gnu(Syntax):
    """Write GNU's assembler, for the ABI's calling convention."""

    pointers = {"state": "x0", "powers": "x1", "message": "x2", "constants": "x4"}

    def text(self, op: Op, args: list[int], result: int) -> str:
        if op.instruction.accumulates:
            assert args[0] == result
        registers = dict(zip("abc", args))
        memory = self.address(op.memory) if op.memory is not None else ""
        return "\t" + FORMATS[op.instruction.name].format(d=result, imm=op.imm, memory=memory, **registers)

    def address(self, place: Memory) -> str:
        return f"[{self.pointers[place.base]}, #{place.offset}]"

    def move(self, to: int, source: int) -> str:
        return f"\tmov v{to}.16b, v{source}.16b"

    def load(self, register: int, place: Memory) -> str:
        return f"\tldr q{register}, {self.address(place)}"

    def store(self, register: int, place: Memory) -> str:
        return f"\tstr q{register}, {self.address(place)}"

    def callee_saved(self, name: str) -> list[str]:
        """Return the stores or loads of the first halves of v8 to v15."""
        return [f"\t{name} d{i}, d{i + 1}, [sp, #{8 * (i - 8)}]" for i in range(8, 16, 2)]

    def begin(self, name: str, description: str, parameters: str, inputs: int, advance: int) -> list[str]:
        return [
            f"// {description}",
            ".text",
            f".globl {name}",
            f".type {name}, %function",
            ".p2align 4",
            f"{name}:",
            "\tsub sp, sp, #64",
            *self.callee_saved("stp"),
            f"\tadrp x4, {name}_constants",
            f"\tadd x4, x4, :lo12:{name}_constants",
        ]

    def loop(self, name: str) -> list[str]:
        return [f".L{name}:"]

    def advance(self, advance: int) -> list[str]:
        return [f"\tadd x2, x2, #{advance}"]

    def again(self, name: str) -> list[str]:
        return ["\tsubs x3, x3, #1", f"\tb.ne .L{name}"]

    def end(self, name: str, words: list[int]) -> list[str]:
        return [
            *self.callee_saved("ldp"),
            "\tadd sp, sp, #64",
            "\tret",
            f".size {name}, . - {name}",
            ".section .rodata",
            ".p2align 4",
            f"{name}_constants:",
            *(f"\t.quad {word:#x}" for word in words),
            '.section .note.GNU-stack,"",%progbits',
        ]


def pack(value: Value) -> Value:
    return tuple(value[i] & MAX32 | value[i + 1] << 32 for i in (0, 2))


NEON = Architecture(
    name="neon",
    triple="aarch64",
    registers=32,
    vector_bytes=16,
    cpus=("neoverse-v2", "apple-m1"),
    features=("asimd",),
    instructions=INSTRUCTIONS,
    # A carry by a shift and an addition, or by one instruction.
    alternatives={"shifts": ("apart", "accumulated")},
    selector=NeonSelector,
    order=lambda lanes: tuple(range(lanes)),
    load="ldr",
    gnu=Gnu(),
    go=None,
    goarch="arm64",
    replaces_sum=True,
    emulator=("qemu-aarch64",),
    pack=pack,
)
