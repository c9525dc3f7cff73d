# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Sourced by tests: builds the library as they need it. Bash.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mapfile -t sources < <(find "$root/src" -name '*.c' | LC_ALL=C sort)
# shellcheck disable=SC2034 # for those that source this
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror)

# gmp_for COMPILER: what its programs need for GMP, which is mini-gmp where they are another architecture's: gmp_sources,
# gmp_options, and the libraries.
# shellcheck disable=SC2034 # for those that source this
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

# build_objects FOLDER COMPILER OPTION...: every source, as many at once as there are CPUs.
build_objects() {
    local folder=$1
    shift
    rm -rf "$folder"
    mkdir -p "$folder"
    # shellcheck disable=SC2016 # for the inner shell
    printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' sh -c \
        'source=$1 folder=$2; shift 2; exec "$@" -c -o "$folder/$(echo "$source" | tr / _).o" "$source"' \
        sh '{}' "$folder" "$@"
}
