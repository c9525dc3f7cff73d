# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define the scheduling problem, its bounds, and list scheduling.

A schedule gives each instruction the cycle in which it is issued. Results are available after a latency; ports and
dispatch have limited room in each cycle; in a loop, each iteration begins a fixed number of cycles after the one
before, the initiation interval, and shares the ports with the iterations around it (modulo scheduling).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from coconut.instructions import Instruction, Op
from coconut.machine import Machine, machine_for
from coconut.program import Program


@dataclass(frozen=True)
class Edge:
    """Instruction `after` is issued at least `latency` cycles after `before`, of `distance` iterations earlier."""

    before: int
    after: int
    latency: int
    distance: int


@dataclass(frozen=True)
class Resource:
    """Room in each cycle, and the demands of instructions: how much of it for how many cycles.

    An instruction may have several demands at once.
    """

    name: str
    room: int
    demands: tuple[tuple[int, int, int], ...]  # instruction, room, cycles

    @cached_property
    def total(self) -> int:
        return sum(room * cycles for _, room, cycles in self.demands)


@dataclass(frozen=True)
class Problem:
    """A program to be scheduled on a machine.

    gives_ports: micro-operations that stay on a port for several cycles are assigned one.
    """

    program: Program
    machine: Machine
    edges: tuple[Edge, ...]
    resources: tuple[Resource, ...]
    gives_ports: bool = True

    @property
    def size(self) -> int:
        return len(self.program.ops)

    @cached_property
    def holds_ports(self) -> bool:
        """Return whether micro-operations stay on a port for several cycles, and groups of ports overlap.

        Then there may be room in each cycle, and yet no port.
        """
        parts = [part for cost in self.machine.costs for part in cost.parts]
        overlap = any(a != b and a & b for a, b in combinations({part.ports for part in parts}, 2))
        return overlap and any(part.cycles > 1 for part in parts)

    @cached_property
    def forward(self) -> list[list[Edge]]:
        """Return, for each instruction, the edges within an iteration to those that wait for it."""
        result: list[list[Edge]] = [[] for _ in range(self.size)]
        for edge in self.edges:
            if edge.distance == 0:
                result[edge.before].append(edge)
        return result

    @cached_property
    def heights(self) -> list[int]:
        """Return, for each instruction, the cycles from its issue to the end of the iteration."""
        heights = [cost.latency for cost in self.machine.costs]
        for i in reversed(range(self.size)):
            for edge in self.forward[i]:
                heights[i] = max(heights[i], edge.latency + heights[edge.after])
        return heights

    @property
    def resource_bound(self) -> int:
        return max(-(-resource.total // resource.room) for resource in self.resources)

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


def latency(machine: Machine, ops: Sequence[Op], before: int, after: int, operand: int) -> int:
    def same(a: Instruction, b: Instruction) -> bool:
        return a.name == b.name

    forwards = same(ops[before].instruction, ops[after].instruction)
    return (
        machine.costs[after].forwarded[operand]
        if forwards and ops[after].memory is None
        else machine.costs[before].latency
    )


def edges_of(program: Program, machine: Machine) -> tuple[Edge, ...]:
    edges = []
    first = program.first_op
    carried = program.carried()
    for after, op in enumerate(program.ops):
        for operand, arg in enumerate(op.args):
            distance = 0
            while arg in carried and arg < first:
                arg, distance = carried[arg], distance + 1
                if distance > len(carried):
                    break
            if arg >= first:
                wait = latency(machine, program.ops, arg - first, after, operand)
                edges.append(Edge(arg - first, after, wait, distance))
    return tuple(edges)


def resources_of(program: Program, machine: Machine) -> tuple[Resource, ...]:
    """Return a resource for each union of overlapping groups of ports, with all that can go to its ports only.

    By Hall's theorem, instructions that take a port for a cycle each find one exactly if none of these unions is
    overfull. Those that stay on a port for longer find none if one is; that they do find one is checked where ports are
    assigned.
    """
    groups = {use.ports for cost in machine.costs for use in cost.uses}
    unions = set(groups)
    while more := {a | b for a, b in combinations(unions, 2) if a & b} - unions:
        unions |= more
    resources = [
        Resource(
            "dispatch", machine.dispatch_width, tuple((i, cost.micro_ops, 1) for i, cost in enumerate(machine.costs))
        )
    ]
    for union in sorted(unions, key=lambda ports: (len(ports), sorted(ports))):
        entries = []
        for i, cost in enumerate(machine.costs):
            # A micro-operation stays on its port.
            lengths = Counter(part.cycles for part in cost.parts if part.ports <= union)
            entries += [(i, room, cycles) for cycles, room in sorted(lengths.items())]
        resources.append(Resource("+".join(sorted(union)), len(union), tuple(entries)))
    return tuple(resource for resource in resources if resource.demands)


def problem_of(program: Program, cpu: str) -> Problem:
    machine = machine_for(program, cpu)
    return Problem(program, machine, edges_of(program, machine), resources_of(program, machine))


class Room:
    """The remaining resources in each cycle, or in each cycle of the interval, if there is one."""

    def __init__(self, problem: Problem, interval: int | None = None) -> None:
        self.interval = interval
        self.demands: list[list[tuple[int, int, int]]] = [[] for _ in range(problem.size)]
        self.rooms = [resource.room for resource in problem.resources]
        for number, resource in enumerate(problem.resources):
            for i, room, cycles in resource.demands:
                self.demands[i].append((number, room, cycles))
        self.taken: dict[tuple[int, int], int] = defaultdict(int)

    @staticmethod
    def of(problem: Problem, interval: int | None) -> "Room":
        return PortRoom(problem, interval) if problem.holds_ports and problem.gives_ports else Room(problem, interval)

    def slots(self, i: int, time: int) -> Iterable[tuple[tuple[int, int], int]]:
        """Return what an instruction takes of each resource in each cycle, in total."""
        together: dict[tuple[int, int], int] = defaultdict(int)
        for number, room, cycles in self.demands[i]:
            for k in range(cycles):
                together[number, (time + k) % self.interval if self.interval else time + k] += room
        return together.items()

    def fits(self, i: int, time: int) -> bool:
        return all(self.taken[slot] + room <= self.rooms[slot[0]] for slot, room in self.slots(i, time))

    def take(self, i: int, time: int, sign: int = 1) -> None:
        for slot, room in self.slots(i, time):
            self.taken[slot] += sign * room


class PortRoom(Room):
    """Room with a port for each micro-operation: of the free ones, that which the fewest others need."""

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
    """Return the schedule that takes, cycle by cycle, the most urgent instructions that are ready.

    By default, those are most urgent from which the path to the end is longest. The iteration of a loop is scheduled as
    if it were the only one.
    """
    urgency = priority or [-height for height in problem.heights]
    waiting = [0] * problem.size
    for edges in problem.forward:
        for edge in edges:
            waiting[edge.after] += 1
    earliest = [0] * problem.size
    times = [-1] * problem.size
    ready = [i for i in range(problem.size) if waiting[i] == 0]
    room, time = Room(problem), 0
    while ready:
        for i in sorted((i for i in ready if earliest[i] <= time), key=lambda i: (urgency[i], i)):
            if not room.fits(i, time):
                continue
            room.take(i, time)
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

    Instructions are taken by urgency, each in the first cycle of the interval with room; where there is none, those in
    the way are put back. Backward, scheduling starts from the end of the iteration, and each is as late as there is
    room.
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
    room = Room.of(problem, interval)
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
        time = next((time for time in range(start, start + interval) if room.fits(i, sign * time)), None)
        if time is None:
            time = max(start, last[i] + 1)
            slots = {slot for slot, _ in room.slots(i, sign * time)}
            for other in sorted(times, key=lambda k: heights[k]):
                if room.fits(i, sign * time):
                    break
                if slots & {slot for slot, _ in room.slots(other, sign * times[other])}:
                    room.take(other, sign * times.pop(other), -1)
                    todo.add(other)
        room.take(i, sign * time)
        times[i] = last[i] = time
        for edge in after[i]:
            if (
                edge.after in times
                and edge.after != i
                and times[edge.after] < time + edge.latency - interval * edge.distance
            ):
                room.take(edge.after, sign * times.pop(edge.after), -1)
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
    room = Room(problem, interval)
    for i, time in enumerate(times):
        if not room.fits(i, time):
            raise ValueError(f"instruction {i} has no room in cycle {time}")
        room.take(i, time)


def length(problem: Problem, times: Sequence[int]) -> int:
    """Return the cycles from the first issue to the last result."""
    return max(time + cost.latency for time, cost in zip(times, problem.machine.costs, strict=True)) - min(times)
