# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of Poly1305 stitched to ChaCha20 in the Go module, and that mistakes are refused."""

import pytest

from coconut.prove.mutations_chacha20 import plant_in_mac
from coconut.prove.planting import Tally
from coconut.prove.polynomials import Ring
from coconut.prove.proof import REFUSALS
from coconut.prove.stitched import prove_mac
from coconut.tests.test_prove_chacha20 import FUNCTIONS, edited, put_before, without


@pytest.mark.parametrize(
    ("name", "rounds"), [("xor8MAC4AVX2", 2), ("stream2MAC4AVX2", 10), ("stream4MAC8AVX2", 1), ("xor16MAC8AVX2", 9)]
)
def test_functions(name: str, rounds: int) -> None:
    assert prove_mac(FUNCTIONS[f"amd64 {name}"], rounds, Ring()) > 1


MISTAKES = {
    "pointer": put_before("DECQ groups+40(FP)", "ADDQ $16, SI"),
    "advance": without("ADDQ $64, SI"),
    "finish": without("MOVQ R9, 40(DI)"),
    "overwritten": put_before("DECQ groups+40(FP)", "MOVQ 0(DI), R8"),
    "r": put_before("DECQ groups+40(FP)", "MOVQ R8, 0(DI)"),
    "rounds": put_before("DECQ CX", "DECQ CX"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    title = "amd64 xor8MAC4AVX2"
    function = edited(title, MISTAKES[name])
    assert len(function.code.lines) != len(FUNCTIONS[title].code.lines)
    with pytest.raises(REFUSALS):
        prove_mac(function, 2, Ring())


def test_mutations() -> None:
    tally = Tally()
    plant_in_mac(FUNCTIONS["amd64 stream2MAC4AVX2"], tally, 7)
    refused = sum(tally.refused.values())
    assert tally.planted > 60 and tally.planted - 5 < refused < tally.planted + 1
