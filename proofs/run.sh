#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Proves the bounds of a source tree's field arithmetic: of its scalar fields, and of all vector kernels or those named:
#
#     proofs/run.sh [SRC_DIR [BUILD_DIR [KERNEL...]]]
#
# Compiles each vector kernel's own file, so that a new kernel is proved without any change here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
src=${1:-$here/../src}
build=${2:-$here/../build/proofs}
shift $(($# < 2 ? $# : 2))
wanted=" $* "
mkdir -p "$build"

proved=0
for kernel in "$src"/poly1305/kernels/*.c; do
    name=$(basename "$kernel" .c)
    [ "$wanted" = "  " ] || [ "${wanted#* "$name" }" != "$wanted" ] || continue
    # The preprocessor prints the hook's one line with the number of lanes filled in. clang supports all instruction
    # sets.
    lanes=$(clang-19 -E -P -DHORNET_KERNEL_HOOK="\"$here/lanes.h\"" "$kernel" | sed -n 's/^lanes_of_the_kernel = //p')
    [ "${lanes:-LANES}" != LANES ] || continue # a scalar kernel, or one for another architecture
    clang-19 -O1 -Wall -Wextra -DINTERVAL_LANES="$lanes" -DHORNET_LANES_HOOK="\"$here/interval.h\"" \
        -DHORNET_KERNEL_HOOK="\"$here/bounds.h\"" -o "$build/$name" "$kernel"
    "$build/$name"
    proved=$((proved + 1))
done
clang-19 -O1 -Wall -Wextra -I"$src" -o "$build/summed" "$here/summed.c"
"$build/summed"
for field in radix64 radix32; do
    clang++-19 -O1 -Wall -Wextra -DFIELD_FILE="\"$src/poly1305/field/$field.h\"" -o "$build/$field" "$here/scalar.cc"
    "$build/$field"
done
[ "$proved" -gt 0 ] || { echo "no vector kernel found in $src" >&2; exit 1; }
