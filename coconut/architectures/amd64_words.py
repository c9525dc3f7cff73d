# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe x86-64 for 32-bit words: AVX2, and AVX-512 in 512 bits."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures.amd64 import assemblers, moves
from coconut.graph import Node
from coconut.instructions import Instruction, Meaning, Memory, elements, table
from coconut.operations import STATE_LOADS, WORD32_MAX, Value
from coconut.select import Selector, Unsupported

NONCE_ROW = 48  # offset in the state, in bytes


def in_parts(function: Callable[[int | None, Value, Value], Value]) -> Meaning:
    """Return the meaning of an instruction that does the same to each four words of one or two operands."""

    def meaning(imm: int | None, a: Value, b: Value = ()) -> Value:
        parts = (function(imm, a[i : i + 4], b[i : i + 4]) for i in range(0, len(a), 4))
        return tuple(word for part in parts for word in part)

    return meaning


def part_bytes(words: Value) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


def shuffle_bytes(imm: int | None, a: Value, chosen: Value) -> Value:
    data = part_bytes(a)
    moved = bytes(0 if number & 0x80 else data[number & 15] for number in part_bytes(chosen))
    return tuple(int.from_bytes(moved[i : i + 4], "little") for i in range(0, 16, 4))


def permute_halves(imm: int, a: Value, b: Value) -> Value:
    """Return the result of vperm2i128: each half is one of four, or zeros."""
    halves = (a[:4], a[4:], b[:4], b[4:])
    return tuple(word for bits in (imm & 15, imm >> 4) for word in ((0,) * 4 if bits & 8 else halves[bits & 3]))


def shuffle_parts(imm: int, a: Value, b: Value) -> Value:
    """Return the result of vshufi32x4: two parts of a, two of b."""
    return tuple(
        word
        for i, source in enumerate((a, a, b, b))
        for word in source[4 * (imm >> 2 * i & 3) : 4 * (imm >> 2 * i & 3) + 4]
    )


def words(function: Callable[..., int]) -> Meaning:
    return elements(function, WORD32_MAX)


def rotl(number: int, bits: int) -> int:
    return number << bits % 32 | number >> 32 - bits % 32


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

INSTRUCTIONS_512 = (
    both("broadcast")
    | moves(True)
    | table(
        Instruction("vbroadcasti32x4", 1, lambda imm, a: a[:4] * 4, memory="only", reads=16),
        Instruction("vpxord", 2, words(lambda imm, a, b: a ^ b), memory="broadcast", commutes=True),
        Instruction("vprold", 1, words(lambda imm, a: rotl(a, imm)), immediate=True),
        Instruction("vshufi32x4", 2, shuffle_parts, immediate=True, memory="vector"),
    )
)


@cache
def shuffles(vector_bytes: int) -> dict[Value, tuple[str, int | None]]:
    """Return the instructions that move words, by what they do to two operands of numbered words."""
    lanes = vector_bytes // 4
    first, second = tuple(range(lanes)), tuple(range(lanes, 2 * lanes))
    found: dict[Value, tuple[str, int | None]] = {}
    for name in ("vpshufd", "vpunpckldq", "vpunpckhdq", "vpunpcklqdq", "vpunpckhqdq", "vperm2i128", "vshufi32x4"):
        instruction = (INSTRUCTIONS_512 if vector_bytes == 64 else INSTRUCTIONS_256).get(name)
        if instruction is not None:
            for imm in range(256) if instruction.immediate else (None,):
                result = instruction.meaning(imm, *(first, second)[: instruction.operands])
                found.setdefault(result, (name, imm))
    return found


class Amd64Words(Selector):
    """Select instructions of AVX2, and of AVX-512 in 512 bits."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wide = self.architecture.vector_bytes == 64

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
                self.loaded[place] = self.emit("vpbroadcastd", memory=place)
            else:
                self.loaded[place] = self.emit(self.architecture.load, memory=place)
        return self.loaded[place]

    def row(self, place: Memory) -> int:
        """Return four words in each part.

        Those of nonce and counter have just been stored as two 64-bit words, and a load of all four would wait for
        that.
        """
        if place.offset != NONCE_ROW:
            return self.emit("vbroadcasti32x4" if self.wide else "vbroadcasti128", memory=place)
        half = self.emit("vmovq", memory=place)
        row = self.emit("vpinsrq", half, imm=1, memory=replace(place, offset=place.offset + 8))
        return self.emit("vshufi32x4" if self.wide else "vperm2i128", row, row, imm=0)

    def operand_place(self, i: int) -> Memory | None:
        """Return where the last operand lies, if the instruction can take it from there."""
        takes = {"words", "load_words", "state_word"} if self.wide else {"words", "load_words"}
        return self.place(i) if self.graph.nodes[i].op in takes else None

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

    def select_add32(self, node: Node) -> int:
        return self.binary("vpaddd", node)

    def select_xor32(self, node: Node) -> int:
        return self.binary("vpxord" if self.wide else "vpxor", node)

    def select_rotl32(self, node: Node) -> int:
        a, bits = self.value(node.args[0]), node.imm[0]
        if self.wide:
            return self.emit("vprold", a, imm=bits)
        if bits % 8 == 0 and self.choices["bytes"] == "moved":
            part = bytes(4 * word + (byte - bits // 8) % 4 for word in range(4) for byte in range(4))
            numbers = tuple(int.from_bytes(part[i : i + 4], "little") for i in range(0, 16, 4))
            return self.emit("vpshufb", a, memory=self.constant(numbers * (self.graph.lanes // 4)))
        return self.emit("vpor", self.emit("vpslld", a, imm=bits), self.emit("vpsrld", a, imm=32 - bits))

    def select_shuffle(self, node: Node) -> int:
        a, b = node.args
        lanes = self.graph.lanes
        for imm in (node.imm, tuple(number % lanes for number in node.imm) if a == b else node.imm):
            found = shuffles(self.architecture.vector_bytes).get(imm)
            if found is not None:
                name, number = found
                args = (a, b)[: self.architecture.instructions[name].operands]
                return self.emit(name, *map(self.value, args), imm=number)
        raise Unsupported(f"{self.graph.title}: no instruction moves words as {node.imm}")

    def store(self, i: int, offset: int) -> int:
        return self.emit("store", self.value(i), memory=Memory("out", offset))


POINTERS: dict[str, Any] = {
    "gnu_pointers": {"out": "%rdi", "message": "%rsi", "state": "%rdx", "constants": "%rcx", "frame": "%rsp"},
    "go_pointers": {"out": "DI", "message": "SI", "state": "DX", "constants": "CX", "frame": "SP"},
}


# Beside Poly1305, which leaves few general registers, and pointers between the rounds only.
POINTERS_BESIDE = POINTERS | {"go_pointers": {"out": "R13", "message": "R14", "state": "DX", "frame": "BP"}}


def amd64_words(
    name: str,
    vector_bytes: int,
    instructions: dict[str, Instruction],
    feature: str,
    pointers: dict[str, Any] = POINTERS,
    **options: Any,
) -> Architecture:
    evex = "vmovdqu64" in instructions
    return Architecture(
        name=name,
        triple="x86_64",
        registers=32 if evex else 16,
        vector_bytes=vector_bytes,
        cpus=("sapphirerapids", "znver4"),
        features=(feature,),
        instructions=instructions,
        selector=Amd64Words,
        load="vmovdqu64" if evex else "vmovdqu",
        goarch="amd64",
        word_bytes=4,
        chains=True,
        **assemblers(vector_bytes, instructions, 4, **pointers),
        **options,
    )


# Rotations by whole bytes move bytes, or are two shifts like the others.
BYTES = {"bytes": ("moved", "shifted")}
AVX2_WORDS = amd64_words("avx2-words", 32, INSTRUCTIONS_256, "avx2", alternatives=BYTES)
AVX2_WORDS_BESIDE = amd64_words("avx2-words-beside", 32, INSTRUCTIONS_256, "avx2", POINTERS_BESIDE, alternatives=BYTES)
AVX512_WORDS = amd64_words("avx512-words", 64, INSTRUCTIONS_512, "avx512f")
