#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Control flow and addresses do not depend on secrets: test_constant_time.c.
#
#     constant_time.sh COMPILER     under valgrind, whose memcheck does not support AVX-512
#     constant_time.sh msan         under clang's sanitizer, which does, if this CPU has it; it treats everything that
#                                   asm computes as public
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$root/build/tests/constant-time-$1
test=$root/tests/unit/test_constant_time.c
if [ "$1" = msan ]; then
    options=(clang-19 -O2 -g -DHORNET_NO_ASM -fsanitize=memory -fno-sanitize-memory-param-retval)
    run=()
else
    options=("$1" -O2 -gdwarf-4 -Wall -Wextra -Werror)
    run=(valgrind -q --error-exitcode=9)
fi
build_library "$folder" "${options[@]}" -DHORNET_PUBLIC_HOOK="\"$root/tests/support/secret_memory.h\""
"${options[@]}" -o "$folder/test" "$test" "$folder"/*.o
"${run[@]}" "$folder/test"
# The same with a comparison that leaks, which must be detected.
! "${run[@]}" "$folder/test" leak
