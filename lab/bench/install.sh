#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what the bench needs on Debian 12 and this machine lacks. What is missing nevertheless leaves out a peer, or the
# groups `file`, `tree` and `incremental`.
set -eu
cd "$(dirname "$0")/../.."

tools/apt-install.sh gcc g++ make perl cmake clang-19 python3 bzip2 xz-utils libgmp-dev libipsec-mb-dev libgcrypt20-dev \
    nettle-dev openssl hyperfine python3-venv
tools/venv.sh tests/requirements.txt build/venv

# Debian 12 has Libgcrypt 1.10. Sources of the next release are fetched, which installs nothing.
debian=$PWD/build/bench/debian
if ! ls "$debian"/libgcrypt20_*.orig.tar.bz2 > /dev/null 2>&1; then
    mkdir -p "$debian/lists/partial" "$debian/cache"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" \
        > "$debian/sources.list"
    apt_source() {
        apt-get -qq -o Dir::Etc::SourceList="$debian/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$debian/lists" -o Dir::Cache="$debian/cache" "$@"
    }
    echo "fetching the sources of Libgcrypt in Debian 13, with apt-get"
    (cd "$debian" && apt_source update && apt_source source --download-only libgcrypt20 libgpg-error) ||
        echo "Libgcrypt of Debian 13 could not be fetched: the bench measures the installed one"
fi

b3sum_version=1.8.7
if [ "$(build/bench/bin/b3sum --version 2> /dev/null)" != "b3sum $b3sum_version" ]; then
    cargo install b3sum --version "=$b3sum_version" --locked --root build/bench ||
        echo "b3sum could not be installed: the bench leaves it out"
fi
