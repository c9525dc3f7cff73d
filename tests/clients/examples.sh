#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The examples in C: each compiles without warnings, with gcc and clang, and checks its own result.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/tests/examples
mkdir -p "$build"
make -s -C "$root" library BUILD="$build/library"
ran=0
for compiler in gcc clang-19; do
    for source in "$root"/examples/c/*.c; do
        program=$build/$(basename "$source" .c)-$compiler
        "$compiler" -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$root/include" -pthread -o "$program" \
            "$source" "$build/library/libhornet.a"
        case $(basename "$source") in
        stream.c)
            # RFC 8439, section 2.5.2.
            printf '\x85\xd6\xbe\x78\x57\x55\x6d\x33\x7f\x44\x52\xfe\x42\xd5\x06\xa8' > "$build/key"
            printf '\x01\x03\x80\x8a\xfb\x0d\xb2\xfd\x4a\xbf\xf6\xaf\x41\x49\xf5\x1b' >> "$build/key"
            tag=$(printf 'Cryptographic Forum Research Group' | "$program" "$build/key")
            [ "$tag" = a8061dc1305136c6c22b8baf0c0127a9 ] || { echo "$program: $tag" >&2; exit 1; }
            for key in /dev/null "$build/none"; do
                if "$program" "$key" < /dev/null; then
                    echo "$program accepts the key $key" >&2
                    exit 1
                fi
            done
            ;;
        *) "$program" ;;
        esac
        ran=$((ran + 1))
    done
done
[ "$ran" -ge 10 ]
