# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a proof under its title."""

from collections.abc import Callable
from typing import NamedTuple

from coconut.assembler import ParseError
from coconut.prove.certificate import Certificate
from coconut.prove.polynomials import Ring, Unproved
from coconut.simulate import Mismatch

# What refuses a proof: it does not follow, cannot run, or cannot be read.
REFUSALS = (Unproved, Mismatch, ParseError)


class Proved(NamedTuple):
    """What was proved, how many claims it has, and the certificate that it is in, maybe with proofs beside it."""

    title: str
    claims: int
    certificate: Certificate | None = None


def proved(title: str, prove: Callable[[], int], ring: Ring | None = None) -> Proved:
    """Run a proof, maybe in a ring, and return it with the number of its claims; a refusal is raised with its title."""
    try:
        return Proved(title, prove(), ring.certificate if ring else None)
    except REFUSALS as error:
        raise Unproved(f"{title}: {error}") from None
