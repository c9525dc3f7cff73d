#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Checks the bounds of the study's code that differs from the library's, for all inputs: the code is run over ranges, as
# tests/proofs/ runs the library's. This replaces the worst-case argument in appendix 2 of the z14 paper.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/study/bounds
mkdir -p "$build"

prove() {
    clang-19 -O1 -Wall -Wextra -I"$root" -I"$root/src" "$@" -o "$build/prove"
    "$build/prove"
}

echo "the z14 paper's parallel reduction:"
prove "$root/tests/proofs/summed.c"
echo "its serial reduction:"
prove -DSUMMED_FIELD="\"study/field/radix44_serial.h\"" "$root/tests/proofs/summed.c"
for kernel in lazy_avx2:4 lazy_ifma:8 polyakov_sse2:2; do
    prove -DINTERVAL_LANES="${kernel#*:}" -DHORNET_LANES_HOOK="\"$root/tests/proofs/interval.h\"" \
        -DHORNET_KERNEL_HOOK="\"$root/study/bounds.h\"" "$root/study/kernels/${kernel%:*}.c"
done
