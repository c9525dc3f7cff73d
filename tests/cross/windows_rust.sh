#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the crate's tests as Windows programs, in Wine.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu folder=$PWD/build/tests/windows-rust
mkdir -p "$folder"

# Rust's standard library gets random bytes from a Windows library that Wine 8 lacks. Another library has the same
# function under another name.
printf 'LIBRARY bcryptprimitives\nEXPORTS\nProcessPrng=advapi32.SystemFunction036\n' > "$folder/bcryptprimitives.def"
x86_64-w64-mingw32-gcc -shared -nostdlib -Wl,-e,0 -o "$folder/bcryptprimitives.dll" "$folder/bcryptprimitives.def" -ladvapi32

WINEPATH="Z:$folder" CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER="$PWD/tests/cross/run-wine.sh" \
    cargo test --package hornet-poly1305 --target "$target" --locked
