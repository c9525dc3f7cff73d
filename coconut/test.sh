#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests coconut/: graphs against the model lanes, instructions against this CPU, schedules, what is emitted, and that mistakes
# are noticed.
set -eu
cd "$(dirname "$0")/.."
coconut/install.sh --check
python=$PWD/build/coconut/venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

coconut() { "$python" -m coconut "$@"; }

# expect TEXT COMMAND...: that it says so.
expect() {
    local text=$1
    shift
    "$@" > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    cat "$work/said"
    grep -qF -- "$text" "$work/said" || { echo "$*: does not say: $text" >&2; exit 1; }
}

coconut simulate
coconut instructions
expect 'mul32(t[0], R^1[0])' coconut print 'avx2/step 1'
expect '.svg' coconut draw 'vmsl/step 1'
for colour in cfe2f3 f9cb9c d9ead3; do # expand, multiply, reduce
    grep -q "#$colour" build/coconut/pictures/vmsl-step-1.svg
done
expect '| optimal |' coconut table 'avx2/long group' --seconds 10
expect '| 50 | 44 | 50 | optimal |' coconut table 'vmsl/step 1' --seconds 200 # found in two of them
coconut emit avx2Step2 ifmaStep4 --seconds 0 --folder "$work/emitted"

# Go's assembler takes the file, go vet finds that it keeps to what its functions declare, and it runs.
cp coconut/go/loops_test.go "$work/emitted"
printf 'module emitted\n\ngo 1.24\n' > "$work/emitted/go.mod"
(cd "$work/emitted" && gofmt -l . | (! grep .) && go vet . && go test .)
# shellcheck disable=SC2016 # the assembler's, not the shell's
sed -i '0,/VPSRLQ \$26/s//VPSRLQ $27/' "$work/emitted/loops_amd64.s"
if (cd "$work/emitted" && go test .) > "$work/said" 2>&1; then
    echo "another shift in the emitted file is not noticed" >&2
    exit 1
fi

# mistake FILE FROM TO COMMAND...: in a copy of the tree with that change, the command must fail.
mistake() {
    local file=$1 from=$2 to=$3
    shift 3
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tests"
    cp -r coconut src "$work/tree"
    cp -r tests/support tests/vectors "$work/tree/tests"
    sed -i "s/$from/$to/" "$work/tree/$file"
    ! cmp -s "$file" "$work/tree/$file" || { echo "$file: nothing to change there" >&2; exit 1; }
    if (cd "$work/tree" && "$python" -m coconut "$@") > "$work/said" 2>&1; then
        echo "$file: a mistake is not noticed: $to" >&2
        exit 1
    fi
    echo "noticed: $(tail -n 1 "$work/said")"
}

# What an operation means, which one the graph lanes record, a rule, an order of blocks, an instruction, an allocation.
mistake coconut/operations.py 'hi << 20' 'hi << 21' simulate ifma256
mistake coconut/lanes/graph.h 'record2("sub", a.node, b.node)' 'record2("sub", b.node, a.node)' simulate ifma256
mistake coconut/lanes/graph_summed.h 'record2("sums_high"' 'record2("sums_low"' simulate vmsl
mistake coconut/architectures/amd64.py '0b10101000' '0b10101010' simulate ifma
mistake coconut/architectures/amd64.py 'i \/\/ 2 + i % 2 \* (lanes \/\/ 2)' 'i' simulate avx2
mistake coconut/architectures/amd64.py 'else b)\[i - i % 2 + odd\]' 'else b)[i - i % 2 + 1 - odd]' instructions
mistake coconut/registers.py 'if last\[arg\] == i' 'if last[arg] <= i + 1' emit avx2Step2 --seconds 0 --folder "$work/broken"
mistake coconut/architectures/amd64.py 'operands = operands\[1:\]' 'operands = operands[:-1]' emit ifmaStep4 --seconds 0 --folder "$work/broken"
echo "coconut: all tests passed"
