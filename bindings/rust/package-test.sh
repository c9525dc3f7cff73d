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

package hornet-poly1305
(cd "$root/bindings/rust/hornet" && find -L README.md build.rs c src -type f ! -name '.*') |
    expect_files hornet-poly1305
test_package hornet-poly1305 --all-features
test_package hornet-poly1305 --no-default-features
# The build script must have read and compiled the package's own files.
outputs=$(find "$work/target/debug/build" -path '*/hornet-poly1305-*/output')
[ -n "$outputs" ] || fail "the build script of hornet-poly1305 has not run"
echo "$outputs" | while read -r output; do
    grep -q "$work/hornet-poly1305/" "$output" || fail "$output: not built from the package"
    ! grep "$root/" "$output" || fail "$output: built from the tree"
done

# As long as the crates are not published, these options give the path of those that others need: in the tree for
# packaging, in the package for the test.
of_tree="patch.crates-io.hornet-poly1305.path = '$root/bindings/rust/hornet'"
of_package="patch.crates-io.hornet-poly1305.path = '$work/hornet-poly1305'"
package hornet-poly1305-key-file --config "$of_tree"
(cd "$root/bindings/rust/hornet-key-file" && find README.md src tests -type f ! -path tests/wiping.rs ! -name '.*') |
    expect_files hornet-poly1305-key-file
test_package hornet-poly1305-key-file --config "$of_package"

package hornet-poly1305-rustls --config "$of_tree"
(cd "$root/bindings/rustls" && find README.md src -type f ! -name '.*') | expect_files hornet-poly1305-rustls
# Its tests would build quinn and a provider again, which takes minutes.
(cd "$work/hornet-poly1305-rustls" && cargo build --quiet --locked --config "$of_package")

package hornet-poly1305-cli --config "$of_tree" \
    --config "patch.crates-io.hornet-poly1305-key-file.path = '$root/bindings/rust/hornet-key-file'"
(cd "$root/cli" && find src -type f ! -name '.*') | expect_files hornet-poly1305-cli
(cd "$work/hornet-poly1305-cli" && cargo check --quiet --locked --config "$of_package" \
    --config "patch.crates-io.hornet-poly1305-key-file.path = '$work/hornet-poly1305-key-file'")

echo "the four packages compile, and hornet-poly1305 and hornet-poly1305-key-file pass their tests, by themselves"
