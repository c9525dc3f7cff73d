#!/bin/sh
# Installs what the bench needs on Debian 12 and this machine lacks. Does nothing, and needs no network, when all is
# there. The bench builds without any of the lib*-dev packages, clang and go, and says what it leaves out.
set -eu

packages="gcc make perl cmake clang-19 libipsec-mb-dev libgcrypt20-dev nettle-dev libbotan-2-dev"

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

# Debian 12 has Go 1.19, too old for golang.org/x/crypto.
command -v go > /dev/null || echo "no go: the bench leaves golang.org/x/crypto out"
