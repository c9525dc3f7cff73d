#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The library in two files compiles with no flag except -O2, and without warnings, in an empty folder; so do the sources
# themselves. As C++ the header compiles, and the library says in one error that it is C.
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
build_library "$folder/objects" "$1" -O2
"$1" -O2 -I. -o left_out "$root/tests/clients/left_out.c" objects/*.o
./left_out

case $1 in
gcc*) cxx=g++${1#gcc} ;;
clang*) cxx=clang++${1#clang} ;;
*) echo "$1 has no compiler of C++ that is known here" >&2 && exit 1 ;;
esac
printf '#include "hornet.h"\nint main() { return hornet_kernel_in_use(HORNET_POLY1305) == 0; }\n' > header.cc
for standard in 98 11 14 17 20; do
    "$cxx" "-std=c++$standard" -Wall -Wextra -Wpedantic -Werror -o header header.cc hornet.o
    ./header
done
! "$cxx" -x c++ -c -o as_cxx.o hornet.c 2> errors || { echo "$cxx compiles hornet.c" >&2 && exit 1; }
# The error, the line that it stands in, and clang's count.
if [ "$(grep -c 'error:' errors)" != 1 ] || [ "$(wc -l < errors)" -gt 4 ] || ! grep -q 'compile it as C' errors; then
    echo "$cxx: not one error, but" >&2
    head -n 20 errors >&2
    exit 1
fi
