#!/bin/sh
# Installs what the tests need on Debian 12 and this machine lacks. Does nothing, and needs no network, when
# all is there.
set -eu

packages="g++ clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev cmake pkg-config libgmp-dev libssl-dev openssl
    valgrind qemu-user shellcheck gcc-i686-linux-gnu libc6-dev-i386-cross
    bochs bochs-term cpio bsdutils"

missing=
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || status=
    [ "$status" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "installing:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # the packages are words
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
fi

if ! cargo fmt --version > /dev/null 2>&1 || ! cargo clippy --version > /dev/null 2>&1; then
    rustup component add rustfmt clippy
fi
