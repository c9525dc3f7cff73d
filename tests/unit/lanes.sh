#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests the operations of every lanes file, within its kernel: test_lanes.h.
#
#     lanes.sh COMPILER LEVEL [KERNEL...]
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
compiler=$1 level=$2 folder=$root/build/tests/lanes-$1$2
shift 2
[ $# -gt 0 ] || mapfile -t names < <("$root/tests/support/kernel_names.sh" "$compiler")
build_library "$folder" "$compiler" "$level"
for kernel in "${names[@]:-$@}"; do
    "$compiler" "$level" -Wall -Wextra -Werror -DHORNET_KERNEL_HOOK="\"$root/tests/unit/test_lanes.h\"" -c \
        -o "$folder/tested" "$root/src/poly1305/kernels/$kernel.c"
    mapfile -t others < <(find "$folder" -name '*.o' | grep -v "_poly1305_kernels_$kernel\.c\.o\$")
    "$compiler" -o "$folder/test_lanes" "$folder/tested" "${others[@]}"
    "$folder/test_lanes"
done
