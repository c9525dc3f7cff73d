# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read which kernels a compiled library chooses for each CPU, and which passes its kernels of ChaCha20 take.

The choice is the library's own: its function runs, on public numbers, for the CPUs that there are.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from coconut.lift.compare import REQUIRED, SPELLED, comparable, features_listed, lacking
from coconut.lift.objects import X86_64, Linked
from coconut.prove.core import ENTRY_BYTES
from coconut.prove.evaluation import record_called
from coconut.prove.objects import MACHINES
from coconut.prove.polynomials import Unproved
from coconut.trace import SOURCE

LISTS = ("chacha20", "poly1305")
FALLBACK_BIT = 31
FORCED = "vector128"
SCALAR = record_called("scalar64")
# What x86-64's CPUs have, each in addition to those before it.
LADDER = (
    ("sse2",),
    ("ssse3", "aes"),
    ("avx2", "bmi2"),
    ("avx512f", "avx512vl", "avx512bw"),
    ("avx512ifma", "avx512vbmi2"),
)
# Without AVX-512, AVX-IFMA.
BESIDE_AVX512 = "avxifma"
# The properties that are no family of cores.
WIDTHS = ("full_width_zmm", "no_zmm_downclock")


class Choice(NamedTuple):
    """The kernels that a CPU gets: their names, the features of one such CPU, and the entries in use of both lists."""

    name: str
    cpu: int
    chacha20: int
    poly1305: int


class Layout(NamedTuple):
    """A layout of a pass: the address of its function, how many blocks it computes, and how many Poly1305 absorbs beside
    each of its double rounds."""

    function: int
    blocks: int
    beside: int


class Kernel(NamedTuple):
    """A kernel of ChaCha20: its layouts, and which of them a pass over a number of blocks takes: the first, and others.

    For more blocks than the table has, its last ones repeat, `period` at a time (chacha20.h).
    """

    layouts: list[Layout]
    period: int
    first: list[int]
    others: list[int]

    def passes(self, blocks: int) -> list[tuple[bool, int]]:
        """Return the passes over a number of blocks: whether each is the first, and its layout."""
        found, left = [(True, self.first[self.entry(blocks)])], blocks
        left -= self.layouts[found[0][1]].blocks - 1
        while left > 0:
            found.append((False, self.others[self.entry(left)]))
            left -= self.layouts[found[-1][1]].blocks
        return found

    def entry(self, blocks: int) -> int:
        count = len(self.first) - 1
        return blocks if blocks <= count else count - -blocks % self.period


# struct hornet_chacha20_kernel (chacha20.h), after the name, what it requires, and the lanes: the layouts, how many they
# are, and the table of passes.
LAYOUTS, LAYOUTS_COUNT, PERIOD, COUNT, FIRST, OTHERS = 24, 32, 40, 41, 48, 56
LAYOUT_BYTES, BLOCKS, STITCHED = 16, 8, 11
RECORD = "hornet_chacha20_kernel_"


@cache
def kernels_of_chacha20(linked: Linked) -> dict[int, Kernel]:
    """Return the kernels that a program has, by the addresses of their records."""
    found = {}
    for at, name in linked.named:
        if not name.startswith(RECORD) or at in linked.lines:
            continue
        layouts, count = (linked.number(at + offset, 8) for offset in (LAYOUTS, LAYOUTS_COUNT))
        entries = linked.number(at + COUNT, 1) + 1
        tables = [[linked.number(linked.number(at + o, 8) + i, 1) for i in range(entries)] for o in (FIRST, OTHERS)]
        found[at] = Kernel(
            [
                Layout(linked.number(i, 8), linked.number(i + BLOCKS, 2), linked.number(i + STITCHED, 1))
                for i in range(layouts, layouts + LAYOUT_BYTES * count, LAYOUT_BYTES)
            ],
            linked.number(at + PERIOD, 1),
            *tables,
        )
    if not found:
        raise Unproved(f"{linked.archive} has no kernel of ChaCha20")
    return found


def functions_of_layouts(linked: Linked) -> frozenset[int]:
    """Return the addresses of the functions of all layouts."""
    return frozenset(layout.function for kernel in kernels_of_chacha20(linked).values() for layout in kernel.layouts)


def features(*names: str) -> int:
    """Return the bits of features in a record."""
    known = features_listed()
    return sum(1 << known.index(SPELLED.get(name, name)) for name in names)


def cpus_with_x86_64() -> Iterator[int]:
    """Yield the features of CPUs with x86-64, of each family of cores, whether there is such a CPU or not."""
    named = [name for step in (*LADDER, (BESIDE_AVX512,), WIDTHS) for name in step]
    families = [name for name in features_listed() if name not in {SPELLED.get(x, x) for x in named}]
    ladder = [sum(LADDER[:i], ()) for i in range(1, len(LADDER) + 1)]
    without = next(step for step in ladder if "avx2" in step)
    for step in (*ladder, (*without, BESIDE_AVX512)):
        for widths in ((), WIDTHS[:1], WIDTHS[1:], WIDTHS) if "avx512f" in step else ((),):
            yield from (features(*step, *widths, *family) for family in ((), *((name,) for name in families)))


@cache
def features_of_arm64() -> dict[str, str]:
    """Return the features of 64-bit Arm in the order of their bits, and where each comes from (core/cpu/arm.def)."""
    text = (SOURCE / "core" / "cpu" / "arm.def").read_text()
    found = re.search(r"^#ifdef __aarch64__\n(.*?)^#else", text, re.MULTILINE | re.DOTALL)
    features = dict(re.findall(r"^HORNET_CPU_FEATURE\((\w+), (\w+),", found[1], re.MULTILINE)) if found else {}
    if "neon" not in features or "properties" not in features.values():
        raise Unproved("core/cpu/arm.def has no features of 64-bit Arm")
    return features


def cpus_with_arm64() -> Iterator[int]:
    """Yield the features of CPUs with 64-bit Arm, of each family of cores."""
    known = list(features_of_arm64())
    for others in ((), ("aes",)):
        for family in (name for name, source in features_of_arm64().items() if source == "properties"):
            yield sum(1 << known.index(name) for name in ("neon", family, *others))


@cache
def variables(linked: Linked) -> dict[int, tuple[int, int]]:
    """Return the bytes of data, as the program has them at first, as cells of memory."""
    return {at + i: (1, byte) for at, content in linked.data.items() for i, byte in enumerate(content)}


def entries_in_use(linked: Linked, which: str, cpu: int, forced: int = 0) -> int:
    """Return what hornet_dispatch_entries, which runs, chooses for a CPU, and a name at an address, if it is forced."""
    machine = MACHINES[linked.target.architecture].on(linked, dict(variables(linked)))
    machine.call(linked.symbols["hornet_dispatch_entries"], [linked.symbols[f"hornet_{which}_list"], cpu, forced])
    found = machine.general[machine.RESULT]
    if not isinstance(found, int) or not found & 0xFFFFFFFF:
        raise Unproved(f"no kernel for a CPU with features {cpu:#x}")
    return found & 0xFFFFFFFF


def records_in_use(linked: Linked, which: str, in_use: int) -> list[int]:
    """Return the addresses of the records of entries in use, without the fallback."""
    entries = linked.symbols[f"hornet_{which}_entries"]
    return [linked.number(entries + ENTRY_BYTES * i, 8) for i in range(FALLBACK_BIT) if in_use >> i & 1]


def new_records(linked: Linked, choice: Choice, known: set[int]) -> dict[str, list[int]]:
    """Return the records that a choice has and no known one, by the list that they are in; they are known then."""
    found = {which: records_in_use(linked, which, getattr(choice, which)) for which in LISTS}
    new = {which: [at for at in records if at not in known] for which, records in found.items()}
    known.update(at for records in new.values() for at in records)
    return new


@cache
def choices(linked: Linked) -> list[Choice]:
    """Return what CPUs get; of those that get the same entries, the first."""
    found: dict[tuple[int, ...], int] = {}
    for cpu in cpus_with_x86_64() if linked.target == X86_64 else cpus_with_arm64():
        found.setdefault(tuple(entries_in_use(linked, which, cpu) for which in LISTS), cpu)
    if linked.target != X86_64:
        # No CPU gets this kernel there, unless a program forces it.
        *_, (entries, cpu) = found.items()
        name_at = linked.number(linked.symbols[RECORD + FORCED], 8)
        found[entries_in_use(linked, LISTS[0], cpu, name_at), entries[1]] = cpu
    names = [
        " with ".join(kernels_named(linked, which, bits) for which, bits in zip(LISTS, in_use, strict=True))
        for in_use in found
    ]
    # Choices with the same kernels differ in the lengths from which on these serve; the CPU tells them apart.
    return [
        Choice(name + (f" on {family_of(linked, cpu)}" if names.index(name) < i else ""), cpu, *in_use)
        for i, (name, (in_use, cpu)) in enumerate(zip(names, found.items(), strict=True))
    ]


def check_named(names: Iterable[str], known: Collection[str]) -> None:
    """Raise ValueError if a name is not that of a choice that is known."""
    if unknown := set(names) - set(known):
        raise ValueError(f"no kernels {'; '.join(sorted(unknown))}; there are {'; '.join(known)}")


def choice_named(linked: Linked, name: str) -> Choice:
    return next(choice for choice in choices(linked) if choice.name == name)


def kernels_named(linked: Linked, which: str, in_use: int) -> str:
    prefix = f"hornet_{which}_kernel_"
    names = [linked.functions[at].removeprefix(prefix) for at in records_in_use(linked, which, in_use)]
    return ", ".join(dict.fromkeys(names))


def family_of(linked: Linked, cpu: int) -> str:
    """Return the properties of a CPU."""
    known = features_listed() if linked.target == X86_64 else list(features_of_arm64())
    first = known.index(WIDTHS[0]) if linked.target == X86_64 else known.index("neon") + 1
    return ", ".join(name for i, name in enumerate(known) if i >= first and cpu >> i & 1)


def missing(linked: Linked, choice: Choice) -> str:
    """Return why the kernels of a choice cannot be compared here, or nothing if they can."""
    if linked.target != X86_64:
        return comparable(linked, SCALAR)
    required = 0
    for which in LISTS:
        for at in records_in_use(linked, which, getattr(choice, which)):
            required |= linked.number(at + REQUIRED, 4)
    return lacking(required)
