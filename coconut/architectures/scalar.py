# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define what the scalar architectures have in common: a vector is a word in a general register.

The result of an addition is a pair, sum and carry, because the carry is in a flag and is not a value by itself. The
same holds on CPUs whose product of two words is in fixed registers: it is the pair of low and high word.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from coconut.architecture import Architecture
from coconut.assembler import Assembler
from coconut.graph import MEMORY, Graph, Node
from coconut.instructions import Instruction, Meaning, Memory
from coconut.operations import WORD_MAX, Value
from coconut.program import Program
from coconut.select import Selector, Unsupported


def words(function: Callable[..., Any]) -> Meaning:
    """Return the meaning that applies a function to the first elements of the operands.

    The second element of its result is what exceeds the first.
    """

    def meaning(imm: int | None, *args: Value) -> Value:
        total = function(imm, *(arg[0] for arg in args))
        return (total & WORD_MAX, total >> 64)

    return meaning


def word(function: Callable[..., Any]) -> Meaning:
    """Return the same with a result of one element."""
    return lambda imm, *args: (function(imm, *(arg[0] for arg in args)) & WORD_MAX,)


def with_carry(imm: int | None, a: Value, carry: Value, b: Value | None = None) -> Value:
    """Return sum and carry; without b, the immediate number is used."""
    total = a[0] + carry[1] + (imm or 0 if b is None else b[0])
    return (total & WORD_MAX, total >> 64)


class ScalarSelector(Selector):
    """Select instructions on general registers.

    Inputs that the architecture keeps in memory are taken from there. What is overwritten is copied first; the copy is
    dropped where the original is not used later.
    """

    in_memory: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.graph = left_in_memory(self.graph, self.in_memory)
        super().__post_init__()
        self.sums: dict[tuple[int, ...], int] = {}

    def program(self) -> Program:
        return without_copies(super().program())

    def number(self, i: int) -> int | None:
        """Return the number of a constant; otherwise None."""
        node = self.graph.nodes[i]
        return node.imm[0] if node.op == "splat" else None

    def memory(self, i: int) -> Memory | None:
        node = self.graph.nodes[i]
        if node.in_memory:
            return self.places[i]
        if node.op in {"load_lo", "load_hi"}:
            return Memory("message", node.imm[0] + 8 * (node.op == "load_hi"))
        return None

    def value(self, i: int) -> int:
        place = self.memory(i)
        if place is None and i not in self.values:
            raise Unsupported(f"{self.graph.title}: {self.graph.expression(i)} in a register")
        return self.values[i] if place is None else self.load(place)

    def users_of(self, i: int) -> set[str]:
        return {self.graph.nodes[user].op for user in self.users[i]}

    def other_word(self, node: Node, op: str) -> int | None:
        """Return the node of the product's other word, if that is used."""
        return next((i for i, other in enumerate(self.graph.nodes) if other.op == op and other.args == node.args), None)

    def select_load_lo(self, _: Node) -> int:
        """Select nothing: users take it from memory."""
        return 0

    select_load_hi = select_load_lo

    def plus(self, a: int, b: int, carry: int | None) -> int:
        """Return the sum of nodes a and b, and of a carry in a flag, if any; it leaves a carry there."""
        raise NotImplementedError

    def select_carry(self, node: Node) -> int:
        assert self.users_of(self.node) <= {"add_carry", "carry_of"}
        self.sums[node.args] = self.plus(node.args[0], node.args[1], None)
        return self.sums[node.args]

    def select_add(self, node: Node) -> int:
        return self.sums[node.args] if node.args in self.sums else self.plus(node.args[0], node.args[1], None)

    def select_add_carry(self, node: Node) -> int:
        a, b, carry = node.args
        self.sums[node.args] = self.plus(a, b, self.values[carry])
        return self.sums[node.args]

    def select_carry_of(self, node: Node) -> int:
        assert self.users_of(self.node) <= {"add_carry", "carry_of"}
        return self.sums[node.args]

    def times5(self, x: int) -> int:
        raise NotImplementedError


class ThreeOperandSelector(ScalarSelector):
    """Select instructions of which each writes a register of its own."""

    def fixed(self, number: int) -> int:
        raise ValueError(f"{self.graph.title}: {self.architecture.name} has no rule for the constant {number}")

    def select_mul_lo(self, node: Node) -> int:
        a, b = node.args
        return self.times5(self.value(b)) if self.number(a) == 5 else self.emit("mul", self.value(a), self.value(b))

    def select_mul_hi(self, node: Node) -> int:
        return self.emit("mul_high", *map(self.value, node.args))

    def select_shr(self, node: Node) -> int:
        return self.emit("shr", self.value(node.args[0]), imm=node.imm[0])

    def select_and(self, node: Node) -> int:
        mask = self.number(node.args[1])
        assert mask is not None
        return self.emit("and", self.value(node.args[0]), imm=mask)


class PairSelector(ScalarSelector):
    """Select where products are in fixed registers, and sums replace their first operand.

    A product that is only added is made where it is added.
    """

    in_memory = ("k[0]", "k[1]")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.products: dict[tuple[int, ...], int] = {}

    def fresh(self, i: int) -> int:
        """Return a copy of the value, to be overwritten."""
        return self.emit("copy", self.value(i))

    def added(self, i: int) -> bool:
        """Return whether only sums use a word of a product."""
        return self.users_of(i) <= {"add", "carry", "add_carry", "carry_of"}

    def fused(self, node: Node) -> bool:
        low, high = self.other_word(node, "mul_lo"), self.other_word(node, "mul_hi")
        if low is None or high is None:
            return False
        lows = [self.graph.nodes[user] for user in self.users[low]]
        return {user.op for user in lows} == {"add", "carry"} and all(user.args[1] == low for user in lows)

    def product(self, node: Node) -> int:
        if node.args not in self.products:
            self.products[node.args] = self.multiply(*node.args)
        return self.products[node.args]

    def multiply(self, a: int, b: int) -> int:
        raise NotImplementedError

    def low_product(self, node: Node) -> int:
        """Return a product whose high word is not used."""
        raise NotImplementedError

    def select_mul_lo(self, node: Node) -> int:
        high = self.other_word(node, "mul_hi")
        if high is None:
            return self.low_product(node)
        if self.fused(node):
            return 0
        product = self.product(node)
        low = self.emit("take_lo", product)
        self.values[high] = self.emit("take_hi", product)
        return low

    def select_mul_hi(self, node: Node) -> int:
        return self.values.get(self.node, 0)

    def is_product(self, i: int) -> bool:
        node = self.graph.nodes[i]
        return node.op in {"mul_lo", "mul_hi"} and self.fused(node)

    def shifted(self, i: int) -> bool:
        """Return whether only products use a shift, which is then written into them."""
        return self.users_of(i) <= {"mul_lo", "mul_hi"} and all(
            self.graph.nodes[user].args[0] == i and self.other_word(self.graph.nodes[user], "mul_hi") is not None
            for user in self.users[i]
        )

    def select_shr(self, node: Node) -> int:
        return 0 if self.shifted(self.node) else self.shift(node)

    def shift(self, node: Node) -> int:
        raise NotImplementedError


def left_in_memory(graph: Graph, names: tuple[str, ...]) -> Graph:
    """Return the graph with inputs of these names in memory, and without outputs of these names."""
    nodes = tuple(
        replace(node, imm=(MEMORY,)) if node.op == "input" and node.name in names else node for node in graph.nodes
    )
    dropped = {i for i, node in enumerate(nodes) if node.op == "output" and node.name in names}
    place = {old: new for new, old in enumerate(i for i in range(len(nodes)) if i not in dropped)}
    return replace(
        graph, nodes=tuple(replace(nodes[old], args=tuple(place[arg] for arg in nodes[old].args)) for old in place)
    )


def without_copies(program: Program) -> Program:
    """Return the program without needless copies.

    A copy is needless if it is the last use of the original, and that is not an input that stays.
    """
    first = program.first_op
    same = list(range(first + len(program.ops)))
    last: dict[int, int] = {value: len(program.ops) for _, value in program.outputs}
    for i, op in enumerate(program.ops):
        for arg in op.args:
            last[arg] = max(i, last.get(arg, -1))
    dropped = set()
    for i, op in enumerate(program.ops):
        if op.instruction.name == "copy" and last.get(op.args[0], -1) <= i:
            same[first + i] = same[op.args[0]]
            dropped.add(i)
    kept = [i for i in range(len(program.ops)) if i not in dropped]
    place = {value: value for value in range(first)} | {first + old: first + new for new, old in enumerate(kept)}
    ops = tuple(replace(program.ops[i], args=tuple(place[same[arg]] for arg in program.ops[i].args)) for i in kept)
    return replace(program, ops=ops, outputs=tuple((name, place[same[value]]) for name, value in program.outputs))


def scalar_architecture(
    goarch: str,
    triple: str,
    cpus: tuple[str, ...],
    instructions: dict[str, Instruction],
    selector: type,
    gnu: dict[str, Any],
    go: dict[str, Any],
    **options: Any,
) -> Architecture:
    """Return the architecture, with the registers that its Go functions have."""

    def assembler(is_go: bool, notation: dict[str, Any]) -> Assembler:
        return Assembler(is_go=is_go, default=lambda instruction, kind: "", instructions=instructions, **notation)

    return Architecture(
        name=goarch,
        triple=triple,
        registers=len(go["registers"]),
        vector_bytes=8,
        cpus=cpus,
        instructions=instructions,
        selector=selector,
        load="load",
        gnu=assembler(False, gnu),
        go=assembler(True, go | {"comment": "//"}),
        goarch=goarch,
        **options,
    )
