#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the provider in the folder where libcrypto looks for providers, which openssl(1) reports, and prints how to enable
# it.
#
#     bindings/openssl/install.sh BUILD DESTDIR [MODULESDIR]
set -eu
build=$1 destdir=$2 modules=${3-}
here=$(cd "$(dirname "$0")" && pwd)

if [ -z "$modules" ]; then
    modules=$(openssl version -m | sed -n 's/^MODULESDIR: "\(.*\)"$/\1/p') || modules=
    if [ -z "$modules" ]; then
        echo "$0: openssl version -m names no folder for providers: give one, as MODULESDIR" >&2
        exit 2
    fi
fi
install -D -m 644 "$build/hornet.so" "$destdir$modules/hornet.so"
echo "installed $destdir$modules/hornet.so; to turn it on, see $here/README.md"
