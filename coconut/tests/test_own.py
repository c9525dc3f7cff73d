# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocks of one's own: what docs/coconut.md says is done to the letter, and mistakes are named."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from coconut import own, trace
from coconut.__main__ import run as run_coconut
from coconut.prove.checker import Checker, Refused
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Ring
from coconut.simulate import Mismatch
from coconut.tests.sections import commands, run, section, write_files

SECTION = section("docs/coconut.md", "A block of your own")
# What each command of the section must print.
PRINTED = {
    "blocks": "mersenne/multiply ",
    "print": "mul32(a[0], b[0])",
    "simulate": "mersenne: 1 basic blocks, 2 selections, 400 simulations agree",
    "prove": "4 proofs, 0 refused",
    "mutations": "0 of them not explained",
}


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Path]:
    """Write the files of the section, and return the one that describes the block; forget the block afterwards."""
    before = set(trace.KERNELS)
    yield write_files(SECTION, tmp_path)[0]
    for name in trace.KERNELS.keys() - before:
        del trace.KERNELS[name]


def test_section(mine: Path, tmp_path: Path) -> None:
    found = commands(SECTION)
    assert [command.split()[3] for command in found] == list(PRINTED)
    for command, printed in zip(found, PRINTED.values(), strict=True):
        ran = run(command, tmp_path, {"coconut": "coconut"})
        assert ran.returncode == 0 and printed in ran.stdout, f"{command}\n{ran.stdout}{ran.stderr}"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


# In which file something is written in place of something else, and how the first command that notices it says so.
MISTAKES = {
    "an expression": ("toml", '"a * b + c"', '"a * b - c"', "simulate", r"sample 0: a is 0x\w+, and a \* b - c is 0x"),
    "a modulus": ("toml", '"2^31 - 1"', '"2^31 - 3"', "simulate", r"sample \d+: a is 0x\w+, and a \* b \+ c is"),
    "a limit": ("cc", "(P + 2)", "(P + 1)", "prove", r"a\.0\[0\] may be 0x0 to 0x80000001, beyond 0x0 to 0x80000000"),
    "a fold": ("cc", "fold(fold(a))", "fold(a)", "prove", r"a\.0\[0\] may be 0x0 to 0x100000002, beyond 0x0 to"),
    "a name": ("toml", "a * b", "a * d", "blocks", r"mersenne\.toml: \[multiply\] a = 'a \* d \+ c': d is no input"),
    "no expression": ("toml", "a * b", "a b", "blocks", r"\[multiply\] a = 'a b \+ c': 'a b \+ c' is no expression"),
    "a call": ("toml", "a * b", "f(b)", "blocks", r"f\(b\): only names, integers"),
    "an output": ("toml", 'a = "', 'd = "', "blocks", r"mersenne\.toml: \[multiply\]: a has no entry"),
    "another block": ("toml", "[multiply]", "[add]", "blocks", r"there is no \[add\], which .*mersenne\.toml has"),
    "weights": ("toml", '["1"]', '["1", "2^31"]', "blocks", r"multiply: a has 1 vectors, and weights 2"),
    "nested weights": ("toml", '["1"]', '[["1", "2"]]', "blocks", r"weights = .* a list of 4, one for each lane"),
    "no weights": ("toml", 'weights = ["1"]', "", "blocks", r"mersenne\.toml: weights is missing"),
    "an entry": ("toml", "count", "cuont", "blocks", r"mersenne\.toml: cuont is no entry; there are source, lanes"),
    "a type": ("toml", "count = 4", 'count = "4"', "blocks", r"count = '4' is no int"),
    "lanes": ("toml", '"vectors"', '"vmsl"', "blocks", r"lanes = 'vmsl' is none of vectors, sums"),
    "an architecture": ("toml", '"avx2"', '"z14"', "blocks", r"no architecture z14 has these lanes; there are avx2"),
    "no TOML": ("toml", "count = 4", "count 4", "blocks", r"mersenne\.toml: .*line 3"),
    "no source": ("toml", "mersenne.cc", "other.cc", "blocks", r"other\.cc: clang\+\+-19 fails"),
    "no C++": ("cc", "vec a, b, c;", "vec a, b;", "blocks", r"mersenne\.cc:\d+:\d+: error: use of undeclared"),
    "a message": (
        "cc",
        "OUTPUT",
        "vec_load_blocks(message, &b, &c); OUTPUT",
        "blocks",
        r"multiply: it loads from a message",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(mine: Path, name: str) -> None:
    suffix, old, new, command, message = MISTAKES[name]
    change(mine.with_suffix(f".{suffix}"), old, new)
    with pytest.raises(SystemExit, match=message):
        run_coconut(["--with", str(mine), command])


def test_names_of_the_library(mine: Path) -> None:
    for name, message in (("avx2.toml", "avx2 is the name of a kernel"), ("nothing.toml", "No such file")):
        if name.startswith("avx2"):
            mine.rename(mine.with_name(name))
        with pytest.raises(SystemExit, match=message):
            run_coconut(["--with", str(mine.with_name(name)), "blocks"])


def test_in_integers(mine: Path) -> None:
    """A sample whose output is another element is noticed in one lane, too."""
    kernel = own.read(mine)
    graphs, samples = trace.read_traced(kernel.name)
    sample = samples["multiply"][5]
    assert kernel.own is not None
    kernel.own.check_sample(graphs["multiply"], sample)
    a = sample.outputs["a[0]"]
    sample.outputs["a[0]"] = (*a[:3], a[3] ^ 1)
    with pytest.raises(Mismatch, match="sample 5: a is "):
        kernel.own.check_sample(graphs["multiply"], sample)


def test_division(mine: Path) -> None:
    """Montgomery's form is an expression, too: 2^-31 is 1 here, and 1/2 is 2^30."""
    kernel = own.read(mine)
    polynomials = own.Polynomials(("a", "b"), 2**31 - 1)
    assert kernel.own is not None
    assert polynomials.of("a * b / 2^31") == polynomials.of("b * a")
    assert polynomials.of("(a - b)^2 / 2") == polynomials.of("2^30 * (a^2 + b^2) - b * a")


def test_certificates(mine: Path) -> None:
    """The checker takes the modulus from the certificate, where nothing may come before it."""
    kernel = own.read(mine)
    proof = BlockProof(graphs_of(kernel.name)["multiply"], ring=Ring.of("multiply", certify=True))
    assert proof.check_graph() == 4
    certificate = proof.ring.certificate
    assert certificate is not None
    lines = certificate.text().splitlines()
    Checker().check(lines)
    assert json.loads(lines[1]) == [1, "modulus", 2**31 - 1]
    for change in ("2147483646", "1", "[2147483647]", '"2147483647"'):
        with pytest.raises(Refused):
            Checker().check([lines[0], f'[1,"modulus",{change}]', *lines[2:]])
    # Again at the end, before which all numbers are kept.
    at = len(lines) - 1
    with pytest.raises(Refused):
        Checker().check([*lines[:-1], f'[{at},"modulus",2147483647]', lines[-1].replace(str(at), str(at + 1), 1)])
