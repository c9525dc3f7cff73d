# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocks of one's own are scheduled, emitted and run as the READMEs say; and the field of P-224 is proved."""

import re
import shutil
from pathlib import Path

import pytest

from coconut.__main__ import run as run_coconut
from coconut.tests.sections import commands, run, section, write_files
from coconut.tests.test_commands import check_go
from coconut.trace import ROOT
from lab.p224 import compare

P224 = ROOT / "lab" / "p224"
# What each command of the section must print.
PRINTED = {
    "draw": "mersenne-multiply.svg",
    "table": "| mersenne/multiply | znver4 |",
    "orders": "| list |",
    "emit": "mersenneMultiplyAvx2: mersenne/multiply, ",
}


def test_section(tmp_path: Path) -> None:
    write_files(section("docs/coconut.md", "A block of your own"), tmp_path)
    found = commands(section("lab/schedules/README.md", "Blocks of your own"))
    assert [command.split()[3] for command in found] == list(PRINTED)
    for command, printed in zip(found, PRINTED.values(), strict=True):
        ran = run(command, tmp_path, {"schedules": "lab.schedules"})
        assert ran.returncode == 0 and printed in ran.stdout, f"{command}\n{ran.stdout}{ran.stderr}"
    assert "vpmuludq" in (tmp_path / "mine" / "emitted" / "gnu" / "mersenneMultiplyAvx2.S").read_text()


@pytest.fixture
def p224(tmp_path: Path) -> Path:
    shutil.copy(P224 / "p224.cc", tmp_path)
    return Path(shutil.copy(P224 / "p224.toml", tmp_path))


def prove(file: Path) -> None:
    run_coconut(["--with", str(file), "prove"])


def test_p224(p224: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is proved with certificates, and each mistake that is not refused computes the same."""
    prove(p224)
    assert re.search(r"p224 +8 +12 +4 ", capsys.readouterr().out)
    run_coconut(["--with", str(p224), "simulate"])
    run_coconut(["--with", str(p224), "mutations", "p224/multiply"])
    assert ", 0 of them not explained" in capsys.readouterr().out


# What is written in place of something, and why that is refused.
MISTAKES = {
    "the last carry is dropped": ("sum_add(mod_c(s0), folded(s1))", "mod_c(s0)", "is another number"),
    "a bound that some input exceeds": ("folded(s1)), 112)", "folded(s1)), 111)", "sum_add.* may be .* above 0x7ff"),
    "a bias that is no multiple of p": ("UINT64_MAX - 4", "UINT64_MAX - 3", "is another number"),
    "a bias that is too small": ("UINT64_C(5) << 48", "UINT64_C(4) << 48", "may be|is another number"),
    "a carry that goes elsewhere": ("sum_bytes(q3, 0, 2, 12)", "sum_bytes(q3, 0, 2, 11)", "is another number"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_p224_mistakes(p224: Path, name: str) -> None:
    old, new, message = MISTAKES[name]
    source = p224.with_name("p224.cc")
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    with pytest.raises(SystemExit, match=message):
        prove(p224)


def test_p224_in_go(p224: Path, tmp_path: Path) -> None:
    """What is emitted runs in Go's assembler, too, and a mistake is noticed in GNU's."""
    ran = run(f"schedules --with {p224} emit --folder {tmp_path}", tmp_path, {"schedules": "lab.schedules"})
    assert ran.returncode == 0 and ran.stdout.count("run by qemu-s390x") == 2, ran.stdout + ran.stderr
    shutil.copy(Path(__file__).parents[1] / "blocks_test.go", tmp_path)
    (tmp_path / "go.mod").write_text("module emitted\n\ngo 1.24\n")
    check_go(tmp_path, "vet", ".", GOARCH="s390x")
    check_go(tmp_path, "test", "-exec", "qemu-s390x -cpu max", ".", GOARCH="s390x")


def test_p224_compared() -> None:
    """The published figures of VMSL are those of a new run, which checks all products."""

    def rows(text: str) -> dict[str, list[str]]:
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line]
        return {line[0]: line[1:] for line in lines}

    published, found = rows((P224 / "results.md").read_text()), rows(compare.report(quick=True))
    assert all(published[title] == figures for title, figures in found.items() if title.startswith("VMSL"))
    calls = {title: figures for title, figures in found.items() if len(figures) == 4}
    assert 2 * int(calls["VMSL, as a function"][0]) < int(calls["Go's `p224Mul`"][0])
