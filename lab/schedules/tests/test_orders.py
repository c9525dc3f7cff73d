# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check the orders of an iteration, and what the z14 paper proposes: figure 4, and section 10's cuts and random search."""

import pytest

from coconut.architectures.s390x import Z14
from coconut.interpret import compare
from coconut.orders import within
from coconut.program import Program
from coconut.select import select
from coconut.trace import ROOT, read_traced
from lab.schedules import orders
from lab.schedules.continuous import continuous_times, io_weights
from lab.schedules.mincut import SMALL, components
from lab.schedules.modulo import length, problem_of

TIMES = ROOT / "lab/schedules/results/times.md"


def step(sums: str) -> Program:
    return select(Z14, read_traced("vmsl")[0]["step 1"], {"expand": "permute", "sums": sums})


def test_figure_4() -> None:
    """No VMSL waits for another one: 6 accumulate, and the sums of the other 12 are added."""
    program = step("apart")
    first = program.first_op
    totals = [op.args[2] for op in program.ops if op.instruction.name == "vmslg"]
    assert len(totals) == 18 and max(totals) < first
    assert sum(op.instruction.name == "vaq" for op in program.ops) == 12
    chained = [op.args[2] for op in step("chained").ops if op.instruction.name == "vmslg"]
    assert sum(total >= step("chained").first_op for total in chained) == 12


def test_components() -> None:
    problem = problem_of(step("chained"), "z14")
    found = components(problem)
    assert sorted(i for part in found for i in part) == list(range(problem.size))
    assert len(found) > 1 and max(map(len, found)) <= SMALL
    rank = {i: number for number, part in enumerate(found) for i in part}
    crossing = 0
    for i, edges in enumerate(problem.forward):
        for after in {edge.after for edge in edges}:
            assert rank[i] <= rank[after]
            crossing += rank[i] < rank[after]
    # As many cuts at the same depths, whatever passes them, would cut more.
    depths = sorted(range(problem.size), key=lambda i: (-problem.heights[i], i))
    sizes = iter(depths)
    plain = {i: number for number, part in enumerate(found) for i in [next(sizes) for _ in part]}
    assert crossing < sum(
        plain[i] != plain[after] for i, edges in enumerate(problem.forward) for after in {edge.after for edge in edges}
    )


def test_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "TRIES", 10)
    program = step("chained")
    found = orders.orders(program, "z14", 0)
    continuous = ["continuous", "continuous, the paper's penalty"]
    assert [one.name for one in found] == ["as written", "list", *continuous, "random search", "minimum cuts"]
    for one in found:
        assert sorted(op.node for op in one.program.ops) == sorted(op.node for op in program.ops)
        for sample in read_traced("vmsl")[1]["step 1"]:
            compare(one.program, sample)
    cycles = [one.in_order_cycles for one in found]
    assert max(cycles[1:]) < cycles[0] and cycles[4] <= cycles[2]
    # Those that are the same in every run are what is written, and the study's report shows.
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in TIMES.read_text().splitlines() if "|" in line
    ]
    head, row = (next(row for row in rows if row[0].startswith(first)) for first in ("loop", "vmsl/step 1, chained"))
    for one in found:
        if one.name in head and one.name != "random search":
            assert row[head.index(one.name)] == f"{one.in_order_cycles}, {one.cycles:.1f}", one.name


def test_io_penalty() -> None:
    """The weights make the sum that the paper describes."""
    program = step("chained")
    problem = problem_of(program, "z14")
    times = [(7 * i * i + 3 * i) % 101 for i in range(problem.size)]
    made = [{arg - program.first_op for arg in op.args if arg >= program.first_op} for op in program.ops]
    consumers = [[k for k, inputs in enumerate(made) if i in inputs] for i in range(problem.size)]
    total = 0.0
    for i in range(problem.size):
        total += sum(times[k] / max(1, len(consumers[k]) - 1) for k in made[i])
        total -= sum(times[k] / len(set(program.ops[k].args)) for k in consumers[i])
    assert abs(float(io_weights(problem) @ times) - total) < 1e-6


def test_random_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a bad order, it finds a better one."""
    monkeypatch.setattr(orders, "TRIES", 20)
    program = step("chained")
    problem = problem_of(program, "z14")
    times = [-time for time in continuous_times(problem)]

    def cycles(priority: list[float]) -> int:
        moved = problem_of(next(within(program, problem, priority)), "z14")
        return length(moved, orders.in_order(moved))

    assert cycles(orders.by_random_search(program, problem, times, "z14")) < cycles(times)
