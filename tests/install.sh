#!/bin/sh
# Installs what the tests need on Debian 12 and this machine lacks. Does nothing, and needs no network, when
# all is there.
set -eu
cd "$(dirname "$0")/.."

tools/apt-install.sh g++ clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev cmake pkg-config libgmp-dev \
    libgcrypt20-dev nettle-dev libssl-dev openssl valgrind qemu-user shellcheck gcc-i686-linux-gnu libc6-dev-i386-cross \
    bochs bochs-term cpio bsdutils strace

if ! cargo fmt --version > /dev/null 2>&1 || ! cargo clippy --version > /dev/null 2>&1; then
    rustup component add rustfmt clippy
fi
