# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that instructions are compared with CPUs: errors planted in their semantics are found, and what was not compared
is not run."""

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coconut.architectures import amd64_compiled
from coconut.architectures.amd64 import quarters
from coconut.architectures.scalar_arm64 import ARM64
from coconut.instructions import Instruction
from coconut.lift import amd64, compare, cpus, objects
from coconut.lift.amd64 import Amd64, Amd64Flags
from coconut.lift.arm64 import Arm64, Arm64Flags
from coconut.lift.compare import STATES, Comparison, Verdict, comparable
from coconut.lift.cpus import vector_bits
from coconut.lift.forms import code_of, form_of, forms_of
from coconut.lift.machine import MASKS, Flags, Machine
from coconut.lift.objects import AARCH64, X86_64, Line, Linked, Target, compiled, read_line
from coconut.lift.operands import Operand
from coconut.native import prefix_of
from coconut.prove.evaluation import Inputs
from coconut.prove.mutations_objects import changed_line
from coconut.prove.objects import Function
from coconut.prove.polynomials import Number, Unproved
from coconut.tests.conftest import Command
from coconut.tests.test_prove_objects import RECORD, check_refused, program

MACHINES: dict[str, type[Machine]] = {"x86_64": Amd64, "aarch64": Arm64}
wide = pytest.mark.skipif(vector_bits() < 512, reason="this CPU has no AVX-512")


def assembled(folder: Path, texts: list[str], target: Target = X86_64) -> Linked:
    """Return a program of instructions."""
    source, linked = folder / "forms.s", folder / "linked"
    source.write_text("\n".join(["forms:", *texts, ""]))
    options = ["-march=armv8.2-a"] if target == AARCH64 else []
    subprocess.run([target.tool("as"), *options, "-o", folder / "forms.o", source], check=True)
    subprocess.run([target.tool("ld"), "-e", "0", "-Ttext=0x400000", "-o", linked, folder / "forms.o"], check=True)
    return Linked(linked, "", target)


def compared(
    folder: Path, texts: list[str], target: Target = X86_64, states: int = STATES, of_words: bool = True
) -> dict[str, Verdict]:
    """Compare instructions, and return the verdicts by the texts as objdump writes them."""
    if target == AARCH64 and prefix_of(ARM64) is None:
        pytest.skip("nothing here runs programs of 64-bit Arm")
    linked = assembled(folder, texts, target)
    comparison = Comparison(target, MACHINES[target.architecture], states, of_words)
    lines = forms_of(linked, linked.read.values())
    comparison.compare(linked, lines)
    return {line.text: comparison.verdicts[form] for form, found in lines.items() for line in found}


GENERAL = {64: ("%rbx", "%rsi"), 32: ("%ebx", "%esi"), 16: ("%bx", "%si"), 8: ("%bl", "%sil")}
SUFFIX = {64: "q", 32: "l", 16: "w", 8: "b"}
CONDITIONS = ("b", "ae", "e", "ne", "a", "be", "l", "ge", "g", "le", "s", "ns", "o", "no", "p", "np")


def general_programs() -> Iterator[str]:
    """Yield instructions on general registers, at all widths, and all conditions."""
    for width, (a, b) in GENERAL.items():
        suffix = SUFFIX[width]
        for name in ("add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "mov"):
            yield from (
                f"{name}{suffix} {operands}" for operands in (f"{b}, {a}", f"{b}, 8(%rdi)", f"$-1, {a}", f"$0x7f, {a}")
            )
        for name in ("add", "adc", "sub", "sbb", "cmp", "and", "or", "xor"):
            yield from (f"{name}{suffix} {operands}" for operands in (f"(%rdi,%r9,4), {a}", f"{a}, {a}"))
        for name in ("inc", "dec", "neg", "not", "mul", "imul", "div", "idiv"):
            yield from (f"{name}{suffix} {operand}" for operand in (b, "(%rdi)"))
        for name in ("shl", "shr", "sar", "rol", "ror", "rcl"):
            yield from (f"{name}{suffix} {count}, {a}" for count in ("%cl", "$1", "$3", f"${width - 1}"))
        if width == 8:
            continue
        yield from (f"imul{suffix} {operands}" for operands in (f"{b}, {a}", f"$-3, {b}, {a}", f"(%rdi), {a}"))
        for name in ("shld", "shrd"):
            yield from (f"{name}{suffix} {count}, {b}, {a}" for count in ("%cl", "$1", "$5"))
        for name in ("bt", "bts", "btr", "btc"):
            yield from (f"{name}{suffix} {bit}, {to}" for bit in ("$3", b) for to in (a, "(%rdi)"))
        yield from (f"cmov{condition} {b}, {a}" for condition in CONDITIONS)
    yield from (f"set{condition} %r8b" for condition in CONDITIONS)
    yield from (f"j{condition} . + 64" for condition in CONDITIONS)
    for second in ("%ah", "%bh", "%ch", "%dh"):
        yield from (f"movzbl {second}, %ecx", f"mov %bl, {second}", f"or $1, {second}", f"and {second}, %al")
        yield from (f"add %dl, {second}", f"mov {second}, (%rdi)", f"mov (%rdi), {second}", f"shr $3, {second}")
    yield from (
        "mulx %rsi, %rbx, %r8",
        "mulx %esi, %ebx, %r8d",
        "mulx %rsi, %rbx, %rbx",
        "cqto",
        "cltq",
        "cltd",
        "cwtl",
    )
    yield from (f"mov{kind} %sil, %ebx" for kind in ("zbl", "sbl"))
    yield from ("movzbw %sil, %bx", "movsbw %sil, %bx", "movslq %esi, %rbx", "movswq %si, %rbx", "movzwl (%rdi), %ebx")
    yield from ("lea 8(%rbx,%rsi,4), %rbx", "lea 8(%rbx,%rsi,4), %ebx", "lea (%ebx,%esi,2), %rbx", "lea 8(%rsi), %bx")
    yield from ("push %rsi", "push $-5", "push (%rdi)", "pop %rbx", "pop (%rdi)", "push %bx", "pop %bx", "leave")
    yield from ("xchg %ax, %ax", "xchg %eax, %eax", "xchg %rbx, %rbx", "xchg %ecx, %ecx", "nopw (%rax)", "endbr64")
    yield from ("jmp . + 64", "jmp *%rax", "jmp *(%rdi)", "call . + 64", "call *%rax", "call *8(%rdi)", "ret", "ret $8")
    yield from (
        "tzcnt %rsi, %rbx",
        "bsf %rsi, %rbx",
        "popcnt %rbx, %rbx",
        "andn %rsi, %rbx, %rcx",
        "cpuid",
        "rep stosq",
        "cld",
    )
    yield from ("lock addq $1, (%rdi)", "movabs $0x123456789abcdef, %rbx", "mov %fs:0x28, %rax", "adcx %rsi, %rbx")


WIDTHS = {"x": 128, "y": 256, "z": 512}


def vector_programs() -> Iterator[str]:
    """Yield instructions on vectors of all widths, with masks, broadcasts and memory."""
    for letter, width in WIDTHS.items():
        a, b, to = (f"%{letter}mm{i}" for i in (1, 2, 0))
        names = [f"vp{name}" for name in "addq subq muludq unpcklqdq unpckhqdq madd52luq madd52huq".split()]
        names += [f"vp{name}{kind}" for name in ("and", "or", "xor", "andn") for kind in "dq"]
        for name in names:
            each = 32 if name[-1] == "d" else 64
            yield from (f"{name} {a}, {b}, {to}{mask}" for mask in ("", "{%k1}", "{%k1}{z}"))
            yield from (f"{name} {source}, {b}, {to}" for source in ("(%rdi)", f"(%rdi){{1to{width // each}}}"))
            yield f"{name} (%rdi){{1to{width // each}}}, {b}, {to}{{%k2}}"
        for name in ("vpblendmq", "vpblendmd"):
            yield from (
                f"{name} {source}, {b}, {to}{mask}" for source in (a, "(%rdi)") for mask in ("", "{%k1}", "{%k1}{z}")
            )
        yield from (
            f"vpternlog{kind} ${imm}, {a}, {b}, {to}{mask}"
            for imm in (0x96, 0xCA, 0x1B)
            for kind in "dq"
            for mask in ("", "{%k1}")
        )
        for name in ("vpsllq", "vpsrlq", "vpslld"):
            yield from (
                f"{name} ${count}, {a}, {to}{mask}" for count in (0, 1, 44, 63, 64, 100) for mask in ("", "{%k1}")
            )
            yield f"{name} %xmm4, {a}, {to}"
        yield from (f"vpshufd ${imm}, {a}, {to}" for imm in (0, 0xB1, 0x4E, 0xD8))
        yield from (
            f"vpsh{side}dq ${imm}, {a}, {b}, {to}{mask}" for side in "lr" for imm in (1, 18) for mask in ("", "{%k1}")
        )
        yield from (f"valignq ${imm}, {a}, {b}, {to}" for imm in (0, 1, 3, 7))
        yield from (f"vshufpd ${imm}, {a}, {b}, {to}" for imm in (0, 5, 0xAA))
        for name in ("vmovdqu64", "vmovdqu32", "vmovdqu16", "vmovdqu8", "vmovdqa64", "vmovdqa32", "vmovups", "vmovupd"):
            yield from (f"{name} {a}, {to}{mask}" for mask in ("", "{%k1}", "{%k1}{z}"))
            yield from (
                f"{name} {operands}{mask}" for operands in (f"(%rdi), {to}", f"{a}, (%rdi)") for mask in ("", "{%k3}")
            )
            yield f"{name} (%rdi), {to}{{%k1}}{{z}}"
        yield from (
            f"vpbroadcast{kind} {source}, {to}{mask}"
            for kind in "qd"
            for source in ("%xmm1", "(%rdi)")
            for mask in ("", "{%k1}")
        )
        yield from (f"vpbroadcastq %rbx, {to}{mask}" for mask in ("", "{%k1}"))
        yield from (f"vpermt2{kind} {a}, {b}, {to}" for kind in "qd")
        yield from (f"vpxor{kind} {to}, {to}, {to}{{%k1}}" for kind in "qd")
        if width > 128:
            yield from (f"vpermq ${imm}, {a}, {to}" for imm in (0, 0x1B, 0xD8))
            yield from (f"vpermq {a}, {b}, {to}", f"vpermpd $0x1b, {a}, {to}", f"vmovddup {a}, {to}")
            yield from (
                f"vshuf{kind} ${imm}, {a}, {b}, {to}{mask}"
                for kind in ("i64x2", "i32x4")
                for imm in (0, 1, 2, 0xA5)
                for mask in ("", "{%k1}")
            )
        if width < 512:
            names = ["vpand", "vpandn", "vpor", "vpxor", "vandps", "vandnps", "vorpd", "vxorps"]
            yield from (f"{name} {source}, {b}, {to}" for name in names for source in (a, "(%rdi)"))
            yield from (f"vpblendd ${imm}, {a}, {b}, {to}" for imm in (1, 6, 0xC))
            yield from (f"vpmaskmov{kind} (%rdi), {b}, {to}" for kind in "qd")
            yield f"vpmaskmovq {a}, {b}, (%rdi)"
    yield from (f"vperm2i128 ${imm}, %ymm1, %ymm2, %ymm0" for imm in (0, 3, 0x20, 0x31, 0x08, 0x81))
    yield from (f"vinserti128 ${imm}, %xmm1, %ymm2, %ymm0" for imm in (0, 1))
    yield from (
        f"vinserti{kind} ${imm}, %xmm1, %zmm2, %zmm0{mask}"
        for kind in ("32x4", "64x2")
        for imm in (0, 3)
        for mask in ("", "{%k1}")
    )
    yield from (f"vinserti64x4 ${imm}, %ymm1, %zmm2, %zmm0" for imm in (0, 1))
    yield from (
        f"vextracti{kind} ${imm}, {source}"
        for kind, source in (
            ("128", "%ymm1, %xmm0"),
            ("64x4", "%zmm1, %ymm0"),
            ("128", "%ymm1, (%rdi)"),
            ("64x4", "%zmm1, (%rdi){%k1}"),
            ("32x4", "%zmm1, %xmm0{%k1}"),
            ("64x2", "%zmm1, (%rdi){%k1}"),
        )
        for imm in (0, 1)
    )
    yield from (
        "vmovq %rbx, %xmm0",
        "vmovq %xmm1, %xmm0",
        "vmovq (%rdi), %xmm0",
        "vmovd %ebx, %xmm0",
        "vmovd (%rdi), %xmm0",
    )
    yield from (
        "vmovq %xmm1, %rbx",
        "vmovd %xmm1, %ebx",
        "vmovq %xmm1, (%rdi)",
        "vmovd %xmm1, (%rdi)",
        "vmovss (%rdi), %xmm0",
    )
    yield from (
        "vpinsrq $0, %rbx, %xmm1, %xmm0",
        "vpinsrq $1, (%rdi), %xmm1, %xmm0",
        "vpextrq $1, %xmm1, %rbx",
        "vpextrq $0, %xmm1, (%rdi)",
    )
    yield from (
        "vmovhps %xmm1, (%rdi)",
        "vmovlps %xmm1, (%rdi)",
        "vmovsd %xmm1, (%rdi)",
        "vmovsd (%rdi), %xmm0",
        "vmovsd %xmm1, %xmm2, %xmm0",
    )
    yield from (
        "vmovlhps %xmm1, %xmm2, %xmm0",
        "vunpcklpd %xmm1, %xmm2, %xmm0",
        "vmovddup %xmm1, %xmm0",
        "vmovddup (%rdi), %xmm0",
    )
    yield from (
        "vpmovsxbq (%rdi), %ymm0",
        "vpmovsxbq %xmm1, %zmm0",
        "vbroadcasti128 (%rdi), %ymm0",
        "vbroadcasti32x4 (%rdi), %zmm0{%k1}",
    )
    yield from (
        "pxor %xmm1, %xmm0",
        "pxor %xmm0, %xmm0",
        "pxor (%rdi), %xmm0",
        "xorps %xmm1, %xmm0",
        "xorps (%rdi), %xmm0",
        "movups (%rdi), %xmm0",
        "movdqa %xmm1, %xmm0",
        "movups %xmm1, (%rdi)",
    )
    yield from (
        "movq %rbx, %xmm0",
        "movq %xmm1, %xmm0",
        "movq (%rdi), %xmm0",
        "movq %xmm1, %rbx",
        "movq %xmm1, (%rdi)",
        "movd %ebx, %xmm0",
    )
    yield from (
        "paddq %xmm1, %xmm0",
        "movhps (%rdi), %xmm0",
        "vzeroupper",
        "vzeroall",
        "vmovntdq %ymm1, (%rdi)",
        "movaps (%rdi), %xmm1",
    )
    yield from (
        f"kmov{kind} {operands}"
        for kind in "bwdq"
        for operands in (
            f"%k1, {'%rbx' if kind == 'q' else '%ebx'}",
            f"{'%rbx' if kind == 'q' else '%ebx'}, %k1",
            "%k1, %k2",
            "(%rdi), %k1",
            "%k1, (%rdi)",
        )
    )
    yield from (f"kxor{kind} %k2, {second}, %k1" for kind in "bwdq" for second in ("%k2", "%k3"))
    yield from (
        "knotw %k1, %k2",
        "kortestw %k1, %k1",
        "vpcmpeqq %zmm1, %zmm2, %k1",
        "vptest %ymm1, %ymm2",
        "vpgatherqq (%rdi,%zmm1,8), %zmm0{%k1}",
    )


ARM_CONDITIONS = ("eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")


def arm_programs() -> Iterator[str]:
    """Yield instructions on general registers of 64-bit Arm, and all conditions."""
    for letter in "xw":
        a, b, c, d = (f"{letter}{i}" for i in range(1, 5))
        for name in ("add", "adds", "sub", "subs", "and", "ands", "orr", "eor", "bic", "bics", "orn", "eon"):
            yield f"{name} {a}, {b}, {c}"
            yield from (f"{name} {a}, {b}, {c}, {shift}" for shift in ("lsl #3", "lsr #5", "asr #2", "lsl #31"))
        for name in ("add", "adds", "sub", "subs"):
            yield from (f"{name} {a}, {b}, {last}" for last in ("#4095", "#1, lsl #12"))
            yield from (f"{name} {a}, {b}, w3, {kind} #2" for kind in ("uxtb", "uxth", "uxtw", "sxtb", "sxth", "sxtw"))
        yield from (f"{name} {a}, {b}, {c}, ror #7" for name in ("and", "orr", "eor"))
        yield from (f"{name} {a}, {b}, #0xff0" for name in ("and", "ands", "orr", "eor"))
        yield from (f"{name} {a}, {b}, {c}" for name in ("adc", "adcs", "sbc", "sbcs", "mul", "mneg", "udiv", "sdiv"))
        yield from (f"{name} {a}, {b}" for name in ("ngc", "negs", "mvn", "cls", "clz", "rbit", "rev", "rev16"))
        yield from (f"{name} {a}, {b}, {last}" for name in ("lsl", "lsr", "asr", "ror") for last in (c, "#7"))
        yield from (f"{name} {a}, {b}, {c}, {d}" for name in ("madd", "msub"))
        for name in ("ubfx", "sbfx", "bfi", "bfxil", "ubfiz", "sbfiz"):
            yield f"{name} {a}, {b}, #5, #11"
        yield from (
            f"extr {a}, {b}, {c}, #9",
            f"movz {a}, #0x1234, lsl #16",
            f"movn {a}, #0x1234",
            f"movk {a}, #0x1234, lsl #16",
        )
        for condition in ARM_CONDITIONS:
            yield from (f"{name} {a}, {b}, {c}, {condition}" for name in ("csel", "csinc", "csinv", "csneg"))
            yield from (f"ccmp {b}, {c}, #5, {condition}", f"ccmn {b}, #3, #10, {condition}")
        yield from (f"{name} {b}, . + 64" for name in ("cbz", "cbnz"))
        yield from (f"{name} {b}, #{bit}, . + 64" for name in ("tbz", "tbnz") for bit in (0, 31))
    yield from (f"b.{condition} . + 64" for condition in ARM_CONDITIONS)
    yield from (
        "umulh x1, x2, x3",
        "smulh x1, x2, x3",
        "umull x1, w2, w3",
        "smull x1, w2, w3",
        "umaddl x1, w2, w3, x4",
        "umsubl x1, w2, w3, x4",
    )
    yield from (
        "ldr x1, [x0]",
        "ldr w1, [x0]",
        "ldrb w1, [x0, #1]",
        "ldrh w1, [x0, #2]",
        "ldrsw x1, [x0]",
        "ldrsb x1, [x0]",
        "ldrsh w1, [x0]",
    )
    yield from (
        "ldp x1, x2, [x0]",
        "ldp w1, w2, [x0]",
        "ldpsw x1, x2, [x0]",
        "str w2, [x0]",
        "strb w2, [x0, #1]",
        "strh w2, [x0]",
        "stp w2, w3, [x0]",
    )
    yield from (
        "ldr x1, [x0], #8",
        "str x2, [x0, #8]!",
        "ldr x1, [x0, x5, lsl #3]",
        "ldr x1, [x0, w5, uxtw #3]",
        "ldr x1, [x0, w5, sxtw #3]",
    )
    yield from (
        "ldr q1, [x0]",
        "str q1, [x0, #16]",
        "ldp q1, q2, [x0, #-32]!",
        "ldr d1, [x0]",
        "ld1 {v1.2d-v4.2d}, [x0]",
        "ld4 {v1.4s-v4.4s}, [x0]",
    )
    yield from (
        "st1 {v1.16b}, [x0], #16",
        "ld1r {v1.2d}, [x0]",
        "st1 {v1.s}[2], [x0]",
        "b . + 64",
        "bl . + 64",
        "br x3",
        "blr x3",
        "ret",
    )


# Programs, and the least number of those that are equal, and of states on which they are.
PROGRAMS: dict[str, tuple[Callable[[], Iterator[str]], Target, int, int]] = {
    "general": (general_programs, X86_64, 550, 6500),
    "vectors": (vector_programs, X86_64, 795, 9000),
    "arm": (arm_programs, AARCH64, 435, 5000),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_or_refused(tmp_path: Path, name: str) -> None:
    """Each instruction does what a CPU does, or is refused: none does something else."""
    programs, target, least, states = PROGRAMS[name]
    verdicts = compared(tmp_path, list(dict.fromkeys(programs())), target, 12, of_words=name == "general")
    assert [verdict.differs for verdict in verdicts.values() if verdict.differs] == []
    equal = [verdict for verdict in verdicts.values() if not verdict.reason]
    found = (
        len(verdicts),
        len(equal),
        sum(verdict.states for verdict in equal),
        sum(verdict.symbolic for verdict in equal),
    )
    print(f"{name}: %d forms, %d equal, on %d states and %d symbolic ones" % found)
    if target == AARCH64 or vector_bits() == 512:
        assert len(equal) >= least and found[2] >= states


Change = Callable[..., Any]


def wrapped(kind: type, name: str, change: Callable[[Change], Change]) -> tuple[Any, str, Any]:
    """Return a method that is changed, as monkeypatch.setattr takes it."""
    return kind, name, change(getattr(kind, name))


def unsigned(multiply: Change) -> Change:
    return lambda self, name, operands, width: multiply(self, "mul" if len(operands) == 1 else name, operands, width)


def narrow(multiply: Change) -> Change:
    """Return a multiplication that writes all of two registers at all widths."""

    def changed(self: Amd64, name: str, operands: list[Operand], width: int) -> None:
        product = self.get(operands[0], width) * self.get(Operand("general", "rax"), width)
        self.general["rax"], self.general["rdx"] = product & MASKS[width], product >> width
        self.flags = Amd64Flags()

    return changed


def pop_to_register(on_general: Change) -> Change:
    def changed(self: Amd64, name: str, operands: list[Operand]) -> None:
        if name.startswith("pop"):
            self.general[operands[0].name] = self.pop()
        else:
            on_general(self, name, operands)

    return changed


def first_byte(access: Change) -> Change:
    """Return an access that takes a second byte for the first one."""
    return lambda self, operand, *rest: access(self, replace(operand, kind="general"), *rest)


def no_carry(add_or_subtract: Change) -> Change:
    names = {"adc": "add"}
    return lambda self, name, operands, width: add_or_subtract(self, names.get(name, name), operands, width)


def eight_bits(on_masks: Change) -> Change:
    def changed(self: Amd64, name: str, operands: list[Operand]) -> None:
        on_masks(self, name, operands)
        self.masks = {number: mask & 255 for number, mask in self.masks.items()}

    return changed


def symbolic_only(carry: Change) -> Change:
    def changed(self: Flags) -> Any:
        found = carry(self)
        return 1 - found if isinstance(found, Number) else found

    return changed


def inverted(condition: str) -> Callable[[Change], Change]:
    return lambda holds: lambda self, name: holds(self, name) != (name == condition)


def clearing(on_vectors: Change) -> Change:
    """Return what clears the upper part of a vector even without VEX."""

    def changed(self: Amd64, name: str, operands: list[Operand]) -> None:
        on_vectors(self, name, operands)
        if operands[-1].kind == "vector":
            number = operands[-1].number
            self.vectors[number] = self.vectors[number][:2] + (0,) * 6

    return changed


SHUFFLES = {"vshufi64x2": Instruction("vshufi64x2", 2, quarters, immediate=True)}
# What is changed in the machine, and an instruction by which the comparison must find that.
PLANTED: dict[str, tuple[tuple[Any, str, Any], str]] = {
    "imul is unsigned": (wrapped(Amd64, "multiply", unsigned), "imul %rsi"),
    "masks are by 64 bits": ((amd64, "element_bits", lambda name: 64), "vmovdqu32 %zmm1, %zmm0{%k1}"),
    "masks of bytes are by 64 bits": ((amd64, "element_bits", lambda name: 64), "vmovdqu8 (%rdi), %ymm0{%k1}{z}"),
    "broadcasts are of 64 bits": ((amd64, "element_bits", lambda name: 64), "vpandd (%rdi){1to16}, %zmm1, %zmm0"),
    "bts leaves zeros": ((Amd64Flags, "of_result", lambda self, condition: condition == "e"), "bts $3, %rbx"),
    "bt leaves zeros": ((Amd64Flags, "of_result", lambda self, condition: condition == "e"), "bt %rsi, %rbx"),
    "btr leaves zeros": ((Amd64Flags, "of_result", lambda self, condition: condition == "e"), "btr $3, %ebx"),
    "imul leaves zeros": ((Amd64Flags, "of_result", lambda self, condition: condition == "e"), "imul %rsi, %rbx"),
    "mul leaves no carry": ((Amd64, "excess", lambda self, above: 0), "mul %rsi"),
    "pop writes no memory": (wrapped(Amd64, "on_general", pop_to_register), "pop (%rdi)"),
    "%ah is %al, as a result": (wrapped(Amd64, "set", first_byte), "mov %bl, %ah"),
    "%ah is %al, as an operand": (wrapped(Amd64, "get", first_byte), "add %ah, %bl"),
    "mul of 8 bits": (wrapped(Amd64, "multiply", narrow), "mulb %sil"),
    "mul of 16 bits": (wrapped(Amd64, "multiply", narrow), "mulw %si"),
    "an order without the carry": (
        (Amd64Flags, "order", lambda self: self.signed(self.a) - self.signed(self.b)),
        "sbb %rsi, %rbx",
    ),
    "kmov is of 8 bits": (wrapped(Amd64, "on_masks", eight_bits), "kmovd %ebx, %k1"),
    "vshufi64x2 of 256 bits": ((amd64_compiled, "VECTORS", None), "vshufi64x2 $1, %ymm1, %ymm2, %ymm0"),
    "adc loses the carry": (wrapped(Amd64, "add_or_subtract", no_carry), "adc %rsi, %rbx"),
    "SSE clears": (wrapped(Amd64, "on_vectors", clearing), "movdqa %xmm1, %xmm0"),
    "movq to a vector does nothing": ((Amd64, "on_vectors", lambda self, name, operands: None), "movq %rbx, %xmm0"),
    "no alignment": ((Amd64, "aligned", lambda *_: None), "movaps (%rdi), %xmm1"),
    "a borrow of symbolic numbers": (wrapped(Flags, "carry", symbolic_only), "cmp %rsi, %rbx"),
    "a sum of symbolic numbers": (wrapped(Flags, "carry", symbolic_only), "add %rsi, %rbx"),
    "an overflow": ((Amd64Flags, "overflow", lambda self: False), "cmp %rsi, %rbx"),
    "a jump": (wrapped(Amd64Flags, "holds", inverted("be")), "jbe . + 64"),
}
ARM_PLANTED: dict[str, tuple[tuple[Any, str, Any], str]] = {
    "hi": (wrapped(Arm64Flags, "holds", inverted("hi")), "csel x1, x2, x3, hi"),
    "ge": (wrapped(Arm64Flags, "holds", inverted("ge")), "b.ge . + 64"),
    "vs": (wrapped(Arm64Flags, "holds", inverted("vs")), "subs x1, x2, x3"),
    "a carry of symbolic numbers": (wrapped(Flags, "carry", symbolic_only), "adds x1, x2, x3"),
}


def check_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[Any, str, Any], text: str, target: Target
) -> None:
    assert all(not verdict.reason for verdict in compared(folder, [text], target).values())
    place, name, value = change
    if value is None:
        monkeypatch.setattr(amd64, name, getattr(place, name) | SHUFFLES)
    else:
        monkeypatch.setattr(place, name, value)
    assert all(verdict.differs for verdict in compared(folder, [text], target).values())


@pytest.mark.parametrize("name", PLANTED)
def test_planted_errors_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    change, text = PLANTED[name]
    if vector_bits() < 512 and re.search(r"\{|%k\d|zmm|64x2", text):
        pytest.skip("this CPU has no AVX-512")
    check_found(tmp_path, monkeypatch, change, text, X86_64)


@pytest.mark.parametrize("name", ARM_PLANTED)
def test_planted_arm_errors_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check_found(tmp_path, monkeypatch, *ARM_PLANTED[name], AARCH64)


def test_signals_are_results(tmp_path: Path) -> None:
    """What a CPU does not have, and what no machine knows, is named; the others are compared."""
    verdicts = compared(tmp_path, ["ud2", "mov (%rdi), %rbx", "popcnt %rbx, %rbx", "add %rsi, %rbx"])
    assert {text.split()[0]: verdict.reason for text, verdict in verdicts.items()} == {
        "ud2": "Unproved no such instruction in the tables",
        "mov": "",
        "popcnt": "Unproved no such instruction in the tables",
        "add": "",
    }


def test_misread_code_is_found(tmp_path: Path) -> None:
    """It is the code that runs, not the text that objdump makes of it."""
    linked = assembled(tmp_path, ["add %rsi, %rbx", "imul $5, %rcx, %rdx"])
    comparison = Comparison(X86_64, Amd64)
    for at, others in ((0x400000, ("%rsi", "%rcx")), (0x400003, ("$0x6", "%rcx", "%rdx"))):
        linked.read[at] = replace(linked.read[at], operands=others)
    comparison.compare(linked, forms_of(linked, linked.read.values()))
    assert len(comparison.verdicts) == 2 and all(verdict.differs for verdict in comparison.verdicts.values())


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("bts $0x1,%rcx\nje 2000", "the condition e after bit"),
        ("bt $0x1,%rcx\nsetle %al", "the condition"),
        ("btr $0x1,%rcx\ncmovo %rax,%rcx", "the overflow after bit"),
        ("mul %rcx\nsete %al", "the condition e after mul"),
        ("mul %rcx\nadc $0x0,%rax", "whether a product is too large"),
        ("imul %rcx,%rax\njb 2000", "whether a product is too large"),
        ("imul %rcx,%rax\nseto %al", "whether a product is too large"),
        ("shl $0x3,%rax\njo 2000", "the overflow after shl"),
        ("rol $0x3,%rax\nje 2000", "whether it is 0"),
        ("imul %rcx", "a product of signed symbolic numbers"),
    ],
)
def test_unknown_flags_are_refused(text: str, what: str) -> None:
    """No branch, setcc, cmov or adc takes a flag that an instruction leaves undefined, or that depends on a secret."""
    check_refused("gcc", f"mov (%rsi),%rax\nmov 8(%rsi),%rcx\ncmp $0x7,%rax\n{text}", what)


def test_imul_in_place_of_mul(tmp_path: Path) -> None:
    """The signed multiplication in place of the unsigned one, in the code, is refused."""
    linked = program("gcc")
    function = Function(linked, RECORD["scalar64"], "mac", Inputs())
    function.prove(40)
    lines = [linked.lines[at] for at in function.ran if linked.lines[at].name == "mul"]
    content = linked.path.read_bytes()
    changed = bytearray(content)
    for line in lines:
        code = code_of(linked, line)
        # The operation is in the second byte behind the prefix: 4 multiplies, 5 does so with signs.
        at = content.index(code, content.index(linked.code[min(linked.code)][:64]) + line.at - min(linked.code))
        changed[at + code.index(0xF7) + 1] |= 8
    path = tmp_path / "linked"
    path.write_bytes(changed)
    with pytest.raises(Unproved, match="imul.*a product of signed symbolic numbers"):
        Function(replace(linked, path=path), RECORD["scalar64"], "mac", Inputs()).prove(40)
    assert len(lines) > 10


def test_forms_that_were_not_compared_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    linked = program("gcc")
    function = Function(linked, RECORD["scalar64"], "mac", Inputs())
    function.prove(40)
    line = next(line for at in function.ran if re.match("adc +%r..?,%r..?$", (line := linked.lines[at]).text))
    comparison = compare.COMPARISONS[Amd64]
    form = form_of(X86_64, line, code_of(linked, line))
    without = replace(
        comparison, verdicts=comparison.verdicts | {form: Verdict(form, refused="it is left out")}, passed={}
    )
    monkeypatch.setitem(compare.COMPARISONS, Amd64, without)
    with pytest.raises(Unproved, match="adc.*was not compared with a CPU in this run: it is left out"):
        function.prove(40)
    # Another instruction of that form is refused, too; one of a form that occurs nowhere is compared now.
    with changed_line(linked, replace(line, operands=("%r8", "%r9"))), pytest.raises(Unproved, match="it is left out"):
        function.prove(40)
    monkeypatch.setitem(compare.COMPARISONS, Amd64, Comparison(X86_64, Amd64))
    with (
        changed_line(linked, replace(line, name="rcl", operands=("$0x3", "%rax"))),
        pytest.raises(Unproved, match="no such instruction"),
    ):
        function.prove(40)
    function.prove(40)


def test_cpus_that_lack_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that need more than a CPU has cannot be compared, others can, on shorter vectors."""
    linked = program("gcc")
    monkeypatch.setattr(compare, "cpu_features", lambda: frozenset({"avx2", "bmi2", "avx", "sse2"}))
    assert comparable(linked, RECORD["avx2"]) == comparable(linked, RECORD["scalar64"]) == ""
    assert comparable(linked, RECORD["ifma256"]) == "this CPU has no avx512f, avx512vl, avx512ifma, avx512_vbmi2"
    monkeypatch.setattr(cpus, "cpu_features", lambda: frozenset({"avx2", "avx"}))
    cpus.cpu_of.cache_clear()
    try:
        texts = [
            "vpaddq %ymm1, %ymm2, %ymm0",
            "vmovdqu (%rdi), %xmm1",
            "movdqu (%rdi), %xmm1",
            "vpmuludq %ymm8, %ymm9, %ymm15",
        ]
        assert all(verdict.states and not verdict.reason for verdict in compared(tmp_path, texts).values())
        assert vector_bits() == 256
    finally:
        cpus.cpu_of.cache_clear()


def test_command(coconut: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command counts what became of each form, and fails if one differs, or none is compared."""
    linked = assembled(tmp_path, ["add %rsi, %rbx", "add %rcx, %rdx", "popcnt %rbx, %rbx", "ud2"])
    linked.version = "gcc 0"
    monkeypatch.setattr(objects, "compiled", lambda compiler: linked)
    text = coconut("forms", "--compiler", "gcc", "--verbose")
    counts = "gcc 0: 4 instructions of 3 forms: 1 compared on 36 states and "
    assert text.startswith(counts) and "2 not modelled and refused, 0 that it does not have, 0 that differ" in text
    assert "popcnt %0:64, %0:64: Unproved no such instruction" in text and "ud2: Unproved no such instruction" in text
    monkeypatch.setattr(*wrapped(Amd64, "add_or_subtract", lambda _: lambda self, *rest: None))
    with pytest.raises(SystemExit, match="forms that differ"):
        coconut("forms", "--compiler", "gcc")
    linked.__dict__["read"] = {at: line for at, line in linked.read.items() if line.name != "add"}
    with pytest.raises(SystemExit, match="none that is compared"):
        coconut("forms", "--compiler", "gcc")


ONLY_VECTORS = {
    "vpaddd %ymm1, %ymm2, %ymm0": True,
    "pxor %xmm1, %xmm0": True,
    "vpsrlq $0x1a, %ymm1, %ymm0": True,
    "vpaddd (%rdi), %ymm2, %ymm0": False,
    "vmovdqu %ymm0, (%rdi)": False,
    "vpextrq $0x1, %xmm0, %rax": False,
    "vpaddd %zmm1, %zmm2, %zmm0{%k1}": False,
    "vpcmpgtq %ymm1, %ymm2, %k1": False,
    "kmovw %k1, %k2": False,
    "vzeroupper": False,
    "add %rax, %rbx": False,
}


@pytest.mark.parametrize("text", ONLY_VECTORS)
def test_what_depends_on_vectors_alone(text: str) -> None:
    line = read_line(0x2000, 0x2008, text)
    passed = compare.Passed.of(line, cpus.cpu_of(X86_64).used(line), Verdict(text))
    assert passed.only_vectors == ONLY_VECTORS[text]


def test_what_depends_on_vectors_alone_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An instruction is not run again on the same vectors; on others it is, and so is one that changes flags."""
    texts = ["vpaddq %ymm1, %ymm2, %ymm0", "vmovdqu (%rdi), %ymm3", "pxor %xmm3, %xmm0", "vptest %ymm1, %ymm2"]
    linked, ran = assembled(tmp_path, texts), list[str]()
    step = Amd64.step

    def counted(self: Amd64, line: Line) -> int:
        ran.append(line.name)
        return step(self, line)

    monkeypatch.setattr(Amd64, "step", counted)
    first = min(linked.lines)
    machine = Amd64.on(linked, {first + 8 * i: (8, 3 + i) for i in range(100, 104)})

    same = {word: (word,) * 8 for word in (1, 2, 7, 9)}

    def run(low: int) -> tuple[list[str], Any]:
        ran.clear()
        at, machine.flags, machine.general["rdi"] = first, Amd64Flags(), first + 800
        machine.vectors |= {0: same[9], 1: same[low], 2: same[7]}
        for _ in texts:
            at = machine.advance(at)
        assert machine.flags.kind == "known"
        return [*ran], machine.vectors[0][0]

    run(2)  # Forms are compared with the CPU before.
    assert run(1) == (["vpaddq", "vmovdqu", "pxor", "vptest"], 8 ^ 103)
    assert run(1) == (["vmovdqu", "vptest"], 8 ^ 103)
    assert run(2) == (["vmovdqu", "vptest"], 9 ^ 103)


@pytest.mark.parametrize("text", ["syscall", "popf", "int $0x80"])
def test_what_is_not_modelled_is_not_run(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of the system, with random registers, is refused without being run; nor is a trap for each instruction."""
    monkeypatch.setattr(cpus.Cpu, "run", lambda cpu, runs: pytest.fail("an instruction is run"))
    with pytest.raises(Unproved, match="no such instruction"):
        Comparison(X86_64, Amd64).require(compiled("gcc"), read_line(0x2000, 0x2008, text))
