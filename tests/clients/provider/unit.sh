#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Compares the OpenSSL provider with the default one, call by call; checks which libraries the module needs and which symbols it
# exports, and that openssl(1) loads it with the sample configuration.
#
#     unit.sh [PREFIX]     PREFIX: compares only the calls, with the static libcrypto of the OpenSSL installed there; the module
#                          is still built with the system's headers
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
build=$root/build/tests/provider
mkdir -p "$build"
cd "$root"

fail() {
    echo "$*" >&2
    exit 1
}

# module COMPILER: builds the module into $build/COMPILER.
module() {
    make -s provider BUILD="$build/$1" CC="$1" \
        CFLAGS='-O2 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror'
}

# calls COMPILER PROGRAM LINKED...: builds and runs tests/clients/provider/PROGRAM.c, which compares the module with the default
# provider. It ignores the configuration of the environment, because the program loads both providers itself.
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

! grep -n '#include "\.\./' bindings/openssl/src/*.[ch] || fail "the provider includes a header that is not public"
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
# valgrind finds reads of uninitialized memory, and uses of freed memory.
for program in test_provider 'test_walk 1 150'; do
    # shellcheck disable=SC2086 # a program and its arguments
    OPENSSL_CONF=/dev/null OPENSSL_MODULES=$build/gcc valgrind --quiet --error-exitcode=1 "$build/gcc/"$program
done

# Compute the tag of RFC 8439, section 2.5.2, with the sample configuration.
export OPENSSL_CONF=$root/bindings/openssl/openssl.cnf OPENSSL_MODULES=$build/gcc
openssl list -providers -verbose > "$build/providers"
grep -q 'name: Hornet' "$build/providers" || fail "the sample configuration does not load the provider"
# The list has a line for each cipher. This checks the list, because fetching without a preference returns either provider's.
[ "$(openssl list -cipher-algorithms | grep -ci 'chacha20-poly1305 @ hornet')" = 2 ] ||
    fail "openssl(1) does not list both ciphers"
tag=$(printf 'Cryptographic Forum Research Group' | openssl mac -propquery provider=hornet -macopt \
    hexkey:85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af41'49f51b' POLY1305)
[ "$tag" = A8061DC1305136C6C22B8BAF0C0127A9 ] || fail "openssl mac: $tag"

# The build that fails must fail, and only in its own algorithms: this proves that the other tests use this provider.
make -s provider BUILD="$build/fails" CPPFLAGS=-DHORNET_PROVIDER_FAILS
export OPENSSL_MODULES=$build/fails
! printf '' | openssl mac -macopt hexkey:"$(printf '%064d' 0)" POLY1305 > /dev/null 2>&1 ||
    fail "the provider that fails makes tags"
printf '' | openssl dgst -sha256 > /dev/null
