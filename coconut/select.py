# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Select instructions for the operations of a graph, with alternatives.

Rules, one for each operation, do what the library's lanes files do with intrinsics. Where two variants differ in the
ports that they take, both are in the architecture's table of alternatives, and the scheduler tells which is better.
This file has what all architectures share; their rules are in architectures/.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar

from coconut.architecture import Architecture
from coconut.bounds import upper_bounds
from coconut.graph import Graph, Node
from coconut.instructions import Memory, Op
from coconut.operations import Value
from coconut.program import Program, memory_inputs


def choices_for(architecture: Architecture) -> Iterator[dict[str, str]]:
    """Yield every combination of one variant for each thing."""
    table = architecture.alternatives or {}
    for variants in product(*table.values()):
        yield dict(zip(table, variants, strict=True))


class Unsupported(Exception):
    """Raised if there is no rule for an operation."""


@dataclass
class Selector:
    """Hold what all architectures share: the instructions so far, and the values that nodes have become.

    simple has the instructions of operations that have no other rule.
    """

    simple: ClassVar[dict[str, str]] = {}
    architecture: Architecture
    graph: Graph
    order: tuple[int, ...]
    choices: dict[str, str]
    inputs: list[str] = field(default_factory=list)
    kept: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    constants: list[Value] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    loaded: dict[Memory, int] = field(default_factory=dict)
    node: int = -1

    def __post_init__(self) -> None:
        nodes = self.graph.nodes
        self.inputs = [nodes[i].name for i in self.graph.inputs() if not nodes[i].in_memory]
        self.values = {i: self.inputs.index(nodes[i].name) for i in self.graph.inputs() if not nodes[i].in_memory}
        places = memory_inputs(self.graph, self.architecture.vector_bytes)
        self.places = {i: Memory("powers", place, self.graph.is_word(i)) for i, place in places.items()}
        self.bounds = upper_bounds(self.graph)
        self.users = self.graph.users()

    def emit(self, name: str, *args: int, imm: int | None = None, memory: Memory | None = None) -> int:
        """Append an instruction, and return the number of its result.

        It is negative for now: how many values are kept in registers is not known yet.
        """
        if name not in self.architecture.instructions:
            raise Unsupported(f"{self.architecture.name} has no {name}")
        self.ops.append(Op(self.architecture.instructions[name], args, imm, memory, self.node))
        return -len(self.ops)

    def check_bits(self, i: int, bits: int) -> None:
        """Raise ValueError if an instruction that takes only `bits` bits would cut a value."""
        if self.bounds[i] >> bits:
            raise ValueError(f"{self.graph.title}: {self.graph.label(i)} may exceed {bits} bits")

    def constant(self, value: Value) -> Memory:
        if value not in self.constants:
            self.constants.append(value)
        return Memory("constants", self.constants.index(value) * self.architecture.vector_bytes)

    def keep(self, value: Value) -> int:
        """Return a constant that stays in a register throughout the loop."""
        if value not in self.kept:
            self.kept.append(value)
        return len(self.inputs) + self.kept.index(value)

    def program(self) -> Program:
        """Return the instructions for all outputs."""
        for i, node in enumerate(self.graph.nodes):
            self.node = i
            if node.stored_at is not None:
                self.values[i] = self.store(node.args[0], node.stored_at)
            elif node.op not in {"input", "output", "splat", "sum_zero", "sum_of", "only_block"}:
                rule = getattr(self, f"select_{node.op}", self.select_simple if node.op in self.simple else None)
                if rule is None:
                    raise Unsupported(f"{self.graph.title}: {self.architecture.name} has no rule for {node.op}")
                self.values[i] = rule(node)
        # Before the rest: an output may have to be loaded.
        going_out = tuple(
            (
                self.graph.nodes[i].name,
                self.values[i] if i in self.values else self.value(self.graph.nodes[i].args[0]),
            )
            for i in self.graph.outputs()
        )
        first = len(self.inputs) + len(self.kept)

        def number(value: int) -> int:
            return value if value >= 0 else first - 1 - value

        ops = tuple(Op(op.instruction, tuple(map(number, op.args)), op.imm, op.memory, op.node) for op in self.ops)
        outputs = tuple((name, number(value)) for name, value in going_out)
        choices = ", ".join(f"{thing} {variant}" for thing, variant in self.choices.items())
        return without_dead_code(
            Program(
                self.architecture,
                self.graph,
                self.order,
                tuple(self.inputs),
                tuple(self.kept),
                ops,
                outputs,
                tuple(self.constants),
                choices,
            )
        )

    def load(self, place: Memory, name: str = "") -> int:
        """Return the value at a place, which is loaded only once."""
        if place not in self.loaded:
            self.loaded[place] = self.emit(name or self.architecture.load, memory=place)
        return self.loaded[place]

    def value(self, i: int) -> int:
        """Return the value of a node."""
        raise NotImplementedError

    def select_simple(self, node: Node) -> int:
        """Return the result of an operation that one instruction does."""
        return self.emit(self.simple[node.op], *map(self.value, node.args), imm=node.imm[0] if node.imm else None)

    def store(self, i: int, offset: int) -> int:
        """Return the number of the instruction that writes a value."""
        raise NotImplementedError


def without_dead_code(program: Program) -> Program:
    """Return the program after dead code elimination.

    Rules make some that an alternative then does not need.
    """
    first = program.first_op
    needed = {value for _, value in program.outputs}
    for i in reversed(range(len(program.ops))):
        if first + i in needed:
            needed.update(program.ops[i].args)
    kept = [i for i in range(len(program.ops)) if first + i in needed]
    place = {first + old: first + new for new, old in enumerate(kept)}
    ops = tuple(
        Op(op.instruction, tuple(place.get(arg, arg) for arg in op.args), op.imm, op.memory, op.node)
        for op in (program.ops[i] for i in kept)
    )
    return Program(
        program.architecture,
        program.graph,
        program.order,
        program.inputs,
        program.kept,
        ops,
        tuple((name, place.get(value, value)) for name, value in program.outputs),
        program.constants,
        program.choices,
    )


def select(architecture: Architecture, graph: Graph, choices: dict[str, str] | None = None) -> Program:
    """Return the program for a graph; without choices, in the plain variant."""
    choices = choices or next(choices_for(architecture))
    graph = graph.simplified()
    if graph.advance == 0 and not architecture.chains:
        graph = graph.loading()
    selector: Selector = architecture.selector(architecture, graph, architecture.order(graph.lanes), choices)
    return selector.program()


def supported(architecture: Architecture, graph: Graph) -> list[Program]:
    """Return the programs for a graph in all variants; none if the architecture lacks an operation.

    Only steps must be supported: Unsupported is raised for them.
    """
    try:
        return alternatives(architecture, graph)
    except Unsupported:
        if graph.name.startswith("step"):
            raise
        return []


def alternatives(architecture: Architecture, graph: Graph) -> list[Program]:
    """Return the programs for a graph in all variants that differ."""
    programs: dict[tuple[Op, ...], Program] = {}
    for choices in choices_for(architecture):
        program = select(architecture, graph, choices)
        programs.setdefault(program.ops, program)
    return list(programs.values())
