#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds with the default kernels, with all, and with some only, by make and by CMake: they contain these and no others,
# and compute the same tags. Invalid names, and choices that leave no kernel for some CPU, are refused.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/tests/left-out
rm -rf "$build"
mkdir -p "$build"
cd "$root"

fail() {
    echo "$*" >&2
    exit 1
}

# check_library ARCHIVE KERNEL...
check_library() {
    local archive=$1 found
    shift
    cc -O2 -Iinclude -o "$build/kernels" tests/clients/left_out.c "$archive"
    found=$("$build/kernels" | sort | tr '\n' ' ')
    [ "$found" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || fail "$archive has $found, not $*"
    nm "$archive" | awk '{ print $3 }' | grep '^hornet_poly1305_kernel_' | sed 's/hornet_poly1305_kernel_//' |
        sort -u > "$build/records"
    [ "$(tr '\n' ' ' < "$build/records")" = "$found" ] || fail "$archive has the records $(cat "$build/records")"
}

mapfile -t default < <(tests/support/kernel_names.sh "cc -DHORNET_ALL_KERNELS=0")
make -s library BUILD="$build/make"
check_library "$build/make/libhornet.a" "${default[@]}"
mapfile -t all < <(tests/support/kernel_names.sh cc)
make -s library BUILD="$build/make" HORNET_KERNELS=all
check_library "$build/make/libhornet.a" "${all[@]}"
make -s library BUILD="$build/make" HORNET_KERNELS="avx2 scalar64"
check_library "$build/make/libhornet.a" avx2 scalar64
# Another choice in the same folder rebuilds what depends on it.
make -s library BUILD="$build/make" HORNET_KERNELS="scalar32"
check_library "$build/make/libhornet.a" scalar32
! make -s library BUILD="$build/make" HORNET_KERNELS="avx2 abacus" 2> "$build/error" || fail "an unknown kernel is built"
grep -q 'no kernel abacus' "$build/error"
! make -s library BUILD="$build/make" HORNET_KERNELS="avx2" 2> "$build/error" || fail "a build for AVX2 CPUs only"
grep -q 'a kernel that runs everywhere' "$build/error"

cmake -S . -B "$build/cmake" -DHORNET_KERNELS="ifma avx512f scalar64"
cmake --build "$build/cmake" -j2
check_library "$build/cmake/libhornet.a" ifma avx512f scalar64
! cmake -S . -B "$build/cmake" -DHORNET_KERNELS="abacus" 2> "$build/error" || fail "an unknown kernel is configured"
grep -q 'no kernel abacus' "$build/error"

# The crate, by its environment.
crate() {
    HORNET_KERNELS=$1 CARGO_TARGET_DIR=$build/cargo cargo build --quiet --locked --package hornet
}
crate "avx2 sse2 scalar64"
check_library "$(find "$build/cargo" -name libhornet.a)" avx2 sse2 scalar64
! crate abacus 2> "$build/error" || fail "an unknown kernel is built into the crate"
grep -q 'no kernel abacus' "$build/error"
