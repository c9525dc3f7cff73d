# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove whole calls of ChaCha20-Poly1305 on 64-bit Arm, for each choice of kernels that a CPU gets there.

The choices are those that the library's own code makes of the features in core/cpu/arm.def: those of the families of
cores, and vector128, which no CPU with NEON gets unless a program forces it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

from coconut.lift.compare import comparable
from coconut.lift.objects import AARCH64, Linked, chosen, compiled, target_of
from coconut.prove.aead import Case, Run
from coconut.prove.calls import SCALAR, Calls, Choice, entries_in_use
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import SOURCE

FORCED = "vector128"
# What is proved of each choice: every layout of ChaCha20, both kernels of Poly1305 if the choice has them, Poly1305 beside
# passes, no text, no associated data, parts of words and blocks, in place and apart.
CASES = (
    Case(False, 0, 0),
    Case(False, 65, 13),
    Case(True, 134, 20, in_place=True),
    Case(False, 200, 5, in_place=True, extended=True),
    Case(True, 321, 0, extended=True),
    Case(False, 600, 3),
    Case(True, 700, 16),
    Case(False, 1100, 70),
    Case(True, 1500, 300),
)


@cache
def features_of_arm64() -> dict[str, str]:
    """Return the features of 64-bit Arm in the order of their bits, and where each comes from (core/cpu/arm.def)."""
    text = (SOURCE / "core" / "cpu" / "arm.def").read_text()
    found = re.search(r"^#ifdef __aarch64__\n(.*?)^#else", text, re.MULTILINE | re.DOTALL)
    features = dict(re.findall(r"^HORNET_CPU_FEATURE\((\w+), (\w+),", found[1], re.MULTILINE)) if found else {}
    if "neon" not in features or "properties" not in features.values():
        raise Unproved("core/cpu/arm.def has no features of 64-bit Arm")
    return features


def families_of_arm64() -> list[str]:
    """Return the families of cores; each core is of exactly one."""
    return [name for name, source in features_of_arm64().items() if source == "properties"]


def choices_of_arm64(linked: Linked) -> list[Choice]:
    """Return the choices of kernels that differ, by the first family that gets each, and the one that is forced."""
    features, found = list(features_of_arm64()), dict[tuple[int, int], Choice]()
    for others in ((), ("aes",)):
        for family in families_of_arm64():
            cpu = sum(1 << features.index(name) for name in ("neon", family, *others))
            entries = entries_in_use(linked, "chacha20", cpu), entries_in_use(linked, "poly1305", cpu)
            found.setdefault(entries, Choice(family, cpu, *entries))
    last = [*found.values()][-1]
    name_at = linked.number(linked.symbols[f"hornet_chacha20_kernel_{FORCED}"], 8)
    return [*found.values(), last._replace(name=FORCED, chacha20=entries_in_use(linked, "chacha20", last.cpu, name_at))]


def prove_cases(linked: Linked, choice: Choice, cases: Sequence[Case], ran: dict[int, None]) -> int:
    """Prove calls, with both verdicts if they open; return how many, and add the instructions that were run."""
    count = 0
    for case in cases:
        for valid in (True, False) if case.opens else (True,):
            try:
                ran |= Run(linked, choice, case, valid).prove().ran
            except Unproved as error:
                raise Unproved(f"{case}, {'valid' if valid else 'not valid'}: {error}") from None
            count += 1
    return count


def layouts_left(linked: Linked, choice: Choice, ran: Iterable[int]) -> dict[str, list[int]]:
    """Return the instructions of ChaCha20's layouts that were not run, by the name of the function."""
    found, had = {}, set(ran)
    for begin, name in Calls(linked, choice).layouts.items():
        end = min(at for at in linked.functions if at > begin)
        left = [
            at for at in range(begin, end, 4) if at not in had and not linked.lines[at].text.startswith(("nop", "hint"))
        ]
        found[name] = left
    return found


def prove_arm64(compilers: Iterable[str] = (), cases: Sequence[Case] = CASES) -> Iterator[Proved]:
    """Prove the calls that compilers for 64-bit Arm made, for all choices of kernels."""
    for compiler in chosen(compilers):
        if target_of(compiler) != AARCH64:
            continue
        linked, ran = compiled(compiler), dict[int, None]()
        reason, lengths = (
            comparable(linked, SCALAR),
            ", ".join(f"{case.length} and {case.aad_length}" for case in cases),
        )
        for choice in choices_of_arm64(linked):
            of = Compiled(linked.version, f"aead {choice.name}", "seal and open", lengths)
            title = f"{linked.version}: AEAD, kernels of {choice.name}"
            if reason:
                yield Proved(title, 0, compiled=of._replace(lengths=""), omitted=reason)
            else:
                yield proved(title, partial(prove_cases, linked, choice, cases, ran), compiled=of)
