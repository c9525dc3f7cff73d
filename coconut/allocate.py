# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Allocate registers to a program in its present order, by linear scan with spilling.

Straight-line code needs as many registers as its register pressure. Without a free register, the value whose next use
is last is spilled (Belady's rule); it is stored only once, because values are in SSA form.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from coconut.instructions import Memory, Op
from coconut.program import Program
from coconut.simulate import Mismatch


class OutOfRegisters(Exception):
    """Raised if there are more values at once than registers, and none may be spilled."""


@dataclass(frozen=True)
class Step:
    """An instruction, with its operands and result in registers; -1 is one without a number.

    label is the name of the value.
    """

    op: Op
    args: tuple[int, ...]
    result: int = -1
    label: str = ""

    def moved(self, registers: int, offsets: Mapping[str, int] | None = None) -> "Step":
        """Return the same with registers behind these, and with further offsets in memory, by base."""
        place = self.op.memory
        if place is not None:
            place = replace(place, offset=place.offset + (offsets or {}).get(place.base, 0))
        args = tuple(arg + registers if arg != -1 else -1 for arg in self.args)
        result = self.result + registers if self.result != -1 else -1
        return replace(self, op=replace(self.op, memory=place), args=args, result=result)


def last_uses(program: Program) -> list[int]:
    """Return the end of each value's live range: its last user; past the end for what is live out; -1 if it is dead."""
    first = program.first_op
    last = [-1] * (first + len(program.ops))
    for i, op in enumerate(program.ops):
        for arg in op.args:
            last[arg] = i
    for value in [*range(len(program.inputs), first), *(value for _, value in program.outputs)]:
        if not is_stored(program, value):
            last[value] = len(program.ops)
    return last


def is_stored(program: Program, value: int) -> bool:
    """Return whether the value is an output that an instruction of the program stores."""
    return value >= program.first_op and program.ops[value - program.first_op].instruction.stores


def pressure(program: Program) -> int:
    """Return the register pressure: the largest number of live values, constants included."""
    first = program.first_op
    last = last_uses(program)
    alive = sum(last[value] != -1 for value in range(first))
    most = alive
    for i, op in enumerate(program.ops):
        alive -= sum(last[arg] == i and program.in_register(arg) for arg in set(op.args))
        alive += last[first + i] != -1 and program.in_register(first + i)
        most = max(most, alive)
    return most


@dataclass
class Allocator:
    """Track where values are while instructions are processed in order.

    - at: the register of each value that has one.
    - homes: the register in which a value is wanted at the end.
    - places: the memory in which a value is wanted at the end; no other value is put there.
    - live_out: the values that are live after the last instruction.
    - spill: the place of the first spilled vector; None if nothing may be spilled.
    - reuses: a result takes the register of an operand that ends, and spilled operands are used in memory.
    """

    program: Program
    at: dict[int, int] = field(default_factory=dict)
    homes: dict[int, int] = field(default_factory=dict)
    live_out: frozenset[int] = frozenset()
    spill: Memory | None = None
    reuses: bool = False
    steps: list[Step] = field(default_factory=list)
    saved: dict[int, Memory] = field(default_factory=dict)  # copies of values, in spilled vectors or elsewhere
    spilled: int = 0  # number of vectors
    places: dict[int, Memory] = field(default_factory=dict)
    away: dict[int, int] = field(default_factory=dict)  # registers that values must leave to others

    def __post_init__(self) -> None:
        program = self.program
        program.check_implicit()
        if len(self.at) > program.architecture.registers:
            raise OutOfRegisters("inputs and constants")
        self.table = program.architecture.instructions
        self.uses: list[list[int]] = [[] for _ in range(program.first_op + len(program.ops))]
        for i, op in enumerate(program.ops):
            for arg in op.args:
                self.uses[arg].append(i)
        for value in self.live_out:
            self.uses[value].append(len(program.ops))
        self.at = {value: register for value, register in self.at.items() if self.uses[value]}
        self.free = set(range(program.architecture.registers)) - set(self.at.values())
        self.free_places: list[Memory] = []
        # A sum is accumulated in one register, so that the one wanted at its end is wanted from its beginning. What is
        # added needs another one meanwhile; but before that, its operand may have it.
        for i in reversed(range(len(program.ops))):
            op, value = program.ops[i], program.first_op + i
            home = self.homes.get(value, self.away.get(value))
            if home is not None and op.args and (self.reuses or self.replaces(op)):
                if self.reuses and self.replaces(op):
                    self.away |= dict.fromkeys(op.args[1:], home)
                if op.args[0] not in self.away:
                    self.homes.setdefault(op.args[0], home)

    def replaces(self, op: Op) -> bool:
        return op.instruction.accumulates and self.program.architecture.replaces_sum

    def next_use(self, value: int, now: int) -> int | None:
        """Return the next instruction from `now` on that uses the value; None if there is none."""
        uses = self.uses[value]
        at = bisect_left(uses, now)
        return uses[at] if at < len(uses) else None

    def move(self, name: str, args: tuple[int, ...], result: int, value: int, place: Memory | None = None) -> None:
        op = Op(self.table[name], (0,) * len(args), None, place)
        self.steps.append(Step(op, args, result, self.program.label(value)))

    def spill_value(self, register: int, value: int) -> None:
        """Spill a value to a vector in memory."""
        if self.spill is None:
            raise OutOfRegisters(f"{self.program.graph.title}: {value} would be spilled")
        place = self.places.get(value)
        if place is not None and place not in self.saved.values():
            self.saved[value] = place
            self.move(self.program.architecture.store, (register,), -1, value, place)
            return
        if not self.free_places:
            offset = self.spill.offset + self.spilled * self.program.architecture.vector_bytes
            self.free_places.append(replace(self.spill, offset=offset))
            self.spilled += 1
        self.saved[value] = self.free_places.pop()
        self.move(self.program.architecture.store, (register,), -1, value, self.saved[value])

    def rematerialized(self, value: int) -> Op | None:
        """Return the load of constant memory that rematerializes a value, if there is one."""
        i = value - self.program.first_op
        op = self.program.ops[i] if i >= 0 and not self.reuses and self.spill is not None else None
        return op if op is not None and not op.args and op.memory and not op.instruction.implicit else None

    def pick_register(
        self, now: int, pinned: Iterable[int], preferred: Iterable[int | None] = (), avoided: int | None = None
    ) -> int:
        """Return a free register, after evicting the value whose next use is last if there is none."""
        if not self.free:
            if self.spill is None:
                raise OutOfRegisters(f"{self.program.graph.title}: at instruction {now} of {len(self.program.ops)}")
            value = max(
                (value for value in self.at if value not in pinned),
                key=lambda value: (
                    self.next_use(value, now) or 0,
                    (value in self.saved, value) if self.reuses else (self.at[value],),
                ),
            )
            register = self.at.pop(value)
            if value not in self.saved and self.rematerialized(value) is None:
                self.spill_value(register, value)
            self.free.add(register)
        # Avoid a register in which another value is wanted, if there is a choice.
        claimed = {self.homes.get(value) for value in (self.saved if self.reuses else self.homes)}
        register = next(
            (register for register in preferred if register in self.free and register != avoided),
            min(self.free, key=lambda register: (register in claimed or register == avoided, register)),
        )
        self.free.discard(register)
        return register

    def release(self, value: int, now: int) -> int | None:
        """Free the register and the slot of a value if it is dead, and return the register."""
        if self.next_use(value, now + 1) is not None:
            return None
        place = self.saved.get(value)
        if self.spill is not None and place is not None:
            if place.base == self.spill.base and place.offset >= self.spill.offset:
                del self.saved[value]
                if place not in self.places.values():
                    self.free_places.append(place)
        register = self.at.pop(value, None)
        if register is not None:
            self.free.add(register)
        return register

    def reload(self, value: int, now: int, pinned: Iterable[int]) -> int:
        """Return the value's register, after reloading it if it is spilled."""
        if value not in self.at:
            architecture = self.program.architecture
            register = self.pick_register(now, pinned, [self.homes.get(value)])
            load = self.rematerialized(value)
            if value not in self.saved and load is None:
                raise Mismatch(f"{self.program.graph.title}: value {value} is used after it was freed")
            if value in self.saved or load is None:
                self.move(architecture.load, (), register, value, self.saved[value])
            else:
                self.steps.append(Step(load, (), register, self.program.label(value)))
            self.at[value] = register
        return self.at[value]

    def folded(self, op: Op, now: int) -> Op:
        """Return op with a spilled operand taken from memory, if possible and if it is not used again."""
        kind = op.instruction
        if not self.reuses or len(op.args) != 2 or op.memory is not None or kind.memory not in {"vector", "broadcast"}:
            return op
        for first, last in (op.args, op.args[::-1]) if kind.commutes else (op.args,):
            if last not in self.at and first != last and self.next_use(last, now + 1) is None:
                return replace(op, args=(first,), memory=self.saved[last])
        return op

    def read_now(self, op: Op) -> list[Memory]:
        """Return the free places that an instruction still reads: what makes room for its result is stored before."""
        return [place for place in self.free_places if place == op.memory]

    def run(self, i: int) -> int:
        """Run an instruction, and return the register of its result."""
        op, value = self.program.ops[i], self.program.first_op + i
        used = dict.fromkeys(op.args)
        op = self.folded(op, i)
        numbered = [arg for arg in op.args if self.program.in_register(arg)]
        for arg in numbered:
            self.reload(arg, i, numbered)
        args = [self.at.get(arg, -1) for arg in op.args]
        if self.replaces(op):
            total = op.args[0]
            if self.next_use(total, i + 1) is not None or total in op.args[1:]:
                result = self.pick_register(i, numbered)
                self.move(self.program.architecture.copy, (args[0],), result, total)
                args[0] = result
            else:
                result = self.at.pop(total)
            for arg in used:
                self.release(arg, i)
        else:
            ended = [self.release(arg, i) for arg in used]
            if op.instruction.stores or op.instruction.implicit:
                self.steps.append(Step(op, tuple(args), -1, self.program.label(value)))
                return -1
            home, away = self.homes.get(value), self.away.get(value)
            read = self.read_now(op)
            self.free_places = [place for place in self.free_places if place not in read]
            result = self.pick_register(
                i, () if self.reuses else numbered, [home, *ended] if self.reuses else [home], away
            )
            self.free_places += read
        self.steps.append(Step(op, tuple(args), result, self.program.label(value)))
        self.at[value] = result
        return result

    def run_all(self) -> None:
        for i in range(len(self.program.ops)):
            self.run(i)
            self.release(self.program.first_op + i, i)

    def parallel_move(self, wanted: dict[int, int]) -> None:
        """Move values to these registers, as if at once: a parallel move."""
        moves = {register: value for register, value in wanted.items() if self.at.get(value) != register}
        while moves:
            sources = {self.at[value] for value in moves.values() if value in self.at}
            register = next((register for register in moves if register not in sources), None)
            if register is None:
                # They change places: one goes through memory.
                value = next(iter(moves.values()))
                self.spill_value(self.at.pop(value), value)
                continue
            value = moves.pop(register)
            if value in self.at:
                self.move(self.program.architecture.copy, (self.at[value],), register, value)
            else:
                self.move(self.program.architecture.load, (), register, value, self.saved[value])

    def move_to_slots(self) -> None:
        """Move values to the memory where they are wanted, before the parallel move of registers."""
        pending = {value: place for value, place in self.places.items() if self.saved.get(value) != place}
        for value in sorted(pending, key=lambda value: value not in self.at):
            if value not in self.at:
                # It is in a place that is not its own.
                register = self.pick_register(len(self.program.ops), (value,))
                self.move(self.program.architecture.load, (), register, value, self.saved[value])
                self.at[value] = register
            register = self.at.pop(value)
            self.free.add(register)
            self.saved[value] = pending[value]
            self.move(self.program.architecture.store, (register,), -1, value, pending[value])


def allocate_loop(program: Program, ends: dict[int, int] | None = None) -> Allocator:
    """Allocate registers without spilling; inputs, then constants, have the first ones.

    `ends` gives the registers in which values have to end. By default, what an iteration leaves for the next one ends
    in the register of its input.
    """
    if ends is None:
        ends = {output: value for value, output in program.carried().items()}
    kept = range(len(program.inputs), program.first_op)
    allocator = Allocator(
        program,
        {value: value for value in range(program.first_op)},
        dict(ends),
        frozenset([*kept, *(value for _, value in program.outputs if not is_stored(program, value))]),
    )
    allocator.run_all()
    allocator.parallel_move({register: value for value, register in ends.items()})
    return allocator


def allocate_straight(program: Program) -> Allocator:
    """Allocate registers to a block that is not a loop: all inputs and outputs are in memory.

    An output is stored as soon as it is computed. A load is sunk to the first use of its result, and rematerialized
    rather than spilled. Spilled vectors follow the outputs: words come last there, and what follows may be unaligned.
    """
    size, first = program.architecture.vector_bytes, program.first_op
    allocator = Allocator(program, spill=Memory("state", 8 * program.output_words()))
    for i in range(len(program.kept)):
        allocator.saved[i] = Memory("constants", (len(program.constants) + i) * size)
    places: dict[int, list[Memory]] = {}
    for (name, offset), (_, value) in zip(program.memory_outputs().items(), program.outputs, strict=True):
        places.setdefault(value, []).append(Memory("state", offset, program.is_word(name)))
    for value in range(first + len(program.ops)):
        i = value - first
        if i < 0:
            register = allocator.reload(value, -1, ()) if value in places else -1
        elif allocator.rematerialized(value) is not None and value not in places:
            continue
        else:
            register = allocator.run(i)
        for place in places.get(value, []):
            store = program.architecture.store_word if place.broadcast else program.architecture.store
            allocator.move(store, (register,), -1, value, place)
            if not place.broadcast:
                allocator.saved[value] = place
        allocator.release(value, i)
    return allocator


def allocate_chained(
    program: Program, inputs: dict[str, int | Memory], is_loop: bool, spill: Memory
) -> tuple[Allocator, dict[str, int | Memory]]:
    """Allocate registers to a block whose inputs are in these or in memory, and return where its outputs are, too.

    An iteration of a loop leaves each output where its input was. Otherwise an output stays where it is, unless another
    one is there. spill is the first place for spilled values.
    """
    outputs = {name: value for name, value in program.outputs if not is_stored(program, value)}
    names = {name: inputs[name] for name in outputs} if is_loop else {}
    size = program.architecture.vector_bytes
    taken = [place for place in inputs.values() if isinstance(place, Memory)]
    allocator = Allocator(
        program,
        {i: register for i, name in enumerate(program.inputs) if isinstance(register := inputs[name], int)},
        {outputs[name]: register for name, register in names.items() if isinstance(register, int)},
        frozenset(outputs.values()),
        spill,
        reuses=True,
        saved={i: place for i, name in enumerate(program.inputs) if isinstance(place := inputs[name], Memory)},
        spilled=max((place.offset + size - spill.offset for place in taken), default=0) // size,
        places={outputs[name]: place for name, place in names.items() if isinstance(place, Memory)},
    )
    allocator.run_all()
    if not is_loop:
        # A value of several names stays where it is for one of them; the others have copies in memory.
        whole = len(outputs) > program.architecture.registers
        single: set[int] = set()
        for name, value in outputs.items():
            if whole and value in single:
                register = allocator.reload(value, len(program.ops), (value,))
                place = replace(spill, offset=spill.offset + allocator.spilled * size)
                names[name] = place
                allocator.spilled += 1
                allocator.move(program.architecture.store, (register,), -1, value, place)
            single.add(value)
        for name, value in outputs.items():
            if name in names:
                continue
            free = allocator.at.get(value)
            if free is None and value in allocator.saved and allocator.saved[value] not in names.values():
                names[name] = allocator.saved[value]
                continue
            if free is None or free in names.values():
                others = {*names.values(), *allocator.at.values()}
                free = min(set(range(program.architecture.registers)) - others)
            names[name] = free
    allocator.move_to_slots()
    allocator.parallel_move({register: outputs[name] for name, register in names.items() if isinstance(register, int)})
    return allocator, names
