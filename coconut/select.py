# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Selects instructions for the operations of a graph, with alternatives.

What a lanes file of the library does by intrinsics is done here by rules, one for each operation; where there are two ways
that differ in which ports they take, both are in a table, ALTERNATIVES, and the scheduler tells which is better."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from coconut.graph import Graph, Node
from coconut.instructions import AMD64, S390X, Instruction
from coconut.operations import WORD_MAX, Value
from coconut.program import Architecture, Memory, Op, Program

AVX2 = Architecture("avx2", "x86_64", 16, 32)
AVX512 = Architecture("avx512ifma", "x86_64", 32, 64)
Z14 = Architecture("z14", "s390x", 32, 16, big_endian=True)

# How something may be done, for each thing that may be done in several ways; the first is the plain one.
ALTERNATIVES = {
    "avx2": {"multiplier": ("memory", "register")},
    # A limb across two words by a funnel shift, or by two shifts and a ternary operation that masks, too. Five times a
    # carry by a shift and two additions, or by a multiply-add.
    "avx512ifma": {"multiplier": ("memory", "register"), "cut": ("funnel", "ternary"), "times5": ("shift", "multiply")},
    # Words out of two blocks: reverse the bytes of each, then merge; or both at once, by another permutation.
    "z14": {"expand": ("permute", "merge")},
}


def choices_for(architecture: Architecture) -> Iterator[dict[str, str]]:
    """Every choice of one way for each thing."""
    table = ALTERNATIVES[architecture.name]
    for ways in product(*table.values()):
        yield dict(zip(table, ways, strict=True))


def upper_bounds(graph: Graph) -> list[int]:
    """Of each node, what no lane exceeds: what the code states, and what follows from it."""
    bounds: list[int] = []
    for node in graph.nodes:
        args = [bounds[arg] for arg in node.args]
        bound = WORD_MAX
        if node.op == "splat":
            bound = node.imm[0]
        elif node.op == "and":
            bound = min(args)
        elif node.op == "shr":
            bound = args[0] >> node.imm[0]
        elif node.op == "shl" and args[0] << node.imm[0] <= WORD_MAX:
            bound = args[0] << node.imm[0]
        elif node.op == "add" and sum(args) <= WORD_MAX:
            bound = sum(args)
        bounds.append(min(bound, node.limit))
    return bounds


class Unsupported(Exception):
    """There is no rule for an operation."""


@dataclass
class Selector:
    """What is common to all architectures: instructions so far, and the values that nodes have become."""

    architecture: Architecture
    table: dict[str, Instruction]
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
        self.slots = {i: slot for slot, i in enumerate(i for i in self.graph.inputs() if nodes[i].in_memory)}
        self.bounds = upper_bounds(self.graph)
        self.users = self.graph.users()

    def emit(self, name: str, *args: int, imm: int | None = None, memory: Memory | None = None) -> int:
        """A negative number for now: how many values are kept in registers is not known yet."""
        self.ops.append(Op(self.table[name], args, imm, memory, self.node))
        return -len(self.ops)

    def constant(self, value: Value) -> Memory:
        if value not in self.constants:
            self.constants.append(value)
        return Memory("constants", self.constants.index(value) * self.architecture.vector_bytes)

    def keep(self, value: Value) -> int:
        """A constant that stays in a register through the loop."""
        if value not in self.kept:
            self.kept.append(value)
        return len(self.inputs) + self.kept.index(value)

    def program(self) -> Program:
        """The instructions for all outputs."""
        for i, node in enumerate(self.graph.nodes):
            self.node = i
            if node.op not in {"input", "output", "splat", "sum_zero"}:
                rule = getattr(self, f"select_{node.op}", None)
                if rule is None:
                    raise Unsupported(f"{self.graph.title}: {self.architecture.name} has no rule for {node.op}")
                self.values[i] = rule(node)
        first = len(self.inputs) + len(self.kept)

        def number(value: int) -> int:
            return value if value >= 0 else first - 1 - value

        ops = tuple(Op(op.instruction, tuple(map(number, op.args)), op.imm, op.memory, op.node) for op in self.ops)
        outputs = tuple(
            (self.graph.nodes[i].name, number(self.value(self.graph.nodes[i].args[0]))) for i in self.graph.outputs()
        )
        choices = ", ".join(f"{thing} {way}" for thing, way in self.choices.items())
        return without_unused(
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

    def value(self, i: int) -> int:
        raise NotImplementedError


def without_unused(program: Program) -> Program:
    """Without instructions whose result nothing takes: rules make what an alternative then does without."""
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


class Amd64(Selector):
    """AVX2, and AVX-512 in 512 bits."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wide = self.architecture.vector_bytes == 64

    def is_memory(self, i: int) -> bool:
        """What can be the last operand as it lies there: inputs in memory, a power's number in all lanes."""
        node = self.graph.nodes[i]
        return node.in_memory or node.op == "block"

    def place(self, i: int) -> Memory:
        node = self.graph.nodes[i]
        if node.op == "block":
            lane = self.order.index(node.imm[0])
            return Memory(
                "powers", self.slots[node.args[0]] * self.architecture.vector_bytes + 8 * lane, broadcast=True
            )
        return Memory("powers", self.slots[i] * self.architecture.vector_bytes)

    def load(self, place: Memory) -> int:
        if place not in self.loaded:
            plain = "vmovdqu64" if self.wide else "vmovdqu"
            self.loaded[place] = self.emit("vpbroadcastq" if place.broadcast else plain, memory=place)
        return self.loaded[place]

    def splat(self, number: int) -> int | Memory:
        """There are 16 registers with AVX2, none of them for constants."""
        value = (number,) * self.graph.lanes
        return self.keep(value) if self.wide else self.constant(value)

    def operand(self, i: int, last: bool) -> int | Memory:
        """A value, or, for the last operand, memory."""
        node = self.graph.nodes[i]
        if node.op == "splat":
            place = self.splat(node.imm[0])
            return place if last or isinstance(place, int) else self.load(place)
        if self.is_memory(i):
            place = self.place(i)
            # Only AVX-512 broadcasts within an instruction.
            if last and self.choices["multiplier"] == "memory" and (self.wide or not place.broadcast):
                return place
            return self.load(place)
        return self.values[i]

    def value(self, i: int) -> int:
        operand = self.operand(i, last=False)
        assert isinstance(operand, int)
        return operand

    def binary(self, name: str, node: Node, commutes: bool = True) -> int:
        a, b = node.args
        if commutes and (self.is_memory(a) or self.graph.nodes[a].op == "splat"):
            a, b = b, a
        last = self.operand(b, last=True)
        if isinstance(last, Memory):
            return self.emit(name, self.value(a), memory=last)
        return self.emit(name, self.value(a), last)

    def times5_of(self, i: int) -> int | None:
        """x, if node i is 5 x as the field writes it, x + (x << 2)."""
        node = self.graph.nodes[i]
        if node.op != "add":
            return None
        for x, shifted in (node.args, node.args[::-1]):
            other = self.graph.nodes[shifted]
            if other.op == "shl" and other.imm == (2,) and other.args == (x,):
                return x
        return None

    def select_add(self, node: Node) -> int:
        if self.choices.get("times5") == "multiply":
            for base, i in (node.args, node.args[::-1]):
                x = self.times5_of(i)
                if x is not None and 5 * self.bounds[x] < 1 << 52 and self.users[base] == [self.node]:
                    return self.emit("vpmadd52luq", self.value(base), self.value(x), self.keep((5,) * self.graph.lanes))
        return self.binary("vpaddq", node)

    def select_sub(self, node: Node) -> int:
        return self.binary("vpsubq", node, commutes=False)

    def select_and(self, node: Node) -> int:
        for a, mask in (node.args, node.args[::-1]):
            pair, constant = self.graph.nodes[a], self.graph.nodes[mask]
            if self.choices.get("cut") == "ternary" and pair.op == "shr44_pair" and constant.op == "splat":
                lo, hi = (self.value(arg) for arg in pair.args)
                # (low | high) & mask: a is low, b is high, c the mask; the bits where it is 1.
                return self.emit(
                    "vpternlogq",
                    self.emit("vpsrlq", lo, imm=44),
                    self.emit("vpsllq", hi, imm=20),
                    self.value(mask),
                    imm=0b10101000,
                )
        return self.binary("vpandq" if self.wide else "vpand", node)

    def select_or(self, node: Node) -> int:
        return self.binary("vporq" if self.wide else "vpor", node)

    def select_shl(self, node: Node) -> int:
        return self.emit("vpsllq", self.value(node.args[0]), imm=node.imm[0])

    def select_shr(self, node: Node) -> int:
        return self.emit("vpsrlq", self.value(node.args[0]), imm=node.imm[0])

    def select_high32(self, node: Node) -> int:
        return self.emit("vpsrlq", self.value(node.args[0]), imm=32)

    def select_low32(self, node: Node) -> int:
        """vpmuludq takes the low halves by itself."""
        if any(self.graph.nodes[user].op != "mul32" for user in self.users[self.node]):
            raise Unsupported("low32 for something else than a product")
        return self.value(node.args[0])

    def select_shr44_pair(self, node: Node) -> int:
        return self.emit("vpshrdq", *map(self.value, node.args), imm=44)

    def select_mul32(self, node: Node) -> int:
        return self.binary("vpmuludq", node)

    def multiply_add(self, name: str, node: Node) -> int:
        total, a, b = node.args
        if self.is_memory(a):
            a, b = b, a
        # The sum is replaced: a constant must be another each time.
        if self.graph.nodes[total].op != "splat":
            sum_value = self.value(total)
        elif self.graph.nodes[total].imm == (0,):
            sum_value = self.emit("vpxorq")
        else:
            sum_value = self.emit("vmovdqu64", memory=self.constant(self.graph.nodes[total].imm * self.graph.lanes))
        last = self.operand(b, last=True)
        if isinstance(last, Memory):
            return self.emit(name, sum_value, self.value(a), memory=last)
        return self.emit(name, sum_value, self.value(a), last)

    def select_madd52lo(self, node: Node) -> int:
        return self.multiply_add("vpmadd52luq", node)

    def select_madd52hi(self, node: Node) -> int:
        return self.multiply_add("vpmadd52huq", node)

    def select_block(self, node: Node) -> int:
        """By what takes it."""
        return 0

    def unpacked(self, name: str, node: Node) -> int:
        """As lanes/avx2.h and lanes/avx512f.h draw it."""
        half = self.architecture.vector_bytes
        first, second = (self.load(Memory("message", node.imm[0] + offset)) for offset in (0, half))
        return self.emit(name, first, second)

    def select_load_lo(self, node: Node) -> int:
        return self.unpacked("vpunpcklqdq", node)

    def select_load_hi(self, node: Node) -> int:
        return self.unpacked("vpunpckhqdq", node)


class Z14Selector(Selector):
    """VMSL, with constants in registers, of which there are 32."""

    def value(self, i: int) -> int:
        node = self.graph.nodes[i]
        if node.op in {"splat", "sum_zero"}:
            return self.keep(node.imm * 2)
        if node.in_memory:
            return self.load(Memory("powers", self.slots[i] * 16))
        return self.values[i]

    def load(self, place: Memory) -> int:
        if place not in self.loaded:
            self.loaded[place] = self.emit("vl", memory=place)
        return self.loaded[place]

    def binary(self, name: str, node: Node) -> int:
        return self.emit(name, *map(self.value, node.args))

    def select_add(self, node: Node) -> int:
        return self.binary("vag", node)

    def select_and(self, node: Node) -> int:
        return self.binary("vn", node)

    def select_or(self, node: Node) -> int:
        return self.binary("vo", node)

    def select_shl(self, node: Node) -> int:
        return self.emit("veslg", self.value(node.args[0]), imm=node.imm[0])

    def select_shr(self, node: Node) -> int:
        return self.emit("vesrlg", self.value(node.args[0]), imm=node.imm[0])

    def select_alone(self, node: Node) -> int:
        zero = self.keep((0, 0))
        return self.emit("vmrhg" if node.imm == (0,) else "vmrlg", self.value(node.args[0]), zero)

    def select_sum_mul_add(self, node: Node) -> int:
        total, a, b = map(self.value, node.args)
        return self.emit("vmslg", a, b, total, imm=0)

    def select_sums_low(self, node: Node) -> int:
        return self.binary("vmrlg", node)

    def select_sums_high(self, node: Node) -> int:
        return self.binary("vmrhg", node)

    def blocks(self, node: Node) -> tuple[int, int]:
        first, stride = node.imm
        return self.load(Memory("message", first)), self.load(Memory("message", first + stride))

    def select_load(self, node: Node, high: bool) -> int:
        """The bytes of the words, reversed."""
        a, b = self.blocks(node)
        if self.choices["expand"] == "permute":
            start = 15 if high else 7
            indices = [*range(start, start - 8, -1), *range(start + 16, start + 8, -1)]
            return self.emit("vperm", a, b, self.keep(pair_of_bytes(indices)))
        mask = self.keep(pair_of_bytes([*range(7, -1, -1), *range(15, 7, -1)]))
        return self.emit("vmrlg" if high else "vmrhg", *(self.reverse(block, mask) for block in (a, b)))

    def reverse(self, block: int, mask: int) -> int:
        """Once for each block."""
        place = Memory("reversed", block)
        if place not in self.loaded:
            self.loaded[place] = self.emit("vperm", block, block, mask)
        return self.loaded[place]

    def select_load_lo(self, node: Node) -> int:
        return self.select_load(node, high=False)

    def select_load_hi(self, node: Node) -> int:
        return self.select_load(node, high=True)


def pair_of_bytes(indices: list[int]) -> Value:
    return int.from_bytes(bytes(indices[:8]), "big"), int.from_bytes(bytes(indices[8:]), "big")


def select(architecture: Architecture, graph: Graph, choices: dict[str, str] | None = None) -> Program:
    """The plain way where no choices are given."""
    choices = choices or next(choices_for(architecture))
    graph = graph.simplified()
    if architecture is Z14:
        return Z14Selector(architecture, S390X, graph, (0, 1), choices).program()
    half = graph.lanes // 2
    order = tuple(i // 2 + i % 2 * half for i in range(graph.lanes))
    return Amd64(architecture, AMD64, graph, order, choices).program()


def alternatives(architecture: Architecture, graph: Graph) -> list[Program]:
    """The graph in all ways that differ."""
    programs: dict[tuple[Op, ...], Program] = {}
    for choices in choices_for(architecture):
        program = select(architecture, graph, choices)
        programs.setdefault(program.ops, program)
    return list(programs.values())
