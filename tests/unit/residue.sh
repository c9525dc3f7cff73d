#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Calls leave no data that depends on secrets on the stack or in vector registers: test_residue.c.
#
#     residue.sh NAME COMPILER LEVEL [OPTION...]
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$root/build/tests/residue-$1
stack=$((64 << 10))
case "$2 $3" in
clang*\ -O0) stack=$((2 << 20)) ;;
*\ -O0) stack=$((1 << 20)) ;;
esac
# Every kernel handles every length that it can.
build_library "$folder" "${@:2}" -DHORNET_NO_CROSSOVERS
# Bound at start, because lazy binding saves all registers on the stack.
"$2" -O2 -Wall -Wextra -Werror -Wl,-z,now -DSTACK_BYTES=$stack -o "$folder/test" "$root/tests/unit/test_residue.c" \
    "$folder"/*.o
"$folder/test"
# A function that leaves a word of its key behind must be detected.
! "$folder/test" leak
