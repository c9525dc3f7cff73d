# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run proofs, and print a table of them."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from coconut.prove import composition, graphs
from coconut.prove.proof import REFUSALS, Proved
from coconut.trace import ROOT


def of_graphs(kernels: Iterable[str] = graphs.POLY1305_KERNELS, simplified: bool = True) -> Iterator[Proved]:
    for kernel in kernels:
        yield from graphs.prove_graphs(kernel, simplified)


# Schedulers, which the following modules import, need packages that graphs do not need.
def of_selections() -> Iterator[Proved]:
    from coconut.prove import programs

    for kernel in graphs.POLY1305_KERNELS:
        yield from programs.prove_selections(kernel)


def of_chacha20() -> Iterator[Proved]:
    from coconut.prove import chacha20

    yield from chacha20.prove_graphs()
    yield from chacha20.prove_selections()


def of_go() -> Iterator[Proved]:
    from coconut.prove import go

    yield from go.prove_functions()


def of_go_chacha20() -> Iterator[Proved]:
    from coconut.prove import chacha20

    yield from chacha20.prove_go()


def of_certificates() -> Iterator[Proved]:
    from coconut.prove import certified

    yield from certified.prove_certified()


def of_stitched() -> Iterator[Proved]:
    from coconut.prove import stitched

    yield from stitched.prove_stitched()


def of_dispatch() -> Iterator[Proved]:
    yield from composition.prove_dispatch(ROOT / "build" / "libhornet.so")


Suites = dict[str, tuple[str, Callable[[], Iterable[Proved]]]]

# What is proved, by the name of the suite, and what its claims are.
SUITES: Suites = {
    "graphs": ("elements of Poly1305's basic blocks", of_graphs),
    "certificates": ("claims on graphs that the independent checker verifies", of_certificates),
    "selections": ("elements of instruction selections", of_selections),
    "chacha20": ("words of ChaCha20's basic blocks and selections", of_chacha20),
    "go": ("ways through the Go module's functions of Poly1305", of_go),
    "go-chacha20": ("words of the Go module's functions of ChaCha20", of_go_chacha20),
    "go-stitched": ("values of Poly1305 beside ChaCha20 in the Go module", of_stitched),
    "algebra": ("identities between blocks and Bernstein's polynomial", composition.prove_algebra),
    "dispatch": ("lengths at which the library has Bernstein's tag", of_dispatch),
}
# Each field and evaluation once, as recorded.
QUICK_KERNELS = ("avx2", "ifma", "vmsl", "scalar64")
QUICK: Suites = {
    "graphs": (SUITES["graphs"][0], lambda: of_graphs(QUICK_KERNELS, simplified=False)),
    "algebra": SUITES["algebra"],
}


@dataclass
class Row:
    """A row of the table."""

    name: str
    proofs: int = 0
    claims: int = 0
    seconds: float = 0
    refused: str = ""

    def run(self, proofs: Iterable[Proved], report: Callable[[str], None]) -> None:
        """Run proofs up to the first that is refused."""
        start = time.monotonic()
        try:
            for title, claims in proofs:
                self.proofs += 1
                self.claims += claims
                report(f"{title}: {claims}")
        except REFUSALS as error:
            self.refused = str(error)
        self.seconds = time.monotonic() - start


def prove(suites: Suites, report: Callable[[str], None] = lambda _: None) -> list[Row]:
    """Run suites, print a table, and return its rows."""
    rows = []
    print(f"{'proved':12} {'proofs':>7} {'claims':>8} {'seconds':>8}  claims are")
    for name, (what, proofs) in suites.items():
        row = Row(name)
        row.run(proofs(), report)
        rows.append(row)
        print(f"{name:12} {row.proofs:7} {row.claims:8} {row.seconds:8.1f}  {what}", flush=True)
        if row.refused:
            print(f"    refused: {row.refused}")
    refused = sum(bool(row.refused) for row in rows)
    print(f"{sum(row.proofs for row in rows)} proofs, {refused} refused")
    return rows
