#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Every header compiles alone, so that opening one in an editor shows no errors; and there are no include cycles, even
# indirect ones, according to the compiler's list of includes.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the definitions that a header expects: the name of a kernel. kernel_end.h has nothing to end here.
named() {
    case $1 in
    */shapes/kernel.h) echo -DKERNEL=alone -DKERNEL_NEEDS=0 ;;
    */kernel_*.h | *.c) echo -DKERNEL=alone ;;
    esac
}

mapfile -t headers < <(git ls-files 'include/*.h' 'src/*.h')
for compiler in gcc clang-19; do
    for header in "${headers[@]}"; do
        read -ra define <<< "$(named "$header")"
        parse=("$compiler")
        # gcc 12 does not support RISC-V vectors.
        [[ $header != */rvv.h ]] || parse=(clang-19 --target=riscv64-linux-gnu -ffreestanding)
        "${parse[@]}" -std=c11 -fsyntax-only -Wall -Wextra -Wno-unused \
            -Werror "${define[@]}" -x c "$header" || { echo "$compiler: $header does not parse alone" >&2; exit 1; }
    done
done

# Each line of gcc -H has as many dots as the nesting depth of the header.
for file in "${headers[@]}" $(git ls-files 'src/*.c'); do
    read -ra define <<< "$(named "$file")"
    parse=(gcc)
    [[ $file != */rvv.h ]] || parse=(clang-19 --target=riscv64-linux-gnu -ffreestanding)
    "${parse[@]}" -std=c11 -H -fsyntax-only "${define[@]}" -x c "$file" 2>&1 > /dev/null |
        awk -v file="$file" '
            function plain(path) { while (sub(/[^\/]+\/\.\.\//, "", path)); return path }
            BEGIN { above[0] = plain(file) }
            /^\.+ [^\/]/ { depth = length($1); above[depth] = plain($2); print above[depth - 1], above[depth] }'
done | sort -u > "$work/includes"
[ "$(wc -l < "$work/includes")" -gt 50 ] || { echo "too few includes were seen" >&2; exit 1; }
tsort "$work/includes" > /dev/null 2> "$work/cycles" || { cat "$work/cycles" >&2; exit 1; }
echo "${#headers[@]} headers parse alone; $(wc -l < "$work/includes") includes, no cycle"
