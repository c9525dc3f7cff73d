# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read what a compiler and a linker made: the instructions, the data, and where the kernels' functions begin."""

import fcntl
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from coconut.lift.elf import EXECUTED, WRITTEN, Elf, Section, maker_of, members
from coconut.prove.polynomials import Unproved
from coconut.trace import BUILD, ROOT

# Functions of the C library that compilers call; they are interpreted, not read.
LIBRARY = {"memcpy": 0x1000, "memset": 0x1010}
# The members of struct hornet_poly1305_kernel that are functions, behind name, features and lanes.
MEMBERS = ("mac", "absorb", "lanes_begin", "lanes_absorb", "lanes_end", "batch")
FIRST_MEMBER = 24


# Sections of constants that are addresses, which a loader writes before it protects them.
RELOCATED_CONSTANTS = (".data.rel.ro", ".got")
LONGEST = 15  # bytes of an instruction


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


@cache
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
    if not words or not shutil.which(words[0]):
        return False
    finds_headers = [*words, "-fsyntax-only", "-include", "string.h", "-x", "c", "/dev/null"]
    if subprocess.run(finds_headers, capture_output=True, check=False).returncode != 0:
        return False
    return all(shutil.which(target_of(compiler).tool(name)) for name in ("ld", "nm", "objdump"))


def chosen(compilers: Iterable[str] = ()) -> list[str]:
    """Return the compilers that are named, or else the default ones; refuse those that are not installed."""
    found = list(dict.fromkeys(compilers)) or list(COMPILERS)
    if missing := [compiler for compiler in found if not is_installed(compiler)]:
        raise ValueError(f"not installed: {', '.join(missing)}; coconut/install.sh installs the compilers")
    return found


def installed() -> list[str]:
    return [compiler for compiler in COMPILERS if is_installed(compiler)]


@cache
def version_of(compiler: str) -> str:
    """Return a compiler with its version, as its objects name it, and what it compiles for, if not for x86-64."""
    source = [*compiler.split(), "-c", "-x", "c", "-", "-o"]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.o"
        try:
            subprocess.run([*source, str(path)], input="int hornet;", text=True, check=True)
            return maker_of([Elf(f"what {compiler} makes", path.read_bytes())])
        except (OSError, subprocess.CalledProcessError, Unproved) as error:
            raise ValueError(f"{compiler} makes no object: {error}") from None


@dataclass(eq=False)
class Linked:
    """A program of all objects of an archive of the library, at fixed addresses; compiler is a command with its options.

    - archive, sha256: of the library, under its name in this tree. version: the compiler, as the objects name it.
    - shipped: whether `make` left this archive in build/.
    """

    path: Path
    compiler: str
    target: Target = X86_64
    archive: str = ""
    sha256: str = ""
    version: str = ""
    shipped: bool = False

    @cached_property
    def lines(self) -> dict[int, Line]:
        """Return all instructions by their addresses, in whose place a test may put others."""
        return dict(self.read)

    @cached_property
    def read(self) -> dict[int, Line]:
        """Return all instructions of the file by their addresses, one behind another, also those that are zeros."""
        command = [self.target.tool("objdump"), "-d", "-z", "--no-show-raw-insn", "-j", ".text", *self.target.options]
        command.append(str(self.path))
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^ *([0-9a-f]+):\t([^\n]*)", text, re.MULTILINE)
        places = [int(at, 16) for at, _ in found]
        if bad := [at for at, after in pairwise(places) if not 0 < after - at <= LONGEST]:
            raise Unproved(f"{self.archive}: no instruction is behind the one at {bad[0]:#x}")
        return {
            at: read_line(at, after, line, self.target.comment)
            for (_, line), at, after in zip(found, places, [*places[1:], 0], strict=True)
        }

    @cached_property
    def symbols(self) -> dict[str, int]:
        """Return the addresses of functions and records by their names."""
        found: dict[str, int] = {}
        for at, name in self.named:
            if name.startswith("hornet_") and found.get(name, at) != at:
                raise Unproved(f"{self.archive} has two symbols {name}")
            found[name] = at
        return found

    @cached_property
    def named(self) -> list[tuple[int, str]]:
        run = subprocess.run([self.target.tool("nm"), str(self.path)], capture_output=True, text=True, check=True)
        return [(int(at, 16), name) for at, name in re.findall(r"^([0-9a-f]+) \w (\S+)$", run.stdout, re.MULTILINE)]

    @cached_property
    def functions(self) -> dict[int, str]:
        """Return the names of functions by their addresses."""
        return dict(self.named)

    @cached_property
    def data(self) -> dict[int, bytes]:
        """Return the contents of sections that are data, by their addresses."""
        return {part.at: part.content for part in self.sections if not part.flags & EXECUTED}

    @cached_property
    def constants(self) -> dict[int, bytes]:
        """Return the contents of sections that are data and stay as they are, by their addresses."""
        kept = [part for part in self.sections if not part.flags & WRITTEN or part.name in RELOCATED_CONSTANTS]
        return {part.at: part.content for part in kept if not part.flags & EXECUTED}

    @cached_property
    def code(self) -> dict[int, bytes]:
        """Return the contents of sections that are instructions, by their addresses."""
        return {part.at: part.content for part in self.sections if part.flags & EXECUTED}

    @property
    def sections(self) -> list[Section]:
        """Return the sections with contents that take part in execution."""
        return [
            part for part in Elf(self.archive, self.path.read_bytes()).sections if part.kind == 1 and part.flags & 2
        ]

    def function_at(self, at: int) -> str:
        """Return the name of the function that begins at an address."""
        if at not in self.functions:
            raise Unproved(f"no function of {self.archive} begins at {at:#x}")
        return self.functions[at]

    def has(self, record: str) -> bool:
        """Return whether there is a record of a kernel."""
        return f"hornet_poly1305_kernel_{record}" in self.symbols

    def byte(self, at: int) -> int | None:
        """Return a byte of a constant: what may be written may have changed before a call."""
        return byte_in(self.constants, at)

    def number(self, at: int, count: int) -> int:
        """Return a number as the program has it at first."""
        return int.from_bytes(bytes(byte_in(self.data, at + i) or 0 for i in range(count)), "little")

    def entry(self, record: str, member: str) -> int:
        """Return where a function of a kernel's record begins; 0 if the kernel has no such function."""
        if not self.has(record):
            raise Unproved(f"{self.compiler} made no kernel {record}")
        record_at = self.symbols[f"hornet_poly1305_kernel_{record}"]
        return self.number(record_at + FIRST_MEMBER + 8 * MEMBERS.index(member), 8)


def byte_in(sections: Mapping[int, bytes], at: int) -> int | None:
    for start, content in sections.items():
        if start <= at < start + len(content):
            return content[at - start]
    return None


def read_line(at: int, after: int, text: str, comment: str = "#") -> Line:
    text = re.sub(r"\s*<[^>]*>$", "", re.sub(rf"\s*{comment}.*$", "", text)).strip()
    words, prefixes = text.split(None, 1), []
    while words and (words[0] in {"{vex}", "{evex}", "bnd", "notrack", "cs", "data16"}) and len(words) > 1:
        prefixes.append(words[0])
        words = words[1].split(None, 1)
    name, rest = (words[0], words[1] if len(words) > 1 else "") if words else ("(bad)", "")
    operands = re.findall(r"(?:[^,([{]|\([^)]*\)|\[[^]]*\]|\{[^}]*\})+", rest.strip())
    return Line(at, after, name, tuple(operand.strip() for operand in operands), text, " ".join(prefixes))


OBJECTS = BUILD / "objects"
SHIPPED = ROOT / "build" / "libhornet.a"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other proofs and tests, which run at the same time, from building in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def shipped() -> bytes:
    """Return build/libhornet.a as `make` leaves it; it and build/libhornet.so are made if sources are newer."""
    with locked(OBJECTS):
        subprocess.run(["make", "-C", str(ROOT), "-s", "library"], check=True, stdout=subprocess.DEVNULL)
        return SHIPPED.read_bytes()


def shipped_by() -> str:
    """Return the compiler of build/libhornet.a."""
    return maker_of(members("build/libhornet.a", shipped()))


@cache
def compiled(compiler: str) -> Linked:
    """Return the library as a compiler makes it, linked at fixed addresses: build/libhornet.a, if this compiler made that.

    A process reads an archive once, so that all its proofs are of the same bytes.
    """
    if shipped_by() == version_of(compiler):
        return linked_from(shipped(), SHIPPED, compiler)
    folder = OBJECTS / re.sub(r"[^\w.-]+", "-", compiler)
    library = folder / "libhornet.a"
    with locked(folder):
        command = ["make", "-C", str(ROOT), "-s", f"CC={compiler}", f"BUILD={folder}", str(library)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        content = library.read_bytes()
    return linked_from(content, library, compiler)


def linked_from(content: bytes, library: Path, compiler: str) -> Linked:
    """Return the program of an archive with this content: the bytes that are hashed are those that are linked."""
    name = str(library.relative_to(ROOT))
    objects, target = members(name, content), target_of(compiler)
    maker = maker_of(objects)
    for read in objects:
        read.check_symbols(LIBRARY)
    if maker != version_of(compiler):
        raise Unproved(f"{name} is made by {maker}, and not by {version_of(compiler)}")
    sha256 = hashlib.sha256(content).hexdigest()
    linked = link(content, OBJECTS / sha256, target, "--whole-archive")
    return Linked(linked, compiler, target, name, sha256, maker, library == SHIPPED)


def link(content: bytes, folder: Path, target: Target, *options: str) -> Path:
    """Link a private copy of an object or archive at fixed addresses, and return the program in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as private:
        copy, linked = Path(private) / "copy", Path(private) / "linked"
        copy.write_bytes(content)
        places = [f"--defsym={name}={at:#x}" for name, at in LIBRARY.items()]
        command = [target.tool("ld"), "-static", "-e", "0", "--unresolved-symbols=ignore-all", *places, *options]
        subprocess.run([*command, "-o", str(linked), str(copy)], check=True)
        return linked.replace(folder / "linked")


@cache
def compiled_file(compiler: str, source: Path, options: tuple[str, ...]) -> Linked:
    """Return one file as a compiler makes it, linked at fixed addresses."""
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=OBJECTS) as private:
        path = Path(private) / "object.o"
        subprocess.run([*compiler.split(), *options, "-c", str(source), "-o", str(path)], check=True)
        content = path.read_bytes()
    maker, sha256 = maker_of([Elf(source.name, content)]), hashlib.sha256(content).hexdigest()
    linked = link(content, OBJECTS / sha256, target_of(compiler))
    return Linked(linked, compiler, target_of(compiler), source.name, sha256, maker)
