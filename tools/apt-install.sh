#!/bin/sh
# Installs those of the Debian packages that this machine lacks. Does nothing, and needs no network, when all are there.
#
#     tools/apt-install.sh PACKAGE...
set -eu

missing=
for package; do
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
