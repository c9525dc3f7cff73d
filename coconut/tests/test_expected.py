# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that fewer proofs than expected, more, and none are failures."""

from pathlib import Path

import pytest

from coconut.prove import command, expected, manifest
from coconut.prove.command import Outcome, Suite, Wanted, failures
from coconut.prove.expected import MORE, Counts, differences, read, rewrite
from coconut.prove.proof import Compiled, Proved
from coconut.tests.conftest import Command

STATED = """
[graphs]
"avx2" = [2, 10]
"ifma" = [1, 4]

[objects."gcc 12.2.0"]
"avx2" = [3, 20]
"ifma" = [3, 30]
"""


GCC = "gcc 12.2.0"


@pytest.fixture
def stated(tmp_path: Path) -> Path:
    path = tmp_path / "expected.toml"
    path.write_text(STATED)
    return path


def counts(**parts: tuple[int, int]) -> Counts:
    return Counts({"": {part: list(count) for part, count in parts.items()}})


def made_by(compiler: str, **parts: tuple[int, int]) -> Counts:
    return Counts({compiler: counts(**parts).found[""]})


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (counts(avx2=(2, 10), ifma=(1, 4)), []),
        (counts(avx2=(2, 10)), ["graphs, ifma: 0 proofs with 0 claims, and 1 proofs with 4 claims expected"]),
        (counts(avx2=(1, 10), ifma=(1, 4)), ["graphs, avx2: 1 proofs with 10 claims"]),
        (counts(avx2=(2, 9), ifma=(1, 4)), ["graphs, avx2: 2 proofs with 9 claims"]),
        (counts(avx2=(2, 11), ifma=(1, 4)), [MORE]),
        (counts(avx2=(2, 10), ifma=(1, 4), neon=(1, 1)), ["graphs, neon: 1 proofs with 1 claims"]),
        (Counts(), ["graphs: nothing was proved"]),
    ],
)
def test_differences(stated: Path, made: Counts, what: list[str]) -> None:
    found = differences("graphs", made, (), stated)
    assert len(found) == len(what) and all(text in line for text, line in zip(what, found, strict=True))


def test_compilers(stated: Path) -> None:
    """All kernels of each compiler are expected; another version has as many proofs, and another compiler has none."""
    this = [GCC]
    assert not differences("objects", made_by(GCC, avx2=(3, 20), ifma=(3, 30)), this, stated)
    missing = differences("objects", made_by(GCC, avx2=(3, 20)), this, stated)
    assert len(missing) == 1 and "objects, gcc 12.2.0, ifma: 0 proofs" in missing[0] and MORE not in missing[0]
    other = Counts({"clang 19.1.7": {"avx2": [3, 20]}})
    assert len(differences("objects", other, this, stated)) == 3
    newer = made_by("gcc 14.1.0", avx2=(3, 25), ifma=(3, 30))
    assert not differences("objects", newer, ["gcc 14.1.0"], stated)
    assert differences("objects", made_by("gcc 14.1.0", avx2=(2, 25), ifma=(3, 30)), ["gcc 14.1.0"], stated)
    assert differences("objects", Counts({"gcc 12.2.0, aarch64": {"avx2": [3, 20]}}), (), stated)


def test_omitted(stated: Path) -> None:
    """What this CPU cannot compare is not expected, but all of a suite cannot be omitted; the file keeps it."""
    made = made_by(GCC, avx2=(3, 20))
    made.omitted["gcc 12.2.0", "ifma"] = "this CPU has no avx512ifma"
    assert not differences("objects", made, ["gcc 12.2.0"], stated)
    rewrite({"objects": made, "graphs": counts(avx2=(2, 11))}, stated)
    assert read(stated)["objects"]["gcc 12.2.0"] == {"avx2": [3, 20], "ifma": [3, 30]}
    assert read(stated)["graphs"][""] == {"avx2": [2, 11]}
    assert differences("objects", Counts(omitted=made.omitted), ["gcc 12.2.0"], stated)


def test_the_file_is_complete() -> None:
    """Every suite is in the file, but what proves more of one, and all machine code of the default compilers."""
    stated, suites = read(), command.suites(Wanted())
    assert {*stated} == {name for name, suite in suites.items() if not (suite.extra and suite.named)} | {
        *command.quick()
    }
    compilers = {"gcc 12.2.0", "clang 19.1.7", "gcc 12.2.0, aarch64", "clang 19.1.7, aarch64"}
    assert {*stated["objects"]} == {*stated["core"]} == compilers
    assert all(min(count) > 0 for suite in stated.values() for parts in suite.values() for count in parts.values())


def test_failures(stated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that proves nothing fails, and so does one that proves nothing of a compiler that was named."""
    monkeypatch.setattr(expected, "FILE", stated)
    wanted = {"loops": Suite("paths", lambda: (), compiled=True)}
    outcome = Outcome("loops")
    outcome.run(())
    assert "loops: nothing was proved" in failures(wanted, [outcome], Wanted())
    outcome.count(Proved("gcc 12.2.0: avx2 mac", 5, compiled=Compiled("gcc 12.2.0", "avx2")))
    named = Wanted(compilers=("gcc", "aarch64-linux-gnu-gcc"))
    assert failures(wanted, [outcome], named)[-1] == "nothing is proved of what gcc 12.2.0, aarch64 makes"
    with pytest.raises(ValueError, match="a proof of nothing"):
        outcome.count(Proved("gcc 12.2.0: ifma mac", 0))
    with pytest.raises(ValueError, match="no proofs are chosen"):
        command.prove({})


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["loops", "--compiler", "aarch64-linux-gnu-gcc"], "loops: nothing was proved"),
        (["core", "--compiler", "gcc-0"], "not installed: gcc-0"),
        (["core", "--compiler", ""], "not installed: "),
        (["shipped", "nonsense"], "no proofs nonsense"),
    ],
)
def test_command_fails(
    coconut: Command, words: list[str], what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(manifest, "MANIFEST", tmp_path / "manifest.json")
    (tmp_path / "manifest.json").write_text("of an earlier run")
    with pytest.raises(SystemExit, match=what):
        coconut("prove", *words)
    assert not (tmp_path / "manifest.json").exists() or "nothing was proved" not in what
