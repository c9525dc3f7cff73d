# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The arithmetic of both cores modulo 2^130 - 5, written once, for whatever numbers it is called with.

Python's integers make it a reference, intervals (intervals.py) its bounds, wires (wires.py) a circuit, and the symbolic
numbers of coconut/prove a proof. Therefore it only adds, multiplies, shifts, and keeps low bits.

An element has 8 limbs of 17 bits and some more, limb k of weight 2^(17 k), so that a limb fits the 18 bits of a multiplier.
2^136 is 320 modulo p.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

P = 2**130 - 5
LIMBS, BITS = 8, 17
MASK = (1 << BITS) - 1
WEIGHTS = tuple(1 << BITS * k for k in range(LIMBS))
FOLD = (1 << LIMBS * BITS) % P
# The bits of the last limb below 2^130.
TOP_BITS = 130 - (LIMBS - 1) * BITS
TOP_MASK = (1 << TOP_BITS) - 1
# How many passes `finish` makes.
PASSES = 4
# The bits of r that may be 1.
R_MASK = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF

# A number of any of those kinds.
Number = Any
Limbs = Sequence[Number]


def limbs_of(number: Number) -> list[Number]:
    """Cut a number below 2^136 into limbs."""
    return [number >> BITS * k & MASK for k in range(LIMBS)]


def total(numbers: Iterable[Number]) -> Number:
    """Return the sum. Wires are added as they arrive, two at a time."""
    order = count()
    heap = [(getattr(number, "time", 0), next(order), number) for number in numbers]
    heapq.heapify(heap)
    while len(heap) > 1:
        both = heapq.heappop(heap)[2] + heapq.heappop(heap)[2]
        heapq.heappush(heap, (getattr(both, "time", 0), next(order), both))
    return heap[0][2]


def columns(a: Limbs, b: Limbs, c: Limbs) -> list[Number]:
    """Return a * b + c as 8 sums, of weights as limbs have, in which what exceeds 2^136 is folded."""
    low = [[limb] for limb in c]
    high: list[list[Number]] = [[] for _ in c]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            (low if i + j < LIMBS else high)[(i + j) % LIMBS].append(x * y)
    return [
        total(below) + total(above) * FOLD if above else total(below) for below, above in zip(low, high, strict=True)
    ]


def row(sums: Limbs, products: Limbs) -> list[Number]:
    """Return sums * 2^17 + products: after the rows of all limbs of a, the last one first, the sums are a * b."""
    above = [sums[-1] * FOLD, *sums[:-1]]
    return [before + product for before, product in zip(above, products, strict=True)]


def carried(sums: Limbs, c: Limbs = ()) -> list[Number]:
    """Return sums + c as limbs below 2^18.

    Each sum is cut into limbs of its own weight and the next two, all at once; then the carries go one limb further.
    """
    parts: list[list[Number]] = [[number & MASK] for number in sums]
    for k, number in enumerate(sums[:-2]):
        parts[k + 1].append(number >> BITS & MASK)
        parts[k + 2].append(number >> 2 * BITS)
    parts[-1].append(sums[-2] >> BITS & MASK)
    parts[0] += [(sums[-2] >> 2 * BITS) * FOLD, (sums[-1] >> BITS) * FOLD]
    for k, limb in enumerate(c):
        parts[k].append(limb)
    limbs = [total(numbers) for numbers in parts]
    carries = [limb >> BITS for limb in limbs]
    below = [carries[-1] * FOLD, *carries[:-1]]
    return [(limb & MASK) + carry for limb, carry in zip(limbs, below, strict=True)]


def step(a: Limbs, b: Limbs, c: Limbs) -> list[Number]:
    """Return a * b + c, as the pipelined core computes it."""
    return carried(columns(a, b, c))


def rows(a: Limbs, b: Limbs) -> Iterator[list[Number]]:
    """Yield the sums after each of the 8 rows of a * b."""
    sums: list[Number] = [0] * LIMBS
    for limb in reversed(a):
        sums = row(sums, [limb * y for y in b])
        yield sums


def step_by_rows(a: Limbs, b: Limbs, c: Limbs) -> list[Number]:
    """Return a * b + c, as the small core computes it, a row in each cycle."""
    *_, sums = rows(a, b)
    return carried(sums, c)


def finish(limbs: list[Number], s: Limbs) -> Iterator[tuple[Number, Number]]:
    """Replace limbs by those of (limbs mod p) + s, of which the lowest 128 bits are the tag.

    The limbs are passed four times, from the first to the last, to carry; to add 5 times what was above 2^130; to see
    whether 5 more reach 2^130, since then the number, which is less than 2 p by now, is p or more; and to add s. Yield in
    each cycle what the adder computes, and the next carry.
    """
    carry: Number = 0
    for pass_ in range(PASSES):
        number: Number = 0
        for k in range(LIMBS):
            number = limbs[k] + ((s[k] if pass_ == PASSES - 1 else 0) + carry)
            if pass_ != PASSES - 2:
                limbs[k] = number & (TOP_MASK if pass_ == 0 and k == LIMBS - 1 else MASK)
            carry = number >> BITS
            yield number, carry
        excess = number >> TOP_BITS
        carry = 5 if pass_ == PASSES - 3 else excess * 5
        yield excess, carry


def tag_limbs(limbs: Limbs, s: Limbs) -> list[Number]:
    result = list(limbs)
    for _ in finish(result, s):
        pass
    return result
