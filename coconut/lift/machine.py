# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run compiled functions of x86-64 on numbers, public ones and symbolic ones.

Addresses and lengths are integers, secrets and messages symbolic. A branch, an address, a mask or a variable-time
division that depends on a symbolic number is refused, and so is whatever is read before it is written.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from coconut.architectures.amd64_compiled import ALIASES, IDLE, MOVES, VECTORS
from coconut.architectures.scalar import with_carry
from coconut.instructions import Instruction
from coconut.lift.objects import LIBRARY, Line, Linked
from coconut.operations import WORD_MAX, Value
from coconut.prove.graphs import carry_of_words, wraps
from coconut.prove.polynomials import Number, Unproved, exact

REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16)))
ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
STACK_TOP = 0x7FFF_FFFF_0000
RETURN = 0xF000_0000_0000
VECTOR_WORDS = 8
# A call of a few KiB takes some ten thousand.
STEPS_MAX = 1 << 20
MASKS = {64: WORD_MAX, 32: 2**32 - 1, 16: 2**16 - 1, 8: 255}


@dataclass(frozen=True, eq=False)
class Unknown:
    """What a register holds when the function is called: it can be saved and restored."""

    register: str


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
    plain = re.sub(r"\{[^}]*\}", "", text).strip()
    found = re.search(r"\{%k(\d)\}", text)
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
    number = int(found[1] or "0", 0) + (after if base == "rip" else 0)
    return Operand("memory", "", number, 0, "" if base == "rip" else base, index, int(found[4] or "1"), **marks)


@dataclass
class Memory:
    """Numbers of 1 to 8 bytes by their addresses, and what else the program has."""

    linked: Linked
    cells: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def read(self, at: int, count: int) -> Any:
        cell = self.cells.get(at)
        if cell is not None and cell[0] == count:
            return cell[1]
        result, place = None, at
        while place < at + count:
            start = next((i for i in range(place, place - 8, -1) if i in self.cells), None)
            size, value = self.cells[start] if start is not None else (0, 0)
            if start is None or start + size <= place:
                byte = self.linked.byte(place)
                if byte is None:
                    raise Unproved(f"{count} bytes at {at:#x} are read, which nothing has written")
                start, size, value = place, 1, byte
            taken = min(start + size, at + count) - place
            if isinstance(value, Unknown):
                raise Unproved(f"a part of {value.register} is read, which was saved at {start:#x}")
            part = value >> 8 * (place - start)
            if start + size > place + taken:
                part = part & (1 << 8 * taken) - 1
            part = part << 8 * (place - at)
            result = part if result is None else result | part
            place += taken
        return result

    def write(self, at: int, count: int, value: Any) -> None:
        cell = self.cells.get(at)
        if cell is None or cell[0] != count:
            for start in range(at - 7, at + count):
                if start in self.cells and start + self.cells[start][0] > at:
                    self.cut(start, at, at + count)
        self.cells[at] = count, value

    def cut(self, start: int, begin: int, end: int) -> None:
        """Remove the bytes from `begin` to `end` of a number."""
        size, value = self.cells.pop(start)
        if start < begin:
            self.cells[start] = (
                begin - start,
                0 if isinstance(value, Unknown) else value & (1 << 8 * (begin - start)) - 1,
            )
        if start + size > end:
            rest = 0 if isinstance(value, Unknown) else value >> 8 * (end - start)
            self.cells[end] = start + size - end, rest


@dataclass
class Flags:
    """What the last arithmetic instruction set: its kind, operands, carry in, result and width."""

    kind: str = ""
    a: Any = 0
    b: Any = 0
    carry_in: Any = 0
    result: Any = 0
    width: int = 64

    def carry(self) -> Any:
        if self.kind == "logic":
            return 0
        if self.kind == "kept":
            return self.carry_in.carry()
        if self.kind == "add":
            numbers = (self.a, self.b, self.carry_in)
            if self.width == 64 and any(wraps(number) for number in numbers):
                return carry_of_words([(number,) for number in numbers])
            return self.a + self.b + self.carry_in >> self.width
        if self.kind == "sub" and isinstance(self.carry_in, int) and self.carry_in == 0:
            return self.a < self.b if isinstance(self.a, Number) or isinstance(self.b, Number) else int(self.a < self.b)
        if self.kind == "sub" and not any(isinstance(number, Number) for number in (self.a, self.b, self.carry_in)):
            return int(self.a - self.b - self.carry_in < 0)
        raise Unproved(f"the carry after {self.kind or 'what sets none'}")

    def public(self, what: str, number: Any) -> int:
        """Return a number that must not be symbolic."""
        if not isinstance(number, int):
            raise Unproved(f"a condition on a symbolic number, {what}")
        return number

    def signed(self, number: int) -> int:
        return number - (1 << self.width) if number >> self.width - 1 else number

    def holds(self, condition: str) -> bool:
        """Return whether a condition holds, which must not depend on a symbolic number."""
        if condition.startswith("n") and condition[1:] in {"e", "z", "s", "c"}:
            return not self.holds(condition[1:])
        if condition in {"e", "z"}:
            return self.public("whether it is 0", self.result) == 0
        if condition == "s":
            return self.public("its sign", self.result) >> self.width - 1 == 1
        if condition in {"b", "c"}:
            return self.public("a carry", self.carry()) == 1
        if condition == "ae":
            return not self.holds("b")
        if condition in {"a", "be"}:
            return (self.holds("b") or self.holds("e")) == (condition == "be")
        if condition in {"l", "ge", "g", "le"} and self.kind in {"sub", "logic"}:
            a, b = (self.signed(self.public("an order", number)) for number in (self.a, self.b))
            return {"l": a < b, "ge": a >= b, "g": a > b, "le": a <= b}[condition]
        raise Unproved(f"the condition {condition} after {self.kind}")


def signed(number: int, width: int) -> int:
    """Return an immediate number as a small one: to subtract 1 is not to add 2^64 - 1."""
    number &= MASKS[width]
    return number - (1 << width) if number >> width - 1 else number


@dataclass
class Machine:
    """Registers and memory of a call."""

    linked: Linked
    memory: Memory
    # Returns any number, which a part of a register is kept of that nothing has set.
    anything: Callable[[], Any] = lambda: 0
    general: dict[str, Any] = field(default_factory=dict)
    vectors: dict[int, Value] = field(default_factory=dict)
    masks: dict[int, int] = field(default_factory=dict)
    flags: Flags = field(default_factory=Flags)
    written: set[tuple[int, int]] = field(default_factory=set)
    steps: int = 0
    # The addresses of all instructions that were run.
    ran: dict[int, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.general = {name: Unknown(name) for name in REGISTERS}
        self.general["rsp"] = STACK_TOP - 8
        self.memory.write(STACK_TOP - 8, 8, RETURN)

    def call(self, at: int, arguments: list[int]) -> None:
        """Run a function of the System V ABI to its end."""
        self.general |= dict(zip(ARGUMENTS, arguments, strict=False))
        before = {name: self.general[name] for name in KEPT}
        while at != RETURN:
            line = self.linked.lines.get(at)
            if line is None:
                at = self.library(at)
                continue
            self.ran[at] = None
            try:
                at = self.step(line)
            except (Unproved, KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
                where = self.linked.functions.get(at, "")
                raise Unproved(f"{line.at:x} {where}: {line.text}: {type(error).__name__} {error}") from None
            self.steps += 1
            if self.steps > STEPS_MAX:
                raise Unproved(f"more than {STEPS_MAX} instructions")
        if self.general["rsp"] != STACK_TOP:
            raise Unproved("the stack pointer is not where it was")
        for name, value in before.items():
            if self.general[name] is not value:
                raise Unproved(f"{name} is not restored")

    def library(self, at: int) -> int:
        """Do what a function of the C library does, and return."""
        to, source, count = (self.general[name] for name in ARGUMENTS[:3])
        if at == LIBRARY["memcpy"]:
            values = [(i, self.memory.read(source + i, min(8, count - i))) for i in range(0, count, 8)]
            for i, value in values:
                self.store(to + i, min(8, count - i), value)
        elif at == LIBRARY["memset"]:
            for i in range(count):
                self.store(to + i, 1, source & 255)
        else:
            raise Unproved(f"no instructions at {at:#x}")
        self.general["rax"] = to
        back: int = self.pop()
        return back

    def store(self, at: int, count: int, value: Any) -> None:
        self.written.add((at, count))
        self.memory.write(at, count, value)

    def push(self, value: Any) -> None:
        self.general["rsp"] -= 8
        self.store(self.general["rsp"], 8, value)

    def pop(self) -> Any:
        value = self.memory.read(self.general["rsp"], 8)
        self.general["rsp"] += 8
        return value

    def address(self, operand: Operand) -> int:
        at = self.sum_of(operand)
        if not isinstance(at, int):
            raise Unproved("an address depends on a symbolic number")
        return at & WORD_MAX

    def sum_of(self, operand: Operand) -> Any:
        total: Any = 0
        if operand.base:
            total = self.register(operand.base)
        if operand.index:
            total = total + self.register(operand.index) * operand.scale
        return total + operand.number

    def register(self, name: str) -> Any:
        value = self.general[general_registers()[name][0]]
        if isinstance(value, Unknown):
            raise Unproved(f"{name} is read, which nothing has set")
        return value

    def get(self, operand: Operand, width: int) -> Any:
        """Return a number of some bits."""
        if operand.kind == "number":
            return operand.number & MASKS[width]
        if operand.kind == "memory":
            return self.memory.read(self.address(operand), width // 8)
        value = self.register(operand.name)
        if operand.kind == "second byte":
            value = value >> 8
        return value if width == 64 else value & MASKS[width]

    def set(self, operand: Operand, width: int, value: Any) -> None:
        if operand.kind == "memory":
            self.store(self.address(operand), width // 8, value)
            return
        if width < 32:
            before = self.general[operand.name]
            before = self.anything() if isinstance(before, Unknown) else before
            value = before - (before & MASKS[width]) + value
        self.general[operand.name] = value

    def elements(self, operand: Operand, count: int, chosen: list[bool] | None = None) -> Value:
        """Return the first elements of a vector, or of memory; those that are not chosen are not read."""
        if operand.kind == "vector":
            if operand.number not in self.vectors:
                raise Unproved(f"vector {operand.number} is read, which nothing has set")
            return self.vectors[operand.number][:count]
        if operand.kind == "general":
            return (self.get(operand, 64),) * count
        at = self.address(operand)
        if operand.broadcast:
            return (self.memory.read(at, 8),) * count
        return tuple(self.memory.read(at + 8 * i, 8) if chosen is None or chosen[i] else 0 for i in range(count))

    def public_elements(self, operand: Operand, count: int) -> list[int]:
        return [self.flags.public("a mask", number) for number in self.elements(operand, count)]

    def chosen(self, operand: Operand, count: int) -> list[bool] | None:
        if not operand.mask:
            return None
        return [bool(self.masks[operand.mask] >> i & 1) for i in range(count)]

    def step(self, line: Line) -> int:
        """Run an instruction, and return the address of the next one."""
        name = line.name
        if name in IDLE or name == "xchg" and line.operands[0] == line.operands[1]:
            if name == "vzeroupper":
                for number in range(16):
                    if number in self.vectors:
                        self.vectors[number] = self.vectors[number][:2] + (0,) * (VECTOR_WORDS - 2)
            return line.after
        if name[0] == "j" or name in {"call", "ret"}:
            return self.jump(line)
        operands = [operand_of(text, line.after) for text in line.operands]
        if name[0] == "k":
            self.on_masks(name, operands)
        elif name in {"pxor", "movups", "movaps", "movdqu", "movdqa"} or (name[0] == "v" and name != "verr"):
            self.on_vectors(name, operands)
        else:
            self.on_general(name, operands)
        return line.after

    def jump(self, line: Line) -> int:
        name, at = line.name, line.after
        if name == "ret":
            target = self.pop()
            if not isinstance(target, int):
                raise Unproved("a return to an unknown address")
            return target
        text = line.operands[0]
        if text.startswith("*"):
            target = self.get(operand_of(text[1:], line.after), 64)
        else:
            target = int(text.split()[0], 16)
        if not isinstance(target, int):
            raise Unproved("a jump to an unknown address")
        if name == "call":
            self.push(at)
            return target
        return target if name == "jmp" or self.flags.holds(name[1:]) else at

    def on_masks(self, name: str, operands: list[Operand]) -> None:
        *sources, to = operands
        if name.startswith("kmov"):
            bits = {"b": 8, "w": 16, "d": 32, "q": 64}[name[4]]
            value = self.masks[sources[0].number] if sources[0].kind == "mask" else self.get(sources[0], max(bits, 32))
            # Vectors have 8 elements at most.
            value = value & 255
            if not isinstance(value, int):
                raise Unproved("a mask depends on a symbolic number")
            if to.kind == "mask":
                self.masks[to.number] = value
            else:
                self.set(to, 64, value)
        elif name.startswith("kxor") and sources[0] == sources[1]:
            self.masks[to.number] = 0
        else:
            raise Unproved("this instruction on masks")

    def on_vectors(self, name: str, operands: list[Operand]) -> None:
        *sources, to = operands
        name = ALIASES.get(name, name)
        if to.kind != "vector":
            self.leave_vectors(name, sources, to)
            return
        count = to.width // 64
        chosen = self.chosen(to, count)
        value = self.vector(name, sources, to, count, chosen)
        if chosen is not None and name != "vpblendmq":
            before = (0,) * count if to.zero else self.elements(to, count)
            value = tuple(value[i] if chosen[i] else before[i] for i in range(count))
        if name[0] == "v":
            value = tuple(value) + (0,) * (VECTOR_WORDS - len(value))
        else:
            value = tuple(value[:2]) + self.vectors.get(to.number, (0,) * VECTOR_WORDS)[2:]
        self.vectors[to.number] = value

    def vector(self, name: str, sources: list[Operand], to: Operand, count: int, chosen: list[bool] | None) -> Value:
        """Return the elements that an instruction computes."""
        if name in MOVES:
            return self.elements(sources[0], count, chosen)
        if name in {"vmovq", "vmovd"}:
            bits = 64 if name == "vmovq" else 32
            number = self.get(sources[0], bits) if sources[0].kind != "vector" else self.elements(sources[0], 1)[0]
            return (number & MASKS[bits] if bits < 64 else number, 0)
        if name in {"pxor", "vpxor", "vpxorq"}:
            one, other = sources[-2:] if len(sources) > 1 else (sources[0], to)
            if (one.kind, one.number) != (other.kind, other.number):
                pairs = zip(self.elements(one, count), self.elements(other, count), strict=True)
                return tuple(x ^ y for x, y in pairs)
            return (0,) * count
        if name in {"vpbroadcastq", "vbroadcasti128"}:
            if name == "vbroadcasti128":
                return self.elements(sources[0], 2) * (count // 2)
            return self.elements(sources[0], 1) * count
        if name == "vpblendmq":
            assert chosen is not None
            second, first = self.elements(sources[0], count), self.elements(sources[1], count)
            return tuple(second[i] if chosen[i] else 0 if to.zero else first[i] for i in range(count))
        if name == "vpmaskmovq":
            wanted = [sign >> 63 == 1 for sign in self.public_elements(sources[1], count)]
            found = self.elements(sources[0], count, wanted)
            return tuple(found[i] if wanted[i] else 0 for i in range(count))
        if name == "vpinsrq":
            number = self.get(sources[1], 64)
            before = self.elements(sources[2], 2)
            return (before[0], number) if sources[0].number & 1 else (number, before[1])
        if name == "vpmovsxbq":
            if sources[0].kind == "memory":
                at = self.address(sources[0])
                found = tuple(self.memory.read(at + i, 1) for i in range(count))
            else:
                first, second = self.elements(sources[0], 2)
                found = tuple((first, second)[i // 8] >> 8 * (i % 8) & 255 for i in range(count))
            return tuple(signed(self.flags.public("an index", number), 8) & WORD_MAX for number in found)
        if name in {"vmovddup"}:
            return tuple(self.elements(sources[0], count)[i - i % 2] for i in range(count))
        return self.computed(name, sources, to, count)

    def computed(self, name: str, sources: list[Operand], to: Operand, count: int) -> Value:
        """Return what an instruction of the tables computes."""
        imm = None
        if sources[0].kind == "number":
            imm, sources = sources[0].number, sources[1:]
        if name == "vpermq" and imm is None:
            name = "vpermq_by"
        if name not in VECTORS:
            raise Unproved("no such instruction in the tables")
        instruction: Instruction = VECTORS[name]
        if name in {"vpsllq", "vpsrlq"} and imm is None:
            shift = self.elements(sources[0], 1)[0]
            imm, sources = self.flags.public("a shift", shift), sources[1:]
        wide = name.startswith(("vextract", "vpermq"))
        sizes = [VECTOR_WORDS if wide else count] * len(sources)
        values = [
            self.elements(source, size if source.kind == "vector" else count)
            for source, size in zip(reversed(sources), sizes, strict=True)
        ]
        if name.startswith("vpermq"):
            values = [value[:count] for value in values]
        if instruction.accumulates:
            values.insert(0, self.elements(to, count))
        if len(values) != instruction.operands:
            raise Unproved("other operands than the table has")
        result: Value = instruction.meaning(imm, *values)
        return result

    def leave_vectors(self, name: str, sources: list[Operand], to: Operand) -> None:
        """Run an instruction that writes to memory or to a general register."""
        source = sources[-1]
        if name in MOVES:
            count = source.width // 64
            chosen = self.chosen(to, count)
            at = self.address(to)
            for i, number in enumerate(self.elements(source, count)):
                if chosen is None or chosen[i]:
                    self.store(at + 8 * i, 8, number)
        elif name in {"vmovq", "vmovd", "vmovlps", "vmovsd"}:
            width = 32 if name == "vmovd" else 64
            self.set(
                to, width, self.elements(source, 1)[0] & MASKS[width] if width < 64 else self.elements(source, 1)[0]
            )
        elif name in {"vmovhps", "vmovhpd"}:
            self.set(to, 64, self.elements(source, 2)[1])
        elif name == "vpextrq":
            self.set(to, 64, self.elements(source, 2)[sources[0].number & 1])
        elif name.startswith("vextract"):
            at = self.address(to)
            value = VECTORS[name].meaning(sources[0].number, self.elements(source, VECTOR_WORDS))
            for i, number in enumerate(value):
                self.store(at + 8 * i, 8, number)
        else:
            raise Unproved("no such instruction in the tables")

    def on_general(self, name: str, operands: list[Operand]) -> None:
        name, width = named(name, operands)
        mask = MASKS[width]
        to = operands[-1] if operands else Operand("")
        if name in {"mov", "movabs"}:
            if operands[0].kind == "general" and to.kind == "general" and width == 64:
                self.general[to.name] = self.general[operands[0].name]
            else:
                self.set(to, width, self.get(operands[0], width))
        elif name in {"movzb", "movzw"}:
            self.set(to, 64, self.get(operands[0], SUFFIXES[name[4]]))
        elif name in {"movsb", "movsw", "movsl"}:
            bits = SUFFIXES[name[4]]
            number = self.flags.public("a sign", self.get(operands[0], bits))
            self.set(to, width, signed(number, bits) & mask)
        elif name == "lea":
            total = self.sum_of(operands[0])
            self.set(to, width, total & mask)
        elif name == "push":
            value = self.general[to.name] if to.kind == "general" else self.get(to, 64)
            self.push(value)
        elif name == "pop":
            self.general[to.name] = self.pop()
        elif name == "leave":
            self.general["rsp"] = self.register("rbp")
            self.general["rbp"] = self.pop()
        elif name in {"add", "adc", "sub", "sbb", "cmp"}:
            self.add_or_subtract(name, operands, width)
        elif name in {"and", "or", "xor", "test"}:
            self.combine(name, operands, width)
        elif name in {"inc", "dec"}:
            value = self.get(to, width) + (1 if name == "inc" else -1) & mask
            self.set(to, width, value)
            # They leave the carry as it was.
            self.flags = Flags("kept", carry_in=self.flags, result=value, width=width)
        elif name in {"neg", "not"}:
            before = self.get(to, width)
            value = (0 - before) & mask if name == "neg" else mask - exact(before)
            self.set(to, width, value)
            if name == "neg":
                self.flags = Flags("sub", 0, before, 0, value, width)
        elif name in {"shl", "shr", "sar", "shld", "shrd", "rol", "ror"}:
            self.shift(name, operands, width)
        elif name in {"mul", "mulx", "imul", "div"}:
            self.multiply(name, operands, width)
        elif name in {"bts", "btr", "bt"}:
            bit = self.flags.public("a number of a bit", self.get(operands[0], width)) % width
            before = self.get(to, width)
            if name == "bts":
                self.set(to, width, before | 1 << bit)
            elif name == "btr":
                self.set(to, width, before - (before & 1 << bit))
            self.flags = Flags()
        elif name.startswith("set"):
            self.set(to, 8, self.bit(name[3:]))
        elif name.startswith("cmov"):
            # Both operands are read, and 32 bits clear the others.
            value, before = self.get(operands[0], width), self.get(to, width)
            self.set(to, width, value if self.flags.holds(name[4:]) else before)
        elif name in {"cqto", "cltq"}:
            value = self.flags.public("a sign", self.register("rax"))
            if name == "cqto":
                self.general["rdx"] = WORD_MAX * (value >> 63)
            else:
                self.general["rax"] = signed(value & MASKS[32], 32) & WORD_MAX
        else:
            raise Unproved("no such instruction in the tables")

    def bit(self, condition: str) -> Any:
        """Return a condition as 0 or 1; a carry may be symbolic."""
        if condition in {"b", "c"}:
            return self.flags.carry()
        if condition in {"ae", "nc"}:
            return 1 - self.flags.carry()
        return int(self.flags.holds(condition))

    def add_or_subtract(self, name: str, operands: list[Operand], width: int) -> None:
        source, to = operands
        a, b = self.get(to, width), self.get(source, width)
        carry = self.flags.carry() if name in {"adc", "sbb"} else 0
        small = signed(b, width) if source.kind == "number" else b
        if name in {"add", "adc"}:
            if width == 64 and name == "adc":
                value = with_carry(None, (a,), (0, carry), (small,))[0] if not wraps_any(a, b, carry) else None
            else:
                value = None
            if value is None:
                value = a + small + carry & MASKS[width]
            self.flags = Flags("add", a, b, carry, value, width)
        else:
            value = a - small - carry & MASKS[width]
            self.flags = Flags("sub", a, b, carry, value, width)
        if name != "cmp":
            self.set(to, width, value)

    def combine(self, name: str, operands: list[Operand], width: int) -> None:
        source, to = operands
        if name == "xor" and source == to:
            value = 0
        else:
            a, b = self.get(to, width), self.get(source, width)
            value = a ^ b if name == "xor" else a | b if name == "or" else a if source == to else a & b
        self.flags = Flags("logic", value, 0, 0, value, width)
        if name != "test":
            self.set(to, width, value)

    def shift(self, name: str, operands: list[Operand], width: int) -> None:
        to, mask = operands[-1], MASKS[width]
        a = self.get(to, width)
        if len(operands) == 1:
            count = 1
        else:
            count = self.flags.public("a number of bits", self.get(operands[0], 8)) % (64 if width == 64 else 32)
        if name == "shl":
            value = a << count & mask
        elif name == "shr":
            value = a >> count
        elif name == "sar":
            value = signed(self.flags.public("a sign", a), width) >> count & mask
        elif name in {"rol", "ror"}:
            count = count if name == "rol" else width - count
            value = (a << count | a >> width - count) & mask
        else:
            b = self.get(operands[1], width)
            value = a << count | b >> width - count if name == "shld" else a >> count | b << width - count
            value = value & mask
        self.set(to, width, value)
        if count:
            self.flags = Flags("shift", result=value, width=width)

    def multiply(self, name: str, operands: list[Operand], width: int) -> None:
        mask = MASKS[width]
        if name == "mulx":
            product = self.get(operands[0], width) * self.get(Operand("general", "rdx"), width)
            self.set(operands[1], width, product & mask)
            self.set(operands[2], width, product >> width)
        elif name == "div":
            high, low, by = self.register("rdx"), self.register("rax"), self.get(operands[0], width)
            if not all(isinstance(number, int) for number in (high, low, by)):
                raise Unproved("a division of symbolic numbers")
            number = (high & mask) << width | low & mask
            self.general["rax"], self.general["rdx"] = number // by & mask, number % by
            self.flags = Flags()
        elif len(operands) == 1:
            product = self.get(operands[0], width) * self.get(Operand("general", "rax"), width)
            self.general["rax"], self.general["rdx"] = product & mask, product >> width
            self.flags = Flags()
        else:
            source = operands[0]
            factor = signed(source.number, width) if source.kind == "number" else self.get(source, width)
            value = factor * self.get(operands[1], width) & mask
            self.set(operands[-1], width, value)
            self.flags = Flags()


def wraps_any(*numbers: Any) -> bool:
    return any(wraps(number) for number in numbers)


# Names that end in a letter for the width of memory, where no register tells it.
SUFFIXES = {"q": 64, "l": 32, "w": 16, "b": 8}
PLAIN = {
    *("mov", "movabs", "lea", "push", "pop", "leave", "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test"),
    *("inc", "dec", "neg", "not", "shl", "shr", "sar", "shld", "shrd", "rol", "ror", "mul", "mulx", "imul", "div"),
    *("bts", "btr", "bt", "cqto", "cltq"),
}


def named(name: str, operands: list[Operand]) -> tuple[str, int]:
    """Return the name without a letter for the width, and the width in bits."""
    widths = [operand.width for operand in operands if operand.kind == "general" and operand.width]
    if re.fullmatch("mov[zs][bwl][wlq]", name):
        return name[:5], SUFFIXES[name[5]]
    if name.startswith(("set", "cmov")):
        return name, widths[-1] if widths else 8
    if name not in PLAIN and name[:-1] in PLAIN and name[-1] in SUFFIXES:
        return name[:-1], SUFFIXES[name[-1]]
    return name, widths[-1] if widths else 64
