# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove that build/libhornet.so has the functions of build/libhornet.a, whose machine code is proved, and that the library
serves every message by a kernel whose machine code is, on every CPU.

Which kernel serves a message is enumerated, by the functions of the archive: for all sets of features and properties of a
CPU, and all lengths around which the choice changes. cpu.c, which detects the features, is tested: test_dispatch.c.
"""

import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from coconut.lift.elf import Elf, members, same_functions
from coconut.lift.objects import OBJECTS, shipped, shipped_by
from coconut.prove.evaluation import RECORDS
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import HERE, ROOT

SHARED = ROOT / "build" / "libhornet.so"
SELECTION = HERE / "blocks" / "selection.c"
RECORD = "hornet_poly1305_kernel_"


def prove_same(archive: bytes, shared: Path) -> int:
    """Prove that a shared library has the functions of an archive, but for bytes that linkers fill in."""
    return same_functions(members("libhornet.a", archive), Elf(shared.name, shared.read_bytes()))


def prove_selection(archive: bytes, proved_records: frozenset[str]) -> int:
    """Prove that each choice of a kernel is one of these records, which the CPU can run; return the number of lengths."""
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=OBJECTS) as private:
        library, program = Path(private) / "libhornet.a", Path(private) / "selection"
        library.write_bytes(archive)
        subprocess.run(["cc", "-O2", "-no-pie", SELECTION, library, "-o", program], check=True)
        ran = subprocess.run([program], capture_output=True, text=True, check=False)
        names = {symbol.value: symbol.name for symbol in Elf("selection", program.read_bytes()).symbols}
    if ran.returncode != 0:
        raise Unproved(ran.stdout.strip() or f"selection.c returns {ran.returncode}")
    lengths, *served = ran.stdout.split()
    found = {names.get(int(at, 16), at).removeprefix(RECORD) for at in served}
    if not found or not found <= proved_records:
        raise Unproved(f"{', '.join(sorted(found - proved_records))} serves messages, and is not proved")
    return int(lengths)


def prove_shipped() -> Iterator[Proved]:
    maker, archive = shipped_by(), shipped()
    of = Compiled(maker, SHARED.name)
    yield proved(f"{maker}: {SHARED.name}", partial(prove_same, archive, SHARED), compiled=of)
    of = Compiled(maker, "selection", "hornet_dispatch_entries", "every length")
    records = frozenset(record.name for record in RECORDS)
    yield proved(f"{maker}: selection of kernels", partial(prove_selection, archive, records), compiled=of)
