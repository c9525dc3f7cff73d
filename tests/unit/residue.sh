#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Calls leave nothing that depends on secrets on the stack or in registers: test_residue.c.
#
#     residue.sh COMPILER LEVEL
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$root/build/tests/residue-$1$2
stack=$((64 << 10))
[ "$2" != -O0 ] || stack=$((4 << 20))
# Every kernel serves every length that it can.
build_objects "$folder" "$1" "$2" -DHORNET_NO_CROSSOVERS
"$1" -O2 -Wall -Wextra -Werror -DSTACK_BYTES=$stack -o "$folder/test" "$root/tests/unit/test_residue.c" "$folder"/*.o
"$folder/test"
# A function that leaves a word of its key must be seen.
! "$folder/test" leak
