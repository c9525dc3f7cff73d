# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that the z14 paper's own assembly is read, runs, and is proved, and that mistakes planted in it are noticed."""

from collections import Counter
from pathlib import Path

import pytest

from coconut.handwritten import read_written
from coconut.prove.go_files import assembled, check_made
from coconut.prove.proof import REFUSALS
from lab.schedules import originals
from lab.schedules.originals import (
    LENGTHS,
    PROVED,
    VERSIONS,
    inputs,
    lost_carries,
    proof,
    right_on_samples,
    rows_of_blocks,
    rows_of_loops,
    text_of,
    wrong_in_emulator,
    wrong_tags,
)
from lab.schedules.tests.conftest import Command

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module", autouse=True)
def fetched() -> None:
    try:
        originals.module()
    except OSError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("version", VERSIONS)
def test_as_go_reads_it(version: str) -> None:
    """Without macros, the file makes the same bytes, of which llvm-mc disassembles what the table says."""
    text, name = text_of(version), VERSIONS[version].function
    plain = read_written(text).source.text()
    found, wanted = assembled(plain, "s390x"), assembled(text, "s390x")
    assert found.constants == wanted.constants and found.functions.keys() == wanted.functions.keys()
    assert all(made.content == wanted.functions[of].content for of, made in found.functions.items())
    # Without macros, each instruction has a line of its own; VLM is read as several.
    code, made = read_written(plain).code(name), found.functions[name]
    once = {number for number, count in Counter(line.number for line in code.lines).items() if count == 1}
    lines = [(entry.line, entry.text, entry) for entry in made.entries if entry.line in once]
    assert len(lines) > 300
    check_made(code, lines, made)


@pytest.mark.parametrize("version", VERSIONS)
def test_run(version: str) -> None:
    count, wrong = wrong_tags(version, inputs(LENGTHS[::3]))
    assert count > 400 and not wrong


@pytest.mark.parametrize("version", VERSIONS)
def test_lost_carry(version: str) -> None:
    """The code of the paper makes wrong tags of these messages, in the interpreter as in qemu."""
    count, wrong = wrong_tags(version, lost_carries())
    assert (wrong > 0) == (version == "vmsl")
    assert wrong_in_emulator(version) == (count, wrong)


@pytest.mark.parametrize(("version", "name"), [(version, name) for version, names in PROVED.items() for name in names])
def test_proof(version: str, name: str) -> None:
    """A proof succeeds for as many bits as samples allow."""
    text = text_of(version)
    bits, _, refused = proof(version, name, text)
    assert right_on_samples(version, name, text, bits)
    if bits:
        assert refused and not right_on_samples(version, name, text, bits + 1)


# Mistakes, each in the macro that a proof is of.
MISTAKES = {
    "another limb": ("vmsl", "MULTIPLY", "VMSLG m02_0, r_1, m4_1, m4_1", "VMSLG m02_0, r_2, m4_1, m4_1"),
    "a carry times 9": ("vmsl", "REDUCE", "VESLG  $2, t2, t9     \\ // h2 carry x5", "VESLG  $3, t2, t9     \\"),
    "a mask for another limb": ("vmsl", "REDUCE", "VN     t7, h2, h2", "VN     t6, h2, h2"),
    "a block without its 1": ("vmsl", "loop", "VLEIB  $10, $1, M5\n\n", "\n"),
    "the other power": ("vmsl", "loop", "VMRHG  H0_1, T_3, H0_0", "VMRLG  H0_1, T_3, H0_0"),
    "no carry": ("vx", "REDUCE", "VAG    T_2, h4, h4", "VAG    T_1, h4, h4"),
    "bits cut": ("vx", "EXPAND", "VESRLG $30, d2, d3", "VESRLG $31, d2, d3"),
    "a pad that is not added": ("vx", "PACK, MOD", "VAQ   T_0, H_0, H_0", "VAQ   H_0, H_0, H_0"),
    "p + 1": ("vmsl", "PACK, MOD", "VLEIG $1, $5, t0", "VLEIG $1, $6, t0"),
    "one sum less": ("vx", "loop", "VAG    H_4, F_4, F_4", "VAG    F_4, F_4, F_4"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused(mistake: str) -> None:
    version, name, right, wrong = MISTAKES[mistake]
    text = text_of(version)
    assert right in text
    with pytest.raises(REFUSALS):
        proof(version, name, text.replace(right, wrong))


def test_shared_registers() -> None:
    """One use of a macro writes the register that is zero in it; what it leaves there is not used."""
    assert originals.shared_registers().endswith("says nothing: `MULTIPLY`, line 688 of sum_vmsl_s390x.s.")


def test_schedules() -> None:
    """Those in the published results."""
    published = (HERE.parent / "results" / "originals.md").read_text(encoding="utf-8")
    for row in (*rows_of_loops(), *rows_of_blocks()):
        assert f"| {' | '.join(row)} |" in published


def test_draw(command: Command) -> None:
    picture = Path(command("draw", "poly1305vmsl/REDUCE").strip()).read_text()
    assert ">poly1305vmsl/REDUCE: data flow of 52 operations<" in picture and picture.count("#d9ead3") > 52
    with pytest.raises(SystemExit, match="macros with a graph are EXPACC, MULTIPLY, REDUCE"):
        command("draw", "poly1305vmsl/PACK")
