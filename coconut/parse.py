# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read Go assembly back into a program: the z14 paper's parser (section 8).

Registers become values, each assigned once. What the function loads before its loop are the inputs and the constants;
what it stores after the loop are the outputs. A block that is not a loop loads and stores in between. The program read
is simulated like the selected one, so that an emitted file is checked as it is.
"""

import re
from dataclasses import dataclass, field, replace

from coconut.architecture import GoSyntax
from coconut.instructions import Memory, Op
from coconut.operations import Value
from coconut.program import Program


class Unreadable(Exception):
    """Raised for a line of assembly that is not understood, with its number."""


@dataclass
class Function:
    """The lines of a function, by position: before the loop, in it, and after it."""

    name: str
    parts: tuple[list[tuple[int, str]], list[tuple[int, str]], list[tuple[int, str]]] = field(
        default_factory=lambda: ([], [], [])
    )
    constants: dict[int, int] = field(default_factory=dict)


def functions(text: str) -> dict[str, Function]:
    """Return the functions of a file, with their constants, by name."""
    found: dict[str, Function] = {}
    data: dict[str, dict[int, int]] = {}
    current, part = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if begins := re.match(r"// part (\w+)$", line):
            current, part = found.setdefault(begins[1], Function(begins[1])), 0
        line = line.split("//")[0].strip()
        if heading := re.match(r"TEXT ·(\w+)\(SB\)", line):
            current, part = found.setdefault(heading[1], Function(heading[1])), 0
        elif entry := re.match(r"DATA ·(\w+)\+(\d+)\(SB\)/8, \$(\w+)$", line):
            data.setdefault(entry[1], {})[int(entry[2])] = int(entry[3], 0)
        elif re.match(r"loop\w*:$", line):
            part = 1
        elif current is not None and line and not line.startswith(("GLOBL", "#include")):
            current.parts[part].append((number, line))
            # The loop's label is "loop" and the name of the block.
            if re.search(r"\sloop\w*$", line):
                part = 2
            if line == "RET":
                current = None
    for name, function in found.items():
        function.constants = data.get(f"{name}Constants", {})
    return found


def split(line: str) -> tuple[str, list[str]]:
    mnemonic, _, operands = line.partition(" ")
    return mnemonic, [operand.strip() for operand in operands.split(",")] if operands else []


def parse(text: str, name: str, like: Program) -> Program:
    """Return the function as a program for the same graph.

    What it computes, and in which order, comes from the text alone.
    """
    function = functions(text).get(name)
    if function is None:
        raise Unreadable(f"no function {name}")
    vector_bytes, syntax = like.architecture.vector_bytes, like.architecture.go
    if syntax is None:
        raise Unreadable(f"{like.architecture.name} is not written in Go's assembly")

    syntax.begin_reading()
    words = syntax.words_of_vectors(function.constants)

    def vector_at(offset: int) -> Value:
        return tuple(words[offset + i] for i in range(0, vector_bytes, 8))

    constants = [vector_at(offset) for offset in range(0, max(words, default=-8) + 8, vector_bytes)]
    if not like.is_loop:
        return parse_straight(function, constants, like, syntax)
    values: dict[int, int] = {}
    kept: list[Value] = []
    for number, line in function.parts[0]:
        mnemonic, operands = split(line)
        place = syntax.memory(operands[0]) if operands else None
        register = syntax.vector(operands[-1]) if operands else None
        if place is None or register is None:
            syntax.follow(mnemonic, operands)
            continue  # arguments
        if place.base == "state":
            values[register] = place.offset // vector_bytes
        elif place.base == "constants":
            values[register] = len(like.inputs) + len(kept)
            kept.append(vector_at(place.offset))
        else:
            raise Unreadable(f"line {number}: {line}")
    first = len(like.inputs) + len(kept)
    before = dict(values)
    ops: list[Op] = []
    for number, line in function.parts[1]:
        mnemonic, operands = split(line)
        register = syntax.vector(operands[-1]) if operands else None
        if register is None:
            syntax.follow(mnemonic, operands)
            continue  # pointer and counter
        op = syntax.read(mnemonic, operands, values)
        if op is None:
            raise Unreadable(f"line {number}: {line}")
        values[register] = first + len(ops)
        ops.append(op)
    outputs = []
    for number, line in function.parts[2]:
        mnemonic, operands = split(line)
        place = syntax.memory(operands[-1]) if operands else None
        register = syntax.vector(operands[0]) if operands else None
        if operands and place is None:
            syntax.follow(mnemonic, operands)
        if place is not None and place.base == "state" and register is not None:
            outputs.append((like.inputs[place.offset // vector_bytes], values[register]))
    check_turns(function, like, before, values, dict(outputs))
    return Program(
        like.architecture,
        like.graph,
        like.order,
        like.inputs,
        tuple(kept),
        tuple(ops),
        tuple(outputs),
        tuple(constants),
        "parsed",
    )


def check_turns(
    function: Function, like: Program, before: dict[int, int], after: dict[int, int], outputs: dict[str, int]
) -> None:
    """Raise Unreadable unless the next iteration finds its values.

    The text is read, and simulated, as one iteration. So afterwards each register that is loaded before the loop must
    hold what is stored of it after the last iteration, or else what it held before.
    """
    if missing := {name for name, _ in like.outputs} - outputs.keys():
        raise Unreadable(f"{function.name} does not store {', '.join(sorted(missing))}")
    for register, value in before.items():
        name = like.inputs[value] if value < len(like.inputs) else f"constant {value - len(like.inputs)}"
        if after[register] != outputs.get(name, value):
            raise Unreadable(f"{function.name}: register {register} does not hold {name} for the next turn")


def parse_straight(function: Function, constants: list[Value], like: Program, syntax: GoSyntax) -> Program:
    """Return a basic block that is not a loop as a program.

    What it loads from where it has stored is the value that it stored there.
    """
    values: dict[int, int] = {}
    stored: dict[Memory, int] = {}
    ops: list[Op] = []
    clearing = {line.strip() for line in syntax.clear(like.architecture.registers)} if like.ends else set()
    cleared = {syntax.vector(split(line)[1][-1]) for line in clearing}
    if like.ends and cleared != set(range(like.architecture.registers)):
        raise Unreadable(f"{function.name} does not clear every register")
    for number, line in function.parts[0]:
        mnemonic, operands = split(line)
        if line in clearing:
            clearing.remove(line)
            values = {}
            continue
        if not operands:
            continue
        to, source = syntax.memory(operands[-1]), syntax.vector(operands[0])
        if to is not None and to.base == "state" and source in values:
            stored[replace(to, broadcast=False)] = values[source]
            continue
        register = syntax.vector(operands[-1])
        if register is None:
            continue  # pointers
        place = syntax.memory(operands[0])
        if place in stored and len(operands) == 2:
            values[register] = stored[place]
            continue
        op = syntax.read(mnemonic, operands, values)
        if op is None or op.memory is not None and op.memory.base == "state":
            raise Unreadable(f"line {number}: {line}")
        values[register] = len(ops)
        ops.append(op)
    if clearing:
        raise Unreadable(f"{function.name} does not clear registers: {', '.join(sorted(clearing))}")
    outputs = []
    for name, offset in like.memory_outputs().items():
        if Memory("state", offset) not in stored:
            raise Unreadable(f"{function.name} does not store {name}")
        outputs.append((name, stored[Memory("state", offset)]))
    return replace(
        like, inputs=(), kept=(), ops=tuple(ops), outputs=tuple(outputs), constants=tuple(constants), choices="parsed"
    )
