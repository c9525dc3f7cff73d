#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A program that defines functions with the names of the library's functions, as if another version of the library were
# linked into it: the shared library must call its own functions.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
for compiler in gcc clang-19; do
    build=$root/build/tests/interposed-$compiler
    make -s -C "$root" library BUILD="$build" CC="$compiler"
    "$compiler" -Wall -Wextra -Werror -I"$root/include" -o "$build/interposed" "$root/tests/clients/interposed.c" \
        -L"$build" -lhornet -Wl,-rpath,"$build" -rdynamic
    "$build/interposed"
done
