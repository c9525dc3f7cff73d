# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run instructions of x86-64 on numbers, public ones and symbolic ones, in functions of the System V ABI."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from coconut.architectures.amd64_compiled import ALIASES, IDLE, MOVES, VECTORS
from coconut.instructions import Instruction
from coconut.lift.machine import MASKS, RETURN, STACK_TOP, Flags, Machine, Unknown, signed
from coconut.lift.objects import Line
from coconut.operations import WORD_MAX, Value
from coconut.prove.polynomials import Number, Unproved, exact

REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16)))
VECTOR_WORDS = 8


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
class Amd64Flags(Flags):
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
            if self.kind == "sub" and not isinstance(self.a, Number) and not isinstance(self.b, Number):
                return bool(self.a <= self.b) == (condition == "be")
            return (self.holds("b") or self.holds("e")) == (condition == "be")
        if condition in {"l", "ge", "g", "le"} and self.kind in {"sub", "logic"}:
            a, b = (self.signed(self.public("an order", number)) for number in (self.a, self.b))
            return {"l": a < b, "ge": a >= b, "g": a > b, "le": a <= b}[condition]
        raise Unproved(f"the condition {condition} after {self.kind}")


@dataclass
class Amd64(Machine):
    """Registers and memory of a call on x86-64."""

    ARGUMENTS: ClassVar = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
    RESULT: ClassVar = "rax"
    CALLEE_SAVED: ClassVar = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    STACK: ClassVar = "rsp"

    flags: Flags = field(default_factory=Amd64Flags)
    masks: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.general = {name: Unknown(name) for name in REGISTERS}
        self.general["rsp"] = STACK_TOP - 8
        self.memory.write(STACK_TOP - 8, 8, RETURN)

    def back(self) -> int:
        target = self.pop()
        if not isinstance(target, int):
            raise Unproved("a return to an unknown address")
        return target

    def push(self, value: Any) -> None:
        self.general["rsp"] -= 8
        self.store(self.general["rsp"], 8, value)

    def pop(self) -> Any:
        value = self.memory.read(self.general["rsp"], 8)
        self.general["rsp"] += 8
        return value

    def register(self, name: str) -> Any:
        return self.known(general_registers()[name][0])

    def address(self, operand: Operand) -> int:
        at = self.sum_of(operand)
        if isinstance(at, Number):
            raise Unproved("an address depends on a symbolic number")
        found: int = at & WORD_MAX
        return found

    def sum_of(self, operand: Operand) -> Any:
        total: Any = 0
        if operand.base:
            total = self.register(operand.base)
        if operand.index:
            total = total + self.register(operand.index) * operand.scale
        return total + operand.number

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
            return self.back()
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
            self.flags = Amd64Flags("kept", carry_in=self.flags, result=value, width=width)
        elif name in {"neg", "not"}:
            before = self.get(to, width)
            value = (0 - before) & mask if name == "neg" else mask - exact(before)
            self.set(to, width, value)
            if name == "neg":
                self.flags = Amd64Flags("sub", 0, before, 0, value, width)
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
            self.flags = Amd64Flags()
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
        # A difference from itself depends on the carry alone.
        of_itself = name in {"sub", "sbb"} and source == to
        a, b = (0, 0) if of_itself else (self.get(to, width), self.get(source, width))
        carry = self.flags.carry() if name in {"adc", "sbb"} else 0
        small = signed(b, width) if source.kind == "number" else b
        if name in {"add", "adc"}:
            value = a + small + carry & MASKS[width]
            self.flags = Amd64Flags("add", a, b, carry, value, width)
        else:
            value = a - small - carry & MASKS[width]
            self.flags = Amd64Flags("sub", a, b, carry, value, width)
        if name != "cmp":
            self.set(to, width, value)

    def combine(self, name: str, operands: list[Operand], width: int) -> None:
        source, to = operands
        if name == "xor" and source == to:
            value = 0
        else:
            a, b = self.get(to, width), self.get(source, width)
            value = a ^ b if name == "xor" else a | b if name == "or" else a if source == to else a & b
        self.flags = Amd64Flags("logic", value, 0, 0, value, width)
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
            self.flags = Amd64Flags("shift", result=value, width=width)

    def multiply(self, name: str, operands: list[Operand], width: int) -> None:
        mask = MASKS[width]
        if name == "mulx":
            product = self.get(operands[0], width) * self.get(Operand("general", "rdx"), width)
            self.set(operands[1], width, product & mask)
            self.set(operands[2], width, product >> width)
        elif name == "div":
            high, low, by = self.register("rdx"), self.register("rax"), self.get(operands[0], width)
            if any(isinstance(number, Number) for number in (high, low, by)):
                raise Unproved("a division of symbolic numbers")
            number = (high & mask) << width | low & mask
            self.general["rax"], self.general["rdx"] = number // by & mask, number % by
            self.flags = Amd64Flags()
        elif len(operands) == 1:
            product = self.get(operands[0], width) * self.get(Operand("general", "rax"), width)
            self.general["rax"], self.general["rdx"] = product & mask, product >> width
            self.flags = Amd64Flags()
        else:
            source = operands[0]
            factor = signed(source.number, width) if source.kind == "number" else self.get(source, width)
            value = factor * self.get(operands[1], width) & mask
            self.set(operands[-1], width, value)
            self.flags = Amd64Flags()


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
