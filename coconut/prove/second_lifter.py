# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a call of hornet_chacha20_poly1305_seal of a linked program for x86-64, with what shares no code with the prover.

LLVM's disassembler reads the instructions, in Intel's syntax; what they do, and symbolic values, are written here anew.

A byte is a number, or an exclusive or of bytes of atoms and a number: so bytes may be moved and joined in any way. An
atom is an input, a sum modulo 2^32 of words, a rotated word, or the result of another operation, of which nothing is
known but its values at some random points. Atoms with the same definition are the same one. So:

- Each byte of the ciphertext is the same as RFC 8439's, as an expression: for all keys, nonces and messages.
- The tag is RFC 8439's at the points, no more.
- No branch, no address and no shift depends on what is secret; nothing is read or written but the arguments, constants and
  the stack; registers are restored; nothing secret but ciphertext is left in vectors or on the stack.

python second_lifter.py PROGRAM CHACHA20 POLY1305 CPU LENGTH AAD_LENGTH [in-place]: which entries are in use, and the
features of the CPU, are those that the library would have found.
"""

import hashlib
import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, NamedTuple

POINTS = 4
FUNCTION = "hornet_chacha20_poly1305_seal"
IN_USE = ("hornet_chacha20_in_use", "hornet_poly1305_in_use", r"cache\.\d+|hornet_cpu\.cache(\.\d+)?")
CPU_IS_KNOWN = 1 << 31
OUT, TAG, IN, AAD, NONCE, KEY = ((i << 36) + 8 * i + 1 for i in range(1, 7))
STACK, STACK_BYTES, RETURN = 9 << 36, 1 << 14, 0x7FFF0000
READ_ONLY = {".rodata", ".data.rel.ro", ".got", ".text", ".rodata.cst16", ".rodata.cst32"}

NAMES = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16)))
KEPT = ("rbx", "rbp", "r12", "r13", "r14", "r15")
PARTS: dict[str, tuple[str, int, int]] = {}  # of a register: its whole, the first byte, and how many
for name in NAMES:
    short = name[1:]
    if name[1].isdigit():
        PARTS |= {name: (name, 0, 8), name + "d": (name, 0, 4), name + "w": (name, 0, 2), name + "b": (name, 0, 1)}
    else:
        low = short[0] + "l" if short[1] == "x" else short + "l"
        PARTS |= {name: (name, 0, 8), "e" + short: (name, 0, 4), short: (name, 0, 2), low: (name, 0, 1)}
        if short[1] == "x":
            PARTS[short[0] + "h"] = (name, 1, 1)
SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "xmmword": 16, "ymmword": 32}

VECTOR = re.compile(r"[xy]mm\d+$")

Value = tuple[Any, ...]  # bytes


class Flag(NamedTuple):
    """A flag that depends on what is secret: its definition, and its values at the points."""

    place: Any
    at: list[int]


class Refused(Exception):
    """The call does what is not allowed, or an instruction is not known here."""


def number(value: int, size: int) -> Value:
    return tuple((value & (1 << 8 * size) - 1).to_bytes(size, "little"))


def known(value: Value) -> int | None:
    return int.from_bytes(bytes(value), "little") if all(type(byte) is int for byte in value) else None


def xor(a: Value, b: Value) -> Value:
    """Exclusive or, byte by byte."""
    found: list[Any] = []
    for x, y in zip(a, b, strict=True):
        (c, s), (d, t) = ((e, frozenset()) if type(e) is int else e for e in (x, y))
        found.append((c ^ d, s ^ t) if s ^ t else c ^ d)
    return tuple(found)


class Atoms:
    """All atoms: by their definitions, and their values at the points."""

    def __init__(self) -> None:
        self.known: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.values: list[list[int]] = []
        self.evaluated: dict[Value, list[int]] = {}

    def atom(self, key: Any, size: int, values: Callable[[], Sequence[int]]) -> Value:
        if key not in self.known:
            self.known[key] = len(self.keys)
            self.keys.append(key)
            self.values.append([value & (1 << 8 * size) - 1 for value in values()])
        return tuple((0, frozenset({(self.known[key], k)})) for k in range(size))

    def points(self, value: Value) -> list[int]:
        if (constant := known(value)) is not None:
            return [constant] * POINTS
        if value not in self.evaluated:
            found = [0] * POINTS
            for i, byte in enumerate(value):
                c, parts = (byte, ()) if type(byte) is int else byte
                for point in range(POINTS):
                    e = c
                    for atom, k in parts:
                        e ^= self.values[atom][point] >> 8 * k & 255
                    found[point] |= e << 8 * i
            self.evaluated[value] = found
        return self.evaluated[value]

    def whole(self, value: Value, *kinds: str) -> Any:
        """Return the definition of the atom of which a value is all bytes, if it is of these kinds."""
        if type(value[0]) is int or len(value[0][1]) != 1:
            return None
        ((atom, _),) = value[0][1]
        same = all(byte == (0, frozenset({(atom, k)})) for k, byte in enumerate(value))
        return self.keys[atom] if same and self.keys[atom][0] in kinds else None

    def add(self, *words: Value) -> Value:
        """The sum of words modulo 2^32."""
        constant, operands = 0, list[Value]()
        for word in words:
            if (found := known(word)) is not None:
                constant += found
            elif key := self.whole(word, "sum"):
                constant, operands = constant + key[1], operands + [*key[2]]
            else:
                operands.append(word)
        constant &= 2**32 - 1
        if not operands or (len(operands) == 1 and not constant):
            return operands[0] if operands else number(constant, 4)
        operands.sort(
            key=lambda word: [(-1, byte) if type(byte) is int else (byte[0], *sorted(byte[1])) for byte in word]
        )
        values = lambda: [constant + sum(each) for each in zip(*map(self.points, operands), strict=True)]  # noqa: E731
        return self.atom(("sum", constant, tuple(operands)), 4, values)

    def rotated(self, word: Value, bits: int) -> Value:
        """A word rotated to the left."""
        whole, rest = divmod(bits % 32, 8)
        word = tuple(word[(i - whole) % 4] for i in range(4))
        if rest == 0:
            return word
        turn = lambda x: x << rest | x >> 32 - rest  # noqa: E731
        if (found := known(word)) is not None:
            return number(turn(found), 4)
        return self.atom(("rotated", word, rest), 4, lambda: [turn(x) for x in self.points(word)])

    def shifted(self, value: Value, bits: int) -> Value:
        """A value of any size shifted to the left, or if `bits` is negative, to the right."""
        size = len(value)
        if bits % 8 == 0:
            places = [i - bits // 8 for i in range(size)]
            return tuple(value[i] if 0 <= i < size else 0 for i in places)
        move = lambda x: x << bits if bits > 0 else x >> -bits  # noqa: E731
        if (found := known(value)) is not None:
            return number(move(found), size)
        return self.atom(("shifted", value, bits), size, lambda: [move(x) for x in self.points(value)])

    def either(self, a: Value, b: Value) -> Value | None:
        """Or: of bytes of which one is 0, and of both parts of a rotated word; None if it is something else."""
        x, y = self.whole(a, "shifted"), self.whole(b, "shifted")
        if x and y and len(a) == 4 and x[1] == y[1] and x[2] * y[2] < 0 and abs(x[2]) + abs(y[2]) == 32:
            return self.rotated(x[1], max(x[2], y[2]))
        if all(p == 0 or q == 0 or p == q for p, q in zip(a, b, strict=True)):
            return tuple(q if p == 0 else p for p, q in zip(a, b, strict=True))
        return None

    def apply(self, key: Any, sizes: Sequence[int], function: Callable[..., Sequence[int]], *values: Any) -> list[Any]:
        """Return results of an operation: values of these sizes, and flags where the size is 0."""
        numbers = [x if type(x) is int else None if isinstance(x, Flag) else known(x) for x in values]
        if None not in numbers:
            found = function(*numbers)
            return [number(x, size) if size else x for x, size in zip(found, sizes, strict=True)]
        each = [x.at if isinstance(x, Flag) else [x] * POINTS if type(x) is int else self.points(x) for x in values]
        made = [function(*at) for at in zip(*each, strict=True)]
        results: list[Any] = []
        for i, size in enumerate(sizes):
            at = [result[i] for result in made]
            place = key, i, tuple(x.place if isinstance(x, Flag) else x for x in values)
            results.append(self.atom(place, size, lambda at=at: at) if size else Flag(place, at))  # type: ignore[misc]
        return results


def sections_of(content: bytes) -> dict[str, tuple[int, bytes]]:
    """Return the addresses and contents of an ELF file's sections that are in memory."""
    at, (size, count, names) = struct.unpack_from("<Q", content, 40)[0], struct.unpack_from("<HHH", content, 58)
    heads = [struct.unpack_from("<IIQQQQ", content, at + size * i) for i in range(count)]
    found = {}
    for name, kind, flags, place, offset, length in heads:
        start = heads[names][4] + name
        title = content[start : content.index(b"\0", start)].decode()
        if kind == 1 and flags & 2:
            found[title] = place, content[offset : offset + length]
    return found


def tool(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Call:
    """A machine, and one call on it."""

    def __init__(self, program: str, in_use: Sequence[int], length: int, aad_length: int, in_place: bool) -> None:
        self.atoms = Atoms()
        with open(program, "rb") as file:
            self.sections = sections_of(file.read())
        symbols = [line.split() for line in tool("llvm-nm-19", program).splitlines()]
        self.symbols = {name: int(at, 16) for at, _, name in (line for line in symbols if len(line) == 3)}
        text = tool("llvm-objdump-19", "-d", "--no-show-raw-insn", "--x86-asm-syntax=intel", "-j", ".text", program)
        lines = [(int(at, 16), line) for at, line in re.findall(r"^ *([0-9a-f]+):\s*(.*)$", text, re.MULTILINE)]
        self.lines = {at: (line, after) for (at, line), (after, _) in zip(lines, [*lines[1:], (0, "")], strict=True)}
        self.memory: dict[int, Any] = {}
        self.flags: dict[str, Any] = {}
        self.steps = 0
        for pattern, entries in zip(IN_USE, (*in_use[:2], in_use[2] | CPU_IS_KNOWN), strict=True):
            (at,) = [at for name, at in self.symbols.items() if re.fullmatch(pattern, name)]
            self.write(at, number(entries, 4))
        self.source = source = random.Random(f"{length} {aad_length}")
        self.text_at = OUT if in_place else IN
        self.key, self.nonce = self.input(source, "key", KEY, 32), self.input(source, "nonce", NONCE, 12)
        self.aad = self.input(source, "aad", AAD, aad_length)
        self.text = self.input(source, "text", self.text_at, length)
        self.general = {name: self.anything(name) for name in NAMES}
        self.vectors = [sum((self.anything(f"{i} {k}") for k in range(4)), ()) for i in range(16)]
        arguments = (OUT, TAG, self.text_at, length, AAD, aad_length)
        for name, argument in zip(("rdi", "rsi", "rdx", "rcx", "r8", "r9"), arguments, strict=True):
            self.general[name] = number(argument, 8)
        for i, argument in enumerate((RETURN, NONCE, KEY)):
            self.write(STACK + 8 * i, number(argument, 8))
        self.general["rsp"] = number(STACK, 8)
        self.writable = [(OUT, length), (TAG, 16), (STACK - STACK_BYTES, STACK_BYTES)]

    def input(self, source: random.Random, name: str, at: int, length: int) -> list[Any]:
        """Write bytes of words that are inputs; return them."""
        made: list[Any] = []
        for i in range(-(-length // 4)):
            made += self.atoms.atom((name, i), 4, lambda: [source.getrandbits(32) for _ in range(POINTS)])
        self.memory |= {at + i: byte for i, byte in enumerate(made[:length])}
        return made[:length]

    def anything(self, name: str) -> Value:
        values = [self.source.getrandbits(64) for _ in range(POINTS)]
        return self.atoms.atom(("anything", name, self.steps), 8, lambda: values)

    # Memory and operands.

    def read(self, at: int, size: int) -> Value:
        found = []
        for place in range(at, at + size):
            byte = self.memory.get(place)
            if byte is None:
                for name, (start, content) in self.sections.items():
                    if name in READ_ONLY and start <= place < start + len(content):
                        byte = content[place - start]
            if byte is None:
                raise Refused(f"a read of what is not there, at {place:#x}")
            found.append(byte)
        return tuple(found)

    def write(self, at: int, value: Value) -> None:
        self.memory |= {at + i: byte for i, byte in enumerate(value)}

    def store(self, at: int, value: Value) -> None:
        if not any(start <= at and at + len(value) <= start + count for start, count in self.writable):
            raise Refused(f"{len(value)} bytes are written at {at:#x}")
        self.write(at, value)

    def public(self, value: Value, what: str) -> int:
        found = known(value)
        if found is None:
            raise Refused(f"{what} depends on what is secret")
        return found

    def terms(self, operand: str) -> tuple[list[tuple[Value, int]], int]:
        """Return the registers of an address, with factors, and its constant."""
        registers, constant = list[tuple[Value, int]](), 0
        for sign, term in re.findall(r"([+-]?) ?([^ +-]+)", operand[operand.index("[") + 1 : operand.index("]")]):
            *scale, last = term.split("*")
            if last in PARTS:
                registers.append((self.get(last, 8), int(*scale or "1")))
            else:
                constant += self.after if last == "rip" else int(last, 0) * (-1 if sign == "-" else 1)
        return registers, constant

    def address(self, operand: str) -> int:
        registers, constant = self.terms(operand)
        return constant + sum(self.public(x, "an address") * scale for x, scale in registers) & 2**64 - 1

    def lea(self, operand: str, size: int) -> Value:
        registers, constant = self.terms(operand)
        if size == 4 and all(scale == 1 for _, scale in registers):
            return self.atoms.add(*(x[:4] for x, _ in registers), number(constant, 4))
        scales = [scale for _, scale in registers]
        total = lambda *x: (constant + sum(map(mul, x, scales)),)  # noqa: E731
        found: Value = self.atoms.apply(("lea", constant, *scales), [size], total, *(x for x, _ in registers))[0]
        return found

    def size(self, operand: str) -> int:
        if operand in PARTS:
            return PARTS[operand][2]
        if VECTOR.match(operand):
            return {"x": 16, "y": 32}[operand[0]]
        return SIZES[operand.split()[0]] if " ptr " in operand else 0

    def get(self, operand: str, size: int) -> Value:
        if operand in PARTS:
            whole, first, count = PARTS[operand]
            return self.general[whole][first : first + min(count, size)]
        if VECTOR.match(operand):
            return self.vectors[int(operand[3:])][:size]
        if "[" in operand:
            return self.read(self.address(operand), size)
        return number(int(operand, 0), size)

    def put(self, operand: str, value: Value, keeps: bool = False) -> None:
        if operand in PARTS:
            whole, first, count = PARTS[operand]
            register = self.general[whole]
            # What has 32 bits clears the rest.
            rest = (0,) * 4 if count == 4 else register[first + count :]
            self.general[whole] = (*register[:first], *value[:count], *rest)
        elif VECTOR.match(operand):
            vector = self.vectors[int(operand[3:])] if keeps else (0,) * 32
            self.vectors[int(operand[3:])] = (*value, *vector[len(value) :])
        else:
            self.store(self.address(operand), value)

    # Instructions.

    def run(self) -> None:
        at = self.symbols[FUNCTION]
        self.ran = set[int]()
        while at != RETURN:
            if at in (self.symbols.get("memcpy"), self.symbols.get("memset")):
                at = self.library(at)
                continue
            if at not in self.lines:
                raise Refused(f"no instruction at {at:#x}")
            text, self.after = self.lines[at]
            text = re.sub(r"\s*(#.*|<[^>]*>)$", "", re.sub(r"\s*#.*$", "", text)).strip()
            name, _, rest = re.sub(r"\s+", " ", text).partition(" ")
            operands = [operand.strip() for operand in rest.split(",")] if rest else []
            self.steps += 1
            self.ran.add(at)
            try:
                at = self.step(name, operands) or self.after
            except Refused as refusal:
                raise Refused(f"{at:#x}: {text}: {refusal}") from None

    def library(self, at: int) -> int:
        to, other, count = (self.general[name] for name in ("rdi", "rsi", "rdx"))
        size = self.public(count, "a length")
        if at == self.symbols["memset"]:
            value = other[:1] * size
        else:
            value = self.read(self.public(other, "an address"), size)
        if size:
            self.store(self.public(to, "an address"), value)
        for name in set(NAMES) - {*KEPT, "rsp", "rax"}:
            self.general[name] = self.anything(name)
        self.general["rax"], self.flags = to, {}
        return self.pop()

    def pop(self) -> int:
        return self.public(self.popped(), "where a function returns to")

    def popped(self) -> Value:
        top = self.public(self.general["rsp"], "the stack pointer")
        self.general["rsp"] = number(top + 8, 8)
        return self.read(top, 8)

    def pushed(self, value: Value) -> None:
        top = self.public(self.general["rsp"], "the stack pointer") - 8
        self.general["rsp"] = number(top, 8)
        self.store(top, value)

    def holds(self, condition: str) -> Any:
        """Return whether a condition holds: a number, or one for each point if it depends on what is secret."""
        condition = {"ae": "nb", "a": "nbe", "ge": "nl", "g": "nle"}.get(condition, condition)
        inverted = condition.startswith("n")
        tests: dict[str, tuple[str, Callable[..., int]]] = {
            "b": ("c", lambda c: c),
            "e": ("z", lambda z: z),
            "s": ("s", lambda s: s),
            "be": ("cz", lambda c, z: c | z),
            "l": ("so", lambda s, o: s ^ o),
            "le": ("soz", lambda s, o, z: s ^ o | z),
        }
        names, test = tests[condition.removeprefix("n")]
        if missing := [name for name in names if name not in self.flags]:
            raise Refused(f"flag {missing[0]} is undefined")
        return self.atoms.apply(
            condition, [0], lambda *x: (test(*x) ^ inverted,), *(self.flags[name] for name in names)
        )[0]

    def step(self, name: str, operands: list[str]) -> int | None:
        """Run an instruction; return the address of the next one if it is not the one behind it."""
        if name in ("endbr64", "nop"):
            return None
        if name == "vzeroupper":
            self.vectors = [(*value[:16], *(0,) * 16) for value in self.vectors]
        elif name in ("call", "jmp"):
            target = operands[0]
            at = int(target, 16) if target.startswith("0x") else self.public(self.get(target, 8), "a target")
            if name == "call":
                self.pushed(number(self.after, 8))
            return at
        elif name == "ret":
            return self.pop()
        elif name == "push":
            self.pushed(self.get(operands[0], 8))
        elif name == "pop":
            self.put(operands[0], self.popped())
        elif name == "leave":
            self.general["rsp"] = self.general["rbp"]
            self.general["rbp"] = self.popped()
        elif name[0] == "j":
            taken = self.holds(name[1:])
            if isinstance(taken, Flag):
                raise Refused("a branch depends on what is secret")
            return int(operands[0], 16) if taken else None
        elif any(VECTOR.match(operand) for operand in operands):
            self.vector(name, operands)
        else:
            self.scalar(name, operands)
        return None

    def scalar(self, name: str, operands: list[str]) -> None:
        to, sizes = operands[0] if operands else "rax", [self.size(operand) for operand in operands]
        size = max(sizes, default=8)
        if name in ("mov", "movabs"):
            self.put(to, self.get(operands[1], size if sizes[0] == 0 else sizes[0]))
        elif name == "movzx":
            value = self.get(operands[1], sizes[1])
            self.put(to, (*value, *(0,) * (sizes[0] - sizes[1])))
        elif name in ("movsxd", "cdqe"):
            value = self.get(operands[1] if operands else "eax", 4)
            self.put(to, number((self.public(value, "a sign") ^ 1 << 31) - (1 << 31), 8))
        elif name == "lea":
            self.put(to, self.lea(operands[1], sizes[0]))
        elif name.startswith("cmov"):
            self.choose(to, self.get(operands[1], size), self.get(to, size), self.holds(name[4:]))
        elif name.startswith("set"):
            self.put(to, self.atoms.apply("bit", [1], lambda bit: (bit,), self.holds(name[3:]))[0])
        elif name in ("mul", "mulx"):
            a = self.get("rax" if name == "mul" else "rdx", 8)
            product = self.atoms.apply(
                "product", [8, 8], lambda x, y: (x * y, x * y >> 64), a, self.get(operands[-1], 8)
            )
            self.flags = {} if name == "mul" else self.flags
            # If both results go to one register, it is the upper one.
            for place, value in zip(("rax", "rdx") if name == "mul" else operands[1::-1], product, strict=True):
                self.put(place, value)
        elif name == "imul" and len(operands) == 2:
            (found,) = self.atoms.apply(
                "low product", [size], lambda x, y: (x * y,), self.get(to, size), self.get(operands[1], size)
            )
            self.flags = {}
            self.put(to, found)
        elif name == "tzcnt":
            x = self.public(self.get(operands[1], size), "a count")
            self.flags = {}
            self.put(to, number((x & -x).bit_length() - 1 if x else 8 * size, size))
        elif name in ("shl", "shr", "rol"):
            self.shift(name, to, size, operands[1] if len(operands) > 1 else "1")
        else:
            self.arithmetic(name, to, size, operands)

    def choose(self, to: str, a: Value, b: Value, condition: Any) -> None:
        if isinstance(condition, int):
            self.put(to, a if condition else b)
        else:
            self.put(to, self.atoms.apply("choice", [len(a)], lambda c, x, y: (x if c else y,), condition, a, b)[0])

    def shift(self, name: str, to: str, size: int, by: str) -> None:
        bits = self.public(self.get(by, 1), "a shift") & (63 if size == 8 else 31)
        value = self.get(to, size)
        if name == "rol":
            if size != 4:
                raise Refused("a rotation of other than 32 bits")
            self.put(to, self.atoms.rotated(value, bits))
        else:
            self.put(to, self.atoms.shifted(value, bits if name == "shl" else -bits))
        self.flags = {} if bits else self.flags

    def arithmetic(self, name: str, to: str, size: int, operands: list[str]) -> None:
        """What sets flags by its result."""
        top, all_ones = 8 * size - 1, (1 << 8 * size) - 1
        a = self.get(to, size)
        b = number(1, size) if name in ("inc", "dec", "neg", "not") else self.get(operands[1], size)
        carry = self.flags.get("c")
        if name in ("adc", "sbb") and carry is None:
            raise Refused("flag c is undefined")

        def flags(x: int, y: int, z: int, c: int) -> tuple[int, ...]:
            """Return z, whose low bits are the result, the carry, and whether x + y is zero, negative, and overflows."""
            low = z & all_ones
            return z, c, int(low == 0), low >> top, ((x ^ low) & (y ^ low)) >> top & 1

        kinds: dict[str, Callable[..., tuple[int, ...]]] = {
            "add": lambda x, y: flags(x, y, x + y, x + y >> top + 1),
            "adc": lambda x, y, c: flags(x, y, x + y + c, x + y + c >> top + 1),
            "sub": lambda x, y: flags(x, ~y & all_ones, x - y, int(x < y)),
            "sbb": lambda x, y, c: flags(x, ~y & all_ones, x - y - c, int(x < y + c)),
            "neg": lambda x, _: flags(0, ~x & all_ones, -x, int(x != 0)),
            "and": lambda x, y: flags(0, 1 << top, x & y, 0),
            "or": lambda x, y: flags(0, 1 << top, x | y, 0),
            "xor": lambda x, y: flags(0, 1 << top, x ^ y, 0),
        }
        like = {"cmp": "sub", "test": "and", "inc": "add", "dec": "sub"}.get(name, name)
        if like not in kinds:
            raise Refused("an instruction that is not known")
        same = like in ("xor", "sub") and len(operands) > 1 and operands[0] == operands[1]
        if same:
            a = b = number(0, size)
        values = (a, b, carry) if like in ("adc", "sbb") else (a, b)
        found, *made = self.atoms.apply(like + str(size), [size, 0, 0, 0, 0], kinds[like], *values)
        if like == "xor":
            found = xor(a, b)
        elif like == "add" and size == 4 and known(found) is None:
            found = self.atoms.add(a, b)
        elif like == "and" and (mask := known(b)) is not None and set(number(mask, size)) <= {0, 255}:
            found = tuple(x if keep else 0 for x, keep in zip(a, b, strict=True))
        elif like == "or" and (either := self.atoms.either(a, b)) is not None:
            found = either
        kept = {"c": carry} if name in ("inc", "dec") and carry is not None else {}
        self.flags = dict(zip("czso", made, strict=True)) | kept
        if name in ("inc", "dec") and carry is None:
            del self.flags["c"]
        if name not in ("cmp", "test"):
            self.put(to, found)

    def vector(self, name: str, operands: list[str]) -> None:
        has_vex, name = name[0] == "v", name.removeprefix("v")
        to, *others = operands
        size = self.size(to)
        if name in ("movdqa", "movdqu", "movaps", "movups"):
            wide = max(map(self.size, operands))
            self.put(to, self.get(others[0], wide), keeps=not has_vex)
        elif name in ("movd", "movq"):
            wide = 4 if name == "movd" else 8
            value = self.get(others[0], wide)
            self.put(to, (*value, *(0,) * (16 - wide)) if VECTOR.match(to) else value, keeps=not has_vex)
        elif name == "movhps":
            self.put(to, (*self.get(to, 8), *self.get(others[0], 8)), keeps=True)
        elif name == "broadcasti128":
            self.put(to, self.get(others[0], 16) * 2)
        elif name in ("broadcastss", "pbroadcastd"):
            self.put(to, self.get(others[0], 4) * (size // 4))
        elif name == "pmaskmovd":
            masks, at = self.get(others[0], size), self.address(others[1])
            taken = [self.public(masks[i : i + 4], "a mask") >> 31 for i in range(0, size, 4)]
            parts = [self.read(at + 4 * i, 4) if take else number(0, 4) for i, take in enumerate(taken)]
            self.put(to, sum(parts, ()))
        elif name == "pshufd":
            self.put(to, self.words_of(self.get(others[0], size), None, int(others[1], 0)), keeps=not has_vex)
        else:
            first = others[0] if has_vex else to
            rest = others[1:] if has_vex else others
            a, b = self.get(first, size), self.second(name, rest[0], size)
            immediate = int(rest[1], 0) if len(rest) > 1 else 0
            self.put(to, self.combined(name, a, b, immediate), keeps=not has_vex)

    def second(self, name: str, operand: str, size: int) -> Value:
        if name in ("pslld", "psrld"):
            return number(int(operand, 0), 4)
        return self.get(operand, 16 if name == "inserti128" else size)

    @staticmethod
    def words_of(a: Value, b: Value | None, order: int) -> Value:
        """Four words of each half; the last two of another value, if there is one."""
        found: list[Any] = []
        for half in range(0, len(a), 16):
            for i in range(4):
                source = a if b is None or i < 2 else b
                start = half + 4 * (order >> 2 * i & 3)
                found += source[start : start + 4]
        return tuple(found)

    def combined(self, name: str, a: Value, b: Value, immediate: int) -> Value:
        words = [(a[i : i + 4], b[i : i + 4]) for i in range(0, len(a), 4)]
        if name in ("pxor", "xorps"):
            return xor(a, b)
        if name == "paddd":
            return sum((self.atoms.add(x, y) for x, y in words), ())
        if name == "paddq":
            pairs = [(a[i : i + 8], b[i : i + 8]) for i in range(0, len(a), 8)]
            return sum((self.atoms.apply("add8", [8], lambda x, y: (x + y,), x, y)[0] for x, y in pairs), ())
        if name in ("pslld", "psrld"):
            bits = self.public(b, "a shift")
            return sum((self.atoms.shifted(x, bits if name == "pslld" else -bits) for x, _ in words), ())
        if name == "por":
            found = [self.atoms.either(x, y) for x, y in words]
            if None in found:
                raise Refused("or of what has bits in common")
            return sum((x for x in found if x), ())
        if name in ("pand", "pandn"):
            if name == "pandn":
                a = tuple(number(~self.public(a, "a mask"), len(a)))
            mask, other = (a, b) if known(a) is not None else (b, a)
            if not {*number(self.public(mask, "a mask"), len(mask))} <= {0, 255}:
                raise Refused("a mask of parts of bytes")
            return tuple(x if keep else 0 for x, keep in zip(other, mask, strict=True))
        if name == "pshufb":
            order = [self.public(byte and (byte,) or (0,), "an order") for byte in b]
            return tuple(0 if k & 128 else a[i & 16 | k & 15] for i, k in enumerate(order))
        if name == "shufps":
            return self.words_of(a, b, immediate)
        if name.startswith("punpck"):
            part = {"dq": 4, "qdq": 8}[name[7:]]
            start = 8 if name[6] == "h" else 0
            found = []
            for at in range(0, len(a), 16):
                for i in range(at + start, at + start + 8, part):
                    found += [*a[i : i + part], *b[i : i + part]]
            return tuple(found)
        if name == "inserti128":
            return (*a[:16], *b) if immediate & 1 else (*b, *a[16:])
        if name == "perm2i128":
            halves = (a[:16], a[16:], b[:16], b[16:])
            both = [(0,) * 16 if immediate >> at & 8 else halves[immediate >> at & 3] for at in (0, 4)]
            return (*both[0], *both[1])
        raise Refused("an instruction that is not known")

    # What must be there in the end.

    def block(self, counter: int) -> Value:
        """RFC 8439, section 2.3: a block of the keystream."""
        split = lambda text: [tuple(text[i : i + 4]) for i in range(0, len(text), 4)]  # noqa: E731
        start = [*split(b"expand 32-byte k"), *split(self.key), number(counter, 4), *split(self.nonce)]
        x, atoms = list(start), self.atoms
        for quarter in 10 * ("048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"):
            a, b, c, d = (int(digit, 16) for digit in quarter)
            for i, j, k, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[i] = atoms.add(x[i], x[j])
                x[k] = atoms.rotated(xor(x[k], x[i]), bits)
        return sum((atoms.add(a, b) for a, b in zip(x, start, strict=True)), ())

    def tags(self, ciphertext: Value) -> list[int]:
        """RFC 8439, sections 2.5 and 2.8: the tag at each point."""
        one_time, found = self.block(0), []
        padded = [(*part, *(0,) * (-len(part) % 16)) for part in (self.aad, ciphertext)]
        message = (*padded[0], *padded[1], *number(len(self.aad), 8), *number(len(ciphertext), 8))
        blocks = [self.atoms.points(message[i : i + 16]) for i in range(0, len(message), 16)]
        for point, (r, s) in enumerate(
            zip(self.atoms.points(one_time[:16]), self.atoms.points(one_time[16:32]), strict=True)
        ):
            h = 0
            for block in blocks:
                h = (h + block[point] + (1 << 128)) * (r & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF) % (2**130 - 5)
            found.append(h + s & 2**128 - 1)
        return found

    def hash(self) -> str:
        """Return the SHA-256 of a line for each instruction that ran, with its address and bytes."""
        start, content = self.sections[".text"]
        ends = [(at, self.lines[at][1] or start + len(content)) for at in sorted(self.ran)]
        text = "".join(f"{at:x} {content[at - start : end - start].hex()}\n" for at, end in ends)
        return hashlib.sha256(text.encode()).hexdigest()

    def check(self) -> None:
        kept = {name: self.general[name] for name in KEPT}
        self.run()
        stream: Value = sum((self.block(1 + i) for i in range(-(-len(self.text) // 64))), ())
        ciphertext = xor(tuple(self.text), stream[: len(self.text)])
        for i, (a, b) in enumerate(zip(self.read(OUT, len(ciphertext)), ciphertext, strict=True)):
            if a != b:
                raise Refused(f"byte {i} of the ciphertext is another expression")
        if self.atoms.points(self.read(TAG, 16)) != self.tags(ciphertext):
            raise Refused("the tag is another one")
        if self.general["rax"][:1] != (1,) or kept != {name: self.general[name] for name in KEPT}:
            raise Refused("the call returns something else than true, or a register is not restored")
        if self.general["rsp"] != number(STACK + 8, 8):
            raise Refused("the stack pointer is another one")
        left = [byte for value in self.vectors for byte in value]
        left += [byte for at, byte in self.memory.items() if STACK - STACK_BYTES <= at < STACK]
        secret = {byte for byte in left if type(byte) is not int} - {*ciphertext}
        # What was in registers before the call is none.
        if any(self.atoms.keys[atom][0] != "anything" for _, parts in secret for atom, _ in parts):
            raise Refused("a secret is left in a vector or on the stack")


def main() -> None:
    program, *numbers = sys.argv[1:7]
    try:
        chacha20, poly1305, cpu, length, aad_length = map(int, numbers)
        call = Call(program, (chacha20, poly1305, cpu), length, aad_length, sys.argv[7:] == ["in-place"])
        call.check()
    except Refused as refusal:
        sys.exit(f"REFUSED: {refusal}")
    print(
        f"{length} bytes for all inputs, the tag at {POINTS} points; {call.steps} steps, {len(call.ran)} instructions"
    )
    print(f"ran {call.hash()}")


if __name__ == "__main__":
    main()
