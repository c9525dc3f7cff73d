#!/bin/sh
# Runs the rows of cpus.txt for CPUs that this machine is not: which kernel each chooses, that all kernels it
# offers run, and their tags; AES. qemu emulates up to AVX2; for AVX-512 Bochs boots a whole machine.
#
#     tests/cpus.sh [qemu-x86_64|qemu-i386|bochs [COMPILER]]      only these rows
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/cpus-${1-all}-${2-all}
rm -rf "$build"
mkdir -p "$build"

wrap=$("$root/tests/kernel_names.sh" | sed 's/^/-Wl,--wrap=hornet_kernel_/')

# program COMPILER NAME [ARG...]: builds a program, unless an earlier row has, and says where.
program() {
    program=$build/$1-$2 compiler=$1
    shift 2
    [ -e "$program" ] || "$compiler" -O2 -static -o "$program" "$@"
    echo "$program"
}

library="$root/src/*.c $root/src/kernels/*.c"
cc -O2 -o "$build/check_answers" "$root/tests/check_answers.c" "$root/tests/reference.c" -lgmp
# Those in plain C are slow, and have nothing of their own on any CPU.
kernels=$("$root/tests/kernel_names.sh" | grep -v '^portable')

rows=0
grep -v '^#' "$root/tests/cpus.txt" > "$build/rows"
while read -r name compiler emulator model chosen tested; do
    [ "${1-$emulator}" = "$emulator" ] || continue
    [ "${2-$compiler}" = "$compiler" ] || continue
    echo "== $name, $compiler: $emulator, $model"
    # The library and the flags are words.
    # shellcheck disable=SC2086
    if [ "$emulator" = bochs ]; then
        run="$root/tests/emulator/run-emulated.sh -c $model"
        $run "$(program "$compiler" selection "$root/tests/test_selection.c" $library $wrap)" "$chosen"
        for kernel in $(echo "$tested" | tr , ' '); do
            $run "$(program "$compiler" "lanes-$kernel" -DKERNEL_FILE="\"../src/kernels/$kernel.c\"" \
                -DTESTED_KERNEL="hornet_kernel_$kernel" "$root/tests/test_lanes.c" "$root/src/cpu.c" "$root/src/zeros.c")"
            $run "$(program "$compiler" gmp "$root/tests/test_poly1305.c" "$root/tests/reference.c" $library \
                -lgmp)" "$kernel"
        done
    else
        # qemu says on stderr which bits of a model it lacks; the programs read what is left.
        run="$emulator -cpu $model"
        $run "$(program "$compiler" selection "$root/tests/test_selection.c" $library $wrap)" "$chosen" \
            2> "$build/$name.log"
        $run "$(program "$compiler" answers "$root/tests/answers.c" $library)" $kernels \
            2>> "$build/$name.log" > "$build/$name.answers"
        "$build/check_answers" < "$build/$name.answers"
        $run "$(program "$compiler" aes "$root/tests/test_aes.c" $library)" 2>> "$build/$name.log"
    fi
    rows=$((rows + 1))
done < "$build/rows"
echo "$rows CPUs"
[ "$rows" -gt 0 ]
