#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Compares the speed of this tree's library with that of another revision. The options are those of
# `hornet-bench compare`.
#
#     bench/compare.sh REV [OPTION...]
set -eu
bench=$(cd "$(dirname "$0")" && pwd)
if [ $# = 0 ]; then
    echo "usage: $0 REV [OPTION...]" >&2
    exit 2
fi
rev=$(git -C "$bench" rev-parse --verify --quiet --short "$1^{commit}") || {
    echo "$0: there is no revision $1" >&2
    exit 2
}
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
base=$work/$rev
mkdir "$base"
git -C "$bench/.." archive -o "$work/tree.tar" "$rev" include src
tar -xf "$work/tree.tar" -C "$base"

# Built in its directory, because of .cargo/config.toml there; run in the caller's directory, because of --out.
(cd "$bench" && cargo build --release --locked --quiet --target-dir target)
"$bench/target/release/hornet-bench" compare "$base" "$@"
