#!/bin/sh
# What `make run` shows: tags a real file, the command itself, under a fresh key, verifies it, and sees that a changed
# copy does not verify.
#
#     tools/demo.sh [KEY_FILE]      with this key and not a fresh one
set -eu
exec 2>&1
cd "$(dirname "$0")/.."
hornet=build/hornet
file=build/hornet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
    key=$1
else
    key=$work/key
    (umask 077 && head -c 32 /dev/urandom > "$key")
fi

echo "\$ hornet info"
$hornet info
echo
echo "\$ hornet mac --verbose --key-file KEY $file"
tag=$($hornet mac --verbose --key-file "$key" "$file")
echo "$tag"
echo
echo "\$ hornet verify --key-file KEY --tag $tag $file"
$hornet verify --key-file "$key" --tag "$tag" "$file"
echo
echo "\$ hornet verify --key-file KEY --tag $tag CHANGED_COPY"
tr e f < "$file" > "$work/changed"
status=0
$hornet verify --key-file "$key" --tag "$tag" "$work/changed" || status=$?
echo "(exit status $status)"
[ "$status" = 1 ]
