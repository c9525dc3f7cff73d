#!/bin/sh
# Proves the bounds of the vector kernels of a source tree, all or those named:
#
#     proofs/run.sh [SRC_DIR [BUILD_DIR [KERNEL...]]]
#
# A kernel's choices are read from its file, so that a new kernel is proved without a line here.
set -eu
here=$(dirname "$0")
src=${1:-$here/../src}
build=${2:-$here/../build/proofs}
shift $(($# < 2 ? $# : 2))
wanted=" $* "
mkdir -p "$build"

proved=0
for kernel in "$src"/kernels/*.c; do
    name=$(basename "$kernel" .c)
    lanes=$(sed -n 's|^#include "\.\./lanes/\(.*\)"|\1|p' "$kernel")
    field=$(sed -n 's|^#include "\.\./field/\(.*\)"|\1|p' "$kernel")
    [ -n "$lanes" ] || continue # a scalar kernel
    [ "$wanted" = "  " ] || [ "${wanted#* "$name" }" != "$wanted" ] || continue
    # A lanes file may build on another, which then says how many there are.
    while ! grep -h '^#define LANES ' "$src/lanes/$lanes" > "$build/$name.h"; do
        lanes=$(sed -n 's|^#include "\([a-z0-9]*\.h\)"|\1|p' "$src/lanes/$lanes")
    done
    ${CC:-cc} -O1 -Wall -Wextra -DCHOICES_FILE="\"$name.h\"" -DFIELD_FILE="\"field/$field\"" \
        -DKERNEL_NAME="\"$name\"" -I"$build" -I"$src" -o "$build/$name" "$here/bounds.c"
    "$build/$name"
    proved=$((proved + 1))
done
[ "$proved" -gt 0 ] || { echo "no vector kernel found in $src" >&2; exit 1; }
