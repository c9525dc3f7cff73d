# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of words.h, of comparisons, of fe_power and of zeros_value, and that mistakes in them are refused."""

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from coconut.lift.objects import Linked, compiled, compiled_file
from coconut.prove.bits import BITS, FALSE, TRUE, Bits, Diagrams, Undecided
from coconut.prove.core import (
    CLEARED,
    LINE_BYTES,
    SOURCE,
    VARIANTS,
    VERIFIED,
    prove_cleared,
    prove_cleared_at,
    prove_equal,
    prove_lengths,
    prove_power,
    prove_verify,
    prove_words,
    prove_zeros,
)
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved
from coconut.trace import ROOT

ARM = "aarch64-linux-gnu-gcc"
TAGS = partial(prove_equal, function="proved_tags_equal", length=16)
BYTES = partial(prove_equal, function="proved_bytes_equal", length=19)
BOTH = "(load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8))"
DIFFERENT = "is another number|a function of more than"

Planted = tuple[str, str, str, Callable[[Linked], int], str, str]
MISTAKES: list[Planted] = [
    ("core/constant_time.h", BOTH, BOTH.replace("|", "&"), TAGS, "", DIFFERENT),
    ("core/constant_time.h", BOTH, BOTH.replace("|", "+"), TAGS, "", DIFFERENT),
    ("core/constant_time.h", BOTH, BOTH.replace("|", "^"), TAGS, "", DIFFERENT),
    ("core/constant_time.h", BOTH, f"{BOTH} & ~UINT64_C(0xff00)", TAGS, "", DIFFERENT),
    ("core/constant_time.h", BOTH, f"(({BOTH}) & ~(UINT64_C(1) << 63))", TAGS, "", DIFFERENT),
    ("core/constant_time.h", "return difference == 0", "return (uint32_t)difference == 0", TAGS, "", DIFFERENT),
    ("core/constant_time.h", "return difference == 0", "return difference <= 1", TAGS, "", DIFFERENT),
    (
        "core/constant_time.h",
        "uint64_t difference = (",
        "if (a[0] != b[0]) return 0;\nuint64_t difference = (",
        TAGS,
        "",
        "a branch",
    ),
    ("core/constant_time.h", "difference |= load", "difference = load", BYTES, "", DIFFERENT),
    ("core/constant_time.h", "len_bytes != 0; a++", "len_bytes > 1; a++", BYTES, "", DIFFERENT),
    ("core/constant_time.h", "(uint64_t)(*a ^ *b)", "(uint64_t)((*a ^ *b) & 127)", BYTES, "", DIFFERENT),
    ("core/words.h", "adcq %4, %1", "addq %4, %1", prove_words, "", DIFFERENT),
    ("core/words.h", "adcq %5, %2", "addq %5, %2", prove_words, "", DIFFERENT),
    ("core/words.h", "adcq %3, %1", "addq %3, %1", prove_words, "", DIFFERENT),
    ("core/words.h", "adcq %4, %1\\n\\tadcq $1", "addq %4, %1\\n\\tadcq $1", prove_words, "", DIFFERENT),
    ("core/words.h", "adcq $1, %2", "adcq $0, %2", prove_words, "", DIFFERENT),
    (
        "core/words.h",
        "load_le64(block + 8), 1)",
        "load_le64(block + 8), 0)",
        prove_words,
        "without assembly",
        DIFFERENT,
    ),
    ("core/words.h", "mulq %3", "imulq %3", prove_words, "", "a product of signed"),
    ("core/words.h", "mulq %3", "mulq %%rax", prove_words, "", "the difference is"),
    ("core/words.h", "mulxq %3, %0, %1", "mulxq %3, %1, %0", prove_words, "with mulx", "the difference is"),
    ("core/words.h", "a[2] += b2 + carry1 + carry2", "a[2] += b2 + carry1", prove_words, "without assembly", DIFFERENT),
    ("core/words.h", "*a1 += b1 + add", "*a1 += b1 | add", prove_words, "without assembly", DIFFERENT),
    ("core/words.h", "(product >> 64)", "(product >> 63)", prove_words, "without assembly", "the difference is"),
    ("core/words.h", "a[2] += b2 + carry;", "a[2] += b2;", prove_words, ARM, DIFFERENT),
    ("poly1305/horner/powers.h", "n >> bit > 1", "n >> bit > 2", prove_power, "", DIFFERENT),
    ("poly1305/horner/powers.h", "(n >> bit & 1) != 0", "(n >> bit & 1) != 0 || bit == 40", prove_power, "", DIFFERENT),
    ("poly1305/horner/powers.h", "result = fe_mul(result, &factors);", "result = factors;", prove_power, "", DIFFERENT),
    ("poly1305/horner/powers.h", "one[3] = {1, 0, 0}", "one[3] = {1, 1, 0}", prove_power, "", DIFFERENT),
    ("poly1305/horner/powers.h", "bit >= 0; bit--", "bit > 0; bit--", prove_power, ARM, DIFFERENT),
    ("poly1305/horner/combine.h", "n >> bit != 0", "n >> bit > 1", prove_zeros, "", DIFFERENT),
    ("poly1305/horner/combine.h", "n >> bit != 0", "bit < 63 && n >> bit != 0", prove_zeros, "", DIFFERENT),
    (
        "poly1305/horner/combine.h",
        "(n >> bit & 1) != 0",
        "(n >> bit & 1) != 0 || bit == 40",
        prove_zeros,
        "",
        DIFFERENT,
    ),
    ("poly1305/horner/combine.h", "odd ? fe_mul(f, r) : f", "f", prove_zeros, "", DIFFERENT),
    ("poly1305/horner/combine.h", "two[3] = {2,", "two[3] = {1,", prove_zeros, "", DIFFERENT),
    ("poly1305/horner/combine.h", "top[3] = {0, 0, 1}", "top[3] = {0, 0, 2}", prove_zeros, "", DIFFERENT),
    ("poly1305/horner/combine.h", "one_or_zero[3] = {odd,", "one_or_zero[3] = {1,", prove_zeros, "", DIFFERENT),
    ("poly1305/horner/combine.h", "bit >= 0; bit--", "bit > 0; bit--", prove_zeros, ARM, DIFFERENT),
]


def planted(folder: Path, name: str, old: str, new: str, variant: str) -> Linked:
    """Return core.c with a mistake in a header."""
    shutil.copytree(ROOT / "src", folder / "src")
    source = folder / SOURCE.relative_to(ROOT)
    source.parent.mkdir(parents=True)
    shutil.copy(SOURCE, source)
    header = folder / "src" / name
    text = header.read_text()
    assert old in text
    header.write_text(text.replace(old, new, 1))
    level = "-O0" if "/horner/" in name else "-O2"
    return compiled_file(ARM if variant == ARM else "gcc", source, (level, *VARIANTS.get(variant, ())))


@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "old", "new", "prove", "variant", "what"), MISTAKES)
def test_mistakes(  # noqa: PLR0913 - the columns of the table
    name: str, old: str, new: str, prove: Callable[[Linked], int], variant: str, what: str, tmp_path: Path
) -> None:
    with pytest.raises(Unproved, match=what):
        prove(planted(tmp_path, name, old, new, variant))


@pytest.mark.parametrize("compiler", ["gcc", ARM])
def test_core(compiler: str) -> None:
    assert prove_words(compiled_file(compiler, SOURCE, ("-O2",))) == 5
    assert TAGS(compiled_file(compiler, SOURCE, ("-O2",))) == 1


@pytest.mark.parametrize(
    ("name", "operand"), [("or", "%rdx"), ("sete", "%al"), ("xor", "(%rbx)"), ("xor", "0x8(%rbx)")]
)
def test_verify(name: str, operand: str) -> None:
    """In hornet_poly1305_verify of the library, each instruction of the comparison matters."""
    linked = compiled("gcc")
    assert prove_verify(linked) == len(VERIFIED)
    start = linked.symbols["hornet_poly1305_verify"]
    line = next(
        line
        for at, line in linked.lines.items()
        if start < at < start + 0x80 and line.name == name and operand in line.operands
    )
    with changed_line(linked, replace(line, name="nop", operands=())), pytest.raises(Unproved):
        prove_verify(linked)


def test_verify_without_a_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that compares what it has not computed is refused."""
    linked = compiled("gcc")
    start = linked.symbols["hornet_poly1305_verify"]
    line = next(line for at, line in linked.lines.items() if at > start and line.name == "call")
    with changed_line(linked, replace(line, name="nop", operands=())), pytest.raises(Unproved):
        prove_verify(linked)


@pytest.mark.parametrize("operands", [("%edx", "%edx"), ("%ecx", "%ecx"), ("%esi", "%esi")])
def test_verify_something_else(operands: tuple[str, ...]) -> None:
    """The tag of another message, of another length, or by another key, is refused."""
    linked = compiled("gcc")
    line = linked.lines[linked.symbols["hornet_poly1305_verify"]]
    assert line.name == "endbr64"
    with changed_line(linked, replace(line, name="xor", operands=operands)):
        with pytest.raises(Unproved, match="of something else"):
            prove_verify(linked)


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_cleared(compiler: str) -> None:
    """Each store of a function that clears the stack matters, if not wherever the stack is: all are needed somewhere."""
    linked, function = compiled(compiler), "hornet_clear_stack"
    assert prove_cleared(linked, function) == 4 * len(CLEARED)
    start = linked.symbols[function]
    end = min(at for at in linked.functions if at > start)
    lines = [line for at, line in linked.lines.items() if start <= at < end]
    stores = [line for line in lines if line.name == "movups"]
    assert len(stores) == 20
    accepted = 0
    for line in stores:
        with changed_line(linked, replace(line, name="nop", operands=())):
            with pytest.raises(Unproved, match="words of 8 bytes are not 0"):
                prove_cleared(linked, function)
            for place in range(0, LINE_BYTES, 16):
                try:
                    prove_cleared_at(linked, function, place, 256)
                    accepted += 1
                except Unproved:
                    pass
    assert accepted > 4
    lower = next(line for line in lines if line.name == "lea" and "%rdi" in line.operands[0])
    with (
        changed_line(linked, replace(lower, operands=("0x40(%rdi)", "%rsp"))),
        pytest.raises(Unproved, match="below its"),
    ):
        prove_cleared(linked, function)
    restored = [line for line in lines if line.name == "mov" and line.operands[1] == "%rsp"][-1]
    with changed_line(linked, replace(restored, name="nop", operands=())), pytest.raises(Unproved):
        prove_cleared(linked, function)


def test_hornet_equal() -> None:
    assert prove_lengths(compiled("gcc")) == 26


def value_of(diagrams: Diagrams, node: int, inputs: int) -> int:
    while node > TRUE:
        variable, clear, set_ = diagrams.nodes[node]
        node = set_ if inputs >> variable - 1 & 1 else clear
    return node


def test_bits() -> None:
    """Operations on symbolic bits are those on numbers, for all inputs of 4 bits and random constants."""
    source = random.Random(1)
    diagrams = Diagrams()
    a, b = (diagrams.input(4) for _ in range(2))
    compared = 0
    for _ in range(40):
        constant, by = source.getrandbits(63), source.randrange(40)
        x = (a << by) + constant
        symbolic = [x ^ b, x & b, x | b, x + b, (x - b) & 2**64 - 1, b - x & 2**64 - 1, x >> by, x * 5 & 2**64 - 1]
        conditions: list[Any] = [x == b, x != b, x < b, x > b, x <= b, x >= b, a == b]
        for inputs in range(256):
            y, z = ((inputs & 15) << by) + constant, inputs >> 4
            expected = [y ^ z, y & z, y | z, y + z, y - z, z - y, y >> by, y * 5]
            for found, number in zip(symbolic, expected, strict=True):
                bits = found.bits if isinstance(found, Bits) else [found >> i & 1 for i in range(BITS)]
                assert sum(value_of(diagrams, bit, inputs) << i for i, bit in enumerate(bits[:64])) == number % 2**64
            truths = [y == z, y != z, y < z, y > z, y <= z, y >= z, inputs & 15 == z]
            for condition, truth in zip(conditions, truths, strict=True):
                assert value_of(diagrams, condition.node, inputs) == truth
            compared += len(expected) + len(truths)
    assert compared == 40 * 256 * 15


def test_undecided() -> None:
    """Nothing is decided on symbolic bits by accident."""
    bits = Diagrams().input(4)
    for decide in (bool, lambda x: int(x == 0), lambda x: (x == 0) == True, lambda x: not x, lambda x: x in {1, 2}):  # noqa: E712
        with pytest.raises((Undecided, TypeError)):
            decide(bits)
    assert bool(bits < 16) and not bits > 15 and Diagrams().number([FALSE, TRUE]) == 2
