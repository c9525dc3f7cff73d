# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define the operations of graph lanes on tuples of numbers, one for each block.

They are specified in src/poly1305/lanes.h; those on sums over the lanes in src/poly1305/lanes/vmsl.h, where a sum is
one 128-bit number; those on 32-bit words in src/chacha20/lanes/words.h. simulate.py tests on the values of the portable
lanes that the definitions agree.
"""

from collections.abc import Callable
from typing import Any

WORD_MAX = (1 << 64) - 1
WORD32_MAX = (1 << 32) - 1
MASK26, MASK44, MASK52 = (1 << 26) - 1, (1 << 44) - 1, (1 << 52) - 1
SUM_MAX = (1 << 128) - 1
BLOCK_BYTES = 16  # of Poly1305

# Integers, or symbolic ones.
Value = tuple[Any, ...]

MULTIPLICATIONS = {"mul32", "madd52lo", "madd52hi", "sum_mul_add", "mul_lo", "mul_hi"}


def each(function: Callable[..., int]) -> Callable[..., Value]:
    """Return the operation on 64-bit lanes of a function on numbers, which takes the immediates, then the operands."""

    def operation(lanes: int, imm: Value, *args: Value) -> Value:
        return tuple(function(imm, *numbers) & WORD_MAX for numbers in zip(*args, strict=True))

    return operation


def blend(lanes: int, imm: Value, even: Value, odd: Value) -> Value:
    return tuple(odd[i] if i >> imm[0] & 1 else even[i] for i in range(lanes))


def sum_mul_add(lanes: int, imm: Value, total: Value, a: Value, b: Value) -> Value:
    return (total[0] + sum(x * y for x, y in zip(a, b, strict=True)) & SUM_MAX,)


def sum_bytes(lanes: int, imm: Value, a: Value) -> Value:
    first, count, to = (8 * number for number in imm)
    return ((a[0] >> first & (1 << count) - 1) << to & SUM_MAX,)


def sum_limbs(lanes: int, imm: Value, a: Value) -> Value:
    bits = 8 * imm[0]
    mask = (1 << bits) - 1
    return (a[0] & mask, a[0] >> bits & mask)


OPERATIONS: dict[str, Callable[..., Value]] = {
    "splat": lambda lanes, imm: imm * lanes,
    "constant": lambda lanes, imm: imm,
    "pair": lambda lanes, imm: imm,
    "only_block": lambda lanes, imm: tuple(imm[1] if i == imm[0] else 0 for i in range(lanes)),
    "word_splat": lambda lanes, imm, a: a * lanes,
    "word_only_block": lambda lanes, imm, a: tuple(a[0] if i == imm[0] else 0 for i in range(lanes)),
    "add": each(lambda imm, a, b: a + b),
    "sub": each(lambda imm, a, b: a - b),
    "and": each(lambda imm, a, b: a & b),
    "or": each(lambda imm, a, b: a | b),
    "xor": each(lambda imm, a, b: a ^ b),
    "shl": each(lambda imm, a: a << imm[0]),
    "shr": each(lambda imm, a: a >> imm[0]),
    "low32": each(lambda imm, a: a & 0xFFFFFFFF),
    "high32": each(lambda imm, a: a >> 32),
    "shr44_pair": each(lambda imm, lo, hi: lo >> 44 | hi << 20),
    "cut44": each(lambda imm, lo, hi: (lo + (hi << 64) >> 44 * imm[0]) & MASK44),
    "cut26": each(lambda imm, lo, hi: (lo + (hi << 64) >> 26 * imm[0]) & MASK26),
    "mul32": each(lambda imm, a, b: (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)),
    "madd52lo": each(lambda imm, total, a, b: total + ((a & MASK52) * (b & MASK52) & MASK52)),
    "madd52hi": each(lambda imm, total, a, b: total + ((a & MASK52) * (b & MASK52) >> 52)),
    "mul_lo": each(lambda imm, a, b: a * b),
    "mul_hi": each(lambda imm, a, b: a * b >> 64),
    "carry": each(lambda imm, a, b: a + b >> 64),
    "add_carry": each(lambda imm, a, b, carry: a + b + carry),
    "carry_of": each(lambda imm, a, b, carry: a + b + carry >> 64),
    "with_word": lambda lanes, imm, a, word: a[: imm[0]] + word + a[imm[0] + 1 :],
    "from_block": lambda lanes, imm, a: (0,) * imm[0] + a[imm[0] :],
    "first": lambda lanes, imm, a: a[:1] * lanes,
    "block": lambda lanes, imm, a: a[imm[0] : imm[0] + 1] * lanes,
    "blend": blend,
    "word": lambda lanes, imm, a: a[:1],
    "sum": lambda lanes, imm, a: (sum(a) & WORD_MAX,),
    "element": lambda lanes, imm, a: a[imm[0] : imm[0] + 1],
    "word_pair": lambda lanes, imm, a, b: a + b,
    "of_lane": lambda lanes, imm, a, b: (a[imm[0]], b[imm[0]]),
    "alone": lambda lanes, imm, a: (a[imm[0]], 0),
    "sum_zero": lambda lanes, imm: (0,),
    "sum_mul_add": sum_mul_add,
    "sum_of": lambda lanes, imm: (imm[0] << 64 | imm[1],),
    "sum_add": lambda lanes, imm, a, b: (a[0] + b[0] & SUM_MAX,),
    "sum_sub": lambda lanes, imm, a, b: (a[0] - b[0] & SUM_MAX,),
    "sum_bytes": sum_bytes,
    "sum_limbs": sum_limbs,
    "sums_low": lambda lanes, imm, a, b: (a[0] & WORD_MAX, b[0] & WORD_MAX),
    "sums_high": lambda lanes, imm, a, b: (a[0] >> 64, b[0] >> 64),
    "words": lambda lanes, imm: imm,
    "add32": each(lambda imm, a, b: a + b & WORD32_MAX),
    "xor32": each(lambda imm, a, b: a ^ b),
    "rotl32": each(lambda imm, a: (a << imm[0] | a >> 32 - imm[0]) & WORD32_MAX),
    "shuffle": lambda lanes, imm, a, b: tuple((a + b)[i] for i in imm),
    "output": lambda lanes, imm, a: a,
}

# Loads from the state in memory, at an offset in bytes: a word to all lanes, or four words to each part.
STATE_LOADS: dict[str, Callable[[int, int, Value], Value]] = {
    "state_word": lambda lanes, at, state: state[at // 4 : at // 4 + 1] * lanes,
    "state_row": lambda lanes, at, state: state[at // 4 : at // 4 + 4] * (lanes // 4),
}


def load(op: str, lanes: int, imm: Value, message: bytes) -> Value:
    """Return the low or high words of blocks `stride` bytes apart; consecutive 32-bit words; or a number of bytes."""
    if op == "load_number":
        return (int.from_bytes(message[imm[0] : imm[0] + imm[1]], "little"),)
    if op == "load_words":
        return tuple(int.from_bytes(message[imm[0] + 4 * i : imm[0] + 4 * i + 4], "little") for i in range(lanes))
    first, stride = imm
    first += 8 if op == "load_hi" else 0
    return tuple(int.from_bytes(message[first + stride * i : first + stride * i + 8], "little") for i in range(lanes))
