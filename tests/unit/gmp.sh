#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Compares everything that computes tags or encrypts with GMP and other libraries, in a separate build.
#
#     gmp.sh NAME COMPILER [OPTION...] [-- PROGRAM ARG...]   with PROGRAM, only this test, with these arguments;
#                                                            with -DHORNET_DEBUG, also that overlaps are trapped
#     gmp.sh NAME amalgamation COMPILER [OPTION...]          the same with the amalgamation in place of the sources
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"

folder=$root/build/tests/gmp-$1
shift
if [ "$1" = amalgamation ]; then
    shift
    "$root/tools/amalgamate.py" "$folder.c"
    sources=("$folder.c/hornet.c")
fi
options=("$1")
programs=(test_aes test_chacha20 test_aead test_poly1305_aes test_partial test_poly1305)
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
done
[[ " ${options[*]} " != *' -DHORNET_DEBUG '* ]] || programs+=(test_overlap)
if [ $# -gt 0 ]; then
    programs=("$2")
    shift 2
fi
build_library "$folder" "${options[@]}"
strict=(-Wall -Wextra -Werror)
"${options[@]}" "${strict[@]}" -c -o "$folder/reference.o" "$root/tests/support/reference.c"
for name in "${programs[@]}"; do
    "${options[@]}" "${strict[@]}" -o "$folder/$name" "$root/tests/unit/$name.c" "$folder"/*.o -lgmp -lgcrypt -lnettle -lcrypto
    "$folder/$name" "$@"
done
