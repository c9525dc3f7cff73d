#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the packages for Debian 12 that the bench needs and that are missing. Needs no network if none are missing.
# The bench also builds without the lib*-dev packages, clang, go, openssl, hyperfine and b3sum, and without python3, xz and
# the crates of sources/, and reports what it leaves out.
set -eu
cd "$(dirname "$0")/../.."

tools/apt-install.sh gcc g++ make perl cmake clang-19 python3 bzip2 xz-utils libipsec-mb-dev libgcrypt20-dev nettle-dev \
    openssl hyperfine python3-venv
tools/venv.sh tests/requirements.txt build/venv

# Debian 12 has Go 1.19, which is too old for golang.org/x/crypto.
command -v go > /dev/null || echo "go is not installed: the bench leaves out golang.org/x/crypto"

# Debian 12 has Libgcrypt 1.10. Sources of the next release are fetched, which installs nothing.
libgcrypt=$PWD/lab/bench/target/libgcrypt
if ! ls "$libgcrypt"/libgcrypt20_*.orig.tar.bz2 > /dev/null 2>&1; then
    mkdir -p "$libgcrypt/lists/partial" "$libgcrypt/cache"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
        > "$libgcrypt/sources.list"
    apt_source() {
        apt-get -qq -o Dir::Etc::SourceList="$libgcrypt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$libgcrypt/lists" -o Dir::Cache="$libgcrypt/cache" "$@"
    }
    echo "fetching the sources of Libgcrypt in Debian 13, with apt-get"
    (cd "$libgcrypt" && apt_source update && apt_source source --download-only libgcrypt20 libgpg-error) ||
        echo "Libgcrypt of Debian 13 could not be fetched: the bench measures the installed one"
fi

b3sum_version=1.8.7
if [ "$(lab/bench/target/peers/bin/b3sum --version 2> /dev/null)" != "b3sum $b3sum_version" ]; then
    cargo install b3sum --version "=$b3sum_version" --locked --root lab/bench/target/peers ||
        echo "b3sum could not be installed: the bench leaves it out"
fi
