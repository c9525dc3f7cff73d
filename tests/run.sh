#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs a test suite. Prints one line per test and how many passed; the tests' output goes to build/test-logs.
#
#     tests/run.sh check|quick|slow|cross|cross-quick|clients [PATTERN]     only tests whose name contains PATTERN
set -u
cd "$(dirname "$0")/.." || exit 1
suite=${1-quick} pattern=${2-}
logs=build/test-logs
mkdir -p "$logs" build/tests

passed=0 failed=0
declare -A running=() # process -> "NAME START"

# run_test NAME COMMAND [ARG...]: runs the command in the background, because `set -e` has no effect in a condition, and
# as many tests at once as there are CPUs.
run_test() {
    local name=$1
    shift
    [[ $name == *"$pattern"* ]] || return
    [ "${#running[@]}" -lt "$(nproc)" ] || finish_one
    (
        trap 'times > "$logs/$name.times"' EXIT
        set -e
        "$@"
    ) > "$logs/$name.log" 2>&1 < /dev/null &
    running[$!]="$name $SECONDS"
}

# Prints the CPU seconds that a test took: the sum of what `times` printed, as in 1m2.345s.
cpu_seconds() {
    awk -F '[ms ]+' '{ for (i = 1; i < NF; i += 2) sum += 60 * $i + $(i + 1) } END { printf "%d", sum }' "$logs/$1.times"
}

# Waits for one of the running tests and reports it.
finish_one() {
    local process name start
    if wait -n -p process; then
        read -r name start <<< "${running[$process]}"
        passed=$((passed + 1))
        printf 'ok      %-34s %4d s, of CPUs %4d s\n' "$name" $((SECONDS - start)) "$(cpu_seconds "$name")"
    else
        read -r name start <<< "${running[$process]}"
        failed=$((failed + 1))
        printf 'FAILED  %-34s %4d s, the end of %s:\n' "$name" $((SECONDS - start)) "$logs/$name.log"
        tail -n 25 "$logs/$name.log" | sed 's/^/        /'
    fi
    unset "running[$process]"
}

rust() {
    cargo test --workspace --all-features --locked
    cargo test --package hornet-poly1305 --no-default-features --locked
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --all-features --no-deps --locked
}

js_browser() {
    bindings/js/build.sh
    node bindings/js/tests/browser/run.js chromium
}

fuzz_rust() {
    (cd fuzz/rust && cargo clippy --release --locked --all-targets -- -D warnings)
    fuzz/rust/run.sh 30
}

# Between edits: every kernel against the reference, the rules of the tree, the bounds.
check() {
    run_test gmp-gcc-O2                     tests/unit/gmp.sh check gcc -O2
    run_test lint                           tests/lint.sh fast
    run_test bounds                         proofs/run.sh
    run_test lanes                          tests/unit/lanes.sh gcc -O2
    run_test dispatch                       tests/unit/dispatch.sh
    run_test headers                        tests/unit/headers.sh
}

quick() {
    local compiler level
    run_test lint                           tests/lint.sh
    run_test rust                           rust
    run_test rust-declarations              bindings/rust/ffi.sh --check
    run_test headers                        tests/unit/headers.sh
    run_test symbols                        tests/unit/symbols.sh
    run_test scope                          tests/unit/scope.py
    run_test kernels-default                tests/unit/default_kernels.py
    run_test checked-results                tests/unit/checked_results.sh
    run_test new-kernel                     tests/unit/new_kernel.sh
    run_test bounds                         proofs/run.sh
    run_test bounds-notice                  tests/unit/proof_notices.sh
    for compiler in gcc clang-19; do
        for level in -O0 -O2; do
            run_test "lanes-$compiler$level" tests/unit/lanes.sh "$compiler" "$level"
        done
        run_test "gmp-$compiler-O2"         tests/unit/gmp.sh "$compiler-O2" "$compiler" -O2
        run_test "gmp-amalgamation-$compiler" tests/unit/gmp.sh "amalgamation-$compiler" amalgamation "$compiler" -O2 \
            -DHORNET_ALL_KERNELS=0 # as users build it
        run_test "constant-time-$compiler"  tests/unit/constant_time.sh "$compiler"
        run_test "residue-$compiler-O2"     tests/unit/residue.sh "$compiler-O2" "$compiler" -O2
        run_test "choice-$compiler"         tests/unit/choice.sh "$compiler" 10
        run_test "amalgamation-$compiler"   tests/clients/amalgamation.sh "$compiler"
    done
    run_test study-bounds                   study/bounds.sh
    run_test study-page                     build/venv/bin/python -m pytest -q study/tests/test_page.py
    run_test bench-report                   build/venv/bin/python -m pytest -q bench/tests/test_report.py
    run_test constant-time-avx-512          tests/unit/constant_time.sh msan
    run_test gmp-without-assembly           tests/unit/gmp.sh without-assembly gcc -O2 -DHORNET_NO_ASM
    run_test dispatch                       tests/unit/dispatch.sh
    run_test cpus-x86-64                    tests/cross/cpus.sh qemu-x86_64
    run_test cpus-i686                      tests/cross/cpus.sh qemu-i386
    run_test freestanding                   tests/cross/freestanding.sh
    run_test install                        tests/clients/install/run.sh
    run_test install-command                tests/clients/install/command.sh
    run_test interposed                     tests/clients/interposed.sh
    run_test kernels-left-out               tests/clients/left_out.sh
    run_test examples                       tests/clients/examples.sh
    run_test openssl-provider               tests/clients/provider/unit.sh
    run_test js                             bindings/js/test.sh
    run_test go                             bindings/go/test.sh
    run_test command                        tests/clients/command.sh
    run_test nonces                         tests/clients/nonces.sh
}

slow() {
    local compiler level
    run_test gmp-sanitized                  tests/unit/gmp.sh sanitized clang-19 -O2 -g -fsanitize=address,undefined \
        -fno-sanitize-recover=all -DHORNET_DEBUG
    run_test choice-thread-sanitizer        tests/unit/choice.sh clang-19 10 -g -fsanitize=thread
    run_test choice-address-sanitizer       tests/unit/choice.sh clang-19 10 -g -fsanitize=address,undefined \
        -fno-sanitize-recover=all
    # One kernel per method of computation.
    run_test study-sanitized                tests/unit/study.sh sanitized double53,multiples,scalar26,gg4,z14_parallel clang-19 -O1 \
        -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all
    run_test gmp-over-4-gib                 tests/unit/gmp.sh over-4-gib clang-19 -O3 -- test_poly1305 --huge
    run_test aead-over-4-gib                tests/unit/gmp.sh aead-over-4-gib clang-19 -O3 -- test_aead --huge
    run_test aead-product                   tests/unit/gmp.sh aead-product gcc -O3 -- test_aead --product
    run_test gmp-portable-lanes             tests/unit/portable_lanes.sh
    run_test rust-package                   bindings/rust/package-test.sh
    for compiler in gcc clang-19; do
        # A debug build, in which overlapping output and input trap.
        run_test "gmp-$compiler-O0"         tests/unit/gmp.sh "$compiler-O0" "$compiler" -O0 -DHORNET_DEBUG
        run_test "gmp-$compiler-O3"         tests/unit/gmp.sh "$compiler-O3" "$compiler" -O3
        run_test "study-$compiler"          tests/unit/study.sh "$compiler" all "$compiler" -O2
        run_test "traces-$compiler"         tests/unit/traces.sh "$compiler"
        for level in -O0 -O1 -O3 -Os; do
            run_test "residue-$compiler$level" tests/unit/residue.sh "$compiler$level" "$compiler" "$level"
        done
        run_test "residue-hardened-$compiler" tests/unit/residue.sh "hardened-$compiler" "$compiler" -O2 -fPIC \
            -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=2 -fcf-protection
    done
    run_test fuzz-c                         fuzz/c/run.sh 30
    run_test fuzz-rust                      fuzz_rust
    run_test coconut                        coconut/test.sh
    run_test cpus-avx-512-gcc               tests/cross/cpus.sh bochs gcc
    run_test cpus-avx-512-clang-19          tests/cross/cpus.sh bochs clang-19
}

# Tests each architecture with gcc and with clang; `cross-quick` with gcc only, or with clang where gcc 12 lacks the
# vector instructions.
cross_with() {
    local name option
    while read -r name _ _ option _; do
        if [ "$option" != clang ]; then
            run_test "$name-gcc"            tests/cross/architecture.sh "$name" gcc
            [ "$1" = both ] || continue
        fi
        run_test "$name-clang-19"           tests/cross/architecture.sh "$name" clang-19
    done < <(grep -v '^#' tests/cross/architectures.txt)
    run_test study-i686                     tests/unit/study.sh i686 papers i686-linux-gnu-gcc -O2
    run_test study-s390x                    tests/unit/study.sh s390x z14 s390x-linux-gnu-gcc -O2
    run_test study-measure-aarch64          env ARCHITECTURE=aarch64 build/venv/bin/python -m pytest -q study/tests/test_measure.py
    run_test js-browser                     js_browser
    for name in arm64 s390x riscv64; do
        run_test "go-$name"                 bindings/go/test.sh "$name"
    done
    run_test study-page-browser             env CHROMIUM=chromium build/venv/bin/python -m pytest -q study/tests/test_page.py
    while read -r name; do
        run_test "rust-$name"               tests/cross/rust.sh "$name"
    done < <(sed -n 's/^\([a-z0-9][^ ]*\) .*/\1/p' tests/cross/rust-targets.txt)
    run_test windows-rust                   tests/cross/windows_rust.sh
}

clients() {
    run_test restic                         tests/clients/restic/run.sh
    run_test openssl-provider-tls           tests/clients/provider/tls.sh
}

case $suite in
check | quick | slow | clients) "$suite" ;;
cross) cross_with both ;;
cross-quick) cross_with one ;;
*) echo "$0: no suite $suite" >&2; exit 2 ;;
esac

while [ "${#running[@]}" != 0 ]; do
    finish_one
done

# CI reads this line.
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
