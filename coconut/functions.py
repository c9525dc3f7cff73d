# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write functions of several basic blocks that pass values from one to the next in registers.

ChaCha20's functions load the state, run the double round several times, and store blocks.

    func NAME(dst, src *byte, state *State, groups uint64)
    func NAME(dst *byte, state *State)

The first makes one group of blocks after another, and advances the state's counter. The second, of blocks that load no
message, makes one group, and leaves the counter.

The outputs of a basic block that are not in memory are the inputs of the next; a block that runs several times feeds
itself. Values without a register wait in the function's frame, which is cleared at the end, as the registers are.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from coconut.architecture import Syntax
from coconut.emit import go_header, with_kept
from coconut.graph import Graph
from coconut.instructions import Memory, Op
from coconut.machine import mca
from coconut.operations import Value
from coconut.orders import TURNS, within_registers
from coconut.program import Program
from coconut.registers import pressure
from coconut.schedule import problem_of

BLOCK_BYTES = 64
COUNTER = 48  # of the state, where the word is that counts blocks
GROUPS, LEFT = "R8", "R9"  # counters of loops


@dataclass(frozen=True)
class Part:
    """A basic block, and how many times it runs."""

    program: Program
    turns: int = 1


@dataclass(frozen=True)
class Function:
    """A function of several parts; whole is the block that they make up together."""

    name: str
    parts: tuple[Part, ...]
    whole: Graph

    @property
    def loads_message(self) -> bool:
        return any(
            op.memory is not None and op.memory.base == "message" for part in self.parts for op in part.program.ops
        )

    @property
    def group_bytes(self) -> int:
        return len(self.whole.outputs()) * 4 * self.whole.lanes

    def go_parameters(self) -> str:
        return "(dst, src *byte, state *State, groups uint64)" if self.loads_message else "(dst *byte, state *State)"


@dataclass(frozen=True)
class Step:
    """An instruction in registers; if op is None, a load from the frame, a store to it, or a move."""

    op: Op | None
    args: tuple[int, ...]
    result: int
    place: Memory | None = None

    def text(self, syntax: Syntax) -> str:
        if self.op is not None:
            return syntax.text(self.op, list(self.args), self.result)
        if self.place is None:
            return syntax.move(self.result, self.args[0])
        return syntax.store(self.args[0], self.place) if self.args else syntax.load(self.result, self.place)


def is_stored(program: Program, value: int) -> bool:
    """Return whether the value is an output in memory."""
    return value >= program.first_op and program.ops[value - program.first_op].instruction.stores


@dataclass
class Registers:
    """Track where values are while the instructions of a basic block are processed in order.

    Without a free register, the value whose next use is last is spilled (Belady). It is stored only once, because
    values do not change.
    """

    program: Program
    at: dict[int, int]  # value: its register
    homes: dict[int, int]  # value: the register in which it is wanted at the end
    frame: int = 0  # number of vectors
    steps: list[Step] = field(default_factory=list)
    saved: dict[int, Memory] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.program
        self.free = set(range(program.architecture.registers)) - set(self.at.values())
        self.uses: list[list[int]] = [[] for _ in range(program.first_op + len(program.ops))]
        for i, op in enumerate(program.ops):
            for arg in op.args:
                self.uses[arg].append(i)
        for name, value in program.outputs:
            if not is_stored(program, value):
                self.uses[value].append(len(program.ops))
        self.free_places: list[Memory] = []

    def next_use(self, value: int, now: int) -> int | None:
        return next((use for use in self.uses[value] if use >= now), None)

    def place(self) -> Memory:
        if not self.free_places:
            self.free_places.append(Memory("frame", self.frame * self.program.architecture.vector_bytes))
            self.frame += 1
        return self.free_places.pop()

    def take(self, now: int, pinned: Iterable[int], preferred: Sequence[int | None] = ()) -> int:
        """Return a free register, after spilling the value whose next use is last if there is none."""
        if not self.free:
            value = max(
                (value for value in self.at if value not in pinned),
                key=lambda value: (self.next_use(value, now) or 0, value in self.saved, value),
            )
            register = self.at.pop(value)
            if value not in self.saved:
                self.saved[value] = self.place()
                self.steps.append(Step(None, (register,), -1, self.saved[value]))
            self.free.add(register)
        claimed = {self.homes.get(value) for value in self.saved}
        register = next(
            (register for register in preferred if register in self.free),
            min(self.free, key=lambda register: (register in claimed, register)),
        )
        self.free.discard(register)
        return register

    def drop(self, value: int, now: int) -> int | None:
        """Free what a value holds if it is not used again, and return its register."""
        if self.next_use(value, now + 1) is not None:
            return None
        if value in self.saved:
            self.free_places.append(self.saved.pop(value))
        register = self.at.pop(value, None)
        if register is not None:
            self.free.add(register)
        return register

    def folded(self, op: Op, now: int) -> Op:
        """Return op with a spilled operand taken from the frame, if possible and if it is not used again."""
        kind = op.instruction
        if len(op.args) != 2 or op.memory is not None or kind.memory not in {"vector", "broadcast"}:
            return op
        for first, last in (op.args, op.args[::-1]) if kind.commutes else (op.args,):
            if last not in self.at and first != last and self.next_use(last, now + 1) is None:
                return replace(op, args=(first,), memory=self.saved[last])
        return op

    def run(self, i: int, op: Op) -> None:
        value, op = self.program.first_op + i, self.folded(op, i)
        for arg in op.args:
            if arg not in self.at:
                register = self.take(i, op.args, [self.homes.get(arg)])
                self.steps.append(Step(None, (), register, self.saved[arg]))
                self.at[arg] = register
        args = tuple(self.at[arg] for arg in op.args)
        ended = [self.drop(arg, i) for arg in dict.fromkeys(self.program.ops[i].args)]
        if op.instruction.stores:
            self.steps.append(Step(op, args, -1))
            return
        result = self.take(i, (), [self.homes.get(value), *ended])
        self.at[value] = result
        self.steps.append(Step(op, args, result))

    def settle(self, wanted: dict[int, int]) -> None:
        """Bring values into these registers, for the next basic block."""
        moves = {register: value for register, value in wanted.items() if self.at.get(value) != register}
        while moves:
            sources = {self.at[value] for value in moves.values() if value in self.at}
            register = next((register for register in moves if register not in sources), None)
            if register is None:
                # They change places: one goes through the frame.
                value = next(iter(moves.values()))
                self.saved[value] = self.place()
                self.steps.append(Step(None, (self.at.pop(value),), -1, self.saved[value]))
                continue
            value = moves.pop(register)
            if value in self.at:
                self.steps.append(Step(None, (self.at[value],), register))
            else:
                self.steps.append(Step(None, (), register, self.saved[value]))


def homes_of(program: Program, wanted: dict[int, int]) -> dict[int, int]:
    """Return the preferred register of each value, from its final destination."""
    homes = {value: register for register, value in wanted.items()}
    for i in reversed(range(len(program.ops))):
        home = homes.get(program.first_op + i)
        if home is not None and program.ops[i].args:
            homes.setdefault(program.ops[i].args[0], home)
    return homes


@dataclass(frozen=True)
class Placed:
    """A part in registers: its steps, the registers of outputs not in memory, and its number of vectors in the frame."""

    steps: tuple[Step, ...]
    outputs: dict[str, int]
    frame: int


def place(part: Part, inputs: dict[str, int]) -> Placed:
    """Allocate registers for a part whose inputs are in these registers."""
    program = part.program
    at = {i: inputs[name] for i, name in enumerate(program.inputs)}
    outputs = {name: value for name, value in program.outputs if not is_stored(program, value)}
    names = {name: inputs[name] for name in outputs} if part.turns > 1 else {}
    registers = Registers(program, at, homes_of(program, {names[name]: outputs[name] for name in names}))
    for i, op in enumerate(program.ops):
        registers.run(i, op)
    if part.turns == 1:
        # Each output gets a register of its own, the present one unless another output has it.
        for name, value in outputs.items():
            register = registers.at.get(value)
            if register is None or register in names.values():
                others = {*names.values(), *registers.at.values()}
                register = min(set(range(program.architecture.registers)) - others)
            names[name] = register
    registers.settle({names[name]: value for name, value in outputs.items()})
    return Placed(tuple(registers.steps), names, registers.frame)


def cycles(steps: Sequence[Step], program: Program, cpu: str) -> float:
    """Return the steady-state cycles per iteration, from llvm-mca."""
    text = "".join(step.text(program.architecture.gnu) + "\n" for step in steps)
    totals = [
        mca(program.architecture.triple, cpu, text, f"-iterations={turns}")["CodeRegions"][0]["SummaryView"][
            "TotalCycles"
        ]
        for turns in (TURNS, 2 * TURNS)
    ]
    return (totals[1] - totals[0]) / TURNS


def best_part(part: Part, inputs: dict[str, int], cpu: str) -> tuple[Part, Placed]:
    """Return the part in its fastest order: as written, or by list scheduling within some number of registers.

    The time includes that of stores to the frame and loads from it.
    """
    program = part.program
    problem = problem_of(program, cpu)
    urgency = [-float(height) for height in problem.heights]
    orders = [program]
    for registers in range(min(pressure(program), program.architecture.registers), program.architecture.registers + 3):
        order = program.reordered(within_registers(problem, urgency, registers))
        if order not in orders:
            orders.append(order)
    best: tuple[float, Part, Placed] | None = None
    for order in orders:
        candidate = replace(part, program=order)
        placed = place(candidate, inputs)
        time = cycles(placed.steps, order, cpu)
        if best is None or time < best[0]:
            best = time, candidate, placed
    assert best is not None
    return best[1], best[2]


@dataclass(frozen=True)
class Written:
    """A function in registers."""

    function: Function
    parts: tuple[tuple[Part, Placed], ...]

    @property
    def frame_bytes(self) -> int:
        return max(placed.frame for _, placed in self.parts) * self.function.parts[0].program.architecture.vector_bytes

    def description(self) -> str:
        lines = ", ".join(
            f"{part.program.graph.name} ({len(placed.steps)} instructions{f', {part.turns} times' if part.turns > 1 else ''})"
            for part, placed in self.parts
        )
        return f"{self.function.whole.kernel}: {lines}."


def with_one_table(function: Function) -> Function:
    """Return the function with the constants of all parts in one table, which each part then has."""
    constants: list[Value] = []
    for part in function.parts:
        constants += [value for value in with_kept(part.program) if value not in constants]
    size = function.parts[0].program.architecture.vector_bytes

    def moved(program: Program, op: Op) -> Op:
        if op.memory is None or op.memory.base != "constants":
            return op
        at = constants.index(program.constants[op.memory.offset // size])
        return replace(op, memory=replace(op.memory, offset=at * size))

    parts = []
    for part in function.parts:
        if part.program.kept:
            raise ValueError(f"{function.name}: a part keeps constants in registers")
        ops = tuple(moved(part.program, op) for op in part.program.ops)
        parts.append(replace(part, program=replace(part.program, ops=ops, constants=tuple(constants))))
    return replace(function, parts=tuple(parts))


def write(function: Function, cpu: str) -> Written:
    function = with_one_table(function)
    parts: list[tuple[Part, Placed]] = []
    inputs: dict[str, int] = {}
    for part in function.parts:
        parts.append(best_part(part, inputs, cpu))
        inputs = parts[-1][1].outputs
    return Written(function, tuple(parts))


def go_text(written: Written) -> str:
    """Return the function and its constants in Go's assembler."""
    function, name = written.function, written.function.name
    architecture = function.parts[0].program.architecture
    syntax = architecture.go
    if syntax is None:
        raise ValueError(f"{architecture.name} is not written in Go's assembly")
    constants = function.parts[0].program.constants
    to, source, state, table = (syntax.pointers[base] for base in ("out", "message", "state", "constants"))
    arguments = [("dst", to), ("src", source), ("state", state), ("groups", GROUPS)]
    if not function.loads_message:
        arguments = [("dst", to), ("state", state)]
    lines = [
        f"// func {name}{function.go_parameters()}",
        f"// {written.description()}",
        f"TEXT ·{name}(SB), NOSPLIT, ${written.frame_bytes}-{8 * len(arguments)}",
        *(f"\tMOVQ {argument}+{8 * i}(FP), {register}" for i, (argument, register) in enumerate(arguments)),
    ]
    if constants:
        lines.append(f"\tMOVQ $·{name}Constants(SB), {table}")
    if function.loads_message:
        lines += ["", "group:"]
    for number, (part, placed) in enumerate(written.parts):
        body = [step.text(syntax) for step in placed.steps]
        if part.turns > 1:
            label = f"turn{number}"
            body = [
                f"\tMOVQ ${part.turns}, {LEFT}",
                "",
                "\tPCALIGN $64",
                f"{label}:",
                *body,
                f"\tDECQ {LEFT}",
                f"\tJNZ {label}",
                "",
            ]
        lines += body
    if function.loads_message:
        step = function.group_bytes
        lines += [
            "",
            f"\tADDL ${step // BLOCK_BYTES}, {COUNTER}({state})",
            f"\tADDQ ${step}, {to}",
            f"\tADDQ ${step}, {source}",
            f"\tDECQ {GROUPS}",
            "\tJNZ group",
            "",
        ]
    lines += syntax.clear(architecture.registers)
    lines += [syntax.store(0, Memory("frame", at)) for at in range(0, written.frame_bytes, architecture.vector_bytes)]
    return "\n".join(
        [
            *lines,
            "\tVZEROUPPER",
            "\tRET",
            "",
            *(
                f"DATA ·{name}Constants+{4 * i}(SB)/4, ${word:#010x}"
                for i, word in enumerate(word for value in constants for word in value)
            ),
            *(
                [f"GLOBL ·{name}Constants(SB), RODATA|NOPTR, ${len(constants) * architecture.vector_bytes}", ""]
                if constants
                else []
            ),
        ]
    )


def go_functions(functions: Sequence[Written], constraint: str) -> str:
    return "\n".join([*go_header(constraint), '#include "textflag.h"', "", *map(go_text, functions)])


def go_declarations(functions: Sequence[Written], package: str, constraint: str) -> str:
    lines = [*go_header(constraint), f"package {package}", ""]
    for written in functions:
        lines += [
            f"// {written.description()}",
            "//",
            "//go:noescape",
            f"func {written.function.name}{written.function.go_parameters()}",
            "",
        ]
    return "\n".join(lines)
