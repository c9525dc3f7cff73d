#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what is missing to build and test the Python package: requirements.txt into build/python/venv; the source
# distributions of cryptography and asyncssh, whose tests are run, into build/python/sources; OpenSSH's client; and its server,
# which is only unpacked into build/python/openssh, because its package would start it. Prints first what it will do. Does
# nothing, and needs no network, if nothing is missing.
#
#     bindings/python/install.sh [--check]      --check: only prints what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/../.."
check=${1-}
# OpenSSH's server needs libwrap0, and what its client needs.
# shellcheck disable=SC2086 # an option or nothing
tools/apt-install.sh $check python3-venv openssh-client libwrap0
# shellcheck disable=SC2086 # the same
tools/venv.sh $check bindings/python/requirements.txt build/python/venv

# missing WHAT: fails with --check.
missing() {
    [ "$check" = --check ] || return 0
    echo "missing $1 (bindings/python/install.sh downloads it)" >&2
    exit 1
}

for package in cryptography asyncssh; do
    pinned=$(sed -n "s/^$package==//p" bindings/python/requirements.txt)
    if [ ! -f "build/python/sources/$package-$pinned.tar.gz" ]; then
        missing "$package's source distribution"
        echo "downloading $package's source distribution into build/python/sources with pip"
        rm -f "build/python/sources/$package"-*
        # pip asks the build backend, which is in the same environment, for the name and version.
        PATH=$PWD/build/python/venv/bin:$PATH build/python/venv/bin/python -m pip download --quiet \
            --disable-pip-version-check --no-deps --no-build-isolation --no-binary "$package" --dest build/python/sources \
            "$package==$pinned"
    fi
done

if [ ! -x build/python/openssh/usr/sbin/sshd ]; then
    missing "OpenSSH's server"
    echo "unpacking Debian's openssh-server into build/python/openssh"
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    rm -rf build/python/openssh
    mkdir -p build/python/openssh
    $as_root apt-get update -qq
    (cd build/python/openssh && apt-get download -q openssh-server)
    dpkg-deb --extract build/python/openssh/*.deb build/python/openssh
fi
