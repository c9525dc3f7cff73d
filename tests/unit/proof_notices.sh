#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The proof of bounds must fail when the code is wrong: with each carry removed in turn, one product too many, or a
# multiplier that is too large. A proof that still holds would prove nothing.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mutants=$root/build/mutants
rm -rf "$mutants"
mkdir -p "$mutants"

tried=0
# expect_broken FILE SED_EXPRESSION [FILE SED_EXPRESSION]...: checks that the proof fails after the expressions have
# changed the files in src/poly1305/.
expect_broken() {
    rm -rf "$mutants/src" "$mutants/include"
    cp -r "$root/src" "$root/include" "$mutants/"
    changes=$*
    while [ $# -gt 0 ]; do
        sed -i "$2" "$mutants/src/poly1305/$1"
        if cmp -s "$root/src/poly1305/$1" "$mutants/src/poly1305/$1"; then
            echo "$0: '$2' changes nothing in $1" >&2
            exit 1
        fi
        shift 2
    done
    # One kernel of each field is enough.
    if "$root/proofs/run.sh" "$mutants/src" "$mutants/proofs" avx2 ifma > "$mutants/log" 2>&1; then
        echo "$0: the proof holds with: $changes" >&2
        exit 1
    fi
    if ! grep -q BROKEN "$mutants/log"; then
        echo "$0: the proof fails for another reason with: $changes" >&2
        cat "$mutants/log" >&2
        exit 1
    fi
    tried=$((tried + 1))
}

grep -n '^    carry_limb(d, [0-4]);' "$root/src/poly1305/field/radix26.h" | cut -d: -f1 > "$mutants/carries"
while read -r line; do
    expect_broken field/radix26.h "${line}d"
done < "$mutants/carries"
expect_broken lanes.h 's/vec_add(a, LANES_KEEP_SHIFT(vec_opaque, vec_shl(a, 2)))/vec_shl(a, 6)/'
expect_broken lanes.h 's/factor_add(a, LANES_KEEP_SHIFT(factor_opaque, factor_shl(a, 2)))/factor_shl(a, 6)/'
expect_broken field/radix26.h 's/vec_and(vec_shr(hi, 14), mask)/vec_shr(hi, 14)/'
expect_broken field/radix26.h 's/vec_shl(top, 24)/vec_shl(top, 25)/'
expect_broken field/radix26.h 's/return fe_carry(sum);/return fe_from_limbs(sum.limb);/'
expect_broken field/radix26.h 's/vec_and(vec_shl(before, 6), vec_splat(MASK26))/vec_shl(before, 6)/'
expect_broken field/radix26.h 's/fe_times_2_32(fe_carry(tops))/fe_times_2_32(fe_from_limbs(tops.limb))/'
expect_broken field/radix44.h 's/20 \* MASK44 << 14/20 * MASK44 << 4/'
expect_broken field/radix44.h 's/(MASK44 - 4) << 14/(MASK44 - 4) << 9/'
expect_broken field/radix44.h 's/20 \* MASK44 << 14/20 * MASK44 << 15/'
expect_broken field/radix44.h 's/vec_and(vec_shr44_pair(lo, hi), mask)/vec_shr44_pair(lo, hi)/'
expect_broken field/radix44.h 's/vec_shl(top, 40)/vec_shl(top, 44)/'
expect_broken field/radix44.h 's/return vec_shl(times5(a), 2);/return vec_shl(a, 9);/'
expect_broken field/radix44.h 's/vec_add(vec_and(d.limb\[1\], vec_splat(MASK44)), vec_shr(d.limb\[0\], 44))/vec_add(d.limb[1], vec_shr(d.limb[0], 44))/'
expect_broken field/radix44_sums.h 's/carry_once(once.limb, carry)/once/'
expect_broken field/radix44_sums.h 's/times20(a.limb\[2\])};/vec_shl(a.limb[2], 15)};/'
# Stated limits that every sum of the evaluation keeps, too weak for the carries after them.
expect_broken field/radix44_sums.h 's/(UINT64_C(1) << (bits - 3)) - 1/(UINT64_C(1) << (bits - 2)) - 1/'
expect_broken field/radix26.h 's/#define WIDE_LIMB_MAX .*/#define WIDE_LIMB_MAX UINT64_MAX/'
expect_broken field/radix64.h 's/h.limb\[2\] & 3/h.limb[2]/'
expect_broken field/radix64.h 's/words\[1\] + (words\[1\] >> 2)/16 * words[1] + words[1]/'
expect_broken field/radix64.h 's/a.limb\[2\] >> 2;/a.limb[2];/'
expect_broken field/radix32.h 's/h4 \* r.r\[0\] + (uint32_t)(d3 >> 32)/(uint32_t)(h4 * r.r[0] + (d3 >> 28))/'
expect_broken field/radix32.h 's/(d4 \& 3) + /d4 + /'
expect_broken horner/batch.h 's/fe_mul(fe_add(h, c), r)/fe_add(h, c)/'
# Longer sums in the lists that the proof reads.
expect_broken ../core/tuning.h 's/X(16, 64)/X(48, 64)/' field/radix44.h 's/LONG_SUM_MAX 16/LONG_SUM_MAX 48/'
expect_broken ../core/tuning.h 's/X(16, 38)/X(48, 38)/' field/radix44.h 's/LONG_SUM_MAX 16/LONG_SUM_MAX 48/'
expect_broken ../core/tuning.h 's/X(8, 42)/X(16, 42)/' field/radix26.h 's/LONG_SUM_MAX 8/LONG_SUM_MAX 16/'
echo "the proof of bounds notices $tried mistakes"
