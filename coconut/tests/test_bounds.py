# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare derived bounds with values: on every sample of the basic blocks, and on made-up graphs at their limits."""

import random

import pytest

from coconut.architectures import ARCHITECTURES
from coconut.bounds import RULES, upper_bounds
from coconut.graph import Graph, Node
from coconut.operations import OPERATIONS, WORD_MAX, Value
from coconut.select import select
from coconut.simulate import Mismatch, simulate
from coconut.trace import KERNELS, read_traced

MADE_UP = 500
INPUTS = 4
OPERATIONS_EACH = 16
OPERANDS = {
    "madd52lo": 3,
    "madd52hi": 3,
    "shl": 1,
    "shr": 1,
    "low32": 1,
    "high32": 1,
    "first": 1,
    "block": 1,
    "alone": 1,
}


def check_values(graph: Graph, bounds: list[int], values: list[Value]) -> None:
    for i, (bound, value) in enumerate(zip(bounds, values, strict=True)):
        if len(value) == graph.lanes and max(value) > bound:
            raise Mismatch(f"{graph.title}: {graph.expression(i)} is {max(value):#x}, above the derived {bound:#x}")


def check_block(graph: Graph) -> None:
    """Check the bounds of a basic block on every sample.

    What a loop carries must keep the limit from which its bounds are derived.
    """
    bounds = upper_bounds(graph)
    for name, (before, after) in graph.carried().items():
        if bounds[after] > bounds[before]:
            raise Mismatch(
                f"{graph.title}: {name} comes in up to {bounds[before]:#x}, and goes out up to {bounds[after]:#x}"
            )
    for sample in read_traced(graph.kernel)[1][graph.name]:
        check_values(graph, bounds, simulate(graph, sample))


def check_made_up(numbers: random.Random) -> None:
    def number(limit: int) -> int:
        return numbers.choice((limit, limit, max(0, limit - 1), numbers.randint(0, limit)))

    nodes = [Node("input", (), (0,), number((1 << numbers.randint(1, 64)) - 1), f"x[{i}]") for i in range(INPUTS)]
    values: list[Value] = [(number(node.limit), number(node.limit)) for node in nodes]
    for _ in range(OPERATIONS_EACH):
        op = numbers.choice([op for op in RULES if op not in {"splat", "only_block", "pair", "sum_limbs", "output"}])
        args = tuple(numbers.randrange(len(nodes)) for _ in range(OPERANDS.get(op, 2)))
        most = {"block": 1, "blend": 1, "alone": 1, "shuffle": 3}.get(op, 63)
        imm = tuple(numbers.randint(0, most) for _ in range(2 if op == "shuffle" else 1))
        nodes.append(Node(op, args, imm))
        value = OPERATIONS[op](2, imm, *(values[arg] for arg in args))
        values.append(value * (2 // len(value)))
    graph = Graph("made up", 2, "block", 0, tuple(nodes))
    check_values(graph, upper_bounds(graph), values)


def test_stated_limits() -> None:
    """5 x is selected as a 52-bit product only if x is derived, not just stated, to be small enough."""
    for limit, expected in ((WORD_MAX, False), ((1 << 49) - 1, True)):
        nodes = (
            *(Node("input", (), (0,), limit, f"x[{i}]") for i in range(2)),
            Node("and", (0, 1), (), (1 << 40) - 1),
            Node("shl", (2,), (2,)),
            Node("add", (2, 3)),
            Node("and", (0, 0)),
            Node("add", (5, 4)),
            Node("output", (6,), (), WORD_MAX, "x[0]"),
        )
        choices = {"multiplier": "memory", "cut": "funnel", "times5": "multiply"}
        program = select(ARCHITECTURES["ifma"], Graph("ifma", 8, "made up", 64, nodes), choices)
        if any(op.instruction.name == "vpmadd52luq" for op in program.ops) != expected:
            raise Mismatch(f"x up to {limit:#x}: 5 x is {'not ' if expected else ''}selected as a product of 52 bits")


def test_made_up_graphs() -> None:
    numbers = random.Random(1)
    for _ in range(MADE_UP):
        check_made_up(numbers)


@pytest.mark.sample(3)
@pytest.mark.parametrize("kernel", KERNELS)
def test_bounds(kernel: str) -> None:
    for graph in read_traced(kernel)[0].values():
        check_block(graph.simplified())
