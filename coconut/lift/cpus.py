# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run instructions of compiled programs on CPUs, here or emulated, on edge and random numbers (blocks/forms.c)."""

import random
import re
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coconut.architecture import Architecture
from coconut.architectures.scalar_amd64 import AMD64
from coconut.architectures.scalar_arm64 import ARM64
from coconut.lift.forms import TARGET, is_implicit
from coconut.lift.objects import X86_64, Line, Target
from coconut.lift.operands import REGISTERS, SECOND_BYTES, general_registers, operand_of, place_of
from coconut.native import build, cpu_features, run
from coconut.operations import WORD_MAX
from coconut.prove.polynomials import Unproved
from coconut.trace import BLOCKS

# As in blocks/state.h.
FLAGS, OUTCOME, MASKS_AT, VECTORS, DATA, STACK, STATE_BYTES, BLOCK = 256, 264, 272, 384, 2432, 2944, 3456, 512
AFTER, JUMPED, SIGNAL = 1, 2, 16
# Where the program that runs instructions is linked, where memory and targets of jumps are, and code of no program.
PROGRAM, CODE = 0x4000000, 0x2000000
MEMORY_AT, STACK_AT, TARGET_AT = 0x3000000, 0x3008000, 0x3010000
# Where the stack pointer may be in the stack.
STACK_POINTERS = (192, 128, 64, 320)
POOL = 192
# How long some thousand runs may take; they take less than a second, in an emulator too.
SECONDS_MAX = 300
EDGES = (
    *(0, 1, 2, 3, 7, 12, 26, 31, 32, 44, 52, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, (1 << 26) - 1),
    *(0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 44) - 1, (1 << 52) - 1, 1 << 52, (1 << 63) - 1, 1 << 63),
    *(WORD_MAX, WORD_MAX - 1, 0x0123456789ABCDEF, 0x8000000080000000, 0xFFFFFFFF00000000),
)

# In which sample general registers are 0: comparisons with it are true.
ZEROS = 8

# Bits of one of two operands whose bits are apart: of 64 bits, and of each 32.
APART = tuple((1 << k) - 1 for k in (1, 12, 20, 32, 44, 52)) + tuple(
    ((1 << k) - 1) * (1 << 32 | 1) for k in (7, 8, 12, 16)
)


class Access(NamedTuple):
    """How an address is made: the registers, what the second is multiplied by, and a number; at: the number is all."""

    base: str = ""
    second: str = ""
    scale: int = 1
    number: int = 0

    def at(self, registers: Mapping[str, int]) -> int:
        second = registers[self.second] * self.scale if self.second else 0
        return (registers[self.base] if self.base else 0) + second + self.number & WORD_MAX


class Run(NamedTuple):
    """An instruction to be run: its code, and the addresses of the target of a jump, of memory and of the stack."""

    line: Line
    code: bytes
    access: Access | None
    target: int
    indirect: bool
    data: int
    stack: int
    stack_pointer: int


class Sample(NamedTuple):
    """What an instruction is run on.

    addends: of the addition that has set the flags. apart: a mask that every second place has bits in, and the others
    have the other bits; or 0.
    """

    general: list[int]
    flags: int
    addends: tuple[int, int] | None
    masks: tuple[int, ...]
    vectors: list[tuple[int, ...]]
    data: tuple[int, ...]
    stack: tuple[int, ...]
    apart: int = 0


@cache
def packed_vector(words: tuple[int, ...]) -> bytes:
    return struct.pack(f"<{len(words)}Q", *words).ljust(64, b"\0")


class Unusable(Exception):
    """An instruction that cannot be run as it is."""


@dataclass
class Cpu:
    """What runs instructions of an architecture, and how its registers lie in a state."""

    architecture: Architecture
    options: tuple[str, ...]
    names: tuple[str, ...]
    stack_pointer: str
    vector_words: int
    vectors: int
    masks: int
    # How many words of a vector this CPU has.
    words_here: int
    # The bits of the flags by the conditions that are one flag.
    places: Mapping[str, int]
    conditions: tuple[str, ...]
    flags_always: int = 0
    # By how many bits a machine has its flags lower.
    flags_shift: int = 0
    # What the stack pointer is a multiple of where it makes an address.
    stack_unit: int = 1
    # How long a jump is.
    jump_bytes: int = 5
    source: random.Random = field(default_factory=lambda: random.Random(1305))
    folder: tempfile.TemporaryDirectory[str] | None = None

    def __post_init__(self) -> None:
        # Words, and how they lie in memory.
        self.pool = [self.vector() for _ in range(POOL)]
        self.memory_pool = [tuple(self.number() for _ in range(BLOCK // 8)) for _ in range(32)]

    def number(self) -> int:
        kind = self.source.random()
        if kind < 0.45:
            return self.source.choice(EDGES)
        return self.extreme() if kind < 0.7 else self.source.getrandbits(64)

    def extreme(self) -> int:
        """Return what is nearly the largest or the smallest signed number at each width."""
        number = self.source.choice((0x7F7F7F7F7F7F7F7F, 0x8080808080808080, WORD_MAX >> 1, 1 << 63))
        return number ^ self.source.choice((0, 0, 1, 0x0100010001000101))

    def vector(self) -> tuple[int, ...]:
        bits = self.source.choice((64, 64, 64, 52, 44, 32, 6))
        return tuple(self.number() & (1 << bits) - 1 for _ in range(self.vector_words))

    def binary(self) -> Path:
        """Return the program that runs instructions, which is built once."""
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="coconut-forms-")
            sources = [BLOCKS / "forms.c", BLOCKS / f"forms_{self.architecture.triple}.S"]
            link = f"-Wl,-Ttext-segment={PROGRAM:#x},--no-warn-rwx-segments"
            build(self.architecture, "gcc", Path(self.folder.name) / "forms", sources, [*self.options, "-no-pie", link])
        return Path(self.folder.name) / "forms"

    def run(self, runs: Sequence[tuple[Run, list[Sample]]]) -> list[list[bytes]]:
        """Return the states that instructions leave."""
        given = []
        for one, samples in runs:
            head = (one.line.at, len(one.code), one.target, one.data, one.stack, len(samples))
            given.append(struct.pack("<6Q16s", *head, one.code))
            given += [self.packed(sample) for sample in samples]
        try:
            ran = run(self.architecture, [str(self.binary())], input=b"".join(given), timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise Unproved("the program that runs instructions does not end") from None
        states = (ran.stdout[i : i + STATE_BYTES] for i in range(0, len(ran.stdout), STATE_BYTES))
        found = [[state for _, state in zip(samples, states)] for _, samples in runs]
        if ran.returncode != 0 or len(ran.stdout) != STATE_BYTES * sum(len(samples) for _, samples in runs):
            raise Unproved(f"the program that runs instructions fails: {ran.returncode}")
        return found

    def packed(self, sample: Sample) -> bytes:
        general = struct.pack("<32Q", *sample.general, *[0] * (32 - len(sample.general)))
        masks = struct.pack("<2Q8Q", sample.flags, 0, *sample.masks, *[0] * (8 - len(sample.masks)))
        vectors = b"".join(packed_vector(vector) for vector in sample.vectors)
        head = (general + masks).ljust(VECTORS, b"\0") + vectors
        memory = struct.pack(f"<{BLOCK // 4}Q", *sample.data, *sample.stack)
        return head.ljust(DATA, b"\0") + memory

    def samples(self, one: Run, count: int) -> list[Sample]:
        """Return samples that depend on the instruction alone, not on what was compared before."""
        self.source.seed(one.code)
        return [self.sample(one, i) for i in range(count)]

    def sample(self, one: Run, i: int) -> Sample:
        source = self.source
        general = [self.number() for _ in self.names]
        if i % 6 == 1:
            # Numbers that are equal or nearly so.
            general = [general[0] + source.choice((-1, 0, 1)) & WORD_MAX for _ in self.names]
        elif i % 6 == 2:
            general = [number >> source.choice((0, 32, 48, 58)) for number in general]
        elif i % 6 == 4:
            general = [self.extreme() for _ in self.names]
        if i == ZEROS:
            general = [0 for _ in self.names]
        vectors = [source.choice(self.pool) for _ in range(self.vectors)]
        masks = tuple(
            source.choice((0, WORD_MAX, source.getrandbits(64), source.getrandbits(64))) for _ in range(self.masks)
        )
        addends = (self.number(), self.number()) if i % 3 == 0 else None
        if addends:
            flags = self.flags_of_sum(*addends)
        else:
            flags = sum(1 << place for place in self.places.values() if source.getrandbits(1))
        registers = dict(zip(self.names, general, strict=True))
        registers[self.stack_pointer] = one.stack_pointer
        data, stack = (list(source.choice(self.memory_pool)) for _ in range(2))
        apart = source.choice(APART) if i % 12 in {3, 6} else 0
        for (kind, which), mask in self.within(one.line, apart).items():
            if kind == "general" and which in registers:
                registers[which] &= mask
            elif kind == "vectors":
                vectors[which] = tuple(number & mask for number in vectors[which])
            elif kind == "memory":
                data, stack = ([number & mask for number in block] for block in (data, stack))
        self.place(one, i, registers, data, stack)
        state = (flags | self.flags_always, addends, masks, vectors, tuple(data), tuple(stack))
        return Sample(list(registers.values()), *state, apart)

    def within(self, line: Line, apart: int) -> dict[tuple[str, Any], int]:
        """Return the bits that numbers have in the places that an instruction takes some from, if they are apart."""
        # Memory is an operand that is read; the last register may be a result alone.
        places = sorted(self.used(line), key=lambda place: place[0] != "memory") if apart else []
        return {place: apart if i % 2 == 0 else WORD_MAX ^ apart for i, place in enumerate(places)}

    def place(self, one: Run, i: int, registers: dict[str, int], data: list[int], stack: list[int]) -> None:
        """Have an instruction read and write where there is memory, and jump to its target."""
        name = one.line.name
        if name.startswith("div") and i % 4:
            registers["rdx"] = self.source.choice((0, 0, 1, 77))
        if name == "rep":
            registers["rcx"] = self.source.choice((0, 1, 3, 8))
        if name == "leave":
            registers["rbp"] = STACK_AT + 64
        if one.access is not None:
            self.solve(one, i, registers)
        if not one.indirect:
            return
        if one.access is not None:
            at = one.access.at(registers)
            block, start = (data, one.data) if one.data else (stack, one.stack)
            if at % 8:
                raise Unusable("an address of a target that is no multiple of 8")
            block[(at - start) // 8] = one.target
        elif one.line.operands:
            registers[self.jumps_by(one.line)] = one.target
        elif self.stack_pointer == "rsp":
            stack[(registers["rsp"] - STACK_AT) // 8] = one.target
        else:
            registers["x30"] = one.target

    def solve(self, one: Run, i: int, registers: dict[str, int]) -> None:
        """Set the registers of an address so that it is in memory; every second one is a multiple of 64."""
        access = one.access
        assert access is not None
        if access.base == self.stack_pointer or not (access.base or access.second):
            if access.second:
                registers[access.second] = self.source.choice((0, 16, 32, 48)) // access.scale
            return
        wanted = one.data + 64 + (0 if i % 2 == 0 or one.indirect else self.source.choice((1, 8, 16, 17, 32, 63)))
        if access.second and access.second == access.base:
            registers[access.base] = (wanted - access.number) // (1 + access.scale)
        elif access.base:
            if access.second:
                registers[access.second] = self.second(one.line, registers[access.second])
            registers[access.base] = 0
            registers[access.base] = wanted - access.at(registers) & WORD_MAX
        else:
            registers[access.second] = (wanted - access.number) // access.scale

    def second(self, line: Line, number: int) -> int:
        return number

    def runs_of(self, line: Line, code: bytes) -> Run:
        """Return how to run an instruction; raise Unusable if it cannot be run as it is."""
        access, indirect = self.access(line), self.is_indirect(line)
        target = TARGET_AT if indirect else self.target(line)
        if target and line.at - self.jump_bytes < target < line.at + len(code) + self.jump_bytes:
            raise Unusable("a jump to what is too near")
        for place in STACK_POINTERS:
            if (found := self.blocks(access, STACK_AT + place)) is not None:
                return Run(line, code, access, target, indirect, *found)
        raise Unusable("an address across the end of the stack")

    def blocks(self, access: Access | None, stack_pointer: int) -> tuple[int, int, int] | None:
        """Return where memory and the stack are, and the stack pointer; None if the address is in neither as a whole.

        Memory is 0 if the address is in the stack.
        """
        if access is None or (access.base != self.stack_pointer and (access.base or access.second)):
            return MEMORY_AT, STACK_AT, stack_pointer
        if access.base:
            # As aligned as it can be.
            stack_pointer -= (stack_pointer + access.number) % 64 // self.stack_unit * self.stack_unit
        at = access.at(dict.fromkeys(self.names, 0) | {self.stack_pointer: stack_pointer})
        if STACK_AT <= at <= STACK_AT + BLOCK - 128:
            return 0, STACK_AT, stack_pointer
        data = at - at % 64 - 64
        if at >= STACK_AT + BLOCK:
            data = max(data, STACK_AT + BLOCK)
        elif at < STACK_AT:
            data = min(data, STACK_AT - BLOCK)
        is_apart = data >= STACK_AT + BLOCK or data + BLOCK <= STACK_AT
        return (data, STACK_AT, stack_pointer) if is_apart and data <= at <= data + BLOCK - 128 else None

    def flags_of_sum(self, a: int, b: int) -> int:
        raise NotImplementedError

    def access(self, line: Line) -> Access | None:
        """Return how an instruction makes the address of its operand in memory, if it has one."""
        raise NotImplementedError

    def holds(self, condition: str, flags: int) -> bool:
        """Return whether a condition holds on the CPU, by its flags."""
        raise NotImplementedError

    def is_indirect(self, line: Line) -> bool:
        """Return whether an instruction jumps to where a register or memory says."""
        raise NotImplementedError

    def jumps_by(self, line: Line) -> str:
        """Return the register that has the target of such a jump."""
        return line.operands[0].lstrip("*%")

    def target(self, line: Line) -> int:
        """Return the target of a jump that names it, or 0."""
        raise NotImplementedError

    def used(self, line: Line) -> list[tuple[str, Any]]:
        """Return what an instruction takes numbers from, but for addresses: general registers, vectors and memory."""
        raise NotImplementedError


class Amd64Cpu(Cpu):
    def flags_of_sum(self, a: int, b: int) -> int:
        total = a + b
        result = total & WORD_MAX
        overflow = (a ^ result) & (b ^ result)
        parity = 1 - (result & 255).bit_count() % 2
        return total >> 64 | parity << 2 | (result == 0) << 6 | result >> 63 << 7 | overflow >> 63 << 11

    def holds(self, condition: str, flags: int) -> bool:
        b, p, e, s, o = (flags >> place & 1 == 1 for place in (0, 2, 6, 7, 11))
        known = {"b": b, "p": p, "e": e, "s": s, "o": o, "be": b or e, "l": s != o, "le": s != o or e}
        known |= {"ae": not b, "a": not (b or e), "ge": s == o, "g": s == o and not e}
        return known[condition]

    def access(self, line: Line) -> Access | None:
        texts = [text.lstrip("*") for text in line.operands if re.search(r"\(|^\*?(0x)?[0-9a-f]+$", text)]
        texts = [text for text in texts if "(" in text or not TARGET.fullmatch(text) or line.name[0] not in "jc"]
        if not texts or line.name.startswith(("lea", "nop")):
            return None
        found = operand_of(texts[0], line.after)
        return Access(found.base, found.index, found.scale, found.number)

    def is_indirect(self, line: Line) -> bool:
        return line.name == "ret" or bool(line.operands and line.operands[0].startswith("*"))

    def target(self, line: Line) -> int:
        is_direct = (line.name[0] == "j" or line.name == "call") and not self.is_indirect(line)
        return int(line.operands[0].split()[0], 16) if is_direct and line.operands else 0

    def within(self, line: Line, apart: int) -> dict[tuple[str, Any], int]:
        found = super().within(line, apart)
        if apart and line.operands[:1] == ("%cl",):
            # How far is shifted is public, also in a register whose other bytes are not.
            found["general", "rcx"] = WORD_MAX ^ 0xFF
        return found

    def used(self, line: Line) -> list[tuple[str, Any]]:
        access = self.access(line) or Access()
        found: dict[tuple[str, Any], None] = {}
        for name in re.findall(r"%(\w+)", " ".join(line.operands)):
            if vector := re.fullmatch("[xyz]mm(\\d+)", name):
                found["vectors", int(vector[1])] = None
            elif name in SECOND_BYTES or name in general_registers():
                found["general", SECOND_BYTES.get(name) or general_registers()[name][0]] = None
        if is_implicit(line):
            found |= dict.fromkeys((("general", "rax"), ("general", "rdx")))
        if self.access(line) or line.name.startswith("pop"):
            found["memory", ""] = None
        found["flags", ""] = None
        kept = {("general", name) for name in (access.base, access.second, self.stack_pointer)}
        return [place for place in found if place not in kept]


class Arm64Cpu(Cpu):
    def flags_of_sum(self, a: int, b: int) -> int:
        result = a + b & WORD_MAX
        overflow = (a ^ result) & (b ^ result)
        return result >> 63 << 31 | (result == 0) << 30 | (a + b >> 64) << 29 | overflow >> 63 << 28

    def holds(self, condition: str, flags: int) -> bool:
        n, z, c, v = (flags >> place & 1 == 1 for place in (31, 30, 29, 28))
        known = {"mi": n, "eq": z, "cs": c, "vs": v, "hi": c and not z, "ge": n == v, "gt": n == v and not z}
        known |= {"pl": not n, "ne": not z, "cc": not c, "vc": not v, "ls": not c or z, "lt": n != v, "le": n != v or z}
        return known[condition]

    def access(self, line: Line) -> Access | None:
        for text in line.operands:
            if text.startswith("["):
                place = place_of(text)
                return Access(place.base, whole(place.index), 1 << place.shift, place.number)
        if line.name.startswith(("ld", "prfm")):
            return Access(number=int(line.operands[-1].split()[0], 16))
        return None

    def within(self, line: Line, apart: int) -> dict[tuple[str, Any], int]:
        found = super().within(line, apart)
        shift = re.fullmatch(r"lsl #(0x[0-9a-f]+|\d+)", line.operands[-1]) if line.operands else None
        if apart and shift and len(line.operands) > 3:
            # The bits of a shifted register are apart when it is shifted.
            first, second = (("general", whole(name)) for name in line.operands[-3:-1])
            if first != second and {first, second} <= found.keys():
                found |= {first: apart, second: (WORD_MAX ^ apart) >> int(shift[1], 0)}
        return found

    def second(self, line: Line, number: int) -> int:
        return number & 0xFFFF if re.search("[us]xt", line.operands[-1]) else number

    def is_indirect(self, line: Line) -> bool:
        return line.name in {"br", "blr", "ret"}

    def target(self, line: Line) -> int:
        is_direct = re.fullmatch(r"b|bl|b\..*|cbn?z|tbn?z", line.name)
        return int(line.operands[-1].split()[0], 16) if is_direct else 0

    def used(self, line: Line) -> list[tuple[str, Any]]:
        access = self.access(line) or Access()
        found: dict[tuple[str, Any], None] = {}
        for name in re.findall(r"(?<![\w#.])([xwvqdshb]\d+)(?!\w)", " ".join(line.operands)):
            found[("general", whole(name)) if name[0] in "xw" else ("vectors", int(name[1:]))] = None
        if access != Access():
            found["memory", ""] = None
        found["flags", ""] = None
        kept = {("general", name) for name in (access.base, access.second, self.stack_pointer)}
        return [place for place in found if place not in kept]


def whole(name: str) -> str:
    """Return the register of 64 bits."""
    return f"x{name[1:]}" if name[:1] == "w" and name != "wzr" else name


def vector_bits() -> int:
    """Return how long the vectors of this CPU are."""
    found = cpu_features()
    return 512 if {"avx512f", "avx512bw"} <= found else 256 if "avx" in found else 128


@cache
def cpu_of(target: Target) -> Cpu:
    if target == X86_64:
        bits = vector_bits()
        places = {"b": 0, "p": 2, "e": 6, "s": 7, "o": 11}
        conditions = (*places, "be", "l", "le", "a", "ge", "g")
        wide = bits == 512
        options = (f"-DVECTOR_BITS={bits}",)
        return Amd64Cpu(
            AMD64,
            options,
            REGISTERS,
            "rsp",
            8,
            32 if wide else 16,
            8 if wide else 0,
            bits // 64,
            places,
            conditions,
            0x202,
        )
    places = {"mi": 31, "eq": 30, "cs": 29, "vs": 28}
    names = (*(f"x{i}" for i in range(31)), "sp")
    return Arm64Cpu(
        ARM64,
        (),
        names,
        "sp",
        2,
        32,
        0,
        2,
        places,
        (*places, "hi", "ls", "ge", "gt", "lt", "le"),
        flags_shift=28,
        stack_unit=16,
        jump_bytes=4,
    )


@cache
def assembled(target: Target, prefix: str, name: str, operands: tuple[str, ...]) -> bytes:
    """Return the code that GNU's assembler makes of an instruction; none if it knows no such instruction."""
    with tempfile.TemporaryDirectory(prefix="coconut-assembled-") as folder:
        places = [Path(folder) / suffix for suffix in ("s", "o", "bin")]
        # objdump shows branches by their targets, without 0x.
        places[0].write_text(f"{prefix} {name} {', '.join(operands)}\n")
        commands = (
            ["as", "-o", places[1], places[0]],
            ["objcopy", "-O", "binary", "-j", ".text", places[1], places[2]],
        )
        for tool, *rest in commands:
            command = [target.tool(str(tool)), *map(str, rest)]
            if subprocess.run(command, capture_output=True, check=False).returncode != 0:
                return b""
        return places[2].read_bytes()


def placed(target: Target, line: Line) -> tuple[Line, bytes]:
    """Return an instruction that is in no program, with the code that GNU's assembler makes of it, in a place of its own.

    A jump gets another target.
    """
    operands = line.operands
    is_jump = re.fullmatch(r"j.*|bl?|b\..*|call|[ct]bn?z", line.name)
    if is_jump and operands and TARGET.fullmatch(operands[-1]):
        code = assembled(target, line.prefix, line.name, (*operands[:-1], ". + 256"))
        operands = (*operands[:-1], f"{CODE + 256:x}")
    else:
        code = assembled(target, line.prefix, line.name, operands)
    return replace(line, at=CODE, after=CODE + len(code), operands=operands), code
