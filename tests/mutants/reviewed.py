# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mistakes by which the proofs, or tests of random messages, were deceived once; each with the test that refuses it."""

from dataclasses import dataclass

from mutants.changes import Mutant
from mutants.sweep import Plan


@dataclass(frozen=True)
class Patch:
    """A text of a file in the place of another one, and what notices that: tests, in some sources, and the test of CI.

    - needs: a feature of the CPU that the tests need.
    """

    name: str
    path: str
    old: str
    new: str
    plan: Plan
    refused_by: str = "reference-gcc-O2"
    needs: str = ""

    def planted(self, text: str) -> list[Mutant]:
        """Return the mistake in a text, which must have the old text once."""
        assert text.count(self.old) == 1, f"{self.name}: {text.count(self.old)} times in {self.path}"
        start = text.index(self.old)
        return [Mutant(start, start + len(self.old), self.new, self.name)]


SCALAR = Plan(["test_poly1305 scalar64"], sources=["poly1305/kernels/scalar64.c"])
PORTABLE44 = Plan(["test_poly1305 portable44"], sources=["poly1305/kernels/portable44.c"])
VERIFY = Plan(["test_poly1305 scalar64", "test_aead --few"], sources=["poly1305/poly1305.c", "aead/chunks.c"])
# A jump on the flag Z of a comparison, which bts keeps.
JUMP = """    uint64_t any = 0;
    __asm__ volatile("cmpq $7, %1\\n\\tbtsq $1, %0\\n\\tje 1f\\n\\tmovabs $0x1234567812345678, %0\\n1:"
                     : "+&r"(any) : "r"(x[0] & 7) : "cc");
"""
OVER = "    const uint64_t over = x[2] >> 2; /* 1 or 0 */\n"

PATCHES = [
    Patch("a signed product", "core/words.h", '"mulq %3"', '"imulq %3"', SCALAR),
    Patch(
        "masks of elements of 32 bits",
        "poly1305/lanes/avx512f.h",
        "_mm512_maskz_loadu_epi64((__mmask8)words_there, blocks)",
        "_mm512_maskz_loadu_epi32((__mmask16)words_there, blocks)",
        Plan(["test_poly1305 avx512f"], sources=["poly1305/kernels/avx512f.c"]),
        needs="avx512f",
    ),
    Patch(
        "a jump on a secret",
        "poly1305/tag.h",
        OVER,
        OVER + JUMP,
        Plan(["test_traces"], sources=SCALAR.sources, options=["-DHORNET_NO_CROSSOVERS"]),
        refused_by="traces-stepped-gcc",
    ),
    Patch(
        "a carry lost in radix 2^64",
        "poly1305/field/radix64.h",
        "add_word_pair(&product.d[1], &product.d[2], product.carry, 0);",
        "product.d[1] += product.carry;",
        SCALAR,
    ),
    Patch(
        "a carry lost in radix 2^64, of limb 2",
        "poly1305/field/radix64.h",
        "add_word_pair(&product.d[1], &above, product.carry, product.d[2]);",
        "product.d[1] += product.carry, above += product.d[2];",
        SCALAR,
    ),
    Patch(
        "a carry lost in radix 2^44",
        "poly1305/field/radix44.h",
        "factor_from(vec_add(vec_and(d.limb[0], vec_splat(MASK44)), times5(carry2)))",
        "factor_from(vec_and(d.limb[0], vec_splat(MASK44)))",
        PORTABLE44,
    ),
    Patch(
        "the top bits of both halves of a tag",
        "core/constant_time.h",
        "return difference == 0;\n}\n\n/* The same for any length.",
        "return difference << 1 == 0;\n}\n\n/* The same for any length.",
        VERIFY,
    ),
    Patch(
        "the top bits of two differences that cancel out",
        "core/constant_time.h",
        "(load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8))",
        "(load_le64(a) ^ load_le64(b)) + (load_le64(a + 8) ^ load_le64(b + 8))",
        VERIFY,
    ),
    Patch(
        "a batch of 64 bytes 5 times, 32, and 64 bytes 10 times",
        "poly1305/batch.c",
        "differences |= lens_bytes[i] ^ lens_bytes[0];",
        "differences = lens_bytes[i] ^ lens_bytes[0];",
        Plan(["test_poly1305 --batches avx2"], sources=["poly1305/batch.c"]),
    ),
]
