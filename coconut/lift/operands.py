# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read operands of instructions: registers, numbers and addresses of x86-64, addresses of 64-bit Arm."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from coconut.prove.polynomials import Unproved

REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16)))


@cache
def general_registers() -> dict[str, tuple[str, int]]:
    """Return the 64-bit register and the width of each name."""
    names = {}
    for name in REGISTERS:
        short = name[1:]
        names[name] = name, 64
        if short.isdigit():
            parts = ((f"{name}d", 32), (f"{name}w", 16), (f"{name}b", 8))
        else:
            low = f"{short[0]}l" if short in {"ax", "bx", "cx", "dx"} else f"{short}l"
            parts = ((f"e{short}", 32), (short, 16), (low, 8))
        for part, width in parts:
            names[part] = name, width
    return names


# Registers that are the second byte of another one.
SECOND_BYTES = {f"{letter}h": f"r{letter}x" for letter in "abcd"}


@dataclass(frozen=True)
class Operand:
    """An operand of an instruction.

    - kind: "general", "vector", "mask", "number" or "memory".
    - name: of the general register; number: of the other ones, or the immediate number.
    - width: in bits, of registers.
    - base, index, scale, number: of an address. broadcast: one element is in all.
    - mask: the mask register that chooses elements, or 0; zero: whether others become 0.
    """

    kind: str
    name: str = ""
    number: int = 0
    width: int = 0
    base: str = ""
    index: str = ""
    scale: int = 1
    broadcast: bool = False
    mask: int = 0
    zero: bool = False


@cache
def operand_of(text: str, after: int) -> Operand:
    text = text.removeprefix("%es:")  # a segment that begins at 0
    plain = re.sub(r"\{[^}]*\}", "", text).strip()
    found = re.search(r"\{%k(\d)\}", text)
    if unknown := re.sub(r"\{(?:%k\d|z|1to\d+)\}", "", text[len(plain) :]).strip(" {"):
        raise Unproved(f"an operand that is not understood: {unknown}")
    marks: dict[str, Any] = {
        "broadcast": "{1to" in text,
        "mask": int(found[1]) if found else 0,
        "zero": "{z}" in text,
    }
    if plain.startswith("$"):
        return Operand("number", number=int(plain[1:], 0))
    if found := re.fullmatch(r"%([xyz])mm(\d+)", plain):
        return Operand("vector", number=int(found[2]), width={"x": 128, "y": 256, "z": 512}[found[1]], **marks)
    if found := re.fullmatch(r"%k(\d)", plain):
        return Operand("mask", number=int(found[1]))
    if plain.startswith("%") and plain[1:] in general_registers():
        name, width = general_registers()[plain[1:]]
        return Operand("general", name, width=width)
    if plain[1:] in SECOND_BYTES:
        return Operand("second byte", SECOND_BYTES[plain[1:]], width=8)
    found = re.fullmatch(r"(-?0x[0-9a-f]+|-?\d+)?(?:\((%\w+)?(?:,(%\w+)(?:,(\d))?)?\))?", plain)
    if not found:
        raise Unproved(f"an operand that is not understood: {text}")
    base, index = (found[2] or "")[1:], (found[3] or "")[1:]
    if not {base, index} <= {"", "rip", *REGISTERS}:
        raise Unproved(f"an address that is not understood: {text}")
    number = int(found[1] or "0", 0) + (after if base == "rip" else 0)
    return Operand("memory", "", number, 0, "" if base == "rip" else base, index, int(found[4] or "1"), **marks)


@dataclass(frozen=True)
class Place:
    """An operand in memory: base, what is added, and whether the base is changed before or after."""

    base: str
    number: int = 0
    index: str = ""
    extension: str = ""
    shift: int = 0
    before: bool = False


@cache
def place_of(text: str) -> Place:
    found = re.fullmatch(r"\[(\w+)(?:, (?:#(-?\d+)|(\w+)(?:, (lsl|uxtw|sxtw|sxtx)(?: #(\d+))?)?))?\](!?)", text)
    if not found:
        raise Unproved(f"an operand that is not understood: {text}")
    base, number, index, extension, shift, change = found.groups()
    return Place(base, int(number or 0), index or "", extension or "", int(shift or 0), change == "!")
