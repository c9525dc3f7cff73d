# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of batches, and that wrong programs are refused: what one message gets of another one."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from coconut.lift.machine import Memory
from coconut.lift.objects import Linked
from coconut.prove.batches import (
    FEW_SHARED,
    KEY_BYTES,
    KEYS,
    LENGTHS,
    PACKETS,
    TAG_BYTES,
    Batches,
    bundles,
    prove_messages,
    prove_packets,
)
from coconut.prove.choices import Choice
from coconut.prove.evaluation import RECORDS
from coconut.prove.macs import Macs, Verdicts
from coconut.prove.mutations_objects import changed_line
from coconut.prove.polynomials import Unproved
from coconut.tests.test_prove_macs import choice_of, program

COMPILERS = ("gcc", "clang-19")
RECORD = {record.name: record for record in RECORDS}
MESSAGES = (100, 37, 16, 100, 0, 48)
FORGED = (True, False, True, True, False, True)
SMALL = FEW_SHARED
VERDICTS = (True, False, True, False, True)
# The members of a packet that are pointers, by their offsets.
NONCE, KEY, TAG = 40, 48, 56
CHANGED = 4  # instructions of a name
BATCH = "hornet_poly1305_batch_using"


def first_choice(name: str = "avx2") -> tuple[Linked, Choice]:
    linked = program("gcc")
    return linked, choice_of(linked, name)


@pytest.mark.sample(2)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_messages(compiler: str) -> None:
    """Messages of any lengths, in any order, share lanes; what is left over is computed alone."""
    linked = program(compiler)
    choice = choice_of(linked, "avx2")
    assert "avx2 batch of 4" in prove_messages(linked, choice, MESSAGES).taken
    prove_messages(linked, choice, MESSAGES, FORGED)
    prove_messages(linked, choice, MESSAGES, FORGED, aes=True)


def test_vectors() -> None:
    """Equal messages are in several vectors; messages that follow one another write their tags at once."""
    linked, choice = first_choice("ifma256")
    assert prove_messages(linked, choice, (70,) * 8).taken == ["ifma256 batch of 8"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_packets(compiler: str) -> None:
    linked = program(compiler)
    choice = choice_of(linked, "avx2")
    prove_packets(linked, choice, SMALL)
    prove_packets(linked, choice, SMALL, VERDICTS)
    prove_packets(linked, choice, SMALL, VERDICTS, extended=True)


def exchanged(at: int, size: int, count: int, apart: int) -> Callable[[Memory], None]:
    """Return what exchanges words of a message in memory with those of the next one."""

    def exchange(memory: Memory) -> None:
        for i in range(0, size * count, size):
            first, second = memory.read(at + i, size), memory.read(at + apart + i, size)
            memory.write(at + i, size, second)
            memory.write(at + apart + i, size, first)

    return exchange


def planted(monkeypatch: pytest.MonkeyPatch, function: str, change: Callable[[Batches], None]) -> None:
    """Have a program that changes memory where a function begins."""
    entered = Macs.entered

    def other(calls: Batches, at: int) -> int:
        if at == calls.linked.symbols[function]:
            change(calls)
        return entered(calls, at)

    monkeypatch.setattr(Macs, "entered", other)


@pytest.mark.parametrize(
    ("member", "what", "extended"),
    [
        (NONCE, "output|computed nothing", False),
        (KEY, "output|computed nothing", False),
        (TAG, "word 0 of tag 0 is another number", False),
        (NONCE, "output|computed nothing", True),
    ],
)
def test_of_another_packet(monkeypatch: pytest.MonkeyPatch, member: int, what: str, extended: bool) -> None:
    """Packets that are sealed with each other's nonce or key, or get each other's tag, are refused."""
    linked, choice = first_choice()
    exchange = exchanged(PACKETS + member, 8, 1, 64)
    function = f"hornet_{'x' * extended}chacha20_poly1305_seal_batch"
    planted(monkeypatch, function, lambda calls: exchange(calls.memory))
    with pytest.raises(Unproved, match=what):
        prove_packets(linked, choice, SMALL, extended=extended)


def test_given_tags_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A packet whose tag is compared with that of its neighbour is refused."""
    linked, choice = first_choice()
    exchange = exchanged(PACKETS + TAG, 8, 1, 64)
    planted(monkeypatch, "hornet_chacha20_poly1305_open_batch", lambda calls: exchange(calls.memory))
    with pytest.raises(Unproved, match="that is compared is another number"):
        prove_packets(linked, choice, SMALL, VERDICTS)


def test_keys_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Poly1305's key of one packet, used for another one, is refused."""
    linked, choice = first_choice()

    def exchange(calls: Batches) -> None:
        exchanged(calls.machine.general["rcx"], 8, 4, KEY_BYTES)(calls.memory)

    planted(monkeypatch, BATCH, exchange)
    with pytest.raises(Unproved, match="computed nothing"):
        prove_packets(linked, choice, SMALL)


def test_messages_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A length of another message, and a key of another message, are refused."""
    linked, choice = first_choice()
    for exchange in (exchanged(LENGTHS + 16, 8, 1, 8), exchanged(KEYS, 8, 4, KEY_BYTES)):
        with monkeypatch.context() as inner:
            planted(inner, "hornet_poly1305_batch", lambda calls, exchange=exchange: exchange(calls.memory))  # type: ignore[misc]
            with pytest.raises(Unproved):
                prove_messages(linked, choice, MESSAGES)


def refused(linked: Linked, prove: Callable[[], Batches], function: str, of: str, **changes: object) -> list[bool]:
    """Return, for each instruction of a name that a function has run, whether a change of it is refused."""
    begin = linked.symbols[function]
    end = min(at for at in linked.functions if at > begin)
    found = []
    ran = [linked.lines[at] for at in prove().ran if begin <= at < end]
    for line in [line for line in ran if line.name == of][:CHANGED]:
        change = changes or {"name": "nop", "operands": ()}
        with changed_line(linked, replace(line, **change)):  # type: ignore[arg-type]
            try:
                prove()
            except Unproved:
                found.append(True)
            else:
                found.append(False)
    return found


def test_half_of_a_tag() -> None:
    """Verdicts on one of both words of a tag, and opposite verdicts, are refused."""
    linked, choice = first_choice()
    verify = "hornet_poly1305_verify_batch_using"
    name = next(name for name in linked.symbols if name.startswith(verify) and "cold" not in name)
    name = next((name for name in linked.symbols if name.startswith(f"{verify}_on_stack")), name)

    def prove() -> Batches:
        return prove_messages(linked, choice, (16, 20), (True, False))

    assert any(refused(linked, prove, name, "or"))
    swapped = refused(linked, prove, name, "sete", name="setne")
    assert swapped and all(swapped)


def test_neighbours_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts that are those of another message are refused."""
    linked, choice = first_choice()
    decide = Verdicts.verdict

    def other(verdicts: Verdicts, difference: object) -> bool:
        decide(verdicts, difference)  # type: ignore[arg-type]
        return verdicts.valid[(max(verdicts.decided) + 1) % len(verdicts.valid)]

    monkeypatch.setattr(Verdicts, "verdict", other)
    with pytest.raises(Unproved, match="another verdict"):
        prove_messages(linked, choice, (16, 20), (True, False))


def test_no_clamp() -> None:
    """Lanes in which r is not clamped are refused."""
    linked, choice = first_choice()

    def prove() -> Batches:
        return prove_messages(linked, choice, (100, 97, 97))

    name = next(linked.functions[at] for at in prove().ran if "batch_any_avx2" in linked.functions.get(at, ""))
    found = refused(linked, prove, name, "vpand")
    assert found and all(found)


def test_bundles() -> None:
    """Lanes that are left over have the last message, and few messages are left for others."""
    assert list(bundles(RECORD["avx2"], [100] * 3, 0)) == [[0, 1, 2, 2]]
    assert list(bundles(RECORD["avx2"], [100] * 6, 0)) == [[0, 1, 2, 3]]
    assert list(bundles(RECORD["avx2"], [100] * 4, 101)) == []
    assert list(bundles(RECORD["ifma256"], [100] * 8, 0)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert list(bundles(RECORD["ifma256"], [100] * 7 + [90], 0)) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_count_of_tags() -> None:
    """A tag that no lane has left is not known, and tags are TAG_BYTES apart."""
    linked, choice = first_choice()
    calls = prove_messages(linked, choice, (100,) * 4)
    assert len(calls.tags) == 4 and TAG_BYTES == 16
    with pytest.raises(Unproved, match="computed nothing"):
        calls.tag_of(calls.tags[0].blocks, calls.tags[1].key)
