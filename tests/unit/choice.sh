#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A call reads its choice of kernels once, so that other threads may force kernels at any time: test_choice.c, which
# counts the reads, and test_threads.c, which forces kernels while others call.
#
#     choice.sh COMPILER SECONDS [OPTION...]      SECONDS: how long the threads run; with options, such as a sanitizer,
#                                                 only the threads are tested
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
compiler=$1 seconds=$2
shift 2
folder=$root/build/tests/choice-$compiler${*// /}
# Every kernel handles every length that it can.
options=(-O2 -DHORNET_NO_CROSSOVERS -DHORNET_ALL_KERNELS=1)
strict=(-Wall -Wextra -Werror)

# Every function in hornet.h must be among the calls, except those that only answer questions about kernels and partial
# evaluations.
declared=$(grep -v '^ \*' "$root/include/hornet.h" | grep -o '\bhornet_[a-z0-9_]*(' | tr -d '(' | sort -u |
    grep -v '^hornet_kernel_\|^hornet_cpu_\|^hornet_version$\|_len_bytes$')
for function in $declared; do
    grep -q "\b$function(" "$root/tests/support/secret_calls.h" || {
        echo "secret_calls.h does not call $function" >&2
        exit 1
    }
done

if [ $# = 0 ]; then
    build_library "$folder-counted" "$compiler" "${options[@]}" -include "$root/tests/support/counted_reads.h"
    "$compiler" "${options[@]}" "${strict[@]}" -o "$folder-counted/test" "$root/tests/unit/test_choice.c" "$folder-counted"/*.o
    "$folder-counted/test"
    # The test must detect a function that reads twice.
    if "$folder-counted/test" twice; then
        exit 1
    fi
fi
build_library "$folder" "$compiler" "${options[@]}" "$@"
"$compiler" "${options[@]}" "${strict[@]}" "$@" -pthread -o "$folder/test" "$root/tests/unit/test_threads.c" "$folder"/*.o
"$folder/test" "$seconds"
