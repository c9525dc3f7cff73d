# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe 64-bit RISC-V in general registers for 32-bit words: one block of ChaCha20, without the extension Zbb.

A register holds a word with its sign extended, as instructions on words leave it, and so do exclusive or and or of such
registers.
"""

from typing import Any

from coconut.architecture import Architecture
from coconut.architectures.scalar_riscv64 import GNU, NUMBERS
from coconut.architectures.words import WordsSelector, words
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import Instruction, identity, table

SHIFTS = (7, 8, 12, 16, 20, 24, 25)

INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="lw {d}, {m}", go="MOVW {m}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="sw {0}, {m}", go="MOVW {0}, {m}"),
    Instruction("copy", 1, identity, gnu="mv {d}, {0}", go="MOV {0}, {d}"),
    Instruction("add", 2, words(lambda imm, a, b: a + b), gnu="addw {d}, {0}, {1}", go="ADDW {1}, {0}, {d}"),
    Instruction("xor", 2, words(lambda imm, a, b: a ^ b), gnu="xor {d}, {0}, {1}", go="XOR {1}, {0}, {d}"),
    Instruction("or", 2, words(lambda imm, a, b: a | b), gnu="or {d}, {0}, {1}", go="OR {1}, {0}, {d}"),
    Instruction(
        "shl",
        1,
        words(lambda imm, a: a << imm),
        immediate=True,
        edges=SHIFTS,
        gnu="slliw {d}, {0}, {i}",
        go="SLLIW ${i}, {0}, {d}",
    ),
    Instruction(
        "shr",
        1,
        words(lambda imm, a: a >> imm),
        immediate=True,
        edges=SHIFTS,
        gnu="srliw {d}, {0}, {i}",
        go="SRLIW ${i}, {0}, {d}",
    ),
)


class Riscv64Words(WordsSelector):
    def select_add32(self, node: Node) -> int:
        """Return the sum; nothing is added to the counter of the first block."""
        a, b = node.args
        number = self.graph.nodes[b]
        return self.value(a) if (number.op, number.imm) == ("words", (0,)) else self.binary("add", node)

    def select_xor32(self, node: Node) -> int:
        return self.binary("xor", node)

    def select_rotl32(self, node: Node) -> int:
        a, bits = self.value(node.args[0]), node.imm[0]
        return self.emit("or", self.emit("shl", a, imm=bits), self.emit("shr", a, imm=32 - bits))


# The last two of the free registers count the rounds and the blocks.
*WORDS, ROUNDS, COUNTER = NUMBERS


def assembler(is_go: bool, **notation: Any) -> Assembler:
    letter = "X" if is_go else "x"
    pointers = {"out": 10, "message": 11, "state": 12}
    return Assembler(
        is_go=is_go,
        registers=tuple(f"{letter}{number}" for number in WORDS),
        pointers={base: f"{letter}{number}" for base, number in pointers.items()},
        default=lambda instruction, kind: "",
        instructions=INSTRUCTIONS,
        **notation,
    )


GO = assembler(
    True,
    counters=("X13", f"X{ROUNDS}"),
    controls={
        "argument": "MOV {name}+{offset}(FP), {register}",
        "align": "",
        "count": "MOV ${number}, {counter}",
        "advance": "ADD ${bytes}, {pointer}, {pointer}",
        "again": "SUB $1, {counter}, {counter}; BNEZ {counter}, {label}",
        "add_word": (
            f"MOVW {{offset}}({{pointer}}), X{COUNTER}; ADD ${{number}}, X{COUNTER}, X{COUNTER}; "
            f"MOVW X{COUNTER}, {{offset}}({{pointer}})"
        ),
    },
    tail=("RET",),
    comment="//",
    clears=lambda i: f"MOV X0, X{WORDS[i]}",
)

RISCV64_WORDS = Architecture(
    name="riscv64-words",
    triple="riscv64",
    registers=len(WORDS),
    vector_bytes=4,
    cpus=("sifive-p670", "sifive-u74"),
    instructions=INSTRUCTIONS,
    selector=Riscv64Words,
    load="load",
    gnu=assembler(False, counters=("x13",), controls={}, head=GNU["head"], tail=GNU["tail"]),
    go=GO,
    goarch="riscv64",
    emulator=("qemu-riscv64",),
    word_bytes=4,
    chains=True,
)
