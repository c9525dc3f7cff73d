# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a proof under its title."""

from collections.abc import Callable
from typing import NamedTuple

from coconut.assembler import ParseError
from coconut.prove.polynomials import Unproved
from coconut.simulate import Mismatch

# What refuses a proof: it does not follow, cannot run, or cannot be read.
REFUSALS = (Unproved, Mismatch, ParseError)


class Proved(NamedTuple):
    """What was proved, and how many claims it has."""

    title: str
    claims: int


def proved(title: str, prove: Callable[[], int]) -> Proved:
    """Run a proof, which returns the number of its claims; what refuses it is raised with its title."""
    try:
        return Proved(title, prove())
    except REFUSALS as error:
        raise Unproved(f"{title}: {error}") from None
