#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Checks the library as a profiler, a debugger and a linker see it: a function's name identifies its kernel, no two
# functions share a name, only the functions declared in hornet.h are exported, and the code is small.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
cd "$root"

fail() {
    echo "$*" >&2
    exit 1
}

most_bytes=262000 most_function_bytes=16384
for compiler in gcc clang-19; do
    folder=build/tests/symbols-$compiler
    build_library "$folder" "$compiler" -O2 -fPIC -fvisibility=hidden
    "$compiler" -shared -o "$folder/libhornet.so" "$folder"/*.o
    # Lists ADDRESS SIZE TYPE NAME of every function.
    nm -S "$folder/libhornet.so" | awk 'NF == 4 && tolower($3) == "t"' > "$folder/functions"

    twice=$(awk '{ print $4 }' "$folder/functions" | sort | uniq -d)
    [ -z "$twice" ] || fail "$compiler: several functions are called ${twice//$'\n'/, }"
    while read -r primitive kernel; do
        object=$(echo "$folder"/*_"$primitive"_kernels_"$kernel".c.o)
        # gcc appends .constprop.0 and similar suffixes to functions that it specializes.
        unnamed=$(nm "$object" | awk 'tolower($2) == "t" { print $3 }' | sed 's/\..*//' | grep -v "_$kernel\$" || true)
        [ -z "$unnamed" ] || fail "$compiler: functions of $primitive by $kernel without its name: ${unnamed//$'\n'/, }"
        [ "$(nm "$object" | grep -c " [tT] ${primitive}_.*_$kernel")" -ge 2 ] ||
            fail "$compiler: no functions of $primitive by $kernel"
    done < <(for primitive in poly1305 chacha20; do
        tests/support/kernel_names.sh "$compiler" "$primitive" | sed "s/^/$primitive /"
    done)

    code=$(size -A "$folder/libhornet.so" | awk '$1 == ".text" { print $2 }')
    [ "$code" -le "$most_bytes" ] || fail "$compiler: $code bytes of code, more than $most_bytes"
    # nm prints sizes in hexadecimal.
    while read -r _ size _ name; do
        [ $((16#$size)) -le "$most_function_bytes" ] || fail "$compiler: $name has $((16#$size)) bytes"
    done < "$folder/functions"
    largest=$(sort -k 2 "$folder/functions" | tail -n 1)
    read -r _ size _ name <<< "$largest"
    echo "$compiler: $code bytes of code, at most $((16#$size)) in a function ($name); all: $(size "$folder/libhornet.so" |
        awk 'END { print $1 }')"

    # The declared functions, according to the compiler: those with default visibility in the preprocessed header.
    declared=$(gcc -E -P include/hornet.h | tr '\n' ' ' | grep -o 'visibility("[a-z]*")[^(]*[^;(]*([^;]*;' |
        grep -o 'hornet_[a-z0-9_]*(' | tr -d '(' | sort)
    exported=$(nm -D --defined-only "$folder/libhornet.so" | awk '{ print $3 }' | sort)
    [ "$declared" = "$exported" ] || fail "$compiler: exported but not declared, or the other way round:" \
        "$(comm -3 <(echo "$declared") <(echo "$exported"))"
    outside=$(nm -g --defined-only "$folder"/*.o | awk 'NF == 3 { print $3 }' | grep -v '^hornet_' || true)
    [ -z "$outside" ] || fail "$compiler: global names outside hornet_: $outside"
    # No symbol of a program can replace a function that the library calls internally.
    readelf -rW "$folder/libhornet.so" > "$folder/relocations"
    diverted=$(grep -o ' hornet_[a-z0-9_]*' "$folder/relocations" || true)
    [ -z "$diverted" ] || fail "$compiler: bound when it is loaded, not when it is linked: ${diverted//$'\n'/,}"
    # The library calls only memcpy and similar functions.
    foreign=$(nm -u "$folder/libhornet.so" | awk '{ print $2 }' | sed 's/@.*//' |
        grep -v '^memcpy$\|^memset$\|^strcmp$\|^__stack_chk_fail$\|^_ITM_\|^__cxa_finalize$\|^__gmon_start__$' || true)
    [ -z "$foreign" ] || fail "$compiler: the library calls $foreign"
done
