# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove whole calls of ChaCha20-Poly1305 on 64-bit Arm, for each choice of kernels that a CPU gets there.

The choices are those that the library's own code makes of the features in core/cpu/arm.def: one for each family of cores,
and vector128, which no CPU with NEON gets unless a program forces it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

from coconut.lift.objects import AARCH64, Linked, chosen, compiled, target_of
from coconut.prove.aead import Case, Run
from coconut.prove.calls import Choice, entries_in_use
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import SOURCE

FORCED = "vector128"
# Of each list, a kernel that has its name, by which it is forced.
NAMED = "hornet_chacha20_kernel_"


@cache
def features_of_arm64() -> list[str]:
    """Return the features and families of 64-bit Arm in the order of their bits (core/cpu/arm.def)."""
    text = (SOURCE / "core" / "cpu" / "arm.def").read_text()
    found = re.search(r"^#ifdef __aarch64__\n(.*?)^#else", text, re.MULTILINE | re.DOTALL)
    features = re.findall(r"^HORNET_CPU_FEATURE\((\w+), (\w+)", found[1], re.MULTILINE) if found else []
    if not features or features[0][0] != "neon":
        raise Unproved("core/cpu/arm.def has no features of 64-bit Arm")
    return [name for name, _ in features]


@cache
def families_of_arm64() -> list[str]:
    """Return the families of cores, of which each has exactly one."""
    text = (SOURCE / "core" / "cpu" / "arm.def").read_text()
    return [name for name in features_of_arm64() if re.search(rf"\({name}, properties,", text)]


def choices_of_arm64(linked: Linked) -> list[Choice]:
    """Return the choices of kernels that CPUs get: those that differ, under the name of the first family that gets it."""
    features, found = features_of_arm64(), dict[tuple[int, int], Choice]()
    for others in ([], ["aes"]):
        for family in families_of_arm64():
            cpu = sum(1 << features.index(name) for name in ("neon", family, *others))
            entries = entries_in_use(linked, "chacha20", cpu), entries_in_use(linked, "poly1305", cpu)
            found.setdefault(entries, Choice(family, cpu, *entries))
    last = [*found.values()][-1]
    name_at = linked.number(linked.symbols[NAMED + FORCED], 8)
    forced = entries_in_use(linked, "chacha20", last.cpu, name_at)
    return [*found.values(), Choice(FORCED, last.cpu, forced, last.poly1305)]
