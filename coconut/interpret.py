# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Interpret functions of functions.py as they stand in Go's assembly: registers, memory, counters and jumps.

Thus moves, frame and clearing are checked as they are written.
"""

import re
from dataclasses import dataclass, field

from coconut.architecture import Architecture, GoSyntax
from coconut.functions import BLOCK_BYTES, Function
from coconut.instructions import Memory
from coconut.operations import Value
from coconut.parse import Unreadable, split
from coconut.simulate import Broken, Sample

STEPS_MAX = 100_000


def lines_of(text: str, name: str) -> tuple[list[tuple[int, str]], bytes]:
    """Return a function's lines with their numbers, from the heading on, and its constants."""
    lines: list[tuple[int, str]] = []
    constants: dict[int, bytes] = {}
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("//")[0].strip()
        if line.startswith(f"TEXT ·{name}(SB)"):
            inside = True
        if inside and line:
            lines.append((number, line))
        inside = inside and line != "RET"
        if entry := re.match(rf"DATA ·{name}Constants\+(\d+)\(SB\)/(\d), \$(\w+)$", line):
            constants[int(entry[1])] = int(entry[3], 0).to_bytes(int(entry[2]), "little")
    return lines, b"".join(constants[at] for at in sorted(constants))


@dataclass
class Run:
    """The state of one call."""

    architecture: Architecture
    syntax: GoSyntax
    memory: dict[str, bytearray]
    vectors: dict[int, Value] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)  # pointer: by how many bytes it has been advanced
    is_zero: bool = False

    def read(self, place: Memory, size: int) -> Value:
        at = place.offset + self.offsets.get(place.base, 0)
        data = self.memory[place.base][at : at + size]
        if place.broadcast:
            data = data[:4] * (size // 4)
        return tuple(int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4))

    def general(self, mnemonic: str, operands: list[str], arguments: dict[str, int]) -> bool:
        """Run an instruction on pointers and counters; return whether it is one."""
        bases = {register: base for base, register in self.syntax.pointers.items()}
        place = self.syntax.memory(operands[-1])
        number = int(operands[0][1:], 0) if re.match(r"\$\d", operands[0]) else None
        match mnemonic, operands:
            case "MOVQ", [source, to] if argument := re.match(r"(\w+)\+\d+\(FP\)$", source):
                if to in bases:
                    self.offsets[bases[to]] = 0
                else:
                    self.counters[to] = arguments[argument[1]]
            case "MOVQ", [source, to] if source.endswith("Constants(SB)"):
                self.offsets[bases[to]] = 0
            case "MOVQ", [_, to] if number is not None:
                self.counters[to] = number
            case "ADDQ", [_, to] if number is not None and to in bases:
                self.offsets[bases[to]] += number
            case "ADDL", [_, _] if number is not None and place is not None:
                memory = self.memory[place.base]
                total = int.from_bytes(memory[place.offset : place.offset + 4], "little") + number
                memory[place.offset : place.offset + 4] = (total & 0xFFFFFFFF).to_bytes(4, "little")
            case "DECQ", [counter]:
                self.counters[counter] -= 1
                self.is_zero = self.counters[counter] == 0
            case _:
                return False
        return True

    def vector(self, mnemonic: str, operands: list[str]) -> bool:
        """Run any other instruction; return whether it is understood."""
        place = self.syntax.memory(operands[-1])
        if place is not None:
            if mnemonic.lower() != self.architecture.load:
                return False
            data = b"".join(word.to_bytes(4, "little") for word in self.vectors[self.syntax.vector(operands[0]) or 0])
            at = place.offset + self.offsets.get(place.base, 0)
            if at + len(data) > len(self.memory[place.base]):
                raise Broken(f"a store beyond {place.base}: {at}")
            self.memory[place.base][at : at + len(data)] = data
            return True
        result = self.syntax.vector(operands[-1])
        if mnemonic in {"VPXOR", "VPXORQ"} and len(set(operands)) == 1 and result is not None:
            self.vectors[result] = (0,) * (self.architecture.vector_bytes // 4)
            return True
        op = self.syntax.read(mnemonic, operands, {register: register for register in self.vectors})
        if op is None or result is None:
            return False
        values = [self.vectors[arg] for arg in op.args]
        if op.memory is not None:
            values.append(self.read(op.memory, self.architecture.vector_bytes))
        self.vectors[result] = op.instruction.meaning(op.imm, *values)
        return True


def interpret(text: str, name: str, architecture: Architecture, memory: dict[str, bytearray], groups: int) -> None:
    """Run the function on what its pointers point to. All bits of the frame are 1 at first."""
    lines, constants = lines_of(text, name)
    if not lines or architecture.go is None:
        raise Unreadable(f"no function {name}")
    heading = re.search(r"\$(\d+)-\d+$", lines[0][1])
    memory |= {"constants": bytearray(constants), "frame": bytearray(b"\xff" * int(heading[1] if heading else 0))}
    run = Run(architecture, architecture.go, memory)
    labels = {line[:-1]: i for i, (_, line) in enumerate(lines) if line.endswith(":")}
    at = 1
    for _ in range(STEPS_MAX):
        number, line = lines[at]
        at += 1
        mnemonic, operands = split(line)
        if line == "RET":
            break
        if line.endswith(":") or mnemonic in {"VZEROUPPER", "PCALIGN"}:
            continue
        if mnemonic == "JNZ":
            at = at if run.is_zero else labels[operands[0]]
        elif not run.general(mnemonic, operands, {"groups": groups}) and not run.vector(mnemonic, operands):
            raise Unreadable(f"line {number}: {line}")
    if any(memory["frame"]) or any(any(value) for value in run.vectors.values()):
        raise Broken(f"{name} leaves something in its frame or in registers")


def compare(text: str, function: Function, sample: Sample, groups: int = 1) -> None:
    """Raise Broken unless a function leaves the same blocks as the library's lanes.

    src is apart from dst, and then the same; of several groups, the first one is compared.
    """
    architecture = function.parts[0].program.architecture
    expected = b"".join(
        word.to_bytes(4, "little")
        for name in sorted(sample.outputs, key=lambda name: int(name.removeprefix("out[").removesuffix("]")))
        for word in sample.outputs[name]
    )
    size = groups * function.group_bytes
    for in_place in (False, True) if function.loads_message else (False,):
        message = bytearray(sample.message[:size].ljust(size, b"\0"))
        state = bytearray(b"".join(word.to_bytes(4, "little") for word in sample.state))
        out = message if in_place else bytearray(size)
        interpret(text, function.name, architecture, {"out": out, "message": message, "state": state}, groups)
        counted = groups * function.group_bytes // BLOCK_BYTES if function.loads_message else 0
        words = [*sample.state]
        words[12] = words[12] + counted & 0xFFFFFFFF
        if out[: len(expected)] != expected:
            raise Broken(f"{function.name}, sample {sample.number}: its blocks are not those of {function.whole.title}")
        if state != b"".join(word.to_bytes(4, "little") for word in words):
            raise Broken(f"{function.name}, sample {sample.number}: it leaves another state")
