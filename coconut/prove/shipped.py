# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove that build/libhornet.so has the functions of build/libhornet.a, whose machine code is proved."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from coconut.lift.elf import Elf, maker_of, members, same_functions
from coconut.lift.objects import shipped, shipped_by
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import ROOT

SHARED = ROOT / "build" / "libhornet.so"


def prove_same(archive: bytes, shared: Path) -> int:
    """Prove that a shared library has the functions of an archive, but for bytes that linkers fill in."""
    objects = members("libhornet.a", archive)
    library = Elf(shared.name, shared.read_bytes())
    return same_functions(objects, library)


def prove_shipped() -> Iterator[Proved]:
    of = Compiled(shipped_by(), SHARED.name)
    yield proved(f"{of.compiler}: {SHARED.name}", partial(prove_same, shipped(), SHARED), compiled=of)
