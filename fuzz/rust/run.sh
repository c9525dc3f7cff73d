#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs every fuzz target for SECONDS. Fails on a finding, and keeps its input in artifacts/.
#
#     fuzz/rust/run.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 SECONDS [TARGET...]" >&2
    exit 2
fi
shift
targets=("$@")
if [ "${#targets[@]}" = 0 ]; then
    for file in src/bin/*.rs; do
        targets+=("$(basename "$file" .rs)")
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p artifacts
export RUST_BACKTRACE=0

cargo build --release --locked
failed=()
for target in "${targets[@]}"; do
    mkdir "$work/$target"
    log=$work/$target.log
    # New inputs go to the first folder. The inputs in the repository are only read.
    if ! cargo run --quiet --release --locked --bin "$target" -- -max_total_time="$seconds" -max_len=1024 \
        -dict="dictionaries/${target%%_[a-z]*}" -artifact_prefix="artifacts/$target-" -print_final_stats=1 \
        "$work/$target" "corpus/$target" > "$log" 2>&1; then
        echo "$target: FAILED, the end of what it printed:"
        tail -n 30 "$log" | sed 's/^/    /'
        failed+=("$target")
        continue
    fi
    # Without instrumentation, the target would run but find nothing.
    coverage=$(sed -n 's/^#[0-9]*[[:space:]]*DONE *cov: \([0-9]*\) .*/\1/p' "$log")
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "${coverage:-0}" -lt 20 ]; then
        echo "$target: FAILED, it covers only ${coverage:-0} edges: is the code instrumented?"
        failed+=("$target")
        continue
    fi
    echo "$target: nothing found in $runs runs, $coverage edges covered"
done
[ "${#failed[@]}" = 0 ]
