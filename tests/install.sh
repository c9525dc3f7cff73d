#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what the tests need on Debian 12 and this machine lacks, announcing each step: Debian packages with apt-get,
# parts of Rust with rustup, bindgen with cargo, pytest and other Python packages with pip, the dependencies of bindings/js
# with npm and those of bindings/go and tests/integration/sealing with go. Does nothing, and needs no network, if nothing is missing.
#
#     tests/install.sh [SUITE]      for a suite of tests/support/suites.py; quick by default
set -eu
cd "$(dirname "$0")/.."
suite=${1-quick}
case $suite in
check | quick | slow | cross | cross-quick | release) ;;
*)
    echo "tests/install.sh: there is no suite $suite" >&2
    exit 2
    ;;
esac

tools/apt-install.sh g++ clang-19 ccache clang-format-19 libgmp-dev libgcrypt20-dev nettle-dev libssl-dev shellcheck \
    python3-venv

if ! cargo fmt --version > /dev/null 2>&1 || ! cargo clippy --version > /dev/null 2>&1; then
    echo "installing rustfmt and clippy with rustup"
    rustup component add rustfmt clippy
fi
tools/venv.sh tests/requirements.txt build/venv
[ "$suite" != check ] || exit 0

bindings/js/install.sh
tools/apt-install.sh abigail-tools clang-tidy-19 libclang1-19 lld-19 libclang-rt-19-dev cmake pkg-config doxygen \
    libsodium-dev openssl valgrind qemu-user gcc-i686-linux-gnu libc6-dev-i386-cross bochs bochs-term cpio bsdutils \
    strace mandoc zsh fish fuse3 libfuse3-dev xfsprogs btrfs-progs

# bindings/rust/ffi.sh runs it. It takes 40 seconds of one CPU.
bindgen_version=0.72.1
if [ "$(build/tools/bin/bindgen --version 2> /dev/null)" != "bindgen $bindgen_version" ]; then
    echo "installing bindgen $bindgen_version into build/tools with cargo"
    cargo install bindgen-cli --version "=$bindgen_version" --locked --debug --quiet --root build/tools \
        --no-default-features --features runtime
fi

tools/rust-targets.sh wasm32-unknown-unknown aarch64-unknown-none x86_64-unknown-none

# Fetches the versions in go.mod. Go itself is not installed: Debian 12's is too old.
modules() {
    GOPROXY=$1 go -C bindings/go/compare list -deps -test . ./xcrypto/loopback honnef.co/go/tools/cmd/staticcheck > /dev/null &&
        GOPROXY=$1 go -C tests/integration/sealing list -deps . filippo.io/age/cmd/age filippo.io/age/cmd/age-keygen > /dev/null
}
if ! modules off 2> /dev/null; then
    echo "downloading what bindings/go/compare/go.mod and tests/integration/sealing/go.mod name"
    modules "$(go env GOPROXY)"
fi

case $suite in
slow)
    coconut/install.sh
    bindings/python/install.sh
    tests/integration/provider/install.sh
    tools/site/install.sh
    tools/apt-install.sh restic
    ;;
cross*) tests/cross/install.sh ;;
release)
    coconut/install.sh
    bindings/python/install.sh
    tests/integration/packages/install.sh
    tests/integration/provider/install.sh
    tests/integration/sealing/install.sh
    bindings/js/tests/hosts/install.sh
    tools/apt-install.sh restic openssh-client
    ;;
esac
