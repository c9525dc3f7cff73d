#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Compares the tags that `make run` prints, tags of files of many lengths, and tags in manifests with OpenSSL's command.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expected_tag KEY_FILE FILE: prints the tag according to openssl.
expected_tag() {
    poly1305 "$(od -A n -t x1 "$1" | tr -d ' \n')" "$2"
}

# poly1305 HEX_KEY FILE
poly1305() {
    openssl mac -macopt "hexkey:$1" -in "$2" Poly1305 | tr A-F a-f
}

# expected_aes_tag KEYFILE NONCE FILE: computes Poly1305-AES as described in docs/manifest.md. openssl computes AES of
# the nonce.
expected_aes_tag() {
    k=$(sed -n 's/^key \(.\{32\}\).*/\1/p' "$1")
    r=$(sed -n 's/^key .\{32\}//p' "$1")
    # printf takes octal numbers.
    bytes=$(echo "$2" | sed 's/../& /g' | tr ' ' '\n' | sed '/^$/d; s/.*/0x&/' | while read -r byte; do
        printf '\\%03o' "$byte"
    done)
    # shellcheck disable=SC2059
    pad=$(printf "$bytes" | openssl enc -aes-128-ecb -K "$k" -nopad | od -A n -t x1 | tr -d ' \n')
    poly1305 "$r$pad" "$3"
}

make -s command library
(umask 077; head -c 32 /dev/urandom > "$work/key")
tools/demo.sh "$work/key" "$work/kept" > "$work/demo"
cat "$work/demo"
grep -qx "$(expected_tag "$work/key" build/hornet)" "$work/demo"
grep -qx 'hornet/README.md: CHANGED' "$work/demo"
grep -qx 'hornet/new: EXTRA' "$work/demo"

# The manifest of the demo covers every file of the project as git has it, except symbolic links; the altered file is
# skipped. Checks also the seal.
cd "$work/kept"
agreed=0
grep '^[0-9a-f]* [0-9a-f]*  ' manifest > "$work/lines"
while read -r nonce tag path; do
    if [ "$path" != hornet/README.md ]; then
        [ "$tag" = "$(expected_aes_tag keyfile "$nonce" "$path")" ] || { echo "$path: $tag is wrong" >&2; exit 1; }
        agreed=$((agreed + 1))
    fi
done < "$work/lines"
seal=$(tail -n 1 manifest)
nonce=$(echo "$seal" | cut -d ' ' -f 2)
sed '$d' manifest > "$work/body"
[ "$seal" = "seal $nonce $(expected_aes_tag keyfile "$nonce" "$work/body")" ]
cd "$OLDPWD"
[ "$agreed" = $(($(git ls-files -s | grep -c -v '^120000') - 1)) ]
echo "$agreed tags in a manifest and its seal agree with openssl"

checked=0
head -c 3000000 /dev/urandom > "$work/random"
for length in 0 1 15 16 17 255 256 383 384 1000 4097 65535 65536 65537 1048576 2999999; do
    head -c "$length" "$work/random" > "$work/file"
    (umask 077; head -c 32 /dev/urandom > "$work/key")
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
