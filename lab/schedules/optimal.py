# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedule with OR-Tools' CP-SAT: the shortest schedule, proved to be, or with the remaining gap.

Schedules can also be limited to a number of registers.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from lab.schedules.modulo import Problem, check, length, list_schedule, modulo_list_schedule

# Eight strategies in parallel find in a second what two do not find in a minute, even on two cores.
WORKERS = 8
PORT_SECONDS = 20


@dataclass(frozen=True)
class Loop:
    """A loop's schedule.

    - times: the cycles in which instructions are issued.
    - interval: the initiation interval.
    - least: the shortest interval that is not proved impossible.
    - is_cut_off: at a shorter interval, the search ended by the clock.
    """

    times: tuple[int, ...]
    interval: int
    least: int
    is_cut_off: bool


def new_solver(seconds: float) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = WORKERS
    solver.parameters.random_seed = 1
    return solver


def slack(k: int, interval: int) -> int:
    """Return what rounding and slots add at most to a path of k edges, in cycles."""
    return (k + 1) * (interval - 1)


def last_stages(problem: Problem, interval: int) -> list[int]:
    """Return, for each instruction, a stage that it need not exceed: if there is a schedule, there is one within these.

    An instruction is issued in the cycle slot + interval * stage, 0 <= slot < interval. Resources depend on slots
    alone. So a schedule remains one with its slots and the least stages, from 0 up, that keep the dependences

        stage[after] >= stage[before] + (latency - interval * distance + slot[before] - slot[after]) / interval, rounded up.

    The least stages are those of the longest paths, which pass no instruction twice: stages that keep the dependences
    exist, so no cycle is longer than 0. Rounding adds at most (interval - 1) / interval for each of a path's k edges,
    and the slots of its ends at most as much once more. Hence a stage is at most

        (the longest sum of latency - interval * distance over k edges, to there, + (k + 1) * (interval - 1)) / interval,

    rounded down, for some k < size. The sums are taken over all walks, which include the paths.
    """
    longest: list[int | None] = [0] * problem.size
    last = [0] * problem.size
    for k in range(1, problem.size):
        further: list[int | None] = [None] * problem.size
        for edge in problem.edges:
            before, there = longest[edge.before], further[edge.after]
            if before is not None:
                through = before + edge.latency - interval * edge.distance
                further[edge.after] = through if there is None else max(there, through)
        longest = further
        bounds = (None if total is None else (total + slack(k, interval)) // interval for total in longest)
        last = [old if bound is None else max(old, bound) for old, bound in zip(last, bounds, strict=True)]
    return last


def modulo(problem: Problem, interval: int, seconds: float) -> tuple[str, list[int] | None]:
    """Return whether the loop has a schedule with this initiation interval, and the schedule.

    The answer is "found", "none" (proved), or "unknown", if the time does not suffice.
    """
    if problem.has_positive_cycle(interval):
        return "none", None
    start = time.monotonic()
    # Few stages nearly always suffice, and take CP-SAT less time. If they do not suffice, that proves nothing.
    few = problem.critical_path // interval + 2
    enough = last_stages(problem, interval)
    answer, times = modulo_within(problem, interval, [min(few, last) for last in enough], seconds)
    if answer == "none" and max(enough) > few:
        return modulo_within(problem, interval, enough, max(0.0, start + seconds - time.monotonic()))
    return answer, times


def modulo_within(
    problem: Problem, interval: int, last_stage: Sequence[int], seconds: float
) -> tuple[str, list[int] | None]:
    """Return the same for schedules in which no instruction exceeds its last stage."""
    model = cp_model.CpModel()
    slots = [model.new_int_var(0, interval - 1, f"slot{i}") for i in range(problem.size)]
    stage = [model.new_int_var(0, last, f"stage{i}") for i, last in enumerate(last_stage)]
    times = [slots[i] + interval * stage[i] for i in range(problem.size)]
    for edge in problem.edges:
        model.add(times[edge.after] >= times[edge.before] + edge.latency - interval * edge.distance)
    for resource in problem.resources:
        intervals, demands = [], []
        for i, units, cycles in resource.demands:
            # What extends beyond the interval wraps around to its beginning.
            for shift in range(1 if cycles == 1 else 1 + -(-cycles // interval)):
                intervals.append(
                    model.new_fixed_size_interval_var(slots[i] - shift * interval, cycles, f"{resource.name}{i}")
                )
                demands.append(units)
        model.add_cumulative(intervals, demands, resource.capacity)
    if problem.holds_ports and problem.gives_ports:
        add_ports(model, problem, slots, interval)
    solver = new_solver(seconds)
    status = solver.solve(model)
    if status == cp_model.MODEL_INVALID:
        raise ValueError(f"{problem.program.graph.title}: CP-SAT does not take its model: {model.validate()}")
    if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return "found", [solver.value(slots[i]) + interval * solver.value(stage[i]) for i in range(problem.size)]
    return ("none" if status == cp_model.INFEASIBLE else "unknown"), None


Occupancy = dict[tuple[str, int], int]


def ports_of(problem: Problem, times: Sequence[int], interval: int | None = None) -> Occupancy | None:
    """Return, for each port in each cycle, the instruction that it runs; None if no such assignment is found.

    With an interval, the cycles are those of the interval.
    """
    model = cp_model.CpModel()
    taken: dict[tuple[str, int], list[tuple[cp_model.IntVar, int]]] = {}
    for i, cost in enumerate(problem.machine.costs):
        for part in cost.parts:
            options = {port: model.new_bool_var(f"{i} {port}") for port in sorted(part.ports)}
            model.add_exactly_one(options.values())
            for port, option in options.items():
                for cycle in range(times[i], times[i] + part.cycles):
                    taken.setdefault((port, cycle % interval if interval else cycle), []).append((option, i))
    for occupants in taken.values():
        model.add_at_most_one(option for option, _ in occupants)
    solver = new_solver(PORT_SECONDS)
    if solver.solve(model) not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return None
    return {slot: i for slot, occupants in taken.items() for option, i in occupants if solver.value(option)}


def add_ports(model: cp_model.CpModel, problem: Problem, slots: list, interval: int) -> None:
    """Add a port for each micro-operation.

    Where some stay on one for several cycles, the resources do not imply that there is one.
    """
    intervals: dict[str, list] = {}
    for i, cost in enumerate(problem.machine.costs):
        for part in cost.parts:
            options = []
            for port in sorted(part.ports):
                options.append(model.new_bool_var(f"{i} {port}"))
                for shift in range(1 if part.cycles == 1 else 1 + -(-part.cycles // interval)):
                    intervals.setdefault(port, []).append(
                        model.new_optional_fixed_size_interval_var(
                            slots[i] - shift * interval, part.cycles, options[-1], f"{i} {port}"
                        )
                    )
            model.add_exactly_one(options)
    for on_port in intervals.values():
        model.add_no_overlap(on_port)


def found_at(problem: Problem, interval: int, seconds: float) -> tuple[str, list[int] | None]:
    """Return whether there is a schedule with this initiation interval, by either method, and the schedule.

    The answer is "found", "none" (proved), or "unknown", if the time does not suffice.
    """
    # Ports are assigned afterwards, if that works, or else together with the cycles, which takes longer.
    variants = [replace(problem, gives_ports=False), problem] if problem.holds_ports else [problem]
    for variant in variants:
        for backward, attempts in ((False, 8), (True, 30)):
            times = modulo_list_schedule(variant, interval, attempts, backward)
            if times is not None and ports_of(problem, times, interval) is not None:
                return "found", times
    for variant in variants:
        answer, times = modulo(
            variant, interval, seconds if len(variants) == 1 else seconds * (0.8 if variant is not problem else 0.2)
        )
        if answer == "none":
            return answer, None
        if times is not None and ports_of(problem, times, interval) is not None:
            return "found", times
    return "unknown", None


def schedule_loop(problem: Problem, seconds: float) -> Loop:
    """Return the schedule with the shortest interval found in about that time.

    Intervals are tried from the bound up, by iterative modulo scheduling and then by CP-SAT, which gets most of the
    time for the bound itself.
    """
    interval = least = problem.bound
    is_cut_off = False
    while True:
        answer, times = found_at(problem, interval, seconds * (0.6 if interval == least else 0.15))
        if times is not None:
            check(problem, times, interval)
            return Loop(tuple(times), interval, least, is_cut_off)
        is_cut_off |= answer == "unknown"
        if answer == "none" and least == interval:
            least += 1
        interval += 1


@dataclass(frozen=True)
class Straight:
    """The schedule of a basic block.

    is_cut_off: the search ended by the clock, and the schedule is not proved to be the shortest.
    """

    times: tuple[int, ...]
    is_cut_off: bool


def straight(
    problem: Problem,
    seconds: float,
    registers: int | None = None,
    hint: Sequence[int] | None = None,
    horizon: int | None = None,
) -> Straight | None:
    """Return the shortest schedule of a single iteration within the registers; None if none is found.

    A value occupies a register from the issue of its instruction to the issue of its last user; an input, from the
    beginning; an output, to the end.
    """
    hint = hint or list_schedule(problem)
    horizon = horizon or 2 * length(problem, list_schedule(problem))
    model = cp_model.CpModel()
    times = [model.new_int_var(0, horizon, f"time{i}") for i in range(problem.size)]
    end = model.new_int_var(0, 2 * horizon, "end")
    for i, cost in enumerate(problem.machine.costs):
        model.add(end >= times[i] + cost.latency)
        model.add_hint(times[i], min(hint[i], horizon))
    for edge in problem.edges:
        if edge.distance == 0:
            model.add(times[edge.after] >= times[edge.before] + edge.latency)
    for resource in problem.resources:
        model.add_cumulative(
            [
                model.new_fixed_size_interval_var(times[i], cycles, f"{resource.name}{i}")
                for i, _, cycles in resource.demands
            ],
            [units for _, units, _ in resource.demands],
            resource.capacity,
        )
    if registers is not None:
        add_registers(model, problem, times, end, registers, horizon)
    model.minimize(end)
    solver = new_solver(seconds)
    status = solver.solve(model)
    if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return None
    found = tuple(solver.value(time) for time in times)
    check(problem, found)
    return Straight(found, status != cp_model.OPTIMAL)


def add_registers(
    model: cp_model.CpModel, problem: Problem, times: list, end: cp_model.IntVar, registers: int, horizon: int
) -> None:
    """Limit the values at any time to the number of registers.

    An accumulated sum stays in its register, like any value whose last use is where another value is made.
    """
    program = problem.program
    first = program.first_op
    outputs = {value for _, value in program.outputs}
    users: list[list[int]] = [[] for _ in range(first + problem.size)]
    for i, op in enumerate(program.ops):
        for arg in op.args:
            users[arg].append(i)
    intervals = []
    for value, using in enumerate(users):
        if len(program.inputs) <= value < first:
            continue  # constants, in registers of their own
        start = times[value - first] if value >= first else 0
        last = model.new_int_var(0, 2 * horizon, f"last{value}")
        for user in using:
            model.add(last >= times[user])
        if value in outputs:
            model.add(last >= end)
        # Without a user, it ends where it is made.
        model.add(last >= start)
        size = model.new_int_var(0, 2 * horizon, f"size{value}")
        model.add(size == last - start)
        intervals.append(model.new_interval_var(start, size, last, f"register{value}"))
    model.add_cumulative(intervals, [1] * len(intervals), registers - len(program.kept))
