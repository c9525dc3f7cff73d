# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of ChaCha20: the definition, what is proved, and that mistakes are refused."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from coconut import operations
from coconut.architectures.arm64_words import ARM64_WORDS
from coconut.architectures.s390x_words import S390X_WORDS
from coconut.architectures.scalar_amd64_words import AMD64_WORDS
from coconut.architectures.words import words
from coconut.assembler import ParseError
from coconut.graph import Node
from coconut.interpret import line_of
from coconut.prove import chacha20
from coconut.prove import mutations_chacha20 as mutations
from coconut.prove.chacha20 import (
    GO,
    Claim,
    GoFunction,
    block_of,
    go_functions,
    graphs_of,
    prove_graph,
    prove_program,
    with_counter,
)
from coconut.prove.mutations_chacha20 import Unsound, plant_in_function, plant_in_graph
from coconut.prove.planting import Tally, changed_functions, every_second
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import REFUSALS
from coconut.prove.terms import Term
from coconut.select import select

FUNCTIONS = {function.title: function for function in go_functions()}


def test_definition() -> None:
    """Compute the block of RFC 8439, section 2.3.2."""
    key = [int.from_bytes(bytes(range(4 * i, 4 * i + 4)), "little") for i in range(8)]
    state = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, 1, 0x09000000, 0x4A000000, 0]
    # fmt: off
    assert block_of(state) == [
        0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3, 0xC7F4D1C7, 0x0368C033, 0x9AAA2204, 0x4E6CD4C3,
        0x466482D2, 0x09AA9F07, 0x05D7C214, 0xA2028BD9, 0xD19C12B5, 0xB94E16DE, 0xE883D0CB, 0x4E3C50A2,
    ]
    # fmt: on
    assert with_counter(state[:12] + [0xFFFFFFFF, 7], 3) == [*state[:12], 2, 7]


def test_graphs_and_selections() -> None:
    """Prove four lanes, and the words in general registers."""
    proved = [*chacha20.prove_graphs(["chacha20-128"]), *chacha20.prove_selections(["chacha20-128"])]
    assert len(proved) == 2 * 34 + 88
    assert all(proof.claims for proof in proved)
    for graph in graphs_of(["chacha20-256"]):
        if graph.name in {"lanes 1 begin", "lanes 1 double round in turn", "lanes 1 lanes end"}:
            one = graph.one_lane(-1)
            assert prove_program(select(AMD64_WORDS, one), Claim.of(one, -1)) == 16
            if graph.name != "lanes 1 double round in turn":
                with pytest.raises(Unproved):
                    prove_program(select(AMD64_WORDS, one), Claim.of(one, 1))


@pytest.mark.parametrize(
    "title",
    ["amd64 xor8AVX2", "amd64 stream4AVX512", "arm64 xor4", "s390x xor4", "riscv64 xor1", "amd64 xor8MAC4AVX2"],
)
def test_any_groups(title: str) -> None:
    """Prove functions by induction, and of two groups as they run."""
    function = FUNCTIONS[title]
    if function.is_xor:
        assert function.prove_any_groups() and function.prove_any_groups(in_place=True)
    assert function.prove_groups(1 + function.is_xor, rounds=10)


@pytest.mark.parametrize("title", ["amd64 mask8AVX2", "amd64 mask16AVX512", "arm64 mask4", "s390x mask4"])
def test_masks(title: str) -> None:
    assert FUNCTIONS[title].prove_groups(1) == FUNCTIONS[title].prove_groups(1, in_place=True)


def test_stitched_blocks() -> None:
    assert FUNCTIONS["amd64 xor8And2AVX2"].prove_groups(1, in_place=True)


def test_all_functions() -> None:
    """Every function of the files is known."""
    assert len(FUNCTIONS) >= 31 and {function.code.name for function in FUNCTIONS.values()} >= {"xor4", "stream1"}
    text = (GO / "chacha20" / "emitted_arm64.s").read_text()
    with pytest.raises(Unproved):
        GoFunction.of(text.replace("stream1", "other1"), "func other1(dst *byte, state *State)", "other1", "arm64")
    with pytest.raises(ParseError, match="dst is not at 0"):
        GoFunction.of(text, "func stream1(state *State, dst *byte)", "stream1", "arm64")
    with pytest.raises(Unproved, match="arguments of 16 bytes"):
        GoFunction.of(text, "func stream1(dst *byte, state *State, groups uint64)", "stream1", "arm64")


def test_other_places() -> None:
    """Refuse an output that is missing, twice, or where none belongs."""
    graph = next(graph for graph in graphs_of(["chacha20-128"]) if graph.name == "rows 1 stream end")
    *others, last = graph.nodes
    prove_graph(graph, Claim.of(graph))
    for nodes in ((*others,), (*others, last, last), (*graph.nodes, replace(last, imm=(1, 64), name="out[4]"))):
        with pytest.raises(Unproved):
            prove_graph(replace(graph, nodes=nodes), Claim.of(graph))


# Mistakes in tables, by what they change, and a graph or a function whose proof must refuse them.
TABLES: dict[str, tuple[dict[str, Any], str, Any, str]] = {
    "rotation": (
        operations.OPERATIONS,
        "rotl32",
        operations.each(lambda imm, a: (a << imm[0] | a >> 31 - imm[0]) & 0xFFFFFFFF),
        "lanes 1 double round",
    ),
    "sum of 33 bits": (operations.OPERATIONS, "add32", operations.each(lambda imm, a, b: a + b), "lanes 1 begin"),
    "row of the state": (
        operations.STATE_LOADS,
        "state_row",
        lambda lanes, at, state: state[at // 8 : at // 8 + 4] * (lanes // 4),
        "rows 1 begin",
    ),
    "insert": (
        ARM64_WORDS.instructions,
        "sri",
        replace(ARM64_WORDS.instructions["sri"], meaning=words(lambda imm, d, a: a >> imm)),
        "arm64 xor4",
    ),
    "merge": (
        S390X_WORDS.instructions,
        "vmrhf",
        replace(S390X_WORDS.instructions["vmrhf"], meaning=lambda imm, a, b: (a[0], b[0], b[1], a[1])),
        "s390x xor4",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_table_mistake(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table, key, value, where = TABLES[name]
    monkeypatch.setitem(table, key, value)
    # The readers keep patterns of instructions, with their meanings.
    for architecture in (ARM64_WORDS, S390X_WORDS):
        monkeypatch.delitem(vars(architecture.go), "forms", raising=False)
    with pytest.raises(REFUSALS):
        if where.startswith(("lanes", "rows")):
            graph = next(graph for graph in graphs_of(["chacha20-128"]) if graph.name == where)
            prove_graph(graph, Claim.of(graph))
        else:
            next(function for function in go_functions() if function.title == where).prove_groups(1)


def edited(title: str, edit: Callable[[list[str]], list[str]]) -> GoFunction:
    """Return a function whose lines are changed."""
    function = FUNCTIONS[title]
    code = function.code
    texts = edit([line.text for line in code.lines])
    lines = [line_of(i, text, code.architecture, code.scalar) for i, text in enumerate(texts)]
    labels = {text[:-1]: i for i, text in enumerate(texts) if text.endswith(":")}
    return replace(function, code=replace(code, lines=lines, labels=labels))


def put_before(at: str, *new: str) -> Callable[[list[str]], list[str]]:
    return lambda texts: [line for text in texts for line in ((*new, text) if text == at else (text,))]


def without(left_out: str) -> Callable[[list[str]], list[str]]:
    return lambda texts: [text for text in texts if text != left_out]


def without_first(left_out: str) -> Callable[[list[str]], list[str]]:
    return lambda texts: [text for i, text in enumerate(texts) if i != texts.index(left_out)]


# Mistakes in functions that one group does not show: what the next one needs, or what nothing has set.
SECOND_GROUP = {
    "constants": ("amd64 xor8AVX2", put_before("DECQ R8", "ADDQ $32, CX")),
    "state": ("amd64 xor8AVX2", put_before("DECQ R8", "ADDQ $4, DX")),
    "advance": ("amd64 xor8AVX2", without("ADDQ $512, SI")),
    "advance of the argument": ("amd64 xor8MAC4AVX2", without("ADDQ $512, dst+0(FP)")),
    "message": ("amd64 xor8MAC4AVX2", put_before("DECQ groups+40(FP)", "ADDQ $1, SI")),
    "keystream": ("amd64 combineAVX2", without("ADDQ $64, DX")),
    "counted twice": ("arm64 xor4", put_before("CBNZ R4, group", "SUB $1, R4, R4")),
    "loaded once": (
        "s390x xor4",
        lambda texts: [
            texts[texts.index("group:") + 1],
            *texts[: texts.index("group:") + 1],
            *texts[texts.index("group:") + 2 :],
        ],
    ),
    # What groups share: the counter, in a register that the loop leaves as it is, and a column that it changes.
    "counter shared": (
        "s390x xor4",
        lambda texts: [
            "VLR V31, V12" if text == "VLREPF 48(R4), V12" else text
            for text in put_before("group:", "VLREPF 48(R4), V31")(texts)
        ],
    ),
    "column changed": ("s390x xor4", put_before("BRCTG R5, group", "VX V2, V2, V2")),
}


@pytest.mark.parametrize("name", SECOND_GROUP)
def test_second_group(name: str) -> None:
    title, edit = SECOND_GROUP[name]
    function = edited(title, edit)
    assert [line.text for line in function.code.lines] != [line.text for line in FUNCTIONS[title].code.lines]
    with pytest.raises(REFUSALS):
        function.prove_any_groups()


MISTAKES = {
    "flag": ("amd64 xor8AVX2", put_before("JNZ group", "ADDQ $0, CX")),
    "not cleared": ("amd64 xor8AVX2", without("VMOVDQU Y0, 0(SP)")),
    "register": ("amd64 xor8AVX2", without("VPXOR X7, X7, X7")),
    "counter": ("amd64 xor8AVX2", without("ADDL $8, 48(DX)")),
    "beyond": ("amd64 stream2AVX2", put_before("RET", "VMOVDQU Y0, 128(DI)")),
    "beside the state": ("amd64 xor8AVX2", put_before("DECQ R8", "ADDL $0, 64(DX)")),
    # What the arguments say of a pass: the first block, which is not the message's, and the number of blocks.
    "key combined": ("amd64 pass10AVX512VL", without_first("ADDQ $64, R10")),
    "block too many": ("amd64 pass10AVX512VL", put_before("DECQ R8", "ADDQ $1, R8")),
    "key though nil": ("amd64 pass2AVX2", without("JZ message")),
    "blocks left in the frame": ("amd64 pass2AVX2", without("VMOVDQU Y0, 32(BX)")),
    "row too many": ("amd64 mask8AVX2", put_before("RET", "VMOVDQU Y0, 128(DI)")),
    "sample too many": ("amd64 mask8AVX2", put_before("RET", "VMOVDQU 128(SI), Y0", "VPXOR Y0, Y0, Y0")),
    "counted though samples count": ("amd64 mask8AVX2", put_before("RET", "ADDL $8, 48(DX)")),
    "other word of the state": ("amd64 stream2AVX2", put_before("RET", "ADDL $1, 52(DX)")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_in_text(name: str) -> None:
    title, edit = MISTAKES[name]
    function = edited(title, edit)
    assert len(function.code.lines) != len(FUNCTIONS[title].code.lines)
    with pytest.raises(REFUSALS):
        function.prove_groups(1)


def test_mutations() -> None:
    """Plant mistakes in some graphs, and in some lines of functions; the reasons of all survivors are known."""
    tally = Tally()
    for graph in graphs_of(["chacha20-128"]):
        if graph.name in {
            *("lanes 1 xor end", "rows 1 begin", "rows 1 double round", "lanes 2 lanes end"),
            *("lanes 1 samples begin", "lanes 1 row end"),
        }:
            plant_in_graph(graph, tally)
    assert tally.planted > 400 and sum(tally.refused.values()) > 0.9 * tally.planted
    reasons = {reason for _, reason in tally.survivors}
    assert reasons == {mutations.UNUSED_NODE, mutations.UNUSED_OPERAND}
    tally = Tally()
    for title in ("arm64 stream1", "s390x stream2", "amd64 stream2MAC4AVX2"):
        plant_in_function(FUNCTIONS[title], tally, 7)
    assert tally.planted > 300 and sum(tally.refused.values()) > 0.95 * tally.planted
    assert {reason for _, reason in tally.survivors} == {mutations.SAME}
    assert len([*tally.lines()]) == 2


def test_every_node_is_changed() -> None:
    """Half of the changes are in all nodes that have some, and of all kinds."""
    for graph in graphs_of(["chacha20-128"]):
        every = [[kind for kind, _ in mutations.changed_nodes(graph, i)] for i in range(len(graph.nodes))]
        half = [every_second(kinds, i) for i, kinds in enumerate(every)]
        assert [bool(kinds) for kinds in half] == [bool(kinds) for kinds in every]
        assert sum(map(len, half)) < 0.7 * sum(map(len, every))


def test_reasons() -> None:
    """A reason is given only where it holds."""
    graph = next(graph for graph in graphs_of(["chacha20-128"]) if graph.name == "rows 1 begin")
    claim = Claim.of(graph)
    values = chacha20.graph_values(graph, claim, claim.inputs())
    i = next(i for i, node in enumerate(graph.nodes) if node.op == "add32")
    node = graph.nodes[i]

    def reason(changed: Node, at: int = i) -> str:
        return mutations.reason_in_graph(graph, at, changed, values)

    assert reason(replace(node, op="xor32")) == mutations.ADDS_ZERO
    assert reason(replace(node, op="xor32", args=node.args[:1] * 2)) == ""
    other = [values[graph.nodes[i].args[0]]] * len(values)
    assert mutations.reason_in_graph(graph, i, replace(node, op="xor32"), other) == ""
    graph = next(graph for graph in graphs_of(["chacha20-128"]) if graph.name == "rows 1 double round")
    at = next(i for i, node in enumerate(graph.nodes) if node.op == "shuffle")
    shuffle = graph.nodes[at]
    first, second = shuffle.args
    assert reason(replace(shuffle, args=(first, second - 1)), at) == mutations.UNUSED_OPERAND
    assert reason(replace(shuffle, args=(first - 1, second)), at) == ""
    # What differs and is taken.
    function = mutations.with_rounds(FUNCTIONS["arm64 stream1"], mutations.ROUNDS)
    taken = next(changed for changed in changed_functions(function.code) if changed.text.startswith("VEOR"))
    assert mutations.reason_in_function(function, taken, chacha20.Words()) == ""


def test_unsound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notice terms that are equal without being so."""
    monkeypatch.setattr(Term, "__lshift__", lambda self, by: self.terms.term([(16, 16, self.slices[0][2], 0)]))
    monkeypatch.setattr(Term, "__rshift__", lambda self, by: self.terms.term([(0, 16, self.slices[0][2], 16)]))
    graph = next(graph for graph in graphs_of(["chacha20-128"]) if graph.name == "rows 1 double round")
    with pytest.raises(Unsound):
        plant_in_graph(graph, Tally())
