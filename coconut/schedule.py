# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define the scheduling problem.

A schedule gives each instruction the cycle in which it is issued. Results are available after a latency; ports and
dispatch have a limited capacity in each cycle.
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
    """A resource with a capacity in each cycle, and the demands of instructions: how many units for how many cycles.

    An instruction may have several demands at once.
    """

    name: str
    capacity: int
    demands: tuple[tuple[int, int, int], ...]  # instruction, units, cycles

    @cached_property
    def total(self) -> int:
        return sum(units * cycles for _, units, cycles in self.demands)


@dataclass(frozen=True)
class Problem:
    """A program to be scheduled on a machine."""

    program: Program
    machine: Machine
    edges: tuple[Edge, ...]
    resources: tuple[Resource, ...]

    @property
    def size(self) -> int:
        return len(self.program.ops)

    @cached_property
    def forward(self) -> list[list[Edge]]:
        """Return, for each instruction, its edges within an iteration."""
        result: list[list[Edge]] = [[] for _ in range(self.size)]
        for edge in self.edges:
            if edge.distance == 0:
                result[edge.before].append(edge)
        return result

    @cached_property
    def heights(self) -> list[int]:
        """Return, for each instruction, the length of the critical path from its issue to the end of the iteration."""
        heights = [cost.latency for cost in self.machine.costs]
        for i in reversed(range(self.size)):
            for edge in self.forward[i]:
                heights[i] = max(heights[i], edge.latency + heights[edge.after])
        return heights


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
            entries += [(i, units, cycles) for cycles, units in sorted(lengths.items())]
        resources.append(Resource("+".join(sorted(union)), len(union), tuple(entries)))
    return tuple(resource for resource in resources if resource.demands)


def problem_of(program: Program, cpu: str) -> Problem:
    machine = machine_for(program, cpu)
    return Problem(program, machine, edges_of(program, machine), resources_of(program, machine))


class ReservationTable:
    """The units of each resource that are reserved in each cycle; modulo the interval, if there is one."""

    def __init__(self, problem: Problem, interval: int | None = None) -> None:
        self.interval = interval
        self.demands: list[list[tuple[int, int, int]]] = [[] for _ in range(problem.size)]
        self.capacities = [resource.capacity for resource in problem.resources]
        for number, resource in enumerate(problem.resources):
            for i, units, cycles in resource.demands:
                self.demands[i].append((number, units, cycles))
        self.taken: dict[tuple[int, int], int] = defaultdict(int)

    def slots(self, i: int, time: int) -> Iterable[tuple[tuple[int, int], int]]:
        """Return what an instruction takes of each resource in each cycle, in total."""
        together: dict[tuple[int, int], int] = defaultdict(int)
        for number, units, cycles in self.demands[i]:
            for k in range(cycles):
                together[number, (time + k) % self.interval if self.interval else time + k] += units
        return together.items()

    def fits(self, i: int, time: int) -> bool:
        return all(self.taken[slot] + units <= self.capacities[slot[0]] for slot, units in self.slots(i, time))

    def take(self, i: int, time: int, sign: int = 1) -> None:
        for slot, units in self.slots(i, time):
            self.taken[slot] += sign * units
