# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove what the arithmetic of the cores computes for all inputs, with the symbolic numbers of coconut/prove.

They are given to the functions that build the circuits. So products, sums and carries are proved to make a * b + c modulo
p, and the tag to be (h mod p + s) mod 2^128, for all limbs within the bounds by which registers are sized.
"""

from collections.abc import Callable, Iterator

from coconut.prove.certificate import Certificate
from coconut.prove.certified import verify, write
from coconut.prove.claims import Encoding
from coconut.prove.polynomials import Ring, add, multiply
from lab.circuit import arithmetic
from lab.circuit.arithmetic import MASK, WEIGHTS, Limbs, Number
from lab.circuit.intervals import finish_max, limbs_max, sums_max

ELEMENT = Encoding(WEIGHTS, limits=limbs_max())
# A block, r or s.
CUT = Encoding(WEIGHTS, limits=(MASK,) * len(WEIGHTS))
WORD = 2**64 - 1


def number_of(limbs: Limbs) -> Number:
    return sum((limb * weight for limb, weight in zip(limbs, WEIGHTS, strict=True)), 0)


def prove_step(ring: Ring, step: Callable[[Limbs, Limbs, Limbs], list[Number]], factor: Encoding) -> None:
    """Raise Unproved unless a step leaves a * b + c within the bounds of limbs; factor: the bounds of b."""
    a, b, c = (encoding.assume(ring, name, None) for encoding, name in ((ELEMENT, "a"), (factor, "b"), (CUT, "c")))
    ELEMENT.require(ring, "a * b + c", step(a[0], b[0], c[0]), add(multiply(a[1], b[1]), c[1]))


def prove_sums(ring: Ring) -> None:
    """Raise Unproved unless no row of the small core exceeds its registers."""
    a, b = (encoding.assume(ring, name, None)[0] for encoding, name in ((ELEMENT, "a"), (CUT, "b")))
    for row, sums in enumerate(arithmetic.rows(a, b)):
        for k, (number, limit) in enumerate(zip(sums, sums_max(), strict=True)):
            ring.claim_range(f"sum {k} of row {row}", number, 0, limit)


def prove_tag(ring: Ring, slots: int) -> None:
    """Raise Unproved unless the tag is that of the sum of a number of accumulators, `slots`, and no register is exceeded."""
    limits = [slots * limit for limit in limbs_max()]
    limbs = [ring.input(f"h[{k}]", limit) for k, limit in enumerate(limits)]
    s = [ring.input(f"s[{k}]", min(MASK, (1 << 128) // weight - 1)) for k, weight in enumerate(WEIGHTS)]
    value = number_of(limbs)
    for cycle, computed in enumerate(arithmetic.finish(limbs, s)):
        for name, number, limit in zip(("number", "carry"), computed, finish_max(limits), strict=True):
            ring.claim_range(f"{name} of cycle {cycle}", number, 0, limit)
    tag = number_of(limbs)
    ring.claim_tag("tag", [tag & WORD, tag >> 64 & WORD], value, number_of(s))


def proofs(slots: int) -> Iterator[tuple[str, int]]:
    """Prove all; yield each title with the number of claims, which the checker of certificates has verified too."""
    for title, prove in (
        ("step of the pipelined core", lambda ring: prove_step(ring, arithmetic.step, ELEMENT)),
        ("step of the small core", lambda ring: prove_step(ring, arithmetic.step_by_rows, CUT)),
        ("sums of the small core", prove_sums),
        ("tag of the pipelined core", lambda ring: prove_tag(ring, slots)),
        ("tag of the small core", lambda ring: prove_tag(ring, 1)),
    ):
        certificate = Certificate(f"circuit: {title}")
        prove(Ring(certificate))
        yield title, verify(write(certificate))
