# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write instructions for an assembler, and read them back: both by the same templates.

In a template, {d} is the result's register, {0} that of the first operand, {xd} and {x0} the names of their first 128
bits, {i} the immediate number and {m} the operand in memory.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from coconut.instructions import Instruction, Memory, Op

PLACEHOLDER = re.compile(r"\{(x?[0-9d]|i|m)\}")


class ParseError(Exception):
    """Raised for a line of assembly that is not understood, with its number."""


@dataclass(frozen=True)
class Form:
    """An instruction with its last operand in a register (""), in memory, or broadcast from memory, as a pattern."""

    instruction: Instruction
    kind: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Read:
    """An instruction that was read: names of registers by placeholder, and an operand in memory."""

    instruction: Instruction
    registers: dict[str, int]
    imm: int | None
    offset: int
    pointer: str
    broadcast: bool


@dataclass(frozen=True)
class Assembler:
    """The notation of an assembler on one architecture.

    - default: returns the template of an instruction that has none of its own, for a kind of its last operand.
    - pointers: the general register that points to each base of memory, or a symbol that is there.
    - counters: the general registers that count iterations: of the function, and of a block in it.
    - head, tail: the lines that begin and end a function, without arguments and constants in Go's assembler.
    - controls: templates of everything on general registers, of several lines each ("; " separates them).
    """

    is_go: bool
    registers: tuple[str, ...]
    pointers: dict[str, str]
    counters: tuple[str, ...]
    controls: dict[str, str]
    default: Callable[[Instruction, str], str]
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    low: tuple[str, ...] = ()
    offset: str = "{offset}({pointer})"
    comment: str = "#"
    mark: str = "@"
    clears: Callable[[int], str] | None = None
    instructions: dict[str, Instruction] = field(default_factory=dict)

    def template(self, instruction: Instruction, kind: str) -> str:
        return (instruction.go if self.is_go else instruction.gnu) or self.default(instruction, kind)

    def kind(self, op: Op) -> str:
        if op.memory is None:
            return ""
        return "broadcast" if op.memory.broadcast and op.instruction.memory == "broadcast" else "memory"

    def address(self, place: Memory) -> tuple[list[str], str]:
        """Return what computes an address, and the operand. A pointer may be a symbol."""
        if "·" in self.pointers[place.base]:
            return [], f"{self.pointers[place.base]}+{place.offset}(SB)"
        return [], self.offset.format(offset=place.offset, pointer=self.pointers[place.base])

    def text(self, op: Op, args: tuple[int, ...], result: int) -> list[str]:
        """Return an instruction with its operands and result in these registers."""
        assert not op.instruction.accumulates or args[0] == result
        before, place = self.address(op.memory) if op.memory is not None else ([], "")

        def operand(found: re.Match[str]) -> str:
            key = found[1]
            if key in {"i", "m"}:
                return str(op.imm) if key == "i" else place
            register = result if key[-1] == "d" else args[int(key[-1])]
            return (self.low if key[0] == "x" else self.registers)[register]

        return [*before, PLACEHOLDER.sub(operand, self.template(op.instruction, self.kind(op)))]

    def control(self, name: str, /, **operands: str | int) -> list[str]:
        """Return lines on general registers; empty lines and labels are not indented."""
        return self.controls[name].format(**operands).split("; ") if self.controls[name] else []

    @cached_property
    def forms(self) -> dict[str, list[Form]]:
        """Return the patterns of all instructions, by mnemonic."""
        found: dict[str, list[Form]] = {}
        for instruction in self.instructions.values():
            kinds = {"": ("",), "only": ("memory",), "vector": ("", "memory"), "broadcast": ("", "memory", "broadcast")}
            for kind in kinds[instruction.memory]:
                template = self.template(instruction, kind)
                if not template:
                    continue
                pattern, seen = "", set()
                for part in re.split(r"(\{(?:x?[0-9d]|i|m)\})", template):
                    placeholder = PLACEHOLDER.fullmatch(part)
                    if placeholder is None:
                        pattern += re.escape(part)
                    elif placeholder[1] in seen:
                        pattern += f"(?P=r{placeholder[1]})"
                    else:
                        seen.add(placeholder[1])
                        kept = {"i": r"-?\d+", "m": r"\S+?"}.get(placeholder[1], r"[%\w]+")
                        pattern += f"(?P<r{placeholder[1]}>{kept})"
                form = Form(instruction, kind, re.compile(pattern))
                found.setdefault(template.split()[0], []).append(form)
        return found

    def read(self, line: str) -> Read | None:
        """Return the instruction that a line holds; None if it is not understood."""
        for form in self.forms.get(line.split()[0], []):
            found = form.pattern.fullmatch(line)
            if found is None:
                continue
            registers: dict[str, int] = {}
            imm, offset, pointer = None, 0, ""
            for key, text in found.groupdict().items():
                if key == "ri":
                    imm = int(text)
                elif key == "rm":
                    symbol = re.fullmatch(r"(·\w+)<>\+(\d+)\(SB\)", text)
                    place = re.fullmatch(r"(\d*)\((\w+)\)", text)
                    if symbol is not None:
                        offset, pointer = int(symbol[2]), symbol[1]
                    elif place is not None:
                        offset, pointer = int(place[1] or 0), place[2]
                    else:
                        break
                else:
                    names = self.low if key[1] == "x" else self.registers
                    if text not in names:
                        break
                    registers[key[-1]] = names.index(text)
            else:
                is_word = form.kind == "broadcast" or form.instruction.low in {"operand", "result"}
                return Read(form.instruction, registers, imm, offset, pointer, is_word)
        return None
