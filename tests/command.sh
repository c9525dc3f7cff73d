#!/bin/sh
# The tag that `make run` prints, and tags of files of many lengths, against OpenSSL's command.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect_tag KEY_FILE FILE: what openssl says.
expected_tag() {
    openssl mac -macopt "hexkey:$(od -A n -t x1 "$1" | tr -d ' \n')" -in "$2" Poly1305 | tr A-F a-f
}

make -s command
head -c 32 /dev/urandom > "$work/key"
tools/demo.sh "$work/key" > "$work/demo"
cat "$work/demo"
grep -qx "$(expected_tag "$work/key" build/hornet)" "$work/demo"

checked=0
head -c 3000000 /dev/urandom > "$work/random"
for length in 0 1 15 16 17 255 256 383 384 1000 4097 65535 65536 65537 1048576 2999999; do
    head -c "$length" "$work/random" > "$work/file"
    head -c 32 /dev/urandom > "$work/key"
    expected=$(expected_tag "$work/key" "$work/file")
    for kernel in $(build/hornet info | sed -n 's/^\([a-z0-9]*\) .* yes.*/\1/p'); do
        tag=$(build/hornet mac --kernel "$kernel" --key-file "$work/key" "$work/file")
        if [ "$tag" != "$expected" ]; then
            echo "kernel $kernel, length $length: $tag, openssl says $expected" >&2
            exit 1
        fi
        checked=$((checked + 1))
    done
done
echo "$checked tags agree with openssl"
[ "$checked" -gt 0 ]
