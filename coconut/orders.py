# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Orders of a program's instructions that fit into the registers, and how long a turn takes in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from coconut.continuous import continuous_times
from coconut.emit import body
from coconut.machine import mca
from coconut.optimal import straight
from coconut.program import Program
from coconut.registers import Pressure, allocate, last_uses, pressure
from coconut.schedule import Problem, Room, length, problem_of

TURNS = 100

# With registers for a constraint, CP-SAT gets nowhere in a minute beyond so many instructions.
CP_SAT_MAX = 250


def in_order(problem: Problem) -> list[int]:
    """When the instructions are issued if each waits for the one before it: an in-order CPU."""
    times = [0] * problem.size
    ready = [0] * problem.size
    room, time = Room(problem), 0
    for i in range(problem.size):
        time = max(time, ready[i])
        while not room.fits(i, time):
            time += 1
        room.take(i, time)
        times[i] = time
        for edge in problem.forward[i]:
            ready[edge.after] = max(ready[edge.after], time + edge.latency)
    return times


def within_registers(problem: Problem, urgency: Sequence[float], registers: int) -> list[int]:
    """List scheduling that takes no instruction that would need a register too many, except the next of the order that the
    program stands in, which does with the registers there are."""
    program = problem.program
    first = program.first_op
    last = last_uses(program)
    users = [0] * (first + problem.size)
    for op in program.ops:
        for arg in set(op.args):
            users[arg] += 1
    alive = sum(last[value] != -1 for value in range(first))
    kept = {value for value in range(first + problem.size) if last[value] == problem.size}
    waiting = [0] * problem.size
    for edges in problem.forward:
        for edge in edges:
            waiting[edge.after] += 1
    earliest, order, done = [0] * problem.size, [], [False] * problem.size
    room, time, head = Room(problem), 0, 0

    def change(i: int) -> int:
        freed = sum(users[arg] == 1 and arg not in kept for arg in set(program.ops[i].args))
        return (last[first + i] != -1) - freed

    while len(order) < problem.size:
        while done[head]:
            head += 1
        ready = [i for i in range(head, problem.size) if not done[i] and waiting[i] == 0]
        fitting = [i for i in ready if alive + change(i) <= registers]
        now = [i for i in fitting if earliest[i] <= time and room.fits(i, time)]
        if not now:
            if fitting:
                time += 1
                continue
            now, time = [head], max(time, earliest[head])
            while not room.fits(head, time):
                time += 1
        i = min(now, key=lambda k: (urgency[k], k))
        room.take(i, time)
        alive += change(i)
        for arg in set(program.ops[i].args):
            users[arg] -= 1
        order.append(i)
        done[i] = True
        for edge in problem.forward[i]:
            earliest[edge.after] = max(earliest[edge.after], time + edge.latency)
            waiting[edge.after] -= 1
    return order


@dataclass(frozen=True)
class Order:
    """A program whose instructions stand in an order of this making; cycles a turn if issued in order, and by llvm-mca, which
    issues out of order."""

    name: str
    program: Program
    in_order_cycles: int
    cycles: float


def simulated_cycles(program: Program, cpu: str) -> float:
    """Of a turn among many, by llvm-mca."""
    triple, syntax = program.architecture.triple, program.architecture.gnu
    turn = [*body(program, allocate(program), syntax), *syntax.advance(program.graph.advance)]
    totals = [
        mca(triple, cpu, "\n".join(turn) + "\n", f"-iterations={turns}")["CodeRegions"][0]["SummaryView"]["TotalCycles"]
        for turns in (TURNS, 2 * TURNS)
    ]
    return (totals[1] - totals[0]) / TURNS


def measured(name: str, program: Program, cpu: str) -> Order | None:
    """None if it does not fit into the registers."""
    try:
        allocate(program)
    except Pressure:
        return None
    problem = problem_of(program, cpu)
    return Order(name, program, length(problem, in_order(problem)), simulated_cycles(program, cpu))


def orders(program: Program, cpu: str, seconds: float) -> list[Order]:
    """As the field is written; by list scheduling and by continuous optimization within the registers; by CP-SAT. Those that
    fit, in this sequence."""
    found = [measured("as written", program, cpu)]
    problem = problem_of(program, cpu)
    registers = program.architecture.registers
    urgencies = {"list": [-float(height) for height in problem.heights], "continuous": list(continuous_times(problem))}
    for name, urgency in urgencies.items():
        # As close to the limit as works.
        for limit in range(registers, pressure(program) - 4, -1):
            order = measured(name, program.reordered(within_registers(problem, urgency, limit)), cpu)
            if order is not None:
                found.append(order)
                break
    issued = in_order(problem)
    line = None
    if seconds > 0 and problem.size <= CP_SAT_MAX:
        line = straight(problem, seconds, registers, hint=issued, horizon=length(problem, issued))
    if line is not None:
        last = last_uses(program)
        freed = [sum(last[arg] == i for arg in set(op.args)) for i, op in enumerate(program.ops)]
        order = sorted(range(problem.size), key=lambda i: (line.times[i], -freed[i], i))
        found.append(measured("CP-SAT", program.reordered(order), cpu))
    return [order for order in found if order is not None]


def best_order(program: Program, cpu: str, seconds: float) -> Order | None:
    """None if no order fits into the registers."""
    return min(orders(program, cpu, seconds), key=lambda order: (order.cycles, order.in_order_cycles), default=None)
