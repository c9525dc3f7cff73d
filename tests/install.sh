#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what the tests need on Debian 12 and this machine lacks, announcing each step: Debian packages with apt-get,
# parts of Rust with rustup, bindgen with cargo, pytest and other Python packages with pip, the dependencies of bindings/js
# with npm and those of bindings/go with go. Does nothing, and needs no network, if nothing is missing.
#
#     tests/install.sh [--check]      --check: only reports what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2086 # an option or nothing
tools/apt-install.sh ${1-} abigail-tools g++ clang-19 ccache clang-format-19 clang-tidy-19 libclang1-19 lld-19 \
    libclang-rt-19-dev cmake pkg-config libgmp-dev libgcrypt20-dev nettle-dev libssl-dev openssl valgrind qemu-user \
    shellcheck gcc-i686-linux-gnu libc6-dev-i386-cross bochs bochs-term cpio bsdutils strace mandoc zsh fish \
    fuse3 libfuse3-dev python3-venv

if ! cargo fmt --version > /dev/null 2>&1 || ! cargo clippy --version > /dev/null 2>&1; then
    if [ "${1-}" = --check ]; then
        echo "missing rustfmt or clippy (make deps installs them)" >&2
        exit 1
    fi
    echo "installing rustfmt and clippy with rustup"
    rustup component add rustfmt clippy
fi

# bindings/rust/ffi.sh runs it. It takes 40 seconds of one CPU.
bindgen_version=0.72.1
if [ "$(build/tools/bin/bindgen --version 2> /dev/null)" != "bindgen $bindgen_version" ]; then
    if [ "${1-}" = --check ]; then
        echo "missing bindgen $bindgen_version in build/tools (make deps installs it)" >&2
        exit 1
    fi
    echo "installing bindgen $bindgen_version into build/tools with cargo"
    cargo install bindgen-cli --version "=$bindgen_version" --locked --debug --quiet --root build/tools \
        --no-default-features --features runtime
fi

# shellcheck disable=SC2086 # an option or nothing
tools/rust-targets.sh ${1-} wasm32-unknown-unknown aarch64-unknown-none

# shellcheck disable=SC2086 # an option or nothing
tools/venv.sh ${1-} tests/requirements.txt build/venv

# shellcheck disable=SC2086 # an option or nothing
bindings/js/install.sh ${1-}

# Fetches the versions in go.mod. Go itself is not installed: Debian 12's is too old.
modules() {
    GOPROXY=$1 go -C bindings/go/compare list -deps -test . honnef.co/go/tools/cmd/staticcheck > /dev/null
}
if ! modules off 2> /dev/null; then
    if [ "${1-}" = --check ]; then
        echo "missing what bindings/go/compare/go.mod names (make deps downloads it), or go" >&2
        exit 1
    fi
    echo "downloading what bindings/go/compare/go.mod names"
    modules "$(go env GOPROXY)"
fi
