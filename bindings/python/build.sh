#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the wheel for this machine into build/python/wheels, and installs it where the tests are: build/python/venv. The same
# sources, compilers and versions give the same file in any folder.
#
#     bindings/python/build.sh [--release]
#
# --release: builds what is published instead, into build/python/release: the source distribution, and wheels for x86-64 and
# aarch64: for glibc 2.34 and later with gcc, and for musl 1.2 and later with Zig's compiler. The wheel for this machine is then built again from the source
# distribution, offline.
set -eu
cd "$(dirname "$0")/../.."
venv=$PWD/build/python/venv
[ -x "$venv/bin/maturin" ] || { echo "$0: needs maturin (bindings/python/install.sh installs it)" >&2; exit 1; }

# Times in the wheel, and no names of folders in the code.
SOURCE_DATE_EPOCH=$(date -u -d 2026-01-01 +%s)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
RUSTFLAGS="--remap-path-prefix=$PWD=hornet --remap-path-prefix=$cargo_home=cargo"
CFLAGS="-ffile-prefix-map=$PWD=hornet"
export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS

# Adds the licences of the crates, and removes the folder of each from the SBOM.
finish() {
    tools/release/notices.py hornet-poly1305-python > build/python/third-party-notices.txt
    for wheel in "$1"/*.whl; do
        rm -rf build/python/unpacked
        "$venv/bin/wheel" unpack --dest build/python/unpacked "$wheel" > /dev/null
        sed -i "s#file://$PWD/#file:///hornet/#g" build/python/unpacked/*/*.dist-info/sboms/*
        cp build/python/third-party-notices.txt build/python/unpacked/*/*.dist-info/licenses/
        sed -i '/^License-File: LICENSE-MIT$/a License-File: third-party-notices.txt' build/python/unpacked/*/*.dist-info/METADATA
        "$venv/bin/wheel" pack --dest-dir "$1" build/python/unpacked/* > /dev/null
    done
}

case ${1-} in
'')
    rm -rf build/python/wheels
    "$venv/bin/maturin" build --quiet --locked --profile python --manifest-path bindings/python/Cargo.toml --target-dir build/python/target \
        --interpreter "$venv/bin/python" --out build/python/wheels
    finish build/python/wheels
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheels/*.whl
    exit
    ;;
--release) ;;
*)
    echo "usage: $0 [--release]" >&2
    exit 2
    ;;
esac

targets='x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl'
# shellcheck disable=SC2086 # words
tools/rust-targets.sh $targets
tools/apt-install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross
tools/venv.sh bindings/python/zig.txt build/python/zig
# maturin finds Zig by the interpreter that is called python3.
PATH=$PWD/build/python/zig/bin:$PATH
ZIG_GLOBAL_CACHE_DIR=$PWD/build/python/zig-cache
# Zig disables EVEX-512 for the baseline of x86-64, and target regions of AVX-512 do not enable it again.
CFLAGS_x86_64_unknown_linux_musl="$CFLAGS -mevex512"
export PATH ZIG_GLOBAL_CACHE_DIR CFLAGS_x86_64_unknown_linux_musl
rm -rf build/python/release
"$venv/bin/maturin" sdist --manifest-path bindings/python/Cargo.toml --out build/python/release
for target in $targets; do
    case $target in
    *-musl) options='--zig --compatibility musllinux_1_2' ;;
    *) options='--compatibility manylinux_2_34' ;;
    esac
    # shellcheck disable=SC2086 # words
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc "$venv/bin/maturin" build --quiet --locked --profile python \
        --target "$target" $options --manifest-path bindings/python/Cargo.toml --target-dir build/python/target \
        --out build/python/release
done

finish build/python/release
rm -rf build/python/unpacked
mkdir build/python/unpacked
tar -xzf build/python/release/*.tar.gz -C build/python/unpacked
CARGO_NET_OFFLINE=true PATH=$venv/bin:$PATH "$venv/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --no-index --no-build-isolation --wheel-dir build/python/unpacked build/python/unpacked/hornet_poly1305-*/
(cd build/python/release && sha256sum ./*)
