# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Modulo scheduling: the bounds of a loop's schedules, and list scheduling.

Each iteration of a loop begins a fixed number of cycles after the one before, the initiation interval, and shares the
ports with the iterations around it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from coconut import schedule
from coconut.program import Program
from coconut.schedule import Edge, ReservationTable


@dataclass(frozen=True)
class Problem(schedule.Problem):
    """A program to be scheduled on a machine, perhaps as a loop.

    gives_ports: micro-operations that stay on a port for several cycles are assigned one.
    """

    gives_ports: bool = True

    @cached_property
    def holds_ports(self) -> bool:
        """Return whether micro-operations stay on a port for several cycles, and groups of ports overlap.

        Then there may be units in each cycle, and yet no port.
        """
        parts = [part for cost in self.machine.costs for part in cost.parts]
        overlap = any(a != b and a & b for a, b in combinations({part.ports for part in parts}, 2))
        return overlap and any(part.cycles > 1 for part in parts)

    @property
    def resource_bound(self) -> int:
        return max(-(-resource.total // resource.capacity) for resource in self.resources)

    @cached_property
    def dependence_bound(self) -> int:
        """Return the longest cycle of dependences, per iteration that it spans, in CPU cycles."""
        interval = 1
        while self.has_positive_cycle(interval):
            interval += 1
        return interval

    @property
    def bound(self) -> int:
        """Return the bound that no initiation interval is below."""
        return max(self.resource_bound, self.dependence_bound)

    @property
    def critical_path(self) -> int:
        return max(self.heights)

    def has_positive_cycle(self, interval: int) -> bool:
        """Return whether results would be needed before they are there, at this interval (Bellman and Ford)."""
        earliest = [0] * self.size
        for _ in range(self.size + 1):
            changed = False
            for edge in self.edges:
                time = earliest[edge.before] + edge.latency - interval * edge.distance
                if time > earliest[edge.after]:
                    earliest[edge.after], changed = time, True
            if not changed:
                return False
        return True


def problem_of(program: Program, cpu: str) -> Problem:
    problem = schedule.problem_of(program, cpu)
    return Problem(problem.program, problem.machine, problem.edges, problem.resources)


def reservation_table_of(problem: Problem, interval: int | None) -> ReservationTable:
    table = PortReservationTable if problem.holds_ports and problem.gives_ports else ReservationTable
    return table(problem, interval)


class PortReservationTable(ReservationTable):
    """A reservation table with a port for each micro-operation: of the free ones, that which the fewest others need."""

    def __init__(self, problem: Problem, interval: int | None = None) -> None:
        super().__init__(problem, interval)
        self.parts = [cost.parts for cost in problem.machine.costs]
        self.needed: dict[str, float] = defaultdict(float)
        for part in (part for parts in self.parts for part in parts):
            for port in part.ports:
                self.needed[port] += part.cycles / len(part.ports)
        self.ports: dict[tuple[str, int], int] = {}

    def assigned(self, i: int, time: int) -> list[tuple[str, int]] | None:
        found: list[tuple[str, int]] = []
        for part in self.parts[i]:
            for port in sorted(part.ports, key=lambda port: (self.needed[port], port)):
                cycles = range(time, time + part.cycles)
                slots = [(port, cycle % self.interval if self.interval else cycle) for cycle in cycles]
                if not any(slot in self.ports or slot in found for slot in slots):
                    found += slots
                    break
            else:
                return None
        return found

    def fits(self, i: int, time: int) -> bool:
        return super().fits(i, time) and self.assigned(i, time) is not None

    def take(self, i: int, time: int, sign: int = 1) -> None:
        super().take(i, time, sign)
        if sign < 0:
            self.ports = {slot: other for slot, other in self.ports.items() if other != i}
        else:
            slots = self.assigned(i, time)
            # None if too few are free: those that are put back for it free theirs.
            self.ports.update(dict.fromkeys(slots or [], i))


def list_schedule(problem: Problem, priority: Sequence[float] | None = None) -> list[int]:
    """Return the schedule that takes, cycle by cycle, the ready instructions, the smallest priority first.

    By default, those come first whose critical path to the end is longest. The iteration of a loop is scheduled as
    if it were the only one.
    """
    priority = priority or [-height for height in problem.heights]
    waiting = [0] * problem.size
    for edges in problem.forward:
        for edge in edges:
            waiting[edge.after] += 1
    earliest = [0] * problem.size
    times = [-1] * problem.size
    ready = [i for i in range(problem.size) if waiting[i] == 0]
    table, time = ReservationTable(problem), 0
    while ready:
        for i in sorted((i for i in ready if earliest[i] <= time), key=lambda i: (priority[i], i)):
            if not table.fits(i, time):
                continue
            table.take(i, time)
            times[i] = time
            ready.remove(i)
            for edge in problem.forward[i]:
                earliest[edge.after] = max(earliest[edge.after], time + edge.latency)
                waiting[edge.after] -= 1
                if waiting[edge.after] == 0:
                    ready.append(edge.after)
        time += 1
    return times


def modulo_list_schedule(
    problem: Problem, interval: int, attempts: int = 8, backward: bool = False
) -> list[int] | None:
    """Return a schedule by Rau's iterative modulo scheduling; None if that does not end.

    Instructions are taken by priority, each in the first free cycle of the interval; where there is none, conflicting
    ones are evicted. Backward, scheduling starts from the end of the iteration, and each is as late as possible.
    """
    edges = problem.edges
    if backward:
        edges = tuple(Edge(edge.after, edge.before, edge.latency, edge.distance) for edge in edges)
    before: list[list[Edge]] = [[] for _ in range(problem.size)]
    after: list[list[Edge]] = [[] for _ in range(problem.size)]
    for edge in edges:
        before[edge.after].append(edge)
        after[edge.before].append(edge)
    heights = [0] * problem.size
    for _ in range(problem.size):
        changed = False
        for edge in edges:
            height = heights[edge.after] + edge.latency - interval * edge.distance
            if height > heights[edge.before]:
                heights[edge.before], changed = height, True
        if not changed:
            break
    table = reservation_table_of(problem, interval)
    sign = -1 if backward else 1
    times: dict[int, int] = {}
    last = [-1] * problem.size
    todo = set(range(problem.size))
    for _ in range(attempts * problem.size):
        if not todo:
            break
        i = max(todo, key=lambda k: (heights[k], -k))
        todo.remove(i)
        start = max(
            [
                0,
                *(
                    times[edge.before] + edge.latency - interval * edge.distance
                    for edge in before[i]
                    if edge.before in times
                ),
            ]
        )
        time = next((time for time in range(start, start + interval) if table.fits(i, sign * time)), None)
        if time is None:
            time = max(start, last[i] + 1)
            slots = {slot for slot, _ in table.slots(i, sign * time)}
            for other in sorted(times, key=lambda k: heights[k]):
                if table.fits(i, sign * time):
                    break
                if slots & {slot for slot, _ in table.slots(other, sign * times[other])}:
                    table.take(other, sign * times.pop(other), -1)
                    todo.add(other)
        table.take(i, sign * time)
        times[i] = last[i] = time
        for edge in after[i]:
            if (
                edge.after in times
                and edge.after != i
                and times[edge.after] < time + edge.latency - interval * edge.distance
            ):
                table.take(edge.after, sign * times.pop(edge.after), -1)
                todo.add(edge.after)
    if todo:
        return None
    end = max(times.values()) if backward else 0
    return [end + sign * times[i] for i in range(problem.size)]


def check(problem: Problem, times: Sequence[int], interval: int | None = None) -> None:
    """Raise ValueError if a schedule breaks a dependence or overfills a resource.

    With an interval, it is the schedule of a loop.
    """
    for edge in problem.edges:
        if interval is None and edge.distance != 0:
            continue
        if times[edge.after] < times[edge.before] + edge.latency - (interval or 0) * edge.distance:
            raise ValueError(f"instruction {edge.after} is issued before the result of {edge.before} is there")
    table = ReservationTable(problem, interval)
    for i, time in enumerate(times):
        if not table.fits(i, time):
            raise ValueError(f"instruction {i} exceeds a resource in cycle {time}")
        table.take(i, time)


def length(problem: Problem, times: Sequence[int]) -> int:
    """Return the cycles from the first issue to the last result."""
    return max(time + cost.latency for time, cost in zip(times, problem.machine.costs, strict=True)) - min(times)
