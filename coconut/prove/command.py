# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run proofs, and print a table of them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import NamedTuple

from coconut.prove import composition, graphs
from coconut.prove.certified import Verifying
from coconut.prove.proof import REFUSALS, Proved
from coconut.trace import ROOT


def of_graphs(
    kernels: Iterable[str] = graphs.POLY1305_KERNELS, simplified: bool = True, certify: bool = False
) -> Iterator[Proved]:
    for kernel in kernels:
        yield from graphs.prove_graphs(kernel, simplified, certify)


# Schedulers, which the following modules import, need packages that graphs do not need.
def of_selections(certify: bool) -> Iterator[Proved]:
    from coconut.prove import programs

    for kernel in graphs.POLY1305_KERNELS:
        yield from programs.prove_selections(kernel, certify)


def of_chacha20() -> Iterator[Proved]:
    from coconut.prove import chacha20

    yield from chacha20.prove_graphs()
    yield from chacha20.prove_selections()


def of_go(certify: bool) -> Iterator[Proved]:
    from coconut.prove import go

    yield from go.prove_functions(certify)


def of_go_chacha20() -> Iterator[Proved]:
    from coconut.prove import chacha20

    yield from chacha20.prove_go()


def of_stitched(certify: bool) -> Iterator[Proved]:
    from coconut.prove import stitched

    yield from stitched.prove_stitched(certify)


def of_objects(compilers: Sequence[str], every: bool) -> Iterator[Proved]:
    from coconut.prove import objects

    yield from objects.prove_objects(compilers, every)


def of_loops(compilers: Sequence[str], every: bool) -> Iterator[Proved]:
    from coconut.prove import loops

    yield from loops.prove_loops(compilers, every)


def of_dispatch() -> Iterator[Proved]:
    yield from composition.prove_dispatch(ROOT / "build" / "libhornet.so")


def assumed_by(module: str) -> tuple[str, ...]:
    """Return what the proofs of a module assume of the world around them."""
    assumed: tuple[str, ...] = import_module(f"coconut.prove.{module}").ASSUMED
    return assumed


class Suite(NamedTuple):
    """What the claims of a suite are, its proofs, and the module that lists what they assume, if one does."""

    claims: str
    proofs: Callable[[], Iterable[Proved]]
    module: str = ""


Suites = dict[str, Suite]


def suites(certify: bool, compilers: Sequence[str] = (), every: bool = False) -> Suites:
    """Return what is proved, by the name of the suite, and what its claims are.

    compilers: whose machine code, by default those installed; every: at every length up to 600 bytes, for an hour, and
    the loops of all functions.
    """
    return {
        "graphs": Suite("elements of Poly1305's basic blocks", partial(of_graphs, certify=certify)),
        "selections": Suite("elements of instruction selections", partial(of_selections, certify)),
        "chacha20": Suite("words of ChaCha20's basic blocks and selections", of_chacha20),
        "go": Suite("paths through the Go module's functions of Poly1305", partial(of_go, certify), "go"),
        "go-chacha20": Suite("words of the Go module's functions of ChaCha20", of_go_chacha20, "chacha20"),
        "go-stitched": Suite(
            "values of Poly1305 stitched to ChaCha20 in the Go module", partial(of_stitched, certify), "go"
        ),
        "objects": Suite("calls of what compilers made", partial(of_objects, compilers, every), "objects"),
        "loops": Suite(
            "paths through what compilers made, at every length", partial(of_loops, compilers, every), "loops"
        ),
        "algebra": Suite("identities between blocks and Bernstein's polynomial", composition.prove_algebra),
        "dispatch": Suite("lengths at which the library has Bernstein's tag", of_dispatch),
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
    for module in dict.fromkeys(suite.module for suite in wanted.values() if suite.module):
        print(f"{', '.join(name for name, suite in wanted.items() if suite.module == module)}: it is assumed that")
        for assumption in assumed_by(module):
            print(f"  - {assumption}")
    return outcomes
