# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Emit loops whose iterations overlap: what a modulo schedule of several stages becomes as code.

An iteration is cut into stages. The kernel executes the last stage of an iteration, the stage before it of the next
one, and so on; the prologue fills it, and the epilogue drains it. A value that is used in a later execution of the
kernel is in flight: it is carried in a register, and in one more for each further execution (modulo variable
expansion). So the kernel is a loop like any other, to whose values the same allocator assigns registers. Where it has
too few, constants are loaded where they are used. What it would take to spill other values is estimated, not emitted.

`prove` shows that prologue, kernel and epilogue, in registers, compute what the program does, for all inputs and all
numbers of iterations.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from statistics import median

from coconut.allocate import Allocator, OutOfRegisters, Step, allocate_chained, allocate_loop
from coconut.architectures import SCALAR, SCALAR_NAME
from coconut.assembler import Assembler
from coconut.emit import Block, text_of
from coconut.functions import ChaCha20, ScalarBlocks, SingleBlock, block_of
from coconut.go_module import (
    CHACHA20_128,
    CHACHA20_RISCV64,
    CHACHA20_XOR,
    POLY1305,
    POLY1305_LOOPS,
    WORDS_128,
    chacha20_function,
    poly1305_program,
    scalar_chacha20_function,
)
from coconut.instructions import Memory, Op
from coconut.native import runs_here
from coconut.orders import by_list, steady_cycles, within_registers
from coconut.program import Program
from coconut.simulate import Mismatch
from coconut.trace import read_traced
from lab.schedules.modulo import Problem, modulo_list_schedule, problem_of
from lab.schedules.native import run_against_compiled
from lab.schedules.optimal import schedule_loop

STAGES_MAX = 4
# How many intervals from the bound up are tried.
INTERVALS = 6
# For CP-SAT, where list scheduling finds none.
SECONDS = 20
# Longer loops are bound by resources, and a search of theirs takes minutes.
SEARCHED_MAX = 250
PROCESSES = 5


@dataclass(frozen=True)
class Part(Program):
    """A part of an overlapped loop; outputs that have the name of an input are carried, if it repeats."""

    repeats: bool = False

    def carried(self) -> dict[int, int]:
        outputs = dict(self.outputs)
        return {i: outputs[name] for i, name in enumerate(self.inputs) if name in outputs} if self.repeats else {}


def part_of(program: Program, repeats: bool = False) -> Part:
    return Part(**{field.name: getattr(program, field.name) for field in fields(Program)}, repeats=repeats)


def loading(program: Program, count: int) -> tuple[Program, list[int]]:
    """Return the program with some constants, those with the fewest uses, loaded before each use instead of kept in
    registers; and for each instruction its number in the original program, or that of the use that it loads for."""
    architecture, begin, first = program.architecture, len(program.inputs), program.first_op
    uses = Counter(arg for op in program.ops for arg in op.args)
    loaded = sorted(range(begin, first), key=lambda value: (uses[value], value))[:count]
    stay = [value for value in range(first) if value not in loaded]
    size, table = architecture.vector_bytes, architecture.instructions
    load = table[architecture.load_constant or architecture.load]
    places = {value: Memory("constants", size * (len(program.constants) + k)) for k, value in enumerate(loaded)}
    at, ops, numbers = {value: k for k, value in enumerate(stay)}, list[Op](), list[int]()
    for i, op in enumerate(program.ops):
        for value in {arg for arg in op.args if arg in places}:
            at[value] = len(stay) + len(ops)
            ops.append(Op(load, (), None, places[value], op.node))
            numbers.append(i)
        ops.append(replace(op, args=tuple(at[arg] for arg in op.args)))
        numbers.append(i)
        at[first + i] = len(stay) + len(ops) - 1
    kept = tuple(program.kept[value - begin] for value in stay if value >= begin)
    constants = (*program.constants, *(program.kept[value - begin] for value in loaded))
    outputs = tuple((name, at[value]) for name, value in program.outputs)
    return replace(program, kept=kept, ops=tuple(ops), constants=constants, outputs=outputs), numbers


# An instruction of an iteration.
Instance = tuple[int, int]


@dataclass(frozen=True)
class Overlapped:
    """A loop whose instructions have stages, from 0 on.

    Executions of the kernel have numbers: in number j, an instruction of stage s is of iteration j - s.
    """

    program: Program
    stages: tuple[int, ...]

    @property
    def last(self) -> int:
        return max(self.stages)

    def made_by(self, arg: int) -> tuple[int, int]:
        """Return what a value is outside of iterations, a result or not, and how many iterations before."""
        carried = self.program.carried()
        if arg in carried and arg < self.program.first_op:
            return carried[arg], 1
        return arg, 0

    @cached_property
    def in_flight(self) -> list[tuple[int, int]]:
        """Return the results that are carried, each with its age: how many executions ago it was made."""
        first, ages = self.program.first_op, dict[int, int]()
        for i, op in enumerate(self.program.ops):
            for value, before in map(self.made_by, op.args):
                if value >= first:
                    age = self.stages[i] + before - self.stages[value - first]
                    if age < 0:
                        raise ValueError("a stage comes before that of an operand")
                    ages[value] = max(age, ages.get(value, 0))
        for value in self.program.carried().values():
            # The epilogue does not make what the first stage leaves.
            ages[value] = max(self.stages[value - first] == 0, ages.get(value, 0))
        return [(value, age) for value in sorted(ages) for age in range(1, ages[value] + 1)]

    def name(self, flight: tuple[int, int]) -> str:
        return f"{self.program.label(flight[0])} {flight[0]}@{flight[1]}"

    @cached_property
    def order(self) -> list[int]:
        """Return the instructions as an execution of the kernel has them, the oldest iteration first."""
        first, placed, order = self.program.first_op, set[int](), list[int]()

        def place(i: int) -> None:
            if i in placed:
                return
            placed.add(i)
            for value, before in map(self.made_by, self.program.ops[i].args):
                if value >= first and self.stages[i] + before == self.stages[value - first]:
                    place(value - first)
            order.append(i)

        for i in sorted(range(len(self.program.ops)), key=lambda i: (-self.stages[i], i)):
            place(i)
        return order

    def part(
        self, instances: Sequence[Instance], given: Mapping[Instance, str], left: Mapping[str, Instance], start: int
    ) -> Part:
        """Return a part of these instructions, with the message's pointer at iteration `start`.

        given and left are the results that it takes and leaves, by name, each of an iteration.
        """
        program, first = self.program, self.program.first_op
        stay = [i for i in range(len(program.inputs)) if i not in program.carried()]
        inputs = (*dict.fromkeys(given.values()), *(program.inputs[i] for i in stay))
        begin = len(inputs) + len(program.kept)
        at = {instance: begin + k for k, instance in enumerate(instances)}

        def value_of(iteration: int, arg: int) -> int:
            value, before = self.made_by(arg)
            if value < len(program.inputs):
                return inputs.index(program.inputs[value])
            if value < first:
                return len(inputs) + value - len(program.inputs)
            made = (iteration - before, value - first)
            return at[made] if made in at else inputs.index(given[made])

        ops = []
        for iteration, i in instances:
            op = program.ops[i]
            if op.memory is not None and op.memory.base == "message":
                offset = op.memory.offset + program.graph.advance * (iteration - start)
                op = replace(op, memory=replace(op.memory, offset=offset))
            ops.append(replace(op, args=tuple(value_of(iteration, arg) for arg in op.args)))
        outputs = [(name, at[made] if made in at else inputs.index(given[made])) for name, made in left.items()]
        outputs += [(program.inputs[i], inputs.index(program.inputs[i])) for i in stay]
        part = replace(part_of(program), inputs=inputs, ops=tuple(ops), outputs=tuple(outputs))
        part.check_implicit()
        return part

    def flights(self, number: int) -> dict[str, Instance]:
        """Return what is in flight before an execution of the kernel, by name."""
        first = self.program.first_op
        return {
            self.name((value, age)): (number - age - self.stages[value - first], value - first)
            for value, age in self.in_flight
        }

    def executed(self, numbers: range, least: int, below: int) -> list[Instance]:
        """Return the instructions of these executions that are of iterations in a range."""
        found = ((j - self.stages[i], i) for j in numbers for i in self.order)
        return [(iteration, i) for iteration, i in found if least <= iteration < below]

    @cached_property
    def accumulator(self) -> dict[str, int]:
        """Return the instructions that leave the accumulator."""
        program = self.program
        return {program.inputs[i]: value - program.first_op for i, value in program.carried().items()}

    @cached_property
    def kernel(self) -> Part:
        given = {instance: name for name, instance in self.flights(self.last).items()}
        instances = self.executed(range(self.last, self.last + 1), 0, self.last + 1)
        return replace(self.part(instances, given, self.flights(self.last + 1), 0), repeats=True)

    @cached_property
    def prologue(self) -> Part:
        given = {(-1, i): name for name, i in self.accumulator.items()}
        # What is older is not used.
        left = {name: made for name, made in self.flights(self.last).items() if made[0] >= 0 or made in given}
        return self.part(self.executed(range(self.last), 0, self.last), given, left, 0)

    @cached_property
    def epilogue(self) -> Part:
        given = {instance: name for name, instance in self.flights(self.last).items()}
        left = {name: (self.last - 1, i) for name, i in self.accumulator.items()}
        return self.part(self.executed(range(self.last, 2 * self.last), 0, self.last), given, left, 0)


@dataclass(frozen=True)
class Allocated:
    """An overlapped loop in registers, for a kernel whose instructions have some order."""

    loop: Overlapped
    kernel: Part
    steps: tuple[tuple[Step, ...], ...]  # of prologue, kernel and epilogue

    @staticmethod
    def of(loop: Overlapped, kernel: Part) -> "Allocated":
        program, count = loop.program, len(kernel.inputs)
        registers = {name: number for number, name in enumerate(kernel.inputs)}

        def ended(part: Part, places: Mapping[str, int], shift: int) -> Allocator:
            kept = {len(part.inputs) + i: shift + i for i in range(len(part.kept))}
            ends = kept | {value: places[name] for name, value in part.outputs}
            if len(ends) != len(kept) + len(part.outputs):
                raise OutOfRegisters(f"{program.graph.title}: a value ends in two registers")
            return allocate_loop(part, ends)

        plain = {name: number for number, name in enumerate(program.inputs)}
        if loop.prologue.inputs != program.inputs:
            raise ValueError(f"{program.graph.title}: inputs that stay come before the accumulator")
        parts = ended(loop.prologue, registers, count), allocate_loop(kernel), ended(loop.epilogue, plain, len(plain))
        return Allocated(loop, kernel, tuple(tuple(part.steps) for part in parts))

    def cycles(self, cpu: str) -> float:
        """Return the steady-state cycles of an iteration, from llvm-mca."""
        architecture, assembler = self.kernel.architecture, self.kernel.architecture.gnu
        advance = assembler.control("advance", bytes=self.kernel.graph.advance, pointer=assembler.pointers["message"])
        return steady_cycles(architecture.triple, cpu, [*text_of(self.steps[1], assembler), *advance])

    @property
    def copies(self) -> int:
        return len(self.steps[1]) - len(self.kernel.ops)


class Terms:
    """Terms of instructions that mean nothing but themselves: equal numbers are equal terms."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}

    def of(self, *parts: object) -> int:
        return self.numbers.setdefault(parts, len(self.numbers))

    def result(self, step: Step, args: Sequence[int], message: int) -> int:
        place = step.op.memory
        if place is not None and place.base == "message":
            place = replace(place, offset=place.offset + message)
        return self.of(step.op.instruction.name, step.op.imm, place, *args)

    def run(self, steps: Sequence[Step], registers: Mapping[int, int], message: int, copy: str) -> dict[int, int]:
        """Return what registers hold after steps; a register that holds nothing known must not be used."""
        held, implicit = dict(registers), dict[str, int]()
        for step in steps:
            kind, uses = step.op.instruction, dict(step.op.instruction.implicit_uses)
            try:
                args = [implicit[uses[i]] if i in uses else held[arg] for i, arg in enumerate(step.args)]
            except KeyError as error:
                raise Mismatch(f"{kind.name} takes {error}, which holds nothing that is known") from None
            value = args[0] if kind.name == copy else self.result(step, args, message)
            for place in kind.clobbers:
                implicit.pop(place, None)
            implicit |= dict.fromkeys(kind.implicit_defs, value)
            if step.result != -1:
                held[step.result] = value
        return held

    def iterate(self, program: Program, accumulator: Sequence[int], stays: Sequence[int], message: int) -> list[int]:
        """Return the accumulator after an iteration of the program."""
        values = [*accumulator, *stays]
        for op in program.ops:
            value = self.result(Step(op, op.args), [values[arg] for arg in op.args], message)
            values.append(values[op.args[0]] if op.instruction.name == program.architecture.copy else value)
        return [values[value] for value in program.carried().values()]


def prove(allocated: Allocated) -> None:
    """Raise Mismatch unless the parts compute what the program does, for all inputs and numbers of iterations.

    Let P(t) be what is in flight after the prologue from any accumulator t. The kernel must leave P(t') of it, where t'
    is what an iteration makes of t, with the message one iteration further on; so after n executions that of n
    iterations, by induction. From P(t), the epilogue must leave what as many iterations make of t as are in flight.
    Instructions are not interpreted: both must apply the same ones to the same values.
    """
    loop, terms = allocated.loop, Terms()
    program, (prologue, kernel, epilogue) = loop.program, allocated.steps
    advance, copy = program.graph.advance, program.architecture.copy
    carried = len(program.carried())
    stays = [terms.of("stays", i) for i in range(program.first_op - carried)]
    names = loop.prologue.outputs
    places = {name: number for number, name in enumerate(allocated.kernel.inputs)}
    used = [places[name] for name, _ in names] + [len(places) + i for i in range(len(program.kept))]

    def flying(accumulator: Sequence[int], message: int) -> dict[int, int]:
        registers = terms.run(prologue, dict(enumerate([*accumulator, *stays])), message, copy)
        return {number: registers[number] for number in used}

    start = [terms.of("accumulator", i) for i in range(carried)]
    before = flying(start, 0)
    after = terms.run(kernel, before, 0, copy)
    wanted = flying(terms.iterate(program, start, stays, 0), advance)
    if {number: after.get(number) for number in used} != wanted:
        raise Mismatch(f"{program.graph.title}: the kernel does not leave what the prologue of the next iteration does")
    left, found = terms.run(epilogue, before, 0, copy), start
    for iteration in range(loop.last):
        found = terms.iterate(program, found, stays, advance * iteration)
    if [left.get(i) for i in range(carried)] != found:
        raise Mismatch(f"{program.graph.title}: the epilogue leaves another accumulator")


# What takes the iterations in flight from the counter, and jumps where none, or fewer, are left.
COUNTS = {"amd64": "sub ${count}, %r8; jbe {label}", "s390x": "aghi %r5, -{count}; jnp {label}"}
COUNTS_BACK = {"amd64": "add ${count}, %r8", "s390x": "aghi %r5, {count}"}


@dataclass(frozen=True)
class OverlappedBlock(SingleBlock):
    """An overlapped loop as a function; as many iterations as are in flight, or fewer, do not overlap."""

    allocated: Allocated | None = None

    @staticmethod
    def overlapped(allocated: Allocated, name: str) -> "OverlappedBlock":
        plain = SingleBlock.of(allocated.loop.program, name)
        return OverlappedBlock(**vars(plain), allocated=allocated)

    def body(self, assembler: Assembler) -> list[str]:
        assert self.allocated is not None and not assembler.is_go
        (block,), count = self.blocks, self.allocated.loop.last
        goarch = self.architecture.goarch
        prologue, kernel, epilogue = (text_of(steps, assembler) for steps in self.allocated.steps)
        loop, few, done = (f".L{part}_{self.name}" for part in ("loop", "few", "done"))
        whole = Block(block.program, block.steps, block.repeat)
        return [
            *text_of(block.before, assembler),
            *COUNTS[goarch].format(count=count, label=few).split("; "),
            *prologue,
            *assembler.control("align"),
            f"{loop}:",
            *kernel,
            *block.advance(assembler, block.program.graph.advance),
            *assembler.control("again", counter=assembler.counters[0], label=loop),
            *epilogue,
            f"{'jmp' if goarch == 'amd64' else 'j'} {done}",
            f"{few}:",
            COUNTS_BACK[goarch].format(count=count),
            *whole.loop(assembler, self.name),
            f"{done}:",
            *text_of(block.after, assembler),
        ]


def legal(program: Program, stages: Sequence[int]) -> tuple[int, ...]:
    """Return stages in which operands are there in time, the same for all of a bundle."""
    found, first, made_by = list(stages), program.first_op, Overlapped(program, ()).made_by
    bundles = program.bundles()
    while True:
        before = list(found)
        for bundle in bundles:
            for i in bundle:
                found[i] = max(found[k] for k in bundle)
        for i, op in enumerate(program.ops):
            made = [(value, before) for value, before in map(made_by, op.args) if value >= first]
            found[i] = max([found[i], *(found[value - first] - before for value, before in made)])
        if found == before:
            return tuple(stage - min(found) for stage in found)


def cuts(problem: Problem, most: int) -> Iterator[tuple[int, ...]]:
    """Yield different stages for an iteration, from modulo schedules with intervals below one."""
    schedules = [
        (interval, times)
        for interval in range(problem.bound, min(most, problem.bound + INTERVALS))
        for backward in (False, True)
        if (times := modulo_list_schedule(problem, interval, backward=backward)) is not None
    ]
    if not schedules and not problem.program.implicit_edges():
        loop = schedule_loop(problem, SECONDS)
        schedules = [(loop.interval, list(loop.times))]
    seen = set()
    for interval, times in schedules:
        for shift in (0, interval // 2):
            stages = legal(problem.program, [(time - min(times) + shift) // interval for time in times])
            if 0 < max(stages) < STAGES_MAX and stages not in seen:
                seen.add(stages)
                yield stages


def best_overlapped(program: Program, cpu: str, most: int) -> tuple[Allocated, int] | None:
    """Return the overlapped loop that takes the fewest cycles by llvm-mca, of those that fit; each is proved. The second
    number is how many constants are loaded where they are used: no more than it takes."""
    all_stages = list(cuts(problem_of(program, cpu), most))
    for count in range(len(program.kept) + 1):
        found: list[tuple[float, int, Allocated]] = []
        loaded, numbers = loading(program, count)
        for stages in all_stages:
            loop = Overlapped(loaded, tuple(stages[i] for i in numbers))
            try:
                kernel = by_list(loop.kernel, cpu)
                assert isinstance(kernel, Part)
                allocated = Allocated.of(loop, kernel)
            except (OutOfRegisters, Mismatch, ValueError):
                continue
            prove(allocated)
            found.append((allocated.cycles(cpu), len(found), allocated))
        if found:
            return min(found)[2], count
    return None


# Registers by which the order of a kernel that spills may exceed those of the CPU, and how many are left for results.
EXCEEDED, LEFT = (0, 8), (2, 4)


def spilling_cycles(program: Program, cpu: str, most: int) -> float | None:
    """Return the fewest cycles of an overlapped kernel whose values may be in the frame, by llvm-mca; None if none has
    constants in registers, or there is no schedule. The allocator is that of ChaCha20's loops: values in flight that are
    used first begin in registers, the others in the frame, and each iteration leaves them there."""
    architecture, found = program.architecture, list[float]()
    advance = architecture.gnu.control(
        "advance", bytes=program.graph.advance, pointer=architecture.gnu.pointers["message"]
    )
    program = loading(program, len(program.kept))[0]
    for stages in cuts(problem_of(program, cpu), most):
        kernel = Overlapped(program, stages).kernel
        problem = problem_of(kernel, cpu)
        for more in EXCEEDED:
            priority = [-float(height) for height in problem.heights]
            ordered = kernel.reordered(within_registers(problem, priority, architecture.registers + more))
            uses = {arg: i for i, op in reversed(list(enumerate(ordered.ops))) for arg in op.args}
            names = sorted(range(len(ordered.inputs)), key=lambda value: uses.get(value, len(ordered.ops)))
            for left in LEFT:
                places: dict[str, int | Memory] = {}
                for k, value in enumerate(names):
                    memory = Memory("state", architecture.vector_bytes * k)
                    places[ordered.inputs[value]] = k if k < architecture.registers - left else memory
                allocator, _ = allocate_chained(ordered, places, True, Memory("state", 0))
                lines = [*text_of(allocator.steps, architecture.gnu), *advance]
                found.append(steady_cycles(architecture.triple, cpu, lines))
    return min(found, default=None)


HEADER = ["loop", "CPU", "instructions", "resource bound", "dependence bound", "emitted", "bound by"]
HEADER_OVERLAPPED = [
    "overlapped",
    "stages",
    "in flight",
    "copies",
    "loaded",
    "with spills",
    "ns, emitted",
    "ns, overlapped",
    "ratio, least to most",
]
# A loop can gain from overlap if its larger bound is below this part of its cycles.
GAIN = 0.95


def bound_by(problem: Problem, cycles: float) -> str:
    """Return which bound is within 5 % of these cycles; if neither is, overlap may save some."""
    if problem.bound <= GAIN * cycles:
        return "neither"
    return "resources" if problem.resource_bound >= problem.dependence_bound else "dependences"


def steady(block: Block, cpu: str) -> float:
    """Return the steady-state cycles of a basic block as it is emitted, repeated."""
    program, assembler = block.program, block.program.architecture.gnu
    advance = block.advance(assembler, program.graph.advance) if program.is_loop else []
    return steady_cycles(program.architecture.triple, cpu, [*block.iteration(assembler), *advance])


def rows_of(title: str, block: Block, rounds: int, search: bool) -> Iterator[list[str]]:
    """Yield the row of a loop for each CPU; searched, with its best overlapped form, timed if this CPU runs it."""
    program = block.program
    native = search and rounds > 0 and runs_here(program.architecture)
    for cpu in program.architecture.cpus:
        problem = problem_of(program if program.is_loop else part_of(program, repeats=True), cpu)
        cycles = steady(block, cpu)
        row = [title, cpu, str(len(block.steps)), str(problem.resource_bound), str(problem.dependence_bound)]
        row += [f"{cycles:.1f}", bound_by(problem, cycles)]
        found = ["-"] * len(HEADER_OVERLAPPED)
        searched = search and problem.bound <= GAIN * cycles
        best, loaded = (searched and best_overlapped(program, cpu, int(cycles) + 1)) or (None, 0)
        if best is not None:
            figures = best.loop.last + 1, len(best.loop.in_flight), best.copies, loaded
            found[:5] = [f"{best.cycles(cpu):.1f}", *map(str, figures)]
        if searched and (best is None or loaded) and (spilling := spilling_cycles(program, cpu, int(cycles) + 1)):
            found[5] = f"{spilling:.1f}"
        if best is not None:
            if native:
                function = OverlappedBlock.overlapped(best, "coconut_loop")
                times = [
                    [
                        (run_against_compiled(program, "gcc", rounds, function=of) or (0.0, 0.0))[1]
                        for of in (None, function)
                    ]
                    for _ in range(PROCESSES)
                ]
                ratios = [after / before for before, after in times]
                found[6:8] = [f"{median(column):.2f}" for column in zip(*times, strict=True)]
                found[8] = f"{min(ratios):.3f} to {max(ratios):.3f}"
        yield row + found


def loops(wanted: Sequence[str] = ()) -> Iterator[tuple[str, Block, bool]]:
    """Yield the Go module's loops, or these: title, basic block, and whether an overlapped form is searched for."""

    def is_wanted(title: str) -> bool:
        return not wanted or any(title.startswith(one) for one in wanted)

    titles = [f"{kernel}/{name}" for kernel, names in POLY1305.values() for name in names[1:-1]]
    for title in filter(is_wanted, dict.fromkeys([*titles, *POLY1305_LOOPS.values()])):
        program = poly1305_program(title)
        yield title, block_of(program, "iterations"), len(program.ops) <= SEARCHED_MAX
    functions: dict[str, Callable[[], ScalarBlocks | ChaCha20]] = {
        f"scalar64/block, {known.goarch}": partial(ScalarBlocks.of, SCALAR_NAME, known, read_traced("scalar64")[0])
        for known in SCALAR
    }
    for known in WORDS_128:
        for name, of in CHACHA20_128.items():
            functions[f"{known.goarch} {name}"] = partial(chacha20_function, name, known, "chacha20-128", *of)
    for name, layout in CHACHA20_XOR.items():
        functions[f"amd64 {name}"] = partial(chacha20_function, name, *layout, "xor")
    for name, end in CHACHA20_RISCV64.items():
        functions[f"riscv64 {name}"] = partial(scalar_chacha20_function, name, end)
    for title in filter(is_wanted, functions):
        for block in functions[title]().blocks:
            if block.repeat != 1:
                yield title, block, False
