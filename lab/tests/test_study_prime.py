# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bernstein's theorems 3.1 to 3.3: the certificate of p is right, and certificates that are not are refused."""

import copy
import json
import sys

import pytest
from support import ROOT, suite

sys.path.append(str(ROOT / "lab/study"))

import prime

CERTIFICATE = json.loads(prime.CERTIFICATE.read_text())


@suite("quick")
def test_study_prime():
    primes = prime.check_certificate(CERTIFICATE)
    assert len(primes) == 5 and primes[-1] == 2**130 - 5
    prime.check_messages()
    assert prime.check_collisions() == (8, 106)
    # Near the edges, counted at each g.
    assert max(map(prime.differences, range(2**128 - 20, 2**128 + 1))) == 8 and prime.differences(0) == 7


def wrong_certificates():
    """Return what each mistake changes, and what is said of it."""
    for step, key, value, said in (
        (0, "factors", [37003], "not larger than its square root"),
        (0, "factors", [37003, 221103], "not known to be prime"),
        (0, "factors", [37003, 37003], "a factor twice"),
        (0, "factors", [37003, 221101, 7919], "does not divide"),
        (1, "cofactor", 222890620703, "does not divide"),
        (1, "factors", [3], "not larger than its square root"),
        (2, "cofactor", 1517314646 // 2, "does not divide"),
    ):
        certificate = copy.deepcopy(CERTIFICATE)
        certificate["steps"][step][key] = value
        yield certificate, said
    yield CERTIFICATE | {"prime": "2^130 - 3"}, "of another number"
    yield CERTIFICATE | {"base": 1}, "common divisor"


@suite("quick")
def test_study_prime_refuses():
    for certificate, said in wrong_certificates():
        with pytest.raises(prime.Wrong, match=said):
            prime.check_certificate(certificate)
    # A composite number, whose Fermat test to the base 2 holds: 341 = 11 * 31.
    with pytest.raises(prime.Wrong, match="common divisor"):
        prime.check_pocklington(341, [5, 17], 2)
