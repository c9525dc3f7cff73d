# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes, one at a time, which proofs must refuse, in the lines of functions and the nodes of graphs.

A mistake that is not refused must compute the same, for a reason that is known.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from coconut.assembler import ParseError
from coconut.interpret import Code, Line
from coconut.operations import Value
from coconut.prove.proof import REFUSALS

Change = TypeVar("Change")


class Unsound(Exception):
    """Raised if a change that a sample notices is not refused."""


@dataclass
class Tally:
    """How many mistakes were planted and refused, by kind; the others, each with the reason, or "" if none is known."""

    tried: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    survivors: list[tuple[str, str]] = field(default_factory=list)

    def plant(self, kind: str, title: str, prove: Callable[[], object], reason: Callable[[], str]) -> None:
        """Count a mistake, which `prove` contains. The reason is asked for if it is not refused."""
        self.tried[kind] += 1
        try:
            prove()
        except REFUSALS:
            self.refused[kind] += 1
        else:
            self.survivors.append((title, reason()))

    @property
    def planted(self) -> int:
        return sum(self.tried.values())

    def unexplained(self) -> list[str]:
        return [title for title, reason in self.survivors if not reason]

    def lines(self) -> Iterator[str]:
        """Yield a summary, with an example of each reason, and all that have none."""
        kinds = ", ".join(f"{kind} {number}" for kind, number in self.tried.most_common())
        yield f"{self.planted} mistakes ({kinds}), {len(self.survivors)} not refused"
        by_reason: dict[str, list[str]] = {}
        for title, reason in self.survivors:
            by_reason.setdefault(reason, []).append(title)
        for reason, titles in by_reason.items():
            if reason:
                yield f"    {len(titles)} compute the same: {reason}; such as {titles[0]}"
            else:
                yield from (f"    NOT EXPLAINED: {title}" for title in titles)


def every_second(changes: Sequence[Change], i: int) -> Sequence[Change]:
    """Return every second change of node i, from the first or the second on, but not none of them."""
    return changes[i % 2 :: 2] or changes


def recomputed(
    users: Sequence[Sequence[int]],
    values: Sequence[Value],
    i: int,
    compute: Callable[[int, Sequence[Value]], Value],
    same: Callable[[Value, Value], bool],
) -> list[Value]:
    """Return the values of a graph whose node i is changed: it and what follows from it, as far as that differs."""
    found, waiting = list(values), {i}
    for j in range(i, len(values)):
        if j in waiting and not same(new := compute(j, found), values[j]):
            found[j] = new
            waiting.update(users[j])
    return found


# Instructions with the same operands.
OTHERS = (
    ("VPADDD", "VPXOR"),
    ("VPADDD", "VPXORD"),
    ("VPSLLD", "VPSRLD"),
    ("VPUNPCKLDQ", "VPUNPCKHDQ"),
    ("VPUNPCKLQDQ", "VPUNPCKHQDQ"),
    ("VPERM2I128", "VSHUFI32X4"),
    ("VADD", "VEOR"),
    ("VZIP1", "VZIP2"),
    ("VAF", "VX"),
    ("VMRHF", "VMRLF"),
    ("VMRHG", "VMRLG"),
    ("ADDL", "XORL"),
    ("ADDQ", "ADCQ"),
    ("JZ", "JNZ"),
    ("CBZ", "CBNZ"),
    ("DECQ", "INCQ"),
    ("VPBROADCASTD", "VMOVDQU"),
    ("VBROADCASTI128", "VMOVDQU"),
    ("VSHL", "VSRI"),
    ("VREV32", "VREV64"),
    ("VPADDQ", "VPSUBQ"),
    ("VPSLLQ", "VPSRLQ"),
    ("VPMADD52LUQ", "VPMADD52HUQ"),
    ("VAG", "VSG"),
    ("VESLG", "VESRLG"),
    ("ADDS", "SUBS"),
    ("ADC", "SBC"),
    ("MUL", "UMULH"),
    ("ADDC", "ADDE"),
)
OTHER = dict(OTHERS) | {b: a for a, b in OTHERS}
VECTOR = re.compile(r"(?<![A-Z0-9])([XYZVFR])(\d+)")


def other_registers(text: str) -> Iterator[str]:
    """Yield a line with another register in one place."""
    for found in VECTOR.finditer(text):
        name, number = found[1], int(found[2])
        for other in (number + 1, abs(number - 1)):
            yield f"{text[: found.start()]}{name}{other}{text[found.end() :]}"


def other_numbers(text: str) -> Iterator[str]:
    """Yield a line with another immediate number."""
    if (found := re.search(r"\$(-?\d+)", text)) is not None:
        for by in (1, -1):
            yield f"{text[: found.start()]}${int(found[1]) + by}{text[found.end() :]}"


def other_offsets(text: str) -> Iterator[str]:
    """Yield a line with another offset of its operand in memory."""
    if (found := re.search(r"(\d+)(?=\((?!FP)\w+\))", text)) is not None:
        for by in (4, 16, -16):
            if int(found[1]) + by >= 0:
                yield f"{text[: found.start()]}{int(found[1]) + by}{text[found.end() :]}"


def other_operations(text: str) -> Iterator[str]:
    mnemonic, _, operands = text.partition(" ")
    if mnemonic in OTHER:
        yield f"{OTHER[mnemonic]} {operands}"


def swapped_operands(text: str) -> Iterator[str]:
    """Yield a line with its first two operands exchanged, unless that makes no difference."""
    mnemonic, _, operands = text.partition(" ")
    parts = operands.split(", ")
    if len(parts) >= 2 and parts[0] != parts[1] and not COMMUTATIVE.fullmatch(mnemonic):
        yield f"{mnemonic} {', '.join([parts[1], parts[0], *parts[2:]])}"


def other_arguments(text: str) -> Iterator[str]:
    """Yield a line with another argument's offset."""
    if (found := re.search(r"(\d+)(?=\(FP\))", text)) is not None:
        yield f"{text[: found.start()]}{int(found[1]) + 8}{text[found.end() :]}"


LINE_KINDS: dict[str, Callable[[str], Iterator[str]]] = {
    "register": other_registers,
    "operation": other_operations,
    "number": other_numbers,
    "offset": other_offsets,
    "operands": swapped_operands,
    "argument": other_arguments,
    "left out": lambda text: iter(["VZEROUPPER"]),
}
# Their first two operands can be swapped.
COMMUTATIVE = re.compile(
    r"VP(ADD[DQ]|XORD?|OR|AND|MULUDQ|MADD52[LH]UQ)|V(ADD|EOR|A[FG]|X|O|N|MSLG)"
    r"|MUL|MULHU|UMULH|ADDS?|ADCS?|ORR?|XOR|EOR|AND"
)


@dataclass(frozen=True)
class Changed:
    """A function with a line that is changed, and how."""

    kind: str
    i: int
    before: Line
    text: str
    code: Code

    def title(self, function: str) -> str:
        return f"{function}, line {self.before.number}: {self.before.text}, changed to {self.text}"


def changed_functions(
    code: Code, every: int = 1, chosen: Callable[[Line], bool] = lambda line: True
) -> Iterator[Changed]:
    """Yield a function with each line changed in each way, or every n-th of these changes; what cannot be read is none."""
    number = 0
    for i, line in enumerate(code.lines):
        if line.text.endswith(":") or line.text.startswith(("PCALIGN", "RET", "VZEROUPPER")) or not chosen(line):
            continue
        for kind, change in LINE_KINDS.items():
            for text in change(line.text):
                number += 1
                if number % every:
                    continue
                try:
                    changed = code.with_line(i, text)
                except ParseError:
                    continue
                yield Changed(kind, i, line, text, changed)
