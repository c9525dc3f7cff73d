# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare instructions of compiled programs with CPUs, here or emulated: what a machine may run is what was compared."""

import re
from functools import cache
from typing import Protocol

from coconut.architectures.scalar_arm64 import ARM64
from coconut.lift.objects import X86_64, Linked
from coconut.native import cpu_features, prefix_of
from coconut.trace import SOURCE

# What a record begins with: a pointer to its name, and the features that the kernel requires (core/dispatch.h).
REQUIRED = 8
# Names of features in core/cpu/x86.def that the system spells in another way.
SPELLED = {"avxifma": "avx_ifma", "avx512vbmi2": "avx512_vbmi2"}


class Named(Protocol):
    @property
    def name(self) -> str: ...


@cache
def features_listed() -> list[str]:
    """Return the features of x86 CPUs as the system spells them, in the order of their bits in a record."""
    text = (SOURCE / "core" / "cpu" / "x86.def").read_text()
    return [SPELLED.get(name, name) for name in re.findall(r"^HORNET_CPU_FEATURE\((\w+)", text, re.MULTILINE)]


def comparable(linked: Linked, record: Named) -> str:
    """Return why the instructions of a kernel cannot be compared here, or nothing if they can.

    On x86-64 they run on this CPU, which may lack a feature that the kernel requires.
    """
    if linked.target != X86_64:
        return "" if prefix_of(ARM64) is not None else f"nothing here runs programs for {linked.target.architecture}"
    required = linked.number(linked.symbols[f"hornet_poly1305_kernel_{record.name}"] + REQUIRED, 4)
    listed = features_listed()
    missing = [name for i, name in enumerate(listed) if required >> i & 1 and name not in cpu_features()]
    return f"this CPU has no {', '.join(missing)}" if missing else ""
