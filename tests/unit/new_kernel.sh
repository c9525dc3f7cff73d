#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A new kernel needs a lanes file, a kernel file and one line in the list: adds one to a copy of the tree, and checks
# that it is listed, runs, agrees with GMP, is proved, and has its lanes tested, without any other change.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$root/build/tests/new-kernel
rm -rf "$copy"
mkdir -p "$copy"
cp -r "$root/include" "$root/src" "$root/tests" "$root/proofs" "$copy/"
cd "$copy"
git init -q .
git add -A
git -c user.name=test -c user.email=test@example.org commit -qm before

# Lanes with three operations written differently from the model's, so that there is new code to compile.
sed 's/PORTABLE_LANES 2/PORTABLE_LANES 4/; s/a.lane\[i\] + b.lane\[i\]/b.lane[i] + a.lane[i]/' \
    src/poly1305/lanes/portable.h > src/poly1305/lanes/novel.h
sed 's/portable/novel/g' src/poly1305/kernels/portable.c > src/poly1305/kernels/novel.c
sed -i 's/^HORNET_KERNEL(scalar32,.*/HORNET_KERNEL(novel, CPU_ANY, 0, 33)\n&/' src/poly1305/kernels.def

git add -A
touched=$(git diff --cached --numstat | awk '{ print $1, $2, $3 }' | sort -k 3)
lanes=$(wc -l < src/poly1305/lanes/novel.h) kernel=$(wc -l < src/poly1305/kernels/novel.c)
expected="1 0 src/poly1305/kernels.def
$kernel 0 src/poly1305/kernels/novel.c
$lanes 0 src/poly1305/lanes/novel.h"
[ "$touched" = "$expected" ] || { echo "touched: $touched" >&2; exit 1; }

tests/support/kernel_names.sh | grep -qx novel
proofs/run.sh "$copy/src" "$copy/build/proofs" novel | tee proof.log
grep -q 'bounds of novel (4 lanes)' proof.log
tests/unit/lanes.sh gcc -O2 novel | tee lanes.log
grep -q '^test_lanes novel: [0-9]* checks, 0 failed' lanes.log
tests/unit/gmp.sh novel gcc -O2 -- test_poly1305 novel | tee gmp.log
grep -q '^kernel novel: [0-9]\{6,\} checks' gmp.log
