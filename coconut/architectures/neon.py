# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe NEON of 64-bit Arm, in GNU's assembler only.

Go's assembler has no mnemonic for the widening multiplication, umull or umlal.
"""

from coconut.architecture import Architecture
from coconut.architectures.pairs import MAX32, Pairs, low, product
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import Instruction, Meaning, elements, identity, table
from coconut.operations import Value


def umlal(half: int) -> Meaning:
    """Return the meaning that adds two products of the 32-bit elements in a half of the operands."""
    return lambda imm, total, a, b: (
        product(total[0], low(a[half]), low(b[half])),
        product(total[1], a[half] >> 32, b[half] >> 32),
    )


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
    Instruction(
        "usra",
        2,
        elements(lambda imm, d, a: d + (a >> imm)),
        immediate=True,
        accumulates=True,
        gnu="usra v{d}.2d, v{1}.2d, #{i}",
    ),
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


class NeonSelector(Pairs):
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
    load="ldr",
    gnu=GNU,
    go=None,
    goarch="arm64",
    replaces_sum=True,
    emulator=("qemu-aarch64",),
    pack=pack,
)
