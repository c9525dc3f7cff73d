# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare orders of a program's instructions that fit into the registers, by estimates of their cycles."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from coconut.allocate import OutOfRegisters, allocate_loop, last_uses
from coconut.orders import simulated_cycles, within
from coconut.program import Program
from coconut.schedule import ReservationTable
from lab.schedules.continuous import PENALTIES, continuous_times, io_weights
from lab.schedules.mincut import by_components
from lab.schedules.modulo import Problem, length, problem_of
from lab.schedules.optimal import straight

# The random search: how many orders it tries, and by how many cycles it moves instructions, in turn.
TRIES, MOVES = 200, (0.5, 1.0, 2.0, 4.0, 8.0)

# With registers as a constraint, CP-SAT finds nothing in a minute for more instructions than this.
CP_SAT_MAX = 250


def in_order(problem: Problem) -> list[int]:
    """Return the issue cycles on an in-order CPU, where each instruction waits for the one before it."""
    times = [0] * problem.size
    ready = [0] * problem.size
    table, time = ReservationTable(problem), 0
    for i in range(problem.size):
        time = max(time, ready[i])
        while not table.fits(i, time):
            time += 1
        table.take(i, time)
        times[i] = time
        for edge in problem.forward[i]:
            ready[edge.after] = max(ready[edge.after], time + edge.latency)
    return times


@dataclass(frozen=True)
class Order:
    """A program in one order of its instructions.

    in_order_cycles are the cycles per iteration if issued in order; cycles, those of llvm-mca, which issues out of
    order.
    """

    name: str
    program: Program
    in_order_cycles: int
    cycles: float


def measured(name: str, program: Program, cpu: str) -> Order | None:
    """Return the order with its cycles; None if it does not fit into the registers."""
    try:
        if program.is_loop:
            allocate_loop(program)
    except OutOfRegisters:
        return None
    problem = problem_of(program, cpu)
    return Order(name, program, length(problem, in_order(problem)), simulated_cycles(program, cpu))


def by_random_search(program: Program, problem: Problem, times: Sequence[float], cpu: str) -> list[float]:
    """Return the priority with the fewest cycles in order of those near the given one: the paper's section 10, where
    continuous optimization guides a random algorithm. The numbers are the same in every run."""
    numbers = random.Random(1305)

    def cycles(priority: Sequence[float]) -> int:
        ordered = next(within(program, problem, priority))
        moved = problem_of(ordered, cpu)
        return length(moved, in_order(moved))

    best = [float(time) for time in times]
    least = cycles(best)
    for i in range(TRIES):
        near = [time + numbers.gauss(0, MOVES[i % len(MOVES)]) for time in best]
        if (found := cycles(near)) < least:
            best, least = near, found
    return best


def by_priority(name: str, program: Program, problem: Problem, priority: Sequence[float], cpu: str) -> Order | None:
    """Return the order of list scheduling with the highest limit of registers that works."""
    measurements = (measured(name, ordered, cpu) for ordered in within(program, problem, priority))
    return next(filter(None, measurements), None)


def penalties(program: Program, cpu: str) -> list[Order]:
    """Return the orders of continuous optimization with each penalty for registers, that of list scheduling first."""
    problem = problem_of(program, cpu)
    priorities = {"list": [-float(height) for height in problem.heights]}
    priorities |= {name: list(continuous_times(problem, penalty)) for name, penalty in PENALTIES.items()}
    found = (by_priority(name, program, problem, priority, cpu) for name, priority in priorities.items())
    return [order for order in found if order is not None]


def orders(program: Program, cpu: str, seconds: float) -> list[Order]:
    """Return the orders that fit, in this sequence.

    They are: as the field is written; by list scheduling, continuous optimization, a random search near it and minimum
    cuts, all within the registers; by CP-SAT.
    """
    found = [measured("as written", program, cpu)]
    problem = problem_of(program, cpu)
    registers = program.architecture.registers
    times = list(continuous_times(problem))
    priorities = {
        "list": [-float(height) for height in problem.heights],
        "continuous": times,
        "continuous, the paper's penalty": list(continuous_times(problem, io_weights)),
        "random search": by_random_search(program, problem, times, cpu),
        "minimum cuts": by_components(problem),
    }
    found += [by_priority(name, program, problem, priority, cpu) for name, priority in priorities.items()]
    issued = in_order(problem)
    schedule = None
    # CP-SAT does not know which instructions must stay together.
    if seconds > 0 and problem.size <= CP_SAT_MAX and not program.implicit_edges():
        schedule = straight(problem, seconds, registers, hint=issued, horizon=length(problem, issued))
    if schedule is not None:
        last = last_uses(program)
        freed = [sum(last[arg] == i for arg in set(op.args)) for i, op in enumerate(program.ops)]
        places = sorted(range(problem.size), key=lambda i: (schedule.times[i], -freed[i], i))
        found.append(
            measured("CP-SAT" + ", cut off by the limit" * schedule.is_cut_off, program.reordered(places), cpu)
        )
    return [order for order in found if order is not None]
