#!/bin/sh
# The proof of bounds must fail when the code is wrong: each carry taken out in turn, a product too many, a
# multiplier too large. A proof that still holds proves nothing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mutants=$root/build/mutants
rm -rf "$mutants"
mkdir -p "$mutants"

tried=0
# expect_broken FILE SED_EXPRESSION: the proof fails once the expression has changed the file.
expect_broken() {
    rm -rf "$mutants/src" "$mutants/include"
    cp -r "$root/src" "$root/include" "$mutants/"
    sed -i "$2" "$mutants/src/$1"
    if cmp -s "$root/src/$1" "$mutants/src/$1"; then
        echo "$0: '$2' changes nothing in $1" >&2
        exit 1
    fi
    # One kernel of each field is enough to notice.
    if "$root/proofs/run.sh" "$mutants/src" "$mutants/proofs" avx2 ifma > "$mutants/log" 2>&1; then
        echo "$0: the proof holds with '$2' in $1" >&2
        exit 1
    fi
    if ! grep -q BROKEN "$mutants/log"; then
        echo "$0: with '$2' in $1 the proof fails for another reason:" >&2
        cat "$mutants/log" >&2
        exit 1
    fi
    tried=$((tried + 1))
}

grep -n '^    carry_limb(d, [0-4]);' "$root/src/field/radix26.h" | cut -d: -f1 > "$mutants/carries"
while read -r line; do
    expect_broken field/radix26.h "${line}d"
done < "$mutants/carries"
expect_broken field/vector.h 's/return vec_add(a, vec_shl(a, 2));/return vec_shl(a, 6);/'
expect_broken field/radix26.h 's/vec_and(vec_shr(hi, 14), mask)/vec_shr(hi, 14)/'
expect_broken field/radix26.h 's/vec_shl(top, 24)/vec_shl(top, 25)/'
expect_broken field/radix26.h 's/return fe_carry(sum);/return (fe){{sum.limb[0], sum.limb[1], sum.limb[2], sum.limb[3], sum.limb[4]}};/'
expect_broken field/radix44.h 's/20 \* MASK44 << 14/20 * MASK44 << 4/'
expect_broken field/radix44.h 's/(MASK44 - 4) << 14/(MASK44 - 4) << 9/'
expect_broken field/radix44.h 's/20 \* MASK44 << 14/20 * MASK44 << 15/'
expect_broken field/radix44.h 's/vec_and(vec_shr_pair(lo, hi, 44), mask)/vec_shr_pair(lo, hi, 44)/'
expect_broken field/radix44.h 's/vec_shl(top, 40)/vec_shl(top, 44)/'
expect_broken field/radix44.h 's/return vec_shl(times5(a), 2);/return vec_shl(a, 9);/'
expect_broken field/radix44.h 's/vec_add(vec_and(d.limb\[1\], vec_splat(MASK44)), vec_shr(d.limb\[0\], 44))/vec_add(d.limb[1], vec_shr(d.limb[0], 44))/'
expect_broken horner/batch.h 's/fe_mul(fe_add(h, c), r)/fe_add(h, c)/'
echo "the proof of bounds notices $tried mistakes"
