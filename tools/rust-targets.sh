#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs those of Rust's targets that this machine lacks, and says before what it will do. Does nothing, and needs no
# network, when all are there.
#
#     tools/rust-targets.sh [--check] TARGET...     --check: only says what is missing, and fails if anything is
set -eu

check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
for target; do
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || continue
    if [ -n "$check" ]; then
        echo "missing Rust's target $target (make deps installs it)" >&2
        exit 1
    fi
    echo "installing Rust's target $target with rustup"
    rustup target add "$target"
done
