# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Interpret programs on samples, which the library's model lanes also compute, and parse and run Go's assembly.

Both run the meanings of the tables of instructions on values of any kind of number. Memory consists of elements, each
at a base and an offset. What a function computes, and in which order, comes from the text of its file alone (the z14
paper's parser, section 8); moves, frame, counters, jumps and clearing are checked as they are written. prove/ runs
functions on symbolic numbers. A function may write to its outputs, its frame and its arguments, and to registers that
ABI0 does not keep; all else is refused. sources.py reads files.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from coconut.architecture import Architecture
from coconut.assembler import ParseError, Read
from coconut.instructions import FLAGS, Instruction
from coconut.operations import Value
from coconut.program import Program, to_lanes
from coconut.simulate import Mismatch, Sample, show
from coconut.sources import check_arguments, parameters_in, read_source

STEPS_MAX = 100_000
FRAME = 8  # the offset of the frame, which is not aligned to vectors
FRAME_ALIGN_MAX = 64

Storage = dict[tuple[str, int], Any]

# The general registers that a function of Go's ABI0 may overwrite, by GOARCH. It keeps the stack pointer, the frame
# pointer, g (amd64's R14 is g in ABIInternal alone, whose calls of ABI0 set R14 and X15 again), the link register, and what
# is the platform's or the assembler's own. On amd64, the assembler saves BP for a function with a frame.
SCRATCH = {
    "amd64": frozenset(("AX", "BX", "CX", "DX", "SI", "DI", *(f"R{i}" for i in range(8, 16)))),
    "arm64": frozenset(f"R{i}" for i in range(27) if i != 18),
    "riscv64": frozenset(f"X{i}" for i in (*range(5, 27), 28, 29, 30)),
    # The assembler takes R10 and R11 for what one instruction cannot do; go_files.py refuses such lines.
    "s390x": frozenset(f"R{i}" for i in range(13)),
}


def store(storage: Storage, base: str, vectors: Iterable[Value], size: int, offset: int = 0) -> int:
    """Write vectors one after another, elements of `size` bytes, and return the offset of their end."""
    for vector in vectors:
        for number in vector:
            storage[base, offset] = number
            offset += size
    return offset


def load(
    storage: Storage, base: str, offset: int, instruction: Instruction, is_word: bool, architecture: Architecture
) -> Value:
    """Return what an instruction takes from memory."""
    size = architecture.word_bytes
    count = architecture.vector_bytes // size
    found = 1 if is_word else (instruction.reads or architecture.vector_bytes) // size
    try:
        values = tuple(storage[base, offset + (instruction.stride or size) * i] for i in range(found))
    except KeyError as error:
        raise Mismatch(f"{instruction.name}: nothing is at {error}") from None
    return values * count if is_word else values + (0,) * (count - found)


def execute(program: Program, values: list[Value], storage: Storage) -> list[Value]:
    """Return every value of a program, as its register holds it, after those that are in registers at first."""
    for op in program.ops:
        operands = [values[arg] for arg in op.args]
        place = op.memory
        if place is not None and not op.instruction.stores:
            at = place.base, place.offset
            operands.append(load(storage, *at, op.instruction, place.broadcast, program.architecture))
        values.append(op.instruction.meaning(op.imm, *operands))
    return values


def simulate(program: Program, sample: Sample) -> list[Value]:
    """Return every value of a program on a sample."""
    architecture, size = program.architecture, program.architecture.word_bytes
    storage: Storage = {}
    parts = (sample.message[i : i + size] for i in range(0, len(sample.message), size))
    store(storage, "message", [tuple(int.from_bytes(part, architecture.byte_order) for part in parts)], size)
    store(storage, "constants", program.constants, size)
    store(storage, "powers", lanes_of(program, program.memory_inputs(), sample.inputs), size)
    store(storage, "state", [sample.state], size)
    return execute(program, [*lanes_of(program, program.inputs, sample.inputs), *program.kept], storage)


def expect(title: str, sample: Sample, name: str, found: Sequence[int], expected: Sequence[int]) -> None:
    if tuple(found) != tuple(expected):
        raise Mismatch(f"{title}, sample {sample.number}: {name} is {show(tuple(found))}, not {show(tuple(expected))}")


def compare(program: Program, sample: Sample) -> None:
    """Raise Mismatch unless the program computes the same as the model lanes."""
    values = simulate(program, sample)
    for name, value in program.outputs:
        expected = to_lanes(program, name, sample.outputs[name])
        title = f"{program.graph.title}, {program.architecture.name}"
        expect(title, sample, name, values[value][: len(expected)], expected)


@dataclass(frozen=True)
class Pointer:
    base: str
    offset: int = 0


General = Pointer | int


class Output(NamedTuple):
    """The bytes of a base that a function may write, from `begin` on to before `end`, in elements of some size."""

    begin: int
    end: int
    size: int


@dataclass
class Machine:
    """The state of a call: memory, general registers, numbered ones, and those without a number.

    In stitched functions, scalar code has an architecture of its own. A general register holds either what
    controls use, by its name, or such a number; what is written last remains.

    - writable: what may be written of each base.
    - scratch: the general registers that may be overwritten.
    - result: the number of which the zero flag tells whether it is zero; None if the flag tells nothing that is known.
    """

    architecture: Architecture
    storage: Storage
    arguments: dict[str, General]
    scalar: Architecture | None = None
    writable: Mapping[str, Output] = field(default_factory=dict)
    scratch: frozenset[str] = frozenset()
    numbers: dict[int, Value] = field(default_factory=dict)
    general: dict[str, General] = field(default_factory=dict)
    registers: dict[int, Value] = field(default_factory=dict)
    implicit: dict[str, Value] = field(default_factory=dict)
    result: General | None = None

    def add(self, to: str, source: str, number: General) -> None:
        a, b = self.general[source], number
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, Pointer):
            raise Mismatch(f"{to}: a sum of two pointers")
        self.put(to, replace(a, offset=a.offset + b) if isinstance(a, Pointer) else a + b)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the general registers that instructions of a table take, and maybe vectors, by their numbers."""
        return general_registers(self.scalar or self.architecture)

    def put(self, register: str, value: General) -> None:
        """Write a general register, which holds no other number then."""
        if register not in self.scratch:
            raise Mismatch(f"{register} is overwritten, which a function must keep")
        if register in self.names:
            numbers = self.registers if self.scalar is None else self.numbers
            numbers.pop(self.names.index(register), None)
        if register in PAIRS.get(self.architecture.goarch, ()):
            self.implicit = {name: value for name, value in self.implicit.items() if name == FLAGS}
        self.general[register] = value

    def write(self, base: str, offset: int, number: Any, size: int) -> None:
        """Write an element of some bytes to memory, where one is that may be written."""
        what, output = f"a store of {size} bytes at {offset} of {base}", self.writable.get(base)
        if output is None:
            raise Mismatch(f"{what}, which is only read")
        if not output.begin <= offset <= output.end - size:
            raise Mismatch(f"{what}, beyond the bytes from {output.begin} to {output.end} that may be written")
        if size != output.size or (base, offset) not in self.storage:
            raise Mismatch(f"{what}, which is not one of its elements of {output.size} bytes")
        self.storage[base, offset] = number

    def pointer(self, register: str) -> Pointer:
        if register.startswith("·"):
            return Pointer(register[1:])
        place = self.general.get(register, 0)
        if not isinstance(place, Pointer):
            raise Mismatch(f"{register} is used as a pointer, and is {place}")
        return place

    def count(self, register: str) -> int:
        number = self.general.get(register)
        if number is None or isinstance(number, Pointer):
            raise Mismatch(f"{register} counts, and is {'a pointer' if number else 'not set'}")
        return number

    def is_zero(self) -> bool:
        """Return the zero flag."""
        if self.result is None:
            raise Mismatch("a jump depends on a flag that nothing has set")
        return self.result == 0

    def control(self, line: "Line") -> bool:
        """Run an instruction on general registers, and return whether it jumps."""
        assert line.control is not None
        if line.text.startswith(("ADD", "SUB", "AND", "DEC", "TEST", "XORL")):
            self.implicit.pop(FLAGS, None)
            self.result = None
        try:
            return line.control(self, *line.operands) is True
        except KeyError as error:
            raise Mismatch(f"nothing is in {error}") from None

    def clear(self, number: int) -> None:
        names = general_registers(self.architecture)
        if number >= len(names):
            raise Mismatch(f"there is no register {number}")
        self.general.pop(names[number], None)
        self.registers[number] = (0,) * (self.architecture.vector_bytes // self.architecture.word_bytes)

    def zero(self, register: str) -> None:
        self.put(register, 0)
        if self.scalar is not None:
            self.numbers[self.names.index(register)] = (0, 0)

    def run(self, read: Read, is_scalar: bool = False) -> None:
        """Run an instruction of a table: that of the function's architecture, or of the stitched scalar code."""
        architecture = self.scalar if is_scalar and self.scalar is not None else self.architecture
        values = self.numbers if is_scalar else self.registers
        instruction, registers = read.instruction, read.registers
        uses = dict(instruction.implicit_uses)
        operands = []
        for i in range(instruction.operands - (read.pointer != "" and not instruction.stores)):
            if i in uses:
                if uses[i] not in self.implicit:
                    raise Mismatch(f"{instruction.name} takes {uses[i]}, which is overwritten")
                operands.append(self.implicit[uses[i]])
            else:
                number = registers[str(i)] if str(i) in registers else registers["d"]
                if number not in values:
                    raise Mismatch(f"{instruction.name} takes a register that holds a pointer")
                operands.append(values[number])
        if read.pointer:
            place = self.pointer(read.pointer)
            offset = place.offset + read.offset
            if instruction.stores:
                size = architecture.word_bytes
                for i, number in enumerate(operands[0][: 1 if read.broadcast else architecture.vector_bytes // size]):
                    self.write(place.base, offset + size * i, number, size)
                return
            operands.append(load(self.storage, place.base, offset, instruction, read.broadcast, architecture))
        try:
            value = instruction.meaning(read.imm, *operands)
        except (IndexError, TypeError):
            raise Mismatch(f"{instruction.name} has no meaning on what its registers hold") from None
        for name in instruction.clobbers:
            self.implicit.pop(name, None)
        if FLAGS in instruction.clobbers + instruction.implicit_defs:
            self.result = None
        for name in instruction.implicit_defs:
            self.implicit[name] = value
        if not instruction.implicit:
            number = registers["0" if instruction.accumulates and "0" in registers else "d"]
            values[number] = value
            self.general.pop(general_registers(architecture)[number], None)
        else:
            for name in PAIRS.get(architecture.goarch, ()):
                self.general.pop(name, None)

    def align(self, register: str, align: int) -> None:
        """Align a pointer to the frame, from which on the function takes it by this pointer alone.

        The frame begins at a multiple of 8. Here it is that behind a multiple of `align`, which leaves the least room.
        """
        place = self.pointer(register)
        if place.base != "frame" or FRAME_ALIGN_MAX % align:
            raise Mismatch(f"{register} is aligned to {align}, and points to {place.base}")
        self.put(register, replace(place, offset=place.offset // align * align))
        del self.general["SP"]

    def advance(self, name: str, number: int) -> None:
        place = self.arguments[name]
        assert isinstance(place, Pointer)
        self.arguments[name] = replace(place, offset=place.offset + number)

    def subtract(self, register: str, name: str) -> None:
        number = self.arguments[name]
        assert isinstance(number, int)
        left = self.count(register) - number
        self.put(register, left)
        self.result = left

    def decrement_argument(self, name: str) -> None:
        number = self.arguments[name]
        assert not isinstance(number, Pointer)
        self.arguments[name] = self.result = number - 1

    def decrement(self, register: str) -> int:
        """Count down, and return what is left."""
        left = self.count(register) - 1
        self.put(register, left)
        self.result = left
        return left

    def word(self, offset: int, register: str) -> Any:
        """Return a word in memory, which must be there."""
        place = self.pointer(register)
        at = place.base, place.offset + offset
        if self.architecture.word_bytes != 4 or at not in self.storage:
            raise Mismatch(f"no word of 4 bytes is at {at}")
        return self.storage[at]

    def set_word(self, number: int, offset: int, register: str) -> None:
        place = self.pointer(register)
        self.write(place.base, place.offset + offset, number & 0xFFFFFFFF, 4)

    def add_word(self, number: int, offset: int, register: str) -> None:
        self.set_word(self.word(offset, register) + number, offset, register)

    def decrement_word(self, offset: int, register: str) -> None:
        self.add_word(-1, offset, register)
        self.result = self.word(offset, register)


# The registers of a product, which instructions take that do not name them.
PAIRS = {"amd64": ("AX", "DX"), "s390x": ("R10", "R11")}


def general_registers(architecture: Architecture) -> tuple[str, ...]:
    assert architecture.go is not None
    return architecture.go.registers


# What instructions on general registers do, of all architectures; the result is whether a jump is taken, to the last
# group.
Control = Callable[..., object]
Controls = tuple[tuple[str, Control], ...]
CONTROLS: Controls = (
    (r"MOV[QD]? (\w+)\+\d+\(FP\), (\w+)", lambda m, name, to: m.put(to, m.arguments[name])),
    (r"MOV[QD]? \$·(\w+)<>\(SB\), (\w+)", lambda m, name, to: m.put(to, Pointer(name))),
    (r"MOV[QD]? \$(-?\d+), (\w+)", lambda m, n, to: m.put(to, int(n))),
    (r"(?:ADDQ?|ADDI) \$(-?\d+), (\w+)(?:, (\w+))?", lambda m, n, a, to: m.add(to or a, a, int(n))),
    (r"SUB \$(\d+), (\w+), (\w+)", lambda m, n, a, to: m.add(to, a, -int(n))),
    (r"LEAQ (\d+)\((\w+)\), (\w+)", lambda m, n, a, to: m.add(to, a, int(n))),
    (r"ANDQ \$-(\d+), (\w+)", lambda m, n, a: m.align(a, int(n))),
    (r"ADDL \$(-?\d+), (\d+)\((\w+)\)", lambda m, n, offset, a: m.add_word(int(n), int(offset), a)),
    (r"MOVL \$(\d+), (\d+)\((\w+)\)", lambda m, n, offset, a: m.set_word(int(n), int(offset), a)),
    (r"DECL (\d+)\((\w+)\)", lambda m, offset, a: m.decrement_word(int(offset), a)),
    (r"SUBQ (\w+)\+\d+\(FP\), (\w+)", lambda m, name, a: m.subtract(a, name)),
    (r"ADDQ \$(\d+), (\w+)\+\d+\(FP\)", lambda m, n, name: m.advance(name, int(n))),
    (r"DECQ (\w+)\+\d+\(FP\)", lambda m, name: m.decrement_argument(name)),
    (r"DECQ (\w+)", lambda m, a: m.decrement(a)),
    (r"TESTQ (\w+), \1", lambda m, a: setattr(m, "result", m.general[a])),
    (r"JZ (\w+)", lambda m, label: m.is_zero()),
    (r"JNZ (\w+)", lambda m, label: not m.is_zero()),
    (r"(?:CBZ|BEQZ) (\w+), (\w+)", lambda m, a, label: m.general[a] == 0),
    (r"(?:CBNZ|BNEZ) (\w+), (\w+)", lambda m, a, label: m.general[a] != 0),
    (r"CMPBEQ (\w+), \$0, (\w+)", lambda m, a, label: m.general[a] == 0),
    (r"BRCTG (\w+), (\w+)", lambda m, a, label: m.decrement(a) != 0),
    (r"VPXORQ? ([XYZ])(\d+), \1\2, \1\2", lambda m, _, number: m.clear(int(number))),
    (r"XORL (\w+), \1", lambda m, a: m.zero(a)),
    (r"(?:VZERO V|VMOVI \$0, V)(\d+)(?:\.B16)?", lambda m, number: m.clear(int(number))),
    (r"MOV X0, (X\d+)", lambda m, a: m.clear(general_registers(m.architecture).index(a))),
    (r"MOVWU?Z? (\d+)\((\w+)\), (\w+)", lambda m, offset, a, to: m.put(to, m.word(int(offset), a))),
    (r"MOVW (\w+), (\d+)\((\w+)\)", lambda m, a, offset, to: m.set_word(m.count(a), int(offset), to)),
    (r"VZEROUPPER|PCALIGN \$\d+|RET", lambda m: None),
)


@dataclass(frozen=True)
class Line:
    """A line of a function: an instruction of the table, or one on general registers with what its pattern found."""

    number: int
    text: str
    read: Read | None
    control: Control | None = None
    operands: tuple[str | None, ...] = ()
    is_scalar: bool = False


def line_of(
    number: int, text: str, architecture: Architecture, scalar: Architecture | None, controls: Controls = CONTROLS
) -> Line:
    assert architecture.go is not None
    read = architecture.go.read(text)
    if read is None and scalar is not None and scalar.go is not None:
        read = scalar.go.read(text)
        if read is not None:
            return Line(number, text, read, is_scalar=True)
    if read is None and not text.endswith(":"):
        for pattern, control in controls:
            found = re.fullmatch(pattern, text)
            if found is not None:
                return Line(number, text, None, control, found.groups())
        raise ParseError(f"line {number}: {text}: no instruction that is known")
    return Line(number, text, read)


@dataclass(frozen=True)
class Code:
    """A function that has been read: its lines, the indices of its labels, its tables of constants and its frame.

    declaration: the parameters, as Go has them.
    """

    name: str
    architecture: Architecture
    lines: list[Line]
    labels: dict[str, int]
    constants: Storage
    frame_bytes: int
    clears: bool
    scalar: Architecture | None = None
    declaration: str = ""

    def with_line(self, i: int, text: str) -> "Code":
        """Return the function with another text of a line; raise ParseError if there is no such line."""
        line = line_of(self.lines[i].number, text, self.architecture, self.scalar)
        return replace(self, lines=[*self.lines[:i], line, *self.lines[i + 1 :]])

    def after_line(self, i: int, control: Control) -> "Code":
        """Return the function with something else that is done after each time that a line is run."""
        line = Line(self.lines[i].number, "", None, control)
        labels = {label: at + (at > i) for label, at in self.labels.items()}
        return replace(self, lines=[*self.lines[: i + 1], line, *self.lines[i + 1 :]], labels=labels)

    def check_line(self, i: int) -> None:
        """Raise ParseError unless a line takes arguments from where they are."""
        check_arguments(self.lines[i].number, self.lines[i].text, parameters_in(self.declaration))

    def call(
        self,
        arguments: dict[str, General],
        storage: Storage,
        unknown: Callable[[], Any],
        outputs: Mapping[str, Output],
    ) -> "Call":
        """Return a call of the function, before its first instruction.

        - unknown: makes what nothing has set yet.
        - outputs: what it may write, apart from its frame.
        """
        architecture, size = self.architecture, self.architecture.word_bytes
        frame = {("frame", FRAME + i): unknown() for i in range(0, self.frame_bytes, size)}
        writable = {**outputs, "frame": Output(FRAME, FRAME + self.frame_bytes, size)}
        saved = {"BP"} if architecture.goarch == "amd64" and self.frame_bytes else set()
        scratch = SCRATCH[architecture.goarch] | saved
        for known in (architecture, self.scalar):
            if known and known.vector_bytes == known.word_bytes and not scratch.issuperset(general_registers(known)):
                raise Mismatch(f"{known.name} has registers that a function must keep")
        machine = Machine(architecture, storage, dict(arguments), self.scalar, writable, scratch)
        storage |= self.constants | frame
        machine.general = {"SP": Pointer("frame", FRAME), "X0": 0}
        count = architecture.vector_bytes // size
        machine.registers = {number: tuple(unknown() for _ in range(count)) for number in range(architecture.registers)}
        return Call(self, machine, frame)


@dataclass
class Call:
    """A call of a function: its machine, what was in the frame at first, and the index of the next line.

    - steps: the most instructions from one stop to the next.
    """

    code: Code
    machine: Machine
    frame: Storage
    at: int = 0
    steps: int = STEPS_MAX

    def run_to(self, label: str = "") -> bool:
        """Run to where a jump to a label arrives, or to the end; return whether the label was there."""
        return self.run_to_line({self.code.labels[label]} if label else ())

    def run_to_line(self, stops: Container[int]) -> bool:
        """Run to before one of these lines, or to the end; return whether such a line was there."""
        lines, labels = self.code.lines, self.code.labels
        for _ in range(self.steps):
            if self.at == len(lines):
                raise Mismatch(f"{self.code.name} does not return")
            line = lines[self.at]
            self.at += 1
            try:
                if line.read is not None:
                    self.machine.run(line.read, line.is_scalar)
                elif line.control is not None and self.machine.control(line):
                    target = line.operands[-1]
                    if target not in labels:
                        raise ParseError("no such label")
                    self.at = labels[target]
            except Exception as error:
                error.args = (f"line {line.number}: {line.text}: {error}",)
                raise
            if line.text == "RET":
                return False
            if self.at in stops:
                return True
        raise Mismatch(f"{self.code.name} does not end")

    def check_cleared(self) -> None:
        """Raise Mismatch if the function must clear its registers and its frame, and has not."""
        machine = self.machine
        left = {number for value in machine.registers.values() for number in value}
        left |= {number for value in machine.numbers.values() for number in value}
        left |= {machine.storage[place] for place, before in self.frame.items() if machine.storage[place] is not before}
        if self.code.clears and left != {0}:
            raise Mismatch(f"{self.code.name} leaves something in its frame or in registers")


def forked(call: Call) -> Call:
    """Return a copy of a call, to run on another path."""
    machine = copy(call.machine)
    machine.storage = copy(machine.storage)
    for name in ("arguments", "numbers", "general", "registers", "implicit"):
        setattr(machine, name, dict(getattr(machine, name)))
    return replace(call, machine=machine)


def read_function(
    text: str, name: str, architecture: Architecture, clears: bool, scalar: Architecture | None = None
) -> Code:
    """Return a function of a file; the constants of all functions are there, too."""
    file = read_source(text, architecture.word_bytes)
    if name not in file.functions:
        raise ParseError(f"no function {name}")
    source = file.functions[name]
    if source.frame_bytes and architecture.goarch != "amd64":
        raise ParseError(f"line {source.number}: a frame, in which the link register would be")
    lines = [line_of(number, line, architecture, scalar) for number, line in source.lines]
    labels = {line.text[:-1]: i for i, line in enumerate(lines) if line.text.endswith(":")}
    constants: Storage = dict(file.constants)
    return Code(name, architecture, lines, labels, constants, source.frame_bytes, clears, scalar, source.declaration)


def lanes_of(program: Program, names: Iterable[str], values: dict[str, Value]) -> list[Value]:
    return [to_lanes(program, name, values[name]) for name in names]
