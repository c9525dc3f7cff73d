# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test what is written of proofs, and that each way to differ from it is noticed and named."""

import copy
import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from coconut.prove import check, expected, manifest
from coconut.prove.aead import Case, Shared, prove_listed
from coconut.prove.check import Chosen
from coconut.prove.command import Outcome, Wanted, write_manifest
from coconut.prove.evaluation import NamingRing
from coconut.prove.proof import Called, Compiled, Proved
from coconut.prove.reached import KINDS, UNUSED
from coconut.tests.conftest import Command
from coconut.tests.test_prove_aead import SSE2, available
from coconut.tests.test_prove_objects import program

SUITE = "aead-quick"
CASES = (Case(False, 0, 0), Case(True, 20, 5, in_place=True, extended=True))


@cache
def outcome() -> Outcome:
    """Return what became of two calls that are proved."""
    linked = program("gcc")
    calls: list[Called] = []
    claims = prove_listed(linked, available(linked, SSE2), CASES, calls, Shared(), NamingRing())
    of, made = Compiled(linked.version, SSE2, CASES[0].function, "0 and 0"), Outcome(SUITE)
    made.count(Proved("calls", claims, compiled=of, calls=calls))
    return made


@cache
def written() -> str:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "written.json"
        patch.setattr(manifest, "MANIFEST", path)
        write_manifest([program("gcc")], [outcome()], Wanted(seed=5))
        return path.read_text()


@pytest.fixture
def content(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a manifest of the two calls, which are what is expected."""
    stated = tmp_path / "expected.toml"
    expected.rewrite({SUITE: outcome().counts}, stated)
    monkeypatch.setattr(expected, "FILE", stated)
    return json.loads(written())


def checked(content: Any, folder: Path, of: Chosen = Chosen(every=True)) -> None:
    path = folder / "manifest.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    check.check(path, of)


def test_same(content: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written is what is found, and says what was proved."""
    checked(content, tmp_path)
    assert "2 calls are proved, of these archives, with the same instructions" in capsys.readouterr().out
    (archive,), (proof,) = content["archives"], content["proofs"]
    assert archive["sha256"] == program("gcc").sha256 and "-O2" in archive["flags"] and content["seed"] == 5
    assert proof["kernel"] == SSE2 and proof["claims"] == 3
    assert [(call["function"], call["length"]) for call in proof["calls"]] == [
        (case.function, case.length) for case in CASES
    ]
    assert all(call["instructions"] > 500 for call in proof["calls"])
    # The hash is of what is run, of which another call runs another part.
    assert proof["calls"][0]["ran"] != proof["calls"][1]["ran"]
    reached = archive["reached"]
    assert 0 < reached["ran"] < reached["exist"] == reached["ran"] + sum(reached["not"].values())
    assert {*reached["not"]} == {UNUSED, *(kind for _, kind in KINDS)}


def test_proofs_of_all_lengths(content: Any, tmp_path: Path) -> None:
    """What is proved at every length lists no calls."""
    compiler, suite = content["archives"][0]["compiler"], "aead-loops"
    counts = expected.Counts()
    counts.add(compiler, SSE2, 7)
    expected.rewrite({suite: counts}, expected.FILE)
    content["counts"][suite] = counts.found
    content["proofs"].append(content["proofs"][0] | {"suite": suite, "claims": 7, "calls": []})
    checked(content, tmp_path)


def test_hash_of_instructions() -> None:
    """It is that of lines that objdump's output has, too."""
    linked = program("gcc")
    at = linked.symbols["hornet_equal"]
    first = linked.read[at]
    both = manifest.ran_of(linked, [first.after, at])
    assert both["instructions"] == 2 and both == manifest.ran_of(linked, [at, first.after])
    assert both["ran"] != manifest.ran_of(linked, [at])["ran"]


def test_sampled(content: Any) -> None:
    """A seed chooses calls; kernels that are named limit them."""
    compilers = [content["archives"][0]["compiler"]]
    found = {str(check.sampled(content, compilers, Chosen(sample=1, seed=seed))) for seed in range(20)}
    assert len(found) == 2
    assert len(check.sampled(content, compilers, Chosen(kernels=[SSE2]))) == 2
    assert not check.sampled(content, [], Chosen())
    with pytest.raises(ValueError, match=f"no kernels nothing; there are {SSE2}"):
        check.sampled(content, compilers, Chosen(kernels=["nothing"]))


Change = Callable[[Any], object]


def put(*place: Any, to: Any) -> Change:
    """Return what puts something at a place in a manifest."""

    def change(content: Any) -> None:
        for key in place[:-1]:
            content = content[key]
        content[place[-1]] = to

    return change


CALL: tuple[str | int, ...] = ("proofs", 0, "calls", 0)
ARCHIVE: tuple[str | int, ...] = ("archives", 0)
ZEROS = "0" * 64
# What is no manifest, and how that is said.
BAD: dict[str, tuple[Change, str]] = {
    "version": (put("version", to=2), "version: 2 is no number from 1 to 1"),
    "format": (put("format", to="tags"), "format: 'tags' is not proofs of hornet"),
    "field": (lambda content: content["archives"][0].pop("sha256"), r"json: archives\[0\]: sha256 is missing"),
    "entry": (put(*CALL, "more", to=1), r"proofs\[0\]\.calls\[0\]: more is no entry; there are function, "),
    "length": (put(*CALL, "length", to=-1), r"proofs\[0\]\.calls\[0\]\.length: -1 is no number from 0 to 1048576"),
    "long": (put(*CALL, "aad_length", to=1 << 40), r"aad_length: 1099511627776 is no number"),
    "true": (put(*CALL, "length", to=True), "length: True is no number"),
    "type": (put(*CALL, "opens", to=0), "opens: 0 is no bool"),
    "hash": (put(*CALL, "ran", to="A" + ZEROS[1:]), r"ran: 'A0+ is not \[0-9a-f\]\{64\}"),
    "list": (put("proofs", to={}), r"proofs: \{\} is no list"),
    "table": (put("counts", to=[]), r"counts: \[\] is no table"),
    "pair": (put("counts", SUITE, to={"gcc": {SSE2: [1]}}), "is not two numbers"),
    "archives": (put("archives", to=[]), "archives: none"),
    "twice": (lambda content: content["archives"].append(content["archives"][0]), "two of one compiler"),
    "maker": (put("proofs", 0, "compiler", to="cc"), r"proofs\[0\]\.compiler: no archive is made by cc"),
    "command": (put(*ARCHIVE, "command", to="rm -rf"), "'rm -rf' is none of gcc, "),
}


def more_claims(content: Any) -> None:
    """Claim more than is expected, as a run at every length may in another suite."""
    (parts,) = content["counts"][SUITE].values()
    parts[SSE2] = [1, 5]
    content["every_length"] = True


# What differs, and how that is said.
DIFFERENT: dict[str, tuple[Change, str]] = {
    "sha256": (put(*ARCHIVE, "sha256", to=ZEROS), f"the archive has SHA-256 [0-9a-f]*, and not {ZEROS}"),
    "flags": (put(*ARCHIVE, "flags", to="cc -O3"), "the compiler has the flags .*, and not cc -O3"),
    "linker": (put(*ARCHIVE, "linker", to="ld 1"), "the linker is .*, and not ld 1"),
    "linked": (put(*ARCHIVE, "linked", to=ZEROS), f"the linked program has SHA-256 [0-9a-f]*, and not {ZEROS}"),
    "target": (put(*ARCHIVE, "target", to="aarch64"), "the compiler is for x86_64, and not aarch64"),
    "claims": (put("proofs", 0, "claims", to=4), "4 claims, and calls with 3 are listed"),
    "fewer": (lambda content: content["proofs"].clear(), "the proofs that are listed are others than those that are"),
    "no calls": (put("proofs", 0, "calls", to=[]), "calls: no calls are listed"),
    "counts": (lambda content: content["counts"][SUITE].popitem(), "nothing was proved"),
    "function": (put(*CALL, "function", to="main"), "main is not the function of such a call"),
    "repeated": (
        lambda content: content["proofs"][0]["calls"].append(content["proofs"][0]["calls"][0]),
        "is listed twice",
    ),
    "not counted": (lambda content: content["counts"].clear(), f"a proof of {SUITE}, of which none are counted"),
    "more": (more_claims, "5 claims, and 1 proofs with 3 claims expected; if more is right"),
}
# What calls that are proved again show.
OTHER_CALLS: dict[str, tuple[Change, str]] = {
    "kernels": (put("proofs", 0, "kernel", to="none"), "the library never chooses these kernels"),
    "instructions": (put(*CALL, "instructions", to=5), r"\d+ instructions ran, and not 5"),
    "ran": (put(*CALL, "ran", to=ZEROS), "as many instructions ran, but others"),
    "longer": (put(*CALL, "length", to=1), "instructions ran, and not"),
}


@pytest.mark.parametrize("name", [*BAD, *DIFFERENT, *OTHER_CALLS])
def test_different(content: Any, name: str, tmp_path: Path) -> None:
    change, said = (BAD | DIFFERENT | OTHER_CALLS)[name]
    changed = copy.deepcopy(content)
    change(changed)
    with pytest.raises(ValueError) as raised:
        checked(changed, tmp_path, Chosen(every=name in OTHER_CALLS, sample=0))
    assert re.search(said, str(raised.value)), raised.value
    assert str(tmp_path / "manifest.json") in str(raised.value) or name == "command"
    assert ("is not what is found here" in str(raised.value)) == (name not in BAD)


def test_no_manifest(coconut: Command, tmp_path: Path) -> None:
    for text, said in (
        ("{", "no JSON: "),
        ("[]", r"manifest.json: all of it: \[\] is no table"),
        ("[" * 100000, "no JSON: "),
    ):
        with pytest.raises(ValueError, match=said):
            checked(text, tmp_path)
    with pytest.raises(SystemExit, match="No such file"):
        coconut("check", tmp_path / "none.json")


def test_compilers(content: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version, and a compiler that is not installed, are named, and prove nothing."""
    with pytest.raises(ValueError, match="the manifest has nothing of clang; there are gcc"):
        checked(content, tmp_path, Chosen(compilers=["clang"]))
    for name, value, said in (
        ("version_of", lambda _: "gcc 99", "gcc is gcc 99 here"),
        ("is_installed", lambda _: False, "gcc is not installed"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(check, name, value)
            with pytest.raises(ValueError, match=said):
                checked(content, tmp_path)


def test_choices_without_proof(content: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All choices of kernels must have proofs of calls, in a suite that has all."""
    content["counts"] = {"aead-open": content["counts"][SUITE]}
    found = list(check.wrong_choices(content, program("gcc")))
    assert found and not any(SSE2 in text for text in found) and all("nothing is proved of" in text for text in found)
    compiler, name = program("gcc").version, found[0].partition("nothing is proved of ")[2]
    content["omitted"] = {"aead-open": {compiler: {name: "not today"}}}
    for lacking, said in (("no wings", False), ("", True)):
        monkeypatch.setattr(check, "missing", lambda *_, lacking=lacking: lacking)
        other = list(check.wrong_choices(content, program("gcc")))
        assert len(other) == len(found) - 1 + said
        assert (f"{name} is omitted, which this CPU runs: not today" in "".join(other)) == said
    (text,) = check.omissions(content)
    assert text == f"aead-open, {compiler}: nothing is proved of 1 others; the manifest says why, in omitted"
    content["omitted"] = {}
    monkeypatch.setattr(check, "choices", lambda _: [])
    assert list(check.wrong_choices(content, program("gcc"))) == [
        f"aead-open, {program('gcc').version}: the library never chooses {SSE2}"
    ]


def test_refused(content: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls that are not proved again are a difference, and so is a check of no calls."""
    with pytest.raises(ValueError, match="no call was proved again"):
        checked(content, tmp_path, Chosen(sample=0))
    monkeypatch.setattr(check, "missing", lambda *_: "this CPU has no wings")
    with pytest.raises(ValueError, match="no call was proved again"):
        checked(content, tmp_path)


def test_written_as_a_whole(content: Any, tmp_path: Path) -> None:
    """No part of a file is left, and nothing is written that could not be read."""
    path = tmp_path / "made" / "manifest.json"
    write = partial(manifest.write, content["archives"], {}, content["proofs"], path=path)
    write(0)
    assert manifest.read(path)["seed"] == 0 and [each.name for each in path.parent.iterdir()] == [path.name]
    with pytest.raises(ValueError, match="seed: -1 is no number"):
        write(-1)


def test_second_lifter(content: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that seals runs on the second lifter too, if that is asked for; what it says is heard."""
    every = Chosen(every=True, second=True)
    checked(content, tmp_path, every)
    monkeypatch.setattr(check.second, "ran_again", lambda *_: ZEROS)
    with pytest.raises(ValueError, match="0 bytes, 0 of associated data: the second lifter runs others"):
        checked(content, tmp_path, every)
    checked(content, tmp_path)
