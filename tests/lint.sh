#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs formatters, linters, and checks of the source tree's rules that no tool covers.
#
#     lint.sh [fast]      fast: skips the slow ones, which are clang-tidy, clippy and go vet
set -eu
cd "$(dirname "$0")/.."
failures=0
complain() {
    echo "$1" >&2
    failures=$((failures + 1))
}

mapfile -t c_files < <(git ls-files '*.c' '*.h' '*.cc')
mapfile -t shell_files < <(git ls-files '*.sh' .ci/run)
mapfile -t go_files < <(git ls-files '*.go')
mapfile -t js_files < <(git ls-files '*.js' '*.ts' 'bindings/js/*.json')
mapfile -t python_files < <(git ls-files '*.py')

clang-format-19 --dry-run --Werror "${c_files[@]}" || complain "C files: run make format"
shellcheck -x "${shell_files[@]}" || complain "shellcheck"
unformatted=$(gofmt -l "${go_files[@]}") || complain "gofmt"
[ -z "$unformatted" ] || complain "Go files, ${unformatted//$'\n'/ }: run make format"
build/venv/bin/ruff check --quiet "${python_files[@]}" || complain "ruff"
build/venv/bin/ruff format --quiet --check "${python_files[@]}" || complain "Python files: run make format"
# Types are checked by bindings/js/build.sh.
bindings/js/node_modules/.bin/prettier --log-level warn --check "${js_files[@]}" ||
    complain "JavaScript files: run make format"
for workspace in . bench fuzz/rust; do
    (cd "$workspace" && cargo fmt --check) || complain "Rust files in $workspace: run make format"
done

if [ "${1-}" != fast ]; then
    tidy() {
        clang-tidy-19 --quiet "$@" 2> >(grep -v ' warnings generated\.$' >&2) || complain "clang-tidy"
    }
    tidy src/*/*.c src/*/*/*.c -- -std=c11 -DHORNET_ALL_KERNELS=1
    tidy examples/c/*.c -- -std=gnu11 -Iinclude
    tidy study/*.c study/kernels/*.c -- -std=gnu11
    tidy bindings/openssl/src/*.c -- -std=c11 -Iinclude
    tidy src/poly1305/kernels/avx2.c -- -DINTERVAL_LANES=4 "-DHORNET_LANES_HOOK=\"$PWD/proofs/interval.h\"" \
        "-DHORNET_KERNEL_HOOK=\"$PWD/proofs/bounds.h\""
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings || complain "clippy"
    CGO_CFLAGS="-I$PWD/include" go -C tests/clients/restic vet . || complain "go vet"
fi

# Wordings that a reader stumbles over, each a regular expression: name the quantity, and use the literature's terms.
if git grep -nIE -f tests/wordings.txt -- . ':!tests/wordings.txt' ':!LICENSE*' ':!*/results/*' ':!*.svg' ':!*.json'; then
    complain "wordings of tests/wordings.txt"
fi

# Every source file states its licence.
mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cc' '*.def' '*.S' '*.rs' '*.go' '*.sh' '*.py' '*.js' '*.ts' '*.toml' '*.yml' '*.cmake.in' \
    Makefile CMakeLists.txt '*/CMakeLists.txt' .ci/run)
mapfile -t without < <(grep -L 'SPDX-License-Identifier: Apache-2.0 OR MIT' "${sources[@]}")
[ "${#without[@]}" = 0 ] || complain "without an SPDX line: ${without[*]}"

# The public CI has a row for each target that .ci/run makes.
rows=$(sed -n 's/^ *target: \[\(.*\)\]$/\1/p' .github/workflows/ci.yml | sed 's/, /\n/g')
[ "$rows" = "$(sed -n 's/^make //p' .ci/run)" ] || complain "ci.yml and .ci/run differ in their rows"

# A kernel's name may appear only in its own files and in its primitive's kernels.def. Exceptions: CPU features may have
# the same name, in the lists of cpu/ and as targets; a lanes file may build on another, and serve several kernels; and
# the two primitives' kernels share names.
for primitive in poly1305 chacha20; do
    mapfile -t kernels < <(for target in x86_64 i686 aarch64 s390x powerpc64le riscv64; do
        tests/support/kernel_names.sh "clang-19 -ffreestanding --target=$target-linux-gnu" "$primitive"
    done | sort -u)
    for kernel in "${kernels[@]}"; do
        [ -f "src/$primitive/kernels/$kernel.c" ] ||
            complain "kernels.def: $kernel has no file src/$primitive/kernels/$kernel.c"
        if grep -rnw --include='*.[ch]' --include='*.def' "hornet_${primitive}_kernel_$kernel\|$kernel" src |
            grep -v "^src/[a-z0-9]*/kernels/$kernel\.c:\|^src/[a-z0-9]*/lanes/$kernel\.h:\|^src/[a-z0-9]*/kernels\.def:" |
            grep -v "^src/core/cpu/[a-z0-9]*\.\|CPU_$kernel\|#define HORNET_TARGET \+\"\|#include \"\(\.\./\)\?lanes/" |
            grep -v "^src/[a-z0-9]*/lanes/[a-z0-9]*\.h:[0-9]*:#include \"\|lanes/portable\.h"; then
            complain "the name of kernel $kernel stands outside its files"
        fi
    done
    for file in src/"$primitive"/kernels/*.c; do
        printf '%s\n' "${kernels[@]}" | grep -qx "$(basename "$file" .c)" || complain "$file is not in kernels.def"
    done
done

[ "$failures" = 0 ]
