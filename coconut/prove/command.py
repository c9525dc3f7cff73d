# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run proofs, and print a table of them."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from coconut.assembler import ParseError
from coconut.prove import chacha20, composition, go, graphs, programs
from coconut.prove.polynomials import Unproved
from coconut.simulate import Mismatch
from coconut.trace import ROOT

# A proof: its title first, the number of its claims last.
Proof = tuple[Any, ...]


def of_kernels(prove: Callable[[str], Iterator[Proof]]) -> Iterator[Proof]:
    for kernel in graphs.POLY1305_KERNELS:
        yield from prove(kernel)


# What is proved, by the name of the suite, and what its claims are.
SUITES: dict[str, tuple[str, Callable[[], Iterable[Proof]]]] = {
    "graphs": ("elements of Poly1305's basic blocks", lambda: of_kernels(graphs.prove_graphs)),
    "selections": ("elements of instruction selections", lambda: of_kernels(programs.prove_selections)),
    "chacha20": ("words of ChaCha20's basic blocks and selections", lambda: both(chacha20)),
    "go": ("ways through the Go module's functions of Poly1305", go.prove_functions),
    "go-chacha20": ("words of the Go module's functions of ChaCha20", chacha20.prove_go),
    "algebra": ("identities between blocks and Bernstein's polynomial", composition.prove_algebra),
    "dispatch": (
        "lengths at which the library has Bernstein's tag",
        lambda: composition.prove_dispatch(ROOT / "build" / "libhornet.so"),
    ),
}
# Those that need nothing but sources.
QUICK = ("graphs", "algebra")


def both(module: Any) -> Iterator[Proof]:
    yield from module.prove_graphs()
    yield from module.prove_selections()


@dataclass
class Row:
    """A row of the table."""

    name: str
    proofs: int = 0
    claims: int = 0
    seconds: float = 0
    refused: str = ""

    def run(self, proofs: Iterable[Proof], report: Callable[[str], None]) -> None:
        """Run proofs up to the first that is refused."""
        start = time.monotonic()
        try:
            for title, *_, claims in proofs:
                self.proofs += 1
                self.claims += claims
                report(f"{title}: {claims}")
        except (Unproved, Mismatch, ParseError) as error:
            self.refused = f"{type(error).__name__}: {error}"
        self.seconds = time.monotonic() - start


def prove(names: Iterable[str], report: Callable[[str], None] = lambda _: None) -> list[Row]:
    """Run suites, print a table, and return its rows."""
    rows = []
    print(f"{'proved':12} {'proofs':>7} {'claims':>8} {'seconds':>8}  claims are")
    for name in names:
        what, proofs = SUITES[name]
        row = Row(name)
        row.run(proofs(), report)
        rows.append(row)
        print(f"{name:12} {row.proofs:7} {row.claims:8} {row.seconds:8.1f}  {what}", flush=True)
        if row.refused:
            print(f"    refused: {row.refused}")
    refused = sum(bool(row.refused) for row in rows)
    print(f"{sum(row.proofs for row in rows)} proofs, {refused} refused")
    return rows
