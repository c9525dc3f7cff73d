#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bernstein's theorems 3.1 to 3.3, as far as they are arithmetic: p = 2^130 - 5 is prime by the certificate in prime.json,
equal polynomials have equal messages, and two messages have the same tag for few r.

    prime.py      checks them, and prints what was shown
"""

import json
import math
import re
import sys
from collections.abc import Mapping
from pathlib import Path

STUDY = Path(__file__).resolve().parent
CERTIFICATE = STUDY / "prime.json"
CLAMP = STUDY.parents[1] / "src/poly1305/state.h"
P = 2**130 - 5
BLOCK_BYTES = 16


class Wrong(Exception):
    """A step that does not hold."""


def need(holds: bool, what: str) -> None:
    if not holds:
        raise Wrong(what)


def is_prime_by_division(n: int) -> bool:
    return n > 1 and all(n % divisor for divisor in range(2, math.isqrt(n) + 1))


def check_pocklington(n: int, factors: list[int], base: int) -> None:
    """Check the conditions under which n is prime if the factors are: they divide n - 1, their product is larger than the
    square root of n, base^(n - 1) = 1 modulo n, and base^((n - 1) / q) - 1 is coprime to n for each factor q."""
    need(len(set(factors)) == len(factors), f"{factors}: a factor twice")
    need(math.prod(factors) ** 2 > n, f"{n}: the factors' product is not larger than its square root")
    need(pow(base, n - 1, n) == 1, f"{n}: {base}^(n - 1) is not 1")
    for q in factors:
        need((n - 1) % q == 0, f"{q} does not divide {n} - 1")
        need(math.gcd(pow(base, (n - 1) // q, n) - 1, n) == 1, f"{n}: {base}^((n - 1) / {q}) - 1 has a common divisor")


def check_certificate(certificate: Mapping) -> list[int]:
    """Check theorem 3.1, and return the primes, from the least: each is proved by those before it."""
    need(certificate["prime"] == "2^130 - 5", "the certificate is of another number")
    steps = certificate["steps"]
    numbers = {steps[-1]["name"]: P}
    # From p down: n' = (n - 1) / cofactor.
    for lower, step in zip(reversed(steps[:-1]), reversed(steps[1:])):
        n = numbers[step["name"]]
        need((n - 1) % step["cofactor"] == 0, f"{step['cofactor']} does not divide {step['name']} - 1")
        numbers[lower["name"]] = (n - 1) // step["cofactor"]
    proved: dict[object, int] = {}
    for step in steps:
        for factor in step["factors"]:
            if factor not in proved:
                need(isinstance(factor, int) and is_prime_by_division(factor), f"{factor} is not known to be prime")
                proved[factor] = factor
        n = numbers[step["name"]]
        check_pocklington(n, [proved[factor] for factor in step["factors"]], certificate["base"])
        proved[step["name"]] = n
    need(proved[steps[-1]["name"]] == P, "the last step is not of p")
    return sorted(proved.values())


def check_messages() -> None:
    """Check theorem 3.2: a block of 1 to 16 bytes, with a 1 appended, is a coefficient from 2^8 to 2^129; those of different
    lengths differ, and the difference of two is no multiple of p unless it is 0."""
    ranges = [(2 ** (8 * n), 2 ** (8 * n + 1) - 1) for n in range(1, BLOCK_BYTES + 1)]  # of a block of n bytes
    need(all(high < low for (_, high), (low, _) in zip(ranges, ranges[1:])), "blocks of two lengths coincide")
    most = ranges[-1][1]
    need(0 < ranges[0][0] and most < P and most - ranges[0][0] < P, "a coefficient, or a difference, can be p")


def differences(g: int) -> int:
    """Return how many integers from -(p - 1) to p - 1 are g modulo 2^128."""
    return (P - 1 - g) // 2**128 - (-P - g) // 2**128


def check_collisions() -> tuple[int, int]:
    """Check theorem 3.3, and return its two numbers: for each g there are at most 8 differences of values modulo p that are
    g modulo 2^128, each of which gives a polynomial of degree ceil(L/16); and r has 106 bits."""
    # The number changes only where a multiple of 2^128 enters or leaves: at g that are +-(p - 1) modulo 2^128, and at 0.
    edges = [(sign * (P - 1) + more) % 2**128 for sign in (1, -1) for more in (-1, 0, 1)] + [0, 2**128 - 1]
    most = max(map(differences, edges))
    words = [
        int(word, 16) for word in re.findall(r"#define HORNET_CLAMP_(?:LO|HI)\s+UINT64_C\((0x\w+)\)", CLAMP.read_text())
    ]
    need(len(words) == 2, f"{CLAMP}: the masks of r are not found")
    bits = sum(word.bit_count() for word in words)
    need(most == 8 and bits == 106, f"{most} differences and {bits} bits of r, not 8 and 106")
    return most, bits


def main() -> None:
    try:
        primes = check_certificate(json.loads(CERTIFICATE.read_text()))
        check_messages()
        most, bits = check_collisions()
    except Wrong as error:
        sys.exit(f"prime.py: {error}")
    print("3.1: these are prime:", *primes)
    print("3.2: messages whose polynomials are equal modulo p are equal")
    print(
        f"3.3: two messages of at most L bytes have tags that differ by g for at most {most} ceil(L/16) of 2^{bits} r"
    )


if __name__ == "__main__":
    main()
