#!/bin/bash
# Runs a suite of tests, one line each, and says how many passed. Output goes to build/test-logs.
#
#     tests/run.sh quick|slow|clients [PATTERN]     only those whose name contains the pattern
set -u
cd "$(dirname "$0")/.." || exit 1
suite=${1-quick} pattern=${2-}
logs=build/test-logs
mkdir -p "$logs" build/tests

sources=(src/*.c src/kernels/*.c)
mapfile -t kernels < <(tests/kernel_names.sh)
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror)
passed=0 failed=0
declare -A running=() # process -> "NAME START"

# run_test NAME COMMAND [ARG...]: in a shell of its own that stops at the first error. In the background,
# because `set -e` does nothing in a condition, and as many at once as there are CPUs.
run_test() {
    local name=$1
    shift
    [[ $name == *"$pattern"* ]] || return
    [ "${#running[@]}" -lt "$(nproc)" ] || finish_one
    (set -e; "$@") > "$logs/$name.log" 2>&1 < /dev/null &
    running[$!]="$name $SECONDS"
}

# Waits for one of the tests that run, and reports it.
finish_one() {
    local process name start
    if wait -n -p process; then
        read -r name start <<< "${running[$process]}"
        passed=$((passed + 1))
        printf 'ok      %-34s %4d s\n' "$name" $((SECONDS - start))
    else
        read -r name start <<< "${running[$process]}"
        failed=$((failed + 1))
        printf 'FAILED  %-34s %4d s, the end of %s:\n' "$name" $((SECONDS - start)) "$logs/$name.log"
        tail -n 25 "$logs/$name.log" | sed 's/^/        /'
    fi
    unset "running[$process]"
}

# Every file alone, with no flag that names an instruction set.
compiles() {
    local compiler=$1 level=$2 file
    mkdir -p "build/tests/$compiler$level"
    for file in "${sources[@]}"; do
        "$compiler" "$level" "${warnings[@]}" -c -o "build/tests/$compiler$level/$(basename "$file").o" "$file"
    done
}

# The two commands that the project promises, in an empty folder.
compiles_without_flags() {
    local root=$PWD folder
    folder=$(mktemp -d)
    cd "$folder"
    "$1" -O2 -c "$root"/src/*.c "$root"/src/kernels/*.c
    rm -r "$folder"
}

# against_gmp NAME COMPILER OPTION... [-- ARG...]: everything that computes tags, against GMP and other libraries; with
# arguments, only the kernels' test.
against_gmp() {
    local folder=build/tests/gmp-$1 compiler=$2 options=(-Wall -Wextra -Werror) root=$PWD name
    local programs=(test_aes test_poly1305_aes test_parts test_poly1305)
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || programs=(test_poly1305)
    rm -rf "$folder"
    mkdir -p "$folder"
    (cd "$folder" && "$compiler" "${options[@]}" -c "${sources[@]/#/$root/}" "$root/tests/reference.c")
    for name in "${programs[@]}"; do
        "$compiler" "${options[@]}" -o "$folder/$name" "tests/$name.c" "$folder"/*.o -lgmp -lgcrypt -lnettle
        "$folder/$name" "${@:2}"
    done
}

sanitizers=(-O2 -g "-fsanitize=address,undefined" -fno-sanitize-recover=all)

# The algorithms on other numbers of lanes than the kernels in plain C have. Four lanes of radix 2^44 are what
# AVX-IFMA computes, which no emulator here knows.
portable_lanes() {
    local count kernel
    for kernel in portable portable44; do
        for count in 1 4 8 16; do
            clang-19 -O2 -DLANES="$count" -c -o build/tests/portable.o "src/kernels/$kernel.c"
            clang-19 -O2 -o build/tests/portable_lanes tests/test_poly1305.c tests/reference.c \
                "${sources[@]/src\/kernels\/$kernel.c/build/tests/portable.o}" -lgmp
            build/tests/portable_lanes "$kernel"
        done
    done
}

# The operations of every lanes file.
lanes() {
    local compiler=$1 kernel program=build/tests/lanes-$1$2
    for kernel in "${kernels[@]}"; do
        "$compiler" "$2" -Wall -Wextra -Werror -DKERNEL_FILE="\"../src/kernels/$kernel.c\"" \
            -DTESTED_KERNEL="hornet_kernel_$kernel" -o "$program" tests/test_lanes.c src/cpu.c src/zeros.c
        "$program"
    done
}

selection() {
    gcc -O2 -Wall -Wextra -Werror -o build/tests/selection tests/test_selection.c "${sources[@]}" \
        "${kernels[@]/#/-Wl,--wrap=hornet_kernel_}"
    build/tests/selection
}

constant_time() {
    local compiler=$1 program=build/tests/constant_time-$1
    "$compiler" -O2 -gdwarf-4 -Wall -Wextra -Werror -o "$program" tests/test_constant_time.c "${sources[@]}"
    valgrind -q --error-exitcode=9 "$program"
    # The same, with a comparison that leaks: it must be seen.
    ! valgrind -q --error-exitcode=9 "$program" leak
}

# Where memcheck cannot follow: AVX-512, if this CPU has it. The sanitizer takes all that asm computes as public.
constant_time_avx512() {
    clang-19 -O2 -g -DHORNET_NO_ASM -fsanitize=memory -fno-sanitize-memory-param-retval \
        -o build/tests/constant_time-msan tests/test_constant_time.c "${sources[@]}"
    build/tests/constant_time-msan
    ! build/tests/constant_time-msan leak
}

rust() {
    cargo test --workspace --all-features --locked
    cargo test --package hornet --no-default-features --locked
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --all-features --no-deps --locked
}

quick() {
    local compiler level
    run_test lint                           tests/lint.sh
    for compiler in gcc clang-19; do
        run_test "compiles-$compiler"       compiles_without_flags "$compiler"
        for level in -O0 -O2 -O3; do
            run_test "warnings-$compiler$level" compiles "$compiler" "$level"
        done
    done
    run_test bounds                         proofs/run.sh
    run_test bounds-notice                  tests/proof_notices.sh
    for compiler in gcc clang-19; do
        for level in -O0 -O2; do
            run_test "lanes-$compiler$level" lanes "$compiler" "$level"
        done
        for level in -O0 -O2 -O3; do
            run_test "gmp-$compiler$level"  against_gmp "$compiler$level" "$compiler" "$level"
        done
        run_test "constant-time-$compiler"  constant_time "$compiler"
    done
    run_test constant-time-avx-512          constant_time_avx512
    run_test gmp-over-4-gib                 against_gmp over-4-gib clang-19 -O3 -- --huge
    run_test gmp-without-assembly           against_gmp without-assembly gcc -O2 -DHORNET_NO_ASM
    run_test selection                      selection
    run_test cpus-x86-64                    tests/cpus.sh qemu-x86_64
    run_test cpus-i686                      tests/cpus.sh qemu-i386
    run_test consumer                       tests/consumer/run.sh
    run_test rust                           rust
    run_test command                        tests/command.sh
    run_test nonces                         tests/nonces.sh
}

slow() {
    run_test gmp-sanitized                  against_gmp sanitized clang-19 "${sanitizers[@]}"
    run_test gmp-portable-lanes             portable_lanes
    run_test cpus-avx-512-gcc               tests/cpus.sh bochs gcc
    run_test cpus-avx-512-clang-19          tests/cpus.sh bochs clang-19
}

clients() {
    run_test restic                         tests/restic/run.sh
}

case $suite in
quick | slow | clients) "$suite" ;;
*) echo "$0: no suite $suite" >&2; exit 2 ;;
esac

while [ "${#running[@]}" != 0 ]; do
    finish_one
done

# CI reads this line.
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
