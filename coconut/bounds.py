# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Derive bounds that no lane of a value exceeds, node by node, from the limits of the inputs.

Bounds that the code states for values in between are not trusted: instructions that cut their operands are selected by
the bounds derived here.
"""

from collections.abc import Callable

from coconut.graph import Graph
from coconut.operations import MASK52, WORD32_MAX, WORD_MAX


def product(cut_to: int, a: int, b: int) -> int:
    """Return the bound of a product of operands that are cut to cut_to."""
    return min(a, cut_to) * min(b, cut_to)


# Bounds from the immediate numbers and the operands' bounds. A result that exceeds a word may wrap to any value, as may
# the results of other operations.
RULES: dict[str, Callable[..., int]] = {
    "splat": lambda imm: imm[0],
    "only_block": lambda imm: imm[1],
    "pair": lambda imm: max(imm),
    "add": lambda imm, a, b: a + b,
    "and": lambda imm, a, b: min(a, b),
    "or": lambda imm, a, b: (1 << (a | b).bit_length()) - 1,
    "shl": lambda imm, a: a << imm[0],
    "shr": lambda imm, a: a >> imm[0],
    "low32": lambda imm, a: min(a, WORD32_MAX),
    "high32": lambda imm, a: a >> 32,
    "mul32": lambda imm, a, b: product(WORD32_MAX, a, b),
    "madd52lo": lambda imm, total, a, b: total + min(product(MASK52, a, b), MASK52),
    "madd52hi": lambda imm, total, a, b: total + (product(MASK52, a, b) >> 52),
    "first": lambda imm, a: a,
    "block": lambda imm, a: a,
    "blend": lambda imm, even, odd: max(even, odd),
    "alone": lambda imm, a: a,
    "shuffle": lambda imm, a, b: max(a, b),
    "sum_limbs": lambda imm, a: (1 << 8 * imm[0]) - 1,
    "output": lambda imm, a: a,
}


def upper_bounds(graph: Graph) -> list[int]:
    """Return, for each node, its bound; that of a 128-bit sum says nothing."""
    bounds: list[int] = []
    for node in graph.nodes:
        if node.op == "input":
            bound = node.limit
        elif node.op in RULES:
            bound = RULES[node.op](node.imm, *(bounds[arg] for arg in node.args))
        else:
            bound = WORD_MAX
        bounds.append(min(bound, WORD_MAX))
    return bounds
