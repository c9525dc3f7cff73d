# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what a compiler and a linker made: the instructions, the data, and where the kernels' functions begin."""

import fcntl
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
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
    """An instruction: its address, that of the next one, the name, and the operands as GNU's assembler has them.

    prefix: words before the name that change how it is encoded.
    """

    at: int
    after: int
    name: str
    operands: tuple[str, ...]
    text: str
    prefix: str = ""


@dataclass(frozen=True)
class Target:
    """An architecture that programs are for.

    - prefix: of the names of its tools; options: objdump's. comment: what follows an instruction in its output.
    """

    architecture: str
    prefix: str
    comment: str
    options: tuple[str, ...] = ()

    def tool(self, name: str) -> str:
        return self.prefix + name


X86_64 = Target("x86_64", "", "#")
# Without aliases there are fewer instructions.
AARCH64 = Target("aarch64", "aarch64-linux-gnu-", "//", ("-M", "no-aliases"))
TARGETS = {target.architecture: target for target in (X86_64, AARCH64)}


def target_of(compiler: str) -> Target:
    """Return what a compiler, a command with its options, compiles for."""
    run = subprocess.run([*compiler.split(), "-dumpmachine"], capture_output=True, text=True, check=True)
    architecture = run.stdout.partition("-")[0]
    if architecture not in TARGETS:
        raise ValueError(f"{compiler} compiles for {architecture}, whose machine code is not read")
    return TARGETS[architecture]


# Whose objects are proved by default, if they are installed.
COMPILERS = ("gcc", "clang-19", "aarch64-linux-gnu-gcc", "clang-19 --target=aarch64-linux-gnu")


def is_installed(compiler: str) -> bool:
    """Return whether a compiler is installed with a C library's headers, and the tools for what it makes."""
    words = compiler.split()
    if not shutil.which(words[0]):
        return False
    finds_headers = [*words, "-fsyntax-only", "-include", "string.h", "-x", "c", "/dev/null"]
    if subprocess.run(finds_headers, capture_output=True, check=False).returncode != 0:
        return False
    return all(shutil.which(target_of(compiler).tool(name)) for name in ("ld", "nm", "objdump"))


def installed() -> list[str]:
    return [compiler for compiler in COMPILERS if is_installed(compiler)]


@dataclass
class Linked:
    """A program of all objects of the library, at fixed addresses; compiler is a command with its options."""

    path: Path
    compiler: str
    target: Target = X86_64

    @cached_property
    def lines(self) -> dict[int, Line]:
        """Return all instructions by their addresses, in whose place a test may put others."""
        return dict(self.read)

    @cached_property
    def read(self) -> dict[int, Line]:
        """Return all instructions of the file by their addresses."""
        command = [self.target.tool("objdump"), "-d", "--no-show-raw-insn", "-j", ".text", *self.target.options]
        command.append(str(self.path))
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^ *([0-9a-f]+):\t([^\n]*)", text, re.MULTILINE)
        places = [int(at, 16) for at, _ in found]
        return {
            at: read_line(at, after, line, self.target.comment)
            for (_, line), at, after in zip(found, places, [*places[1:], 0], strict=True)
        }

    @cached_property
    def symbols(self) -> dict[str, int]:
        """Return the addresses of functions and records by their names."""
        run = subprocess.run([self.target.tool("nm"), str(self.path)], capture_output=True, text=True, check=True)
        return {name: int(at, 16) for at, name in re.findall(r"^([0-9a-f]+) \w (\S+)$", run.stdout, re.MULTILINE)}

    @cached_property
    def functions(self) -> dict[int, str]:
        """Return the names of functions by their addresses."""
        return {at: name for name, at in self.symbols.items()}

    @cached_property
    def data(self) -> dict[int, bytes]:
        """Return the contents of sections that are data, by their addresses."""
        return self.sections(False)

    @cached_property
    def code(self) -> dict[int, bytes]:
        """Return the contents of sections that are instructions, by their addresses."""
        return self.sections(True)

    def sections(self, executable: bool) -> dict[int, bytes]:
        content = self.path.read_bytes()
        (start,) = struct.unpack_from("<Q", content, 0x28)
        size, count = struct.unpack_from("<HH", content, 0x3A)
        found = {}
        for i in range(count):
            _, kind, flags, at, offset, length = struct.unpack_from("<IIQQQQ", content, start + size * i)
            # Those with contents that take part in execution.
            if kind == 1 and flags & 2 and bool(flags & 4) == executable:
                found[at] = content[offset : offset + length]
        return found

    @cached_property
    def version(self) -> str:
        """Return the compiler with its version, and what it compiles for, if not for x86-64."""
        run = subprocess.run([*self.compiler.split(), "--version"], capture_output=True, text=True, check=True)
        found = re.search(r"\d+\.\d+\.\d+", run.stdout)
        name = "clang" if "clang" in self.compiler else "gcc" if "gcc" in self.compiler else self.compiler
        elsewhere = "" if self.target == X86_64 else f", {self.target.architecture}"
        return f"{name} {found[0] if found else '?'}{elsewhere}"

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


def read_line(at: int, after: int, text: str, comment: str = "#") -> Line:
    text = re.sub(r"\s*<[^>]*>$", "", re.sub(rf"\s*{comment}.*$", "", text)).strip()
    words, prefixes = text.split(None, 1), []
    while words and (words[0] in {"{vex}", "{evex}", "bnd", "notrack", "cs", "data16"}) and len(words) > 1:
        prefixes.append(words[0])
        words = words[1].split(None, 1)
    name, rest = (words[0], words[1] if len(words) > 1 else "") if words else ("(bad)", "")
    operands = re.findall(r"(?:[^,([{]|\([^)]*\)|\[[^]]*\]|\{[^}]*\})+", rest.strip())
    return Line(at, after, name, tuple(operand.strip() for operand in operands), text, " ".join(prefixes))


def compiled(compiler: str) -> Linked:
    """Return the library as a compiler makes it, linked at fixed addresses."""
    target, folder = target_of(compiler), BUILD / "objects" / re.sub(r"[^\w.-]+", "-", compiler)
    library, linked = folder / "libhornet.a", folder / "linked"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Proofs and their tests run at the same time.
        command = ["make", "-C", str(ROOT), "-s", f"CC={compiler}", f"BUILD={folder}", str(library)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if not linked.exists() or linked.stat().st_mtime < library.stat().st_mtime:
            places = [f"--defsym={name}={at:#x}" for name, at in LIBRARY.items()]
            link = [target.tool("ld"), "-static", "-e", "0", "--unresolved-symbols=ignore-all", *places]
            subprocess.run([*link, "-o", str(linked), "--whole-archive", str(library)], check=True)
    return Linked(linked, compiler, target)
