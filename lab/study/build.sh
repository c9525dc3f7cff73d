#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the study with one compiler, if anything has changed:
#
#     build.sh FOLDER COMPILER [OPTION...]      FOLDER/study.so, which measure.c loads
#     build.sh --counts FOLDER                  after that: FOLDER/counts.json, the counts of the kernels of the study
#                                               and of the library over counting lanes
set -euo pipefail
. "$(dirname "$0")/../../tests/support/build.sh"
study=$root/lab/study

# up_to_date FILE: whether no source is newer.
up_to_date() {
    [ -f "$1" ] && [ -z "$(find "$root/src" "$study" "$root/tests/support" ! -path '*/originals/*' ! -name 'measure.c' ! -name 'check.*' ! -name 'cycles.*' ! -name 'instructions.*' \
        \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' \) -newer "$1")" ]
}

if [ "$1" != --counts ]; then
    folder=$1
    shift
    if up_to_date "$folder/study.so" && [ "$(cat "$folder/command")" = "$*" ]; then
        exit
    fi
    mapfile -t sources < <(find "$root"/src/{core,poly1305,aes,poly1305_aes} "$study/kernels" -name '*.c' | LC_ALL=C sort)
    gmp_for "$1"
    sources+=("$root/tests/support/reference.c" "$study/list.c" "${gmp_sources[@]}")
    build_objects "$folder" "$@" "${gmp_options[@]}" -fPIC -fvisibility=hidden
    "$@" -shared -o "$folder/study.so" "$folder"/*.o "${gmp[@]}"
    printf '%s' "$*" > "$folder/command"
    exit
fi

folder=$2 counts=$2/counts.json
if up_to_date "$counts"; then
    exit
fi
rm -f "$counts"

# count FILE LANES NAME:FUNCTION...: counts the kernel in FILE, with the names of its absorbing functions. Runs as many
# at a time as there are CPUs.
number=0 running=0
count() {
    local file=$1 lanes=$2 name counted='' others
    shift 2
    mapfile -t others < <(find "$folder" -name '*.o' | grep -v "_kernels_$(basename "$file")\.o\$")
    for name; do
        counted+="COUNTED_KERNEL(${name%:*}, ${name#*:}) "
    done
    if [ "$running" -ge "$(nproc)" ]; then
        wait -n
        running=$((running - 1))
    fi
    number=$((number + 1)) running=$((running + 1))
    count_one "$(printf %02d "$number")" &
}

# Uses count's variables.
count_one() {
    gcc -DKERNEL_INLINE=HORNET_NOINLINE "-DPORTABLE_LANES=$lanes" -DHORNET_LANES_HOOK="\"$study/lanes/counting.h\"" \
        -DHORNET_KERNEL_HOOK="\"$study/count.h\"" "-DCOUNTED=$counted" -o "$folder/count.$1" "$file" "${others[@]}" -lgmp
    "$folder/count.$1" > "$counts.$1"
}

# The same for kernels in kernels.def.
count_study() {
    local file=$1 lanes=$2 name functions=()
    shift 2
    for name; do
        functions+=("$name:study_absorb_$name")
    done
    count "$study/kernels/$file.c" "$lanes" "${functions[@]}"
}

rm -f "$counts".*
count_study packed4 4 gg4_measured gg4 bs4
count_study packed8 8 gg8_measured gg8 bs8
count_study polyakov_sse2 2 polyakov_sse2
count_study lazy_avx2 4 {polyakov,lambda1,lambda2,lambda3,lambda4,lambda8,lambda16,lambda32}_avx2
count_study polyakov_avx512f 8 polyakov_avx512f
count_study lazy_ifma 8 lambda{1,2,3,4,8,16,32}_ifma
for kernel in sse2:2 avx2:4 avx512f:8 ifma256:4 ifma:8; do
    count "$root/src/poly1305/kernels/${kernel%:*}.c" "${kernel#*:}" "${kernel%:*}:kernel_absorb"
done
for (( ; running > 0; running--)); do
    wait -n
done
mapfile -t others < <(find "$folder" -name '*.o' ! -name '*_kernels_tables.c.o')
gcc -o "$folder/count.tables" "$study/count_tables.c" "${others[@]}" -lgmp
"$folder/count.tables" > "$counts.$(printf %02d $((number + 1)))"
cat "$counts".[0-9][0-9] > "$counts.new"
mv "$counts.new" "$counts"
