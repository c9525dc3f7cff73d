# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe what compilers use of x86-64 in addition to the instructions that are selected.

Vectors have the meanings of amd64.py's tables, and of amd64_words.py's for 32-bit elements, and more; words have those
of scalar_amd64.py, at every width.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

from coconut.architectures import amd64_words
from coconut.architectures.amd64 import INSTRUCTIONS_256, INSTRUCTIONS_512
from coconut.architectures.words import rotl, words
from coconut.instructions import Instruction, Meaning, elements, halves, octets, of_halves, of_octets, table
from coconut.operations import WORD_MAX, Value


def shuffle32(imm: int, a: Value) -> Value:
    """Return, within each 128 bits, the 32-bit halves that pairs of bits of imm number; whole elements stay whole."""
    result = []
    for i in range(len(a)):
        part, pair = i - i % 2, imm >> 4 * (i % 2) & 15
        low, high = pair & 3, pair >> 2
        if low % 2 == 0 and high == low + 1:
            result.append(a[part + low // 2])
        else:
            numbers = halves(a[part : part + 2])
            result.append(numbers[low] | numbers[high] << 32)
    return tuple(result)


def shuffle_parts(imm: int, a: Value, b: Value) -> Value:
    """Return two 128-bit parts of each of two vectors of 256 bits."""
    parts = [a[0:2], a[2:4], b[0:2], b[2:4]]
    return tuple(number for shift in (0, 4) for number in ((0, 0) if imm >> shift & 8 else parts[imm >> shift & 3]))


def shuffle_each(imm: int, a: Value, b: Value) -> Value:
    """Return elements of the 128-bit parts of a and b, alternating, each chosen by a bit of imm."""
    return tuple((a if i % 2 == 0 else b)[i - i % 2 + (imm >> i & 1)] for i in range(len(a)))


def shuffle_quarters(imm: int, a: Value, b: Value) -> Value:
    """Return 128-bit parts of a, then as many of b; of 256 bits one each."""
    bits = len(a) // 4
    chosen = [(a, b)[i // bits][2 * (imm >> bits * i & (1 << bits) - 1) :][:2] for i in range(2 * bits)]
    return tuple(number for part in chosen for number in part)


def align(imm: int, a: Value, b: Value) -> Value:
    """Return the elements of b and a one after another, from number imm on."""
    return (b + a)[imm % len(a) :][: len(a)]


def inserted(size: int) -> Callable[..., Value]:
    """Return a vector with `size` elements of it replaced by the first ones of b."""

    def meaning(imm: int, a: Value, b: Value) -> Value:
        at = size * (imm % (len(a) // size))
        return a[:at] + b[:size] + a[at + size :]

    return meaning


def extracted(size: int) -> Callable[..., Value]:
    return lambda imm, a: a[size * (imm % (len(a) // size)) :][:size]


def permuted(imm: int | None, index: Value, a: Value) -> Value:
    """Return the elements of a that an index of public numbers has."""
    return tuple(a[number % len(a)] for number in index)


def permuted2(imm: int | None, a: Value, index: Value, b: Value) -> Value:
    """Return elements of a and b, which an index of public numbers has."""
    return tuple((a + b)[number % (2 * len(a))] for number in index)


def permuted2_by(imm: int | None, index: Value, a: Value, b: Value) -> Value:
    return permuted2(imm, a, index, b)


def shuffle_floats(imm: int, a: Value, b: Value) -> Value:
    """Return, within each four words, two of a and two of b, which pairs of bits of imm number."""
    return tuple((a if i % 4 < 2 else b)[i - i % 4 + (imm >> 2 * (i % 4) & 3)] for i in range(len(a)))


def shift_bytes(imm: int, a: Value) -> Value:
    """Return each 16 bytes, with zeros before them."""
    data = octets(a, 8)
    return of_octets([data[i - imm] if i % 16 >= imm else 0 for i in range(len(data))], 8)


def of_words(meaning: Meaning) -> Meaning:
    """Return the meaning, on 64-bit elements, of an instruction on words."""
    return lambda imm, *values: of_halves(meaning(imm, *map(halves, values)))


def each(bits: int, function: Callable[..., Any]) -> Meaning:
    """Return the meaning that applies a function to each element of some bits."""
    ones, places = (1 << bits) - 1, range(0, 64, bits)

    def meaning(imm: int | None, *values: Value) -> Value:
        return tuple(
            reduce(or_, ((function(*(number >> i & ones for number in numbers)) & ones) << i for i in places))
            for numbers in zip(*values, strict=True)
        )

    return meaning


def negative(number: Any, bits: int) -> Any:
    """Return a public number with its sign."""
    return number - (1 << bits) if number >> bits - 1 else number


def is_equal(a: Any, b: Any) -> int:
    """Return ones if two public numbers are equal."""
    return -1 if a == b else 0


def is_greater(bits: int) -> Callable[[Any, Any], int]:
    return lambda a, b: -1 if negative(a, bits) > negative(b, bits) else 0


def unpack_low_16(imm: int | None, a: Value, b: Value) -> Value:
    """Return, within each 128 bits, the four low elements of 16 bits of a and b, alternating."""
    data = [(number >> i & 0xFFFF) for i in range(0, 64, 16) for number in (*a[::2], *b[::2])]
    parts, count = [data[i :: len(a)] for i in range(len(a))], len(a) // 2
    return tuple(
        number
        for x, y in zip(parts[:count], parts[count:], strict=True)
        for k in (0, 2)
        for number in [x[k] | y[k] << 16 | x[k + 1] << 32 | y[k + 1] << 48]
    )


def shuffle_low_16(imm: int, a: Value) -> Value:
    """Return, within each 128 bits, the four low elements of 16 bits that pairs of bits of imm number."""
    return tuple(
        number if i % 2 else reduce(or_, ((number >> 16 * (imm >> 2 * k & 3) & 0xFFFF) << 16 * k for k in range(4)))
        for i, number in enumerate(a)
    )


WORDS = amd64_words.INSTRUCTIONS_256 | amd64_words.INSTRUCTIONS_EVEX
# In the order of the meaning, the operands are the reverse of the assembler's.
VECTORS = (
    INSTRUCTIONS_256
    | INSTRUCTIONS_512
    | table(
        Instruction("vpshldq", 2, elements(lambda imm, a, b: (a << 64 | b) << imm >> 64), immediate=True),
        Instruction("vpshufd", 1, shuffle32, immediate=True),
        Instruction("vperm2i128", 2, shuffle_parts, immediate=True),
        Instruction("vshufpd", 2, shuffle_each, immediate=True),
        Instruction("vshufi64x2", 2, shuffle_quarters, immediate=True),
        Instruction("valignq", 2, align, immediate=True),
        Instruction("vinserti128", 2, inserted(2), immediate=True),
        Instruction("vinserti64x4", 2, inserted(4), immediate=True),
        Instruction("vextracti128", 1, extracted(2), immediate=True),
        Instruction("vextracti64x4", 1, extracted(4), immediate=True),
        Instruction("vpermq_by", 2, permuted),
        Instruction("vpermt2q", 3, permuted2, accumulates=True),
        Instruction("vpermi2q", 3, permuted2_by, accumulates=True),
        Instruction("vpandn", 2, elements(lambda imm, a, b: (WORD_MAX ^ a) & b)),
        Instruction("vpslldq", 1, shift_bytes, immediate=True),
        Instruction("vshufps", 2, of_words(shuffle_floats), immediate=True),
        Instruction("vpermd", 2, of_words(permuted)),
        Instruction("vpermt2d", 3, of_words(permuted2), accumulates=True),
        Instruction("vpermi2d", 3, of_words(permuted2_by), accumulates=True),
        Instruction("vpaddb", 2, each(8, lambda a, b: a + b)),
        Instruction("vpaddw", 2, each(16, lambda a, b: a + b)),
        Instruction("vpsubw", 2, each(16, lambda a, b: a - b)),
        Instruction("vpminsw", 2, each(16, lambda a, b: b if negative(a, 16) > negative(b, 16) else a)),
        Instruction("vpcmpeqw", 2, each(16, is_equal)),
        Instruction("vpcmpeqd", 2, each(32, is_equal)),
        Instruction("vpcmpgtw", 2, each(16, is_greater(16))),
        Instruction("vpcmpgtq", 2, each(64, is_greater(64))),
        Instruction("vpunpcklwd", 2, unpack_low_16),
        Instruction("vpshuflw", 1, shuffle_low_16, immediate=True),
        Instruction("vprord", 1, of_words(words(lambda imm, a: rotl(a, 32 - imm % 32))), immediate=True),
        *(
            replace(WORDS[name], meaning=of_words(WORDS[name].meaning))
            for name in ("vpaddd", "vpunpckldq", "vpunpckhdq", "vpslld", "vpsrld", "vprold", "vpshufb")
        ),
    )
)

# Other names of the same, as far as whole elements are concerned.
ALIASES = {
    "movq": "vmovq",
    "movd": "vmovd",
    "xorps": "pxor",
    "andps": "pand",
    "unpcklps": "punpckldq",
    "unpckhps": "punpckhdq",
    "vunpcklps": "vpunpckldq",
    "vunpckhps": "vpunpckhdq",
    "movlhps": "punpcklqdq",
    "unpckhpd": "punpckhqdq",
    "vbroadcastsd": "vpbroadcastq",
    "vbroadcastss": "vpbroadcastd",
    "vpandd": "vpandq",
    "vpord": "vporq",
    "vpxord": "vpxorq",
    "vandps": "vpandq",
    "vandpd": "vpandq",
    "vorps": "vporq",
    "vorpd": "vporq",
    "vxorps": "vpxor",
    "vxorpd": "vpxor",
    "vpandnq": "vpandn",
    "vpternlogd": "vpternlogq",
    "vmovlhps": "vpunpcklqdq",
    "vunpcklpd": "vpunpcklqdq",
    "vunpckhpd": "vpunpckhqdq",
    "vextracti32x4": "vextracti128",
    "vextracti64x2": "vextracti128",
    "vextractf128": "vextracti128",
    "vinserti32x4": "vinserti128",
    "vinserti64x2": "vinserti128",
    "vinsertf128": "vinserti128",
    "vextractf64x4": "vextracti64x4",
    "vinsertf64x4": "vinserti64x4",
    "vshufi32x4": "vshufi64x2",
    "vperm2f128": "vperm2i128",
    "vpermpd": "vpermq",
    "vblendps": "vpblendd",
    "vpermt2pd": "vpermt2q",
}

# Moves of vectors, whole or of the first element.
MOVES = {
    *("movups", "movaps", "movdqu", "movdqa", "vmovups", "vmovaps", "vmovupd", "vmovapd", "vmovdqu", "vmovdqa"),
    *("vmovdqu8", "vmovdqu32", "vmovdqu64", "vmovdqa32", "vmovdqa64"),
}

# What does nothing here.
IDLE = {"nop", "nopw", "nopl", "endbr64", "vzeroupper"}
