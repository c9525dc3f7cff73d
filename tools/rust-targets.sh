#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the Rust targets that are missing on this machine, and prints beforehand what it will do. If none is missing,
# does nothing and needs no network.
#
#     tools/rust-targets.sh TARGET...
set -eu

for target; do
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || continue
    echo "installing Rust's target $target with rustup"
    rustup target add "$target"
done
