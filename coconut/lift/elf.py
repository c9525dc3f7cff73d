# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read archives, objects and shared libraries: their sections and symbols, and which compiler made them."""

import re
import struct
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from coconut.prove.polynomials import Unproved

MACHINES = {62: "x86_64", 183: "aarch64"}
SYMBOLS, RELOCATIONS = 2, 4  # types of sections
WRITTEN, EXECUTED = 1, 4  # flags of sections
LOCAL, GLOBAL = 0, 1  # bindings of symbols
FUNCTION, FILE, INDIRECT = 2, 4, 10  # types of symbols
# How many bytes a relocation of x86-64 fills in: PC32, PLT32, GOTPCREL, GOTPCRELX and REX_GOTPCRELX.
RELOCATED = {2: 4, 4: 4, 9: 4, 41: 4, 42: 4}


class Section(NamedTuple):
    name: str
    kind: int
    flags: int
    at: int
    content: bytes
    link: int
    info: int


class Symbol(NamedTuple):
    """A symbol: its name, the source file if it is local, its binding, type, section, value, and size in bytes."""

    name: str
    file: str
    binding: int
    kind: int
    section: int
    value: int
    size: int


def text_at(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()


@dataclass
class Elf:
    """A little-endian 64-bit ELF file."""

    title: str
    content: bytes

    def __post_init__(self) -> None:
        if self.content[:6] != b"\x7fELF\2\1":
            raise Unproved(f"{self.title} is no little-endian 64-bit ELF file")
        (machine,) = struct.unpack_from("<H", self.content, 0x12)
        self.architecture = MACHINES.get(machine, f"machine {machine}")

    @cached_property
    def sections(self) -> list[Section]:
        (start,) = struct.unpack_from("<Q", self.content, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.content, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.content, start + size * i) for i in range(count)]
        text = headers[names][4]
        return [
            Section(text_at(self.content, text + name), kind, flags, at, self.content[o : o + length], link, info)
            for name, kind, flags, at, o, length, link, info, _, _ in headers
        ]

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Return the symbols; after those of type FILE come the local ones of that source file."""
        found, file = [], ""
        for table in self.sections:
            if table.kind != SYMBOLS:
                continue
            names = self.sections[table.link].content
            for name, kind, _, section, value, size in struct.iter_unpack("<IBBHQQ", table.content):
                binding = kind >> 4
                if kind & 15 == FILE:
                    file = text_at(names, name)
                else:
                    of = file * (binding == LOCAL)
                    found.append(Symbol(text_at(names, name), of, binding, kind & 15, section, value, size))
        return found

    @cached_property
    def relocations(self) -> dict[int, list[tuple[int, int]]]:
        """Return the relocations of each section, by its number: offsets and types."""
        found: dict[int, list[tuple[int, int]]] = {}
        for section in self.sections:
            if section.kind == RELOCATIONS:
                entries = struct.iter_unpack("<QQq", section.content)
                found.setdefault(section.info, []).extend((at, info & 0xFFFFFFFF) for at, info, _ in entries)
        return found

    def compilers(self) -> set[str]:
        """Return the compilers that the file names."""
        contents = [section.content for section in self.sections if section.name == ".comment"]
        return {text.decode(errors="replace") for content in contents for text in content.split(b"\0") if text}

    def functions(self) -> Iterator[tuple[Symbol, bytes]]:
        """Yield the functions with the bytes of each, but for those of no size, which begin and end every program."""
        for symbol in self.symbols:
            if symbol.kind != FUNCTION or symbol.section == 0 or symbol.size == 0:
                continue
            section = self.sections[symbol.section]
            start = symbol.value - section.at
            code = section.content[start : start + symbol.size]
            if len(code) != symbol.size or not section.flags & EXECUTED:
                raise Unproved(f"{self.title}: {symbol.name} has no instructions")
            yield symbol, code

    def check_symbols(self, reserved: Container[str]) -> None:
        """Raise Unproved if the program that links this object may decide what a symbol is, or code has no function.

        reserved: names that others define.
        """
        for symbol in self.symbols:
            where = f"{self.title}: {symbol.name}"
            if symbol.binding not in {LOCAL, GLOBAL} or symbol.kind == INDIRECT:
                raise Unproved(f"{where} is weak, or chosen when a program starts")
            if symbol.section == 0:
                continue
            if symbol.binding == GLOBAL and symbol.name in reserved:
                raise Unproved(f"{where} is defined, which is a function of the C library")
            is_code = symbol.section < len(self.sections) and self.sections[symbol.section].flags & EXECUTED
            if is_code and symbol.size == 0 and (symbol.kind == FUNCTION or symbol.binding == GLOBAL):
                raise Unproved(f"{where} has instructions, and no size")

    def without_relocated(self, symbol: Symbol, code: bytes) -> bytes:
        """Return a function of this object as it is before a linker fills in bytes, which are zeros."""
        found = bytearray(code)
        for at, kind in self.relocations.get(symbol.section, []):
            if symbol.value <= at < symbol.value + symbol.size:
                if kind not in RELOCATED:
                    raise Unproved(f"{self.title}: {symbol.name} has a relocation of type {kind}")
                first = at - symbol.value
                found[first : first + RELOCATED[kind]] = bytes(RELOCATED[kind])
        return bytes(found)


def members(title: str, content: bytes) -> list[Elf]:
    """Return the objects in an archive."""
    if content[:8] != b"!<arch>\n":
        raise Unproved(f"{title} is no archive that contains its objects")
    found, long_names, at = [], b"", 8
    while at < len(content):
        header = content[at : at + 60].decode("latin-1")
        if header[58:] != "`\n":
            raise Unproved(f"{title}: byte {at} begins no member")
        name, size = header[:16].rstrip(), int(header[48:58])
        member = content[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if name == "//":
            long_names = member
        elif name not in {"/", "/SYM64/"}:
            if name[0] == "/":
                name = long_names[int(name[1:]) :].split(b"\n")[0].decode()
            found.append(Elf(f"{title}({name.rstrip('/')})", member))
    if not found:
        raise Unproved(f"{title} has no objects")
    return found


# How compilers name themselves, in objects and when they are asked for their version.
COMPILERS = {"gcc": r"^GCC: \(.*\) (\d+\.\d+\.\d+)", "clang": r"clang version (\d+\.\d+\.\d+)"}


def version_in(text: str) -> str:
    """Return the compiler and the version that a text names, such as gcc 12.2.0."""
    for name, pattern in COMPILERS.items():
        if found := re.search(pattern, text):
            return f"{name} {found[1]}"
    return text


def maker_of(objects: list[Elf]) -> str:
    """Return the one compiler that made objects, with its version, and what it compiles for, if not for x86-64."""
    makers: dict[str, str] = {}
    for read in objects:
        named = read.compilers()
        if len(named) != 1:
            raise Unproved(f"{read.title} names {len(named)} compilers: {', '.join(sorted(named))}")
        elsewhere = "" if read.architecture == "x86_64" else f", {read.architecture}"
        makers.setdefault(version_in(*named) + elsewhere, read.title)
    if len(makers) != 1:
        raise Unproved(" but ".join(f"{title} is made by {maker}" for maker, title in makers.items()))
    return next(iter(makers))


def same_functions(objects: list[Elf], shared: Elf) -> int:
    """Prove that a shared library has all functions of objects, with the same bytes where no linker fills them in.

    Return how many functions they are. Functions of the same name and source file are in the same order.
    """
    theirs: dict[tuple[str, str], list[bytes]] = {}
    for symbol, code in shared.functions():
        for file in {symbol.file, ""}:
            theirs.setdefault((file, symbol.name), []).append(code)
    count = 0
    for read in objects:
        for symbol, code in read.functions():
            # A hidden function, which is global in an object, is a local one of no file in the shared library.
            candidates = theirs.get((symbol.file, symbol.name))
            if not candidates:
                raise Unproved(f"{shared.title} has no function {symbol.name} of {read.title}")
            other = candidates.pop(0)
            if len(other) != len(code) or read.without_relocated(symbol, other) != read.without_relocated(symbol, code):
                raise Unproved(f"{shared.title} has another {symbol.name} than {read.title}")
            count += 1
    if count == 0:
        raise Unproved(f"{objects[0].title} has no functions")
    return count
