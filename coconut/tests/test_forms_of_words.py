# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that instructions are compared on symbolic words: errors that only words show are found, and an instruction runs on
words only where it was compared on words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coconut.lift import amd64, compare
from coconut.lift.amd64 import Amd64, Amd64Flags
from coconut.lift.compare import Comparison
from coconut.lift.forms import forms_of
from coconut.lift.objects import X86_64
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.terms import Difference, Sum, Symbolic, Term, Terms
from coconut.tests.test_forms import assembled, compared

Change = Callable[..., Any]


def on_words(original: Change, change: Change) -> Change:
    """Return a function that is changed for symbolic words only."""

    def changed(*operands: Any) -> Any:
        found = original(*operands)
        return change(*operands) if any(isinstance(operand, Symbolic) for operand in operands) else found

    return changed


# What is changed, of which owner, and an instruction by which the comparison must find it.
PLANTED: dict[str, tuple[Any, str, Callable[[Change], Change], str]] = {
    "a mask": (Term, "masked", lambda masked: lambda self, mask: masked(self, mask >> 1), "movzbl %sil, %ebx"),
    "a shift": (Term, "__lshift__", lambda shift: lambda self, by: shift(self, by + (by == 7)), "shl $7, %rbx"),
    "an inversion": (Terms, "xor", lambda xor: lambda self, *parts: xor(self, *(p for p in parts if p[0])), "not %rbx"),
    "a sum": (Sum, "word", lambda word: lambda self: word(self) ^ 1, "vpaddd %xmm1, %xmm2, %xmm0"),
    "a constant in a sum": (Sum, "value", lambda value: lambda self: value(self) - self.constant, "add $5, %rbx"),
    "a conversion": (
        Terms,
        "polynomial",
        lambda of: lambda self, slices: of(self, tuple(slices)[:1]),
        "imul %rsi, %rbx",
    ),
    "pieces": (
        Terms,
        "pieces_of",
        lambda of: lambda self, atom: [(0, 32, of(self, atom)[0][2] & 0xFFFF)],
        "vpmuludq %xmm1, %xmm2, %xmm0",
    ),
    "a part of a register": (
        amd64,
        "replaced",
        lambda replaced: on_words(replaced, lambda before, mask, value: value),
        "mov %bl, %cl",
    ),
    "a verdict": (Difference, "decided", lambda _: lambda self: True, "test %rbx, %rbx"),
    "the other verdict": (Difference, "decided", lambda _: lambda self: False, "test %rbx, %rbx"),
    "the last operand of a comparison": (
        Difference,
        "__or__",
        lambda join: lambda self, other: self if isinstance(other, Difference) else join(self, other),
        "or %rbx, %rsi",
    ),
    "a carry": (
        Amd64Flags,
        "carry",
        lambda carry: lambda self: 1 if isinstance(self.a, Term) else carry(self),
        "adc %rsi, %rbx",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_errors_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    owner, attribute, change, text = PLANTED[name]
    for verdict in compared(tmp_path, [text]).values():
        assert not verdict.reason and verdict.words and verdict.together
    monkeypatch.setattr(owner, attribute, change(getattr(owner, attribute)))
    assert all(verdict.differs for verdict in compared(tmp_path, [text]).values())


def test_what_words_were_compared_together(tmp_path: Path) -> None:
    """Both operands of a sum may be words, and what says which bytes are shuffled may not."""
    texts = [
        "add %rsi, %rbx",
        "and %rsi, %rbx",
        "or %rsi, %rbx",
        "vpshufb %xmm1, %xmm2, %xmm0",
        "div %rsi",
        "shr %cl, %rbx",
        "pcmpgtw %xmm1, %xmm2",
        "je . + 64",
    ]
    found = {text.split()[0]: verdict.together for text, verdict in compared(tmp_path, texts).items()}
    assert found["add"] >= {1, 2, 3} and found["or"] >= {1, 2, 3}
    assert found["and"] >= {1, 2, 3} and found["pcmpgtw"] >= {1, 2, 3}
    # Other bytes than the first one of what says how far is shifted may be words.
    assert found["shr"] >= {1, 2, 3}
    # The places are those of the operands as they are written: the first one says which bytes.
    assert not any(which & 1 for which in found["vpshufb"]) and 2 in found["vpshufb"]
    assert not any(which & 1 for which in found["div"]) and not found["je"] - {0}


def machine_with(folder: Path, text: str, general: dict[str, Any], cells: dict[int, Any]) -> tuple[Amd64, int]:
    linked = assembled(folder, [text])
    (at,) = linked.read
    machine = Amd64.on(linked, {place: (8, value) for place, value in cells.items()})
    assert isinstance(machine, Amd64)
    machine.general |= {"rbx": 7, "rsi": 9, "rdi": 0x1000} | general
    return machine, at


def test_words_that_were_not_compared_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    word = Terms(Ring()).variable("word")
    other = word.terms.variable("other")
    for text, general, cells, place in (
        ("add %rsi, %rbx", {"rsi": word}, {}, 1),
        ("add %rsi, %rbx", {"rbx": word}, {}, 2),
        ("add %rsi, %rbx", {"rbx": word, "rsi": other}, {}, 3),
        ("add (%rdi), %rbx", {"rbx": 3}, {0x1000: word}, 2),
        ("add (%rdi), %rbx", {"rbx": other}, {0x1000: word}, 3),
    ):
        machine, at = machine_with(tmp_path, text, general, cells)
        comparison = Comparison(X86_64, Amd64)
        monkeypatch.setitem(compare.COMPARISONS, Amd64, comparison)
        comparison.compare(machine.linked, forms_of(machine.linked, machine.linked.read.values()))
        (verdict,) = comparison.verdicts.values()
        machine.advance(at)
        before = set(verdict.together)
        verdict.together -= {place}
        again, at = machine_with(tmp_path, text, general, cells)
        comparison.passed.clear()
        with pytest.raises(Unproved, match="not compared with a CPU on such symbolic words"):
            again.advance(at)
        # Nothing else is asked of public numbers and of other words.
        verdict.together |= before
        verdict.together.intersection_update({place})
        comparison.passed.clear()
        machine_with(tmp_path, text, general, cells)[0].advance(at)
        machine_with(tmp_path, text, {}, dict.fromkeys(cells, 5))[0].advance(at)


def test_words_in_memory_that_is_no_operand_are_refused(tmp_path: Path) -> None:
    """A return address, or what a function saved, is read by no operand."""
    word = Terms(Ring()).variable("word")
    machine, at = machine_with(tmp_path, "leave", {"rbp": 0x7FFF_FFFF_0000}, {0x7FFF_FFFF_0000: word})
    with pytest.raises(Unproved, match="memory that is no operand"):
        machine.advance(at)
