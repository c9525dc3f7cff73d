# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Order a program's instructions by list scheduling within the registers, and estimate the cycles of an order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from coconut.allocate import OutOfRegisters, allocate_loop, allocate_straight, last_uses, pressure
from coconut.emit import text_of
from coconut.machine import mca
from coconut.program import Program
from coconut.schedule import Problem, ReservationTable, problem_of

ITERATIONS = 100


def within_registers(problem: Problem, priority: Sequence[float], registers: int) -> list[int]:
    """Return the order of list scheduling within a register pressure; the smallest priority comes first.

    If no instruction fits, the next one of the program's own order is taken, for which the registers suffice.
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
    # A bundle is scheduled as one, with the smallest priority in it.
    bundles = program.bundles()
    bundle_of = [number for number, bundle in enumerate(bundles) for _ in bundle]
    priority_of = [min(priority[i] for i in bundle) for bundle in bundles]
    waiting = [0] * len(bundles)
    for edges in problem.forward:
        for edge in edges:
            waiting[bundle_of[edge.after]] += bundle_of[edge.before] != bundle_of[edge.after]
    earliest: list[int] = [0] * problem.size
    order: list[int] = []
    done = [False] * len(bundles)
    table, time, head = ReservationTable(problem), 0, 0

    def changes(bundle: range) -> list[int]:
        """Return, after each instruction, how many more registers are taken than before the first."""
        taken: dict[int, int] = defaultdict(int)
        total, result = 0, []
        for i in bundle:
            for arg in set(program.ops[i].args):
                taken[arg] += 1
                total -= users[arg] == taken[arg] and arg not in kept and program.in_register(arg)
            total += last[first + i] != -1 and program.in_register(first + i)
            result.append(total)
        return result

    while len(order) < problem.size:
        while done[head]:
            head += 1
        ready = [k for k in range(head, len(bundles)) if not done[k] and waiting[k] == 0]
        fitting = [k for k in ready if alive + max(changes(bundles[k])) <= registers]
        now = [k for k in fitting if max(earliest[i] for i in bundles[k]) <= time and table.fits(bundles[k][0], time)]
        if not now:
            if fitting:
                time += 1
                continue
            now = [head]
        taken = min(now, key=lambda k: (priority_of[k], k))
        alive += changes(bundles[taken])[-1]
        done[taken] = True
        for i in bundles[taken]:
            time = max(time, earliest[i])
            while not table.fits(i, time):
                time += 1
            table.take(i, time)
            for arg in set(program.ops[i].args):
                users[arg] -= 1
            order.append(i)
            for edge in problem.forward[i]:
                earliest[edge.after] = max(earliest[edge.after], time + edge.latency)
                waiting[bundle_of[edge.after]] -= bundle_of[edge.after] != taken
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


def within(program: Program, problem: Problem, priority: Sequence[float]) -> Iterator[Program]:
    """Yield the program in the orders of list scheduling with all registers and, for a loop, with fewer and fewer."""
    registers = program.architecture.registers
    for limit in range(registers, pressure(program) - 4, -1) if program.is_loop else (registers,):
        yield program.reordered(within_registers(problem, priority, limit))


def by_list(program: Program, cpu: str) -> Program:
    """Return the program in the order of list scheduling within the registers, the same on every machine."""
    problem = problem_of(program, cpu)
    priority = [-float(height) for height in problem.heights]
    for ordered in within(program, problem, priority):
        try:
            if program.is_loop:
                allocate_loop(ordered)
        except OutOfRegisters:
            continue
        return ordered
    return program
