#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The OpenSSL provider beside the default one, call by call; what the module needs and exports; and that openssl(1) takes
# it by the sample configuration.
#
#     unit.sh [PREFIX]     PREFIX: only the calls, and in the static libcrypto of another OpenSSL that is installed there;
#                          the module is still built with the system's headers
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$root/build/tests/provider
mkdir -p "$build"
cd "$root"

fail() {
    echo "$*" >&2
    exit 1
}

# module COMPILER: builds it into $build/COMPILER.
module() {
    make -s provider BUILD="$build/$1" CC="$1" \
        CFLAGS='-O2 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror'
}

# calls COMPILER PROGRAM LINKED...: the module beside the default provider, in tests/clients/provider/PROGRAM.c. Without
# the environment's own configuration: the program loads what it compares.
calls() {
    local compiler=$1 program=$2
    shift 2
    "$compiler" -std=gnu11 -O1 -g -Wall -Wextra -Wshadow -Wconversion -Werror -pthread -o "$build/$compiler/$program" \
        "tests/clients/provider/$program.c" "$@"
    OPENSSL_CONF=/dev/null OPENSSL_MODULES=$build/$compiler "$build/$compiler/$program"
}

if [ $# -gt 0 ]; then
    module gcc
    for program in test_provider test_walk; do
        calls gcc "$program" "-I$1/include" "$1/lib/libcrypto.a" -ldl
    done
    exit
fi

for compiler in gcc clang-19; do
    module "$compiler"
    module=$build/$compiler/hornet.so
    exported=$(nm -D --defined-only "$module" | awk '{ print $3 }')
    [ "$exported" = OSSL_provider_init ] || fail "$module exports $exported"
    needed=$(readelf -d "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so' || true)
    [ -z "$needed" ] || fail "$module needs $needed"
    for program in test_provider test_walk; do
        calls "$compiler" "$program" -lcrypto
    done
done
# No memory is read before it is written, or used after it is freed.
for program in test_provider 'test_walk 1 150'; do
    # shellcheck disable=SC2086 # a program and its arguments
    OPENSSL_CONF=/dev/null OPENSSL_MODULES=$build/gcc valgrind --quiet --error-exitcode=1 "$build/gcc/"$program
done

# RFC 8439, section 2.5.2, by the sample configuration.
export OPENSSL_CONF=$root/bindings/openssl/openssl.cnf OPENSSL_MODULES=$build/gcc
openssl list -providers -verbose > "$build/providers"
grep -q 'name: Hornet' "$build/providers" || fail "the sample configuration does not load the provider"
# The list has a line for each; with no preference, fetching takes either.
[ "$(openssl list -cipher-algorithms | grep -ci 'chacha20-poly1305 @ hornet')" = 2 ] ||
    fail "openssl(1) does not list both ciphers"
tag=$(printf 'Cryptographic Forum Research Group' | openssl mac -propquery provider=hornet -macopt \
    hexkey:85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af41'49f51b' POLY1305)
[ "$tag" = A8061DC1305136C6C22B8BAF0C0127A9 ] || fail "openssl mac: $tag"

# The build that fails does, and only in what it has: the proof that the other tests test this provider.
make -s provider BUILD="$build/fails" CPPFLAGS=-DHORNET_PROVIDER_FAILS
export OPENSSL_MODULES=$build/fails
! printf '' | openssl mac -macopt hexkey:"$(printf '%064d' 0)" POLY1305 > /dev/null 2>&1 ||
    fail "the provider that fails makes tags"
printf '' | openssl dgst -sha256 > /dev/null
