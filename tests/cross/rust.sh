#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the tests of the crate hornet-poly1305 for a row of rust-targets.txt: in an emulator, or, for WebAssembly, in Node.
#
#     rust.sh TARGET
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$1 variable=${1//-/_}
read -r _ name < <(grep "^$target " tests/cross/rust-targets.txt)
if [ "$name" = - ]; then
    compiler=clang-19
    runner="node --no-warnings $PWD/tests/cross/wasi.mjs"
    # It has no C library, except for the parts that Rust provides, and no threads.
    flags=-ffreestanding
    features=(--no-default-features --features std)
else
    read -r _ triple emulator _ < <(grep "^$name " tests/cross/architectures.txt)
    compiler=$triple-gcc
    runner="$emulator -L /usr/$triple"
    [ "$emulator" != env ] || runner="env" # natively
    flags=
    features=(--all-features)
    export "CARGO_TARGET_${variable^^}_LINKER=$compiler"
fi
export "CC_$variable=$compiler" "CFLAGS_$variable=$flags" "CARGO_TARGET_${variable^^}_RUNNER=$runner"
# In an emulator, unoptimized code takes longer than optimizing it. Overflow checks stay enabled.
export CARGO_PROFILE_TEST_OPT_LEVEL=1 CARGO_PROFILE_TEST_DEBUG=0
cargo test --package hornet-poly1305 --locked "${features[@]}" --target "$target"
