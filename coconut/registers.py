# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Allocate registers to a program in its present order, by linear scan.

In straight-line code, that needs no more registers than there are values at once. In a block that is not a loop, values
without a register wait in memory.
"""

from bisect import bisect_right
from dataclasses import dataclass, field

from coconut.instructions import Memory, Op
from coconut.program import Program


class Pressure(Exception):
    """Raised if there are more values at once than registers."""


@dataclass(frozen=True)
class Allocation:
    """The register of each value, -1 for one without a numbered register, and the moves at the end.

    Each move, from and to, is at the end of an iteration, for the next one.
    """

    registers: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]


def last_uses(program: Program) -> list[int]:
    """Return, for each value, its last user; past the end for outputs and constants; -1 if there is none."""
    first = program.first_op
    last = [-1] * (first + len(program.ops))
    for i, op in enumerate(program.ops):
        for arg in op.args:
            last[arg] = i
    for value in [*range(len(program.inputs), first), *(value for _, value in program.outputs)]:
        if value < first or not program.ops[value - first].instruction.stores:
            last[value] = len(program.ops)
    return last


def allocate(program: Program, ends: dict[int, int] | None = None) -> Allocation:
    """Allocate registers; inputs, then constants, get the first ones.

    `ends` gives the registers in which values have to end. By default, what an iteration leaves for the next one ends
    in the register of its input. Such a value gets its register at once if that is free.
    """
    program.check_hidden()
    first = program.first_op
    last = last_uses(program)
    if ends is None:
        ends = {output: value for value, output in program.carried().items()}
    wanted = dict(ends)
    free = set(range(first, program.architecture.registers))
    if first > program.architecture.registers:
        raise Pressure("inputs and constants")
    registers = [*range(first), *([-1] * len(program.ops))]
    # A sum is accumulated in one register: the one wanted at its end is wanted from its beginning.
    for i in reversed(range(len(program.ops))):
        if program.ops[i].instruction.accumulates and program.architecture.replaces_sum and first + i in wanted:
            wanted.setdefault(program.ops[i].args[0], wanted[first + i])
    free |= {registers[value] for value in range(first) if last[value] == -1}
    for i, op in enumerate(program.ops):
        ending = {registers[arg] for arg in op.args if last[arg] == i and registers[arg] >= 0}
        if op.instruction.accumulates and program.architecture.replaces_sum:
            if last[op.args[0]] != i:
                raise Pressure("an accumulated sum is used again")
            registers[first + i] = registers[op.args[0]]
            free |= ending - {registers[first + i]}
            continue
        free |= ending
        if op.instruction.hidden:
            continue
        if not free:
            raise Pressure(f"{program.graph.title}: at instruction {i} of {len(program.ops)}")
        register = wanted.get(first + i)
        if register not in free:
            # Avoid a register that another value is to end in, if there is a choice.
            claimed = set(wanted.values())
            register = min(free, key=lambda number: (number in claimed, number))
        registers[first + i] = register
        if last[first + i] != -1:
            free.discard(register)
    moves = tuple((registers[value], register) for value, register in ends.items() if registers[value] != register)
    return Allocation(tuple(registers), moves)


def pressure(program: Program) -> int:
    """Return the largest number of values at once, constants included."""
    first = program.first_op
    last = last_uses(program)
    alive = sum(last[value] != -1 for value in range(first))
    most = alive
    for i, op in enumerate(program.ops):
        alive -= sum(last[arg] == i and program.in_register(arg) for arg in set(op.args))
        alive += last[first + i] != -1 and not op.instruction.hidden
        most = max(most, alive)
    return most


@dataclass(frozen=True)
class Step:
    """One step of a block that is not a loop.

    It runs an instruction, with operands and result in registers; or, if op is None, it loads a register from memory,
    stores it ("stores"), or moves another one into it.
    """

    result: int
    args: tuple[int, ...] = ()
    op: Op | None = None
    memory: Memory | None = None
    stores: bool = False


@dataclass
class Spilling:
    """Track where values are while the instructions of a block that is not a loop are processed in order.

    An output is stored as soon as it is there. Without a free register, the value whose next use is last gives way
    (Belady); it is loaded again from where it is stored as an output, from where it came, or from memory after the
    outputs.
    """

    program: Program
    steps: list[Step] = field(default_factory=list)
    held: dict[int, int] = field(default_factory=dict)  # register: value
    memory: dict[int, Memory] = field(default_factory=dict)  # value: a copy
    free: list[int] = field(default_factory=list)
    scratch_free: list[Memory] = field(default_factory=list)
    scratch: int = 0

    def __post_init__(self) -> None:
        program, size = self.program, self.program.architecture.vector_bytes
        self.free = list(range(program.architecture.registers))
        for i in range(len(program.kept)):
            self.memory[i] = Memory("constants", (len(program.constants) + i) * size)
        self.uses: list[list[int]] = [[] for _ in range(program.first_op + len(program.ops))]
        for i, op in enumerate(program.ops):
            for arg in op.args:
                self.uses[arg].append(i)

    def next_use(self, value: int, after: int) -> int:
        """Return the next instruction that uses the value, or one past the end."""
        uses = self.uses[value]
        at = bisect_right(uses, after)
        return uses[at] if at < len(uses) else len(self.program.ops)

    def register_of(self, value: int) -> int | None:
        return next((register for register, held in self.held.items() if held == value), None)

    def loads(self, value: int) -> Op | None:
        """Return the instruction that makes a value by loading memory that does not change."""
        i = value - self.program.first_op
        op = self.program.ops[i] if i >= 0 else None
        return op if op is not None and not op.args and op.memory is not None else None

    def take(self, now: int, pinned: set[int]) -> int:
        """Return a free register, after spilling the value whose next use is last if there is none."""
        if not self.free:
            register = max(
                (register for register in self.held if register not in pinned),
                key=lambda register: (self.next_use(self.held[register], now - 1), register),
            )
            value = self.held.pop(register)
            if value not in self.memory and self.loads(value) is None:
                if not self.scratch_free:
                    size = self.program.architecture.vector_bytes
                    # Words come last among the outputs, if at all: what follows them may be unaligned.
                    self.scratch_free.append(Memory("state", 8 * self.program.output_words() + self.scratch * size))
                    self.scratch += 1
                self.memory[value] = self.scratch_free.pop()
                self.steps.append(Step(register, memory=self.memory[value], stores=True))
            self.free.append(register)
        register = min(self.free)
        self.free.remove(register)
        return register

    def bring(self, value: int, now: int, pinned: set[int]) -> int:
        """Return the value's register, after loading it if necessary."""
        register = self.register_of(value)
        if register is None:
            register = self.take(now, pinned)
            load = self.loads(value)
            if value in self.memory:
                self.steps.append(Step(register, memory=self.memory[value]))
            else:
                assert load is not None
                self.steps.append(Step(register, op=load))
            self.held[register] = value
        return register

    def drop(self, value: int, now: int) -> None:
        """Free what a value holds if it is not used again."""
        if self.next_use(value, now) < len(self.program.ops):
            return
        register = self.register_of(value)
        if register is not None:
            del self.held[register]
            self.free.append(register)
        place = self.memory.get(value)
        if place is not None and place.base == "state" and place.offset >= 8 * self.program.output_words():
            self.scratch_free.append(self.memory.pop(value))

    def run(self, i: int, op: Op) -> int:
        """Run an instruction, and return the register of its result."""
        pinned: set[int] = set()
        for arg in op.args:
            pinned.add(self.bring(arg, i, pinned))
        args = [register for arg in op.args if (register := self.register_of(arg)) is not None]
        value = self.program.first_op + i
        if op.instruction.accumulates and self.program.architecture.replaces_sum:
            again = self.next_use(op.args[0], i) < len(self.program.ops)
            if again or op.args[0] in op.args[1:]:
                result = self.take(i, pinned)
                self.steps.append(Step(result, (args[0],)))
                args[0] = result
            else:
                result = args[0]
                del self.held[result]
            for arg in dict.fromkeys(op.args):
                self.drop(arg, i)
        else:
            for arg in dict.fromkeys(op.args):
                self.drop(arg, i)
            result = self.take(i, pinned)
        self.steps.append(Step(result, tuple(args), op))
        self.held[result] = value
        return result


@dataclass(frozen=True)
class Straight:
    """The steps of a block that is not a loop, and the number of vectors of memory that it needs after its outputs."""

    steps: tuple[Step, ...]
    scratch: int


def allocate_straight(program: Program) -> Straight:
    line = Spilling(program)
    places: dict[int, list[Memory]] = {}
    for (name, offset), (_, value) in zip(program.memory_outputs().items(), program.outputs, strict=True):
        places.setdefault(value, []).append(Memory("state", offset, program.is_word(name)))
    for value in range(program.first_op):
        for place in places.get(value, []):
            line.steps.append(Step(line.bring(value, -1, set()), memory=place, stores=True))
        line.drop(value, -1)
    for i, op in enumerate(program.ops):
        value = program.first_op + i
        # A load runs where its result is first used.
        if line.loads(value) is not None and value not in places:
            continue
        register = line.run(i, op)
        for place in places.get(value, []):
            line.steps.append(Step(register, memory=place, stores=True))
            if not place.broadcast:
                line.memory[value] = place
        line.drop(value, i)
    return Straight(tuple(line.steps), line.scratch)
