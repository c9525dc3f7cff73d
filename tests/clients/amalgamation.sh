#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The library in two files compiles with no flag except -O2, and without warnings, in an empty folder; so do the sources
# themselves.
#
#     amalgamation.sh COMPILER
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/tools/amalgamate.py" "$folder"
cd "$folder"
[ "$(ls)" = $'hornet.c\nhornet.h' ]
cmp hornet.h "$root/include/hornet.h"
"$1" -O2 -c hornet.c
"$1" -Wall -Wextra -Wpedantic -Wshadow -Werror -O2 -c hornet.c
"$1" -O2 -I. -o left_out "$root/tests/clients/left_out.c" hornet.o
./left_out
# Kernels of several primitives share names, so each object is named after its path.
build_objects "$folder/objects" "$1" -O2
"$1" -O2 -I. -o left_out "$root/tests/clients/left_out.c" objects/*.o
./left_out
