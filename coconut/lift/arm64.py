# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run instructions of 64-bit Arm on numbers, public ones and symbolic ones, in functions of the AAPCS64.

objdump writes no aliases, so that a comparison is a subtraction and a move an or.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

from coconut.architectures import arm64_words, neon, scalar_arm64
from coconut.architectures.arm64_compiled import INSTRUCTIONS
from coconut.assembler import Read
from coconut.instructions import Instruction, Meaning, halves, of_halves
from coconut.lift.machine import MASKS, RETURN, STACK_TOP, Flags, Machine, Unknown, signed
from coconut.lift.objects import Line
from coconut.lift.operands import place_of
from coconut.operations import WORD32_MAX, WORD_MAX, Value
from coconut.prove.polynomials import Number, Unproved, exact

# Instructions on vectors, by the templates of the tables: on two elements of 64 bits, and on four of 32.
OF_64 = replace(neon.GNU, instructions=neon.INSTRUCTIONS | INSTRUCTIONS)
OF_32 = replace(neon.GNU, instructions=arm64_words.INSTRUCTIONS)
# The first two are the same; the others mark targets of branches.
IDLE = {"nop", "hint #0", "hint #32", "hint #34", "hint #36", "hint #38"}
VECTOR_SIZES = {"q": 16, "d": 8, "s": 4, "h": 2, "b": 1}


@cache
def read_by_tables(text: str) -> tuple[Read, Meaning]:
    """Return an instruction on vectors, and its meaning on elements of 64 bits."""
    if (read := OF_64.read(text)) is not None:
        return read, read.instruction.meaning
    if (read := OF_32.read(text)) is None:
        raise Unproved("no such instruction in the tables")
    return read, of_words(read.instruction.meaning)


@cache
def of_words(meaning: Meaning) -> Meaning:
    """Return what an instruction on elements of 32 bits means on those of 64."""
    return lambda imm, *values: of_halves(meaning(imm, *map(halves, values)))


def in_table(name: str) -> Callable[[Any, Any], Any]:
    """Return what the instruction of that name makes of two words."""
    meaning = scalar_arm64.INSTRUCTIONS[name].meaning
    return lambda a, b: meaning(None, (a,), (b,))[0]


ADD, MULTIPLY, HIGH = (in_table(name) for name in ("add", "mul", "mul_high"))
COMBINED: dict[str, Callable[[Any, Any], Any]] = {"and": lambda a, b: a & b, "orr": lambda a, b: a | b}
COMBINED["eor"] = lambda a, b: a ^ b
# The same with the complement of the last operand.
INVERTED = {"bic": "and", "orn": "orr", "eon": "eor"}
OPPOSITE = {"eq": "ne", "cs": "cc", "mi": "pl", "vs": "vc", "hi": "ls", "ge": "lt", "gt": "le"}
OPPOSITE |= {b: a for a, b in OPPOSITE.items()}


@dataclass
class Arm64Flags(Flags):
    """As Flags, whose carry of a subtraction is a borrow here; "known" ones are four bits, negative to overflow."""

    def bit(self) -> Any:
        """Return the carry flag, which after a subtraction says that nothing was borrowed."""
        if self.kind == "known":
            return self.result >> 1 & 1
        return 1 - self.carry() if self.kind == "sub" else self.carry()

    def truth(self, condition: str) -> Any:
        """Return 1 if a condition holds, else 0: a symbolic number for carries, and for whether one bit is 0."""
        result = self.result
        if condition in {"cs", "cc"}:
            bit = self.bit()
        elif condition in {"eq", "ne"} and isinstance(result, Number) and not result.wraps and result.high <= 1:
            bit = 1 - result
        else:
            return int(self.holds(condition))
        return bit if condition in {"cs", "eq"} else 1 - bit

    def order(self) -> int:
        """Return a number with the sign of the exact result."""
        a, b = (self.signed(self.public("an order", number)) for number in (self.a, self.b))
        carry = self.public("an order", self.carry_in)
        return a - b - carry if self.kind == "sub" else a + b + carry

    def holds(self, condition: str) -> bool:
        if condition in {"ne", "cc", "pl", "vc", "ls", "lt", "le"}:
            return not self.holds(OPPOSITE[condition])
        if not self.kind:
            raise Unproved(f"the condition {condition}, and nothing has set flags")
        known = self.kind == "known"
        if condition == "eq":
            return (self.result >> 2 & 1) == 1 if known else self.is_zero(self.result)
        if condition == "cs":
            return self.public("a carry", self.bit()) == 1
        if condition == "hi":
            return self.holds("cs") and self.holds("ne")
        if condition == "mi":
            return (self.result >> 3 if known else self.public("its sign", self.result) >> self.width - 1) == 1
        if condition == "vs":
            return (self.result & 1) == 1 if known else self.holds("mi") != (self.order() < 0)
        if condition in {"ge", "gt"}:
            is_less = self.holds("mi") != self.holds("vs")
            return not is_less and (condition == "ge" or self.holds("ne"))
        raise Unproved(f"the condition {condition}")


@cache
def registers_in(text: str) -> tuple[list[int], str]:
    """Return the vectors that a list in braces names, and their arrangement."""
    found = re.fullmatch(r"\{v(\d+)\.(\w+)(?:-v(\d+)\.\w+)?((?:, ?v\d+\.\w+)*)\}(?:\[\d+\])?", text)
    if not found:
        raise Unproved(f"a list that is not understood: {text}")
    first, arrangement, last, others = found.groups()
    numbers = [int(first)] + [int(number) for number in re.findall(r"v(\d+)", others)]
    if last:
        numbers = [(int(first) + i) % 32 for i in range((int(last) - int(first)) % 32 + 1)]
    return numbers, arrangement


def width_of(name: str) -> int:
    return 32 if name[0] == "w" else 64


@cache
def decimal(line: Line) -> tuple[str, ...]:
    """Return the operands, with immediates in decimal."""
    return tuple(re.sub(r"#(-?0x[0-9a-f]+)", lambda found: f"#{int(found[1], 16)}", one) for one in line.operands)


def number_of(text: str) -> int:
    if not text.startswith("#"):
        raise Unproved(f"no number: {text}")
    return int(text[1:])


@dataclass
class Arm64(Machine):
    """Registers and memory of a call on 64-bit Arm."""

    ARGUMENTS: ClassVar = tuple(f"x{i}" for i in range(8))
    RESULT: ClassVar = "x0"
    CALLEE_SAVED: ClassVar = tuple(f"x{i}" for i in range(19, 30))
    # A function restores the first halves.
    CALLEE_SAVED_VECTORS: ClassVar = range(8, 16)
    STACK: ClassVar = "sp"

    flags: Flags = field(default_factory=Arm64Flags)

    def __post_init__(self) -> None:
        self.general = {f"x{i}": Unknown(f"x{i}") for i in range(31)}
        self.general |= {"sp": STACK_TOP, "x30": RETURN}
        self.vectors = {i: (Unknown(f"d{i}"), Unknown(f"the second half of v{i}")) for i in self.CALLEE_SAVED_VECTORS}

    def callee_saved(self) -> dict[str, Any]:
        return super().callee_saved() | {f"d{i}": self.vectors[i][0] for i in self.CALLEE_SAVED_VECTORS}

    def back(self) -> int:
        return self.target(self.general["x30"])

    def truth(self, condition: str) -> Any:
        return self.flags.truth(condition)  # type: ignore[attr-defined]

    def target(self, at: Any) -> int:
        if not isinstance(at, int):
            raise Unproved("a jump to an unknown address")
        return at

    def register(self, name: str) -> Any:
        """Return what a general register has, by a name that says the width."""
        if name in {"xzr", "wzr"}:
            return 0
        if name in {"sp", "wsp"}:
            return self.general["sp"]
        value = self.known(f"x{name[1:]}")
        return value & WORD32_MAX if name[0] == "w" else value

    def set(self, name: str, value: Any) -> None:
        if name not in {"xzr", "wzr"}:
            self.general["sp" if name == "sp" else f"x{name[1:]}"] = value

    def value(self, texts: tuple[str, ...], width: int) -> Any:
        """Return the last operand: a number or a register, shifted or extended."""
        kind, shift = "lsl", 0
        if len(texts) > 1:
            kind, _, number = texts[1].partition(" ")
            shift = number_of(number) if number else 0
        value = int(texts[0][1:]) if texts[0].startswith("#") else self.register(texts[0])
        if kind in {"uxtw", "uxtx"}:
            kind = "lsl"
        if kind == "lsl":
            return value << shift & MASKS[width] if shift else value
        if kind == "lsr":
            return value >> shift
        if kind == "asr":
            return signed(self.flags.public("a sign", value), width) >> shift & MASKS[width]
        if kind == "ror":
            return self.shifted("rorv", value, shift, width)
        raise Unproved(f"the operand {texts[1]}")

    def address(self, text: str, after: tuple[str, ...] = ()) -> int:
        """Return the address of an operand in memory, and change its base if that is written; `after` by a number."""
        place = place_of(text)
        base = self.register(place.base)
        added: Any = place.number
        if place.index:
            added = self.register(place.index)
            if place.extension in {"sxtw"}:
                added = signed(self.flags.public("a sign", added), 32)
            added = added << place.shift
        at = base + added
        if place.before:
            self.set(place.base, at & WORD_MAX)
        if after:
            self.set(place.base, base + number_of(after[0]) & WORD_MAX)
        if not isinstance(at, int):
            raise Unproved("an address depends on a symbolic number")
        return at & WORD_MAX

    def elements(self, number: int) -> Value:
        """Return the elements of a vector, which may hold what the caller left in it."""
        if number not in self.vectors:
            raise Unproved(f"vector {number} is read, which nothing has set")
        return self.vectors[number]

    def numbers(self, number: int, changed: bool = False) -> Value:
        """Return the elements of a vector as numbers; any numbers, if it is to be changed and nothing has set it."""
        if changed and number not in self.vectors:
            return (self.anything(False), self.anything(False))
        found = self.elements(number)
        if changed:
            return tuple(self.any_number(one) if isinstance(one, Unknown) else one for one in found)
        for one in found:
            if isinstance(one, Unknown):
                raise Unproved(f"{one.register} is read, which nothing has set")
        return found

    def step(self, line: Line) -> int:
        name, operands = line.name, decimal(line)
        if " ".join((name, *operands)) in IDLE:
            return line.after
        if name.startswith("b.") or name in {"b", "bl", "br", "blr", "ret", "cbz", "cbnz", "tbz", "tbnz"}:
            return self.jump(name, operands, line.after)
        if name == "prfm":
            return line.after
        if re.match("ld|st", name):
            self.move(name, operands)
        elif re.match(r"[vdqs]\d|\{", operands[0]) or name in {"umov", "fmov"}:
            self.on_vectors(name, operands)
        else:
            self.on_general(name, operands)
        return line.after

    def jump(self, name: str, operands: tuple[str, ...], after: int) -> int:
        if name == "ret":
            return self.target(self.general[operands[0] if operands else "x30"])
        if name in {"br", "blr"}:
            target = self.target(self.register(operands[0]))
        else:
            target = int(operands[-1].split()[0], 16)
        if name in {"bl", "blr"}:
            self.general["x30"] = after
        if name.startswith("b."):
            taken = self.flags.holds(name[2:])
        elif name in {"cbz", "cbnz"}:
            taken = self.flags.is_zero(self.register(operands[0])) == (name == "cbz")
        elif name in {"tbz", "tbnz"}:
            bit = self.register(operands[0]) >> number_of(operands[1]) & 1
            taken = (self.flags.public("a bit", bit) == 0) == (name == "tbz")
        else:
            taken = True
        return target if taken else after

    def move(self, name: str, operands: tuple[str, ...]) -> None:
        """Load or store."""
        if operands[0].startswith("{"):
            self.move_structures(name, operands)
            return
        count = 2 if name in {"ldp", "stp", "ldnp", "stnp"} else 1
        registers = operands[:count]
        found = re.fullmatch(r"(ld|st)(?:u?r|n?p)(s?)([bhw]?)", name)
        if not found:
            raise Unproved("no such load or store")
        is_load, is_signed, letter = found[1] == "ld", found[2], found[3]
        kind = registers[0][0]
        size = VECTOR_SIZES[kind] if kind in VECTOR_SIZES and registers[0] != "sp" else width_of(registers[0]) // 8
        size = {"b": 1, "h": 2, "w": 4}[letter] if letter else size
        if operands[count].startswith("["):
            at = self.address(operands[count], operands[count + 1 :])
        else:
            at = int(operands[count].split()[0], 16)
        for i, register in enumerate(registers):
            place = at + size * i
            if kind in VECTOR_SIZES:
                self.move_vector(is_load, int(register[1:]), place, size)
            elif is_load:
                value = self.memory.read(place, size)
                if is_signed:
                    value = signed(self.flags.public("a sign", value), 8 * size) & MASKS[width_of(register)]
                self.set(register, value)
            elif size == 8 and register != "xzr":
                self.store(place, 8, self.general[register])
            else:
                self.store(place, size, self.register(register) & (1 << 8 * size) - 1)

    def move_vector(self, is_load: bool, number: int, at: int, size: int) -> None:
        """Load or store the first bytes of a vector; a load clears the others."""
        if is_load:
            second = self.memory.read(at + 8, 8) if size == 16 else 0
            self.vectors[number] = (self.memory.read(at, min(size, 8)), second)
        elif size < 8:
            self.store(at, size, self.numbers(number)[0] & (1 << 8 * size) - 1)
        else:
            for i in range(size // 8):
                self.store(at + 8 * i, 8, self.elements(number)[i])

    def move_structures(self, name: str, operands: tuple[str, ...]) -> None:
        """Load or store vectors, whose elements alternate in memory if the name says so."""
        (numbers, arrangement), at = registers_in(operands[0]), self.address(operands[1], operands[2:])
        lane = re.search(r"\[(\d+)\]", operands[0])
        size = VECTOR_SIZES[arrangement[-1]]
        if lane and len(numbers) == 1:
            each = 64 // (8 * size)
            i = int(lane[1])
            if name == "st1":
                part = self.numbers(numbers[0])[i // each] >> 8 * size * (i % each)
                self.store(at, size, part & (1 << 8 * size) - 1)
            elif name == "ld1" and arrangement in {"d", "s"}:
                self.insert(numbers[0], arrangement, i, self.memory.read(at, size))
            else:
                raise Unproved("no such load of one element")
        elif name == "ld1r" and len(numbers) == 1 and arrangement in {"2d", "4s", "2s"}:
            self.vectors[numbers[0]] = self.repeated(self.memory.read(at, size), arrangement)
        elif name in {"ld1", "st1"} and arrangement in {"16b", "8h", "4s", "2d"} and not lane:
            for i, number in enumerate(numbers):
                self.move_vector(name == "ld1", number, at + 16 * i, 16)
        elif name[2:] in {"2", "3", "4"} and int(name[2:]) == len(numbers) and arrangement in {"4s", "2d"} and not lane:
            count, elements = len(numbers), 16 // size
            for k, number in enumerate(numbers):
                places = [at + size * (count * i + k) for i in range(elements)]
                if name.startswith("ld"):
                    found = [self.memory.read(place, size) for place in places]
                    self.vectors[number] = tuple(found) if size == 8 else of_halves(found)
                else:
                    value = self.numbers(number)
                    for place, one in zip(places, value if size == 8 else halves(value), strict=True):
                        self.store(place, size, one)
        else:
            raise Unproved("no such load or store of several vectors")

    def repeated(self, value: Any, arrangement: str) -> Value:
        if arrangement == "2d":
            return (value, value)
        both = value | value << 32
        return (both, both if arrangement == "4s" else 0)

    def on_vectors(self, name: str, operands: tuple[str, ...]) -> None:
        to = operands[0]
        if name == "umov" or (name == "fmov" and to[0] in "xw"):
            found = re.fullmatch(r"(?:([ds])(\d+)|v(\d+)\.([ds])\[(\d)\])", operands[1])
            if not found:
                raise Unproved("no such move")
            value, i = self.numbers(int(found[2] or found[3])), int(found[5] or 0)
            self.set(to, halves(value)[i] if "s" in {found[1], found[4]} else value[i])
            return
        source = operands[-1]
        if name == "fmov" and source[0] == "d":
            self.vectors[int(to[1:])] = (self.elements(int(source[1:]))[0], 0)  # also of what the caller left
            return
        if name in {"dup", "ins", "fmov"} and re.match(r"[xw](\d|zr)", source):
            self.from_general(name, to, self.register(source))
            return
        if name == "tbl":
            self.look_up(operands)
            return
        read, meaning = read_by_tables(f"{name} {', '.join(operands)}")
        instruction: Instruction = read.instruction
        args = []
        for i in range(instruction.operands):
            changed = instruction.accumulates and i == 0
            args.append(self.numbers(read.registers["d" if changed else str(i)], changed))
        self.vectors[read.registers["d"]] = tuple(self.computed_once(meaning, read.imm, *args))

    def from_general(self, name: str, to: str, value: Any) -> None:
        """Move a word to a vector: to all elements, to one, or to the first, so that the others become 0."""
        found = re.fullmatch(r"[dsv](\d+)(?:\.(2d|4s|2s)|\.([ds])\[(\d)\])?", to)
        if not found or (name == "dup") != bool(found[2]) or (name == "ins") != bool(found[3]):
            raise Unproved("no such move")
        number = int(found[1])
        if name == "dup":
            self.vectors[number] = self.repeated(value, found[2])
        elif name == "fmov":
            self.vectors[number] = (value, 0)
        else:
            self.insert(number, found[3], int(found[4]), value)

    def insert(self, number: int, size: str, i: int, value: Any) -> None:
        """Replace an element of a vector, of 64 bits or of 32."""
        before = self.numbers(number, changed=True)
        parts = list(before if size == "d" else halves(before))
        parts[i] = value
        self.vectors[number] = tuple(parts) if size == "d" else of_halves(parts)

    def look_up(self, operands: tuple[str, ...]) -> None:
        """Run tbl, whose table is one vector or several."""
        (numbers, _), index = registers_in(operands[1]), self.numbers(int(operands[2][1:].partition(".")[0]))
        if not operands[0].endswith(".16b"):
            raise Unproved("no such instruction in the tables")
        for number in index:
            self.flags.public("an index", number)
        table = tuple(half for number in numbers for half in halves(self.numbers(number)))
        result = arm64_words.tbl(None, table, halves(index))
        self.vectors[int(operands[0][1:].partition(".")[0])] = of_halves(result)

    def on_general(self, name: str, operands: tuple[str, ...]) -> None:
        to, rest = operands[0], operands[1:]
        width = width_of(to)
        mask = MASKS[width]
        if name in {"add", "adds", "sub", "subs", "adc", "adcs", "sbc", "sbcs"}:
            self.add_or_subtract(name, operands, width)
        elif name.removesuffix("s") in {*COMBINED, *INVERTED} or name == "bics":
            self.combine(name, operands, width)
        elif name in {"movz", "movn", "movk"}:
            shift = number_of(rest[1].partition(" ")[2]) if len(rest) > 1 else 0
            number = number_of(rest[0]) << shift
            if name == "movk":
                before = self.register(to)
                number = before - (before & 0xFFFF << shift) + number
            self.set(to, mask - number if name == "movn" else number)
        elif name in {"adr", "adrp"}:
            self.set(to, int(rest[0].split()[0], 16))
        elif name in {"ubfm", "sbfm", "bfm"}:
            self.move_bits(name, operands, width)
        elif name in {"rbit", "clz"}:
            value = self.flags.public("an order of bits", self.register(rest[0]))
            self.set(to, int(f"{value:0{width}b}"[::-1], 2) if name == "rbit" else width - value.bit_length())
        elif name == "extr":
            a, b, count = self.register(rest[0]), self.register(rest[1]), number_of(rest[2])
            self.set(to, (a << width - count | b >> count) & mask)
        elif name in {"lslv", "lsrv", "asrv", "rorv"}:
            value, count = self.register(rest[0]), self.flags.public("a number of bits", self.register(rest[1])) % width
            self.set(to, self.shifted(name, value, count, width))
        elif name in {"madd", "msub"}:
            product, total = MULTIPLY(self.register(rest[0]), self.register(rest[1])), self.register(rest[2])
            self.set(to, (ADD(total, product) if name == "madd" else total - product) & mask)
        elif name in {"umaddl", "umulh"}:
            a, b = self.register(rest[0]), self.register(rest[1])
            self.set(to, HIGH(a, b) if name == "umulh" else ADD(a * b, self.register(rest[2])))
        elif name == "udiv":
            a, b = self.register(rest[0]), self.register(rest[1])
            if not (isinstance(a, int) and isinstance(b, int)):
                raise Unproved("a division of symbolic numbers")
            self.set(to, a // b if b else 0)
        elif name in {"csel", "csinc", "csinv", "csneg"}:
            self.select(name, operands, mask)
        elif name in {"ccmp", "ccmn"}:
            if self.flags.holds(operands[3]):
                self.add_or_subtract("subs" if name == "ccmp" else "adds", ("xzr", *operands[:2]), width)
            else:
                self.flags = Arm64Flags("known", result=number_of(operands[2]))
        else:
            raise Unproved("no such instruction in the tables")

    def add_or_subtract(self, name: str, operands: tuple[str, ...], width: int) -> None:
        to, mask = operands[0], MASKS[width]
        a, b = self.register(operands[1]), self.value(operands[2:], width)
        with_carry, subtracts = name[:3] in {"adc", "sbc"}, name[0] == "s"
        bit = self.flags.bit() if with_carry else 0  # type: ignore[attr-defined]
        if subtracts:
            carry: Any = 1 - bit if with_carry else 0
            value = a - b - carry & mask
        else:
            carry = bit
            value = ADD(a, b) if width == 64 and not with_carry else a + b + carry & mask
        if name[-1] == "s":
            self.flags = Arm64Flags("sub" if subtracts else "add", a, b, carry, value, width)
        self.set(to, value)

    def combine(self, name: str, operands: tuple[str, ...], width: int) -> None:
        to, mask = operands[0], MASKS[width]
        sets = name in {"ands", "bics"}
        name = name[:3]
        if name == "orr" and operands[1] == "xzr" and len(operands) == 3 and not operands[2].startswith(("#", "xzr")):
            self.set(to, self.general[operands[2]])  # a move, also of what the caller left
            return
        a, b = self.register(operands[1]), self.value(operands[2:], width)
        if name in INVERTED:
            name, b = INVERTED[name], mask - exact(b)
        value = 0 if name == "eor" and operands[1:2] == operands[2:] else COMBINED[name](a, b)
        if sets:
            self.flags = Arm64Flags("logic", value, 0, 0, value, width)
        self.set(to, value)

    def shifted(self, name: str, value: Any, count: int, width: int) -> Any:
        if name == "lslv":
            return value << count & MASKS[width]
        if name == "lsrv":
            return value >> count
        if name == "asrv":
            return signed(self.flags.public("a sign", value), width) >> count & MASKS[width]
        return (value << width - count | value >> count) & MASKS[width]

    def move_bits(self, name: str, operands: tuple[str, ...], width: int) -> None:
        """Move bits to the lowest place, or from there up; the others are 0, the sign, or as before."""
        to, source = operands[:2]
        first, last = (number_of(text) for text in operands[2:4])
        value = self.register(source)
        if last >= first:
            count, at = last - first + 1, 0
            part = value >> first
            if last < width - 1:
                part = part & (1 << count) - 1
        else:
            count, at = last + 1, width - first
            part = value & (1 << count) - 1
        if name == "sbfm":
            # The sign of what is moved.
            part = self.flags.public("a sign", part)
            part -= (part >> count - 1) << count
            self.set(to, part << at & MASKS[width])
            return
        part = part << at
        if name == "bfm":
            kept = MASKS[width] - ((1 << count) - 1 << at)
            part = (self.register(to) & kept) + part if kept else part
        self.set(to, part)

    def select(self, name: str, operands: tuple[str, ...], mask: int) -> None:
        """Choose between two registers by a condition, which may be symbolic."""
        to, first, second, condition = operands
        a, b = self.register(first), self.register(second)
        if name == "csinc":
            b = b + 1 & mask
        elif name == "csinv":
            b = mask - exact(b)
        elif name == "csneg":
            b = 0 - b & mask
        bit = self.truth(condition)
        self.set(to, b + bit * (a - b) if isinstance(bit, Number) else a if bit else b)
