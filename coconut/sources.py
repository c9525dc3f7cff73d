# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read a file of Go's assembly: its functions, and the constants that it declares.

Go's assembler has a preprocessor, comments in two forms, several statements a line, and characters of its own. Whatever
it could read otherwise than it stands here is refused, with the number of the line: all directives but one #include, and
all lines that are not of a form below. prove/go_files.py compares what is left with what Go's assembler makes of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from coconut.assembler import ParseError

INCLUDE = '#include "textflag.h"'
BUILD = re.compile(r"//go:build \w+ && gc && !purego")
COMMENT = re.compile(r"//(?!go:)[ -.0-~]*(/[ -.0-~]+)*")
DECLARATION = re.compile(r"// func (\w+)\((.*)\)")
TEXT = re.compile(r"TEXT ·(\w+)\(SB\), (NOSPLIT|0), \$(\d+)-(\d+)")
LABEL = re.compile(r"([A-Za-z]\w*):")
# Everything that an operand consists of; a comment has the names of values.
INSTRUCTION = re.compile(r"\t([A-Z][A-Z0-9.]*(?: [A-Za-z0-9_$()<>\[\]·+*.,-]+(?: [A-Za-z0-9_$()<>\[\]·+*.,-]+)*)?)")
DATA = re.compile(r"DATA ·(\w+)<>\+(\d+)\(SB\)/(\d), \$(0x[0-9a-f]+)")
GLOBL = re.compile(r"GLOBL ·(\w+)<>\(SB\), RODATA\|NOPTR, \$(\d+)")
PARAMETERS = re.compile(r"(\w+(?:, \w+)*) (?:\*(?:\[\d+\])?\w+|uint64)")
ARGUMENT = re.compile(r"(\w+)\+(\d+)\(FP\)")
ARGUMENT_BYTES = 8


@dataclass
class Source:
    """A function as its file has it: numbers and texts of its lines, and what TEXT and the comment before it say."""

    name: str
    number: int
    frame_bytes: int
    argument_bytes: int
    declaration: str
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def parameters(self) -> tuple[str, ...]:
        return parameters_in(self.declaration)

    def check(self) -> None:
        """Raise ParseError unless arguments are where Go has them, and each label is there once."""
        parameters = self.parameters
        if self.argument_bytes != ARGUMENT_BYTES * len(parameters):
            raise ParseError(f"line {self.number}: {self.name} has arguments of {self.argument_bytes} bytes")
        if self.frame_bytes % ARGUMENT_BYTES:
            raise ParseError(f"line {self.number}: a frame of {self.frame_bytes} bytes")
        labels = set()
        for number, line in self.lines:
            check_arguments(number, line, parameters)
            if line.endswith(":") and line in labels:
                raise ParseError(f"line {number}: {line} is there twice")
            labels.add(line)


@dataclass
class File:
    """The functions of a file, and its constants by symbol and offset."""

    functions: dict[str, Source]
    constants: dict[tuple[str, int], int]


def parameters_in(declaration: str) -> tuple[str, ...]:
    """Return the names of parameters, each of which is a pointer or a word."""
    found: list[str] = []
    rest = declaration
    while rest:
        part = PARAMETERS.match(rest)
        if part is None or not re.match(r", \w|$", rest[part.end() :]):
            raise ParseError(f"parameters that are not understood: {declaration}")
        found += part[1].split(", ")
        rest = rest[part.end() :].removeprefix(", ")
    return tuple(found)


def check_arguments(number: int, line: str, parameters: Sequence[str]) -> None:
    """Raise ParseError unless a line takes arguments, of 8 bytes each, from where they are."""
    for parameter, offset in ARGUMENT.findall(line):
        if parameter not in parameters or int(offset) != ARGUMENT_BYTES * parameters.index(parameter):
            raise ParseError(f"line {number}: {parameter} is not at {offset}")


@dataclass
class Reader:
    """What was read of a file so far. Constants have elements of `word_bytes`, one after another, which GLOBL counts."""

    word_bytes: int
    functions: dict[str, Source] = field(default_factory=dict)
    constants: dict[tuple[str, int], int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    includes: int = 0
    declared: tuple[str, str] = ("", "")
    inside: Source | None = None

    def read(self, number: int, line: str) -> None:
        """Read a line; raise ParseError if Go's assembler might read it otherwise."""
        code, slashes, comment = line.partition(" //")
        if not slashes and COMMENT.fullmatch(line) or line == "":
            if (declared := DECLARATION.fullmatch(line)) is not None:
                self.declared = declared[1], declared[2]
            return
        if slashes and (self.inside is None or not COMMENT.fullmatch("//" + comment)):
            raise ParseError(f"line {number}: {line}: a comment that is not understood")
        if self.inside is not None:
            self.read_inside(number, code, self.inside)
        elif (heading := TEXT.fullmatch(line)) is not None:
            self.begin(number, heading)
        elif (entry := DATA.fullmatch(line)) is not None:
            self.place(number, entry)
        elif (entry := GLOBL.fullmatch(line)) is not None:
            self.end(number, entry)
        elif line == INCLUDE and not self.includes and not self.functions:
            self.includes += 1
        elif BUILD.fullmatch(line) is None or self.includes:
            what = "a directive of the preprocessor" if line.startswith("#") else "a line that is not understood"
            raise ParseError(f"line {number}: {line}: {what}")

    def read_inside(self, number: int, line: str, function: Source) -> None:
        text = LABEL.fullmatch(line) or INSTRUCTION.fullmatch(line)
        if text is None:
            what = "a directive of the preprocessor" if line.lstrip().startswith("#") else "a line of another form"
            raise ParseError(f"line {number}: {line.strip()}: {what}")
        function.lines.append((number, line.strip()))
        if line.strip() == "RET":
            function.check()
            self.inside = None

    def begin(self, number: int, heading: re.Match[str]) -> None:
        name = heading[1]
        if name in self.functions:
            raise ParseError(f"line {number}: {name} is there twice")
        if self.declared[0] != name:
            raise ParseError(f"line {number}: no declaration is before {name}")
        self.inside = Source(name, number, int(heading[3]), int(heading[4]), self.declared[1])
        self.functions[name] = self.inside

    def place(self, number: int, entry: re.Match[str]) -> None:
        name, offset, size, value = entry[1], int(entry[2]), int(entry[3]), int(entry[4], 0)
        if name in self.ended or offset != self.sizes.get(name, 0):
            raise ParseError(f"line {number}: {entry[0]}: not behind what is there")
        if size != self.word_bytes or value >> 8 * size:
            raise ParseError(f"line {number}: {entry[0]}: no number of {self.word_bytes} bytes")
        self.sizes[name] = offset + size
        self.constants[name, offset] = value

    def end(self, number: int, entry: re.Match[str]) -> None:
        name = entry[1]
        if name in self.ended or self.sizes.get(name) != int(entry[2]):
            raise ParseError(f"line {number}: {entry[0]}: not the size of what is there")
        self.ended.add(name)

    def file(self) -> File:
        if self.inside is not None:
            raise ParseError(f"line {self.inside.number}: {self.inside.name} does not end with RET")
        if not self.includes or self.ended != self.sizes.keys():
            raise ParseError("no textflag.h is included, or constants have no GLOBL")
        return File(self.functions, self.constants)


def read_source(text: str, word_bytes: int = 0) -> File:
    """Return what a file has, whose constants are of `word_bytes`; by default there are none."""
    reader = Reader(word_bytes)
    # Only these end a line for Go.
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    return reader.file()
