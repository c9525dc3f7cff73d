# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run proofs, and print a table of them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import NamedTuple

from coconut.prove import chacha20, composition, go, graphs, loops, objects, programs, stitched
from coconut.prove.certified import Verifying
from coconut.prove.proof import REFUSALS, Proved
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
    """What the claims of a suite are, its proofs, and what they assume of the world around them."""

    claims: str
    proofs: Callable[[], Iterable[Proved]]
    assumed: tuple[str, ...] = ()


Suites = dict[str, Suite]


def suites(certify: bool, compilers: Sequence[str] = (), every: bool = False) -> Suites:
    """Return what is proved, by the name of the suite, and what its claims are.

    compilers: whose machine code, by default those installed; every: at every length up to 600 bytes, for an hour, and
    the loops of all functions.
    """
    return {
        "graphs": Suite("elements of Poly1305's basic blocks", partial(of_graphs, certify=certify)),
        "selections": Suite("elements of instruction selections", partial(of_selections, certify)),
        "chacha20": Suite(
            "words of ChaCha20's basic blocks and selections",
            lambda: chain(chacha20.prove_graphs(), chacha20.prove_selections()),
        ),
        "go": Suite(
            "paths through the Go module's functions of Poly1305", partial(go.prove_functions, certify), go.ASSUMED
        ),
        "go-chacha20": Suite("words of the Go module's functions of ChaCha20", chacha20.prove_go, chacha20.ASSUMED),
        "go-stitched": Suite(
            "values of Poly1305 stitched to ChaCha20 in the Go module",
            partial(stitched.prove_stitched, certify),
            go.ASSUMED,
        ),
        "objects": Suite(
            "calls of what compilers made", partial(objects.prove_objects, compilers, every), objects.ASSUMED
        ),
        "loops": Suite(
            "paths through what compilers made, at every length",
            partial(loops.prove_loops, compilers, every),
            loops.ASSUMED,
        ),
        "algebra": Suite("identities between blocks and Bernstein's polynomial", composition.prove_algebra),
        "dispatch": Suite(
            "lengths at which the library has Bernstein's tag",
            partial(composition.prove_dispatch, ROOT / "build" / "libhornet.so"),
        ),
    }


# Each field and evaluation once, as recorded.
QUICK_KERNELS = ("avx2", "ifma", "vmsl", "scalar64")


def quick() -> Suites:
    """Return what takes seconds."""
    found = suites(certify=False)
    return {
        "graphs": found["graphs"]._replace(proofs=lambda: of_graphs(QUICK_KERNELS, simplified=False)),
        "algebra": found["algebra"]._replace(proofs=lambda: composition.prove_algebra(QUICK_KERNELS)),
    }


@dataclass
class Outcome:
    """A line of the table."""

    name: str
    proofs: int = 0
    claims: int = 0
    certificates: int = 0
    verified: int = 0
    seconds: float = 0
    refused: str = ""

    def run(self, proofs: Iterable[Proved], report: Callable[[str], None]) -> None:
        """Run proofs up to the first that is refused, and verify their certificates."""
        start, verifying = time.monotonic(), Verifying()
        try:
            for title, claims, _ in verifying.watched(proofs):
                self.proofs += 1
                self.claims += claims
                report(f"{title}: {claims}")
            verified = verifying.claims()
            self.certificates, self.verified = len(verified), sum(verified)
        except REFUSALS as error:
            self.refused = str(error)
        self.seconds = time.monotonic() - start


def prove(wanted: Suites, report: Callable[[str], None] = lambda _: None) -> list[Outcome]:
    """Run suites, print a table and what the proofs assume, and return the outcomes."""
    outcomes = []
    print(f"{'proved':12} {'proofs':>7} {'claims':>8} {'certificates':>13} {'verified':>9} {'seconds':>8}  claims are")
    for name, suite in wanted.items():
        outcome = Outcome(name)
        outcome.run(suite.proofs(), report)
        outcomes.append(outcome)
        figures = f"{outcome.proofs:7} {outcome.claims:8} {outcome.certificates:13} {outcome.verified:9} {outcome.seconds:8.1f}"
        print(f"{name:12} {figures}  {suite.claims}", flush=True)
        if outcome.refused:
            print(f"    refused: {outcome.refused}")
    refused = sum(bool(outcome.refused) for outcome in outcomes)
    print(f"{sum(outcome.proofs for outcome in outcomes)} proofs, {refused} refused")
    for assumed in dict.fromkeys(suite.assumed for suite in wanted.values() if suite.assumed):
        print(f"{', '.join(name for name, suite in wanted.items() if suite.assumed == assumed)}: it is assumed that")
        for assumption in assumed:
            print(f"  - {assumption}")
    return outcomes
