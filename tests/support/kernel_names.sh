#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Prints the names of all kernels that a compiler builds, one per line, in the order of the list in src/; with
# -DHORNET_ALL_KERNELS=0 among the compiler's options, of the default kernels; with "records", those of the records that
# the rows of Poly1305's list name.
#
#     kernel_names.sh [COMPILER [poly1305|chacha20|records]]
root=$(cd "$(dirname "$0")/../.." && pwd)
tuned='' primitive=${2:-poly1305}
[ "$primitive" != records ] || tuned='#define HORNET_TUNED_ROW HORNET_ROW' primitive=poly1305
printf '%s\n' '#ifndef HORNET_ALL_KERNELS' '#define HORNET_ALL_KERNELS 1' '#endif' \
    '#define HORNET_ROW(name, ...) kernel_name = name' "$tuned" "#include \"$root/src/core/compiler.h\"" \
    "#include \"$root/src/$primitive/kernels.def\"" | ${1:-clang-19} -E -P -x c - | sed 's/kernel_name = /\n&/g' |
    sed -n 's/^kernel_name = \([a-z0-9_]*\).*/\1/p'
