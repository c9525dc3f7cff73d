#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the packages for Debian 12 that the bench needs and that are missing. Needs no network if none are missing.
# The bench also builds without the lib*-dev packages, clang, go, openssl, hyperfine and b3sum, and without python3, xz and
# the crates of sources/, and reports what it leaves out.
set -eu
cd "$(dirname "$0")/.."

tools/apt-install.sh gcc g++ make perl cmake clang-19 python3 xz-utils libipsec-mb-dev libgcrypt20-dev nettle-dev \
    openssl hyperfine python3-venv
tools/venv.sh tests/requirements.txt build/venv

# Debian 12 has Go 1.19, which is too old for golang.org/x/crypto.
command -v go > /dev/null || echo "go is not installed: the bench leaves out golang.org/x/crypto"

b3sum_version=1.8.7
if [ "$(bench/target/peers/bin/b3sum --version 2> /dev/null)" != "b3sum $b3sum_version" ]; then
    cargo install b3sum --version "=$b3sum_version" --locked --root bench/target/peers ||
        echo "b3sum could not be installed: the bench leaves it out"
fi
