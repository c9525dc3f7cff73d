#!/bin/sh
# Runs every row of cpus.txt: the kernel it chooses, that every kernel it offers runs, and their tags.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/cpus
mkdir -p "$build"

wrap=$(sed -n 's/^HORNET_KERNEL(\([a-z0-9]*\),.*/-Wl,--wrap=hornet_kernel_\1/p' "$root/src/kernels.def")

rows=0
grep -v '^#' "$root/tests/cpus.txt" > "$build/rows"
while read -r name compiler emulator model kernel; do
    programs=$build/$compiler
    if [ ! -d "$programs" ]; then
        mkdir -p "$programs.new"
        # shellcheck disable=SC2086 # the flags are words
        $compiler -O2 -static -o "$programs.new/test_selection" "$root/tests/test_selection.c" \
            "$root"/src/*.c "$root"/src/kernels/*.c $wrap
        $compiler -O2 -static -o "$programs.new/answers" "$root/tests/answers.c" "$root"/src/*.c \
            "$root"/src/kernels/*.c
        mv "$programs.new" "$programs"
    fi
    echo "== $name: $emulator -cpu $model"
    # qemu says which bits of a model it does not emulate; the programs read what is left.
    "$emulator" -cpu "$model" "$programs/test_selection" "$kernel" 2> "$build/$name.log"
    "$emulator" -cpu "$model" "$programs/answers" 2>> "$build/$name.log" > "$build/$name.answers"
    python3 "$root/tests/check_answers.py" "$build/$name.answers"
    rows=$((rows + 1))
done < "$build/rows"
echo "$rows CPUs"
