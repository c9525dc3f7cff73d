# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Select for four lanes in two 128-bit registers, as src/poly1305/lanes/pairs.h draws them: shared by NEON and the z13.

A factor is a register of four 32-bit numbers, and a vec is two registers of two 64-bit numbers. Graph lanes do not tell
them apart: here a value is computed as a vec, and joined to a factor where it is multiplied or goes out. Hence only
steps and "expand" are supported, whose inputs include no vec.
"""

from collections.abc import Callable

from coconut.graph import Node
from coconut.instructions import Memory
from coconut.operations import WORD_MAX
from coconut.select import Selector, Unsupported

MAX32 = (1 << 32) - 1


class Pairs(Selector):
    names: dict[str, str]  # operation on words: its instruction

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.graph.name.startswith(("step", "expand")):
            raise Unsupported(f"{self.graph.title}: sums may come in")
        self.halves: dict[int, tuple[int, int]] = {}

    def multiply_add(self, half: int, total: int, a: int, b: int) -> int:
        """Add the products that belong to that half to its total."""
        raise NotImplementedError

    def join(self, first: int, second: int) -> int:
        """Return the low 32 bits of two halves as a factor."""
        raise NotImplementedError

    def words_of_blocks(self, half: int, blocks: list[int], high: bool) -> int:
        """Return the first or second words of a group's blocks that belong to that half."""
        raise NotImplementedError

    def value(self, i: int) -> int:
        """Return the value as a factor."""
        node = self.graph.nodes[i]
        self.check_bits(i, 32)
        if node.in_memory:
            return self.load(self.places[i])
        if i not in self.values or i in self.halves:
            place = Memory("joined", i)
            if place not in self.loaded:
                self.loaded[place] = self.join(*self.halves[i])
            return self.loaded[place]
        return self.values[i]

    def half(self, i: int, half: int) -> int:
        node = self.graph.nodes[i]
        if node.op == "splat":
            return self.keep(node.imm * 2)
        if i not in self.halves:
            raise Unsupported(f"{self.graph.title}: {self.graph.label(i)} is a factor")
        return self.halves[i][half]

    def both(self, make: Callable[[int], int]) -> int:
        self.halves[self.node] = make(0), make(1)
        return 0

    def binary(self, node: Node) -> int:
        a, b = node.args
        return self.both(lambda half: self.emit(self.names[node.op], self.half(a, half), self.half(b, half)))

    def select_add(self, node: Node) -> int:
        for total, product in (node.args, node.args[::-1]):
            factors = self.graph.nodes[product]
            if factors.op == "mul32":
                a, b = map(self.value, factors.args)
                return self.both(lambda half: self.multiply_add(half, self.half(total, half), a, b))
        return self.binary(node)

    def select_mul32(self, _: Node) -> int:
        """Select nothing: the sums to which the product is added compute it."""
        if any(self.graph.nodes[user].op != "add" for user in self.users[self.node]):
            raise Unsupported(f"{self.graph.title}: a product that is not added")
        return 0

    select_and = select_or = binary

    def select_shl(self, node: Node) -> int:
        return self.both(lambda half: self.emit(self.names[node.op], self.half(node.args[0], half), imm=node.imm[0]))

    select_shr = select_shl

    def words(self, node: Node, high: bool) -> int:
        first, stride = node.imm
        blocks = [self.load(Memory("message", first + stride * i)) for i in range(4)]
        return self.both(lambda half: self.words_of_blocks(half, blocks, high))

    def select_load_lo(self, node: Node) -> int:
        return self.words(node, high=False)

    def select_load_hi(self, node: Node) -> int:
        return self.words(node, high=True)


def low(word: int) -> int:
    return word & MAX32


def product(total: int, a: int, b: int) -> int:
    return total + a * b & WORD_MAX
