#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Fuzzes the library with libFuzzer, each target for SECONDS, starting from the corpus in this folder. Fails on any
# finding, and keeps it in build/fuzz.
#
#     run.sh SECONDS [TARGET...]      message, batch, partial, aead
set -euo pipefail
. "$(cd "$(dirname "$0")/../.." && pwd)/tests/support/build.sh"
cd "$root"
seconds=$1
shift
[ $# -gt 0 ] || set -- message batch partial aead

folder=build/fuzz
options=(clang-19 -O1 -g "-fsanitize=address,undefined" -fno-sanitize-recover=all)
build_library "$folder/objects" "${options[@]}" -fsanitize=fuzzer-no-link
"${options[@]}" -c -o "$folder/objects/reference.o" tests/support/reference.c
for target; do
    "${options[@]}" -fsanitize=fuzzer -Wall -Wextra -Werror -o "$folder/$target" "fuzz/c/$target.c" \
        "$folder"/objects/*.o -lgmp
    mkdir -p "$folder/corpus-$target" "$folder/findings"
    # New inputs go to the first folder.
    "$folder/$target" -max_total_time="$seconds" -timeout=20 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="$folder/findings/$target-" "$folder/corpus-$target" "fuzz/c/corpus/$target" \
        > "$folder/$target.log" 2>&1 || { tail -n 40 "$folder/$target.log" >&2; exit 1; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")
    [ "${runs:-0}" -gt 100 ] || { echo "$target: only ${runs:-no} runs" >&2; exit 1; }
    echo "$target: $runs inputs in $seconds seconds, nothing found"
done
