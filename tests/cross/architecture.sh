#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the library's tests for a row of architectures.txt in an emulator, built by gcc or clang. Emulators may be
# scripts in this folder.
#
#     architecture.sh NAME gcc|clang-19
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
PATH=$root/tests/cross:$PATH
name=$1 compiler=$2
read -r _ triple emulator clang_option chosen tested multiplies < <(grep "^$name " "$root/tests/cross/architectures.txt")
folder=$root/build/tests/architecture-$name-$compiler
IFS=: read -ra emulator <<< "$emulator"
case $compiler in
gcc) cc=("$triple-gcc") ;;
*)
    cc=("$compiler" "--target=$triple")
    [[ $clang_option != -?* ]] || cc+=("$clang_option")
    ;;
esac
case $triple in *-mingw32) suffix=.exe ;; *) suffix= ;; esac

# run PROGRAM [ARG...]: runs one of the programs below.
run() {
    local program=$folder/$1$suffix
    shift
    "${emulator[@]}" "$program" "$@"
}

objdump=("$triple-objdump")
linked=()
if [[ $triple = riscv64-* ]]; then
    objdump=(llvm-objdump-19 --mattr=+v) # GNU objdump decodes vectors only in files that require them throughout
    linked=("-Wl,--wrap=syscall" "$root/tests/cross/hwprobe.c")
fi

mini_gmp=$("$root/tests/support/mini_gmp.sh")

# No flag names an instruction set, and there must be no warnings.
build_library "$folder" "${cc[@]}" -O2
mkdir "$folder/support"
"$root/tools/amalgamate.py" "$folder/support/one-file"
"${cc[@]}" -O2 -Wall -Wextra -Werror -c -o "$folder/support/one-file/hornet.o" "$folder/support/one-file/hornet.c"
"${cc[@]}" -O2 -w -I"$mini_gmp" -c -o "$folder/support/mini-gmp.o" "$mini_gmp/mini-gmp.c"
tests=(-O2 -w -static -DHORNET_NO_PEERS -I"$root/tests/cross/mini-gmp" -I"$mini_gmp")
"${cc[@]}" "${tests[@]}" -c -o "$folder/support/reference.o" "$root/tests/support/reference.c"
for program in test_poly1305 test_partial test_aes test_chacha20 test_aead test_poly1305_aes; do
    "${cc[@]}" "${tests[@]}" -o "$folder/$program$suffix" "$root/tests/unit/$program.c" "$folder"/*.o \
        "$folder"/support/*.o "${linked[@]}" &
done
"${cc[@]}" "${tests[@]}" -o "$folder/chosen$suffix" "$root/tests/cross/chosen.c" "$folder"/*.o "${linked[@]}"
wait

run chosen "$chosen" "${tested//,/ }" | tr -d '\r' | tee "$folder/chosen.log"
mapfile -t kernels < <(sed -n 's/^kernel //p' "$folder/chosen.log")
for kernel in "${kernels[@]}"; do
    run test_poly1305 "$kernel"
    "${cc[@]}" -O2 -DHORNET_KERNEL_HOOK="\"$root/tests/unit/test_lanes.h\"" -c -o "$folder/support/tested" \
        "$root/src/poly1305/kernels/$kernel.c"
    mapfile -t others < <(find "$folder" -maxdepth 1 -name '*.o' | grep -v "_poly1305_kernels_$kernel\.c\.o\$")
    "${cc[@]}" -static -o "$folder/test_lanes$suffix" "$folder/support/tested" "${others[@]}" "${linked[@]}"
    run test_lanes
done
for program in test_partial test_aes test_chacha20 test_poly1305_aes; do
    run "$program"
done

run test_aead --few

# Data left behind by calls; the test knows the registers of x86-64.
if [[ $triple == x86_64-* ]]; then
    build_library "$folder/residue" "${cc[@]}" -O2 -DHORNET_NO_CROSSOVERS
    "${cc[@]}" -O2 -w -static -o "$folder/test_residue$suffix" "$root/tests/unit/test_residue.c" "$folder/residue"/*.o
    run test_residue
fi

# gcc must align the stack for vectors of more than 16 bytes, as core/compiler.h requires. Debian's gcc is patched so
# that nothing fails where it does not; therefore, look for the alignment itself.
if [ "$suffix-$compiler" = .exe-gcc ]; then
    for kernel in avx2 avx512f ifma256 ifma; do
        found=$("$triple-objdump" -d --no-show-raw-insn "$folder"/*_poly1305_kernels_"$kernel".c.o |
            grep -cE 'and +.0xf+[ec]0,%rsp' || true)
        [ "$found" -ge 2 ] || { echo "$kernel: $found functions align their stack" >&2; exit 1; }
    done
fi

# The multiplication instruction occurs in the functions of its kernel, and in no other kernel of the library.
for row in ${multiplies//,/ }; do
    [ "$row" != - ] || continue
    kernel=${row%%:*} instruction=${row#*:}
    for object in "$folder"/*_poly1305_kernels_*.o; do
        found=$("${objdump[@]}" -d --no-show-raw-insn "$object" | grep -cE "$instruction" || true)
        case $object in
        *_kernels_"$kernel".c.o) [ "$found" -ge 20 ] || { echo "$object: $found of $instruction" >&2; exit 1; } ;;
        *_kernels_scalar*) [ "$found" = 0 ] || { echo "$object: $found of $instruction" >&2; exit 1; } ;;
        esac
    done
    echo "$kernel multiplies by $instruction"
done
