#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The executed instructions, and the addresses that they load from and store to, do not depend on secrets:
# test_traces.c, single-stepped on every kernel of this CPU, and recorded by valgrind's lackey, which does not support
# AVX-512.
#
#     traces.sh COMPILER
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
folder=$root/build/tests/traces-$1
# Every kernel handles every length that it can.
build_library "$folder" "$1" -O2 -DHORNET_NO_CROSSOVERS
"$1" -O2 -static -Wall -Wextra -Werror -o "$folder/test" "$root/tests/unit/test_traces.c" "$folder"/*.o
"$folder/test"
# A function that leaks must be detected.
if "$folder/test" leak; then
    exit 1
fi

# recorded KIND [leak]: prints a checksum of everything recorded under secrets of that kind, from begin_record on; what
# precedes main depends on other things.
first=$(nm "$folder/test" | sed -n 's/^0*\([0-9a-f]*\) T begin_record$/\1/p')
recorded() {
    "$folder/test" secrets "$1" > "$folder/secrets"
    valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$folder/test" once "${@:2}" < "$folder/secrets" 9>&1 |
        sed -n "/^I  0*$first,/,\$ { /^I/p; /^ [LSM]/p }" | tee >(wc -l > "$folder/lines") | sha256sum
}
expected=$(recorded 0)
for kind in 1 2 4 6; do
    [ "$(recorded "$kind")" = "$expected" ] || {
        echo "other instructions or addresses under secrets $kind" >&2
        exit 1
    }
done
echo "$(cat "$folder/lines") instructions, loads and stores, each of 5 times"
[ "$(cat "$folder/lines")" -gt 1000000 ]
leak=$(recorded 0 leak)
[ "$(recorded 4 leak)" != "$leak" ]
