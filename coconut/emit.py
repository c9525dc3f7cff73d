# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write programs as functions in the syntax of an assembler; Syntax in architecture.py lists their arguments.

Loops load the accumulator's limbs, run `turns` iterations over the message, and store the limbs again. Other basic
blocks load inputs where they are used, and store outputs as soon as they are there.
"""

from dataclasses import dataclass

from coconut.architecture import GoSyntax, Syntax, go_constants
from coconut.instructions import Memory
from coconut.operations import Value
from coconut.program import Program
from coconut.registers import Allocation, allocate, allocate_straight

BLOCK_BYTES = 16
LICENCE = "SPDX-License-Identifier: Apache-2.0 OR MIT"


def with_kept(program: Program) -> list[Value]:
    """Return all constants in memory: those of instructions, then those that are loaded before the loop."""
    return [*program.constants, *program.kept]


def summary(program: Program) -> str:
    turn = f" a turn, of {program.graph.advance} bytes" if program.is_loop else ""
    return (
        f"{program.graph.title}: {len(program.ops)} instructions{turn}{'; ' * bool(program.choices)}{program.choices}."
    )


def ordered_moves(allocation: Allocation) -> list[tuple[int, int]]:
    """Return the moves in an order in which none overwrites what a later one moves."""
    moves = list(allocation.moves)
    result = []
    while moves:
        move = next((move for move in moves if move[1] not in {source for source, _ in moves}), None)
        if move is None:
            raise ValueError("values change places from one turn to the next")
        result.append(move)
        moves.remove(move)
    return result


def body(program: Program, allocation: Allocation, syntax: Syntax) -> list[str]:
    """Return the assembly of an iteration."""
    registers = allocation.registers
    lines = [
        syntax.text(op, [registers[arg] for arg in op.args], registers[program.first_op + i])
        for i, op in enumerate(program.ops)
    ]
    return lines + [syntax.move(to, source) for source, to in ordered_moves(allocation)]


def straight_body(program: Program, syntax: Syntax) -> list[str]:
    """Return the assembly of a basic block that is not a loop."""
    lines = []
    for step in allocate_straight(program).steps:
        if step.op is not None:
            lines.append(syntax.text(step.op, list(step.args), step.result))
        elif step.memory is None:
            lines.append(syntax.move(step.result, step.args[0]))
        else:
            lines.append((syntax.store if step.stores else syntax.load)(step.result, step.memory))
    return lines


def argument_words(program: Program) -> tuple[int, int]:
    """Return the lengths of the first two arguments of its function, in 64-bit words."""
    scratch = 0 if program.is_loop else allocate_straight(program).scratch
    return program.output_words() + scratch * program.architecture.vector_bytes // 8, program.input_words()


def go_parameters(program: Program) -> str:
    """Return the parameters of the function in Go.

    If the inputs begin with words, they are a State.
    """
    if program.architecture.scalable:
        return "(t, powers *uint64, message *byte, turns uint64)"
    first, second = argument_words(program)
    if program.is_loop:
        return f"(t *[{first}]uint64, powers *[{second}]uint64, message *byte, turns uint64)"
    given = "*State" if next(iter(program.memory_inputs())) in program.words else f"*[{second}]uint64"
    return f"(out *[{first}]uint64, in {given}{', message *byte' * program.loads_message})"


def lines_of(program: Program, name: str, syntax: Syntax) -> list[str]:
    """Return the assembly of a function from where its pointers are set."""
    if not program.is_loop:
        return straight_body(program, syntax)
    size = program.architecture.vector_bytes
    state = [Memory("state", i * size) for i in range(len(program.inputs))]
    kept = [Memory("constants", (len(program.constants) + i) * size) for i in range(len(program.kept))]
    return [
        *(syntax.load(register, place) for register, place in enumerate([*state, *kept])),
        *syntax.loop(name),
        *body(program, allocate(program), syntax),
        *syntax.advance(program.graph.advance),
        *syntax.again(name),
        *(syntax.store(register, place) for register, place in enumerate(state)),
    ]


def assembly(program: Program, name: str, syntax: Syntax) -> str:
    """Return the function and its constants."""
    return "\n".join(
        [
            *syntax.begin(
                name, summary(program), go_parameters(program), len(program.memory_inputs()), program.graph.advance
            ),
            *lines_of(program, name, syntax),
            *(syntax.clear(program.architecture.registers) if program.ends else []),
            *syntax.end(name, [number for vector in with_kept(program) for number in vector]),
            "",
        ]
    )


@dataclass(frozen=True)
class Message:
    """A function of several basic blocks.

    The first begins a message, and its outputs determine the place of everything in the function's frame. Loops follow,
    each with its own number of iterations, which may be 0. The last block ends the message.
    """

    name: str
    parts: tuple[Program, ...]

    def part_name(self, part: Program) -> str:
        return self.name + "".join(word.capitalize() for word in part.graph.name.split())

    def turns(self) -> dict[str, Program]:
        """Return the loops, by the names of their arguments."""
        return {"turns" + self.part_name(part).removeprefix(self.name): part for part in self.parts if part.is_loop}

    def places(self, part: Program) -> dict[str, int | None]:
        """Return where in the frame a part has its inputs and its outputs; None for an argument of the function."""
        begin, end = self.parts[0], self.parts[-1]
        frame, inputs = begin.memory_outputs(), part.memory_inputs()
        if part is begin:
            return {"state": 0, "powers": None}
        # Inputs in another order than that of `begin` are a mistake in coconut/lines/; unused ones may be missing.
        first = frame[next(iter(inputs))]
        needed = {op.memory.offset for op in part.ops if op.memory is not None and op.memory.base == "powers"}
        for name, offset in inputs.items():
            taken = any(0 <= at - offset < begin.architecture.vector_bytes for at in needed)
            if taken and frame.get(name) != first + offset:
                raise ValueError(
                    f"{self.name}: {part.graph.name} does not find {name} where {begin.graph.name} leaves it"
                )
        return {"state": None if part is end else frame[part.inputs[0]], "powers": first}

    def go_parameters(self) -> str:
        out, _ = argument_words(self.parts[-1])
        turns = ", ".join(self.turns())
        return f"(out *[{out}]uint64, in *State, message *byte, {turns} uint64)"

    def description(self) -> str:
        names = ", ".join(part.graph.name for part in self.parts)
        return f"{self.parts[0].graph.kernel}: {names}; {self.parts[0].choices}."

    def assembly(self) -> str:
        """Return the function in Go's assembler."""
        begin = self.parts[0]
        syntax, architecture = go_syntax(begin), begin.architecture
        frame_bytes = 8 * argument_words(begin)[0]
        lines = syntax.message_begin(self.name, self.description(), self.go_parameters(), frame_bytes)
        constants: list[str] = []
        for part in self.parts:
            name = self.part_name(part)
            counter = next((argument for argument, loop in self.turns().items() if loop is part), None)
            lines += syntax.part_begin(self.go_parameters(), name, self.places(part), counter)
            lines += lines_of(part, name, syntax)
            lines += syntax.part_end(name, part.graph.lanes * BLOCK_BYTES if part is begin else 0, part.is_loop)
            constants += go_constants(name, [number for vector in with_kept(part) for number in vector])
        lines += [*syntax.clear(architecture.registers), *syntax.message_end(frame_bytes), *constants, ""]
        return "\n".join(lines)


def go_header(constraint: str) -> list[str]:
    return [f"// {LICENCE}", "", "// Code generated by coconut; DO NOT EDIT.", "", f"//go:build {constraint}", ""]


def go_syntax(program: Program) -> GoSyntax:
    if program.architecture.go is None:
        raise ValueError(f"{program.architecture.name} is not written in Go's assembly")
    return program.architecture.go


def go_file(functions: list[str], constraint: str) -> str:
    return "\n".join([*go_header(constraint), '#include "textflag.h"', "", *functions])


def go_interface(declarations: dict[str, str], package: str, constraint: str) -> str:
    """Return a Go file that declares functions, by name and parameters, each under its description."""
    lines = [*go_header(constraint), f"package {package}"]
    for function, text in declarations.items():
        lines += ["", f"// {text}", "//", "//go:noescape", f"func {function}"]
    return "\n".join([*lines, ""])


def go_table(programs: dict[str, Program]) -> str:
    """Return the Go code for the test: the type State, and the functions by name, on slices."""
    lines = ["", "type State [7]uint64", ""]
    lines.append("var functions = map[string]func(t, powers []uint64, message *byte, turns uint64){")
    for name, program in programs.items():
        first, second = (parameter.split()[-1] for parameter in go_parameters(program)[1:].split(", ")[:2])
        rest = ", message, turns" if program.is_loop else ", message" * program.loads_message
        slices = f"({first})(t), ({second.rstrip(')')})(powers)"
        if program.architecture.scalable:
            slices = "&t[0], &powers[0]"
        lines += [
            f'\t"{name}": func(t, powers []uint64, message *byte, turns uint64) {{',
            f"\t\t{name}({slices}{rest})",
            "\t},",
        ]
    return "\n".join([*lines, "}", ""])
