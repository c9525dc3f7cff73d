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
    if "$root/proofs/run.sh" "$mutants/src" "$mutants/proofs" > "$mutants/log" 2>&1; then
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
expect_broken field/radix26.h 's/return vec_add(a, vec_shl(a, 2));/return vec_shl(a, 6);/'
expect_broken field/radix26.h 's/vec_and(vec_shr(hi, 14), mask)/vec_shr(hi, 14)/'
expect_broken field/radix26.h 's/vec_shl(top, 24)/vec_shl(top, 25)/'
expect_broken horner/decimated.h 's/#define LAZY_GROUPS *4/#define LAZY_GROUPS 300/'
expect_broken horner/decimated.h 's/return fe_carry(wide_mul_add(wide_from(group), t, &powers->step\[0\]));/(void)powers; return (fe){{vec_add(t.limb[0], group.limb[0]), t.limb[1], t.limb[2], t.limb[3], t.limb[4]}};/'
echo "the proof of bounds notices $tried mistakes"
