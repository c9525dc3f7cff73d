# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the polynomials of proofs, modulo p, with those of another library: FLINT."""

import random
from itertools import islice
from typing import Any

import flint
import pytest

from coconut.prove.certificate import Certificate
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Number, P, Poly, Ring, multiply

BLOCKS = ("scalar64/block", "vmsl/step 2", "avx2/step 2", "ifma256/long step 16", "ifma256/begin 2")


class Flint:
    """The ring of a proof, in FLINT."""

    def __init__(self, ring: Ring) -> None:
        names = tuple(f"x{i}" for i in range(len(ring.names)))
        self.context = flint.fmpz_mod_mpoly_ctx.get(names, modulus=P, ordering="degrevlex")
        self.variables = self.context.gens()
        # What is known of elements, as equations, which FLINT solves.
        self.solved = list(self.variables)
        for variable, poly in ring.elements.items():
            self.solved[variable] = self.of(poly)

    def of(self, poly: Poly) -> Any:
        terms: dict[tuple[int, ...], int] = {}
        for monomial, coefficient in poly.items():
            exponents = [0] * len(self.variables)
            for variable in monomial:
                exponents[variable] += 1
            terms[tuple(exponents)] = coefficient % P
        return self.context.from_dict(terms)

    def reduced(self, poly: Poly) -> object:
        return self.of(poly).compose(*self.solved, ctx=self.context)


@pytest.mark.parametrize("title", BLOCKS)
def test_reduction_agrees(title: str) -> None:
    """Compare each output, and products of outputs."""
    kernel, _, name = title.partition("/")
    ring = Ring(Certificate(title))
    outputs = BlockProof(graphs_of(kernel)[name], ring=ring).outputs()
    other = Flint(ring)
    polys = [number.poly for lanes in outputs.values() for number in lanes if isinstance(number, Number)]
    choice = random.Random(title)
    polys = choice.sample(polys, min(len(polys), 12))
    for poly in polys:
        assert other.of(ring.reduce(poly)) == other.reduced(poly)
        assert ring.reduce(poly) == {} or other.of(ring.reduce(poly)) != other.context.from_dict({})
    short = [poly for poly in polys if len(poly) < 60]
    for a, b in islice(zip(short, reversed(short), strict=True), 4):
        assert other.of(multiply(a, b, P)) == other.of(a) * other.of(b)
        # A mistake in one coefficient is seen.
        monomial = choice.choice(list(a))
        assert other.of(a | {monomial: a[monomial] + 1}) != other.of(a)
