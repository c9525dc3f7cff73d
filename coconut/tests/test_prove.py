# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proofs of Poly1305 that must hold, and mistakes that they must refuse."""

import ctypes
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from coconut.graph import Graph, Node
from coconut.lift.objects import shipped
from coconut.operations import SUM_MAX
from coconut.prove import claims, composition
from coconut.prove.claims import RADIX44, Derived
from coconut.prove.command import Wanted, suites
from coconut.prove.command import prove as prove_suites
from coconut.prove.composition import Names, check_decimated, check_pairs
from coconut.prove.go import committed
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.mutations import GraphMistakes, Mistake, mistakes, plant_in_graph
from coconut.prove.planting import Tally
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.proof import REFUSALS
from coconut.prove.shipped import SHARED
from coconut.simulate import Mismatch
from coconut.tests.conftest import Command


def test_every_block_has_claims() -> None:
    for kernel in ("avx2", "ifma", "vmsl", "scalar64", "scalar32", "tag", "ends26x1", "ends26x2", "neon32"):
        for graph in graphs_of(kernel).values():
            assert BlockProof(graph).check_graph() > 0


def changed(graph: Graph, change: Callable[[Node], Node]) -> Graph:
    return replace(graph, nodes=tuple(change(node) for node in graph.nodes))


def test_stated_limit_is_proved() -> None:
    """A limit that is too small by 1 is refused where values can reach it."""
    graph = graphs_of("avx2")["expand"]
    low = changed(graph, lambda node: replace(node, limit=2**26 - 2) if node.op == "and" else node)
    with pytest.raises(Unproved, match="above 0x3fffffe"):
        BlockProof(graph).check_graph(low)


def test_karatsuba_bias() -> None:
    """No sample needs the whole bias of a long sum, but some input does."""
    graph = graphs_of("ifma")["long step 16"]
    biases = {node.imm for node in graph.nodes if node.op == "splat" and node.imm[0] >= 2**44}
    assert len(biases) == 3

    def smaller(node: Node) -> Node:
        return replace(node, imm=(node.imm[0] >> 2,) if node.imm in biases else node.imm, limit=SUM_MAX)

    BlockProof(graph).check_graph(changed(graph, lambda node: replace(node, limit=SUM_MAX)))
    with pytest.raises(Unproved):
        BlockProof(graph).check_graph(changed(graph, smaller))


# Basic blocks in which a value is compared with p: with 5 added, it reaches 2^130.
COMPARISONS = ("tag/tag", "ends26x2/finish", "ends44x4/finish")


@pytest.mark.parametrize("title", COMPARISONS)
def test_comparisons_with_p(title: str) -> None:
    """A value of p or p - 1 is told from those beside it, in the two cases of one proof."""
    kernel, _, name = title.partition("/")
    graph = graphs_of(kernel)[name]
    assert BlockProof(graph).check_graph() > 0
    for number in (4, 6):
        nodes = [replace(node, imm=(number,)) if node.imm == (5,) and not node.args else node for node in graph.nodes]
        with pytest.raises(Unproved):
            BlockProof(graph).check_graph(replace(graph, nodes=tuple(nodes)))


def test_values_with_5_are_in_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a tag is made of is at least 5, and no more than the contract says."""
    graph = graphs_of("scalar64")["end 5"]
    for narrower in ((6, 5 * 2**128 + 4), (5, 2**130 + 4)):
        monkeypatch.setattr(claims, "X_WORDS", replace(claims.X_WORDS, total=narrower))
        with pytest.raises(Unproved, match="may be"):
            BlockProof(graph).check_graph()


def test_mutants_are_refused() -> None:
    tally = plant_in_graph(graphs_of("scalar64")["block"])
    assert tally.planted > 30
    assert tally.survivors == []


def test_mistakes_differ() -> None:
    """Each node gets a mistake, and each mistake is another graph."""
    for kernel, block in (("rvv2", "step 1"), ("scalar64", "block"), ("vmsl", "step 1"), ("ends26x2", "first 1")):
        graph = graphs_of(kernel)[block].simplified()
        found = list(mistakes(graph))
        assert {mistake.i for mistake in found} == set(range(len(graph.nodes)))
        assert all(mistake.planted(graph).nodes != graph.nodes for mistake in found)


def test_mistakes_are_not_kept() -> None:
    """After a mistake that is refused, the block is proved with nothing in place of what was right."""
    block = GraphMistakes(graphs_of("scalar64")["block"])
    for mistake in mistakes(block.graph):
        with pytest.raises(REFUSALS):
            block.prove(mistake)
        same = Mistake(mistake.i, "nothing", (block.graph.nodes[mistake.i],))
        block.prove(same)
        assert block.reason(same)


def test_survivors_are_named() -> None:
    """What is not refused, and has no reason, is unexplained."""
    tally = Tally()
    tally.plant("nothing", "no mistake", lambda: None, lambda: "")
    tally.plant("nothing", "s390x f, line 1: VZERO V1, changed to VZERO V2", lambda: None, lambda: "a reason")
    assert tally.unexplained() == ["no mistake"]
    assert "    NOT EXPLAINED: no mistake" in tally.lines()


WRONG_ENCODINGS = {
    "20 times a limb, as 5 times": replace(RADIX44.multiplier, derived={3: Derived((1,), 5), 4: Derived((2,), 20)}),
    "another weight": replace(RADIX44.multiplier, weights=(1, 2**44, 2**87)),
}


@pytest.mark.parametrize("name", WRONG_ENCODINGS)
def test_wrong_claims_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "RADIX44", replace(RADIX44, multiplier=WRONG_ENCODINGS[name]))
    with pytest.raises(Unproved):
        BlockProof(graphs_of("ifma")["step 1"]).check_graph()


def prove(title: str, text: str) -> int:
    """Prove a function of the Go module with another text."""
    function = committed()[title]
    return function.prove(function.code(text), Ring())


# A line of a loop, and what is written in its place.
MISTAKES = {
    "the loop keeps another limb": (r"loopavx2By2Step1:\n", r"\g<0>\tVPADDQ Y0, Y0, Y0\n"),
    "one iteration too few": (r"\tJNZ (loopavx2By2Step1)\n", r"\tJZ \1\n"),
    "the message stands still": (r"\tADDQ \$64, CX\n(?=\tDECQ R8\n\tJNZ loopavx2By2Step1)", ""),
    "the counter is added to a pointer": (r"(loopavx2By2Step1:\n)", r"\1\tADDQ $8, R8\n"),
    "the frame is not cleared": (
        r"\tVMOVDQU Y\d+, \d+\(BX\)\n(?=(\tVMOVDQU Y\d+, \d+\(BX\)\n)*(\t[^T\n]*\n)*\tRET)",
        "",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_functions_are_refused(name: str) -> None:
    pattern, text = MISTAKES[name]
    changed, count = re.subn(pattern, text, committed()["amd64 avx2By2"].text(), count=1)
    assert count == 1
    with pytest.raises((Unproved, Mismatch)):
        prove("amd64 avx2By2", changed)


def test_registers_overwritten_in_a_loop_are_not_used_after_it() -> None:
    """The first value of a register, which an iteration overwrites, is no longer there."""
    title = "amd64 scalarBlocks"
    text = committed()[title].text()
    prove(title, text)
    # r is kept in memory; this keeps a word of it in a register that every iteration overwrites.
    body = re.sub(r"\n(loop:\n)", r"\n\tMOVQ 0(DI), R12\n\1\tADDQ R12, R13\n\tMOVQ R13, R12\n", text, count=1)
    assert body != text
    with pytest.raises((Unproved, Mismatch)):
        prove(title, body)


def test_first_values_are_not_those_of_later_iterations() -> None:
    """A loop that takes what the accumulator was before the first iteration is refused."""
    title = "s390x vmslBy1"
    text = committed()[title].text()
    assert prove(title, text) == 1
    saved = text.replace("loopvmslBy1:\n", "\tVLR V0, V31\nloopvmslBy1:\n\tVLR V31, V0\n", 1)
    assert saved != text
    with pytest.raises((Unproved, Mismatch)):
        prove(title, saved)


def test_algebra_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    check_decimated(4, [1, 2])
    check_pairs([1, 2])
    power = Names.power
    with monkeypatch.context() as patch:
        patch.setattr(Names, "power", lambda self, n: power(self, n + (n == 3)))
        with pytest.raises(Unproved):
            check_decimated(4, [1])
        with pytest.raises(Unproved):
            check_pairs([1])


SEED = 11


def test_dispatch_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another tag at one length is noticed."""
    shipped()
    tag = composition.Key.tag
    monkeypatch.setattr(composition.Key, "tag", lambda self, n: tag(self, n + (n == 300)))
    with pytest.raises(Unproved, match="another tag for 300 bytes.* seed 11"):
        for _ in composition.prove_dispatch(SHARED, SEED, range(290, 310)):
            pass


class Faulty:
    """A library in which the tag of one message of a batch of some lengths is wrong."""

    def __init__(self, lengths: list[int], which: int) -> None:
        shipped()
        self.library, self.lengths, self.which = composition.library(SHARED), lengths, which

    def __getattr__(self, name: str) -> object:
        return getattr(self.library, name)

    def hornet_poly1305_batch(self, tags: ctypes.Array[ctypes.c_char], *rest: Any) -> None:
        self.library.hornet_poly1305_batch(tags, *rest)
        if list(rest[1]) == self.lengths:
            tags[16 * self.which] = bytes([tags.raw[16 * self.which] ^ 1])


@pytest.mark.parametrize("place", [0, 5, 15])
def test_batches_refuse(place: int) -> None:
    """A fault that needs one message of a batch to be shorter than all others is noticed, at every place."""
    title, lengths = "avx2, batches with one other length", range(60, 70)
    short = [64] * place + [32] + [64] * (15 - place)
    faulty: Any = Faulty(short, place)
    with pytest.raises(
        Unproved, match=f"another tag for 32 bytes, with messages of {', '.join(map(str, short))} bytes"
    ):
        composition.prove_interface(faulty, title, SEED, lengths)
    assert composition.prove_interface(faulty.library, title, SEED, lengths) == 10


def test_keys() -> None:
    """The keys of a run reach each bit of r, of the pad, and of those that are cleared; others come with another seed."""
    keys = composition.keys_of(SEED, "avx2, one call", composition.KEYS)
    for bit in range(128):
        values = {key.r >> bit & 1 for key in keys}
        assert values == ({0, 1} if composition.CLAMP >> bit & 1 else {0})
    assert composition.CLAMP.bit_count() == 106
    assert [key.key for key in keys] == [key.key for key in composition.keys_of(SEED, "avx2, one call", 4)]
    assert not {key.key for key in keys} & {key.key for key in composition.keys_of(SEED + 1, "avx2, one call", 4)}
    assert len({key.message for key in keys}) == len(keys)
    with pytest.raises(Unproved, match="the same in all keys"):
        composition.check_bits([keys[0].key, keys[2].key])


def test_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that does not run a kernel although the CPU could is refused."""
    shipped()
    hornet: Any = composition.library(SHARED)

    def described(kernel: Any, primitive: object, index: ctypes.c_size_t) -> bool:
        kernel._obj.name, kernel._obj.required, kernel._obj.supported = b"avxifma", b"avx2 avxifma", False
        return index.value == 0

    monkeypatch.setattr(hornet, "hornet_kernel_at", described)
    monkeypatch.setattr(composition, "cpu_features", lambda: {"avx2"})
    assert list(composition.kernels_in(hornet)) == [("avxifma", False)]
    monkeypatch.setattr(composition, "cpu_features", lambda: {"avx2", "avx_ifma"})
    with pytest.raises(Unproved, match="avxifma is not supported"):
        list(composition.kernels_in(hornet))


def test_assumptions_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever proves functions in memory says what it assumes, once for all suites that assume the same."""
    functions = {name: suite for name, suite in suites(Wanted(certify=False)).items() if suite.assumed}
    assert set(functions) == {
        *("go", "go-chacha20", "go-stitched", "objects", "core", "loops"),
        *("aead-seal", "aead-open", "aead-quick", "pieces", "macs", "batches"),
        *("aead-loops", "aead-loops-all"),
    }
    prove_suites({name: suite._replace(proofs=lambda: ()) for name, suite in functions.items()})
    printed = capsys.readouterr().out
    assert "go, go-stitched: it is assumed that" in printed
    for suite in functions.values():
        assert all(printed.count(f"  - {assumption}\n") for assumption in suite.assumed)


def test_command(coconut: Command) -> None:
    assert "0 refused" in coconut("prove", "algebra")
    with pytest.raises(SystemExit, match="no proofs nonsense"):
        coconut("prove", "nonsense")
