# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe the vectors of the z13 for 32-bit words, of which the message has the least significant byte first."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures.s390x import BOTH, EMULATOR, assemblers
from coconut.architectures.words import WordsSelector, rotl, words, words_of_bytes
from coconut.graph import Node
from coconut.instructions import Instruction, Memory, octets, of_octets, table

INSTRUCTIONS = {name: BOTH[name] for name in ("vl", "store", "copy", "vperm")} | table(
    Instruction("vlrepf", 1, lambda imm, a: a[:1] * len(a), memory="only", low="operand"),
    Instruction("vaf", 2, words(lambda imm, a, b: a + b)),
    Instruction("vx", 2, words(lambda imm, a, b: a ^ b)),
    Instruction("verllf", 1, words(lambda imm, a: rotl(a, imm)), immediate=True, edges=(7, 8, 12, 16)),
    Instruction("vmrhf", 2, lambda imm, a, b: (a[0], b[0], a[1], b[1])),
    Instruction("vmrlf", 2, lambda imm, a, b: (a[2], b[2], a[3], b[3])),
    Instruction("vmrhg", 2, lambda imm, a, b: a[:2] + b[:2]),
    Instruction("vmrlg", 2, lambda imm, a, b: a[2:] + b[2:]),
    Instruction(
        "vsldb",
        2,
        lambda imm, a, b: of_octets(octets(a + b, 4, "big")[imm : imm + 16], 4, "big"),
        immediate=True,
        edges=(4, 8, 9, 12),
        gnu="vsldb {d}, {0}, {1}, {i}",
    ),
)


class S390xWords(WordsSelector):
    """Select instructions of the z13. Words of the message, and what is stored, have their bytes in memory's order."""

    movers = ("vmrhf", "vmrlf", "vmrhg", "vmrlg", "vsldb")
    mover_numbers = range(4, 16, 4)

    def broadcast(self, place: Memory) -> int:
        return self.emit("vlrepf", memory=place)

    def select_add32(self, node: Node) -> int:
        return self.binary("vaf", node)

    def select_rotl32(self, node: Node) -> int:
        return self.emit("verllf", self.value(node.args[0]), imm=node.imm[0])

    def of_message(self, node: Node) -> bool:
        """Return whether a node has its bytes in memory's order: the message, xor something."""
        return node.op == "xor32" and any(self.graph.nodes[arg].op == "load_words" for arg in node.args)

    def select_xor32(self, node: Node) -> int:
        if not self.of_message(node):
            return self.binary("vx", node)
        assert {self.graph.nodes[user].op for user in self.users[self.node]} == {"output"}
        a, b = node.args
        if self.graph.nodes[a].op == "load_words":
            a, b = b, a
        place = self.place(b)
        assert place is not None
        return self.emit("vx", self.load(place), self.reversed(a))

    def value(self, i: int) -> int:
        return self.values[i] if self.graph.nodes[i].op == "load_words" else super().value(i)

    def select_load_words(self, node: Node) -> int:
        """Return words of the message as numbers; an exclusive or takes their bytes from memory."""
        if all(self.graph.nodes[user].op == "xor32" for user in self.users[self.node]):
            return self.in_memory(node)
        place = self.place(self.node)
        assert place is not None
        return self.permuted((self.load(place),) * 2, range(4))

    def reversed(self, i: int) -> int:
        """Return a value with the bytes of its words reversed. A shuffle that makes it is part of the permutation."""
        node = self.graph.nodes[i]
        args, moved = (node.args, node.imm) if node.op == "shuffle" else ((i, i), range(4))
        return self.permuted(tuple(map(self.value, args)), moved)

    def permuted(self, values: tuple[int, ...], moved: Iterable[int]) -> int:
        """Return words of two values, by their numbers, with their bytes reversed."""
        numbers = tuple(4 * word + byte for word in moved for byte in range(3, -1, -1))
        return self.emit("vperm", *values, self.load(self.constant(words_of_bytes(numbers, "big"))))

    def store(self, i: int, offset: int) -> int:
        value = self.value(i) if self.of_message(self.graph.nodes[i]) else self.reversed(i)
        return self.emit("store", value, memory=Memory("out", offset))


GNU_POINTERS = {"out": "%r2", "message": "%r3", "state": "%r4", "constants": "%r1"}
GO_POINTERS = {"out": "R2", "message": "R3", "state": "R4", "constants": "R1"}
GO_CONTROLS = {
    "count": "MOVD ${number}, {counter}",
    "add_word": "MOVWZ {offset}({pointer}), R0; ADD ${number}, R0; MOVW R0, {offset}({pointer})",
}


def notations() -> dict[str, Any]:
    """Return both assemblers, with the pointers and controls of ChaCha20."""
    both = assemblers("z13", INSTRUCTIONS)
    go = both["go"]
    return {
        "gnu": replace(both["gnu"], pointers=GNU_POINTERS),
        "go": replace(
            go,
            pointers=GO_POINTERS,
            counters=("R5", "R6"),
            controls=go.controls | GO_CONTROLS,
        ),
    }


S390X_WORDS = Architecture(
    name="s390x-words",
    triple="s390x",
    registers=32,
    vector_bytes=16,
    cpus=("z14", "z13"),
    features=("vx",),
    instructions=INSTRUCTIONS,
    selector=S390xWords,
    load="vl",
    goarch="s390x",
    big_endian=True,
    emulator=EMULATOR,
    word_bytes=4,
    chains=True,
    **notations(),
)
