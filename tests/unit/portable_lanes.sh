#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests the algorithms on numbers of lanes other than those of the kernels in plain C. Four lanes of radix 2^44 are what
# AVX-IFMA computes, which no emulator here supports.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$root/build/tests/portable-lanes
build_library "$folder" clang-19 -O2
clang-19 -O2 -c -o "$folder/reference.o" "$root/tests/support/reference.c"
for kernel in portable portable44; do
    mapfile -t others < <(find "$folder" -name '*.o' | grep -v "_poly1305_kernels_$kernel\.c\.o\$")
    for count in 1 4 8 16; do
        clang-19 -O2 -DHORNET_ALL_KERNELS=1 -DPORTABLE_LANES="$count" -o "$folder/test" "$root/tests/unit/test_poly1305.c" \
            "$root/src/poly1305/kernels/$kernel.c" "${others[@]}" -lgmp
        "$folder/test" "$kernel"
    done
done
