# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what a compiler and a linker made: the instructions, the data, and where the kernels' functions begin."""

import re
import struct
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from coconut.prove.polynomials import Unproved
from coconut.trace import BUILD, ROOT

# Functions of the C library that compilers call; they are interpreted, not read.
LIBRARY = {"memcpy": 0x1000, "memset": 0x1010}
# The members of struct hornet_poly1305_kernel that are functions, behind name, features and lanes.
MEMBERS = ("mac", "absorb", "lanes_begin", "lanes_absorb", "lanes_end", "batch")
FIRST_MEMBER = 24


@dataclass(frozen=True)
class Line:
    """An instruction: its address, that of the next one, the name, and the operands as GNU's assembler has them."""

    at: int
    after: int
    name: str
    operands: tuple[str, ...]
    text: str


@dataclass
class Linked:
    """A program of all objects of the library, at fixed addresses."""

    path: Path
    compiler: str
    changed: dict[int, Line] = field(default_factory=dict)

    @cached_property
    def lines(self) -> dict[int, Line]:
        """Return all instructions by their addresses."""
        command = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", str(self.path)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^ *([0-9a-f]+):\t([^\n]*)", text, re.MULTILINE)
        places = [int(at, 16) for at, _ in found]
        return {
            at: read_line(at, after, line) for (_, line), at, after in zip(found, places, [*places[1:], 0], strict=True)
        }

    @cached_property
    def symbols(self) -> dict[str, int]:
        """Return the addresses of functions and records by their names."""
        run = subprocess.run(["nm", str(self.path)], capture_output=True, text=True, check=True)
        return {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) \w (\S+)$", run.stdout, re.MULTILINE)}

    @cached_property
    def functions(self) -> dict[int, str]:
        """Return the names of functions by their addresses."""
        return {at: name for name, at in self.symbols.items()}

    @cached_property
    def data(self) -> dict[int, bytes]:
        """Return the contents of sections that are data, by their addresses."""
        content = self.path.read_bytes()
        (start,) = struct.unpack_from("<Q", content, 0x28)
        size, count = struct.unpack_from("<HH", content, 0x3A)
        found = {}
        for i in range(count):
            _, kind, flags, at, offset, length = struct.unpack_from("<IIQQQQ", content, start + size * i)
            # Those with contents that take part in execution, but are not instructions.
            if kind == 1 and flags & 2 and not flags & 4:
                found[at] = content[offset : offset + length]
        return found

    @cached_property
    def version(self) -> str:
        """Return the compiler with its version."""
        run = subprocess.run([self.compiler, "--version"], capture_output=True, text=True, check=True)
        found = re.search(r"\d+\.\d+\.\d+", run.stdout)
        return f"{self.compiler.partition('-')[0]} {found[0] if found else '?'}"

    def has(self, record: str) -> bool:
        """Return whether there is a record of a kernel."""
        return f"hornet_poly1305_kernel_{record}" in self.symbols

    def byte(self, at: int) -> int | None:
        for start, content in self.data.items():
            if start <= at < start + len(content):
                return content[at - start]
        return None

    def number(self, at: int, count: int) -> int:
        return int.from_bytes(bytes(self.byte(at + i) or 0 for i in range(count)), "little")

    def entry(self, record: str, member: str) -> int:
        """Return where a function of a kernel's record begins; 0 if the kernel has no such function."""
        if not self.has(record):
            raise Unproved(f"{self.compiler} made no kernel {record}")
        record_at = self.symbols[f"hornet_poly1305_kernel_{record}"]
        return self.number(record_at + FIRST_MEMBER + 8 * MEMBERS.index(member), 8)


def read_line(at: int, after: int, text: str) -> Line:
    text = re.sub(r"\s*(#.*|<[^>]*>)$", "", re.sub(r"\s*#.*$", "", text)).strip()
    words = text.split(None, 1)
    while words and (words[0] in {"{vex}", "{evex}", "bnd", "notrack", "cs", "data16"}) and len(words) > 1:
        words = words[1].split(None, 1)
    name, rest = (words[0], words[1] if len(words) > 1 else "") if words else ("(bad)", "")
    return Line(at, after, name, tuple(re.findall(r"(?:[^,(]|\([^)]*\))+", rest.strip())), text)


def compiled(compiler: str) -> Linked:
    """Return the library as a compiler makes it, linked at fixed addresses."""
    folder = BUILD / "objects" / compiler
    library, linked = folder / "libhornet.a", folder / "linked"
    command = ["make", "-C", str(ROOT), "-s", f"CC={compiler}", f"BUILD={folder}", str(library)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if not linked.exists() or linked.stat().st_mtime < library.stat().st_mtime:
        places = [f"--defsym={name}={at:#x}" for name, at in LIBRARY.items()]
        link = ["ld", "-static", "-e", "0", "--unresolved-symbols=ignore-all", *places, "-o", str(linked)]
        subprocess.run([*link, "--whole-archive", str(library)], check=True)
    return Linked(linked, compiler)
