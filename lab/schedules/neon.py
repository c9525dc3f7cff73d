# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Select for NEON of 64-bit Arm, in GNU's assembler only.

Go's assembler has no mnemonic for the widening multiplication, umull or umlal.
"""

from dataclasses import replace

from coconut.architectures import neon
from coconut.architectures.pairs import MAX32, Pairs
from coconut.graph import Node
from coconut.operations import Value


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
        """Select an or of bits that do not overlap as a sum."""
        for a, b in (node.args, node.args[::-1]):
            up, down = self.graph.nodes[a], self.graph.nodes[b]
            if up.op == "shl" and down.op == "shr" and up.imm[0] + down.imm[0] >= 64 and self.accumulated(node):
                return 0
        return self.binary(node)


def pack(value: Value) -> Value:
    return tuple(value[i] & MAX32 | value[i + 1] << 32 for i in (0, 2))


NEON = replace(
    neon.NEON,
    # A carry by a shift and an addition, or by one instruction.
    alternatives={"shifts": ("apart", "accumulated")},
    selector=NeonSelector,
    pack=pack,
)
