# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Order a program's instructions such that they fit into the registers, and estimate the cycles of each order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from coconut.allocate import OutOfRegisters, allocate_loop, allocate_straight, last_uses, pressure
from coconut.emit import text_of
from coconut.machine import mca
from coconut.program import Program
from coconut.schedule import Problem, Room, problem_of

ITERATIONS = 100


def within_registers(problem: Problem, urgency: Sequence[float], registers: int) -> list[int]:
    """Return the order of list scheduling that takes no instruction that would need more registers than these.

    If no instruction fits, it takes the next one of the program's own order, for which the registers suffice.
    """
    program = problem.program
    first = program.first_op
    last = last_uses(program)
    users = [0] * (first + problem.size)
    for op in program.ops:
        for arg in set(op.args):
            users[arg] += 1
    alive = sum(last[value] != -1 for value in range(first))
    kept = {value for value in range(first + problem.size) if last[value] == problem.size}
    # Instructions that must stay together are taken together, with the urgency of the most urgent one.
    groups = program.groups()
    group_of = [number for number, group in enumerate(groups) for _ in group]
    urgency_of = [min(urgency[i] for i in group) for group in groups]
    waiting = [0] * len(groups)
    for edges in problem.forward:
        for edge in edges:
            waiting[group_of[edge.after]] += group_of[edge.before] != group_of[edge.after]
    earliest: list[int] = [0] * problem.size
    order: list[int] = []
    done = [False] * len(groups)
    room, time, head = Room(problem), 0, 0

    def changes(group: range) -> list[int]:
        """Return, after each instruction, how many more registers are taken than before the first."""
        taken: dict[int, int] = defaultdict(int)
        total, result = 0, []
        for i in group:
            for arg in set(program.ops[i].args):
                taken[arg] += 1
                total -= users[arg] == taken[arg] and arg not in kept and program.in_register(arg)
            total += last[first + i] != -1 and program.in_register(first + i)
            result.append(total)
        return result

    while len(order) < problem.size:
        while done[head]:
            head += 1
        ready = [k for k in range(head, len(groups)) if not done[k] and waiting[k] == 0]
        fitting = [k for k in ready if alive + max(changes(groups[k])) <= registers]
        now = [k for k in fitting if max(earliest[i] for i in groups[k]) <= time and room.fits(groups[k][0], time)]
        if not now:
            if fitting:
                time += 1
                continue
            now = [head]
        taken = min(now, key=lambda k: (urgency_of[k], k))
        alive += changes(groups[taken])[-1]
        done[taken] = True
        for i in groups[taken]:
            time = max(time, earliest[i])
            while not room.fits(i, time):
                time += 1
            room.take(i, time)
            for arg in set(program.ops[i].args):
                users[arg] -= 1
            order.append(i)
            for edge in problem.forward[i]:
                earliest[edge.after] = max(earliest[edge.after], time + edge.latency)
                waiting[group_of[edge.after]] -= group_of[edge.after] != taken
    return order


def total_cycles(triple: str, cpu: str, lines: Sequence[str], iterations: int) -> int:
    report = mca(triple, cpu, "\n".join(lines) + "\n", f"-iterations={iterations}")
    return int(report["CodeRegions"][0]["SummaryView"]["TotalCycles"])


def steady_cycles(triple: str, cpu: str, lines: Sequence[str]) -> float:
    """Return the steady-state cycles per iteration, from llvm-mca."""
    first, second = (total_cycles(triple, cpu, lines, count) for count in (ITERATIONS, 2 * ITERATIONS))
    return (second - first) / ITERATIONS


def simulated_cycles(program: Program, cpu: str) -> float:
    """Return the steady-state cycles per iteration, or those of a single run for a block that is not a loop."""
    architecture, assembler = program.architecture, program.architecture.gnu
    if not program.is_loop:
        return total_cycles(architecture.triple, cpu, text_of(allocate_straight(program).steps, assembler), 1)
    lines = text_of(allocate_loop(program).steps, assembler)
    advance = assembler.control("advance", bytes=program.graph.advance, pointer=assembler.pointers["message"])
    return steady_cycles(architecture.triple, cpu, [*lines, *advance])


def within(program: Program, problem: Problem, urgency: Sequence[float]) -> Iterator[Program]:
    """Yield the program in the orders of list scheduling with all registers and, for a loop, with fewer and fewer."""
    registers = program.architecture.registers
    for limit in range(registers, pressure(program) - 4, -1) if program.is_loop else (registers,):
        yield program.reordered(within_registers(problem, urgency, limit))


def by_list(program: Program, cpu: str) -> Program:
    """Return the program in the order of list scheduling within the registers, the same on every machine."""
    problem = problem_of(program, cpu)
    urgency = [-float(height) for height in problem.heights]
    for ordered in within(program, problem, urgency):
        try:
            if program.is_loop:
                allocate_loop(ordered)
        except OutOfRegisters:
            continue
        return ordered
    return program
