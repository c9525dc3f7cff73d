# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check a manifest (manifest.py) against the libraries at hand, and prove some of the calls that it lists again.

The archives, counts, choices of kernels, and some of the calls are computed anew, and what differs is said. Proofs are
only of these bytes, so another archive is a difference, but its calls are proved nevertheless: so a changed byte is also
seen as what the proofs make of it.
"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coconut.lift.objects import COMPILERS, Linked, compiled, is_installed, version_of
from coconut.prove import expected, manifest, second
from coconut.prove.aead import Case, prove_cases
from coconut.prove.choices import Choice, check_named, choices, missing
from coconut.prove.command import Wanted, suites
from coconut.prove.every_length import prover
from coconut.prove.proof import REFUSALS

# How many calls are proved again by default: a minute on one core.
SAMPLE = 12

# The suites of calls of all choices of kernels, at listed lengths; aead-quick has some of both.
OF_CHOICES = ("aead-seal", "aead-open")
# What is said of an archive that differs, though the same version of the compiler made it.
SAID = {
    "sha256": "the archive has SHA-256 {here}, and not {there}",
    "flags": "the compiler has the flags {here}, and not {there}",
    "target": "the compiler is for {here}, and not {there}",
    "linker": "the linker is {here}, and not {there}",
    "linked": "the linked program has SHA-256 {here}, and not {there}",
}


class Chosen(NamedTuple):
    """Which part of a manifest is checked: all, or what some compilers made, and calls of some kernels; how many calls, or
    all; and the seed that chooses them.

    compilers: also the only ones that are run beside those of the default, as a manifest may name any command. second:
    whether a second lifter runs those that it knows, too (second.py).
    """

    compilers: Sequence[str] = ()
    kernels: Sequence[str] = ()
    sample: int = SAMPLE
    every: bool = False
    seed: int = 0
    second: bool = False


class Listed(NamedTuple):
    """A call that a manifest lists: its kernels, and what is said of it."""

    compiler: str
    kernels: str
    call: Mapping[str, Any]

    @property
    def case(self) -> Case:
        return Case(*(self.call[name] for name in Case._fields))

    def __str__(self) -> str:
        case = self.case
        return (
            f"{self.compiler}: {self.kernels}: {case.function}, {case.length} bytes, {case.aad_length} of associated data"
            + ", in place" * case.in_place
        )


def listed(content: Mapping[str, Any]) -> list[Listed]:
    return [Listed(proof["compiler"], proof["kernel"], call) for proof in content["proofs"] for call in proof["calls"]]


def programs_of(content: Mapping[str, Any], of: Chosen, differing: list[str]) -> dict[str, Linked]:
    """Return the programs that are compared, by their compilers; add how compilers differ."""
    found = {}
    commands = [archive["command"] for archive in content["archives"]]
    if unknown := set(of.compilers) - set(commands):
        raise ValueError(f"the manifest has nothing of {', '.join(sorted(unknown))}; there are {', '.join(commands)}")
    for archive in content["archives"]:
        command = archive["command"]
        if of.compilers and command not in of.compilers:
            continue
        if command not in (*COMPILERS, *of.compilers):
            raise ValueError(f"{command!r} is none of {', '.join(COMPILERS)}; --compiler names another one")
        if not is_installed(command):
            differing.append(f"{archive['compiler']}: {command} is not installed; coconut/install.sh installs it")
        elif version_of(command) != archive["compiler"]:
            differing.append(f"{archive['compiler']}: {command} is {version_of(command)} here")
        else:
            found[archive["compiler"]] = compiled(command)
    return found


def differences_of(archive: Mapping[str, Any], linked: Linked) -> Iterator[str]:
    """Yield how the archive at hand, and what it is linked to, are others than those of a manifest."""
    here = manifest.identity(linked)
    for name, text in SAID.items():
        if here[name] != archive[name]:
            yield f"{here['archive']}, {linked.version}: {text.format(here=here[name], there=archive[name])}"


def wrong_counts(content: Mapping[str, Any], compilers: Collection[str]) -> Iterator[str]:
    """Yield how the counts are others than those of the proofs that are listed, or than those that are expected."""
    more = {name for name, suite in suites(Wanted(every=content["every_length"])).items() if suite.extra}
    for suite in content["counts"]:
        counts = manifest.counts_of(content, suite)
        for text in expected.differences(suite, counts, compilers if any(counts.found) else ()):
            if not (suite in more and text.endswith(expected.MORE)):
                yield text
        for compiler, parts in counts.found.items():
            made: dict[str, list[int]] = {}
            for proof in content["proofs"]:
                if (proof["suite"], proof["compiler"]) == (suite, compiler):
                    count = made.setdefault(proof["kernel"], [0, 0])
                    count[0] += 1
                    count[1] += proof["claims"]
            if compiler and made != parts:
                yield f"{suite}, {compiler}: the proofs that are listed are others than those that are counted"
    for proof in content["proofs"]:
        if proof["suite"] not in content["counts"]:
            yield f"{proof['title']}: a proof of {proof['suite']}, of which none are counted"
        if len({str(Listed("", "", call)) for call in proof["calls"]}) != len(proof["calls"]):
            yield f"{proof['title']}: a call is listed twice"
        if calls := proof["calls"]:
            claims = sum(len(Listed("", "", call).case.verdicts) for call in calls)
            if claims != proof["claims"]:
                yield f"{proof['title']}: {proof['claims']} claims, and calls with {claims} are listed"
        elif proof["suite"] in {*OF_CHOICES, "aead-quick"}:
            yield f"{proof['title']}: no calls are listed"
        for call in proof["calls"]:
            if call["function"] != Listed("", "", call).case.function:
                yield f"{proof['title']}: {call['function']} is not the function of such a call"


def wrong_choices(content: Mapping[str, Any], linked: Linked) -> Iterator[str]:
    """Yield which choices of kernels the library has, and no proof of calls, though they run here; or has not, though such
    proofs are listed."""
    known = {choice.name: missing(linked, choice) for choice in choices(linked)}
    for suite in OF_CHOICES:
        if suite not in content["counts"]:
            continue
        counts, title = manifest.counts_of(content, suite), f"{suite}, {linked.version}"
        omitted = {part: why for (compiler, part), why in counts.omitted.items() if compiler == linked.version}
        made = counts.found.get(linked.version, {})
        for name, lacking in known.items():
            if name in omitted and not lacking:
                yield f"{title}: {name} is omitted, which this CPU runs: {omitted[name]}"
            elif name not in made and name not in omitted:
                yield f"{title}: nothing is proved of {name}"
        yield from (f"{title}: the library never chooses {name}" for name in made | omitted if name not in known)


def omissions(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield how much is not proved, which the manifest names."""
    for suite, compilers in content["omitted"].items():
        for compiler, parts in compilers.items():
            yield f"{suite}, {compiler}: nothing is proved of {len(parts)} others; the manifest says why, in omitted"


def sampled(content: Mapping[str, Any], programs: Collection[str], of: Chosen) -> list[Listed]:
    """Return the calls that are proved again."""
    known = [each for each in listed(content) if each.compiler in programs]
    found = [each for each in known if not of.kernels or each.kernels in of.kernels]
    check_named(of.kernels, dict.fromkeys(each.kernels for each in known))
    return found if of.every or of.sample >= len(found) else random.Random(of.seed).sample(found, of.sample)


def difference_of(each: Listed, linked: Linked, choice: Choice | None, again: bool = False) -> str:
    """Prove a call again, maybe also by the second lifter; return how it differs from what is listed, or nothing."""
    if choice is None:
        return "the library never chooses these kernels"
    ran = set[int]()
    try:
        prove_cases(linked, choice, [each.case], ran)
    except REFUSALS as error:
        return f"refused: {error}"
    here = manifest.ran_of(linked, ran)
    if here["instructions"] != each.call["instructions"]:
        return f"{here['instructions']} instructions ran, and not {each.call['instructions']}"
    if here["ran"] != each.call["ran"]:
        return "as many instructions ran, but others"
    if not again or not second.is_known(linked, choice, each.case):
        return ""
    try:
        return "" if second.ran_again(linked, choice, each.case) == here["ran"] else "the second lifter runs others"
    except REFUSALS as error:
        return f"refused: {error}"


def check(path: Path, of: Chosen) -> None:
    """Check a manifest, and print what is compared; raise ValueError, which lists all that differs, if anything does."""
    content, differing, proved = manifest.read(path), list[str](), 0
    if content["prover"] != prover():
        print(f"{path} is of another version of the prover")
    programs = programs_of(content, of, differing)
    differing += wrong_counts(content, [archive["compiler"] for archive in content["archives"]])
    for archive in content["archives"]:
        if linked := programs.get(archive["compiler"]):
            found = [*differences_of(archive, linked), *wrong_choices(content, linked)]
            print(f"{linked.archive}: {linked.version}, SHA-256 {linked.sha256}: {'differs' if found else 'the same'}")
            differing += found
    for text in omissions(content):
        print(text)
    chosen = sampled(content, programs, of)
    print(
        f"{len(chosen)} of {len(listed(content))} calls are proved again; --seed {of.seed} chooses the same", flush=True
    )
    for each in chosen:
        linked = programs[each.compiler]
        choice = next((choice for choice in choices(linked) if choice.name == each.kernels), None)
        if choice and (lacking := missing(linked, choice)):
            print(f"{each}: not proved here: {lacking}", flush=True)
            continue
        difference = difference_of(each, linked, choice, of.second)
        proved += not difference
        print(f"{each}: {difference or 'the same'}", flush=True)
        differing += [f"{each}: {difference}"] if difference else []
    if not differing and not proved:
        differing.append("no call was proved again")
    if differing:
        raise ValueError("\n  ".join([f"{path} is not what is found here:", *differing]))
    print(f"{proved} calls are proved, of these archives, with the same instructions")
