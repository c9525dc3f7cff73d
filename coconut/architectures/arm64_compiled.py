# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe what compilers use of NEON on 64-bit Arm in addition to the instructions that are selected.

Elements have 64 bits, as in neon.py; instructions that arm64_words.py has, of four 32-bit elements, are not repeated.
Names are those of the assembler, with the arrangement where there is more than one.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from coconut.architectures import neon
from coconut.architectures.neon import immediate
from coconut.instructions import Instruction, Meaning, elements, halves, octets, of_halves, table
from coconut.operations import WORD32_MAX, WORD_MAX, Value

WORDS, ZERO = "v{d}.4s, v{0}.4s", (0, 0)
SHIFTS_32 = (1, 12, 26, 31)


def quads(function: Callable[..., Any]) -> Meaning:
    """Return the meaning that makes four 32-bit elements of those of the operands."""
    return lambda imm, *args: of_halves(function(imm, *map(halves, args)))


def each32(function: Callable[..., Any]) -> Meaning:
    """Return the meaning that applies a function to each 32-bit element."""
    return quads(lambda imm, *args: [function(imm, *numbers) & WORD32_MAX for numbers in zip(*args, strict=True)])


def low_half(meaning: Meaning) -> Meaning:
    """Return the meaning of the same in a register of 64 bits: the others become 0."""
    return lambda imm, *args: (meaning(imm, *args)[0], 0)


def of_half(half: int, function: Callable[..., Any]) -> Meaning:
    """Return the meaning that makes two elements; the last operand is two of its 32-bit elements."""

    def meaning(imm: int | None, *args: Value) -> Value:
        two = halves(args[-1])[2 * half : 2 * half + 2]
        return tuple(function(imm, *numbers) & WORD_MAX for numbers in zip(*args[:-1], two, strict=True))

    return meaning


def by_element(half: int, imm: int, total: Value, a: Value, b: Value) -> Value:
    """Return what umlal makes if all elements of b are that of an index."""
    chosen = halves(b)[imm]
    return neon.umlal(half)(None, total, a, of_halves((chosen,) * 4))


def narrowed(imm: int, a: Value) -> Any:
    """Return two elements, shifted to the right and cut to 32 bits, as one."""
    return of_halves([number >> imm & WORD32_MAX for number in a])[0]


def sli(largest: int) -> Callable[..., Any]:
    return lambda imm, d, a: d & (1 << imm) - 1 | a << imm & largest


def multiplications() -> Iterator[Instruction]:
    for half, suffix, of in ((0, "", "2s"), (1, "2", "4s")):
        name = f"umull{suffix}"
        plain, one = neon.umlal(half), f"v{{1}}.{of}, v{{2}}.s[{{i}}]"
        yield Instruction(
            name,
            2,
            lambda imm, a, b, plain=plain: plain(None, ZERO, a, b),
            gnu=f"{name} v{{d}}.2d, v{{0}}.{of}, v{{1}}.{of}",
        )
        yield Instruction(
            f"{name}_by",
            2,
            lambda imm, a, b, half=half: by_element(half, imm, ZERO, a, b),
            immediate=True,
            edges=(0, 1, 2, 3),
            gnu=f"{name} v{{d}}.2d, v{{0}}.{of}, v{{1}}.s[{{i}}]",
        )
        yield Instruction(
            f"umlal{suffix}_by",
            3,
            lambda imm, total, a, b, half=half: by_element(half, imm, total, a, b),
            immediate=True,
            accumulates=True,
            edges=(0, 1, 2, 3),
            gnu=f"umlal{suffix} v{{d}}.2d, {one}",
        )
        long, template = of_half(half, lambda imm, a: a << imm), f"ushll{suffix} v{{d}}.2d, v{{0}}.{of}, #{{i}}"
        yield immediate(f"ushll{suffix}", 1, long, template, 0, 1, 26, 31)
        yield Instruction(
            f"uaddw{suffix}",
            2,
            of_half(half, lambda imm, a, b: a + b),
            gnu=f"uaddw{suffix} v{{d}}.2d, v{{0}}.2d, v{{1}}.{of}",
        )


def insertions() -> Iterator[Instruction]:
    """Yield instructions that replace an element by one of another register."""
    for size, count in (("d", 2), ("s", 4)):
        for i in range(count):
            for j in range(count):

                def inserted(imm: None, d: Value, a: Value, i: int = i, j: int = j) -> Value:
                    return d[:i] + a[j : j + 1] + d[i + 1 :]

                yield Instruction(
                    f"ins_{size}{i}{j}",
                    2,
                    inserted if size == "d" else quads(inserted),
                    accumulates=True,
                    gnu=f"ins v{{d}}.{size}[{i}], v{{1}}.{size}[{j}]",
                )


def immediates() -> Iterator[Instruction]:
    """Yield instructions on a number of 8 bits, which is shifted."""
    for shift in (0, 8, 16, 24):
        for arrangement in ("4s", "2s"):
            shifted = f"v{{d}}.{arrangement}, #{{i}}" + (f", lsl #{shift}" if shift else "")
            makes: dict[str, Callable[..., Any]] = {
                "bic": lambda imm, d, shift=shift: d & WORD32_MAX - (imm << shift),
                "orr": lambda imm, d, shift=shift: d | imm << shift,
                "movi": lambda imm, _, shift=shift: imm << shift,
                "mvni": lambda imm, _, shift=shift: WORD32_MAX - (imm << shift),
            }
            for name, function in makes.items():
                reads = name in {"bic", "orr"}
                meaning = each32(function)
                if not reads:
                    meaning = lambda imm, meaning=meaning: meaning(imm, ZERO)  # noqa: E731
                yield Instruction(
                    f"{name}_{arrangement}_{shift}",
                    int(reads),
                    meaning if arrangement == "4s" else low_half(meaning),
                    immediate=True,
                    accumulates=reads,
                    edges=(0, 1, 252, 255),
                    gnu=f"{name} {shifted}",
                )


def permuted(name: str, function: Callable[..., Any], operands: int = 2) -> Instruction:
    others = ", v{1}.4s" if operands == 2 else ""
    return Instruction(name, operands, quads(lambda imm, *args: function(*args)), gnu=f"{name} {WORDS}{others}")


INSTRUCTIONS = {name: neon.INSTRUCTIONS[name] for name in ("ldr", "store", "copy")} | table(
    Instruction("sub", 2, elements(lambda imm, a, b: a - b), gnu=f"sub {neon.D}, v{{1}}.2d"),
    Instruction("add_d", 2, low_half(neon.INSTRUCTIONS["add"].meaning), gnu="add d{d}, d{0}, d{1}"),
    Instruction("addp_d", 1, lambda imm, a: (a[0] + a[1] & WORD_MAX, 0), gnu="addp d{d}, v{0}.2d"),
    Instruction("and_8b", 2, low_half(neon.INSTRUCTIONS["and"].meaning), gnu="and v{d}.8b, v{0}.8b, v{1}.8b"),
    Instruction("eor", 2, elements(lambda imm, a, b: a ^ b), gnu="eor v{d}.16b, v{0}.16b, v{1}.16b"),
    Instruction("eor_8b", 2, low_half(elements(lambda imm, a, b: a ^ b)), gnu="eor v{d}.8b, v{0}.8b, v{1}.8b"),
    immediate("shl_d", 1, low_half(neon.INSTRUCTIONS["shl"].meaning), "shl d{d}, d{0}, #{i}"),
    immediate("ushr_d", 1, low_half(neon.INSTRUCTIONS["ushr"].meaning), "ushr d{d}, d{0}, #{i}"),
    immediate("ushr_4s", 1, each32(lambda imm, a: a >> imm), f"ushr {WORDS}, #{{i}}", *SHIFTS_32),
    immediate(
        "usra_4s", 2, each32(lambda imm, d, a: d + (a >> imm)), "usra v{d}.4s, v{1}.4s, #{i}", 1, 7, 16, 20, 25, 32
    ),
    immediate("sli_2d", 2, elements(sli(WORD_MAX)), "sli v{d}.2d, v{1}.2d, #{i}"),
    immediate("sli_4s", 2, each32(sli(WORD32_MAX)), "sli v{d}.4s, v{1}.4s, #{i}", *SHIFTS_32),
    permuted("uzp2", lambda a, b: a[1::2] + b[1::2]),
    permuted("trn1", lambda a, b: (a[0], b[0], a[2], b[2])),
    permuted("trn2", lambda a, b: (a[1], b[1], a[3], b[3])),
    permuted("rev64", lambda a: (a[1], a[0], a[3], a[2]), 1),
    Instruction("xtn", 1, lambda imm, a: (narrowed(0, a), 0), gnu="xtn v{d}.2s, v{0}.2d"),
    immediate("shrn", 1, lambda imm, a: (narrowed(imm, a), 0), "shrn v{d}.2s, v{0}.2d, #{i}", *SHIFTS_32),
    immediate("shrn2", 2, lambda imm, d, a: (d[0], narrowed(imm, a)), "shrn2 v{d}.4s, v{1}.2d, #{i}", *SHIFTS_32),
    immediate("dup_2d", 1, lambda imm, a: a[imm : imm + 1] * 2, "dup v{d}.2d, v{0}.d[{i}]", 0, 1),
    immediate("dup_d", 1, lambda imm, a: (a[imm], 0), "dup d{d}, v{0}.d[{i}]", 0, 1),
    immediate(
        "dup_16b", 1, lambda imm, a: (octets(a, 8)[imm] * (WORD_MAX // 255),) * 2, "dup v{d}.16b, v{0}.b[{i}]", 0, 7, 15
    ),
    immediate("movi_2d", 0, lambda imm: (imm, imm), "movi v{d}.2d, #{i}", 0, WORD32_MAX, WORD_MAX - WORD32_MAX),
    *multiplications(),
    *insertions(),
    *immediates(),
)

# For the comparison with emulated CPUs, and to read what compilers made.
ARM64_COMPILED = replace(neon.NEON, name="arm64-compiled", instructions=INSTRUCTIONS)
