# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mistakes in what no variable can choose: lists of kernels, measured numbers, records, assembly, barriers.

kernels.def     a row left out, exchanged with the next, of another kernel, record or CPU; other lengths
tuning.h        another number
passes.toml     another period; a pass once more, left out, or another one
records         a member left out, or another of its type
cores of x86    another number in a row; a row left out
assembly        another instruction, other operands; a clobber or an early clobber left out; another number
barriers        left out
"""

import re
from collections.abc import Iterator

from mutants.changes import Mutant

# Amounts of kernels.def.
AMOUNT = re.compile(r"\d+|HORNET_NEVER")
# Instructions with the same operands.
INSTRUCTIONS = {
    "addq": "subq adcq",
    "adcq": "addq",
    "subq": "addq",
    "mulq": "imulq",
    "mulxq": "pextq",
    "leaq": "movq",
    "jb": "jbe jne",
    "jbe": "ja jb",
    "ja": "jae",
    "movups": "movaps movlps",
    "vmovups": "vmovaps",
    "pxor": "por",
    "vpxor": "vpor",
    "kxorw": "korw",
    "vmovdqa32": "vpord",
    "xorl": "orl",
}


def changed(found: re.Match[str], group: int | str, new: str, where: str) -> Mutant:
    """Return a mistake: a group of a match is another text. `where` stands for the function."""
    return Mutant(found.start(group), found.end(group), new, where)


def section(text: str, begin: str, end: str) -> tuple[int, int]:
    """Return the part of a text from one line to another."""
    start = text.index(begin)
    return start, text.index(end, start)


def kernel_rows(text: str) -> Iterator[Mutant]:
    """Change the rows of a list of kernels that x86-64 has."""
    row = re.compile(r"^(HORNET_KERNEL\w*)\(([^()\n]*)\).*\n", re.M)
    first = re.search(r"^#if HORNET_X86", text, re.M)
    assert first
    start = first.start()
    end = re.compile(r"^#el", re.M).search(text, start).start()  # type: ignore[union-attr]
    rows = list(row.finditer(text, start, end))
    for one, following in zip(rows, [*rows[1:], None], strict=True):
        macro, columns = one[1], one[2].split(", ")
        name = columns[0]

        def with_columns(new: list[str], macro: str = macro, one: re.Match[str] = one, name: str = name) -> Mutant:
            return Mutant(one.start(1), one.end(2) + 1, f"{macro}({', '.join(new)})", name)

        yield Mutant(one.start(), one.end(), "", name)
        if following:
            yield Mutant(one.start(), following.end(), following[0] + one[0], name)
        for i, column in enumerate(columns):
            if i == 0:
                others = ["scalar64" if "scalar64" in text else "vector128", "avx2", "no_such_kernel"]
            elif AMOUNT.fullmatch(column):
                others = ["0", "HORNET_NEVER", "65536", "UINT64_C(1) << 63"]
                others += [str(int(column) + 1), str(int(column) - 1)] if column.isdigit() and column != "0" else []
            elif column.startswith("CPU_"):
                others = ["CPU_ANY", "CPU_zen3", "CPU_sse2", "CPU_avx2 | CPU_zen5", "CPU_no_such_cpu"]
            else:
                others = ["no_such_tuning"]
            for other in others:
                if other != column:
                    yield with_columns([*columns[:i], other, *columns[i + 1 :]])


def measured_numbers(text: str) -> Iterator[Mutant]:
    """Change the numbers of tuning.h that the library has on x86-64."""
    number = re.compile(r"^#define ((?:HORNET|AEAD|GROUPS)_\w+)(?:\(X\))? .*", re.M)
    for line in number.finditer(text):
        if re.search(r"NEON|VX|VSX|VMS|RVV|IFMA|RADIX44", line[1]):
            continue
        for found in re.finditer(r"\b\d+\b", line[0]):
            at, value = line.start() + found.start(), int(found[0])
            for other in sorted({value + 1, value - 1, 2 * value, value // 2, 0} - {value}):
                yield Mutant(at, at + len(found[0]), str(other), line[1])


def pass_entries(text: str, kernel: str) -> Iterator[Mutant]:
    """Change the pass table of a kernel, and its costs in the same file, in each entry."""
    start, end = section(text, f"[tables.{kernel}]\n", "\n\n")
    names = sorted(set(re.findall(r"\d+ (\w+)", text[start:end])))
    for line in re.finditer(r"^(period|first|next) = (.*)", text[start:end], re.M):
        at = start + line.start(2)
        if line[1] == "period":
            for other in ("0", "1", "3", str(2 * int(line[2])), str(int(line[2]) // 2), "300"):
                if other != line[2]:
                    yield Mutant(at, at + len(line[2]), other, line[1])
        for found in re.finditer(r"(\d+) (\w+)", line[2]):
            count = int(found[1])
            for other in (count - 1, count + 1):
                yield Mutant(at + found.start(1), at + found.end(1), str(other), line[1])
            for name in [*names, "no_such_pass"]:
                if name != found[2]:
                    yield Mutant(at + found.start(2), at + found.end(2), name, line[1])


def record_members(text: str) -> Iterator[Mutant]:
    """Leave out the members of a record, or exchange functions of one type."""
    others = {
        "kernel_mac": "NULL tuned_mac",
        "kernel_absorb": "NULL",
        "kernel_lanes_begin": "NULL",
        "kernel_lanes_absorb": "NULL",
        "kernel_lanes_end": "NULL",
        "kernel_batch": "NULL",
        "LANES": "1 (LANES*2) (LANES/2)",
        "HORNET_STRING(KERNEL)": 'NULL "" "avx2"',
        "KERNEL_REQUIRED": "CPU_ANY CPU_avx512f",
    }
    start, end = section(text, "#ifdef KERNEL_REQUIRED", "#ifdef KERNEL_TUNING")
    for line in re.finditer(r"^ +(\.\w+) = (\w+),\n", text[start:end], re.M):
        yield Mutant(start + line.start(), start + line.end(), "", "record")
    for found in re.finditer(r"\.(\w+) = (HORNET_STRING\(KERNEL\)|\w+)", text[start:end]):
        for other in others.get(found[2], "").split():
            yield Mutant(start + found.start(2), start + found.end(2), other.replace("*", " * "), "record")


def core_rows(text: str) -> Iterator[Mutant]:
    """Change the numbers in the table of x86's cores, and the constants before it."""
    for found in re.finditer(r"(?:\(UINT32_C\(1\) << |XCR0_\w+ |(?:AMD|INTEL) +)(0x[0-9a-f]+|\d+)", text):
        value = int(found[1], 0)
        for other in (value + 1, value - 1, value ^ 0x20):
            yield changed(found, 1, hex(other), "constants")
    for row in re.finditer(r"^    \{(AMD|INTEL), (\w+), (.*), (X86_\w+)\},.*\n", text, re.M):
        yield Mutant(row.start(), row.end(), "", "cores")
        yield changed(row, 1, "INTEL" if row[1] == "AMD" else "AMD", "cores")
        for other in (int(row[2], 0) + 1, int(row[2], 0) - 1):
            if other >= 0:
                yield changed(row, 2, hex(other), "cores")
        for feature in re.finditer(r"E[ABCD]X_\w+", row[3]):
            yield Mutant(row.start(3) + feature.start(), row.start(3) + feature.end(), "0", "cores")
        yield changed(row, 4, "X86_ICE_LAKE" if row[4] != "X86_ICE_LAKE" else "X86_ZEN4", "cores")


def assembly(text: str) -> Iterator[Mutant]:
    """Change instructions, constraints and clobbers in the assembly of x86-64."""
    literal = r'"[^"\n]*"'
    # asm statements, and macros whose bodies are strings.
    parts = [*re.finditer(r"__asm__[^;]*;", text)]
    parts += re.finditer(r"^#define (?:ZEROS|STORE|KEPT|REGISTERS|MASKS|GENERAL)\w*(?:.*\\\n)*.*\n", text, re.M)
    for part in parts:
        where = (re.search(r"#define (\w+)", part[0]) or re.search(r"(asm)", part[0]))[1]  # type: ignore[index]
        for found in re.finditer(literal, part[0]):
            at, code = part.start() + found.start(), found[0]
            for word in re.finditer(r"\b[a-z]\w+\b", code):
                for other in INSTRUCTIONS.get(word[0], "").split():
                    yield Mutant(at + word.start(), at + word.end(), other, where)
            for pair in re.finditer(r"(%[\w%\[\]]+), (%[\w%\[\]]+)", code):
                if pair[1] != pair[2]:
                    yield Mutant(at + pair.start(), at + pair.end(), f"{pair[2]}, {pair[1]}", where)
            for number in re.finditer(r"(?<![\w%\\])-?\d+(?![\w:%])", code):
                for other in (int(number[0]) + 1, int(number[0]) - 1):
                    yield Mutant(at + number.start(), at + number.end(), str(other), where)
            if "&" in code:
                yield Mutant(at, at + len(code), code.replace("&", ""), where)
            if "+" in code and re.fullmatch(r'"[+&]*[a-z]"', code):
                yield Mutant(at, at + len(code), code.replace("+", "="), where)
        clobbers = re.search(r':\s*("(?:cc|memory|xmm\d|r\w+)"[^;:]*)\)', part[0])
        for found in re.finditer(rf",? *({literal})", clobbers[1]) if clobbers else ():
            start = part.start() + clobbers.start(1)  # type: ignore[union-attr]
            if found[1] == '"cc"':
                continue
            yield Mutant(start + found.start(1), start + found.end(1), '"cc"', where)


def barriers(text: str) -> Iterator[Mutant]:
    """Leave out value barriers."""
    for found in re.finditer(r"^ +(HORNET_(?:VALUE_BARRIER|IN_ORDER)\([^;]*\);)", text, re.M):
        yield changed(found, 1, ";", "barrier")
