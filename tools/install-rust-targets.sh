#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs with rustup those of Rust's targets that are missing, and says so before. Needs no network when all are there.
#
#     tools/install-rust-targets.sh [--check] TARGET...     --check: only says what is missing, and fails if anything is
set -eu

check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
for target; do
    if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
        if [ -n "$check" ]; then
            echo "missing Rust's target $target (make deps installs it)" >&2
            exit 1
        fi
        echo "installing Rust's target $target with rustup"
        rustup target add "$target"
    fi
done
