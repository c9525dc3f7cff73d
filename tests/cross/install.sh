#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what `make test-cross` needs in addition to tests/install.sh: the compilers of architectures.txt and their C
# libraries, the targets of rust-targets.txt, emulators, a browser, and the crate that contains mini-gmp.
set -eu
cd "$(dirname "$0")/../.."
tools/apt-install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross \
    gcc-arm-linux-gnueabi libc6-dev-armel-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-powerpc64le-linux-gnu \
    libc6-dev-ppc64el-cross gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross gcc-riscv64-linux-gnu \
    libc6-dev-riscv64-cross gcc-mips64el-linux-gnuabi64 libc6-dev-mips64el-cross gcc-mips64-linux-gnuabi64 \
    libc6-dev-mips64-cross gcc-mips-linux-gnu libc6-dev-mips-cross gcc-sparc64-linux-gnu libc6-dev-sparc64-cross \
    qemu-user llvm-19 chromium gcc-mingw-w64-x86-64-win32 mingw-w64-x86-64-dev wine wine64
# shellcheck disable=SC2046 # targets are words
tools/rust-targets.sh x86_64-pc-windows-gnu aarch64-unknown-none-softfloat $(sed -n 's/^\([a-z0-9][^ ]*\) .*/\1/p' tests/cross/rust-targets.txt)
cargo fetch --locked --manifest-path tests/cross/mini-gmp/Cargo.toml
