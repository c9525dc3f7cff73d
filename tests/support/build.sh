# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Sourced by tests: builds the library as they need it. Requires bash.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mapfile -t sources < <(find "$root/src" -name '*.c' | LC_ALL=C sort)
# shellcheck disable=SC2034 # for the scripts that source this file
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror)

# gmp_for COMPILER: sets what programs need for GMP, or for mini-gmp if they are built for another architecture:
# gmp_sources, gmp_options, and the libraries in gmp.
# shellcheck disable=SC2034 # for the scripts that source this file
gmp_for() {
    gmp_sources=() gmp_options=() gmp=(-lgmp)
    if [[ $1 = *-linux-gnu*-gcc ]]; then
        local mini_gmp
        mini_gmp=$("$root/tests/support/mini_gmp.sh")
        gmp_sources=("$mini_gmp/mini-gmp.c")
        gmp_options=(-w -I"$root/tests/cross/mini-gmp" -I"$mini_gmp")
        gmp=()
    fi
}

# Many tests build the library in the same way, and share the objects.
ccache=()
if command -v ccache > /dev/null; then
    ccache=(ccache)
    export CCACHE_DIR="${CCACHE_DIR-$root/build/ccache}"
fi

# build_objects FOLDER COMPILER OPTION...: compiles every source file, as many at a time as there are CPUs. All kernels
# are built, or with -DHORNET_ALL_KERNELS=0 the default ones.
build_objects() {
    local folder=$1
    shift
    [[ $* == *-DHORNET_ALL_KERNELS=* ]] || set -- "$@" -DHORNET_ALL_KERNELS=1
    rm -rf "$folder"
    mkdir -p "$folder"
    # shellcheck disable=SC2016 # for the inner shell
    printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' sh -c \
        'source=$1 folder=$2; shift 2; exec "$@" -c -o "$folder/$(echo "$source" | tr / _).o" "$source"' \
        sh '{}' "$folder" "${ccache[@]}" "$@"
}

# build_library FOLDER COMPILER OPTION...: compiles the library as C11, without a warning.
build_library() {
    build_objects "$@" -std=c11 "${warnings[@]}"
}
