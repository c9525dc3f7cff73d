# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe x86-64 in general registers for 32-bit words: one block of ChaCha20, stitched to those in vectors.

CX counts, and DX points to the state, since both are needed during the rounds.
"""

from typing import Any

from coconut.architecture import Architecture
from coconut.architectures.amd64_words import AVX2_WORDS_STITCHED
from coconut.architectures.words import WordsSelector, rotl, words
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import FLAGS, Instruction, Memory, identity, table

SUM: dict[str, Any] = {"accumulates": True, "clobbers": (FLAGS,)}

INSTRUCTIONS = table(
    Instruction("load", 1, identity, memory="only", gnu="movl {m}, {d}", go="MOVL {m}, {d}"),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="movl {0}, {m}", go="MOVL {0}, {m}"),
    Instruction("copy", 1, identity, gnu="movl {0}, {d}", go="MOVL {0}, {d}"),
    Instruction("add", 2, words(lambda imm, a, b: a + b), memory="vector", commutes=True, **SUM),
    Instruction("xor", 2, words(lambda imm, a, b: a ^ b), memory="vector", commutes=True, **SUM),
    Instruction(
        "add_number",
        1,
        words(lambda imm, a: a + imm),
        immediate=True,
        gnu="addl ${i}, {0}",
        go="ADDL ${i}, {0}",
        **SUM,
    ),
    Instruction(
        "rotl", 1, words(lambda imm, a: rotl(a, imm)), immediate=True, gnu="roll ${i}, {0}", go="ROLL ${i}, {0}", **SUM
    ),
)


class Words(WordsSelector):
    def operand_place(self, i: int) -> Memory | None:
        node = self.graph.nodes[i]
        return Memory("state", node.imm[0]) if node.op == "state_word" else None

    def select_add32(self, node: Node) -> int:
        a, b = node.args
        number = self.graph.nodes[b]
        if number.op == "words":
            # As assemblers write it, with a sign.
            signed = (number.imm[0] + 2**31) % 2**32 - 2**31
            return self.emit("add_number", self.value(a), imm=signed) if signed else self.value(a)
        return self.binary("add", node)

    def select_xor32(self, node: Node) -> int:
        return self.binary("xor", node)

    def select_rotl32(self, node: Node) -> int:
        return self.emit("rotl", self.value(node.args[0]), imm=node.imm[0])


NUMBERED = ("8", "9", "10", "11", "12", "13", "14", "15")


def assembler(is_go: bool, **notation: Any) -> Assembler:
    def template(instruction: Instruction, kind: str) -> str:
        text = f"{instruction.name}l {'{m}' if kind else '{1}'}, {{0}}"
        return text.upper().replace("{M}", "{m}") if is_go else text

    return Assembler(is_go=is_go, default=template, instructions=INSTRUCTIONS, controls={}, **notation)


def general_words(vectors: Architecture) -> Architecture:
    assert vectors.go is not None
    return Architecture(
        name="amd64-words",
        triple="x86_64",
        registers=12,
        vector_bytes=4,
        word_bytes=4,
        cpus=vectors.cpus,
        instructions=INSTRUCTIONS,
        selector=Words,
        load="load",
        goarch="amd64",
        chains=True,
        replaces_sum=True,
        gnu=assembler(
            False,
            registers=(*(f"%r{i}d" for i in NUMBERED), "%eax", "%ebx", "%esi", "%edi"),
            pointers={"state": "%rdx", "frame": "%rsp", "out": "%rcx", "message": "%rbp"},
            counters=("%rcx",),
            # The third argument of a function of one instruction is the message.
            head=("movq %rdx, %rcx",),
            tail=("ret",),
        ),
        go=assembler(
            True,
            registers=(*(f"R{i}" for i in NUMBERED), "AX", "BX", "SI", "DI"),
            pointers={"state": "DX", "frame": "BP", "out": "CX"},
            counters=("CX",),
            comment="//",
            clears=lambda i: "XORL {0}, {0}".format((*(f"R{i}" for i in NUMBERED), "AX", "BX", "SI", "DI")[i]),
        ),
    )


AMD64_WORDS = general_words(AVX2_WORDS_STITCHED)
