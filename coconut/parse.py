# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads Go assembly back into a program: section 8's parser of the z14 paper.

Registers become values, each assigned once; what the function loads before its loop are the inputs and the constants, what it
stores after it the outputs. What is read is simulated like what was selected, so that an emitted file is checked as it is.
"""

import re
from dataclasses import dataclass, field

from coconut.operations import Value
from coconut.program import Op, Program

class Unreadable(Exception):
    """A line that is not understood, with its number."""


@dataclass
class Function:
    """The lines of a function, by where they stand: before the loop, in it, after it."""

    name: str
    parts: tuple[list[tuple[int, str]], list[tuple[int, str]], list[tuple[int, str]]] = field(
        default_factory=lambda: ([], [], [])
    )
    constants: dict[int, int] = field(default_factory=dict)


def functions(text: str) -> dict[str, Function]:
    """Those of a file, and their constants."""
    found: dict[str, Function] = {}
    data: dict[str, dict[int, int]] = {}
    current, part = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("//")[0].strip()
        if heading := re.match(r"TEXT ·(\w+)\(SB\)", line):
            current, part = found.setdefault(heading[1], Function(heading[1])), 0
        elif entry := re.match(r"DATA ·(\w+)\+(\d+)\(SB\)/8, \$(\w+)$", line):
            data.setdefault(entry[1], {})[int(entry[2])] = int(entry[3], 0)
        elif line == "loop:":
            part = 1
        elif current is not None and line and not line.startswith(("GLOBL", "#include")):
            current.parts[part].append((number, line))
            if line == "JNZ loop":
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
    """The function as a program for the same graph: what it computes, and in which order, is its own."""
    function = functions(text).get(name)
    if function is None:
        raise Unreadable(f"no function {name}")
    vector_bytes, syntax = like.architecture.vector_bytes, like.architecture.go
    if syntax is None:
        raise Unreadable(f"{like.architecture.name} is not written in Go's assembly")

    def vector_at(offset: int) -> Value:
        return tuple(function.constants[offset + i] for i in range(0, vector_bytes, 8))

    values: dict[str, int] = {}
    kept: list[Value] = []
    for number, line in function.parts[0]:
        mnemonic, operands = split(line)
        place = syntax.memory(operands[0]) if operands else None
        if place is None or not syntax.is_vector(operands[-1]):
            continue  # arguments
        if place.base == "state":
            values[operands[1]] = place.offset // vector_bytes
        elif place.base == "constants":
            values[operands[1]] = len(like.inputs) + len(kept)
            kept.append(vector_at(place.offset))
        else:
            raise Unreadable(f"line {number}: {line}")
    first = len(like.inputs) + len(kept)
    ops: list[Op] = []
    for number, line in function.parts[1]:
        mnemonic, operands = split(line)
        if not syntax.is_vector(operands[-1]):
            continue  # pointer and counter
        op = syntax.read(mnemonic, operands, values)
        if op is None:
            raise Unreadable(f"line {number}: {line}")
        values[operands[-1]] = first + len(ops)
        ops.append(op)
    outputs = []
    for number, line in function.parts[2]:
        mnemonic, operands = split(line)
        place = syntax.memory(operands[-1]) if operands else None
        if place is not None and place.base == "state":
            outputs.append((like.inputs[place.offset // vector_bytes], values[operands[0]]))
    constants = [vector_at(offset) for offset in range(0, max(function.constants, default=-8) + 8, vector_bytes)]
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
