# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test certificates: the checker verifies those of basic blocks, and refuses changed ones.

A change is harmless if the statement remains and all that the checker concludes is true for random inputs: then it is
another proof. A changed statement that is verified is another theorem, which must be true as well.
"""

import copy
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from coconut.architectures import ARCHITECTURES
from coconut.operations import WORD_MAX
from coconut.prove import checker
from coconut.prove.aead import Case, prove_cases
from coconut.prove.certificate import NONE, Certificate
from coconut.prove.chacha20 import go_functions
from coconut.prove.checker import OPERATIONS, WORD, Checker, Refused
from coconut.prove.choices import choice_named
from coconut.prove.evaluation import NamingRing
from coconut.prove.go import committed
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Number, Ring
from coconut.prove.programs import check_program
from coconut.prove.stitched import prove_mac
from coconut.prove.terms import Terms
from coconut.select import supported
from coconut.tests.test_polynomials import compare_with_ints
from coconut.tests.test_prove_objects import program as program_of

Line = list[Any]
BLOCKS = (
    "scalar64/block",
    "scalar64/begin",
    "vmsl/reduce",
    "ifma256/expand",
    "avx2/step 1",
    "ifma256/begin 2",
    "tag/padded 5",
)
CHANGES = 400  # of each certificate


def of_block(title: str) -> Certificate:
    kernel, _, name = title.partition("/")
    certificate = Certificate(title)
    BlockProof(graphs_of(kernel)[name], ring=Ring(certificate)).check_graph()
    return certificate


def of_all_operations() -> Certificate:
    """Return the certificate of a program that has every kind of line that basic blocks may not have."""
    certificate = Certificate("all operations")
    ring = Ring(certificate)
    x, y = ring.input("x", WORD_MAX), ring.input("y", WORD_MAX)
    small = ring.input("small", 2**20)
    is_less = x < y
    mask = (0 - is_less) & WORD_MAX
    minimum = (x & mask) | (y & (~mask & WORD_MAX))
    ring.claim_range("minimum", minimum, 0, WORD_MAX)
    ring.claim_range("selected", (small & mask) >> 4, 0, 2**16)
    difference = (x - y) & WORD_MAX
    ring.claim_range("half", difference >> 1, 0, 2**63 - 1)
    ring.claim_range("inverse", small ^ 2**21 - 1, 0, 2**21 - 1)
    ring.claim_range("runs", (x & 0xFF00FF) | (small << 32), 0, 2**53)
    ring.claim_congruent("sum", [difference + y, x], [1, -1], 64)
    # What padding has: words of the same bytes, and one of two words, chosen by exclusive ors.
    low, middle, high = (ring.input(name, 255) for name in ("low", "middle", "high"))
    joined = (low + (middle << 8)) | ((middle << 8) + (high << 16))
    ring.claim_zero("joined", [joined, low, middle, high], [1, -1, -(2**8), -(2**16)])
    different = x ^ y
    ring.claim_zero("chosen", [x ^ different, y], [1, -1])
    ring.claim_range("different", different, 0, WORD_MAX)
    return certificate


@cache
def lines_of(title: str) -> list[Line]:
    certificate = of_all_operations() if title == "all operations" else of_block(title)
    return [json.loads(line) for line in certificate.text().splitlines()]


def check(lines: list[Line]) -> Checker:
    result = Checker()
    result.check([json.dumps(line) for line in lines])
    return result


Place = tuple[int, ...]


def numbers_in(value: Any, place: Place = ()) -> list[Place]:
    """Return where integers are, those in hexadecimal among them."""
    if isinstance(value, list):
        return [found for i, item in enumerate(value) for found in numbers_in(item, (*place, i))]
    is_number = isinstance(value, int) or isinstance(value, str) and value.lstrip("-").startswith("0x")
    return [place] if is_number else []


def with_number(line: Line, place: Place, choice: random.Random) -> Line:
    """Return a line with another number at a place."""
    line = copy.deepcopy(line)
    item: Any = line
    for i in place[:-1]:
        item = item[i]
    before = item[place[-1]]
    number = int(before, 16) if isinstance(before, str) else before
    changes = [number + 1, number - 1, number * 2 + (number == 0), number ^ 1 << choice.randrange(64), -number]
    after = choice.choice([changed for changed in changes if changed != number])
    item[place[-1]] = hex(after) if isinstance(before, str) else after
    return line


def value_at(poly: dict[Place, int], values: dict[int, int]) -> int:
    total = 0
    for monomial, coefficient in poly.items():
        for variable in monomial:
            coefficient *= values[variable]
        total += coefficient
    return total


def run(op: str, a: int, b: int) -> int:
    if op == ">>":
        return a >> b
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b, "<": int(a < b)}[op]


def is_true(found: Checker, lines: list[Line], seed: int) -> bool:
    """Whether what the checker concludes holds for random inputs: numbers, ranges and claims on integers.

    Elements are related by nothing here, and what follows from that is left out.
    """
    choice = random.Random(seed)
    variables: dict[int, int] = {}
    numbers: dict[int, int] = {}
    for at, kind, *rest in lines:
        if kind == "input":
            _, low, high = rest
            variables[at] = numbers[at] = choice.choice([low, high, choice.randint(low, high)])
        elif kind == "given":
            numbers[at] = value_at(found.polys[at], variables)
            if not rest[1] <= numbers[at] <= rest[2]:
                return True  # That is not assumed.
        elif kind == "quotient":
            # The fact is on POLY - 2^bits * variable.
            poly = {m: c for m, c in found.polys[at].items() if m != (at,)}
            variables[at] = value_at(poly, variables) >> rest[0]
        elif kind == "name":
            variables[at] = numbers[at] = value_at(found.names[at], variables)
        elif kind in ("exact", "renamed"):
            numbers[at] = numbers[rest[0]]
        elif kind in OPERATIONS:
            if not all(isinstance(operand, str) or operand in numbers for operand in rest[0]):
                return False
            a, b = (numbers[operand] if isinstance(operand, int) else int(operand, 16) for operand in rest[0])
            numbers[at] = run(kind, a, b)
            if at in found.ranges:
                variables[at] = numbers[at]
        elif kind == "claim" and rest[1] == "range":
            value = numbers[rest[2]] if isinstance(rest[2], int) else int(rest[2], 16)
            if not rest[3] <= value <= rest[4]:
                return False
        elif kind == "claim" and rest[1] == "multiple":
            values = [numbers[n] if isinstance(n, int) else int(n, 16) for n in rest[2]]
            total = sum(n * weight for n, weight in zip(values, rest[3], strict=True))
            if total % rest[4] if rest[4] else total:
                return False
        if at in found.polys:
            value = value_at(found.polys[at], variables)
            low, high = found.range(found.polys[at])
            if not low <= value <= high:
                return False
            if at in numbers:
                difference = value - numbers[at]
                if difference % 2**64 if found.wraps[at] else difference:
                    return False
                if found.wraps[at] == WORD and not 0 <= numbers[at] <= WORD_MAX:
                    return False
    return True


def random_changes(title: str, changes: int) -> Counter[tuple[str, str]]:
    """Change one number in lines of all kinds. Return how often a kind was refused, or verified and then true."""
    choice = random.Random(title)
    lines = lines_of(title)
    by_kind: dict[str, list[int]] = {}
    for at, kind, *_ in lines:
        by_kind.setdefault(kind, []).append(at)
    results: Counter[tuple[str, str]] = Counter()
    for _ in range(changes):
        at = choice.choice(by_kind[choice.choice(sorted(by_kind))])
        line = with_number(lines[at], choice.choice(numbers_in(lines[at])), choice)
        changed = [*lines[:at], line, *lines[at + 1 :]]
        try:
            found = check(changed)
        except Refused:
            results[line[1], "refused"] += 1
        else:
            assert all(is_true(found, changed, seed) for seed in range(4)), (title, lines[at], line)
            results[line[1], "verified"] += 1
    return results


def renumbered(lines: list[Line], removed: int) -> list[Line]:
    """Return the lines without one, which no other line names."""
    kept = [*lines[:removed], *lines[removed + 1 :]]
    return [[at, *line[1:]] for at, line in enumerate(kept)]


@pytest.mark.parametrize("title", BLOCKS)
def test_blocks_are_verified(title: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    certificate = of_block(title)
    certificate.write(path)
    # A program without the package.
    script = Path(tmp_path / "checker.py")
    script.write_text(Path(checker.__file__).read_text())
    run = subprocess.run([sys.executable, "-I", script, path], capture_output=True, text=True, check=True)
    assert f"{len(certificate.claims)} claim" in run.stdout
    path.write_text(certificate.text().replace("claim", "clam", 1))
    assert subprocess.run([sys.executable, "-I", script, path], capture_output=True).returncode == 1


def test_checker_is_short_and_alone() -> None:
    text = Path(checker.__file__).read_text()
    assert text.count("\n") <= 300
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


def test_certificates_cost_nothing_when_off() -> None:
    ring = Ring()
    x = ring.input("x", WORD_MAX)
    high = x * x >> 64
    assert isinstance(high, Number) and high.place == NONE


@pytest.mark.sample(2)
@pytest.mark.parametrize("title", ("all operations", "tag/tag", *BLOCKS[:5]))
def test_changed_numbers_are_refused(title: str) -> None:
    """Every kind of line is refused with most changes; what is verified is true for random inputs."""
    assert all(is_true(check(lines_of(title)), lines_of(title), seed) for seed in range(4))
    results = random_changes(title, CHANGES)
    for kind in {kind for kind, _ in results}:
        assert results[kind, "refused"] > 0, kind
    assert sum(count for (_, outcome), count in results.items() if outcome == "verified") < CHANGES // 5


def any_remainder(self: Checker, poly: checker.Poly, fact: int, bits: int) -> tuple[checker.Poly, checker.Poly]:
    """As Checker.divided, whatever the range of the fact is."""
    return checker.divide(checker.add(poly, self.polys[fact], -1), 1 << bits), self.polys[fact]


def test_false_certificates_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a checker that has a mistake, changes are verified that are not true."""
    mistakes: list[tuple[object, str, object]] = [
        (Checker, "divided", any_remainder),
        (Checker, "disjoint", lambda self, x, y: True),
        (Checker, "bound", lambda self, poly: (0, 0)),
        (checker, "require", lambda holds, reason: None),
        (checker, "product", lambda a, b: (a[0] * b[0], a[1] * b[1])),
    ]
    for place, name, mistake in mistakes:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, mistake)
            with pytest.raises((AssertionError, Refused)):
                for title in ("all operations", *BLOCKS[:4]):
                    assert all(is_true(check(lines_of(title)), lines_of(title), seed) for seed in range(4))
                    random_changes(title, 2 * CHANGES)


def test_certificates_of_random_programs() -> None:
    for seed in range(300):
        certificate = Certificate("random")
        compare_with_ints(seed, certificate)
        lines = [json.loads(line) for line in certificate.text().splitlines()]
        assert all(is_true(check(lines), lines, sample) for sample in range(3)), seed


@pytest.mark.parametrize("title", BLOCKS[:3])
def test_missing_lines_are_refused(title: str) -> None:
    """A line that is missing is noticed, and that fewer claims are proved is reported."""
    lines = lines_of(title)
    claims = sum(line[1] == "claim" for line in lines)
    for at in range(len(lines)):
        with pytest.raises(Refused):
            check([*lines[:at], *lines[at + 1 :]])
    first = next(at for at, line in enumerate(lines) if line[1] == "claim")
    changed = renumbered(lines, first)
    with pytest.raises(Refused, match="other claims"):
        check(changed)
    changed[-1] = [len(changed) - 1, "end", claims - 1]
    assert check(changed).counts["claim"] == claims - 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("title", BLOCKS[:4])
def test_other_reasons_are_refused(title: str) -> None:
    """Operations and sums that follow from another fact: from each one that is on another polynomial."""
    lines = lines_of(title)
    found = check(lines)
    tried = 0
    for at, kind, *rest in lines:
        if kind not in OPERATIONS or not rest[1]:
            continue
        for fact in range(max(1, at - 12), at):
            if fact in found.polys and found.polys[fact] != found.polys[rest[1][0]]:
                tried += 1
                changed = [*lines[:at], [at, kind, rest[0], [fact, *rest[1][1:]]], *lines[at + 1 :]]
                try:
                    again = check(changed)
                except Refused:
                    continue
                assert all(is_true(again, changed, seed) for seed in range(4))
    assert tried > 20


def of_selections(ring: Ring) -> None:
    graph, architecture = graphs_of("vx")["step 1"], ARCHITECTURES["vx"]
    proof = BlockProof(graph, architecture.big_endian, ring)
    for program in supported(architecture, graph):
        check_program(proof, program)


def of_function(title: str, ring: Ring) -> None:
    function = committed()[title]
    function.prove(function.code(), ring)


def of_mac(ring: Ring) -> None:
    function = next(function for function in go_functions() if function.title == "amd64 stream2MAC4AVX2")
    prove_mac(function, 1, ring)


def of_call(ring: Ring) -> None:
    """Prove a call of the AEAD, whose ring names limbs."""
    linked = program_of("gcc")
    terms = Terms(NamingRing(ring.certificate))
    prove_cases(linked, choice_named(linked, "vector128 with scalar64"), [Case(True, 150, 13)], set(), terms)


# Where the polynomial of a line is that says what is claimed, or why it follows.
POLYS = {"claim": 6, "quotient": 3, "bound": 2, "given": 2}
WHOLE: dict[str, Callable[[Ring], object]] = {
    "selections": of_selections,
    "riscv64": partial(of_function, "riscv64 scalarBlocks"),
    "s390x": partial(of_function, "s390x vmslBy1"),
    "stitched to ChaCha20": of_mac,
    "a call": of_call,
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", WHOLE)
def test_one_coefficient(name: str) -> None:
    """Certificates of selections and functions are refused with another coefficient anywhere."""
    certificate, choice = Certificate(name), random.Random(name)
    WHOLE[name](Ring(certificate))
    lines = certificate.text().splitlines()
    Checker().check(lines)
    for kind, place in POLYS.items():
        found = [
            line for line in map(json.loads, lines) if line[1] == kind and line[3:4] not in (["range"], ["multiple"])
        ]
        found = [line for line in found if line[place]]
        for line in choice.sample(found, min(len(found), 4)):
            choice.choice(line[place])[0] += choice.choice([1, -1])
            with pytest.raises(Refused):
                Checker().check([*lines[: line[0]], json.dumps(line), *lines[line[0] + 1 :]])


def test_claims_of_calls() -> None:
    """What Poly1305 leaves in a call, and the tag that is compared, are what basic blocks compute, and no other number."""
    certificate = Certificate("a call")
    of_call(Ring(certificate))
    lines = certificate.text().splitlines()
    claims = [line for line in map(json.loads, lines) if line[1] == "claim"]
    compared = {f"word {i} of the tag that is compared" for i in range(2)}
    assert {line[2] for line in claims} == {"scalar64 mac, word 0", "scalar64 mac, word 1", *compared}
    Checker().check(lines)
    for line, other in zip(claims, [*claims[1:], claims[0]], strict=True):
        if line[2] != other[2]:
            changed = [*line[:4], [line[4][0], other[4][1]], *line[5:]]
            with pytest.raises(Refused):
                Checker().check([*lines[: line[0]], json.dumps(changed), *lines[line[0] + 1 :]])


@pytest.mark.parametrize("title", (*BLOCKS[1:5], "tag/tag"))
def test_inputs_beyond_limits_are_refused(title: str) -> None:
    """With inputs that may be as large as they like, or claims that are too strict, nothing is proved."""
    lines = lines_of(title)
    wide = [[*line[:4], line[4] << 70] if line[1] == "input" else line for line in lines]
    with pytest.raises(Refused):
        check(wide)
    found = check(lines)
    claims = [line for line in lines if line[1:2] + line[3:4] == ["claim", "range"] and isinstance(line[4], int)]
    for at, _, name, _, number, low, _ in claims:
        most = found.range(found.polys[number])[1]
        strict = [at, "claim", name, "range", number, low, most - 1]
        with pytest.raises(Refused):
            check([*lines[:at], strict, *lines[at + 1 :]])
