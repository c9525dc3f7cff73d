# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the Go module's assembly, as it is read here, with what Go's assembler makes of it; count its functions.

Go's assembler lists what it has read, behind its preprocessor, and the bytes that it makes. Each line of a function must
be the one instruction that stands there, in the list and in the bytes, which llvm-mc disassembles: an instruction of a
table as the table writes it for GNU's assembler, which was compared with a CPU. For controls, the list is compared.

A function that no proof covers, or that its package declares otherwise, is an error.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from coconut.architecture import Architecture
from coconut.assembler import Assembler, Read
from coconut.instructions import Memory, Op
from coconut.interpret import Code
from coconut.prove.chacha20 import GO_FILES, go_functions
from coconut.prove.go import committed
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Proved, proved
from coconut.sources import Source, read_source
from coconut.trace import ROOT

MODULE = ROOT / "bindings" / "go"
# Files whose functions are not proved, as they stand: each line, since nothing else looks at them.
UNPROVED = {
    "internal/family/family_amd64.s": (
        '#include "textflag.h"; TEXT ·cpuid(SB), NOSPLIT, $0-24; MOVL leaf+0(FP), AX; MOVL subleaf+4(FP), CX; CPUID; '
        "MOVL AX, eax+8(FP); MOVL BX, ebx+12(FP); MOVL CX, ecx+16(FP); MOVL DX, edx+20(FP); RET"
    )
}
# What Go makes a part of a package beside its own text.
MACHINE_CODE = {".s", ".S", ".sx", ".syso", ".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90", ".swig"}
TRIPLES = {"amd64": "x86_64", "arm64": "aarch64", "riscv64": "riscv64", "s390x": "s390x"}
CPUS = {"amd64": "sapphirerapids", "arm64": "neoverse-v2", "riscv64": "sifive-u74", "s390x": "z14"}
# How Go's assembler names some instructions in its list.
ALIASES = {"JZ": "JEQ", "JNZ": "JNE"}
WITH_NUMBER = {"ADD": "ADDI", "AND": "ANDI", "SRL": "SRLI", "SLL": "SLLI"}
JUMPS = ("JZ", "JNZ", "CBZ", "CBNZ", "BEQZ", "BNEZ", "CMPBEQ", "BRCTG")
RETURNS = {"amd64": "RET", "arm64": "RET (R30)", "riscv64": "JALR X0, X1", "s390x": "JMP R14"}
ENTRY = re.compile(r"^\t0x([0-9a-f]+) \d+ \([^)\n]*:(\d+)\)\t(\S+)(?:\t(.*))?$", re.MULTILINE)
BYTES = re.compile(r"^\t0x[0-9a-f]{4,} ((?:[0-9a-f]{2} )+)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """An instruction in the list of Go's assembler: where it begins, and its line and text."""

    at: int
    line: int
    text: str


@dataclass
class Made:
    """A function as Go's assembler makes it."""

    entries: list[Entry]
    content: bytes

    def __post_init__(self) -> None:
        places = sorted({entry.at for entry in self.entries}) + [len(self.content)]
        self.after = dict(pairwise(places))
        self.lines: dict[int, list[Entry]] = {}
        for entry in self.entries:
            self.lines.setdefault(entry.line, []).append(entry)

    def of_line(self, number: int) -> list[Entry]:
        return self.lines.get(number, [])

    def bytes_of(self, entry: Entry) -> bytes:
        return self.content[entry.at : self.after[entry.at]]


def run(*command: str, text: str = "", **variables: str) -> str:
    """Return what a command prints; raise Unproved if it fails."""
    try:
        ran = subprocess.run(
            command, input=text, env=os.environ | variables, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise Unproved(f"{command[0]} is not installed") from None
    if ran.returncode != 0 or "warning" in ran.stderr:
        raise Unproved(f"{' '.join(command[:3])}: {ran.stderr.strip()[:300]}")
    return ran.stdout


@cache
def go_root() -> str:
    return run("go", "env", "GOROOT").strip()


@dataclass(frozen=True)
class Assembled:
    """The functions of a file, and its constants, as Go's assembler makes them."""

    functions: dict[str, Made]
    constants: dict[str, bytes]


def assembled(text: str, goarch: str) -> Assembled:
    """Return what Go's assembler makes of a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file.s"
        file.write_text(text)
        include, output = f"{go_root()}/pkg/include", f"{folder}/file.o"
        command = ("go", "tool", "asm", "-S", "-p", "pkg", "-I", include, "-o", output, str(file))
        listed = run(*command, GOOS="linux", GOARCH=goarch)
    functions, constants = {}, {}
    for part in re.split(r"^pkg\.(?=\w+ S)", listed, flags=re.MULTILINE)[1:]:
        entries = [
            Entry(int(at, 16), int(line), f"{name} {operands}".strip())
            for at, line, name, operands in ENTRY.findall(part)
            if name not in {"PCDATA", "FUNCDATA", "TEXT"}
        ]
        head = re.match(r"(\w+) (STEXT|SRODATA)\b.* size=(\d+)", part)
        lines = re.split(r"^\S", part.partition("\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
        content = b"".join(bytes.fromhex(line) for line in BYTES.findall(lines))
        if head is None or len(content) != int(head[3]):
            raise Unproved(f"not all bytes are listed of {part.splitlines()[0]}")
        if head[2] == "STEXT":
            functions[head[1]] = Made(entries, content)
        else:
            constants[head[1]] = content
    return Assembled(functions, constants)


def check_constants(constants: dict[tuple[str, int], int], made: dict[str, bytes], known: Architecture) -> None:
    """Raise Unproved unless Go's assembler places constants as they are declared."""
    found = {
        (name, at): int.from_bytes(content[at : at + known.word_bytes], known.byte_order)
        for name, content in made.items()
        for at in range(0, len(content), known.word_bytes)
    }
    if found != constants:
        raise Unproved("Go's assembler places other constants than are declared")


def listed_as(line: str, goarch: str) -> str:
    """Return how Go's assembler lists a line, apart from places of arguments and labels."""
    name, _, operands = line.partition(" ")
    if name in JUMPS:
        operands = operands.rpartition(", ")[0] + ", " * (", " in operands)
    if goarch == "riscv64" and operands.startswith("$") and name in {*WITH_NUMBER, "SUB"}:
        number = int(operands[1:].partition(",")[0])
        operands = f"${-number if name == 'SUB' else number},{operands.partition(',')[2]}"
        name = WITH_NUMBER.get(name, "ADDI")
    if goarch == "amd64" and operands.startswith("$·"):
        name, operands = "LEAQ", operands[1:]
    if name == "RET":
        return RETURNS[goarch]
    operands = re.sub(r"\+\d+\(FP\)", "(FP)", operands.replace("·", "pkg."))
    operands = re.sub(r"(?<!\w)0\(|\+0\((?=SB)", "(", operands)
    return f"{ALIASES.get(name, name)} {operands}".strip()


def without_place(text: str) -> str:
    """Return a line of the list without where an argument is, or a jump goes."""
    name, _, operands = text.partition(" ")
    if name in {*JUMPS, *ALIASES.values()}:
        operands = operands.rpartition(", ")[0] + ", " * (", " in operands)
    operands = re.sub(r"\+\d+\(FP\)", "(FP)", operands)
    return f"{name} {operands}".strip()


def check_places(source: Source, made: Made, goarch: str) -> None:
    """Raise Unproved unless arguments are at one distance from where they stand, and each jump goes to its label."""
    labels = {text[:-1]: number for number, text in source.lines if text.endswith(":")}
    starts = {number: made.of_line(number)[0].at for number, text in source.lines if not text.endswith(":")}
    distances = set()
    for number, text in source.lines:
        if text.endswith(":"):
            continue
        entry = made.of_line(number)[0]
        written, listed = (re.findall(r"\w+(?:\+(\d+))?\(FP\)", line) for line in (text, entry.text))
        distances |= {int(b or 0) - int(a or 0) for a, b in zip(written, listed, strict=True)}
        if text.startswith(JUMPS):
            label = labels[re.split(r"[ ,]+", text)[-1]]
            # Behind padding, if the label has some.
            target = min(at for line, at in starts.items() if line > label)
            to = re.split(r"[ ,]+", entry.text)[-1]
            if (entry.at + int(to[1:]) if to.startswith("$") else int(to)) != target:
                raise Unproved(f"line {number}: {text}: Go's assembler jumps elsewhere: {entry.text}")
    if len(distances) > 1:
        raise Unproved(f"{source.name}: arguments are at several distances from where they stand")


def check_listed(source: Source, made: Made, goarch: str) -> list[tuple[int, str, Entry]]:
    """Raise Unproved unless Go's assembler reads each line as it stands; return those that are one instruction."""
    found = []
    *lines, (last, _) = source.lines
    for number, text in lines:
        entries = made.of_line(number)
        if text.endswith(":"):
            if entries:
                raise Unproved(f"line {number}: {text}: Go's assembler makes an instruction of a label")
            continue
        if len(entries) != 1 or without_place(entries[0].text) != listed_as(text, goarch):
            what = "; ".join(entry.text for entry in entries) or "nothing"
            raise Unproved(f"line {number}: {text}: Go's assembler reads {what}")
        if not text.startswith("PCALIGN"):
            found.append((number, text, entries[0]))
    check_places(replace(source, lines=lines), made, goarch)
    # The assembler's own instructions are on the lines of TEXT and of RET, and nowhere else.
    begin, end = ([entry.text for entry in made.of_line(number)] for number in (source.number, last))
    if {entry.line for entry in made.entries} - {number for number, _ in source.lines} - {source.number}:
        raise Unproved(f"{source.name}: Go's assembler makes instructions of other lines")
    if source.frame_bytes:
        if "PUSHQ BP" not in begin or "POPQ BP" not in end or RETURNS[goarch] not in end:
            raise Unproved(f"{source.name}: Go's assembler does not save BP")
    elif begin or end != [RETURNS[goarch]]:
        raise Unproved(f"{source.name}: Go's assembler adds to a function without a frame")
    return found


def gnu_pointer(register: str, goarch: str) -> str:
    if not register or "·" in register:
        return "%rip"
    name = register.lower()
    if goarch == "arm64":
        return name.replace("r", "x")
    if goarch == "amd64":
        return f"%{name}" if name[-1].isdigit() else f"%r{name}"
    return f"%{name}" if goarch == "s390x" else name


def gnu_text(read: Read, known: Architecture) -> str:
    """Return an instruction that was read as a table writes it for GNU's assembler."""
    gnu: Assembler = replace(known.gnu, pointers={"": gnu_pointer(read.pointer, known.goarch)})
    registers, instruction = read.registers, read.instruction
    result = registers.get("d", registers.get("0", 0))
    args = [registers.get(str(i), result) for i in range(instruction.operands)]
    if instruction.accumulates:
        args[0] = result
    # What is at a symbol is placed by the linker, from the symbol and the offset that the list has.
    offset = 0 if "·" in read.pointer else read.offset
    memory = Memory("", offset, read.broadcast) if read.pointer else None
    (text,) = gnu.text(Op(instruction, tuple(args), read.imm, memory), tuple(args), result)
    return text


def printed(goarch: str, text: str, *options: str) -> list[str]:
    """Return what llvm-mc prints of instructions, a line for each."""
    command = ("llvm-mc-19", f"-triple={TRIPLES[goarch]}", f"-mcpu={CPUS[goarch]}", *options)
    lines = run(*command, text=text).replace("\t", " ").split("\n")
    return [" ".join(re.sub(r"#.*", "", line).split()) for line in lines if line.strip() and line.strip()[0] != "."]


def as_in_table(text: str) -> str:
    """Return an instruction of z/Architecture as the table has it: a sum with two operands, and bits with a flag."""
    text = re.sub(r"^(\w+)rk (%r\d+), \2, (%r\d+)$", r"\1r \2, \3", text)
    zeroed = re.fullmatch(r"risbgz (%r\d+, %r\d+, \d+), (\d+), (\d+)", text)
    return f"risbg {zeroed[1]}, {128 + int(zeroed[2])}, {zeroed[3]}" if zeroed else text


def check_made(code: Code, lines: Sequence[tuple[int, str, Entry]], made: Made) -> None:
    """Raise Unproved unless the bytes of each line that is in a table are the instruction that the table has."""
    goarch, reads = code.architecture.goarch, {line.number: line for line in code.lines}
    wanted, found, titles = [], [], []
    for number, text, entry in lines:
        line = reads[number]
        if line.read is None:
            continue
        known = code.scalar if line.is_scalar and code.scalar else code.architecture
        wanted.append(gnu_text(line.read, known))
        found.append(" ".join(f"{byte:#x}" for byte in made.bytes_of(entry)))
        titles.append(f"line {number}: {text}")
    expected, disassembled = printed(goarch, "\n".join(wanted)), printed(goarch, "\n".join(found), "--disassemble")
    # Read, an instruction may have operands exchanged that commute, where that is shorter.
    for title, text, one, other in zip(titles, wanted, expected, disassembled, strict=False):
        if other not in {text, one} and as_in_table(other) != one:
            raise Unproved(f"{title}: Go's assembler makes {other}, not {one}")
    if not len(titles) == len(expected) == len(disassembled):
        raise Unproved(f"{code.name}: a line is not one instruction")


def check_file(text: str, goarch: str, codes: Sequence[Code]) -> int:
    """Compare the functions of a file with what Go's assembler makes of it; return the number of instructions."""
    source = read_source(text, codes[0].architecture.word_bytes)
    file = assembled(text, goarch)
    made = file.functions
    if source.functions.keys() != made.keys() or made.keys() != {code.name for code in codes}:
        raise Unproved("Go's assembler makes other functions than are proved")
    check_constants(source.constants, file.constants, codes[0].architecture)
    count = 0
    for code in codes:
        lines = check_listed(source.functions[code.name], made[code.name], goarch)
        check_made(code, lines, made[code.name])
        count += len(lines)
    return count


def proved_codes() -> dict[Path, list[Code]]:
    """Return the functions that proofs are of, by their files."""
    found: dict[Path, list[Code]] = {}
    for function in committed().values():
        found.setdefault(MODULE / "internal" / "poly1305" / function.file, []).append(function.code())
    for path, functions in go_functions_by_file():
        found.setdefault(path, []).extend(functions)
    return found


def go_functions_by_file() -> Iterator[tuple[Path, list[Code]]]:
    for path in GO_FILES:
        yield path, [function.code for function in go_functions([path])]


def check_covered(codes: dict[Path, list[Code]], module: Path = MODULE) -> int:
    """Raise Unproved unless each function in the module's assembly is proved, and declared so; return their number."""
    count = 0
    for path in sorted(path for path in module.rglob("*") if path.suffix in MACHINE_CODE):
        known = {code.name: code for code in codes.get(path, [])}
        if not known:
            lines = [line.strip() for line in path.read_text(errors="replace").split("\n")]
            kept = UNPROVED.get(str(path.relative_to(module)))
            if kept != "; ".join(line for line in lines if line and not line.startswith("//")):
                raise Unproved(f"{path.name} is not proved")
            continue
        word_bytes = next(iter(known.values())).architecture.word_bytes
        for name in read_source(path.read_text(), word_bytes).functions:
            if name not in known:
                raise Unproved(f"{path.name}: {name} is not proved")
            check_declared(path, known[name])
            count += 1
    if count != sum(map(len, codes.values())):
        raise Unproved(f"{count} functions are in {module.name}, and others are proved")
    return count + len(UNPROVED)


def check_declared(path: Path, code: Code) -> None:
    """Raise Unproved unless the package declares a function as the comment before it does."""
    found = {
        declaration
        for file in path.parent.glob("*.go")
        for declaration in re.findall(rf"^func {code.name}\((.*)\)$", file.read_text(), re.MULTILINE)
    }
    if found != {code.declaration}:
        raise Unproved(f"{path.name}: {code.name}({code.declaration}) is declared as {sorted(found)}")


def prove_files() -> Iterator[Proved]:
    """Compare all files, and count the functions; a claim is an instruction, and of the last proof a function."""
    codes = proved_codes()
    for path, of_file in codes.items():
        goarch = path.stem.rpartition("_")[2]
        title = f"{path.relative_to(MODULE)}, {len(of_file)} functions as Go's assembler makes them"
        yield proved(title, partial(check_file, path.read_text(), goarch, of_file))
    yield proved("the functions of the Go module, all of which are proved but one", partial(check_covered, codes))
