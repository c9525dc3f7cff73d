#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what tests/integration/provider/test_tls.py needs on Debian 12: curl, and Debian's nginx, which is only unpacked into build/,
# because its package would start a server.
#
#     tests/integration/provider/install.sh
set -eu
cd "$(dirname "$0")/../../.."
# nginx is linked with these libraries.
tools/apt-install.sh libssl-dev openssl curl libpcre2-8-0 zlib1g libcrypt1

nginx=$PWD/build/nginx
if [ ! -x "$nginx/usr/sbin/nginx" ]; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "unpacking Debian's nginx into $nginx"
    rm -rf "$nginx"
    mkdir -p "$nginx/package"
    $as_root apt-get update -qq
    (cd "$nginx/package" && apt-get download -q nginx)
    dpkg-deb --extract "$nginx"/package/*.deb "$nginx"
fi
"$nginx/usr/sbin/nginx" -v
