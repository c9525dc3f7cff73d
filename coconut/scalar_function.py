# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write functions of four basic blocks: "begin", the loop "block", "last" and "end".

    void NAME(struct poly1305 *state, const uint8_t *message, uint64_t blocks, const uint8_t last[16])

They continue a value over whole blocks, at least one, of which "begin" takes the first, and then over a padded one if
last is not NULL. Between the basic blocks, values are in registers: the inputs of the loop, in its order.
"""

from dataclasses import dataclass
from functools import cache

from coconut.architecture import Architecture
from coconut.architectures.scalar import ScalarSyntax
from coconut.emit import go_header, ordered_moves
from coconut.graph import Graph
from coconut.instructions import Memory, Op
from coconut.orders import by_list, simulated_cycles
from coconut.parse import Unreadable
from coconut.program import Program
from coconut.registers import allocate


def program_of(architecture: Architecture, graph: Graph) -> Program:
    """Return the program of a graph, with its inputs where the graph has them, even if it is not a loop."""
    graph = graph.simplified()
    return architecture.selector(architecture, graph, architecture.order(graph.lanes), {}).program()


@dataclass(frozen=True)
class Function:
    name: str
    begin: Program
    loop: Program
    last: Program
    end: Program

    def __post_init__(self) -> None:
        if not (
            self.loop.inputs == self.last.inputs == self.end.inputs
            and set(self.loop.inputs) == {name for name, _ in self.begin.outputs}
        ):
            raise ValueError(f"{self.name}: its lines do not fit together")

    @property
    def lines(self) -> tuple[Program, Program, Program, Program]:
        return self.begin, self.loop, self.last, self.end

    def stores(self) -> dict[str, Memory]:
        """Return where the outputs go: to the inputs of the same names."""
        places = self.begin.memory_inputs()
        return {name: Memory("powers", places[name]) for name, _ in self.end.outputs}

    def description(self) -> str:
        count = [len(line.ops) for line in self.lines]
        return f"{self.loop.graph.title}: {count[1]} instructions a block, {count[0]} before and {count[3]} after all."


def syntax_of(function: Function, assembler: str) -> ScalarSyntax:
    syntax = getattr(function.loop.architecture, assembler)
    assert isinstance(syntax, ScalarSyntax)
    return syntax


@cache
def ordered(program: Program) -> Program:
    """Return the program in the order that is best over the models of all CPUs, with equal weights."""
    cpus = program.architecture.cpus
    ways = [program, *(by_list(program, cpu) for cpu in cpus)]
    candidates = list({way.ops: way for way in ways}.values())
    cycles = [[simulated_cycles(candidate, cpu) for candidate in candidates] for cpu in cpus]
    total = [sum(column[i] / min(column) for column in cycles) for i in range(len(candidates))]
    return candidates[total.index(min(total))]


def function_of(name: str, architecture: Architecture, graphs: dict[str, Graph]) -> Function:
    begin, loop, last, end = (program_of(architecture, graphs[line]) for line in ("begin", "block", "last", "end"))
    return Function(name, begin, ordered(loop), ordered(last), end)


def placed(lines: tuple[str, ...], label: str) -> list[str]:
    """Return lines with labels and indentation; directives are not indented."""
    return [text if text.startswith(".") else "\t" + text.format(label=label) for text in lines]


def written(function: Function, syntax: ScalarSyntax, label: str) -> list[str]:
    """Return the function from where its pointers are set."""

    def line(program: Program, ends: dict[int, int] | None) -> tuple[list[str], tuple[int, ...]]:
        allocation = allocate(program, ends)
        registers = allocation.registers
        text = [
            syntax.text(op, [registers[arg] for arg in op.args], registers[program.first_op + i])
            for i, op in enumerate(program.ops)
        ]
        return text + [syntax.move(to, source) for source, to in ordered_moves(allocation)], registers

    place = {name: register for register, name in enumerate(function.loop.inputs)}
    begin, _ = line(function.begin, {value: place[name] for name, value in function.begin.outputs})
    loop, _ = line(function.loop, None)
    last, _ = line(function.last, None)
    end, registers = line(function.end, {})
    stores = function.stores()
    style = syntax.style
    return [
        *begin,
        *placed(style.none_left, label + "rest"),
        *syntax.advance(function.begin.graph.advance),
        *placed(style.loop, ""),
        f"{label}loop:",
        *loop,
        *syntax.advance(function.loop.graph.advance),
        *placed(style.again, label + "loop"),
        f"{label}rest:",
        *placed(style.no_last, label + "done"),
        *last,
        f"{label}done:",
        *end,
        *(syntax.store(registers[value], stores[name]) for name, value in function.end.outputs),
        *placed(style.tail, ""),
    ]


def framed(name: str, syntax: ScalarSyntax, lines: list[str]) -> str:
    """Return lines that run once, as a function in GNU's assembler."""
    style = syntax.style
    return gnu_frame(name, syntax, [*lines, *placed(style.no_last, f".L{name}"), f".L{name}:", *placed(style.tail, "")])


def gnu_frame(name: str, syntax: ScalarSyntax, lines: list[str]) -> str:
    mark = syntax.style.type_mark
    return "\n".join(
        [
            ".text",
            f".globl {name}",
            f".type {name}, {mark}function",
            ".p2align 6",
            f"{name}:",
            *placed(syntax.style.head, ""),
            *lines,
            f".size {name}, . - {name}",
            f'.section .note.GNU-stack,"",{mark}progbits',
            "",
        ]
    )


def gnu_text(function: Function) -> str:
    syntax = syntax_of(function, "gnu")
    return gnu_frame(function.name, syntax, written(function, syntax, f".L{function.name}_"))


def go_text(function: Function, constraint: str) -> str:
    syntax = syntax_of(function, "go")
    return "\n".join(
        [
            *go_header(constraint),
            '#include "textflag.h"',
            "",
            f"// func {function.name}(p *State, message *byte, blocks uint64, last *byte)",
            f"// {function.description()}",
            f"TEXT ·{function.name}(SB), NOSPLIT, $0-32",
            *placed(syntax.style.head, ""),
            *written(function, syntax, ""),
            "",
        ]
    )


def read_back(text: str, like: Function) -> Function:
    """Return the function as it is in a Go file.

    What it computes, and in which order, comes from the text alone.
    """
    syntax = syntax_of(like, "go")
    style = syntax.style
    parts: list[list[tuple[int, str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("//")[0].strip()
        if line.startswith("TEXT "):
            parts.append([])
        elif line in {"loop:", "rest:", "done:"}:
            parts.append([])
        elif parts and line:
            parts[-1].append((number, line))
    if len(parts) != len(like.lines):
        raise Unreadable(f"{like.name}: {len(parts)} lines, not {len(like.lines)}")
    frame = {
        text.format(label=label)
        for text in (*style.head, *style.none_left, *style.loop, *style.again, *style.no_last, *style.tail)
        for label in ("loop", "rest", "done")
    }
    frame |= {style.advance.format(i=line.graph.advance) for line in like.lines}
    names = like.loop.inputs
    stores = {place: name for name, place in like.stores().items()}

    def line_of(part: list[tuple[int, str]], program: Program) -> Program:
        first = len(program.inputs)
        registers = {style.registers[i]: i for i in range(first)}
        held: dict[str, int] = {}
        ops: list[Op] = []
        outputs: list[tuple[str, int]] = []
        for number, text in part:
            if text in frame:
                continue
            stored = syntax.found(style.store, text)
            if stored is not None:
                outputs.append((stores[syntax.place(stored)], registers[stored["r0"]]))
                continue
            op, result = read_instruction(text, number, registers, held)
            for place in op.instruction.destroys:
                held.pop(place, None)
            for place in op.instruction.gives:
                held[place] = first + len(ops)
            if result is not None:
                registers[result] = first + len(ops)
            ops.append(op)
        if program is not like.end:
            wanted = {name for name, _ in program.outputs}
            outputs = [(name, registers[style.registers[i]]) for i, name in enumerate(names) if name in wanted]
        return Program(
            program.architecture,
            program.graph,
            program.order,
            program.inputs,
            (),
            tuple(ops),
            tuple(outputs),
            (),
            "parsed",
        )

    def read_instruction(
        text: str, number: int, registers: dict[str, int], held: dict[str, int]
    ) -> tuple[Op, str | None]:
        for instruction in syntax.instructions.values():
            found = syntax.found(syntax.template(instruction), text)
            if found is None:
                continue
            taken = dict(instruction.takes)
            operands = instruction.operands - bool(instruction.memory)
            try:
                args = tuple(held[taken[i]] if i in taken else registers[found[f"r{i}"]] for i in range(operands))
            except KeyError as error:
                raise Unreadable(f"line {number}: {text}: nothing is in {error}") from None
            result = found["r0"] if instruction.accumulates else found.get("rd")
            place = syntax.place(found) if "pointer" in found else None
            return Op(instruction, args, int(found["i"]) if "i" in found else None, place), result
        raise Unreadable(f"line {number}: {text}")

    return Function(like.name, *(line_of(part, program) for part, program in zip(parts, like.lines, strict=True)))
