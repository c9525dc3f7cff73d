#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Packages the crates as for a registry, and builds each package in a temporary folder, without the source tree. Runs
# the tests of those that need little for it.
#
#     bindings/rust/package-test.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
work=$(cd "$work" && pwd -P)
CARGO_TARGET_DIR=$work/target
export CARGO_TARGET_DIR

fail() {
    echo "$*" >&2
    exit 1
}

# package NAME [OPTION...]: packages a crate, including uncommitted changes, and unpacks it to $work/NAME.
package() {
    name=$1
    shift
    (cd "$root" && cargo package --quiet --locked --allow-dirty --no-verify --package "$name" "$@")
    mkdir "$work/$name"
    tar -x -z -f "$work/target/package/$name"-[0-9]*.crate -C "$work/$name" --strip-components 1
}

# expect_files NAME: fails unless the package contains exactly the files on standard input and those that cargo adds.
expect_files() {
    cat - > "$work/expected"
    printf '%s\n' .cargo_vcs_info.json Cargo.lock Cargo.toml Cargo.toml.orig LICENSE-APACHE LICENSE-MIT >> "$work/expected"
    sort -o "$work/expected" "$work/expected"
    (cd "$work/$1" && find . -type f | sed 's,^\./,,' | sort) > "$work/found"
    diff "$work/expected" "$work/found" || fail "$1: the files in the package (>) are not those expected (<)"
    for licence in LICENSE-APACHE LICENSE-MIT; do
        cmp "$root/$licence" "$work/$1/$licence"
    done
}

# test_package NAME [OPTION...]
test_package() {
    name=$1
    shift
    (cd "$work/$name" && cargo test --quiet --locked "$@")
}

package hornet
(cd "$root/bindings/rust/hornet" && find -L README.md build.rs c src -type f ! -name '.*') | expect_files hornet
test_package hornet --all-features
test_package hornet --no-default-features
# The build script must have read and compiled the package's own files.
outputs=$(find "$work/target/debug/build" -path '*/hornet-*/output')
[ -n "$outputs" ] || fail "the build script of hornet has not run"
echo "$outputs" | while read -r output; do
    grep -q "$work/hornet/" "$output" || fail "$output: not built from the package"
    ! grep "$root/" "$output" || fail "$output: built from the tree"
done

# On crates.io, `hornet` is another crate. These options give the path of ours: in the tree for packaging, in the
# package for the test.
package hornet-key-file --config "patch.crates-io.hornet.path = '$root/bindings/rust/hornet'"
(cd "$root/bindings/rust/hornet-key-file" && find README.md src tests -type f ! -path tests/wiping.rs ! -name '.*') |
    expect_files hornet-key-file
test_package hornet-key-file --config "patch.crates-io.hornet.path = '$work/hornet'"

package hornet-rustls --config "patch.crates-io.hornet.path = '$root/bindings/rust/hornet'"
(cd "$root/bindings/rustls" && find README.md src -type f ! -name '.*') | expect_files hornet-rustls
# Its tests would build quinn and a provider again, which takes minutes.
(cd "$work/hornet-rustls" && cargo build --quiet --locked --config "patch.crates-io.hornet.path = '$work/hornet'")

echo "the packages of hornet, hornet-key-file and hornet-rustls build, and the first two pass their tests, by themselves"
