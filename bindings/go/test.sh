#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests the Go module: natively, or under qemu for another architecture.
#
#     bindings/go/test.sh [GOARCH]
set -euo pipefail
cd "$(dirname "$0")"

if [ $# != 0 ]; then
    GOARCH=$1 go test -exec "qemu-${1/arm64/aarch64}" ./...
    ./traces.sh "$1"
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd internal/vectors && go run generate.go "$work")
for file in internal/vectors/*.txt; do
    cmp "$file" "$work/${file##*/}" || { echo "vectors are not those of their sources: run go generate ./..." >&2; exit 1; }
done

(cd internal/tuning && go run generate.go "$work/tuning.go")
cmp internal/tuning/tuning.go "$work/tuning.go" || {
    echo "tuning.go is not that of src/core/tuning.h: run go generate ./..." >&2
    exit 1
}

# These are copies because the archive of a module contains no links.
for file in LICENSE-APACHE LICENSE-MIT; do
    cmp "../../$file" "$file"
done

staticcheck=$(go -C compare tool -n staticcheck)
for folder in . compare; do
    (
        cd "$folder"
        go vet ./...
        go vet -tags purego ./...
        "$staticcheck" ./...
        go mod tidy -diff
    )
done

go test ./...
go test -tags purego ./...
go -C compare test
if [ "$(go env GOHOSTARCH)" = amd64 ]; then
    GOARCH=386 go test ./...
    # Run the code for older CPUs.
    GODEBUG=cpu.avx512f=off go test ./...
    GODEBUG=cpu.all=off go test ./...
fi
# All tests would take a minute with the race detector.
go test -race -run 'Concurrent|Pieces|Batches|Vectors|Wycheproof|Overlap|Example' ./poly1305 ./chacha20poly1305
./traces.sh
go test -run '^$' -fuzz Sum -fuzztime 5000x ./poly1305
go test -run '^$' -fuzz Seal -fuzztime 5000x ./chacha20poly1305
go -C compare test -run '^$' -fuzz Sum -fuzztime 5000x
go -C compare test -run '^$' -fuzz AEAD -fuzztime 5000x
go -C compare run . -rounds 1 > /dev/null

# Build the program of the README, which needs no other module.
mkdir "$work/client"
# shellcheck disable=SC2016 # backticks of Markdown
sed -n '/^```go$/,/^```$/p' README.md | grep -v '^```' > "$work/client/main.go"
module=$(go list -m)
cd "$work/client"
go mod init client
go mod edit -require "$module@v0.0.0" -replace "$module=$OLDPWD"
cp "$OLDPWD/go.sum" . # with these sums, go does not query its checksum database
GOPROXY=off go mod tidy
go run .
if go list -m all | grep -v "^client\$\|^$module \|^golang.org/x/sys "; then
    echo "the module needs other modules" >&2
    exit 1
fi
echo "the module is vetted, tested and used"
