#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Traces the basic blocks that the module executes in qemu with five kinds of secrets, and with tags that are wrong at
# different positions. No branch may depend on them. The trace must reveal a planted branch that does.
#
#     bindings/go/traces.sh [GOARCH]
set -euo pipefail
cd "$(dirname "$0")"
architecture=${1-$(go env GOHOSTARCH)}
case $architecture in
amd64) qemu=(qemu-x86_64 -cpu max) ;;
arm64) qemu=("qemu-aarch64") ;;
*) qemu=("qemu-$architecture") ;;
esac
module=$(go list -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOARCH=$architecture go build -o "$work/traced" ./internal/traced

# trace OUTPUT ARG...: writes the addresses of the module's basic blocks in the order of execution. At arbitrary times the
# runtime interrupts a function at its call, through morestack. The function then starts again, and the blocks since its first
# one are dropped.
trace() {
    local output=$1
    shift
    GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1 GOGC=off "${qemu[@]}" -d exec,nochain -D "$work/log" "$work/traced" "$@"
    awk -v module="$module/" '
        # qemu has logged this block, but not executed it, and will log it again.
        $1 == "Stopped" { gsub(/[][]/, "", $(NF - 1)); if (blocks[count] ~ $(NF - 1) " ") count--; next }
        { split($4, address, "/"); thread = $2; block = address[2] " " $NF }
        # subtle.XORBytes is left out: it compares addresses, which may differ.
        { of_module = index($NF, module) == 1 }
        $NF ~ /^(crypto\/subtle|crypto\/internal\/fips140\/subtle\.Constant|main\.planted)/ { of_module = 1 }
        $NF ~ /^(runtime\.memequal|runtime\.cmp|internal\/bytealg|memeqbody|cmpbody)/ { of_module = before[thread] }
        $NF ~ /^runtime\.morestack/ && before[thread] { interrupted[thread] = 1 }
        { before[thread] = of_module }
        of_module && interrupted[thread] {
            for (i = count; i > count - 4 && blocks[i] != block; i--)
                ;
            if (i == count - 4)
                next
            interrupted[thread] = 0
            count = i - 1
        }
        of_module { blocks[++count] = block }
        END { for (i = 1; i <= count; i++) print blocks[i] }' "$work/log" > "$output"
}

trace "$work/zeros" zeros
[ "$(wc -l < "$work/zeros")" -gt 20000 ] || { echo "too few blocks are traced" >&2; exit 1; }
for kind in ones small random other; do
    trace "$work/$kind" "$kind"
    if ! diff "$work/zeros" "$work/$kind" > "$work/difference"; then
        echo "a branch depends on secrets: zeros (<) and $kind (>):" >&2
        head "$work/difference" >&2
        exit 1
    fi
done
trace "$work/zeros" zeros planted
trace "$work/ones" ones planted
if diff "$work/zeros" "$work/ones" > "$work/difference" || grep '^[<>]' "$work/difference" | grep -vq main.planted; then
    echo "a planted branch is not noticed" >&2
    exit 1
fi
echo "$(wc -l < "$work/random") blocks on $architecture, the same under five kinds of secrets"
