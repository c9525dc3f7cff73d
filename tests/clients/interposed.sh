#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A program that has functions with the names of the library's, as another version of the library linked into it would be:
# the shared library must call its own.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
for compiler in gcc clang-19; do
    build=$root/build/tests/interposed-$compiler
    make -s -C "$root" library BUILD="$build" CC="$compiler"
    "$compiler" -Wall -Wextra -Werror -I"$root/include" -o "$build/interposed" "$root/tests/clients/interposed.c" \
        -L"$build" -lhornet -Wl,-rpath,"$build" -rdynamic
    "$build/interposed"
done
