# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe z/Architecture as people write it in Go's assembly: instructions that no selection emits.

Numbers also pass between vectors and general registers, and lengths that are not known before decide what is loaded.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from coconut.architectures.pairs import low
from coconut.architectures.s390x import Z13_INSTRUCTIONS, Z14, Z14_INSTRUCTIONS, assemblers
from coconut.assembler import ParseError
from coconut.instructions import Instruction, Meaning, elements, octets, of_octets, table
from coconut.interpret import CONTROLS, Controls, Machine
from coconut.operations import SUM_MAX, WORD_MAX, Value
from coconut.preprocess import Statement


def whole(a: Value) -> Any:
    """Return 128 bits as a number."""
    return a[0] << 64 | a[1]


def in_elements(number: Any) -> Value:
    return (number >> 64 & WORD_MAX, number & WORD_MAX)


def with_byte(index: int) -> Meaning:
    """Return the meaning that replaces a byte by the immediate."""
    element, shift = index // 8, 8 * (7 - index % 8)

    def meaning(imm: int, a: Value) -> Value:
        number = (a[element] & (WORD_MAX ^ 0xFF << shift)) | (imm & 0xFF) << shift
        return (*a[:element], number, *a[element + 1 :])

    return meaning


def with_element(index: int) -> Meaning:
    return lambda imm, a: (*a[:index], imm & WORD_MAX, *a[index + 1 :])


def bytes_by_mask(imm: int) -> Value:
    return of_octets([0xFF * (imm >> 15 - i & 1) for i in range(16)], 8, "big")


def shift_bytes(a: Value) -> Any:
    """Return how many bits VSLB and VSRLB shift, by bits 1 to 4 of byte 7."""
    return 8 * (a[0] >> 3 & 15)


def shift_bits(number: Any, by: Value) -> Any:
    """Return what VSRL shifts to the right: each byte by the last three bits of its byte in `by`.

    The z14 leaves it undefined if those bits are not the same in all bytes; newer CPUs, and emulators, do this.
    """
    amounts = [octet & 7 for octet in octets(by, 8, "big")]
    if len(set(amounts)) == 1:
        return number >> amounts[0]
    result = 0
    for i, amount in enumerate(amounts):
        place = 8 * (15 - i)
        result |= ((number >> place & 0xFFFF) >> amount & 0xFF) << place
    return result


def vaq(imm: None, a: Value, b: Value) -> Value:
    """Return the sum of two numbers of 128 bits, by halves: people also add two numbers of 64 bits each, of which nothing
    is carried."""
    result = a[1] + b[1]
    return (a[0] + b[0] + (result >> 64) & WORD_MAX, result & WORD_MAX)


WRITTEN = table(
    Instruction("vzero", 0, lambda imm: (0, 0)),
    Instruction("vone", 0, lambda imm: (WORD_MAX, WORD_MAX)),
    Instruction("vgbm", 0, bytes_by_mask, immediate=True, edges=(0x3F, 0x707, 0x3F3F, 0xFF1F)),
    Instruction("vrepib", 0, lambda imm: (0x0101010101010101 * (imm & 0xFF),) * 2, immediate=True, edges=(2, 4)),
    Instruction("vrepg", 1, lambda imm, a: (a[imm], a[imm]), immediate=True, edges=(0, 1)),
    *(
        Instruction(
            f"vleib{i}",
            1,
            with_byte(i),
            immediate=True,
            accumulates=True,
            edges=(1, 88),
            gnu=f"vleib {{0}}, {{i}}, {i}",
            go=f"VLEIB ${i}, ${{i}}, {{0}}",
        )
        for i in range(16)
    ),
    *(
        Instruction(
            f"vleig{i}",
            1,
            with_element(i),
            immediate=True,
            accumulates=True,
            edges=(0, 5, -4),
            gnu=f"vleig {{0}}, {{i}}, {i}",
            go=f"VLEIG ${i}, ${{i}}, {{0}}",
        )
        for i in range(2)
    ),
    # Go has the amount first.
    Instruction(
        "vslb", 2, lambda _, a, by: in_elements(whole(a) << shift_bytes(by) & SUM_MAX), go="VSLB {1}, {0}, {d}"
    ),
    Instruction("vsrlb", 2, lambda _, a, by: in_elements(whole(a) >> shift_bytes(by)), go="VSRLB {1}, {0}, {d}"),
    Instruction("vsrl", 2, lambda _, a, by: in_elements(shift_bits(whole(a), by)), go="VSRL {1}, {0}, {d}"),
    Instruction("vaq", 2, vaq),
    Instruction("vaccq", 2, lambda _, a, b: (0, whole(a) + whole(b) >> 128)),
    Instruction("vnc", 2, elements(lambda _, a, b: a & WORD_MAX - b)),
    Instruction("vsumqg", 2, lambda _, a, b: in_elements(a[0] + a[1] + b[1])),
    Instruction("vmlof", 2, elements(lambda _, a, b: low(a) * low(b))),
)

INSTRUCTIONS = Z13_INSTRUCTIONS | Z14_INSTRUCTIONS | WRITTEN

HANDWRITTEN = replace(
    Z14,
    name="s390x-handwritten",
    instructions=INSTRUCTIONS,
    alternatives=None,
    selector=None,
    replaces_sum=True,
    **assemblers("z14", INSTRUCTIONS),
)


def load_arguments(machine: Machine, name: str, first: str, last: str) -> None:
    names = list(machine.arguments)
    for i in range(int(last) - int(first) + 1):
        machine.put(f"R{int(first) + i}", machine.arguments[names[names.index(name) + i]])


def vector(machine: Machine, number: str) -> Value:
    return machine.registers[int(number)]


def load_length(machine: Machine, last: str, offset: str, pointer: str, to: str) -> None:
    """Load bytes up to the index in a register, and zeros behind them (VLL).

    A word of which not all bytes are there is in memory by its bytes, at a base with "bytes" in its name.
    """
    place = machine.pointer(pointer)
    base, at = place.base, place.offset + int(offset or 0)
    count = min(machine.count(last) + 1, 16)
    words: list[Any] = []
    for i in range(0, 16, 8):
        if count - i >= 8 or (base, at + i) in machine.storage and count > i:
            taken = octets((machine.storage[base, at + i],), 8, "big")[: max(0, count - i)]
        else:
            taken = [machine.storage[f"{base} bytes", at + i + k] for k in range(max(0, count - i))]
        words += of_octets([*taken, *[0] * (8 - len(taken))], 8, "big")
    machine.registers[int(to)] = tuple(words)


def insert_byte(machine: Machine, index: str, source: str, to: str) -> None:
    machine.registers[int(to)] = with_byte(machine.count(index) & 15)(machine.count(source), vector(machine, to))


def insert_element(machine: Machine, index: str, source: str, to: str) -> None:
    number, value = machine.general[source], list(vector(machine, to))
    value[int(index)] = number
    machine.registers[int(to)] = tuple(value)


COMPARISONS = {
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
}

# What is no instruction of a table: jumps, general registers, and what depends on their numbers.
WRITTEN_CONTROLS: Controls = (
    (r"LMG (\w+)\+\d+\(FP\), R(\d+), R(\d+)", load_arguments),
    (
        r"CMPB(EQ|NE|LT|LE|GT|GE) (\w+), \$(-?\d+), (\w+)",
        lambda m, what, a, n, label: COMPARISONS[what](m.count(a), int(n)),
    ),
    (r"SUB \$(\d+), (\w+)(?:, (\w+))?", lambda m, n, a, to: m.put(to or a, m.count(a) - int(n))),
    (r"MOVD \$(\d+)\((\w+)\), (\w+)", lambda m, n, a, to: m.add(to, a, int(n))),
    (r"MOVBZ \$(\d+), (\w+)", lambda m, n, to: m.put(to, int(n))),
    (r"BR (\w+)", lambda m, label: True),
    (r"VLL (\w+), (\d*)\((\w+)\), V(\d+)", load_length),
    (r"VLVGB (\w+), (\w+), V(\d+)", insert_byte),
    (r"VLVGG \$(\d), (\w+), V(\d+)", insert_element),
    (r"VLGVG \$(\d), V(\d+), (\w+)", lambda m, index, a, to: m.put(to, vector(m, a)[int(index)])),
    *CONTROLS,
)


def singly(statement: Statement, distances: Mapping[tuple[str, str], int]) -> list[Statement]:
    """Return instructions that do what one does: a load of several vectors becomes as many loads.

    distances: how many registers lie between two names that are not of registers.
    """
    name, operands = statement.name, statement.operands
    if name == "VLM" and len(operands) == 3:
        at = re.fullmatch(r"(\d*)\((\w+)\)", operands[0])
        first, last = operands[1:]
        if at is None:
            raise ParseError(f"line {statement.line}: {statement.text}: no place in memory")
        if re.fullmatch(r"V\d+", first) and re.fullmatch(r"V\d+", last):
            names = [f"V{i}" for i in range(int(first[1:]), int(last[1:]) + 1)]
        elif distances.get((first, last)) == 1:
            names = [first, last]
        else:
            raise ParseError(f"line {statement.line}: {statement.text}: which registers are loaded is not known")
        places = (f"{int(at[1] or 0) + 16 * i}({at[2]})" for i in range(len(names)))
        return [replace(statement, name="VL", operands=(place, to)) for place, to in zip(places, names, strict=True)]
    if name in {"VESRLG", "VESLG"} and len(operands) == 2:
        return [replace(statement, operands=(*operands, operands[1]))]
    return [statement]
