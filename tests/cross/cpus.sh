#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the rows of cpus.txt for CPUs that this machine is not: which kernel each chooses, that all kernels it
# offers run, and their tags; which of ChaCha20's run, and what they seal; AES. qemu emulates up to AVX2; for
# AVX-512 Bochs boots a whole machine.
#
#     cpus.sh [qemu-x86_64|qemu-i386|bochs [COMPILER]]      only these rows
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
build=$root/build/cpus-${1-all}-${2-all}
rm -rf "$build"
mkdir -p "$build"

# program COMPILER NAME [ARG...]: builds a program with the library, unless an earlier row has, and says where.
program() {
    local program=$build/$1-$2 compiler=$1
    shift 2
    if [ ! -e "$program" ]; then
        [ -e "$build/objects-$compiler" ] || build_objects "$build/objects-$compiler" "$compiler" -O2
        "$compiler" -O2 -static -o "$program" "$@"
    fi
    echo "$program"
}

cc -O2 -o "$build/check_answers" "$root/tests/cross/check_answers.c" "$root/tests/support/reference.c" -lgmp

rows=0
grep -v '^#' "$root/tests/cross/cpus.txt" > "$build/rows"
while read -r name compiler emulator model chosen tested chacha20; do
    [ "${1-$emulator}" = "$emulator" ] || continue
    [ "${2-$compiler}" = "$compiler" ] || continue
    rows=$((rows + 1))
    echo "== $name, $compiler: $emulator, $model"
    mapfile -t kernels < <("$root/tests/support/kernel_names.sh" "$compiler")
    objects=$build/objects-$compiler
    # Before the first program, for the shell to expand the objects' names.
    [ -e "$objects" ] || build_objects "$objects" "$compiler" -O2
    dispatch=$(program "$compiler" dispatch "$root/tests/unit/test_dispatch.c" "$objects"/*.o \
        "${kernels[@]/#/-Wl,--wrap=hornet_poly1305_kernel_}")
    answers=$(program "$compiler" answers "$root/tests/cross/answers.c" "$objects"/*.o)
    if [ "$emulator" = bochs ]; then
        run=("$root/tests/cross/emulator/run-emulated.sh" -c "$model")
        "${run[@]}" "$dispatch" "$chosen"
        for kernel in ${tested//,/ }; do
            "$compiler" -O2 -DHORNET_KERNEL_HOOK="\"$root/tests/unit/test_lanes.h\"" -c -o "$build/tested" \
                "$root/src/poly1305/kernels/$kernel.c"
            mapfile -t others < <(find "$objects" -name '*.o' | grep -v "_poly1305_kernels_$kernel\.c\.o\$")
            "${run[@]}" "$(program "$compiler" "lanes-$kernel" "$build/tested" "${others[@]}")"
            "${run[@]}" "$(program "$compiler" gmp "$root/tests/unit/test_poly1305.c" "$root/tests/support/reference.c" \
                "$objects"/*.o -lgmp)" "$kernel"
        done
        [ "$chacha20" != - ] || continue
        "${run[@]}" "$answers" - > "$build/$name.answers" # none of Poly1305's: they were tested
    else
        # qemu says on stderr which bits of a model it lacks; the programs read what is left. Kernels in plain C are
        # slow, and have nothing of their own on any CPU.
        run=("$emulator" -cpu "$model")
        mapfile -t kernels < <(printf '%s\n' "${kernels[@]}" | grep -v '^portable')
        "${run[@]}" "$dispatch" "$chosen" 2> "$build/$name.log"
        "${run[@]}" "$answers" "${kernels[@]}" 2>> "$build/$name.log" > "$build/$name.answers"
        "${run[@]}" "$(program "$compiler" aes "$root/tests/unit/test_aes.c" "$objects"/*.o)" 2>> "$build/$name.log"
    fi
    IFS=, read -ra ciphers <<< "$chacha20"
    "$build/check_answers" "${ciphers[@]}" < "$build/$name.answers"
done < "$build/rows"
echo "$rows CPUs"
[ "$rows" -gt 0 ]
