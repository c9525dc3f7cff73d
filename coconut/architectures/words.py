# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Select for lanes of 32-bit words, as src/chacha20/lanes/words.h describes them: what all architectures share."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import ClassVar

from coconut.architecture import Architecture
from coconut.graph import Node
from coconut.instructions import Meaning, Memory, elements, of_octets
from coconut.operations import STATE_LOADS, WORD32_MAX, Value
from coconut.select import Selector, Unsupported


def words(function: Callable[..., int]) -> Meaning:
    return elements(function, WORD32_MAX)


def rotl(number: int, bits: int) -> int:
    return number << bits % 32 | number >> 32 - bits % 32


def by_bytes(bits: int) -> tuple[int, ...]:
    """Return the numbers of the bytes of four words, least significant first, that a rotation by whole bytes moves."""
    return tuple(4 * word + (byte - bits // 8) % 4 for word in range(4) for byte in range(4))


def words_of_bytes(numbers: tuple[int, ...], order: str = "little") -> Value:
    """Return words that hold these numbers as bytes."""
    return of_octets(numbers, 4, order)


@cache
def shuffles(architecture: Architecture, is_one: bool) -> dict[Value, tuple[str, int | None]]:
    """Return the instructions that move words, by what they do to two operands of numbered words, or to one as both."""
    lanes = architecture.vector_bytes // 4
    first = tuple(range(lanes))
    second = first if is_one else tuple(range(lanes, 2 * lanes))
    found: dict[Value, tuple[str, int | None]] = {}
    for name in architecture.selector.movers:
        instruction = architecture.instructions.get(name)
        if instruction is not None:
            for imm in architecture.selector.mover_numbers if instruction.immediate else (None,):
                result = instruction.meaning(imm, *(first, second)[: instruction.operands])
                found.setdefault(result, (name, imm))
    return found


class WordsSelector(Selector):
    """Select instructions on words; those of the state and of the message are in memory.

    movers are the instructions that move words, the preferred ones first, and mover_numbers their immediates.
    """

    movers: ClassVar[tuple[str, ...]] = ()
    mover_numbers: ClassVar[range] = range(256)

    def place(self, i: int) -> Memory | None:
        """Return where a value lies in memory, if it does."""
        node = self.graph.nodes[i]
        if node.op in STATE_LOADS:
            return Memory("state", node.imm[0], broadcast=node.op == "state_word")
        if node.op == "load_words":
            return Memory("message", node.imm[0])
        return self.constant(node.imm) if node.op == "words" else None

    def value(self, i: int) -> int:
        place = self.place(i)
        if place is None:
            return self.values[i]
        if place not in self.loaded:
            if self.graph.nodes[i].op == "state_row":
                self.loaded[place] = self.row(place)
            elif place.broadcast:
                self.loaded[place] = self.broadcast(place)
            else:
                self.loaded[place] = self.emit(self.architecture.load, memory=place)
        return self.loaded[place]

    def row(self, place: Memory) -> int:
        """Return four words in each part."""
        return self.emit(self.architecture.load, memory=place)

    def broadcast(self, place: Memory) -> int:
        """Return a word in all lanes; here, in the only one."""
        return self.emit(self.architecture.load, memory=replace(place, broadcast=False))

    def operand_place(self, i: int) -> Memory | None:
        """Return where the last operand lies, if the instruction can take it from there."""
        return None

    def binary(self, name: str, node: Node) -> int:
        a, b = node.args
        if self.operand_place(a) is not None:
            a, b = b, a
        place = self.operand_place(b)
        if place is not None:
            return self.emit(name, self.value(a), memory=place)
        return self.emit(name, self.value(a), self.value(b))

    def in_memory(self, node: Node) -> int:
        """Select nothing: users take it from memory."""
        return 0

    select_words = select_state_word = select_state_row = select_load_words = in_memory

    def mover(self, node: Node) -> tuple[str, int | None, tuple[int, ...]]:
        """Return the instruction that moves words as a shuffle does, its immediate, and its operands."""
        is_one = node.args[0] == node.args[1]
        numbers = tuple(number % self.graph.lanes for number in node.imm) if is_one else node.imm
        found = shuffles(self.architecture, is_one).get(numbers)
        if found is None:
            raise Unsupported(f"{self.graph.title}: no instruction moves words as {node.imm}")
        return *found, node.args[: self.architecture.instructions[found[0]].operands]

    def select_shuffle(self, node: Node) -> int:
        name, number, args = self.mover(node)
        return self.emit(name, *map(self.value, args), imm=number)

    def store(self, i: int, offset: int) -> int:
        return self.emit("store", self.value(i), memory=Memory("out", offset))
