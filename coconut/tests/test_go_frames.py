# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that the Go module's functions keep within their buffers and ABI0, and that files are read as Go reads them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from coconut.assembler import ParseError
from coconut.interpret import SCRATCH
from coconut.prove import go_files
from coconut.prove.chacha20 import GO_FILES, GoFunction
from coconut.prove.go import committed
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.proof import REFUSALS
from coconut.prove.stitched import prove_mac
from coconut.sources import read_source

FILES = {path.stem.removeprefix("emitted_") + path.parent.name: path for path in GO_FILES}


def text_of(title: str) -> str:
    goarch, name = title.split()
    if title in committed():
        return committed()[title].text()
    return FILES[goarch + ("stitched" if "MAC" in name or "And" in name else "chacha20")].read_text()


def prove(title: str, text: str) -> int:
    """Prove a function in another text of its file."""
    goarch, name = title.split()
    if title in committed():
        function = committed()[title]
        return function.prove(function.code(text), Ring())
    path = FILES[goarch + ("stitched" if "MAC" in name or "And" in name else "chacha20")]
    found = GoFunction.of(text, path.with_suffix(".go").read_text(), name, goarch)
    claims = found.prove_any_groups() if "groups" in found.parameters else found.prove_groups(1)
    return claims + (prove_mac(found, 1, Ring()) if found.mac else 0)


def planted(title: str, behind: str, lines: Sequence[str]) -> tuple[str, int]:
    """Return the text of a file with lines put behind the first such line of a function, and the number of the first."""
    before = text_of(title).split("\n")
    start = next(i for i, line in enumerate(before) if line.startswith(f"TEXT ·{title.split()[1]}(SB)"))
    at = next(i for i in range(start, len(before)) if before[i].partition(" //")[0].strip() == behind)
    at -= behind == "RET"
    return "\n".join([*before[: at + 1], *(f"\t{line}" for line in lines), *before[at + 1 :]]), at + 2


class Planted(NamedTuple):
    """Lines that are put behind another, the last of which is refused, and why."""

    title: str
    behind: str
    lines: str
    why: str


KEPT = "is overwritten, which a function must keep"
BEYOND = "may be read here"
ONLY_READ = "which is only read"
H_ONLY = "beyond the bytes from 32 to 56 that may be written"
COUNTER_ONLY = "beyond the bytes from 48 to 52 that may be written"
NOTHING = "nothing is at"

PLANTED = (
    # Poly1305 in general registers: beyond the message in front, in and behind the loop, before it, and behind `last`.
    Planted("amd64 scalarBlocks", "MOVQ blocks+16(FP), CX", "MOVQ 16(SI), R8", BEYOND),
    Planted("amd64 scalarBlocks", "loop:", "MOVQ 1048576(SI), R14", BEYOND),
    Planted("amd64 scalarBlocks", "loop:", "MOVQ 16(SI), R14", BEYOND),
    Planted("amd64 scalarBlocks", "loop:", "MOVQ 9(SI), R14", BEYOND),
    Planted("amd64 scalarBlocks", "loop:", "ADDQ $-8, SI; MOVQ 0(SI), R14", BEYOND),
    Planted("amd64 scalarBlocks", "rest:", "MOVQ 0(SI), R14", BEYOND),
    Planted("amd64 scalarBlocks", "JZ done", "MOVQ 16(SI), R14", BEYOND),
    Planted("amd64 scalarEnd", "loop1:", "MOVQ 16(SI), R14", BEYOND),
    Planted("amd64 scalarEnd", "MOVQ blocks+16(FP), CX", "MOVQ 0(SI), R14", BEYOND),
    Planted("arm64 scalarBlocks", "loop:", "MOVD 16(R1), R15", BEYOND),
    Planted("arm64 scalarBlocks", "loop:", "MOVD 32760(R1), R15", BEYOND),
    Planted("arm64 scalarBlocks", "CBZ R1, done", "MOVD 16(R1), R15", BEYOND),
    Planted("s390x scalarBlocks", "loop:", "ADD $-8, R3; MOVDBR 0(R3), R11", BEYOND),
    Planted("s390x scalarBlocks", "loop:", "MOVDBR 16(R3), R11", BEYOND),
    Planted("riscv64 scalarBlocks", "loop:", "MOV 16(X11), X5", BEYOND),
    Planted("riscv64 scalarBlocks", "BEQZ X11, done", "MOV 16(X11), X5", BEYOND),
    # r, s, what is behind the state, the message.
    *(
        Planted(title, "RET", store.format(offset), H_ONLY)
        for title, store in (
            ("amd64 scalarBlocks", "MOVQ R11, {}(DI)"),
            ("amd64 scalarEnd", "MOVQ R11, {}(DI)"),
            ("arm64 scalarBlocks", "MOVD R5, {}(R0)"),
            ("s390x scalarBlocks", "MOVD R5, {}(R2)"),
            ("riscv64 scalarBlocks", "MOV X5, {}(X10)"),
        )
        for offset in (0, 24, 25, 50, 56)
    ),
    Planted("amd64 scalarBlocks", "loop:", "MOVQ R8, 0(SI)", ONLY_READ),
    Planted("arm64 scalarBlocks", "loop:", "MOVD R4, 0(R1)", ONLY_READ),
    Planted("s390x scalarBlocks", "loop:", "MOVD R5, 0(R3)", ONLY_READ),
    Planted("riscv64 scalarBlocks", "loop:", "MOV X5, 0(X11)", ONLY_READ),
    # Lanes: the message, the state that is only read, sums, constants, powers, what is aligned.
    Planted("amd64 avx2By2", "loopavx2By2Step1:", "VMOVDQU 1048576(CX), Y5", BEYOND),
    Planted("amd64 avx2By2", "loopavx2By2Step1:", "VMOVDQU 40(CX), Y5", BEYOND),
    Planted("amd64 avx2By2", "MOVQ message+16(FP), CX", "VMOVDQU 128(CX), Y5", BEYOND),
    Planted("amd64 avx2By2", "MOVQ in+8(FP), SI", "VMOVDQU Y0, 0(SI)", ONLY_READ),
    Planted("amd64 avx2By2", "MOVQ in+8(FP), SI", "VMOVDQU 32(SI), Y0", NOTHING),
    Planted("amd64 avx2By2", "MOVQ $·avx2By2Begin2Constants<>(SB), DX", "VMOVDQU Y0, 0(DX)", ONLY_READ),
    Planted("amd64 avx2By2", "MOVQ out+0(FP), DI", "VMOVDQU Y0, 112(DI)", "beyond the bytes from 0 to 136"),
    Planted("amd64 avx2By2", "ANDQ $-32, BX", "VMOVDQU Y0, 0(SP)", "SP is used as a pointer"),
    Planted("amd64 avx2By2", "ANDQ $-32, BX", "VMOVDQU Y0, 1184(BX)", "that may be written"),
    Planted("amd64 avx2By2", "MOVQ message+16(FP), CX", "ANDQ $-32, CX", "and points to message"),
    Planted("s390x vmslBy1", "loopvmslBy1:", "VL 64(R4), V31", BEYOND),
    Planted("s390x vmslBy1", "loopvmslBy1:", "VST V31, 0(R3)", ONLY_READ),
    Planted("s390x vmslBy1", "RET", "VST V31, 48(R2)", "beyond the bytes from 0 to 48"),
    Planted("s390x vmslBy1", "loopvmslBy1:", "VST V31, 0(R4)", ONLY_READ),
    # ChaCha20: message and state of each group, their writes, and the output.
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU 512(SI), Y0", NOTHING),
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU 500(SI), Y0", NOTHING),
    Planted("amd64 xor8AVX2", "group:", "ADDQ $-32, SI; VMOVDQU 0(SI), Y0", NOTHING),
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU Y0, 0(SI)", ONLY_READ),
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU Y0, 0(DX)", COUNTER_ONLY),
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU Y0, 512(DI)", "not one of its elements|that may be written"),
    Planted("amd64 xor8AVX2", "group:", "VMOVDQU Y0, 64(SP)", "that may be written"),
    Planted("amd64 stream2AVX2", "RET", "VMOVDQU Y0, 128(DI)", "not one of its elements|that may be written"),
    Planted("arm64 xor4", "group:", "FMOVQ 256(R1), F31", NOTHING),
    Planted("arm64 xor4", "group:", "ADD $-16, R1, R1; FMOVQ 0(R1), F31", NOTHING),
    Planted("arm64 xor4", "group:", "FMOVQ F31, 0(R1)", ONLY_READ),
    Planted("arm64 xor4", "group:", "FMOVQ F31, 16(R2)", COUNTER_ONLY),
    Planted("s390x xor4", "group:", "VL 256(R3), V31", NOTHING),
    Planted("s390x xor4", "group:", "VST V31, 0(R3)", ONLY_READ),
    Planted("s390x xor4", "group:", "VST V31, 16(R4)", COUNTER_ONLY),
    Planted("riscv64 xor1", "group:", "MOVW 64(X11), X5", NOTHING),
    Planted("riscv64 xor1", "group:", "MOVW X5, 0(X11)", ONLY_READ),
    Planted("riscv64 xor1", "group:", "MOVW X5, 16(X12)", COUNTER_ONLY),
    # Stitched: Poly1305's message and state beside ChaCha20's.
    Planted("amd64 xor8MAC4AVX2", "beside:", "MOVQ 64(SI), R13", NOTHING),
    Planted("amd64 xor8MAC4AVX2", "beside:", "MOVQ R13, 0(DI)", H_ONLY),
    Planted("amd64 xor8MAC4AVX2", "beside:", "MOVQ R13, 0(SI)", ONLY_READ),
    Planted("amd64 xor8MAC4AVX2", "beside:", "MOVL $0, 32(DI)", "not one of its elements of 8 bytes"),
    Planted("amd64 xor8And2AVX2", "ANDQ $-64, BP", "VMOVDQU Y0, 192(BP)", "that may be written"),
)


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: f"{case.title}: {case.lines}")
def test_buffers(case: Planted) -> None:
    lines = case.lines.split("; ")
    text, number = planted(case.title, case.behind, lines)
    with pytest.raises(REFUSALS) as refused:
        prove(case.title, text)
    last = f"line {number + len(lines) - 1}: {lines[-1]}: "
    assert last in str(refused.value) and re.search(case.why, str(refused.value))


# Registers that each function keeps, and how to overwrite one.
REGISTERS = {
    "amd64": ("BP", "SP"),
    "arm64": ("R18", "R27", "R28", "R29", "R30", "R31", "RSP", "g"),
    "s390x": ("R13", "R14", "R15", "g"),
    "riscv64": ("X1", "X2", "X3", "X4", "X27", "X31", "g"),
}
MOVES = {"amd64": "MOVQ $0, {}", "arm64": "MOVD $0, {}", "s390x": "MOVD $0, {}", "riscv64": "MOV $0, {}"}
FUNCTIONS = (
    *("amd64 scalarBlocks", "arm64 scalarBlocks", "s390x scalarBlocks", "riscv64 scalarBlocks", "s390x vmslBy1"),
    *("amd64 stream2AVX2", "arm64 stream1", "s390x stream1", "riscv64 stream1"),
)


@pytest.mark.parametrize("title", FUNCTIONS)
def test_kept_registers(title: str) -> None:
    """Each register that ABI0 keeps is kept, and each number of a register is either kept or scratch."""
    goarch = title.split()[0]
    assert not SCRATCH[goarch] & set(REGISTERS[goarch])
    for register in REGISTERS[goarch]:
        move = MOVES[goarch].format(register)
        text, number = planted(title, "RET", [move])
        with pytest.raises(REFUSALS, match=re.escape(f"line {number}: {move}") + f".*{register} {KEPT}"):
            prove(title, text)


def test_frame_pointer() -> None:
    """BP may be overwritten in a function with a frame, which saves it, and SP not."""
    for move, is_refused in (("MOVQ $0, BP", False), ("MOVQ $0, SP", True)):
        text, _ = planted("amd64 stream2MAC4AVX2", "RET", [move])
        if is_refused:
            with pytest.raises(REFUSALS, match=f"SP {KEPT}"):
                prove("amd64 stream2MAC4AVX2", text)
        else:
            assert prove("amd64 stream2MAC4AVX2", text)


def test_one_register_holds_one_number() -> None:
    """What a control writes to is no longer the number that an instruction has put there."""
    for title, line in (
        ("amd64 scalarBlocks", "MOVQ $0, R8"),
        ("amd64 scalarBlocks", "MOVQ blocks+16(FP), R9"),
        ("arm64 scalarBlocks", "MOVD $0, R4"),
        ("riscv64 scalarBlocks", "MOV $0, X5"),
    ):
        text, _ = planted(title, "rest:", [line])
        with pytest.raises(REFUSALS, match="holds a pointer|is in no register|nothing is in"):
            prove(title, text)
    text, _ = planted("s390x scalarBlocks", "loop:", ["MOVD $0, R10"])
    with pytest.raises(REFUSALS):
        prove("s390x scalarBlocks", text.replace("\tMLGR R0, R10", "\tMLGR R0, R10\n\tMOVD $0, R10", 1))


def test_sums_are_not_read() -> None:
    """What is in `out` before a call can be anything: with all ones, a conjunction would change nothing."""
    text = text_of("amd64 avx2By2")
    store = "\tVMOVQ X1, 0(DI) // sum[0]\n"
    assert store in text[: text.index("TEXT ·avx2By8")]
    with pytest.raises(REFUSALS):
        prove("amd64 avx2By2", text.replace(store, f"\tVPAND 0(DI), Y1, Y1\n{store}", 1))


CARRIES = {
    "amd64 scalarBlocks": ("ADCQ", "ADDQ"),
    "amd64 scalarEnd": ("ADCQ", "ADDQ"),
    "arm64 scalarBlocks": ("ADCS", "ADDS"),
    "s390x scalarBlocks": ("ADDE", "ADDC"),
}


@pytest.mark.parametrize("title", CARRIES)
def test_lost_carries(title: str) -> None:
    """Each carry that is lost, one at a time, is refused."""
    old, new = CARRIES[title]
    text = text_of(title)
    start = text.index(f"TEXT ·{title.split()[1]}(SB)")
    places = [start + found.start() for found in re.finditer(rf"\t{old} ", text[start : text.index("\tRET", start)])]
    assert len(places) > 3
    for at in places[:: max(1, len(places) // 8)]:
        with pytest.raises(REFUSALS):
            prove(title, text[:at] + text[at:].replace(f"\t{old} ", f"\t{new} ", 1))


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


INCLUDE = '#include "textflag.h"\n'
LOOP = "loop:\n"
# What Go's assembler reads otherwise than it stands, by why it is refused.
SOURCES: dict[str, tuple[Callable[[str], str], str]] = {
    "macro": (replaced(INCLUDE, INCLUDE + "#define ADCQ ADDQ\n"), "a directive of the preprocessor"),
    "macro in a function": (replaced(LOOP, "#define ADCQ ADDQ\n" + LOOP), "a directive of the preprocessor"),
    "indented macro": (replaced(LOOP, "\t#define ADCQ ADDQ\n" + LOOP), "a directive of the preprocessor"),
    "spaced macro": (replaced(INCLUDE, INCLUDE + "# define ADCQ ADDQ\n"), "a directive of the preprocessor"),
    "condition": (replaced("TEXT", "#ifdef NEVER\nTEXT"), "a directive of the preprocessor"),
    "other include": (replaced(INCLUDE, INCLUDE + '#include "go_asm.h"\n'), "a directive of the preprocessor"),
    "two includes": (replaced(INCLUDE, INCLUDE + INCLUDE), "a directive of the preprocessor"),
    "no include": (replaced(INCLUDE, ""), "no textflag.h is included"),
    "two statements": (replaced("\tADDQ $16, SI\n", "\tADDQ $16, SI; MOVQ $0, BP\n"), "of another form"),
    "comment in a line": (replaced("\tADDQ $16, SI\n", "\tADDQ $16, /* 8 */ SI\n"), "of another form"),
    "comment over lines": (replaced(LOOP, "/*\n*/\n" + LOOP), "of another form"),
    "comment over functions": (replaced("TEXT", "/*\nTEXT"), "is not understood"),
    "line separator": (replaced("// t[1]", "// t[1]\u2028\tADDQ R8, R9"), "is not understood"),
    "carriage return": (replaced("\tADDQ $16, SI\n", "\tADDQ $16, SI\r\n"), "of another form"),
    "other digits": (replaced("ADDQ $16, SI", "ADDQ $1\u0666, SI"), "of another form"),
    "label twice": (replaced(LOOP, LOOP + LOOP), "loop: is there twice"),
    "label before a line": (replaced("loop:\n\t", "loop: "), "of another form"),
    "instruction behind the end": (replaced("\tRET\n", "\tRET\n\tMOVQ $0, R8\n"), "is not understood"),
    "no end": (lambda text: text.rpartition("\tRET\n")[0], "does not end with RET"),
    "function twice": (lambda text: text + text[text.index("// func scalarBlocks") :], "scalarBlocks is there twice"),
    "no declaration": (replaced("// func scalarBlocks", "// scalarBlocks"), "no declaration"),
    "flags": (replaced("NOSPLIT", "NOSPLIT|NOFRAME"), "is not understood"),
    "arguments": (replaced("$0-32", "$0-40"), "has arguments of 40 bytes"),
    "type of an argument": (
        replaced("blocks uint64, last", "blocks uint32, last"),
        "parameters that are not understood",
    ),
    "argument elsewhere": (replaced("blocks+16(FP)", "blocks+24(FP)"), "blocks is not at 24"),
    "odd frame": (replaced("$0-32", "$12-32"), "a frame of 12 bytes"),
    "constraint": (replaced("&& gc && !purego", "&& !gc"), "is not understood"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name: str) -> None:
    change, why = SOURCES[name]
    with pytest.raises(ParseError, match=why) as refused:
        read_source(change(text_of("amd64 scalarBlocks")))
    assert re.match(r"line \d+: ", str(refused.value)) or why.startswith(("no textflag", "parameters"))


# The first constant of stream1 on s390x, and the end of its symbol.
CONSTANTS: dict[str, tuple[Callable[[str], str], str]] = {
    "width": (replaced("Constants<>+4(SB)/4", "Constants<>+4(SB)/8"), "no number of 4 bytes"),
    "narrow": (replaced("$0x00000001", "$0x100000001"), "no number of 4 bytes"),
    "overlap": (replaced("Constants<>+4(SB)/4", "Constants<>+0(SB)/4"), "not behind what is there"),
    "gap": (replaced("Constants<>+4(SB)/4", "Constants<>+8(SB)/4"), "not behind what is there"),
    "size": (replaced("RODATA|NOPTR, $48", "RODATA|NOPTR, $64"), "not the size of what is there"),
    "writable": (replaced("RODATA|NOPTR, $48", "NOPTR, $48"), "is not understood"),
    "no symbol": (replaced("GLOBL ·xor4Constants<>(SB), RODATA|NOPTR, $48\n", ""), "constants have no GLOBL"),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name: str) -> None:
    change, why = CONSTANTS[name]
    with pytest.raises(ParseError, match=why):
        read_source(change(text_of("s390x xor4")), 4)


def test_link_register() -> None:
    """A function with a frame, in which the link register is on these architectures, is not understood."""
    text = text_of("arm64 scalarBlocks").replace("$0-32", "$16-32", 1)
    with pytest.raises(ParseError, match=r"line \d+: a frame"):
        prove("arm64 scalarBlocks", text)


# What Go's assembler could make of a line, other than what is read here.
MADE = {
    "macro": ("\tADCQ 8(SI), R15", "\tADDQ 8(SI), R15", "Go's assembler reads ADDQ"),
    "offset": ("\tADCQ 8(SI), R15", "\tADCQ 16(SI), R15", r"Go's assembler reads ADCQ 16\(SI\)"),
    "number": ("\tADCQ $1, BX", "\tADCQ $2, BX", r"Go's assembler reads ADCQ \$2"),
    "jump": ("\tJNZ loop", "\tJNZ rest", "jumps elsewhere"),
    "argument": ("blocks+16(FP)", "blocks+24(FP)", "at several distances"),
    "more": ("\tJNZ loop", "\tNOP\n\tJNZ loop", "Go's assembler reads"),
    "nothing": ("\tADCQ $1, BX", "", "Go's assembler reads nothing"),
}


@pytest.mark.parametrize("name", MADE)
def test_other_lines(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another instruction of Go's assembler, at a line or beside it, is refused."""
    old, new, why = MADE[name]
    functions = [committed()["amd64 scalarBlocks"], committed()["amd64 scalarEnd"]]
    text, codes = functions[0].text(), [function.code() for function in functions]
    changed = text.replace(old, new, 1)
    assert changed != text
    assembled = go_files.assembled
    monkeypatch.setattr(go_files, "assembled", lambda _, goarch: assembled(changed, goarch))
    with pytest.raises(Unproved, match=why):
        go_files.check_file(text, "amd64", codes)


@pytest.mark.parametrize(
    ("title", "line", "gnu"),
    [
        ("amd64 scalarBlocks", "adc_memory", "addq {m}, {0}"),
        ("arm64 scalarBlocks", "adds", "add {d}, {0}, {1}"),
        ("riscv64 scalarBlocks", "less", "sltu {d}, {1}, {0}"),
        ("s390x scalarBlocks", "low2", "risbg {d}, {0}, 61, 191, 0"),
    ],
)
def test_other_templates(title: str, line: str, gnu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template for Go's assembler that is not what GNU's assembler makes of the same instruction is refused."""
    function = committed()[title]
    codes = [one.code() for one in committed().values() if one.file == function.file]
    assert go_files.check_file(function.text(), function.architecture.goarch, codes) > 100
    for code in codes:
        for one in code.lines:
            if one.read is not None and one.read.instruction.name == line:
                monkeypatch.setattr(go_files, "gnu_text", other_text(go_files.gnu_text, line, gnu))
    with pytest.raises(Unproved, match="Go's assembler makes"):
        go_files.check_file(function.text(), function.architecture.goarch, codes)


def other_text(original: Callable[..., str], name: str, gnu: str) -> Callable[..., str]:
    def text(read: go_files.Read, known: go_files.Architecture) -> str:
        if read.instruction.name == name:
            read = replace(read, instruction=replace(read.instruction, gnu=gnu))
        return original(read, known)

    return text


def test_uncovered(tmp_path: Path) -> None:
    """A function that is not proved, is declared otherwise, or was changed where nothing proves it, is an error."""
    codes = go_files.proved_codes()
    assert go_files.check_covered(codes) == 70
    with pytest.raises(Unproved, match="family_amd64.s is not proved"):
        module = tmp_path / "go" / "internal" / "family"
        module.mkdir(parents=True)
        text = (go_files.MODULE / "internal" / "family" / "family_amd64.s").read_text()
        (module / "family_amd64.s").write_text(text.replace("CPUID", "CPUID\n\tMOVQ $0, R14"))
        go_files.check_covered({}, tmp_path / "go")
    # As Go reads it, and as a pattern of lines would not.
    (module / "family_amd64.s").write_text(text)
    (module / "more_amd64.s").write_text("#define T TEXT\n\tT ·more(SB), 4, $0\n\tRET\n")
    with pytest.raises(Unproved, match="more_amd64.s is not proved"):
        go_files.check_covered({}, tmp_path / "go")
    path, functions = next(iter(codes.items()))
    with pytest.raises(Unproved, match=f"{functions[0].name} is not proved"):
        go_files.check_covered({**codes, path: functions[1:]})
    with pytest.raises(Unproved, match="others are proved"):
        go_files.check_covered({**codes, path: [*functions, functions[0]]})
    with pytest.raises(Unproved, match="is declared as"):
        other = functions[0].declaration.replace("message", "text")
        go_files.check_declared(path, replace(functions[0], declaration=other))
