# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of instructions: what each does to registers of 64-bit elements, and how it is written.

A register is a tuple of numbers, the element that is first in memory first. The operands stand in the order of the meaning;
the last may be memory where the table says so. That the table is right, check_instructions.py shows on the CPU."""

from collections.abc import Callable
from dataclasses import dataclass

from coconut.operations import MASK52, SUM_MAX, WORD_MAX, Value

Meaning = Callable[..., Value]


@dataclass(frozen=True)
class Instruction:
    """Of the architecture: its name in GNU's assembler, how many vectors it takes, and what it does with them.

        accumulates: the result replaces the first operand. memory: the last operand may be memory; "broadcast" too, a number of
        it in all elements; "only": it is memory always. immediate: a number comes with it. zero: it takes no operand, and is written
    with its result for each."""

    name: str
    operands: int
    meaning: Meaning
    immediate: bool = False
    accumulates: bool = False
    memory: str = ""
    zero: bool = False


def elements(function: Callable[..., int]) -> Meaning:
    """Of one on the elements; the immediate comes first."""
    return lambda imm, *args: tuple(function(imm, *numbers) & WORD_MAX for numbers in zip(*args, strict=True))


def unpack(odd: int) -> Meaning:
    """The first or second elements of the 128-bit parts of two vectors, in turn."""
    return lambda imm, a, b: tuple((a if i % 2 == 0 else b)[i - i % 2 + odd] for i in range(len(a)))


def ternary(imm: int, a: int, b: int, c: int) -> int:
    """Bit by bit, the bit of imm that a, b and c number."""
    result = 0
    for index in range(8):
        if imm >> index & 1:
            result |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
    return result


AMD64 = {
    instruction.name: instruction
    for instruction in (
        Instruction("vmovdqu", 1, lambda imm, a: a, memory="only"),
        Instruction("vmovdqu64", 1, lambda imm, a: a, memory="only"),
        Instruction("vpbroadcastq", 1, lambda imm, a: a[:1] * len(a), memory="only"),
        Instruction("vmovdqa", 1, lambda imm, a: a),
        Instruction("vmovdqa64", 1, lambda imm, a: a),
        Instruction("vpxorq", 0, lambda imm: (0,) * 8, zero=True),
        Instruction("vpaddq", 2, elements(lambda imm, a, b: a + b), memory="broadcast"),
        Instruction("vpsubq", 2, elements(lambda imm, a, b: a - b), memory="broadcast"),
        Instruction("vpand", 2, elements(lambda imm, a, b: a & b), memory="vector"),
        Instruction("vpor", 2, elements(lambda imm, a, b: a | b), memory="vector"),
        Instruction("vpandq", 2, elements(lambda imm, a, b: a & b), memory="broadcast"),
        Instruction("vporq", 2, elements(lambda imm, a, b: a | b), memory="broadcast"),
        Instruction("vpsllq", 1, elements(lambda imm, a: a << imm), immediate=True),
        Instruction("vpsrlq", 1, elements(lambda imm, a: a >> imm), immediate=True),
        Instruction("vpshrdq", 2, elements(lambda imm, a, b: (b << 64 | a) >> imm), immediate=True),
        Instruction("vpternlogq", 3, elements(ternary), immediate=True, accumulates=True),
        Instruction("vpmuludq", 2, elements(lambda imm, a, b: (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)), memory="broadcast"),
        Instruction(
            "vpmadd52luq",
            3,
            elements(lambda imm, d, a, b: d + ((a & MASK52) * (b & MASK52) & MASK52)),
            accumulates=True,
            memory="broadcast",
        ),
        Instruction(
            "vpmadd52huq",
            3,
            elements(lambda imm, d, a, b: d + ((a & MASK52) * (b & MASK52) >> 52)),
            accumulates=True,
            memory="broadcast",
        ),
        Instruction("vpunpcklqdq", 2, unpack(0), memory="vector"),
        Instruction("vpunpckhqdq", 2, unpack(1), memory="vector"),
    )
}


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


S390X = {
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
