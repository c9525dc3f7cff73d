# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Name the forms of instructions: all instructions of a form do the same, with other registers, addresses and numbers.

A form says all that tells instructions apart for lift/: name, prefixes and encoding, the kinds and widths of operands,
which registers are the same or are used without being named, masks, broadcasts, how an address is made, and immediate
numbers; of additions, moves and the like only whether they are 0, 1, -1, positive or negative.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from coconut.lift.objects import X86_64, Line, Linked, Target
from coconut.lift.operands import SECOND_BYTES, general_registers

# Whose immediate numbers are like all others of the same sign.
UNIFORM = re.compile(
    r"(add|adc|sub|sbb|cmp|and|or|xor|test|mov|movabs|push|imul|lea)[bwlq]?|adds|subs|ands|orr|eor|movz|movn|movk"
)
# Which use registers that they do not name, or for which it matters which one they name.
IMPLICIT = re.compile(
    r"mulx?[bwlq]?|imul[bwlq]? [^,]+|i?div[bwlq]?|c[lqw]t\w+|cqto|(s[ha]|ro)[lr]d?[bwlq]? %cl.*|rep\w*|xchg|blr|ret"
)
# Prefixes of x86-64 before the byte that tells the encoding.
PREFIXES = {0x66, 0xF2, 0xF3, 0x2E, 0x3E, 0x26, 0x36, 0x64, 0x65, 0x67, 0xF0}
ENCODINGS = {0xC4: "vex", 0xC5: "vex", 0x62: "evex"}
TARGET = re.compile(r"(?:0x)?[0-9a-f]+(?: <.*>)?")


@dataclass
class Registers:
    """Names of registers in the order in which an instruction has them."""

    keep: bool
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> str:
        return str(self.numbers.setdefault(name, len(self.numbers)))

    def amd64(self, name: str) -> str:
        known = general_registers()
        if name in known or name in SECOND_BYTES:
            whole, width = known.get(name) or (SECOND_BYTES[name], "second")
            kept = whole if whole == "rsp" or (self.keep and whole in {"rax", "rcx", "rdx"}) else self.number(whole)
            return f"{kept}:{width}"
        if found := re.fullmatch(r"([xyz])mm(\d+)", name):
            return f"{found[1]}{self.number('v' + found[2])}"
        if re.fullmatch(r"k[1-7]", name):
            return f"k{self.number(name)}"
        return name

    def arm64(self, name: str) -> str:
        if name in {"sp", "wsp", "xzr", "wzr"} or (self.keep and name == "x30"):
            return name
        return name[0] + self.number(("v" if name[0] in "vqdshb" else "x") + name[1:])


def is_implicit(line: Line) -> bool:
    return (
        IMPLICIT.fullmatch(line.name) is not None
        or IMPLICIT.fullmatch(line.name + " " + ",".join(line.operands)) is not None
    )


def number_class(name: str, number: int, bits: int) -> str:
    """Return the number, or what numbers that are treated alike have in common."""
    if not UNIFORM.fullmatch(name):
        return str(number)
    number &= (1 << bits) - 1
    known = {0: "0", 1: "1", (1 << bits) - 1: "-1"}
    sign = "-" if number >> bits - 1 else "+"
    return known.get(number) or sign + ("large" if number >> 32 and sign == "+" else "")


def encoding_of(code: bytes) -> str:
    """Return how an instruction of x86-64 is encoded."""
    first = next((byte for byte in code if byte not in PREFIXES), 0)
    return ENCODINGS.get(first, "")


def amd64_form(line: Line, code: bytes) -> str:
    registers = Registers(is_implicit(line))
    widths = [
        general_registers()[name][1]
        for name in re.findall(r"%(\w+)", " ".join(line.operands))
        if name in general_registers()
    ]
    suffix = {"b": 8, "w": 16, "l": 32, "q": 64}.get(line.name[-1], 64)
    bits = widths[-1] if widths and "(" not in line.operands[-1] else suffix
    found = []
    for text in line.operands:
        if TARGET.fullmatch(text) and line.name[0] in "jc":
            found.append("target")
            continue
        if text.startswith("$"):
            found.append("$" + number_class(line.name, int(text[1:], 0), bits))
            continue
        # A displacement may be any number.
        text = re.sub(r"(?<![\w%{$])-?0x[0-9a-f]+", "d", text)
        found.append(re.sub(r"%(\w+)", lambda name: "%" + registers.amd64(name[1]), text))
    return " ".join(filter(None, (line.prefix, encoding_of(code), line.name, ", ".join(found))))


def arm64_form(line: Line, code: bytes) -> str:
    registers = Registers(is_implicit(line))
    found = []
    for text in line.operands:
        if TARGET.fullmatch(text) and not re.fullmatch(r"[bdhsqvwx]\d+", text):
            found.append("target")
            continue
        bits = 32 if line.operands[0][0] == "w" else 64
        in_memory = text.startswith("[") or (found and found[-1].startswith("[") and text.startswith("#"))

        def number(text: re.Match[str], in_memory: bool = bool(in_memory), bits: int = bits) -> str:
            value = int(text[1], 0)
            if in_memory and "lsl" not in text.string and "xt" not in text.string:
                return "#0" if value == 0 else "#-" if value < 0 else "#+"
            return "#" + (str(value) if "ls" in text.string else number_class(line.name, value, bits))

        text = re.sub(r"#(-?0x[0-9a-f]+|-?\d+)", number, text)
        found.append(
            re.sub(r"(?<![\w#.])(wsp|sp|[wx]zr|[xwvqdshb]\d+)(?![\w])", lambda name: registers.arm64(name[1]), text)
        )
    return " ".join(filter(None, (line.prefix, line.name, ", ".join(found))))


def form_of(target: Target, line: Line, code: bytes) -> str:
    """Return the form of an instruction that has this code."""
    return (amd64_form if target == X86_64 else arm64_form)(line, code)


def code_of(linked: Linked, line: Line) -> bytes:
    """Return the code of an instruction as the file has it; none if the instruction is not from the file."""
    if linked.read.get(line.at) != line:
        return b""
    for start, content in linked.code.items():
        if start <= line.at < start + len(content):
            code = content[line.at - start : line.after - start] if line.after else content[line.at - start :]
            return code if len(code) <= 15 else b""
    return b""


def forms_of(linked: Linked, lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Return the instructions of each form."""
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(form_of(linked.target, line, code_of(linked, line)), []).append(line)
    return found
