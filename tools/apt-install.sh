#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the Debian packages that are missing on this machine, and prints beforehand what it will do. If none is
# missing, does nothing and needs no network.
#
#     tools/apt-install.sh [--check] PACKAGE...     --check: only prints what is missing, and fails if anything is
set -eu

check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
missing=
for package; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) || status=
    [ "$status" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
    if [ -n "$check" ]; then
        echo "missing Debian packages:$missing (tests/install.sh installs them)" >&2
        exit 1
    fi
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "installing Debian packages, with ${as_root:-this user}'s apt-get:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # the packages are words
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
fi
