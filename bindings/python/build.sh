#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the wheel for this machine into build/python/wheels, and installs it where the tests are: build/python/venv. The same
# sources, compilers and versions give the same file in any folder.
#
#     bindings/python/build.sh
set -eu
cd "$(dirname "$0")/../.."
venv=build/python/venv
[ -x "$venv/bin/maturin" ] || { echo "$0: needs maturin (bindings/python/install.sh installs it)" >&2; exit 1; }

# Times in the wheel, and no names of folders in the code.
SOURCE_DATE_EPOCH=$(date -u -d 2026-01-01 +%s)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
RUSTFLAGS="--remap-path-prefix=$PWD=hornet --remap-path-prefix=$cargo_home=cargo"
CFLAGS="-ffile-prefix-map=$PWD=hornet"
export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS

rm -rf build/python/wheels
"$venv/bin/maturin" build --quiet --release --manifest-path bindings/python/Cargo.toml --target-dir build/python/target \
    --interpreter "$venv/bin/python" --out build/python/wheels
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheels/*.whl
