# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run instructions of x86-64 on numbers, public ones and symbolic ones, in functions of the System V ABI."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

from coconut.architectures.amd64_compiled import ALIASES, IDLE, MOVES, VECTORS
from coconut.instructions import Instruction
from coconut.lift.machine import MASKS, RETURN, STACK_BYTES, STACK_TOP, Flags, Machine, Unknown, signed
from coconut.lift.objects import Line
from coconut.lift.operands import REGISTERS, Operand, general_registers, operand_of
from coconut.operations import WORD_MAX, Value
from coconut.prove.polynomials import Number, Unproved, exact
from coconut.prove.terms import Difference, Symbolic, Term

VECTOR_WORDS = 8
# Conditions by their other names, and those that are the opposite of another one.
SYNONYMS = {"c": "b", "nae": "b", "nc": "ae", "nb": "ae", "z": "e", "nz": "ne", "na": "be", "nbe": "a"}
SYNONYMS |= {"pe": "p", "po": "np", "nge": "l", "nl": "ge", "ng": "le", "nle": "g"}
OPPOSITE = {"ae": "b", "ne": "e", "a": "be", "ns": "s", "no": "o", "np": "p", "ge": "l", "g": "le"}
# The places of flags in the register of flags.
PLACES = {"b": 0, "p": 2, "e": 6, "s": 7, "o": 11}
SHIFTS = {"shl", "shr", "sar", "shld", "shrd"}
SHIFTS_BY_VECTOR = {"vpsllq", "vpsrlq"}
# Instructions by which lanes of 16 bits are put in order and counted.
LANES_OF_16 = {"vpaddw", "vpsubw", "vpminsw", "vpcmpeqw", "vpcmpgtw"}
# How many elements of memory are inserted.
INSERTED = {"vinserti128": 2, "vinserti64x4": 4}


@dataclass
class Amd64Flags(Flags):
    """As Flags. What an instruction leaves undefined is unknown; so are all flags of kind "".

    - known: result is the register of flags.
    - kept: carry_in is the flags of before, of which the carry is kept; a is 1 after inc, -1 after dec.
    - shl, shr, sar, shld, shrd: a is what was shifted, b by how many bits. rol, ror: also carry_in, the flags of before.
    - bit: result is the carry. mul: a tells whether the product is too large.
    """

    def carry(self) -> Any:
        if self.kind == "known":
            return self.result & 1
        if self.kind == "bit":
            return self.result
        if self.kind == "mul":
            return self.public("whether a product is too large", self.a)
        if self.kind in {"rol", "ror"}:
            return self.result >> (0 if self.kind == "rol" else self.width - 1) & 1
        if self.kind == "sar" or (self.kind in SHIFTS and self.b < self.width):
            last = self.width - self.b if self.kind in {"shl", "shld"} else min(self.b, self.width) - 1
            return self.a >> last & 1
        return super().carry()

    def sign(self) -> bool:
        """Return the sign of the result, which must be defined."""
        return bool(self.public("its sign", self.result) >> self.width - 1 == 1)

    def overflow(self) -> bool:
        """Return whether the result has another sign than the exact one."""
        if self.kind in {"add", "sub"}:
            return self.sign() != (self.order() < 0)
        if self.kind == "logic":
            return False
        if self.kind == "kept":
            return bool(self.public("an overflow", self.result) == (1 << self.width - 1) - (self.a == -1))
        if self.kind == "mul":
            return bool(self.carry() == 1)
        if self.kind in SHIFTS | {"rol", "ror"} and self.b == 1:
            before, after = (self.public("its sign", number) for number in (self.a, self.result))
            return bool((before ^ after) >> self.width - 1) and self.kind != "sar"
        raise Unproved(f"the overflow after {self.kind or 'what sets none'}")

    def order(self) -> int:
        """Return a number with the sign of the exact result of an addition or subtraction."""
        a, b = (self.signed(self.public("an order", number)) for number in (self.a, self.b))
        carry = self.public("an order", self.carry_in)
        return a + b + carry if self.kind == "add" else a - b - carry

    def holds(self, condition: str) -> bool:
        """Return whether a condition holds, which must not depend on a symbolic number."""
        condition = SYNONYMS.get(condition, condition)
        if condition in OPPOSITE:
            return not self.holds(OPPOSITE[condition])
        if self.kind == "known" and condition in PLACES:
            return bool(self.result >> PLACES[condition] & 1)
        if condition == "b":
            return bool(self.public("a carry", self.carry()) == 1)
        if condition == "o":
            return self.overflow()
        if condition in {"e", "s", "p"}:
            return self.of_result(condition)
        if self.kind == "sub" and isinstance(self.carry_in, int) and self.carry_in == 0:
            # Comparisons, of which nothing is known but the operands.
            a, b = (self.public("an order", number) for number in (self.a, self.b))
            if condition == "be":
                return bool(a <= b)
            a, b = self.signed(a), self.signed(b)
            return bool(a < b) if condition == "l" else bool(a <= b)
        if condition == "be":
            return self.holds("b") or self.holds("e")
        if condition == "l":
            if self.kind == "logic":
                return self.sign()
            return self.order() < 0 if self.kind in {"add", "sub"} else self.holds("s") != self.holds("o")
        if condition == "le":
            return self.holds("l") or self.holds("e")
        raise Unproved(f"the condition {condition}")

    def of_result(self, condition: str) -> bool:
        """Return whether the result is 0, is negative, or has an even number of ones in its first byte."""
        if self.kind in {"rol", "ror"}:
            return bool(self.carry_in.holds(condition))
        if self.kind in {"", "bit", "mul"}:
            raise Unproved(f"the condition {condition} after {self.kind or 'what sets none'}")
        if condition == "e":
            return self.is_zero(self.result)
        if condition == "s":
            return self.sign()
        return (self.public("its parity", self.result) & 255).bit_count() % 2 == 0


@dataclass
class Amd64(Machine):
    """Registers and memory of a call on x86-64."""

    ARGUMENTS: ClassVar = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
    RESULT: ClassVar = "rax"
    CALLEE_SAVED: ClassVar = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    STACK: ClassVar = "rsp"

    flags: Flags = field(default_factory=Amd64Flags)
    masks: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.general = {name: Unknown(name) for name in REGISTERS}
        self.general["rsp"] = STACK_TOP - 8
        self.memory.write(STACK_TOP - 8, 8, RETURN)

    def forget(self) -> None:
        super().forget()
        self.masks.clear()

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
        if isinstance(at, Number | Symbolic):
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
        if operand.kind not in {"general", "second byte"}:
            raise Unproved(f"a {operand.kind} is read as a number")
        value = self.register(operand.name)
        if operand.kind == "second byte":
            value = value >> 8
        return value if width == 64 else value & MASKS[width]

    def set(self, operand: Operand, width: int, value: Any) -> None:
        if operand.kind == "memory":
            self.store(self.address(operand), width // 8, value)
            return
        if operand.kind not in {"general", "second byte"}:
            raise Unproved(f"a number is written to a {operand.kind}")
        if width < 32:
            before = self.general[operand.name]
            before = self.any_number(before) if isinstance(before, Unknown | Difference) else before
            shift = 8 if operand.kind == "second byte" else 0
            value = replaced(before, MASKS[width] << shift, value << shift)
        self.general[operand.name] = value

    def elements(self, operand: Operand, count: int, bits: int = 64, chosen: list[int] | None = None) -> Value:
        """Return the first 64-bit elements of a vector, or of memory, of which only the chosen bits are read.

        bits: of the elements that the instruction has, of which chosen bits are multiples.
        """
        if operand.kind == "vector":
            if operand.number not in self.vectors:
                raise Unproved(f"vector {operand.number} is read, which nothing has set")
            return self.vectors[operand.number][:count]
        if operand.kind == "general":
            return (self.get(operand, 64),) * count
        at = self.address(operand)
        if operand.broadcast:
            number = self.memory.read(at, bits // 8)
            return (of_parts([number] * (64 // bits), bits),) * count
        return tuple(self.part_of_memory(at + 8 * i, bits, chosen[i] if chosen else WORD_MAX) for i in range(count))

    def part_of_memory(self, at: int, bits: int, chosen: int) -> Any:
        if chosen == WORD_MAX:
            self.set_stack(at, 8)
            return self.memory.read(at, 8)
        places = range(0, 64, bits)
        return of_parts([self.memory.read(at + i // 8, bits // 8) if chosen >> i & 1 else 0 for i in places], bits)

    def public_elements(self, operand: Operand, count: int) -> list[int]:
        return [self.flags.public("a mask", number) for number in self.elements(operand, count)]

    def with_sign(self, operand: Operand, count: int, bits: int) -> list[int]:
        """Return the bits of each 64-bit element in which elements of some bits have their highest bit set."""
        places = range(0, 64, bits)
        return [
            sum(MASKS[bits] << i for i in places if number >> i + bits - 1 & 1)
            for number in self.public_elements(operand, count)
        ]

    def chosen(self, operand: Operand, count: int, bits: int) -> list[int] | None:
        """Return the bits of each 64-bit element that a mask chooses, by elements of some bits."""
        if not operand.mask:
            return None
        each = 64 // bits
        mask = self.masks[operand.mask] & (1 << each * count) - 1
        if not isinstance(mask, int):
            raise Unproved("a mask depends on a symbolic number")
        ones = [[MASKS[bits] << bits * k for k in range(each) if mask >> each * i + k & 1] for i in range(count)]
        return [sum(parts) for parts in ones]

    def aligned(self, name: str, operands: list[Operand], width: int) -> None:
        """Raise Unproved if an operand in memory is not where an instruction needs it, which would be an exception."""
        for operand in operands if is_aligned(name) else ():
            if operand.kind == "memory" and self.address(operand) % (width // 8) != 0:
                raise Unproved(f"an address that is no multiple of {width // 8}")

    def step(self, line: Line) -> int:
        """Run an instruction, and return the address of the next one."""
        name = line.name
        if name in IDLE or (name == "xchg" and line.operands == ("%ax", "%ax")):
            if name == "vzeroupper":
                for number in range(16):
                    if number in self.vectors:
                        self.vectors[number] = self.vectors[number][:2] + (0,) * (VECTOR_WORDS - 2)
            return line.after
        if name[0] == "j" or name in {"call", "ret"}:
            return self.jump(line)
        if name == "rep":
            self.repeat(*line.operands)
            return line.after
        operands = [operand_of(text, line.after) for text in line.operands]
        kinds = {operand.kind for operand in operands}
        if name[0] == "k":
            self.on_masks(name, operands)
        elif "vector" in kinds:
            self.on_vectors(name, operands)
        else:
            self.on_general(name, operands)
        return line.after

    def jump(self, line: Line) -> int:
        name, at = line.name, line.after
        if name == "ret" and not line.operands:
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

    def repeat(self, what: str, to: str) -> None:
        """Store a register as often as rcx says; the ABI has addresses increase."""
        name, _, text = what.partition(" ")
        if name != "stos" or to != "%es:(%rdi)":
            raise Unproved("no such instruction in the tables")
        source = operand_of(text, 0)
        at, count = self.register("rdi"), self.flags.public("how often", self.register("rcx"))
        if count >= STACK_BYTES:
            raise Unproved(f"an instruction that is repeated {count} times")
        for i in range(count):
            self.store(at + source.width // 8 * i, source.width // 8, self.get(source, source.width))
        self.general["rdi"], self.general["rcx"] = at + source.width // 8 * count, 0

    def on_masks(self, name: str, operands: list[Operand]) -> None:
        *sources, to = operands
        found = re.fullmatch("k(mov|xor)([bwdq])", name)
        if not found:
            raise Unproved("no such instruction in the tables")
        bits = {"b": 8, "w": 16, "d": 32, "q": 64}[found[2]]
        if found[1] == "xor":
            if sources[0] != sources[1]:
                raise Unproved("an exclusive or of masks")
            value: Any = 0
        else:
            value = (
                self.masks[sources[0].number]
                if sources[0].kind == "mask"
                else self.get(sources[0], max(bits, 32) if sources[0].kind == "general" else bits)
            )
            value = value & MASKS[bits]
        if to.kind == "mask":
            self.masks[to.number] = value
        else:
            self.set(to, bits if to.kind == "memory" else 64, value)

    def on_vectors(self, name: str, operands: list[Operand]) -> None:
        *sources, to = operands
        bits, legacy = element_bits(name), name[0] != "v"
        widths = [operand.width for operand in operands if operand.kind == "vector"]
        self.aligned(name, operands, max(widths))
        if any(source.mask for source in sources):
            raise Unproved("a mask of an operand that is no result")
        name = ALIASES.get(name, name)
        if name in {"ptest", "vptest"}:
            self.test_vectors(sources[0], to)
            return
        if to.kind == "mask":
            self.compare_vectors(name, sources, to)
            return
        if to.kind != "vector":
            self.leave_vectors(name, sources, to, bits)
            return
        count = to.width // 64
        chosen = self.chosen(to, count, bits)
        value = self.vector(name, sources, to, count, bits, chosen)
        if chosen is not None and name != "vpblendmq":
            before = (0,) * count if to.zero else self.elements(to, count)
            value = tuple(mixed(*each) for each in zip(value, before, chosen, strict=True))
        if legacy:
            # What is above 128 bits is kept.
            above = self.vectors.get(to.number, (Unknown(f"vector {to.number}"),) * VECTOR_WORDS)[2:]
        else:
            above = (0,) * (VECTOR_WORDS - len(value))
        self.vectors[to.number] = tuple(value) + above

    def test_vectors(self, one: Operand, other: Operand) -> None:
        """Set flags: whether two public vectors have no bit in common, and whether the first has only bits of the other."""
        count = other.width // 64
        pairs = list(zip(self.public_elements(one, count), self.public_elements(other, count), strict=True))
        none_common = all(a & b == 0 for a, b in pairs)
        none_more = all(a & ~b == 0 for a, b in pairs)
        self.flags = Amd64Flags("known", result=none_common << PLACES["e"] | none_more << PLACES["b"])

    def compare_vectors(self, name: str, sources: list[Operand], to: Operand) -> None:
        """Set the bits of a mask for which a comparison of public elements holds."""
        if name != "vpcmpgtq" or to.mask:
            raise Unproved("no such instruction in the tables")
        count = sources[-1].width // 64
        value = self.computed(name, sources, replace(sources[-1], kind="vector"), count, 64)
        self.masks[to.number] = sum(1 << i for i, number in enumerate(value) if number)

    def vector(
        self, name: str, sources: list[Operand], to: Operand, count: int, bits: int, chosen: list[int] | None
    ) -> Value:
        """Return the elements that an instruction computes."""
        if name in MOVES:
            return self.elements(sources[0], count, bits, chosen)
        if name in {"vmovq", "vmovd"}:
            width = 64 if name == "vmovq" else 32
            number = self.get(sources[0], width) if sources[0].kind != "vector" else self.elements(sources[0], 1)[0]
            return (number, 0)
        if name in {"pxor", "vpxor", "vpxorq"}:
            one, other = sources[-2:] if len(sources) > 1 else (sources[0], to)
            if (one.kind, one.number) != (other.kind, other.number):
                values = self.elements(one, count, bits), self.elements(other, count, bits)
                return self.computed_once(xor_of, None, *values)
            return (0,) * count
        if name in {"pcmpeqd", "vpcmpeqd"} and sources[-1] == (sources[0] if len(sources) > 1 else to):
            return (WORD_MAX,) * count
        if name == "vpbroadcastb":
            number = self.memory.read(self.address(sources[0]), 1)
            return (of_parts([number] * 8, 8),) * count
        if name == "vpbroadcastq":
            return self.elements(sources[0], 1) * count
        if name in {"vbroadcasti128", "vbroadcasti32x4"}:
            return self.elements(sources[0], 2) * (count // 2)
        if name == "vpbroadcastd":
            source = sources[0]
            number = self.elements(source, 1)[0] & MASKS[32] if source.kind == "vector" else self.get(source, 32)
            return (of_parts([number] * 2, 32),) * count
        if name in {"movhps", "movlps"}:
            before, number = self.elements(to, 2), self.get(sources[0], 64)
            return (before[0], number) if name == "movhps" else (number, before[1])
        if name == "vpblendmq":
            if chosen is None:
                raise Unproved("a blend without a mask")
            second, first = (
                self.elements(sources[0], count, bits, None if sources[0].broadcast else chosen),
                self.elements(sources[1], count),
            )
            return tuple(second[i] if chosen[i] else 0 if to.zero else first[i] for i in range(count))
        if name in {"vpmaskmovq", "vpmaskmovd"}:
            wanted = self.with_sign(sources[1], count, bits)
            found = self.elements(sources[0], count, bits, wanted)
            return tuple(mixed(found[i], 0, wanted[i]) for i in range(count))
        if name in {"vpinsrq", "vpinsrd"}:
            width = 64 if name == "vpinsrq" else 32
            number = self.get(sources[1], width)
            before, at = self.elements(sources[2], 2), width * sources[0].number % 128
            of = replaced(before[at // 64], MASKS[width] << at % 64, number << at % 64) if width < 64 else number
            return (of, before[1]) if at < 64 else (before[0], of)
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
        return self.computed(name, sources, to, count, bits)

    def computed(self, name: str, sources: list[Operand], to: Operand, count: int, bits: int) -> Value:
        """Return what an instruction of the tables computes."""
        imm = None
        if sources[0].kind == "number":
            imm, sources = sources[0].number, sources[1:]
        if name == "vpermq" and imm is None:
            name = "vpermq_by"
        if name[0] != "v" and "v" + name in VECTORS:
            # The result replaces the first operand.
            name = "v" + name
            if len(sources) < VECTORS[name].operands:
                sources = [*sources, to]
        if name not in VECTORS:
            raise Unproved("no such instruction in the tables")
        instruction: Instruction = VECTORS[name]
        if instruction.immediate and imm is None and name not in SHIFTS_BY_VECTOR:
            raise Unproved("no such instruction in the tables")
        if name in SHIFTS_BY_VECTOR and imm is None:
            shift = self.elements(sources[0], 1)[0]
            imm, sources = min(self.flags.public("a shift", shift), 64), sources[1:]
        extracts, inserts = name.startswith("vextract"), INSERTED.get(name, count)
        values = [
            self.elements(
                source,
                source.width // 64 if extracts else inserts if source.kind == "memory" else count,
                bits,
            )
            for source in reversed(sources)
        ]
        if instruction.accumulates:
            values.insert(0, self.elements(to, count))
        if len(values) != instruction.operands:
            raise Unproved("other operands than the table has")
        if name in LANES_OF_16:
            values_of_lanes = zip(*values, strict=True)
            return tuple(of_parts(list(self.lanes_of(instruction, numbers)), 16) for numbers in values_of_lanes)
        return self.computed_once(instruction.meaning, imm, *values)

    def lanes_of(self, instruction: Instruction, numbers: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the four lanes of 16 bits that an instruction computes, each of public lanes, or as a function of words."""

        def lane(*parts: int) -> int:
            found: int = instruction.meaning(None, *((part,) for part in parts))[0] & MASKS[16]
            return found

        for i in range(0, 64, 16):
            parts = [number >> i & MASKS[16] for number in numbers]
            terms = next((part.terms for part in parts if isinstance(part, Term)), None)
            yield lane(*parts) if terms is None else terms.applied(instruction.name, 16, lane, parts)

    def leave_vectors(self, name: str, sources: list[Operand], to: Operand, bits: int) -> None:
        """Run an instruction that writes to memory or to a general register."""
        source = sources[-1]
        if name in MOVES or (name.startswith("vextract") and to.kind == "memory"):
            value = self.elements(source, source.width // 64)
            if name not in MOVES:
                value = VECTORS[name].meaning(sources[0].number, value)
            chosen = self.chosen(to, len(value), bits)
            at = self.address(to)
            for i, number in enumerate(value):
                self.store_chosen(at + 8 * i, number, bits, chosen[i] if chosen else WORD_MAX)
        elif to.mask:
            raise Unproved("no such instruction in the tables")
        elif name in {"vpmaskmovq", "vpmaskmovd"}:
            count, at = source.width // 64, self.address(to)
            wanted = self.with_sign(source, count, bits)
            for i, number in enumerate(self.elements(sources[0], count)):
                self.store_chosen(at + 8 * i, number, bits, wanted[i])
        elif name in {"vmovq", "vmovd", "vmovlps", "vmovlpd", "vmovsd"}:
            width = 32 if name == "vmovd" else 64
            number = self.elements(source, 1)[0]
            self.set(to, width, number & MASKS[width] if width < 64 else number)
        elif name in {"movhps", "vmovhps", "vmovhpd"}:
            self.set(to, 64, self.elements(source, 2)[1])
        elif name in {"vpextrq", "vpextrd"}:
            width = 64 if name == "vpextrq" else 32
            at = width * sources[0].number % 128
            number = self.elements(source, 2)[at // 64]
            self.set(to, width, number if width == 64 else number >> at % 64 & MASKS[width])
        else:
            raise Unproved("no such instruction in the tables")

    def store_chosen(self, at: int, number: Any, bits: int, chosen: int) -> None:
        """Store the chosen bits of a 64-bit element."""
        if chosen == WORD_MAX:
            self.store(at, 8, number)
            return
        for i in range(0, 64, bits):
            if chosen >> i & 1:
                self.store(at + i // 8, bits // 8, number >> i & MASKS[bits])

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
            self.set(to, width, self.get(operands[0], SUFFIXES[name[4]]))
        elif name in {"movsb", "movsw", "movsl"}:
            bits = SUFFIXES[name[4]]
            number = self.flags.public("a sign", self.get(operands[0], bits))
            self.set(to, width, signed(number, bits) & mask)
        elif name == "lea":
            total = self.sum_of(operands[0])
            self.set(to, width, total & mask)
        elif name in {"push", "pop"} and width != 64:
            raise Unproved("no such instruction in the tables")
        elif name == "push":
            value = self.general[to.name] if to.kind == "general" else self.get(to, 64)
            self.push(value)
        elif name == "pop":
            self.set(to, 64, self.pop())
        elif name == "leave":
            self.general["rsp"] = self.register("rbp")
            self.general["rbp"] = self.pop()
        elif name in {"add", "adc", "sub", "sbb", "cmp"}:
            self.add_or_subtract(name, operands, width)
        elif name in {"and", "or", "xor", "test"}:
            self.combine(name, operands, width)
        elif name in {"inc", "dec"}:
            by = 1 if name == "inc" else -1
            value = self.get(to, width) + by & mask
            self.set(to, width, value)
            # They leave the carry as it was.
            self.flags = Amd64Flags("kept", by, carry_in=self.flags, result=value, width=width)
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
            if to.kind == "memory" and operands[0].kind != "number":
                raise Unproved("a bit of a string of bits")
            bit = self.flags.public("a number of a bit", self.get(operands[0], width)) % width
            before = self.get(to, width)
            self.flags = Amd64Flags("bit", result=before >> bit & 1)
            if name == "bts":
                self.set(to, width, before | 1 << bit)
            elif name == "btr":
                self.set(to, width, before - (before & 1 << bit))
        elif name == "xchg":
            source = operands[0]
            value, before = self.get(source, width), self.get(to, width)
            self.set(to, width, value)
            self.set(source, width, before)
        elif name == "bswap":
            before = self.get(to, width)
            self.set(to, width, of_parts([before >> i & 255 for i in reversed(range(0, width, 8))], 8))
        elif name == "tzcnt":
            value = self.flags.public("a number of zeros", self.get(operands[0], width))
            self.set(to, width, (value & -value).bit_length() - 1 if value else width)
            self.flags = Amd64Flags("bit", result=int(value == 0))
        elif name.startswith("set"):
            self.set(to, 8, self.truth(name[3:]))
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

    def truth(self, condition: str) -> Any:
        """Return a condition as 0 or 1; a carry may be symbolic."""
        condition = SYNONYMS.get(condition, condition)
        if condition in {"b", "ae"}:
            carry = self.flags.carry()
            return carry if condition == "b" else 1 - carry
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
            left = count % width if name == "rol" else -count % width
            value = (a << left | a >> width - left) & mask
        elif count > width:
            raise Unproved("a shift by more bits than there are")
        else:
            b = self.get(operands[1], width)
            value = a << count | b >> width - count if name == "shld" else a >> count | b << width - count
            value = value & mask
        self.set(to, width, value)
        if count:
            before = self.flags if name in {"rol", "ror"} else 0
            self.flags = Amd64Flags(name, a, count, before, value, width)

    def multiply(self, name: str, operands: list[Operand], width: int) -> None:
        mask, low = MASKS[width], Operand("general", "rax", width=width)
        # A product of 8 bits has its high half in the second byte.
        high = Operand("second byte", "rax", width=8) if width == 8 else Operand("general", "rdx", width=width)
        if name == "mulx":
            product = self.get(operands[0], width) * self.get(Operand("general", "rdx"), width)
            self.set(operands[1], width, product & mask)
            self.set(operands[2], width, product >> width)
        elif name == "div":
            self.divide(self.get(high, width), self.get(low, width), self.get(operands[0], width), width)
        elif len(operands) == 1 and name == "mul":
            product = self.get(operands[0], width) * self.get(low, width)
            self.set(low, width, product & mask)
            self.set(high, width, product >> width)
            self.flags = Amd64Flags("mul", self.excess(product >> width))
        else:
            source, other = operands[0], operands[1] if len(operands) > 1 else low
            a, b = self.get(source, width), self.get(other, width)
            are_public = isinstance(a, int) and isinstance(b, int)
            exact_product = signed(a, width) * signed(b, width) if are_public else 0
            factor = signed(source.number, width) if source.kind == "number" else a
            if len(operands) > 1:
                self.set(operands[-1], width, factor * b & mask)
            elif are_public:
                self.set(low, width, exact_product & mask)
                self.set(high, width, exact_product >> width & mask)
            else:
                raise Unproved("a product of signed symbolic numbers")
            excess = self.excess(exact_product - signed(exact_product, width)) if are_public else UNDEFINED
            self.flags = Amd64Flags("mul", excess)

    def excess(self, above: Any) -> Any:
        """Return 1 if there is something above a product's low half, else 0; if it is symbolic, nobody may ask."""
        return int(above != 0) if isinstance(above, int) else UNDEFINED

    def divide(self, high: Any, low: Any, by: Any, width: int) -> None:
        if any(isinstance(number, Number) for number in (high, low, by)):
            raise Unproved("a division of symbolic numbers")
        if width == 8:
            raise Unproved("no such instruction in the tables")
        number = high << width | low
        if by == 0 or not (isinstance(high, int) and (high == 0 or high < by)):
            raise Unproved("a division that may have no result")
        self.set(Operand("general", "rax"), width, number // by)
        self.set(Operand("general", "rdx"), width, number % by)
        self.flags = Amd64Flags()


def replaced(before: Any, mask: int, value: Any) -> Any:
    """Return a word with other bits where a mask is set."""
    if isinstance(before, Number) or isinstance(value, Number):
        return before - (before & mask) + value
    return before & (WORD_MAX ^ mask) | value


# What nobody may ask for.
UNDEFINED = Unknown("an undefined flag")


def of_parts(parts: list[Any], bits: int) -> Any:
    """Return the number of 64 bits that consists of numbers of some bits, the lowest first."""
    total: Any = parts[0]
    for i, part in enumerate(parts[1:], 1):
        total = total | part << bits * i
    return total


def mixed(value: Any, before: Any, chosen: int) -> Any:
    """Return the chosen bits of a value, and the others of what was before."""
    if chosen in {0, WORD_MAX}:
        return value if chosen else before
    return value & chosen | before & WORD_MAX - chosen


def xor_of(imm: int | None, a: Value, b: Value) -> Value:
    return tuple(x ^ y for x, y in zip(a, b, strict=True))


@cache
def is_aligned(name: str) -> bool:
    """Return whether operands in memory must be aligned: without VEX, if it is no move, or a move that says so."""
    return bool(re.match("v?mov(a|dqa|nt)", name) or not re.match("v|mov|lddqu|pinsr", name))


@cache
def element_bits(name: str) -> int:
    """Return the width of the elements that a mask or a broadcast of an instruction counts."""
    found = re.search(r"(?<!\d)(8|16|32|64)(?:x\d)?$", name)
    if found:
        return int(found[1])
    suffixes = {"ps": 32, "ss": 32, "pd": 64, "sd": 64, "dup": 64, "128": 64, "q": 64, "d": 32, "w": 16, "b": 8}
    return next((bits for suffix, bits in suffixes.items() if name.endswith(suffix)), 64)


# Names that end in a letter for the width of memory, where no register tells it.
SUFFIXES = {"q": 64, "l": 32, "w": 16, "b": 8}
PLAIN = {
    *("mov", "movabs", "lea", "push", "pop", "leave", "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test"),
    *("inc", "dec", "neg", "not", "shl", "shr", "sar", "shld", "shrd", "rol", "ror", "mul", "mulx", "imul", "div"),
    *("bts", "btr", "bt", "tzcnt", "cqto", "cltq", "xchg", "bswap"),
}
EXTENDING = re.compile("mov[zs][bwl][wlq]")


def named(name: str, operands: list[Operand]) -> tuple[str, int]:
    """Return the name without a letter for the width, and the width in bits."""
    widths = [operand.width for operand in operands if operand.kind in {"general", "second byte"}]
    if EXTENDING.fullmatch(name):
        return name[:5], SUFFIXES[name[5]]
    if name.startswith(("set", "cmov")):
        return name, widths[-1] if widths else 8
    if name not in PLAIN and name[:-1] in PLAIN and name[-1] in SUFFIXES:
        return name[:-1], SUFFIXES[name[-1]]
    return name, widths[-1] if widths else 64
