# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run proofs, print a table of them, and compare how many they are with how many are expected."""

import gc
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from coconut.lift.objects import Linked, chosen, compiled, shipped_by, version_of
from coconut.prove import (
    aead,
    aead_loops,
    batches,
    chacha20,
    composition,
    core,
    expected,
    go,
    go_files,
    graphs,
    loops,
    macs,
    manifest,
    objects,
    pieces,
    programs,
    second,
    shipped,
    stitched,
)
from coconut.prove.certified import Verifying
from coconut.prove.expected import Counts
from coconut.prove.proof import REFUSALS, Proved
from coconut.prove.reached import summary
from coconut.trace import ROOT


def of_graphs(
    kernels: Iterable[str] = graphs.POLY1305_KERNELS, simplified: bool = True, certify: bool = False
) -> Iterator[Proved]:
    for kernel in kernels:
        yield from graphs.prove_graphs(kernel, simplified, certify)


def of_selections(certify: bool) -> Iterator[Proved]:
    for kernel in graphs.POLY1305_KERNELS:
        yield from programs.prove_selections(kernel, certify)


class Suite(NamedTuple):
    """What the claims of a suite are, its proofs, and what they assume of the world around them.

    compiled: whether it is about what compilers made. extra: whether it proves more than expected.toml states. own:
    whether it is about blocks of one's own, of which that file states nothing. named: whether it is run only if it is
    named, as another one has all of it.
    """

    claims: str
    proofs: Callable[[], Iterable[Proved]]
    assumed: tuple[str, ...] = ()
    compiled: bool = False
    extra: bool = False
    own: bool = False
    named: bool = False


Suites = dict[str, Suite]


class Wanted(NamedTuple):
    """What to prove.

    - compilers: whose machine code, by default all in COMPILERS. every: at every length up to 600 bytes, for an hour.
    - seed: of the keys of dispatch.
    - own: kernels of one's own. kernels: the choices whose calls are proved, by default all.
    """

    certify: bool = True
    compilers: Sequence[str] = ()
    every: bool = False
    seed: int = 0
    own: Sequence[str] = ()
    kernels: Sequence[str] = ()


def of_own(kernel: str, certify: bool) -> Iterator[Proved]:
    yield from graphs.prove_graphs(kernel, certify=certify)
    yield from programs.prove_selections(kernel, certify)


def suites(of: Wanted) -> Suites:
    """Return what is proved, by the name of the suite, and what its claims are."""
    return {
        "graphs": Suite("elements of Poly1305's basic blocks", partial(of_graphs, certify=of.certify)),
        "selections": Suite("elements of instruction selections", partial(of_selections, of.certify)),
        "chacha20": Suite(
            "words of ChaCha20's basic blocks and selections",
            lambda: chain(chacha20.prove_graphs(), chacha20.prove_selections()),
        ),
        "go": Suite(
            "paths through the Go module's functions of Poly1305", partial(go.prove_functions, of.certify), go.ASSUMED
        ),
        "go-chacha20": Suite("words of the Go module's functions of ChaCha20", chacha20.prove_go, chacha20.ASSUMED),
        "go-stitched": Suite(
            "values of Poly1305 stitched to ChaCha20 in the Go module",
            partial(stitched.prove_stitched, of.certify),
            go.ASSUMED,
        ),
        "go-files": Suite("instructions of the Go module, as Go's assembler makes them", go_files.prove_files),
        "objects": Suite(
            "calls of what compilers made",
            partial(objects.prove_objects, of.compilers, of.every),
            objects.ASSUMED,
            compiled=True,
            extra=of.every,
        ),
        "loops": Suite(
            "paths through what compilers made, at every length",
            partial(loops.prove_loops, of.compilers),
            loops.ASSUMED,
            compiled=True,
        ),
        **{
            f"aead-{what}": Suite(
                f"calls that {what}, as compilers made them",
                partial(aead.prove_aead, what == "open", of.compilers, False, of.kernels, of.certify),
                aead.ASSUMED,
                compiled=True,
            )
            for what in ("seal", "open")
        },
        "aead-quick": Suite(
            "calls that seal or open short texts, as compilers made them",
            lambda: chain(
                *(aead.prove_aead(opens, of.compilers, True, of.kernels, of.certify) for opens in (False, True))
            ),
            aead.ASSUMED,
            compiled=True,
            named=True,
        ),
        "second": Suite(
            "calls that seal, on values of a second lifter", partial(second.prove_second, of.compilers), compiled=True
        ),
        "pieces": Suite(
            "sequences of calls on messages in pieces, as compilers made them",
            partial(pieces.prove_pieces, of.compilers),
            aead.ASSUMED,
            compiled=True,
        ),
        "macs": Suite(
            "calls of Poly1305 and Poly1305-AES, as compilers made them",
            partial(macs.prove_macs, of.compilers),
            (*aead.ASSUMED, *macs.ASSUMED),
            compiled=True,
        ),
        "batches": Suite(
            "calls on batches, as compilers made them",
            partial(batches.prove_batches, of.compilers),
            (*aead.ASSUMED, *macs.ASSUMED),
            compiled=True,
        ),
        **{
            f"aead-loops{'-all' * every}": Suite(
                "states, and sampled ends, of calls with long texts, as compilers made them",
                partial(aead_loops.prove_aead_loops, of.compilers, every),
                (*aead.ASSUMED, *aead_loops.ASSUMED),
                compiled=True,
                extra=every,
                named=every,
            )
            for every in (False, True)
        },
        "core": Suite(
            "functions that all use, as compilers made them",
            partial(core.prove_core, of.compilers),
            objects.ASSUMED,
            compiled=True,
        ),
        "algebra": Suite("identities between blocks and Bernstein's polynomial", composition.prove_algebra),
        "shipped": Suite("functions of libhornet.so, and lengths at which kernels are chosen", shipped.prove_shipped),
        "dispatch": Suite(
            "lengths at which the library has Bernstein's tag",
            partial(composition.prove_dispatch, ROOT / "build" / "libhornet.so", of.seed),
        ),
    } | {
        name: Suite("elements of basic blocks and their selections", partial(of_own, name, of.certify), own=True)
        for name in of.own
    }


# Each field and evaluation once, as recorded.
QUICK_KERNELS = ("avx2", "ifma", "vmsl", "scalar64")


def quick() -> Suites:
    """Return what takes seconds, and needs no packages beside Python."""
    found = suites(Wanted(certify=False))
    return {
        "quick-graphs": found["graphs"]._replace(proofs=lambda: of_graphs(QUICK_KERNELS, simplified=False)),
        "quick-algebra": found["algebra"]._replace(proofs=lambda: composition.prove_algebra(QUICK_KERNELS)),
    }


@dataclass
class Outcome:
    """A line of the table, and what was counted."""

    name: str
    certificates: int = 0
    verified: int = 0
    seconds: float = 0
    refused: str = ""
    counts: Counts = field(default_factory=Counts)
    # Proofs of machine code, for the manifest.
    compiled: list[Proved] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def proofs(self) -> int:
        return sum(count[0] for parts in self.counts.found.values() for count in parts.values())

    @property
    def claims(self) -> int:
        return sum(count[1] for parts in self.counts.found.values() for count in parts.values())

    def run(self, proofs: Iterable[Proved]) -> None:
        """Run proofs up to the first that is refused, and verify their certificates."""
        start, verifying = time.monotonic(), Verifying()
        try:
            for proof in verifying.watched(proofs):
                self.count(proof)
            verified = verifying.claims()
            self.certificates, self.verified = len(verified), sum(verified)
        except REFUSALS as error:
            self.refused = str(error)
        self.seconds = time.monotonic() - start

    def count(self, proof: Proved) -> None:
        if proof.omitted:
            self.counts.omitted[proof.compiler, proof.part] = f"{proof.title}: {proof.omitted}"
            return
        if proof.claims < 1:
            raise ValueError(f"{proof.title}: a proof of nothing")
        self.counts.add(proof.compiler, proof.part, proof.claims)
        of = proof.compiled
        self.lines.append(
            f"{proof.title}: {proof.claims}" + (f"; {of.function}: {of.lengths}" if of and of.function else "")
        )
        if of:
            self.compiled.append(proof._replace(certificate=None))


# Suites that take longest begin first.
LONGEST = (
    "aead-open",
    "aead-seal",
    "aead-quick",
    "aead-loops",
    "batches",
    "pieces",
    "macs",
    "objects",
    "loops",
    "go-chacha20",
    "go",
    "graphs",
)
PROCESSES = 2
_run: Suites = {}


def outcome_of(name: str) -> Outcome:
    outcome = Outcome(name)
    outcome.run(_run[name].proofs())
    # What is left of a suite would make the collection of garbage slow in the next one.
    gc.collect()
    return outcome


def outcomes_of(suites: Suites, processes: int) -> Iterator[Outcome]:
    """Yield the outcomes of suites as they end; some run at the same time, in processes that inherit what is known."""
    _run.clear()
    _run.update(suites)
    if processes == 1:
        yield from map(outcome_of, suites)
        return
    sys.stdout.flush()
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        order = sorted(suites, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
        running = [pool.submit(outcome_of, name) for name in order]
        yield from (future.result() for future in as_completed(running))


def prove(wanted: Suites, verbose: bool = False, processes: int = 1) -> list[Outcome]:
    """Run suites, print a table and what the proofs assume, and return the outcomes."""
    if not wanted:
        raise ValueError("no proofs are chosen")
    outcomes = []
    print(f"{'proved':12} {'proofs':>7} {'claims':>8} {'certificates':>13} {'verified':>9} {'seconds':>8}  claims are")
    for outcome in outcomes_of(wanted, processes):
        outcomes.append(outcome)
        name, lines = outcome.name, outcome.lines if verbose else []
        figures = f"{outcome.proofs:7} {outcome.claims:8} {outcome.certificates:13} {outcome.verified:9} {outcome.seconds:8.1f}"
        print(*lines, f"{name:12} {figures}  {wanted[name].claims}", sep="\n", flush=True)
        if outcome.refused:
            print(f"    refused: {outcome.refused}")
        for reason in outcome.counts.omitted.values():
            print(f"    not proved here: {reason}")
    refused = sum(bool(outcome.refused) for outcome in outcomes)
    print(f"{sum(outcome.proofs for outcome in outcomes)} proofs, {refused} refused")
    for assumed in dict.fromkeys(suite.assumed for suite in wanted.values() if suite.assumed):
        print(f"{', '.join(name for name, suite in wanted.items() if suite.assumed == assumed)}: it is assumed that")
        for assumption in assumed:
            print(f"  - {assumption}")
    return outcomes


def failures(wanted: Suites, outcomes: Sequence[Outcome], of: Wanted) -> list[str]:
    """Return why outcomes are no success: proofs that are refused, and those that are missing or not expected."""
    found = [f"{outcome.name}: {outcome.refused}" for outcome in outcomes if outcome.refused]
    versions = [version_of(compiler) for compiler in chosen(of.compilers)] if uses_compilers(wanted) else []
    for outcome in outcomes:
        suite = wanted[outcome.name]
        if suite.own:
            continue
        differing = expected.differences(outcome.name, outcome.counts, versions if suite.compiled else ())
        if not outcome.refused:
            # Whoever proves more than the file states must still prove what it states.
            found += [text for text in differing if not (suite.extra and text.endswith(expected.MORE))]
    if of.compilers:
        having = {compiler for outcome in outcomes for compiler in outcome.counts.found}
        found += [f"nothing is proved of what {version} makes" for version in versions if version not in having]
    return found


def uses_compilers(wanted: Suites) -> bool:
    return any(suite.compiled for suite in wanted.values())


def read_archives(compilers: Sequence[str]) -> list[Linked]:
    """Read the archives whose machine code is proved."""
    found = [compiled(compiler) for compiler in chosen(compilers)]
    if not compilers and shipped_by() not in [linked.version for linked in found]:
        raise ValueError(f"build/libhornet.a is made by {shipped_by()}, of which nothing is proved by default: name it")
    return found


def reached(linked: Linked, outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Return how many instructions of a program whole calls have run, of those that they can reach."""
    proofs = [proof for outcome in outcomes for proof in outcome.compiled if proof.compiler == linked.version]
    calls = [called for proof in proofs for called in proof.calls]
    roots = {linked.symbols[called.call["function"]] for called in calls}
    return summary(linked, roots, set[int]().union(*(called.ran for called in calls)))


def print_reached(linked: Linked, counts: dict[str, Any]) -> None:
    if counts["exist"]:
        print(
            f"{linked.version}: whole calls ran {counts['ran']} of {counts['exist']} instructions that they can reach"
        )
        for kind, count in counts["not"].items():
            print(f"    {count} not: {kind}")


def write_manifest(archives: Iterable[Linked], outcomes: Sequence[Outcome], of: Wanted) -> None:
    """Print how many instructions whole calls have run, and write what was proved."""
    programs, entries = {linked.version: linked for linked in archives}, []
    for linked in programs.values():
        found = reached(linked, outcomes)
        print_reached(linked, found)
        entries.append(manifest.identity(linked) | {"reached": found})
    proofs = [manifest.proof_of(outcome.name, proof, programs) for outcome in outcomes for proof in outcome.compiled]
    counts = {outcome.name: outcome.counts for outcome in outcomes if outcome.name not in of.own}
    manifest.write(entries, counts, proofs, of.seed, of.every)


def run(names: Sequence[str], of: Wanted, verbose: bool, expect: bool) -> None:
    """Prove suites, by default all; raise ValueError unless what is proved is what is expected, or is to be from now on."""
    known = suites(of)
    if unknown := set(names) - known.keys():
        raise ValueError(f"no proofs {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    wanted = {name: known[name] for name in names or (name for name in known if not known[name].named)}
    archives: list[Linked] = []
    if uses_compilers(wanted):
        manifest.MANIFEST.unlink(missing_ok=True)
        archives = read_archives(of.compilers)
        for linked in archives:
            print(f"{linked.archive}: {linked.version}, SHA-256 {linked.sha256}")
    if "dispatch" in wanted:
        print(f"dispatch: --seed {of.seed} repeats its keys")
    outcomes = prove(wanted, verbose, PROCESSES)
    if expect and not any(outcome.refused or wanted[outcome.name].extra for outcome in outcomes):
        expected.rewrite({outcome.name: outcome.counts for outcome in outcomes if not wanted[outcome.name].own})
    if failed := failures(wanted, outcomes, of):
        raise ValueError("\n  ".join(["not everything is proved:", *failed]))
    if archives:
        write_manifest(archives, outcomes, of)
        print(f"{manifest.MANIFEST.relative_to(ROOT)} lists what was proved; `coconut check` compares it")
