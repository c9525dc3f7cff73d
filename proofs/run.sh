#!/bin/sh
# Proves the bounds of every vector kernel of a source tree: proofs/run.sh [SRC_DIR [BUILD_DIR]]
#
# A kernel's choices are read from its file, so that a new kernel is proved without a line here.
set -eu
here=$(dirname "$0")
src=${1:-$here/../src}
build=${2:-$here/../build/proofs}
mkdir -p "$build"

proved=0
for kernel in "$src"/kernels/*.c; do
    name=$(basename "$kernel" .c)
    lanes=$(sed -n 's|^#include "\.\./lanes/\(.*\)"|\1|p' "$kernel")
    field=$(sed -n 's|^#include "\.\./field/\(.*\)"|\1|p' "$kernel")
    [ -n "$lanes" ] || continue # a scalar kernel
    {
        grep -h '^#define LANES ' "$src/lanes/$lanes"
        grep -h '^#define LAZY_' "$kernel" || true
    } > "$build/$name.h"
    ${CC:-cc} -O1 -Wall -Wextra -DCHOICES_FILE="\"$name.h\"" -DFIELD_FILE="\"field/$field\"" \
        -DKERNEL_NAME="\"$name\"" -I"$build" -I"$src" -o "$build/$name" "$here/bounds.c"
    "$build/$name"
    proved=$((proved + 1))
done
[ "$proved" -gt 0 ] || { echo "no vector kernel found in $src" >&2; exit 1; }
