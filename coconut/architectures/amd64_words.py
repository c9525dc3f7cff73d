# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe x86-64 for 32-bit words: AVX2, and AVX-512 in 256 and in 512 bits."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from coconut.architectures.amd64 import amd64, moves
from coconut.architectures.words import WordsSelector, by_bytes, rotl, words, words_of_bytes
from coconut.graph import Node
from coconut.instructions import Instruction, Meaning, Memory, octets, of_octets, table
from coconut.operations import Value

NONCE_ROW = 48  # offset in the state, in bytes


def in_parts(function: Callable[[int | None, Value, Value], Value]) -> Meaning:
    """Return the meaning of an instruction that does the same to each four words of one or two operands."""

    def meaning(imm: int | None, a: Value, b: Value = ()) -> Value:
        parts = (function(imm, a[i : i + 4], b[i : i + 4]) for i in range(0, len(a), 4))
        return tuple(word for part in parts for word in part)

    return meaning


def shuffle_bytes(imm: int | None, a: Value, chosen: Value) -> Value:
    data = octets(a, 4)
    return of_octets([0 if number & 0x80 else data[number & 15] for number in octets(chosen, 4)], 4)


def permute_halves(imm: int, a: Value, b: Value) -> Value:
    """Return the result of vperm2i128: each half is one of four, or zeros."""
    halves = (a[:4], a[4:], b[:4], b[4:])
    return tuple(word for bits in (imm & 15, imm >> 4) for word in ((0,) * 4 if bits & 8 else halves[bits & 3]))


def shuffle_parts(imm: int, a: Value, b: Value) -> Value:
    """Return the result of vshufi32x4: half of the parts of a, half of b, as bits of imm number them."""
    parts = len(a) // 4
    bits = parts // 2
    numbers = [imm >> bits * i & parts - 1 for i in range(parts)]
    return tuple(
        word
        for source, number in zip((a,) * bits + (b,) * bits, numbers, strict=True)
        for word in source[4 * number : 4 * number + 4]
    )


def both(memory: str) -> dict[str, Instruction]:
    return table(
        Instruction("vpbroadcastd", 1, lambda imm, a: a[:1] * len(a), memory="only", low="operand"),
        Instruction("vmovq", 1, lambda imm, a: a[:2] + (0,) * (len(a) - 2), memory="only", reads=8, low="both"),
        Instruction(
            "vpinsrq",
            2,
            lambda imm, a, b: (b[:2] + a[2:4] if imm % 2 == 0 else a[:2] + b[:2]) + (0,) * (len(a) - 4),
            immediate=True,
            memory="only",
            reads=8,
            low="both",
        ),
        Instruction("vpaddd", 2, words(lambda imm, a, b: a + b), memory=memory, commutes=True),
        Instruction("vpunpckldq", 2, in_parts(lambda imm, a, b: (a[0], b[0], a[1], b[1])), memory="vector"),
        Instruction("vpunpckhdq", 2, in_parts(lambda imm, a, b: (a[2], b[2], a[3], b[3])), memory="vector"),
        Instruction("vpunpcklqdq", 2, in_parts(lambda imm, a, b: a[:2] + b[:2]), memory="vector"),
        Instruction("vpunpckhqdq", 2, in_parts(lambda imm, a, b: a[2:] + b[2:]), memory="vector"),
        Instruction(
            "vpshufd",
            1,
            in_parts(lambda imm, a, b: tuple(a[(imm or 0) >> 2 * i & 3] for i in range(4))),
            immediate=True,
        ),
    )


INSTRUCTIONS_256 = (
    both("vector")
    | moves(False)
    | table(
        Instruction("vbroadcasti128", 1, lambda imm, a: a[:4] * 2, memory="only", reads=16),
        Instruction("vpxor", 2, words(lambda imm, a, b: a ^ b), memory="vector", commutes=True),
        Instruction("vpor", 2, words(lambda imm, a, b: a | b), memory="vector", commutes=True),
        Instruction("vpslld", 1, words(lambda imm, a: a << imm), immediate=True),
        Instruction("vpsrld", 1, words(lambda imm, a: a >> imm), immediate=True),
        Instruction("vpshufb", 2, in_parts(shuffle_bytes), memory="vector"),
        Instruction("vperm2i128", 2, permute_halves, immediate=True, memory="vector"),
    )
)

# The instructions of AVX-512, for vectors of 256 or 512 bits.
INSTRUCTIONS_EVEX = (
    both("broadcast")
    | moves(True)
    | table(
        Instruction("vbroadcasti32x4", 1, lambda imm, a: a[:4] * (len(a) // 4), memory="only", reads=16),
        Instruction("vpxord", 2, words(lambda imm, a, b: a ^ b), memory="broadcast", commutes=True),
        Instruction("vprold", 1, words(lambda imm, a: rotl(a, imm)), immediate=True),
        Instruction("vshufi32x4", 2, shuffle_parts, immediate=True, memory="vector"),
    )
)


class Amd64Words(WordsSelector):
    """Select instructions of AVX2, and of AVX-512 in 256 and in 512 bits."""

    movers = ("vpshufd", "vpunpckldq", "vpunpckhdq", "vpunpcklqdq", "vpunpckhqdq", "vperm2i128", "vshufi32x4")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.evex = self.architecture.registers == 32

    def row(self, place: Memory) -> int:
        """Return four words in each part.

        Those of nonce and counter have just been stored as two 64-bit words, and a load of all four would wait for
        that.
        """
        if place.offset != NONCE_ROW:
            return self.emit("vbroadcasti32x4" if self.evex else "vbroadcasti128", memory=place)
        half = self.emit("vmovq", memory=place)
        row = self.emit("vpinsrq", half, imm=1, memory=replace(place, offset=place.offset + 8))
        return self.emit("vshufi32x4" if self.evex else "vperm2i128", row, row, imm=0)

    def broadcast(self, place: Memory) -> int:
        return self.emit("vpbroadcastd", memory=place)

    def operand_place(self, i: int) -> Memory | None:
        """Return where the last operand lies, if the instruction can take it from there."""
        takes = {"words", "load_words", "state_word"} if self.evex else {"words", "load_words"}
        return self.place(i) if self.graph.nodes[i].op in takes else None

    def select_add32(self, node: Node) -> int:
        return self.binary("vpaddd", node)

    def select_xor32(self, node: Node) -> int:
        return self.binary("vpxord" if self.evex else "vpxor", node)

    def select_rotl32(self, node: Node) -> int:
        a, bits = self.value(node.args[0]), node.imm[0]
        if self.evex:
            return self.emit("vprold", a, imm=bits)
        if bits % 8 == 0 and self.choices["bytes"] == "moved":
            numbers = words_of_bytes(by_bytes(bits)) * (self.graph.lanes // 4)
            return self.emit("vpshufb", a, memory=self.constant(numbers))
        return self.emit("vpor", self.emit("vpslld", a, imm=bits), self.emit("vpsrld", a, imm=32 - bits))


POINTERS: dict[str, Any] = {
    "gnu_pointers": {"out": "%rdi", "message": "%rsi", "state": "%rdx", "constants": "%rcx", "frame": "%rsp"},
    "go_pointers": {"out": "DI", "message": "SI", "state": "DX", "constants": "CX", "frame": "SP"},
}


# Stitched to Poly1305, which leaves few general registers, and pointers between the rounds only.
POINTERS_STITCHED = POINTERS | {"go_pointers": {"out": "R13", "message": "R14", "state": "DX", "frame": "BP"}}


OF_32: dict[str, Any] = {"selector": Amd64Words, "word_bytes": 4, "chains": True}
# Rotations by whole bytes move bytes, or are two shifts like the others.
BYTES = {"bytes": ("moved", "shifted")}
AVX2_WORDS = amd64("avx2-words", 32, INSTRUCTIONS_256, ("avx2",), alternatives=BYTES, **POINTERS, **OF_32)
AVX2_WORDS_STITCHED = amd64(
    "avx2-words-stitched", 32, INSTRUCTIONS_256, ("avx2",), alternatives=BYTES, **POINTERS_STITCHED, **OF_32
)
AVX512VL_WORDS = amd64("avx512vl-words", 32, INSTRUCTIONS_EVEX, ("avx512f", "avx512vl"), **POINTERS, **OF_32)
AVX512_WORDS = amd64("avx512-words", 64, INSTRUCTIONS_EVEX, ("avx512f",), **POINTERS, **OF_32)
