# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe NEON of 64-bit Arm for 32-bit words."""

from dataclasses import replace
from typing import Any

from coconut.architecture import Architecture
from coconut.architectures import neon
from coconut.architectures.neon import immediate
from coconut.architectures.words import WordsSelector, by_bytes, words, words_of_bytes
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import Instruction, Memory, identity, octets, of_octets, table
from coconut.operations import WORD32_MAX, Value

SHIFTS = (1, 7, 12, 20, 25, 31)


def tbl(imm: None, a: Value, chosen: Value) -> Value:
    data = octets(a, 4)
    return of_octets([data[i] if i < len(data) else 0 for i in octets(chosen, 4)], 4)


def dup(imm: int, a: Value) -> Value:
    return a[imm : imm + 1] * len(a)


def sri(imm: int, d: int, a: int) -> int:
    return d & ~(WORD32_MAX >> imm) | a >> imm


def ext(imm: int, a: Value, b: Value) -> Value:
    return of_octets(octets(a + b, 4)[imm : imm + 16], 4)


def gnu(name: str, arrangement: str, operands: int) -> str:
    return f"{name} " + ", ".join(f"v{{{d}}}.{arrangement}" for d in ("d", "0", "1")[: 1 + operands])


def go(name: str, arrangement: str, operands: int) -> str:
    return f"{name} " + ", ".join(f"V{{{d}}}.{arrangement}" for d in ("1", "0", "d")[-1 - operands :])


def plain(name: str, arrangement: str, operands: int, meaning: Any, mnemonic: str = "") -> Instruction:
    """Return an instruction that both assemblers write in their usual ways; arrangement is GNU's."""
    mnemonic = mnemonic or name
    in_go = arrangement[-1].upper() + arrangement[:-1]
    return Instruction(
        name,
        operands,
        meaning,
        gnu=gnu(mnemonic, arrangement, operands),
        go=go(f"V{mnemonic.upper()}", in_go, operands),
    )


INSTRUCTIONS = table(
    Instruction("ldr", 1, identity, memory="only", gnu="ldr q{d}, {m}", go="FMOVQ {m}, F{d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="str q{0}, {m}", go="FMOVQ F{0}, {m}"),
    Instruction("copy", 1, identity, gnu="mov v{d}.16b, v{0}.16b", go="VMOV V{0}.B16, V{d}.B16"),
    immediate("dup", 1, dup, "dup v{d}.4s, v{0}.s[{i}]", 0, 1, 2, 3, go="VDUP V{0}.S[{i}], V{d}.S4"),
    plain("add", "4s", 2, words(lambda imm, a, b: a + b)),
    plain("eor", "16b", 2, words(lambda imm, a, b: a ^ b)),
    plain("rev32", "8h", 1, words(lambda imm, a: a << 16 | a >> 16)),
    immediate(
        "shl",
        1,
        words(lambda imm, a: a << imm),
        "shl v{d}.4s, v{0}.4s, #{i}",
        *SHIFTS,
        go="VSHL ${i}, V{0}.S4, V{d}.S4",
    ),
    immediate("sri", 2, words(sri), "sri v{d}.4s, v{1}.4s, #{i}", *SHIFTS, go="VSRI ${i}, V{1}.S4, V{d}.S4"),
    Instruction("tbl", 2, tbl, gnu="tbl v{d}.16b, {v{0}.16b}, v{1}.16b", go="VTBL V{1}.B16, [V{0}.B16], V{d}.B16"),
    Instruction(
        "ext",
        2,
        ext,
        immediate=True,
        edges=(4, 8, 12),
        gnu="ext v{d}.16b, v{0}.16b, v{1}.16b, #{i}",
        go="VEXT ${i}, V{1}.B16, V{0}.B16, V{d}.B16",
    ),
    plain("zip1", "4s", 2, lambda imm, a, b: (a[0], b[0], a[1], b[1])),
    plain("zip2", "4s", 2, lambda imm, a, b: (a[2], b[2], a[3], b[3])),
    plain("zip1d", "2d", 2, lambda imm, a, b: a[:2] + b[:2], "zip1"),
    plain("zip2d", "2d", 2, lambda imm, a, b: a[2:] + b[2:], "zip2"),
)


class Arm64Words(WordsSelector):
    """Select instructions of NEON.

    A shuffle of sums is the sum of shuffles. Where words of the state are added to vectors that are then transposed,
    rows of the state are added instead, because a row takes one load, and four words in all lanes take five
    instructions.
    """

    movers = ("zip1", "zip2", "zip1d", "zip2d", "ext")
    mover_numbers = range(4, 16, 4)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.apart: dict[int, tuple[int, Value] | None] = {}

    def offsets(self, i: int) -> tuple[int | None, Value] | None:
        """Return a value as a sum: a node (None for zero), and for each lane the offset of a word of the state."""
        node = self.graph.nodes[i]
        if node.op == "state_word":
            return None, node.imm * 4
        if node.op == "add32":
            for a, b in (node.args, node.args[::-1]):
                if self.graph.nodes[a].op == "state_word":
                    return b, self.graph.nodes[a].imm * 4
        return None

    def without_state(self, i: int) -> tuple[int, Value] | None:
        """Return a sum without its words of the state, and for each lane the offset of that word; None without any."""
        if i not in self.apart:
            self.apart[i] = self.split(self.graph.nodes[i])
        return self.apart[i]

    def split(self, node: Node) -> tuple[int, Value] | None:
        if node.op == "add32":
            for a, b in (node.args, node.args[::-1]):
                found = self.offsets(b)
                if found is not None and self.offsets(a) is None:
                    rest, words_of_state = found
                    value = self.value(a)
                    return value if rest is None else self.emit("add", value, self.value(rest)), words_of_state
        if node.op == "shuffle":
            first, second = map(self.without_state, node.args)
            if first is not None and second is not None:
                name, number, args = self.mover(node)
                parts = {arg: part[0] for arg, part in zip(node.args, (first, second), strict=True)}
                value = self.emit(name, *(parts[arg] for arg in args), imm=number)
                return value, tuple((first[1] + second[1])[k] for k in node.imm)
        return None

    def select_shuffle(self, node: Node) -> int:
        apart = self.without_state(self.node)
        if apart is None or apart[1] != tuple(range(apart[1][0], apart[1][0] + 16, 4)):
            return super().select_shuffle(node)
        return self.emit("add", apart[0], self.load(Memory("state", apart[1][0])))

    def broadcast(self, place: Memory) -> int:
        """Return a word in all lanes, from a vector of four: a load to all lanes has no offset."""
        row = replace(place, offset=place.offset // 16 * 16, broadcast=False)
        return self.emit("dup", self.load(row), imm=place.offset % 16 // 4)

    def select_add32(self, node: Node) -> int:
        return self.binary("add", node)

    def select_xor32(self, node: Node) -> int:
        return self.binary("eor", node)

    def select_rotl32(self, node: Node) -> int:
        a, bits = self.value(node.args[0]), node.imm[0]
        if bits == 16:
            return self.emit("rev32", a)
        if bits == 8 and self.choices["bytes"] == "moved":
            return self.emit("tbl", a, self.load(self.constant(words_of_bytes(by_bytes(bits)))))
        return self.emit("sri", self.emit("shl", a, imm=bits), a, imm=32 - bits)


GO = Assembler(
    is_go=True,
    registers=tuple(str(i) for i in range(32)),
    pointers={"out": "R0", "message": "R1", "state": "R2", "constants": "R3"},
    counters=("R4", "R5"),
    controls={
        "argument": "MOVD {name}+{offset}(FP), {register}",
        "constants": "MOVD $·{name}Constants<>(SB), {register}",
        "align": "PCALIGN $32",
        "count": "MOVD ${number}, {counter}",
        "advance": "ADD ${bytes}, {pointer}, {pointer}",
        "again": "SUB $1, {counter}, {counter}; CBNZ {counter}, {label}",
        "add_word": "MOVWU {offset}({pointer}), R6; ADD ${number}, R6, R6; MOVW R6, {offset}({pointer})",
    },
    default=lambda instruction, kind: "",
    tail=("RET",),
    comment="//",
    clears="VMOVI $0, V{}.B16".format,
    instructions=INSTRUCTIONS,
)

ARM64_WORDS = Architecture(
    name="arm64-words",
    triple="aarch64",
    registers=32,
    vector_bytes=16,
    cpus=("neoverse-n1", "neoverse-v2", "cortex-a55"),
    features=("asimd",),
    instructions=INSTRUCTIONS,
    # A rotation by a byte moves bytes, or is two shifts like the others.
    alternatives={"bytes": ("moved", "shifted")},
    selector=Arm64Words,
    load="ldr",
    gnu=replace(neon.GNU, pointers={"out": "x0", "message": "x1", "state": "x2", "constants": "x3"}),
    go=GO,
    goarch="arm64",
    replaces_sum=True,
    emulator=("qemu-aarch64",),
    word_bytes=4,
    chains=True,
)
