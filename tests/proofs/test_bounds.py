# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The bounds of the field arithmetic hold for all keys, messages and lengths: programs here run it on ranges.

Each vector kernel's own file is compiled, so that a new kernel is proved without any change here. The proof must fail
when the code is wrong: with each carry removed in turn, one product too many, or a multiplier that is too large.
"""

import re
import shutil

from support import ROOT, attempt, run, suite
from support.kernels import proof_of, prove


@suite("check quick", cpu_seconds=20)
def test_bounds(folder):
    proved = [path.stem for path in sorted((ROOT / "src/poly1305/kernels").glob("*.c")) if prove(path.stem, folder)]
    assert {"avx2", "ifma", "portable", "portable44"} <= set(proved), f"only {proved} are proved"
    for name in "vmsl", "radix64", "radix32":
        assert prove(name, folder)


# What is proved of a wrong tree, and the changes that make it wrong: file, text and its replacement, in turn. One
# kernel of each field is enough.
MISTAKES = [
    ("ifma", "lanes.h", "vec_add(a, LANES_KEEP_SHIFT(vec_barrier, vec_shl(a, 2)))", "vec_shl(a, 6)"),
    ("avx2", "lanes.h", "factor_add(a, LANES_KEEP_SHIFT(factor_barrier, factor_shl(a, 2)))", "factor_shl(a, 6)"),
    ("avx2", "field/radix26.h", "vec_and(vec_shr(hi, 14), mask)", "vec_shr(hi, 14)"),
    ("avx2", "field/radix26.h", "vec_shl(top, 24)", "vec_shl(top, 25)"),
    ("portable", "field/radix26.h", "factor_splat(1 << 24)", "factor_splat(1 << 27)"),
    ("portable", "field/radix26.h", "packed.v[i] = factor_barrier(", "packed.v[i] = factor_times5("),
    ("avx2", "field/radix26.h", "return fe_carry(sum);", "return fe_from_limbs(sum.limb);"),
    ("avx2", "field/radix26.h", "vec_and(vec_shl(before, 6), vec_splat(MASK26))", "vec_shl(before, 6)"),
    ("avx2", "field/radix26.h", "fe_times_2_32(fe_carry(tops))", "fe_times_2_32(fe_from_limbs(tops.limb))"),
    ("ifma", "field/radix44.h", "20 * BIAS * MASK44", "20 * MASK44"),
    ("ifma", "field/radix44.h", "BIAS * (MASK44 - 4)", "BIAS * (MASK44 - 4) / 32"),
    ("ifma", "field/radix44.h", "<< 14) + 512", "<< 15)"),
    ("ifma", "field/radix44.h", "vec_and(vec_shr44_pair(lo, hi), mask)", "vec_shr44_pair(lo, hi)"),
    ("ifma", "field/radix44.h", "vec_shl(top, 40)", "vec_shl(top, 44)"),
    ("ifma", "field/radix44.h", "return vec_shl(times5(a), 2);", "return vec_shl(a, 9);"),
    (
        "ifma",
        "field/radix44.h",
        "vec_add(vec_and(d.limb[1], vec_splat(MASK44)), vec_shr(d.limb[0], 44))",
        "vec_add(d.limb[1], vec_shr(d.limb[0], 44))",
    ),
    ("vmsl", "field/radix44_sums.h", "carry_once(once.limb, carry)", "once"),
    ("vmsl", "field/radix44_sums.h", "times20(a.limb[2])};", "vec_shl(a.limb[2], 15)};"),
    ("vmsl", "horner/vmsl_kernel.h", "<< 54) - 1", "<< 51) - 1"),
    # Stated limits that every sum of the evaluation keeps, too weak for the carries after them.
    ("vmsl", "field/radix44_sums.h", "(UINT64_C(1) << (bits - 3)) - 1", "(UINT64_C(1) << (bits - 2)) - 1"),
    ("avx2", "field/radix26.h", "#define WIDE_LIMB_MAX  ((UINT64_C(1) << 63) - 1)", "#define WIDE_LIMB_MAX UINT64_MAX"),
    ("radix64", "field/radix64.h", "h.limb[2] & 3", "h.limb[2]"),
    ("radix64", "field/radix64.h", "words[1] + (words[1] >> 2)", "16 * words[1] + words[1]"),
    ("radix64", "field/radix64.h", "a.limb[2] >> 2;", "a.limb[2];"),
    ("radix32", "field/radix32.h", "h4 * r.r[0] + (uint32_t)(d3 >> 32)", "(uint32_t)(h4 * r.r[0] + (d3 >> 28))"),
    ("radix32", "field/radix32.h", "(d4 & 3) + ", "d4 + "),
    ("avx2", "horner/batch.h", "fe_mul(fe_add(h, c), r)", "fe_add(h, c)"),
    # Longer sums in the lists that the proof reads.
    ("ifma", "../core/tuning.h", "X(32, 96)", "X(64, 96)", "field/radix44.h", "LONG_SUM_MAX 32", "LONG_SUM_MAX 64"),
    ("ifma", "../core/tuning.h", "X(16, 38)", "X(64, 38)", "field/radix44.h", "LONG_SUM_MAX 32", "LONG_SUM_MAX 64"),
    ("avx2", "../core/tuning.h", "X(8, 42)", "X(16, 42)", "field/radix26.h", "LONG_SUM_MAX 8", "LONG_SUM_MAX 16"),
]


def carries():
    """Return a mistake for each carry of radix 2^26: without that line."""
    path = "field/radix26.h"
    text = (ROOT / "src/poly1305" / path).read_text()
    found = list(re.finditer(r"^    carry_limb\(d, [0-4]\);.*\n", text, re.M))
    assert len(found) >= 7
    return [("avx2", path, text, text[: line.start()] + text[line.end() :]) for line in found]


@suite("slow", cpu_seconds=30)
def test_proof_mutants(folder):
    for name, *changes in MISTAKES + carries():
        shutil.rmtree(folder / "src", ignore_errors=True)
        shutil.copytree(ROOT / "src", folder / "src")
        for path, before, after in zip(*[iter(changes)] * 3, strict=True):
            file = folder / "src/poly1305" / path
            text = file.read_text()
            assert text.count(before) == 1, f"{path} has {before!r} {text.count(before)} times"
            file.write_text(text.replace(before, after))
        run(*proof_of(name, folder), "-o", folder / name)
        status, said = attempt(folder / name)
        what = f"{name} with {changes[-1] if len(changes[-1]) < 200 else 'a carry removed'!r}"
        assert status != 0, f"the proof holds: {what}"
        assert "BROKEN" in said, f"the proof fails for another reason: {what}: {said}"
    print(f"the proof of bounds notices {len(MISTAKES) + len(carries())} mistakes")
