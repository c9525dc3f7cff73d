#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Prints the names of all kernels that a compiler builds, one per line, in the order of the list in src/; with
# -DHORNET_ALL_KERNELS=0 among the compiler's options, of the default kernels.
#
#     kernel_names.sh [COMPILER [poly1305|chacha20]]
root=$(cd "$(dirname "$0")/../.." && pwd)
printf '%s\n' '#ifndef HORNET_ALL_KERNELS' '#define HORNET_ALL_KERNELS 1' '#endif' \
    '#define HORNET_ROW(name, ...) kernel_name = name' "#include \"$root/src/core/compiler.h\"" \
    "#include \"$root/src/${2:-poly1305}/kernels.def\"" | ${1:-clang-19} -E -P -x c - | sed 's/kernel_name = /\n&/g' |
    sed -n 's/^kernel_name = \([a-z0-9]*\).*/\1/p'
