#!/bin/bash
# Formatters, linters, and the rules of the source tree that no tool knows.
set -eu
cd "$(dirname "$0")/.."
failures=0
complain() {
    echo "$1" >&2
    failures=$((failures + 1))
}

mapfile -t c_files < <(git ls-files '*.c' '*.h')
mapfile -t shell_files < <(git ls-files '*.sh' .ci/run)
mapfile -t go_files < <(git ls-files '*.go')

clang-format-19 --dry-run --Werror "${c_files[@]}" || complain "C files: run make format"
tidy() {
    clang-tidy-19 --quiet "$@" 2> >(grep -v ' warnings generated\.$' >&2) || complain "clang-tidy"
}
tidy src/*.c src/kernels/*.c -- -std=c11
tidy proofs/bounds.c -- -Isrc -DCHOICES_FILE='<stddef.h>' -DLANES=4 -DFIELD_FILE='"field/radix26.h"' \
    -DKERNEL_NAME='"any"'
shellcheck "${shell_files[@]}" || complain "shellcheck"
cargo fmt --check || complain "Rust files: run make format"
cargo clippy --workspace --all-targets --all-features --locked -- -D warnings || complain "clippy"
unformatted=$(gofmt -l "${go_files[@]}") || complain "gofmt"
[ -z "$unformatted" ] || complain "Go files, ${unformatted//$'\n'/ }: run make format"
CGO_CFLAGS="-I$PWD/include" go -C tests/restic vet . || complain "go vet"

# A kernel's name stands in its own files and in kernels.def. CPU features may be called the same, in features.def
# and as targets; a lanes file may build on another's, and serve several kernels; lanes/portable.h is where
# all of them look for definitions.
mapfile -t kernels < <(tests/kernel_names.sh)
for kernel in "${kernels[@]}"; do
    [ -f "src/kernels/$kernel.c" ] || complain "kernels.def: $kernel has no file src/kernels/$kernel.c"
    if grep -rnw --include='*.[ch]' --include='*.def' "hornet_kernel_$kernel\|$kernel" src |
        grep -v "^src/kernels/$kernel\.c:\|^src/lanes/$kernel\.h:\|^src/kernels\.def:\|^src/features\.def:\|CPU_$kernel\|^src/lanes/.* portable\.h" |
        grep -v '#define HORNET_TARGET "\|#include "\(\.\./\)\?lanes/\|^src/lanes/[a-z0-9]*\.h:[0-9]*:#include "'; then
        complain "the name of kernel $kernel stands outside its files"
    fi
done
for file in src/kernels/*.c; do
    grep -q "^HORNET_KERNEL($(basename "$file" .c)," src/kernels.def || complain "$file is not in kernels.def"
done

# The shared library exports what hornet.h declares and nothing else; no object has a name outside hornet_.
make -s library
declared=$(grep -o '^HORNET_API [^(]*(' include/hornet.h | grep -o 'hornet_[a-z0-9_]*' | sort)
exported=$(nm -D --defined-only build/libhornet.so | awk '{ print $3 }' | sort)
[ "$declared" = "$exported" ] || complain "libhornet.so exports: $(echo "$exported" | tr '\n' ' ')"
nm -g --defined-only build/libhornet.a | awk 'NF == 3 { print $3 }' | grep -v '^hornet_' &&
    complain "libhornet.a defines names outside hornet_"

# The library calls nothing but memcpy and its kin.
foreign=$(nm -u build/libhornet.so | awk '{ print $2 }' | sed 's/@.*//' |
    grep -v '^memcpy$\|^memset$\|^strcmp$\|^__stack_chk_fail$\|^_ITM_\|^__cxa_finalize$\|^__gmon_start__$' || true)
[ -z "$foreign" ] || complain "libhornet.so calls $foreign"

[ "$failures" = 0 ]
