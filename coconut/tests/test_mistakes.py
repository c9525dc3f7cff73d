# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes, each of which a command must notice."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from coconut import allocate, bounds, functions, go_module, operations, select, trace
from coconut.allocate import Allocator
from coconut.architecture import Architecture
from coconut.architectures import ARCHITECTURES, architectures_of, arm64_words
from coconut.architectures.amd64 import Amd64, unpack
from coconut.architectures.amd64_words import AVX2_WORDS_STITCHED, Amd64Words, in_parts
from coconut.architectures.arm64_words import ARM64_WORDS, Arm64Words
from coconut.architectures.arm64_words import GO as ARM64_GO
from coconut.architectures.s390x_words import S390X_WORDS, S390xWords
from coconut.architectures.scalar import word
from coconut.architectures.words import words
from coconut.assembler import Assembler
from coconut.check_instructions import check_architecture
from coconut.emit import Function
from coconut.graph import Graph, Node
from coconut.instructions import Instruction, Memory
from coconut.operations import Value
from coconut.program import Program
from coconut.prove.chacha20 import GoFunction
from coconut.prove.go import committed
from coconut.prove.polynomials import Ring
from coconut.prove.proof import REFUSALS
from coconut.prove.stitched import prove_mac
from coconut.simulate import Mismatch
from coconut.tests import test_bounds
from coconut.tests.conftest import Command

Plant = Callable[[pytest.MonkeyPatch], object]


def architecture(kernel: str, goarch: str = "") -> Architecture:
    return next(known for known in architectures_of(kernel) if not goarch or known.goarch == goarch)


def instruction(known: Architecture, name: str, **changes: Any) -> Plant:
    """Change an entry of an architecture's table."""
    return lambda patch: patch.setitem(known.instructions, name, replace(known.instructions[name], **changes))


def attribute(owner: Any, name: str, make: Callable[[Any], Any]) -> Plant:
    """Replace a function by what `make` returns for it."""
    return lambda patch: patch.setattr(owner, name, make(getattr(owner, name)))


def not_cleared(pattern: str) -> Plant:
    """Leave out the lines that clear what matches."""
    return attribute(
        Function,
        "clear",
        lambda original: lambda self, assembler: [
            line for line in original(self, assembler) if not re.search(pattern, line)
        ],
    )


def early(by: int) -> Plant:
    """Take a value for unused whose next use is within `by` instructions."""
    return attribute(
        Allocator,
        "next_use",
        lambda original: lambda self, value, now: original(self, value, now + by if now >= 1 else now),
    )


def forgotten(self: Allocator, value: int, now: int) -> int | None:
    """Return the next use of a value, unless it is far."""
    return next((use for use in self.uses[value] if now <= use < now + 60), None)


def without_store(original: Callable[..., None]) -> Callable[..., None]:
    def spill_value(self: Allocator, register: int, value: int) -> None:
        original(self, register, value)
        self.steps.pop()

    return spill_value


def overwrites_constant(original: Callable[..., Allocator]) -> Callable[..., Allocator]:
    """At the end of an iteration, move the first limb to a constant's register: only the next iteration shows it."""

    def allocate_loop(program: Program, ends: dict[int, int] | None = None) -> Allocator:
        allocator = original(program, ends)
        if program.kept:
            allocator.move(program.architecture.copy, (0,), len(program.inputs), 0)
        return allocator

    return allocate_loop


def forgets_constants(original: type[Allocator]) -> Callable[..., Allocator]:
    def allocator(
        program: Program, at: Any = None, homes: Any = None, live_out: Any = (), *more: Any, **options: Any
    ) -> Any:
        live_out = frozenset(value for value in live_out if value >= program.first_op)
        return original(program, at or {}, homes or {}, live_out, *more, **options)

    return allocator


def reversed_ends(original: Callable[..., Allocator]) -> Callable[..., Allocator]:
    def allocate_loop(program: Program, ends: dict[int, int] | None = None) -> Allocator:
        ends = ends and {value: len(ends) - 1 - register for value, register in ends.items()}
        return original(program, ends)

    return allocate_loop


def other_ternary(original: Callable[..., int]) -> Callable[..., int]:
    def emit_op(self: Amd64, name: str, *args: int, imm: int | None = None, memory: Memory | None = None) -> int:
        return original(self, name, *args, imm=0b10101010 if imm == 0b10101000 else imm, memory=memory)

    return emit_op


def other_template(original: Callable[..., str]) -> Callable[..., str]:
    """Write the sum in place of the last operand of an instruction that accumulates."""

    def template(self: Assembler, kind: Instruction, form: str) -> str:
        text = original(self, kind, form)
        return text.replace("{2}", "{1}").replace("{1}", "{0}", 1) if kind.accumulates else text

    return template


def other_row(original: Callable[..., Any]) -> Callable[..., Any]:
    """Add the words of another row of the state."""

    def without_state(self: Arm64Words, i: int) -> tuple[int, Value] | None:
        apart = original(self, i)
        return None if apart is None else (apart[0], tuple(offset ^ 16 for offset in apart[1]))

    return without_state


def backward_rotation(original: Callable[..., int]) -> Callable[..., int]:
    def select_rotl32(self: Amd64Words, node: Node) -> int:
        bits = node.imm[0]
        return original(self, replace(node, imm=(32 - bits,)) if bits % 8 == 0 else node)

    return select_rotl32


def stated(original: Callable[[Graph], list[int]]) -> Callable[[Graph], list[int]]:
    return lambda graph: [min(bound, node.limit) for bound, node in zip(original(graph), graph.nodes, strict=True)]


def stated_bounds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(select, "upper_bounds", stated(bounds.upper_bounds))


def prove_emitted(files: dict[str, str]) -> None:
    """Prove the functions in emitted files, by their names; Poly1305 in one round of those stitched to it."""
    for name, text in files.items():
        emitted = re.findall(r"^TEXT ·(\w+)\(SB\)", text, re.MULTILINE) if name.endswith(".s") else []
        for function in emitted:
            if "/poly1305/" in name:
                known = next(one for one in committed().values() if name.endswith(one.file) and one.name == function)
                known.prove(known.code(text), Ring())
                continue
            goarch = name.removesuffix(".s").rpartition("_")[2]
            found = GoFunction.of(text, files[name.removesuffix("s") + "go"], function, goarch)
            if found.mac:
                prove_mac(found, 1, Ring())
            prove = found.prove_any_groups if "groups" in found.parameters else partial(found.prove_groups, 1)
            prove()


def prove_scalar() -> None:
    prove_emitted(go_module.scalar())


AVX2, WORDS, RISCV64, S390X = (
    architecture("avx2"),
    architecture("chacha20-256"),
    architecture("scalar64", "riscv64"),
    architecture("scalar64", "s390x"),
)
assert AVX2_WORDS_STITCHED.go is not None
STITCHED = AVX2_WORDS_STITCHED.go
Z14 = architecture("vmsl")
MISTAKES: dict[str, tuple[Plant, Sequence[str] | Architecture | list[Callable[[], None]]]] = {
    # An operation's meaning, a rule, an order of blocks, an instruction's meaning, an allocation, a template.
    "operation": (
        lambda patch: patch.setitem(
            operations.OPERATIONS, "shr44_pair", operations.each(lambda imm, lo, hi: lo >> 44 | hi << 21)
        ),
        ("simulate", "ifma256"),
    ),
    "ternary": (attribute(Amd64, "emit", other_ternary), ("simulate", "ifma")),
    "order of lanes": (
        lambda patch: patch.setitem(ARCHITECTURES, "avx2", replace(AVX2, order=lambda lanes: tuple(range(lanes)))),
        ("simulate", "avx2"),
    ),
    "unpack": (instruction(AVX2, "vpunpcklqdq", meaning=unpack(1)), AVX2),
    "freed early": (early(1), ("go", "poly1305")),
    "template": (attribute(Assembler, "template", other_template), ("go", "poly1305")),
    # Spilled values: whether they are stored, and for how long they are kept; a register that is not cleared.
    "spilled": (attribute(Allocator, "spill_value", without_store), ("go", "poly1305", "avx2By8")),
    "forgotten": (attribute(Allocator, "next_use", lambda _: forgotten), ("go", "poly1305", "avx2By8")),
    "not cleared": (
        attribute(Function, "clear", lambda original: lambda self, assembler: original(self, assembler)[:-1]),
        ("go", "poly1305"),
    ),
    "rotation": (attribute(Amd64Words, "select_rotl32", backward_rotation), ("simulate", "chacha20-256")),
    "rotation by bytes": (
        attribute(arm64_words, "by_bytes", lambda original: lambda bits: original(32 - bits)),
        ("simulate", "chacha20-128"),
    ),
    "rows of the state": (attribute(Arm64Words, "without_state", other_row), ("simulate", "chacha20-128")),
    "bytes reversed": (attribute(S390xWords, "reversed", lambda _: S390xWords.value), ("simulate", "chacha20-128")),
    "shift and insert": (
        instruction(ARM64_WORDS, "sri", meaning=words(lambda imm, d, a: d | a >> imm)),
        ARM64_WORDS,
    ),
    "merge": (instruction(S390X_WORDS, "vmrlf", meaning=lambda imm, a, b: (a[2], b[2], b[3], a[3])), S390X_WORDS),
    "unpack words": (
        instruction(WORDS, "vpunpckhdq", meaning=in_parts(lambda imm, a, b: (a[2], b[2], b[3], a[3]))),
        WORDS,
    ),
    # What only the next iteration shows: a register that no longer holds what was loaded.
    "overwritten constant": (attribute(functions, "allocate_loop", overwrites_constant), ("go", "poly1305")),
    "constants freed": (attribute(allocate, "Allocator", forgets_constants), ("go", "poly1305")),
    # Functions of several blocks: when a value is spilled, where the counter is, how often a block runs, and that frame
    # and registers are cleared.
    "freed early, chained": (early(2), ("go", "chacha20")),
    "counter": (lambda patch: patch.setattr(functions, "COUNTER", 52), ("go", "chacha20")),
    "rounds": (lambda patch: patch.setattr(go_module, "DOUBLE_ROUNDS", 11), ("go", "chacha20")),
    "frame": (
        not_cleared(r" 0\(SP\)"),
        ("go", "chacha20"),
    ),
    "last register": (
        not_cleared(r"[XZ](15|31)$"),
        ("go", "chacha20"),
    ),
    "last register of 128 bits": (
        not_cleared(r"V31(\.B16)?$"),
        ("go", "chacha20"),
    ),
    "counter of 128 bits": (
        lambda patch: patch.setitem(ARM64_GO.controls, "add_word", ARM64_GO.controls["add_word"].replace("{n", "1{n")),
        ("go", "chacha20"),
    ),
    "register of a loop": (
        not_cleared(r"VZERO V24$"),
        ("go", "poly1305"),
    ),
    # Stitched functions: values that are in memory between iterations, a place that is read after
    # something else is there, the order of instructions, another block, general registers that are not cleared, and one
    # that holds a pointer and a number.
    "places in memory": (attribute(Allocator, "move_to_slots", lambda _: lambda self: None), ("go", "stitched")),
    "read late": (attribute(Allocator, "read_now", lambda _: lambda self, op: []), ("go", "stitched")),
    "interleaved": (
        attribute(functions, "interleaved", lambda original: lambda lines, others: original(lines, others[:-1])),
        ("go", "stitched"),
    ),
    "other lane": (
        attribute(Graph, "one_lane", lambda original: lambda self, lane: original(self, lane + 1)),
        ("go", "stitched"),
    ),
    "general register": (
        attribute(functions.Stitched, "cleared", lambda original: lambda self: original(self)[:-1]),
        ("go", "stitched"),
    ),
    "pointer and number": (lambda patch: patch.setitem(STITCHED.pointers, "out", "R9"), ("go", "stitched")),
    "second loop": (
        attribute(
            functions.ScalarEnd,
            "body",
            lambda original: lambda self, assembler: [
                line.replace("lasts+32(FP)", "blocks+16(FP)") for line in original(self, assembler)
            ],
        ),
        [prove_scalar],
    ),
    # Words: a comparison, an overwritten flag, what stays together, where values are between basic blocks.
    "comparison": (instruction(RISCV64, "less", meaning=word(lambda _, a, b: a <= b)), RISCV64),
    "clobbered flag": (instruction(S390X, "low2", clobbers=()), S390X),
    "bundles": (
        lambda patch: patch.setattr(Program, "bundles", lambda self: [range(i, i + 1) for i in range(len(self.ops))]),
        [prove_scalar],
    ),
    "places": (attribute(functions, "allocate_loop", reversed_ends), [prove_scalar]),
    # Derived bounds: one that is only stated, and operations' rules.
    "stated bound": (stated_bounds, [test_bounds.test_stated_limits]),
    "bound of or": (
        lambda patch: patch.setitem(bounds.RULES, "or", lambda imm, a, b: max(a, b)),
        [test_bounds.test_made_up_graphs],
    ),
    "bound of products": (
        lambda patch: patch.setattr(bounds, "product", lambda cut_to, a, b: min(a * b, cut_to)),
        [test_bounds.test_made_up_graphs],
    ),
    # Emulated CPUs: an instruction's meaning, what only four iterations show, elements of another size, another power, a
    # rule, a template.
    "product": (
        instruction(
            Z14,
            "vmslg",
            meaning=lambda imm, a, b, total: (total[0], total[1] + a[0] * b[1] + a[1] * b[0] & (1 << 64) - 1),
        ),
        Z14,
    ),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, coconut: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, notices = MISTAKES[name]
    plant(monkeypatch)
    if isinstance(notices, Architecture):
        with pytest.raises(Mismatch):
            check_architecture(notices)
    elif isinstance(notices, list):
        with pytest.raises((*REFUSALS, AssertionError)):
            for check in notices:
                check()
    elif notices[0] == "go":
        function = notices[2] if len(notices) > 2 else "ifmaBy4"
        # One function of each kind is enough, and takes less time.
        for table, kept in (
            ("CHACHA20_XOR", "xor8AVX2"),
            ("CHACHA20_STREAM", ""),
            ("CHACHA20_IN_STEP", ""),
            ("CHACHA20_128", "xor4"),
            ("POLY1305_LOOPS", "vmslBy1"),
            ("POLY1305", function),
            ("STITCHED_MAC", "xor16MAC8AVX2"),
            ("STITCHED_BLOCKS", "xor8And2AVX2"),
        ):
            monkeypatch.setattr(go_module, table, {k: v for k, v in getattr(go_module, table).items() if k == kept})
        monkeypatch.setattr(go_module, "SCALAR", ())
        with pytest.raises(REFUSALS):
            prove_emitted(go_module.generated([notices[1]]))
    else:
        expect_failure(coconut, notices)


def expect_failure(coconut: Command, arguments: Sequence[str]) -> None:
    with pytest.raises(SystemExit, match="^coconut: "):
        coconut(*arguments)


# What graph lanes record, and the limits of inputs that are missing or that an iteration breaks.
C_MISTAKES = {
    "sub": ("lanes/graph.h", 'record2("sub", a.node, b.node)', 'record2("sub", b.node, a.node)', "ifma256"),
    "sums": ("lanes/graph_vmsl.h", 'record2("sums_high"', 'record2("sums_low"', "vmsl"),
    "xor": ("lanes/graph_words.h", 'record2("xor32"', 'record2("add32"', "chacha20-256"),
    "shift": ("lanes/graph_scalar.h", '"shr", a.node, n)', '"shr", a.node, n + 1)', "scalar64"),
    "multiplier limit": ("blocks/decimated.h", "bb_in_max(MULTIPLIER_MAX)", "(void)0", "vx"),
    "limb limit": ("blocks/decimated.h", "bb_in_max(FE_LIMB_MAX)", "bb_in_max(FE_LIMB_MAX / 4)", "avx2"),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", C_MISTAKES)
def test_c_mistake(name: str, coconut: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make the change in a copy of the tree, in which a kernel is traced."""
    file, old, new, kernel = C_MISTAKES[name]
    for folder in ("src", "tests"):
        os.symlink(trace.ROOT / folder, tmp_path / folder)
    for source in (*trace.LANES.iterdir(), *trace.BLOCKS.iterdir()):
        copy = tmp_path / source.relative_to(trace.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text()
        if source == trace.HERE / file:
            assert old in text
            text = text.replace(old, new)
        copy.write_text(text)
    monkeypatch.setattr(trace, "LANES", tmp_path / "coconut" / "lanes")
    monkeypatch.setattr(trace, "BLOCKS", tmp_path / "coconut" / "blocks")
    monkeypatch.setattr(trace, "BUILD", tmp_path / "build")
    trace.read_traced.cache_clear()
    try:
        if name == "limb limit":
            with pytest.raises(Mismatch):
                test_bounds.test_bounds(kernel)
        else:
            expect_failure(coconut, ("simulate", kernel))
    finally:
        trace.read_traced.cache_clear()
