#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the Rust targets that are missing on this machine, and prints beforehand what it will do. If none is missing,
# does nothing and needs no network.
#
#     tools/rust-targets.sh [--check] TARGET...     --check: only prints what is missing, and fails if anything is
set -eu

check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
for target; do
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || continue
    if [ -n "$check" ]; then
        echo "missing Rust's target $target (tests/install.sh installs it)" >&2
        exit 1
    fi
    echo "installing Rust's target $target with rustup"
    rustup target add "$target"
done
