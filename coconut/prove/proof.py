# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a proof under its title."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from coconut.assembler import ParseError
from coconut.prove.certificate import Certificate
from coconut.prove.polynomials import Ring, Unproved
from coconut.simulate import Mismatch

# What refuses a proof: it does not follow, cannot run, or cannot be read.
REFUSALS = (Unproved, Mismatch, ParseError)


class Compiled(NamedTuple):
    """A function as a compiler made it, at some lengths in bytes: the compiler with its version, and the kernel."""

    compiler: str
    kernel: str
    function: str = ""
    lengths: str = ""


class Called(NamedTuple):
    """A call that was proved: what tells it from others, and the addresses of the instructions that it has run."""

    call: dict[str, Any]
    ran: frozenset[int]


class Proved(NamedTuple):
    """What was proved, how many claims it has, and the certificate that it is in, maybe with proofs beside it.

    omitted: why this machine cannot prove it; then there is no claim. calls: the whole calls, if it is about such.
    """

    title: str
    claims: int
    certificate: Certificate | None = None
    compiled: Compiled | None = None
    omitted: str = ""
    calls: Sequence[Called] = ()

    @property
    def part(self) -> str:
        """Return what proofs are counted by: a kernel, or what their titles begin with."""
        return self.compiled.kernel if self.compiled else re.split("[/,:]", self.title)[0]

    @property
    def compiler(self) -> str:
        return self.compiled.compiler if self.compiled else ""


def proved(title: str, prove: Callable[[], int], ring: Ring | None = None, compiled: Compiled | None = None) -> Proved:
    """Run a proof, maybe in a ring, and return it with the number of its claims; a refusal is raised with its title."""
    try:
        return Proved(title, prove(), ring.certificate if ring else None, compiled)
    except REFUSALS as error:
        raise Unproved(f"{title}: {error}") from None
