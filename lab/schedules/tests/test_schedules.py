# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare CP-SAT's answers about initiation intervals with all schedules of small made-up loops."""

import random
from dataclasses import replace
from itertools import combinations, product
from types import SimpleNamespace

import pytest

from coconut.machine import Cost, Machine, Use
from coconut.schedule import Edge, Resource, resources_of
from coconut.simulate import Mismatch
from lab.schedules.modulo import Problem, check
from lab.schedules.optimal import last_stages, modulo

LOOPS = 150
SECONDS = 30


def made_up(size: int, edges: list[Edge], resources: list[Resource]) -> Problem:
    """Return a loop of `size` instructions without operands.

    Each takes one cycle, unless an edge says otherwise.
    """
    program = SimpleNamespace(ops=range(size), graph=SimpleNamespace(title="a made-up loop"))
    machine = Machine("none", 1, (Cost(1, 1, (), ()),) * size)
    return Problem(program, machine, tuple(edges), tuple(resources))  # type: ignore[arg-type]


def any_loop(numbers: random.Random) -> Problem:
    size = numbers.randint(2, 4)
    pairs = list(combinations(range(size), 2))
    edges = [Edge(a, b, numbers.randint(0, 5), 0) for a, b in pairs if numbers.random() < 0.6]
    edges += [Edge(b, a, numbers.randint(0, 5), numbers.randint(1, 4)) for a, b in pairs if numbers.random() < 0.3]
    resources = []
    for number in range(numbers.randint(1, 4)):
        capacity = numbers.randint(1, 2)
        taking = numbers.choices(range(size), k=numbers.randint(1, size))
        demands = tuple((i, numbers.randint(1, capacity), numbers.choice((1, 1, 1, 2, 3))) for i in taking)
        resources.append(Resource(f"resource {number}", capacity, demands))
    return made_up(size, edges, resources)


def has_room(problem: Problem, slots: tuple[int, ...], interval: int) -> bool:
    for resource in problem.resources:
        taken = [0] * interval
        for i, units, cycles in resource.demands:
            for k in range(cycles):
                taken[(slots[i] + k) % interval] += units
        if max(taken) > resource.capacity:
            return False
    return True


def least_stages(problem: Problem, slots: tuple[int, ...], interval: int) -> list[int] | None:
    """Return the least stages, from 0 up, that keep the dependences; None if they grow without end."""
    stages = [0] * problem.size
    for _ in range(problem.size):
        before = list(stages)
        for edge in problem.edges:
            wait = edge.latency - interval * edge.distance + slots[edge.before] - slots[edge.after]
            stages[edge.after] = max(stages[edge.after], stages[edge.before] + -(-wait // interval))
        if stages == before:
            return stages
    return None


def exists(name: str, problem: Problem, interval: int) -> bool:
    """Return whether there is a schedule, by trying all slots with their least stages.

    check() must agree for each of them, and last_stages, if there are any, must not exclude them.
    """
    found = False
    last = None if problem.has_positive_cycle(interval) else last_stages(problem, interval)
    for slots in product(range(interval), repeat=problem.size):
        stages = least_stages(problem, slots, interval)
        if stages is None:
            continue
        if last is None or any(stage > limit for stage, limit in zip(stages, last, strict=True)):
            raise Mismatch(f"{name}, interval {interval}: stages {stages} are excluded")
        fits = has_room(problem, slots, interval)
        try:
            check(problem, [slot + interval * stage for slot, stage in zip(slots, stages, strict=True)], interval)
        except ValueError as error:
            if fits:
                raise Mismatch(f"{name}, interval {interval}: {error}")
        else:
            if not fits:
                raise Mismatch(f"{name}, interval {interval}: an overfull resource is not noticed")
        found |= fits
    return found


def in_one_slot(size: int) -> Problem:
    """Return a chain that fits an interval of 2 only in one slot, so that each instruction takes a stage.

    Neither of two neighbours may be in the slot of a third instruction.
    """
    edges = [Edge(i, i + 1, 1, 0) for i in range(size - 1)]
    pairs = [(i, size + i) for i in range(size - 1)] + [(i + 1, size + i) for i in range(size - 1)]
    resources = [Resource(f"{a} or {b}", 1, ((a, 1, 1), (b, 1, 1))) for a, b in pairs]
    return made_up(2 * size - 1, edges, resources)


def with_a_long_one() -> Problem:
    """Return a loop in which one micro-operation holds port A for all of 3 cycles.

    Its instruction has two micro-operations. Port B has room for the three other instructions.
    """
    long, short = Use(frozenset("A"), 3), Use(frozenset("AB"), 1)
    costs = (Cost(3, 2, (long,), ()), *(Cost(1, 1, (short,), ()) for _ in range(3)))
    problem = made_up(len(costs), [], [])
    machine = Machine("none", 8, costs)
    return replace(problem, machine=machine, resources=resources_of(problem.program, machine))


def compare(name: str, problem: Problem, interval: int, expected: str) -> None:
    answer, times = modulo(problem, interval, SECONDS)
    if answer != expected:
        raise Mismatch(f"{name}, interval {interval}: {answer}, not {expected}")
    if times is not None:
        check(problem, times, interval)
    # Running out of time proves nothing.
    if expected == "found" and modulo(problem, interval, 0)[0] == "none":
        raise Mismatch(f"{name}, interval {interval}: none, for want of time")


def test_all_schedules() -> None:
    numbers = random.Random(1)
    counts = {"found": 0, "none": 0}
    for number in range(LOOPS):
        problem = any_loop(numbers)
        for interval in range(1, 6):
            name = f"loop {number}"
            expected = "found" if exists(name, problem, interval) else "none"
            compare(name, problem, interval, expected)
            counts[expected] += 1
    assert min(counts.values()) > 100


@pytest.mark.parametrize("size", (4, 13))
def test_chain_in_one_slot(size: int) -> None:
    compare(f"a chain of {size}", in_one_slot(size), 2, "found")


def test_long_micro_operation() -> None:
    problem = with_a_long_one()
    if problem.bound != 3:
        raise Mismatch(f"a long micro-operation among others: no interval is below {problem.bound}, and 3 is possible")
    compare("a long micro-operation among others", problem, 3, "found")
