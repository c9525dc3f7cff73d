# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove Poly1305's functions as they stand in the Go module, as wholes.

interpret.py reads a function from the committed file, and executes it symbolically. A loop is proved by induction. At
its head, the accumulator is in registers: it is replaced by any element within its limits (havoc), and whatever else an
iteration overwrites is removed. From that state an iteration must leave the accumulator where it was, with the value
that is claimed, the message's pointer behind what it takes, the counter one less, and everything else as it was. What
follows the loop runs from such a state, and also from the state before the loop where that can be skipped. The counter
can only be counted down and compared with 0, so that its value does not matter.

Of the message there are just as many bytes as the arguments say: an iteration can read those that it takes, and what
follows a loop those that are left on its path. Nothing is written but what interpret.py lets a function write.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product as combinations
from typing import NamedTuple

from coconut.architecture import Architecture
from coconut.architectures import ARCHITECTURES, SCALAR, SCALAR_NAME
from coconut.architectures.scalar_amd64 import AMD64
from coconut.functions import program_of
from coconut.go_module import POLY1305, POLY1305_LOOPS, POLY1305_VARIANTS
from coconut.interpret import Call, Code, Machine, Output, Pointer, forked, read_function, store
from coconut.operations import BLOCK_BYTES
from coconut.program import Program, to_lanes
from coconut.prove.claims import H_WORDS, ONE, Encoding, horner, horner_of_pairs, kind_of, product, total
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Lanes, Message, Number, Poly, Ring, Unproved, add
from coconut.prove.programs import SymbolicMemory, from_lanes
from coconut.prove.proof import Proved, proved
from coconut.select import select
from coconut.trace import ROOT

GO = ROOT / "bindings" / "go" / "internal" / "poly1305"

ASSUMED = (
    "Registers and memory do what the tables of instructions and controls say, which are tested on CPUs.",
    "Message, state, powers, constants and frame do not overlap, and have the lengths that the arguments say.",
    "Go's assembler encodes controls as it lists them; all else is compared with it in go_files.py.",
)


class Counter(int):
    """A number of iterations that is left. It can be counted down and compared with 0, and nothing else."""

    def __sub__(self, other: int) -> "Counter":
        return self + -other

    def __add__(self, other: int) -> "Counter":
        if other != -1:
            raise Unproved("a counter that does not count down by 1")
        return Counter(int(self) - 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counter) and other != 0:
            raise Unproved("a counter that is compared with another number than 0")
        return int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return int.__hash__(self)

    def refuse(self, *_: object) -> "Counter":
        raise Unproved("a counter is used as a number")

    __radd__ = __add__
    __rsub__ = __mul__ = __rmul__ = __and__ = __or__ = __lshift__ = __rshift__ = refuse


# A place that holds values: the name of a dictionary of a machine, and the key.
Place = tuple[str, object]


def places(machine: Machine) -> dict[Place, object]:
    """Return all that a machine holds."""
    return {
        (name, key): value
        for name in ("storage", "arguments", "general", "registers", "implicit")
        for key, value in getattr(machine, name).items()
    }


def same(a: object, b: object) -> bool:
    """Return whether two values are equal for all inputs."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Number) and isinstance(b, Number):
        return a is b or a.ring is b.ring and a.ring.are_same(a, b)
    if isinstance(a, Number) or isinstance(b, Number):
        return False
    return type(a) is type(b) and a == b


# The accumulator: the value in each lane.
Values = list[Poly]
# The blocks that something takes, by their numbers.
Blocks = Callable[[int], Poly]


@dataclass(frozen=True)
class Loop:
    """A loop of a function.

    - count: the argument that has the number of iterations.
    - leaves: the values after an iteration, from the blocks that it takes and the values before it.
    - advance: the bytes of the message that an iteration takes.
    - first: the number that leaves no iteration, if the loop can be skipped.
    - base: what is read: the message, or another argument.
    """

    label: str
    count: str
    leaves: Callable[[Blocks, Values], Values]
    advance: int = BLOCK_BYTES
    first: int | None = 0
    base: str = "message"


@dataclass
class SymbolicCall:
    """A symbolic call: the call where it has stopped, and what its accumulator is.

    - limbs, values: those of the accumulator.
    - at: for each base, how many bytes of the bytes that memory has now were taken.
    """

    call: Call
    limbs: dict[str, Lanes]
    values: Values
    at: dict[str, int]

    def blocks(self, base: str = "message", top: bool = True) -> Blocks:
        storage, start = self.call.machine.storage, self.at[base]
        assert isinstance(storage, SymbolicMemory)
        message = storage.messages[base]
        return lambda i: message.block(start + BLOCK_BYTES * i, top)


@dataclass
class FunctionProof:
    """The proof of a function with loops that change an accumulator t.

    - program: a program that has t in registers as the function has it.
    - encoding: that of t, with its limits.
    - after: how many bytes of each base are taken after all loops.
    """

    code: Code
    ring: Ring
    program: Program
    encoding: Encoding
    loops: Sequence[Loop]
    after: Mapping[str, int] = field(default_factory=dict)

    @property
    def big_endian(self) -> bool:
        return self.program.architecture.big_endian

    def memory(self, *bases: str) -> SymbolicMemory:
        """Return memory that holds nothing but symbolic bytes at these bases."""
        architecture = self.program.architecture
        messages = {base: Message(self.ring, self.big_endian) for base in bases}
        return SymbolicMemory(messages, architecture.byte_order)

    def anything(self) -> Number:
        return self.ring.input("anything", (1 << 8 * self.program.architecture.word_bytes) - 1)

    def call(self, arguments: dict[str, Pointer | int], storage: SymbolicMemory, outputs: dict[str, Output]) -> Call:
        """Return a call whose registers and frame hold anything at first."""
        call = self.code.call(dict(arguments), storage, self.anything, outputs)
        # Between the places where it is stopped, a call runs no line twice.
        return replace(call, steps=len(self.code.lines))

    def bound(self, symbolic: SymbolicCall, left: Sequence[Loop]) -> None:
        """Let a call read what is left of each base, if each of these loops has one iteration, and there are no others."""
        storage = symbolic.call.machine.storage
        assert isinstance(storage, SymbolicMemory)
        lengths = {base: symbolic.at.get(base, 0) + self.after.get(base, 0) for base in storage.messages}
        for loop in left:
            lengths[loop.base] += loop.advance
        storage.lengths = lengths

    def any_element(self) -> tuple[dict[str, Lanes], Values]:
        """Return any accumulator within the limits, and its values."""
        lanes = range(self.program.graph.lanes)
        elements = [self.encoding.assume(self.ring, f"any t.{lane}", None) for lane in lanes]
        limbs = {f"t[{i}]": tuple(numbers[i] for numbers, _ in elements) for i in range(self.encoding.count)}
        return limbs, [value for _, value in elements]

    def where(self, symbolic: SymbolicCall) -> dict[str, int]:
        """Return the register of each limb of the accumulator."""
        found = {}
        for name, lanes in symbolic.limbs.items():
            held = to_lanes(self.program, name, lanes)
            for number, value in symbolic.call.machine.registers.items():
                if same(value[: len(held)], held):
                    found[name] = number
        if found.keys() != symbolic.limbs.keys():
            raise Unproved(f"at the head of a loop, {symbolic.limbs.keys() - found.keys()} is in no register")
        return found

    def place(self, call: Call, where: dict[str, int], limbs: dict[str, Lanes]) -> None:
        for name, number in where.items():
            call.machine.registers[number] = to_lanes(self.program, name, limbs[name])

    def require(self, call: Call, where: dict[str, int], values: Values) -> None:
        """Raise Unproved unless these registers hold an accumulator with these values."""
        held = {}
        for name, number in where.items():
            held[name] = from_lanes(self.program, name, call.machine.registers[number])
        for lane, value in enumerate(values):
            limbs = [held[f"t[{i}]"][lane] for i in range(self.encoding.count)]
            self.encoding.require(self.ring, f"t.{lane}", limbs, value)

    def from_here(self, call: Call, base: str, at: int) -> None:
        """Make new bytes of what follows the first `at` of a base, and let its pointer point to the first of them."""
        storage, general = call.machine.storage, call.machine.general
        assert isinstance(storage, SymbolicMemory)
        names = [name for name, value in general.items() if isinstance(value, Pointer) and value.base == base]
        if [general[name] for name in names] != [Pointer(base, at)]:
            raise Unproved(f"not one register points to byte {at} of {base}")
        storage.messages = storage.messages | {base: Message(self.ring, self.big_endian)}
        general[names[0]] = Pointer(base)

    def changed(self, before: Call, after: Call, loop: Loop) -> set[Place]:
        """Return what an iteration changes, except the counter and the pointer, which change as they must."""
        found, left = set(), places(after.machine)
        for place, value in places(before.machine).items():
            now = left.get(place)
            if isinstance(value, Counter) and place[0] == "general":
                value = value - 1
            elif isinstance(value, Pointer) and value.base == loop.base and place[0] == "general":
                value = replace(value, offset=value.offset + loop.advance)
            if not same(now, value):
                found.add(place)
        return found

    def iterate(self, call: Call, loop: Loop, more: bool) -> Call:
        """Return a call after an iteration, which must go on, or must not."""
        after = forked(call)
        jumps = [i for i, line in enumerate(self.code.lines) if loop.label in line.operands]
        if len(jumps) != 1:
            raise Unproved(f"{loop.label} is not the target of one jump")
        end = jumps[0] + 1
        stopped = after.run_to_line({call.at, end})
        if not stopped or after.at != (call.at if more else end):
            raise Unproved(f"{loop.label}: the counter does not count the iterations")
        return after

    def prove_loop(self, symbolic: SymbolicCall, loop: Loop) -> SymbolicCall:
        """Prove a loop at whose head a call is, with two iterations left; return how it leaves it."""
        where = self.where(symbolic)
        self.require(symbolic.call, where, symbolic.values)
        limbs, before = self.any_element()
        head = forked(symbolic.call)
        head.machine.result = None
        self.from_here(head, loop.base, symbolic.at[loop.base])
        assert isinstance(head.machine.storage, SymbolicMemory)
        head.machine.storage.lengths = {**head.machine.storage.lengths, loop.base: loop.advance}
        self.place(head, where, limbs)
        kept = {("registers", number) for number in where.values()}
        overwritten = self.changed(head, self.iterate(head, loop, more=True), loop) - kept
        for name, key in overwritten:
            del getattr(head.machine, name)[key]
        after = self.iterate(head, loop, more=True)
        if changed := self.changed(head, after, loop) - kept:
            raise Unproved(f"{loop.label}: an iteration changes {sorted(map(str, changed))}")
        at_start = symbolic.at | {loop.base: 0}
        values = loop.leaves(SymbolicCall(head, limbs, before, at_start).blocks(loop.base), before)
        self.require(after, where, values)
        # With one iteration left, it does the same and ends.
        for name, key in overwritten:
            getattr(after.machine, name).pop(key, None)
        after.machine.result = None
        self.from_here(after, loop.base, loop.advance)
        self.place(after, where, limbs)
        ended = self.iterate(after, loop, more=False)
        self.require(ended, where, loop.leaves(SymbolicCall(after, limbs, before, at_start).blocks(loop.base), before))
        limbs, values = self.any_element()
        self.place(ended, where, limbs)
        return SymbolicCall(ended, limbs, values, at_start | {loop.base: loop.advance})

    def paths(self, symbolic: SymbolicCall) -> Iterator[SymbolicCall]:
        """Prove all loops; yield the call at its end, for each path: which loops run, and which are skipped."""
        # Paths fork where a number of iterations is read first.
        reads = {i for i, line in enumerate(self.code.lines) for loop in self.loops if f"{loop.count}+" in line.text}
        self.bound(symbolic, [loop for loop in self.loops if loop.first is None])
        if not reads or not symbolic.call.run_to_line({min(reads)}):
            raise Unproved("no number of iterations is read")
        for runs in combinations(*((True, False) if loop.first is not None else (True,) for loop in self.loops)):
            path = replace(symbolic, call=forked(symbolic.call))
            for loop, run in zip(self.loops, runs, strict=True):
                path.call.machine.arguments[loop.count] = Counter((loop.first or 0) + 2 * run)
            left = [loop for loop, run in zip(self.loops, runs, strict=True) if run]
            while left:
                self.bound(path, left)
                if not path.call.run_to_line({self.code.labels[left[0].label]}):
                    raise Unproved(f"{left[0].label} is not reached")
                path = self.prove_loop(path, left.pop(0))
            self.bound(path, left)
            if path.call.run_to_line({self.code.labels[loop.label] for loop in self.loops}):
                raise Unproved("a loop without an iteration is run")
            path.call.check_cleared()
            yield path

    def words_at(self, symbolic: SymbolicCall, base: str, offset: int, encoding: Encoding, value: Poly) -> None:
        """Raise Unproved unless words in memory are a number with this value."""
        storage = symbolic.call.machine.storage
        words = [storage[base, offset + 8 * i] for i in range(encoding.count)]
        encoding.require(self.ring, f"{base} of {self.code.name}", words, value)


# The offset of h in Go's State, behind r and s.
STATE_H = 32


def store_state(storage: SymbolicMemory, base: str, begin: BlockProof) -> None:
    """Write Go's State: r, s and h as they are inputs of a basic block."""
    words = [begin.claims.inputs[f"{name}[{i}]"] for name in "rs" for i in range(2)]
    words += [begin.claims.inputs[f"h[{i}]"] for i in range(3)]
    store(storage, base, words, 8)


# What functions write of Go's State: h.
WRITES_H = Output(STATE_H, STATE_H + 24, 8)


def prove_message(code: Code, ring: Ring) -> int:
    """Prove a function that evaluates a message in lanes: h of any number of iterations of each loop."""
    name = code.name
    kernel, (first, *steps, _) = POLY1305[name]
    graphs = graphs_of(kernel)
    begin = BlockProof(graphs[first], ring=ring)
    outputs = begin.outputs()
    r, h = begin.claims.values["r"][0], begin.claims.values["h"][0]
    lanes = graphs[first].lanes
    powers = [ONE]
    for _ in range(lanes * max(kind_of(graphs[step])[1] for step in steps)):
        powers.append(product(powers[-1], r))

    def step_of(n: int) -> Callable[[Blocks, Values], Values]:
        return lambda block, t: horner(block, t, [[powers[lanes * k]] * lanes for k in range(n + 1)])

    loops = []
    for step in steps:
        label = f"loop{name}{''.join(word.capitalize() for word in step.split())}"
        count = f"iterations{label.removeprefix('loop' + name)}"
        loops.append(Loop(label, count, step_of(kind_of(graphs[step])[1]), graphs[step].advance))
    program = select(code.architecture, graphs[steps[0]], POLY1305_VARIANTS.get(kernel))
    encoding = begin.claims.limited(begin.claims.fields.fe, "t")
    # The last group is behind the loops.
    proof = FunctionProof(code, ring, program, encoding, loops, {"message": BLOCK_BYTES * lanes})
    storage = proof.memory()
    storage.messages["message"] = begin.claims.message
    store_state(storage, "in", begin)
    # Behind the sums there is room for vectors.
    found = re.match(r"out \*\[(\d+)\]uint64,", code.declaration)
    if found is None:
        raise Unproved(f"no length of out in the declaration of {name}")
    store(storage, "out", [tuple(proof.anything() for _ in range(int(found[1])))], 8)
    arguments: dict[str, Pointer | int] = {base: Pointer(base) for base in ("out", "in", "message")}
    limbs = {f"t[{i}]": outputs[f"t[{i}]"] for i in range(encoding.count)}
    values = [add(begin.claims.block(i), h if i == 0 else {}) for i in range(lanes)]
    paths = 0
    call = proof.call(arguments, storage, {"out": Output(0, 8 * int(found[1]), 8)})
    symbolic = SymbolicCall(call, limbs, values, {"message": BLOCK_BYTES * lanes})
    for path in proof.paths(symbolic):
        block = path.blocks()
        terms = [
            add(product(block(i), powers[lanes - i]), product(path.values[i], powers[lanes - i], powers[lanes]))
            for i in range(lanes)
        ]
        sums = Encoding(encoding.weights, limits=(2**64 - 1,) * len(encoding.weights))
        proof.words_at(path, "out", 0, sums, total(terms))
        paths += 1
    return paths


def scalar_block(architecture: Architecture) -> tuple[Program, Encoding]:
    """Return the program of a block, and the encoding of what it leaves: what begins has less in its last limb."""
    graph = graphs_of("scalar64")["block"]
    encoding, _ = BlockProof(graph).claims.outputs["t"]
    return program_of(architecture, graph), encoding


def prove_scalar(code: Code, ring: Ring) -> int:
    """Prove the function that evaluates blocks one after another, and one more that is padded."""
    graphs, architecture, count = graphs_of("scalar64"), code.architecture, 0
    program, encoding = scalar_block(architecture)
    for is_padded in (False, True):
        begin = BlockProof(graphs["begin"], architecture.big_endian, ring)
        outputs = begin.outputs()
        r, h = begin.claims.values["r"][0], begin.claims.values["h"][0]
        loop = Loop("loop", "blocks", lambda block, t: [add(product(t[0], r), block(0))], first=1)
        proof = FunctionProof(code, ring, program, encoding, [loop], {"last": BLOCK_BYTES * is_padded})
        storage = proof.memory("last")
        storage.messages["message"] = begin.claims.message
        store_state(storage, "p", begin)
        arguments: dict[str, Pointer | int] = {base: Pointer(base) for base in ("p", "message", "last")}
        arguments |= {} if is_padded else {"last": 0}
        limbs = {f"t[{i}]": outputs[f"t[{i}]"] for i in range(encoding.count)}
        values = [add(h, begin.claims.block(0))]
        call = proof.call(arguments, storage, {"p": WRITES_H})
        symbolic = SymbolicCall(call, limbs, values, {"message": BLOCK_BYTES, "last": 0})
        for path in proof.paths(symbolic):
            value = path.values[0]
            if is_padded:
                value = add(product(value, r), path.blocks("last", top=False)(0))
            proof.words_at(path, "p", STATE_H, H_WORDS, product(value, r))
            count += 1
    return count


def prove_scalar_end(code: Code, ring: Ring) -> int:
    """Prove the function that multiplies, and then takes blocks of two places."""
    begin, count = BlockProof(graphs_of("scalar64")["start"], ring=ring), 0
    begin.outputs()
    r, h = begin.claims.values["r"][0], begin.claims.values["h"][0]

    def leaves(block: Blocks, t: Values) -> Values:
        return [add(product(t[0], r), block(0))]

    loops = [Loop("loop0", "blocks", leaves), Loop("loop1", "lasts", leaves, base="last")]
    program, encoding = scalar_block(AMD64)
    proof = FunctionProof(code, ring, program, encoding, loops)
    storage = proof.memory("message", "last")
    store_state(storage, "p", begin)
    arguments: dict[str, Pointer | int] = {base: Pointer(base) for base in ("p", "message", "last")}
    limbs = {f"t[{i}]": begin.claims.inputs[f"h[{i}]"] for i in range(3)}
    call = proof.call(arguments, storage, {"p": WRITES_H})
    symbolic = SymbolicCall(call, limbs, [h], {"message": 0, "last": 0})
    for path in proof.paths(symbolic):
        proof.words_at(path, "p", STATE_H, H_WORDS, product(path.values[0], r))
        count += 1
    return count


def prove_single_loop(code: Code, ring: Ring) -> int:
    """Prove a function of one loop, which changes an accumulator in memory."""
    name, architecture = code.name, code.architecture
    kernel, _, step = POLY1305_LOOPS[name].partition("/")
    graph = graphs_of(kernel)[step]
    begin, (_, n) = BlockProof(graph, architecture.big_endian, ring), kind_of(graph)
    claims = begin.claims
    if kernel == "vmsl":
        powers = [claims.values[f"r^{4 * k}"] for k in range(1, n + 1)]
        loop = Loop(
            f"loop{name}", "iterations", lambda block, t: horner_of_pairs(block, t, powers), graph.advance, None
        )
    else:
        powers = [[ONE] * graph.lanes, *(claims.values[f"R^{k}"] for k in range(1, n + 1))]
        loop = Loop(f"loop{name}", "iterations", lambda block, t: horner(block, t, powers), graph.advance, None)
    program = select(architecture, graph, POLY1305_VARIANTS.get(kernel))
    encoding = claims.limited(claims.fields.fe, "t")
    proof = FunctionProof(code, ring, program, encoding, [loop])
    storage = proof.memory("message")
    store(storage, "t", (to_lanes(program, item, claims.inputs[item]) for item in program.inputs), 8)
    store(storage, "powers", (to_lanes(program, item, claims.inputs[item]) for item in program.memory_inputs()), 8)
    lengths = {base: 8 * int(count) for base, count in re.findall(r"(\w+) \*\[(\d+)\]uint64", code.declaration)}
    if lengths != {base: 8 * sum(place[0] == base for place in storage) for base in ("t", "powers")}:
        raise Unproved(f"{name} is declared with other lengths of t and powers")
    arguments: dict[str, Pointer | int] = {base: Pointer(base) for base in ("t", "powers", "message")}
    limbs = {item: claims.inputs[item] for item in program.inputs}
    call = proof.call(arguments, storage, {"t": Output(0, lengths["t"], 8)})
    symbolic = SymbolicCall(call, limbs, claims.values["t"], {"message": 0})
    (path,) = proof.paths(symbolic)
    at = 0
    for item in program.inputs:
        for number in to_lanes(program, item, path.limbs[item]):
            if not same(path.call.machine.storage["t", at], number):
                raise Unproved(f"{name} leaves another {item}")
            at += 8
    return 1


class Committed(NamedTuple):
    """A function of the Go module, and what proves it, or another text of it."""

    architecture: Architecture
    file: str
    name: str
    clears: bool
    prove: Callable[[Code, Ring], int]

    @property
    def title(self) -> str:
        return f"{self.architecture.goarch} {self.name}"

    def text(self) -> str:
        return (GO / self.file).read_text()

    def code(self, text: str = "") -> Code:
        return read_function(text or self.text(), self.name, self.architecture, self.clears)


def committed() -> dict[str, Committed]:
    """Return all functions of Poly1305 by their titles."""
    lanes = "emitted_lanes_{}.s"
    found = []
    for name, (kernel, _) in POLY1305.items():
        found.append(Committed(ARCHITECTURES[kernel], lanes.format("amd64"), name, True, prove_message))
    for architecture in SCALAR:
        file = f"emitted_scalar_{architecture.goarch}.s"
        found.append(Committed(architecture, file, SCALAR_NAME, False, prove_scalar))
    found.append(Committed(AMD64, "emitted_scalar_amd64.s", "scalarEnd", False, prove_scalar_end))
    for name, title in POLY1305_LOOPS.items():
        architecture = ARCHITECTURES[title.partition("/")[0]]
        found.append(Committed(architecture, lanes.format("s390x"), name, True, prove_single_loop))
    return {function.title: function for function in found}


def prove_functions(certify: bool = False) -> Iterator[Proved]:
    """Prove all functions of Poly1305 in the Go module; a claim is a path: which loops run, and which are skipped."""
    for title, function in committed().items():
        ring = Ring.of(title, certify)
        yield proved(title, partial(function.prove, function.code(), ring), ring)
