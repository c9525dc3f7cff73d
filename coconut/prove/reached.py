# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Count which instructions calls have run, of those that they can reach.

A function is reached from another one that calls it, jumps to it or into it, and, if that calls what a register or memory
says, from it also the functions of the lists: ChaCha20's layouts, and those of Poly1305's kernels.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from coconut.architectures.amd64_compiled import IDLE
from coconut.lift.forms import TARGET
from coconut.lift.objects import Line, Linked
from coconut.prove.choices import functions_of_layouts

JUMP = re.compile(r"j\w+|call|bl?|b\.\w+|[ct]bn?z")
INDIRECT = re.compile(r"br|blr")


def is_filler(line: Line) -> bool:
    """Return whether an instruction only fills the place up to the next function or loop."""
    return line.name in IDLE - {"vzeroupper", "endbr64"} or line.text.replace(" ", "") in {"xchg%ax,%ax", "hint#0x0"}


def functions_of(linked: Linked) -> dict[int, list[Line]]:
    """Return the instructions of each function, by its address."""
    starts = sorted(at for at in linked.functions if at in linked.read)
    found: dict[int, list[Line]] = defaultdict(list)
    for at, line in linked.read.items():
        place = bisect_right(starts, at)
        if place and not is_filler(line):
            found[starts[place - 1]].append(line)
    return found


def listed(linked: Linked) -> set[int]:
    """Return the functions that lists name, and that calls of the AEAD use."""
    found = set(functions_of_layouts(linked))
    for at, name in linked.named:
        if name.startswith("hornet_poly1305_kernel_") and at not in linked.lines:
            found |= {
                linked.entry(name.removeprefix("hornet_poly1305_kernel_"), member) for member in ("mac", "absorb")
            }
    return found


def reachable(linked: Linked, roots: Iterable[int]) -> dict[int, list[Line]]:
    """Return the functions that those at the roots reach, with their instructions."""
    functions = functions_of(linked)
    starts = sorted(functions)
    waiting, found = list(roots), dict[int, list[Line]]()
    while waiting:
        at = waiting.pop()
        start = starts[bisect_right(starts, at) - 1]
        if start in found or at not in linked.read:
            continue
        found[start] = functions[start]
        for line in found[start]:
            if (JUMP.fullmatch(line.name) and line.operands[-1].startswith("*")) or INDIRECT.fullmatch(line.name):
                waiting += listed(linked)
            elif JUMP.fullmatch(line.name) and line.operands and TARGET.fullmatch(line.operands[-1]):
                waiting.append(int(line.operands[-1].split()[0], 16))
    return found


def unreached(
    linked: Linked, functions: Mapping[int, Sequence[Line]], ran: Collection[int]
) -> Iterator[tuple[str, list[Line], int]]:
    """Yield each function, of those that are reached, with instructions that were not run: its name, these, and how many
    it has."""
    for start, lines in functions.items():
        if missing := [line for line in lines if line.at not in ran]:
            yield linked.functions[start], missing, len(lines)


# What is not run in calls of the AEAD that are proved, by the names of functions, and why; functions of kernels of which
# nothing at all is run have another reason.
KINDS = (
    (re.compile("hornet_cpu.*|hornet_dispatch.*|hornet_aead_kernels_in_use"), "the choice of kernels, made earlier"),
    (re.compile("chacha20_.*"), "parts of ChaCha20's passes, for texts of other lengths"),
    (re.compile("poly1305_.*"), "parts of Poly1305's kernels, for parts of a block, and other numbers of groups"),
    (re.compile(".*"), "code around kernels, for texts of other lengths"),
)
OF_KERNELS, UNUSED = re.compile("(chacha20|poly1305)_.*"), "functions of kernels that no proved call takes"


def summary(linked: Linked, roots: Iterable[int], ran: Collection[int]) -> dict[str, Any]:
    """Return how many instructions exist that those at the roots reach, how many of them ran, and of the others, how many
    are of each kind."""
    functions = reachable(linked, roots)
    exist = sum(map(len, functions.values()))
    missing: dict[str, int] = {}
    for name, lines, count in unreached(linked, functions, ran):
        kind = next(kind for names, kind in KINDS if names.fullmatch(name))
        if len(lines) == count and OF_KERNELS.fullmatch(name):
            kind = UNUSED
        missing[kind] = missing.get(kind, 0) + len(lines)
    return {"exist": exist, "ran": exist - sum(missing.values()), "not": missing}
