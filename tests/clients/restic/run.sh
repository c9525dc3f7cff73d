#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A real application: lets restic create repositories in both versions of its format, with two keys, two snapshots and a
# lock, and verifies every Poly1305-AES tag in them with this library.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$root/build/restic
mkdir -p "$build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$root" -B "$build/hornet"
cmake --build "$build/hornet" -j2

# The go command does not notice changes to a library or a header outside its module.
cd "$here"
rm -f "$build/verify"
CGO_CFLAGS="-O2 -I$root/include -DHEADER=$(cksum < "$root/include/hornet.h" | cut -d ' ' -f 1)" \
    CGO_LDFLAGS="$build/hornet/libhornet.a" CGO_ENABLED=1 go build -buildvcs=false -o "$build/verify" .
# Without cgo, and with a tag for smaller programs, like restic's build.go.
CGO_ENABLED=0 go build -buildvcs=false -tags disable_grpc_modules -o "$build/restic" \
    github.com/restic/restic/cmd/restic
cd "$root"

for version in 1 2; do
    repository=$work/repository-$version
    sources=$work/sources-$version
    # Keeps the caller's environment away from restic.
    restic=(env -i TMPDIR="$work" RESTIC_CACHE_DIR="$work/cache" RESTIC_REPOSITORY="$repository"
        RESTIC_PASSWORD='the first password' "$build/restic" --quiet)

    "${restic[@]}" init --repository-version "$version"
    mkdir "$sources"
    cp -r README.md include src tests docs "$sources"
    "${restic[@]}" backup "$sources"
    printf 'the second password' > "$work/password"
    "${restic[@]}" key add --new-password-file "$work/password"
    cat LICENSE >> "$sources/README.md"
    rm -r "$sources/docs"
    cp "$build/restic" "$sources/a large file"
    "${restic[@]}" backup "$sources"

    # A lock remains when its owner is killed, here while it waits for input to back up.
    mkfifo "$work/pipe-$version"
    "${restic[@]}" backup --stdin < "$work/pipe-$version" &
    owner=$!
    exec 3> "$work/pipe-$version"
    for ((i = 0; i < 300; i++)); do
        ! find "$repository/locks" -type f | grep -qx '.*/[0-9a-f]\{64\}' || break
        sleep 0.1
    done
    kill -KILL "$owner"
    wait "$owner" || true
    exec 3>&-

    echo "repository version $version:"
    "$build/verify" "$repository" 'the first password' 'the second password' | tee "$work/verified"
    # restic counts the same number of blobs.
    blobs=$("${restic[@]}" list --no-lock blobs | wc -l)
    grep -qx "$blobs pack blob" "$work/verified"
done
