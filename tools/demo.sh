#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The demo of `make run`: tags a real file, the command itself, under a fresh one-time key; then tags this repository's
# files under a key file, checks them, and finds the file that was altered in a copy; and, in C, opens a sealed message,
# and refuses a forged one.
#
#     tools/demo.sh [KEY_FILE [KEEP]]      uses this one-time key; puts the key file, the manifest and the altered
#                                          copy of the tree into the folder KEEP
set -eu
exec 2>&1
cd "$(dirname "$0")/.."
root=$PWD
hornet=$root/build/hornet
file=build/hornet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
    key=$1
else
    key=$work/key
    (umask 077 && head -c 32 /dev/urandom > "$key")
fi
keep=${2-$work/keep}
mkdir -p "$keep/hornet"
# The project's files, without build products; only some of them without git.
(git ls-files 2> /dev/null || printf '%s\n' README.md docs include src) | tar -c -f - -T - | tar -x -f - -C "$keep/hornet"

echo "\$ hornet info | head -n 3"
$hornet info > "$work/info"
head -n 3 "$work/info"
echo
echo "\$ hornet mac --verbose --key-file KEY $file"
tag=$($hornet mac --verbose --key-file "$key" "$file")
echo "$tag"
echo "\$ hornet verify --key-file KEY --tag $tag $file"
$hornet verify --key-file "$key" --tag "$tag" "$file"

cd "$keep"
# expect STATUS ARG...: shows the command and its output.
expect() {
    expected=$1 status=0
    shift
    echo
    echo "\$ hornet $*"
    $hornet "$@" || status=$?
    echo "(exit status $status)"
    [ "$status" = "$expected" ]
}
expect 0 keygen keyfile
expect 0 tag -k keyfile -o manifest hornet
echo "\$ tail -n 3 manifest"
tail -n 3 manifest
expect 0 check -k keyfile --strict --quiet manifest
echo
echo "\$ tr e f < hornet/README.md > changed && mv changed hornet/README.md && touch hornet/new"
tr e f < hornet/README.md > changed && mv changed hornet/README.md && touch hornet/new
expect 1 check -k keyfile --strict --quiet manifest

echo
echo "\$ cc examples/c/seal_and_open.c -lhornet && ./a.out"
"${CC-cc}" -I"$root/include" -o "$work/seal_and_open" "$root/examples/c/seal_and_open.c" "$root/build/libhornet.a"
"$work/seal_and_open"
