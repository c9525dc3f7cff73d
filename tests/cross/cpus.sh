#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the rows of cpus.txt for CPUs other than this machine's: the kernel that each chooses, all kernels that it
# offers, and their tags; the ChaCha20 kernels that run, and the results of sealing; AES. qemu emulates up to AVX2; for
# AVX-512, Bochs boots a whole machine.
#
#     cpus.sh [qemu-x86_64|qemu-i386|bochs [COMPILER]]      only these rows
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
build=$root/build/cpus-${1-all}-${2-all}
rm -rf "$build"
mkdir -p "$build"

# program COMPILER NAME [ARG...]: builds a program with the library, unless an earlier row has built it, and prints its
# path.
program() {
    local program=$build/$1-$2 compiler=$1
    shift 2
    if [ ! -e "$program" ]; then
        [ -e "$build/objects-$compiler" ] || build_library "$build/objects-$compiler" "$compiler" -O2
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
    mapfile -t kernels < <("$root/tests/support/kernel_names.sh" "$compiler" records)
    objects=$build/objects-$compiler
    # Before the first program, so that the shell can expand the names of the objects.
    [ -e "$objects" ] || build_library "$objects" "$compiler" -O2
    dispatch=$(program "$compiler" dispatch "$root/tests/unit/test_dispatch.c" "$objects"/*.o \
        "${kernels[@]/#/-Wl,--wrap=hornet_poly1305_kernel_}")
    answers=$(program "$compiler" answers "$root/tests/cross/answers.c" "$objects"/*.o)
    if [ "$emulator" = bochs ]; then
        run=("$root/tests/cross/emulator/run-emulated.sh" -c "$model")
        "${run[@]}" "$dispatch" "$chosen"
        # Where this CPU has AVX-512, other tests run its kernels as both compilers build them, in a fraction of the time;
        # the emulator then repeats gcc's.
        if [ "$compiler" != gcc ] && grep -qw avx512ifma /proc/cpuinfo; then
            continue
        fi
        for kernel in ${tested//,/ }; do
            "$compiler" -O2 -DHORNET_KERNEL_HOOK="\"$root/tests/unit/test_lanes.h\"" -c -o "$build/tested" \
                "$root/src/poly1305/kernels/$kernel.c"
            mapfile -t others < <(find "$objects" -name '*.o' | grep -v "_poly1305_kernels_$kernel\.c\.o\$")
            "${run[@]}" "$(program "$compiler" "lanes-$kernel" "$build/tested" "${others[@]}")"
            "${run[@]}" "$(program "$compiler" gmp "$root/tests/unit/test_poly1305.c" "$root/tests/support/reference.c" \
                "$objects"/*.o -lgmp)" "$kernel"
        done
        [ "$chacha20" != - ] || continue
        "${run[@]}" "$answers" - > "$build/$name.answers" # without the Poly1305 kernels, which were tested
    else
        # qemu reports on stderr which features of a model it lacks; the programs detect those that remain. Kernels in
        # plain C are slow, and do not depend on the CPU.
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
