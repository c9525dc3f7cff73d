#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Copies golang.org/x/crypto, in the version of compare/go.mod, to a folder that does not exist yet:
#
#     patch.sh FOLDER
#
# In the copy, ssh encrypts packets of chacha20-poly1305@openssh.com by package openssh of this module (ssh.patch), and packages
# chacha20 and chacha20poly1305 are those of this module. A program uses it after
#
#     go mod edit -replace golang.org/x/crypto=FOLDER -replace github.com/hornet-mac/hornet/bindings/go=MODULE
#     go mod tidy
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
[ ! -e "$1" ] || { echo "$0: $1 exists" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
module=$(cd "$here/../.." && pwd)
go -C "$here/.." mod download golang.org/x/crypto
from=$(go -C "$here/.." list -m -f '{{.Dir}}' golang.org/x/crypto)

cp -R "$from" "$1"
chmod -R u+w "$1"
patch -s -p1 -d "$1" <"$here/ssh.patch"
for package in chacha20 chacha20poly1305; do
    find "$1/$package" -type f ! -name '*_test.go' -exec rm {} +
    cp "$here/$package"/*.go "$1/$package/"
done
cd "$1"
go mod edit -require "github.com/hornet-mac/hornet/bindings/go@v0.0.0" \
    -replace "github.com/hornet-mac/hornet/bindings/go=$module" \
    -require "golang.org/x/sys@$(go -C "$module" list -m -f '{{.Version}}' golang.org/x/sys)"
cat "$here/../go.sum" >>go.sum
