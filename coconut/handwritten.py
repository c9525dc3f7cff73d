# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read Go's assembly that people have written for s390x: functions to run, and macros as data-flow graphs.

Macros are expanded in place (preprocess.py), and functions are run by the interpreter (interpret.py). A macro, or a
stretch of a function without jumps, also becomes a program of its own, in which each value is assigned once (the z14
paper's section 8): its parameters are registers of their own names, what it reads before it writes are its inputs. Such a
program is simulated, proved, drawn and scheduled like any other.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from coconut.architectures.s390x_handwritten import HANDWRITTEN, WRITTEN_CONTROLS, singly
from coconut.assembler import ParseError, Read
from coconut.graph import Graph, Node
from coconut.instructions import Memory, Op
from coconut.interpret import Code, Line, line_of
from coconut.operations import Value
from coconut.preprocess import Expanded, Macro, Preprocessor, Statement, expanded, tokens_of
from coconut.program import Program

RELATIVE = re.compile(r"(\d+)\(PC\)")
DATA = re.compile(r"·(\w+)<>\+(\d+)\(SB\)/8")
TEXT = re.compile(r"·(\w+)\(SB\)")


@dataclass(frozen=True)
class Written:
    """A file: its functions by name, as statements, and its constants."""

    source: Expanded
    functions: dict[str, list[Statement]]
    constants: dict[tuple[str, int], int]

    def macro(self, name: str) -> Macro:
        if name not in self.source.macros or self.source.macros[name].parameters is None:
            raise ParseError(f"no macro {name} with parameters")
        return self.source.macros[name]

    def uses(self, name: str) -> list[tuple[str, ...]]:
        """Return what stands for the parameters at each use of a macro."""
        return [use.arguments for use in self.source.uses if use.macro.name == name]

    def code(self, name: str) -> Code:
        """Return a function to be run. It clears nothing, and has no frame."""
        lines: list[Line] = []
        labels: dict[str, int] = {}
        # For each instruction as it is written, the index of the first of those that it has become.
        starts: list[int] = []
        jumps: list[tuple[int, int]] = []
        for statement in self.functions[name]:
            if statement.name.endswith(":"):
                if statement.name[:-1] in labels:
                    raise ParseError(f"line {statement.line}: {statement.name} is there twice")
                labels[statement.name[:-1]] = len(lines)
                continue
            if statement.operands and (relative := RELATIVE.fullmatch(statement.operands[-1])) is not None:
                jumps.append((len(starts), int(relative[1])))
                operands = (*statement.operands[:-1], f"pc{len(starts) + int(relative[1])}")
                statement = replace(statement, operands=operands)
            starts.append(len(lines))
            for single in singly(statement, {}):
                lines.append(line_of(single.line, single.text, HANDWRITTEN, None, WRITTEN_CONTROLS))
        for number, distance in jumps:
            labels[f"pc{number + distance}"] = starts[number + distance]
        return Code(name, HANDWRITTEN, lines, labels, dict(self.constants), 0, False)

    def between(self, function: str, begin: str, end: str) -> list[Statement]:
        """Return the statements of a function from behind the first with one text to the next with another."""
        statements = self.functions[function]
        first = next(i for i, statement in enumerate(statements) if statement.text == begin) + 1
        return statements[first : next(i for i in range(first, len(statements)) if statements[i].text == end)]


def read_written(text: str) -> Written:
    """Return a file of Go's assembly with its macros expanded."""
    source = expanded(text)
    functions: dict[str, list[Statement]] = {}
    constants: dict[tuple[str, int], int] = {}
    sizes: dict[str, int] = {}
    inside: list[Statement] | None = None
    for statement in source.statements:
        where = f"line {statement.line}: {statement.text}"
        if statement.name == "TEXT":
            heading = TEXT.fullmatch(statement.operands[0])
            if heading is None or heading[1] in functions:
                raise ParseError(f"{where}: no function, or one that is there twice")
            inside = functions[heading[1]] = []
        elif statement.name == "DATA":
            place = DATA.fullmatch(statement.operands[0])
            if place is None or len(statement.operands) != 2 or not re.fullmatch(r"\$-?\d+", statement.operands[1]):
                raise ParseError(f"{where}: a constant that is not understood")
            constants[place[1], int(place[2])] = int(statement.operands[1][1:])
        elif statement.name == "GLOBL":
            sizes[statement.operands[0]] = int(statement.operands[-1][1:])
        elif inside is None:
            raise ParseError(f"{where}: an instruction outside of functions")
        else:
            inside.append(statement)
    if {f"·{name}<>(SB)" for name, _ in constants} != sizes.keys():
        raise ParseError("constants and their sizes are not of the same names")
    # What DATA leaves out is zero.
    for symbol, size in sizes.items():
        name = symbol[1 : -len("<>(SB)")]
        constants |= {(name, at): constants.get((name, at), 0) for at in range(0, size, 8)}
    return Written(source, functions, constants)


@dataclass
class Straight:
    """The statements of a block without jumps, on the way to a program, in which each value is assigned once.

    bases: what is at pointers in general registers. Instructions on general registers are left out, apart from additions
    to pointers and the addresses of constants; values are negative until it is known how many inputs there are.
    """

    title: str
    statements: Sequence[Statement]
    parameters: tuple[str, ...] = ()
    distances: Mapping[tuple[str, str], int] = field(default_factory=dict)
    bases: Mapping[str, str] = field(default_factory=dict)
    constants: tuple[Value, ...] = ()
    outputs: Collection[str] = ()
    advance: int = 0

    def __post_init__(self) -> None:
        assembler = HANDWRITTEN.go
        assert assembler is not None
        registers = (*assembler.registers, *self.parameters)
        self.assembler = replace(assembler, registers=registers)
        self.inputs: list[str] = []
        self.held: dict[str, int] = {}
        self.ops: list[Op] = []
        self.moved: dict[str, int] = {}
        self.pointers = dict(self.bases)
        for statement in self.statements:
            # What jumps to a label in between is another path.
            for single in singly(statement, self.distances) if not statement.name.endswith(":") else ():
                self.add(single)

    def value_in(self, register: str) -> int:
        if register not in self.held:
            self.inputs.append(register)
            self.held[register] = len(self.inputs) - 1
        return self.held[register]

    def add(self, statement: Statement) -> None:
        read = self.assembler.read(statement.text)
        if read is None:
            self.skip(statement)
            return
        names = self.assembler.registers
        registers = {key: names[number] for key, number in read.registers.items()}
        count = read.instruction.operands - (read.pointer != "")
        args = tuple(self.value_in(registers[str(i)] if str(i) in registers else registers["d"]) for i in range(count))
        if read.instruction.stores:
            raise ParseError(f"line {statement.line}: {statement.text}: a store in a block")
        self.ops.append(Op(read.instruction, args, read.imm, self.place(statement, read)))
        self.held[registers["0" if read.instruction.accumulates and "0" in registers else "d"]] = -len(self.ops)

    def place(self, statement: Statement, read: Read) -> Memory | None:
        if not read.pointer:
            return None
        if read.pointer not in self.pointers:
            raise ParseError(f"line {statement.line}: {statement.text}: what {read.pointer} points to is not known")
        return Memory(self.pointers[read.pointer], read.offset + self.moved.get(read.pointer, 0))

    def skip(self, statement: Statement) -> None:
        """Leave out an instruction on general registers; remember how far it moves a pointer."""
        moved = re.fullmatch(r"MOVD \$(\d+)\((R\d+)\), \2", statement.text)
        if moved is not None:
            self.moved[moved[2]] = self.moved.get(moved[2], 0) + int(moved[1])
        elif (symbol := re.fullmatch(r"MOVD \$·(\w+)<>\(SB\), (R\d+)", statement.text)) is not None:
            self.pointers[symbol[2]] = symbol[1]
        elif not re.fullmatch(r"(SUB|ADD) \$\d+, R\d+|CMPBL[ET] R\d+, \$\d+, \w+", statement.text):
            raise ParseError(f"line {statement.line}: {statement.text}: not an instruction on vectors")

    @cached_property
    def program(self) -> Program:
        first = len(self.inputs)
        ops = [replace(op, args=tuple(arg if arg >= 0 else first - 1 - arg for arg in op.args)) for op in self.ops]
        left = {name: value if value >= 0 else first - 1 - value for name, value in self.held.items() if value < 0}
        outputs = tuple((name, value) for name, value in left.items() if not self.outputs or name in self.outputs)
        needed = {value for _, value in outputs}
        for i in reversed(range(len(ops))):
            if first + i in needed:
                needed.update(ops[i].args)
        # What only outputs need that are left out is not computed.
        kept = [i for i in range(len(ops)) if first + i in needed]
        at = {i: i for i in range(first)} | {first + i: first + k for k, i in enumerate(kept)}
        ops = [replace(ops[i], args=tuple(at[arg] for arg in ops[i].args), node=at[first + i]) for i in kept]
        outputs = tuple((name, at[value]) for name, value in outputs)
        graph = self.graph(ops, outputs)
        return Program(HANDWRITTEN, graph, (0, 1), tuple(self.inputs), (), tuple(ops), outputs, self.constants)

    def graph(self, ops: Sequence[Op], outputs: Sequence[tuple[str, int]]) -> Graph:
        nodes = [Node("input", (), (0,), name=name) for name in self.inputs]
        for op in ops:
            place = () if op.memory is None else (op.memory.offset,)
            name = op.instruction.name if op.memory is None else f"load_{op.memory.base}"
            nodes.append(Node(name, op.args, (*(() if op.imm is None else (op.imm,)), *place)))
        nodes += [Node("output", (value,), name=name) for name, value in outputs]
        return Graph("written", 2, self.title, self.advance, tuple(nodes))


def macro_block(
    written: Written, name: str, outputs: Collection[str] = (), bases: Mapping[str, str] | None = None
) -> Program:
    """Return a macro as a program; by default, all that it writes is an output.

    bases: the symbols of constants to which pointers in general registers point.
    """
    macro = written.macro(name)
    parameters = macro.parameters or ()
    # With parameters as arguments, a use of the macro is its body.
    reader = Preprocessor({key: value for key, value in written.source.macros.items() if key not in parameters})
    call = f"{name}({', '.join(parameters)})\n"
    statements = list(reader.expanded_statements(tokens_of(call)[:-1]))
    symbols = tuple((bases or {}).values())
    if len(symbols) > 1:
        raise ParseError(f"{name}: constants at several symbols")
    numbers = [
        number for symbol in symbols for (base, _), number in sorted(written.constants.items()) if base == symbol
    ]
    constants = tuple(tuple(numbers[i : i + 2]) for i in range(0, len(numbers), 2))
    block = Straight(
        name,
        statements,
        parameters,
        distances_in(written, name, parameters),
        dict.fromkeys(bases or {}, "constants"),
        constants,
        outputs,
    )
    return block.program


def distances_in(written: Written, name: str, parameters: Sequence[str]) -> dict[tuple[str, str], int]:
    """Return how many registers lie between two parameters, if that is the same at all uses."""
    found: dict[tuple[str, str], set[int]] = {}
    for arguments in written.uses(name):
        vectors = {
            key: int(text[1:]) for key, text in zip(parameters, arguments, strict=True) if re.fullmatch(r"V\d+", text)
        }
        for a, x in vectors.items():
            for b, y in vectors.items():
                found.setdefault((a, b), set()).add(y - x)
    return {pair: distances.pop() for pair, distances in found.items() if len(distances) == 1}


def shared(written: Written, name: str) -> list[int]:
    """Return the lines of the uses of a macro at which it writes a register that has two names in it. There it may
    compute something else than as a program, whose registers all differ."""
    program = macro_block(written, name, (), {"R12": ""})
    written_to = {of for of, _ in program.outputs}
    taken = {*program.inputs, *written_to}
    parameters = written.macro(name).parameters or ()
    lines = []
    for use in written.source.uses:
        if use.macro.name == name:
            given = dict(zip(parameters, use.arguments, strict=True))
            registers = Counter(given.get(of, of) for of in taken)
            if any(registers[given.get(of, of)] > 1 for of in written_to):
                lines.append(use.line)
    return lines


def expressions(program: Program, values: Sequence[Value] = ()) -> list[str]:
    """Return every value with its expression, as the paper prints it, and what it is on a sample, if that is given."""
    names = list(program.inputs)
    outputs = {value: name for name, value in program.outputs}
    lines = []
    for i, op in enumerate(program.ops):
        number = program.first_op + i
        names.append(outputs.get(number) or f"v{number}")
        parts = [names[arg] for arg in op.args]
        parts += [] if op.imm is None else [str(op.imm)]
        parts += [] if op.memory is None else [f"{op.memory.base}+{op.memory.offset}"]
        term = f"{op.instruction.name}({', '.join(parts)})"
        shown = f"{' '.join(map(hex, values[number]))}, " if values else ""
        lines.append(f"{names[number]:10} ({shown}{term})")
    return lines
