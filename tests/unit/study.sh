#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the tests of the library's own kernels, test_poly1305.c, on every kernel in study/kernels.def: in a copy of the
# tree whose list contains these instead of the library's kernels, a few at a time, because a list has at most 31 rows.
#
#     study.sh NAME all|papers|NAMES COMPILER [OPTION...]     papers: without kernels that only serve for comparison
#                                                             (ablation)
#                                                             NAMES: comma-separated names of kernels or of a paper
#
# For a compiler for another architecture, uses mini-gmp and the emulator in tests/cross/architectures.txt.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"

copy=$root/build/tests/study-$1 which=$2
shift 2
options=("$@" -Wall -Wextra -Werror)
rm -rf "$copy"
mkdir -p "$copy"
cp -r "$root/include" "$root/src" "$root/study" "$root/tests" "$copy/"

# The baseline comes first. The kernels call it for blocks that do not fill a group.
mapfile -t names < <(printf '%s\n' '#define STUDY_KERNEL(name, paper, label) kernel = name paper;' \
    "#include \"$copy/src/core/compiler.h\"" "#include \"$copy/study/kernels.def\"" | "${options[@]}" -E -P -x c - |
    grep -o 'kernel = [a-z0-9_ ]*' | cut -d ' ' -f 3- | case $which in
        all) cat ;;
        papers) grep -v ' ablation$' ;;
        *) grep -E "^(${which//,/|}) | (${which//,/|})$" ;;
    esac | cut -d ' ' -f 1)
baseline=$("$root/tests/support/kernel_names.sh" "${options[*]}" | grep '^scalar' | head -n 1)
list() {
    printf '/* SPDX-License-Identifier: Apache-2.0 OR MIT */\n#include "../core/rows.h"\n'
    printf 'HORNET_KERNEL(%s, CPU_ANY, 0, 0)\n' "$baseline"
    printf 'HORNET_KERNEL(%s, CPU_ANY, 0, HORNET_NEVER)\n' "$@"
    printf 'HORNET_KERNEL(portable44, CPU_ANY, 0, 0)\n' # for batches, which the study lacks
    printf '#undef HORNET_ROW\n#undef HORNET_FURTHER_ROW\n#undef HORNET_TUNED_ROW\n'
}

# The parts of the library that its tests call, and the baseline.
needed=("$copy"/src/core/*.c "$copy"/src/core/cpu/*.c "$copy"/src/poly1305/*.c "$copy/src/poly1305/kernels/$baseline.c"
    "$copy/src/poly1305/kernels/portable44.c")
list "${names[0]}" > "$copy/src/poly1305/kernels.def"
one_of=$(IFS='|' && echo "${names[*]}")
mapfile -t sources < <(grep -lE "KERNEL(_RECORD)?[( ] *($one_of)\>" "$copy"/study/kernels/*.c)
gmp_for "${options[0]}"
sources+=("$copy/tests/support/reference.c" "${gmp_sources[@]}")
options+=("${gmp_options[@]}")
run=()
if [ "${#gmp_sources[@]}" != 0 ]; then
    gmp=(-static)
    IFS=: read -ra run < <(awk -v "triple=${options[0]%-gcc}" '$2 == triple { print $3; exit }' "$root/tests/cross/architectures.txt")
fi
build_objects "$copy/kernels" "${options[@]}"
at_once=16
for ((first = 0; first < ${#names[@]}; first += at_once)); do
    some=("${names[@]:first:at_once}")
    list "${some[@]}" > "$copy/src/poly1305/kernels.def"
    # shellcheck disable=SC2034 # for build_objects
    sources=("${needed[@]}")
    build_objects "$copy/objects" "${options[@]}"
    "${options[@]}" -o "$copy/test_poly1305" "$copy/tests/unit/test_poly1305.c" "$copy"/kernels/*.o "$copy"/objects/*.o "${gmp[@]}"
    "${run[@]}" "$copy/test_poly1305" "${some[@]}"
done
