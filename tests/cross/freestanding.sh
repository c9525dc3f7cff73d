#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The library without a C library: it compiles for targets that have none, and for wasm32, and calls only memcpy and
# memset. The crate also compiles, without std. What the code computes is tested elsewhere.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
cd "$root"
for target in wasm32 aarch64-none-elf x86_64-none-elf loongarch64-none-elf riscv32-none-elf; do
    folder=build/tests/freestanding-$target
    build_library "$folder" clang-19 --target="$target" -ffreestanding -O2
    # nm cannot read wasm.
    [ "$target" != wasm32 ] || continue
    foreign=$(nm -u "$folder"/*.o | awk 'NF == 2 { print $2 }' | grep -v '^hornet_\|^memcpy$\|^memset$' | sort -u || true)
    [ -z "$foreign" ] || { echo "$target: the library calls $foreign" >&2; exit 1; }
done

for target in wasm32-unknown-unknown aarch64-unknown-none; do
    CC=clang-19 cargo build --release --locked --package hornet-poly1305 --no-default-features --target "$target"
done
