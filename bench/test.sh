#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Checks the bench: runs its tests, checks the results of all peers, and runs each of its commands on few inputs; the
# timings are not meaningful. Also tests the provider in OpenSSL 4, which is built here.
set -eu
cd "$(dirname "$0")"
./install.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo clippy --release --locked --all-targets -- -D warnings
cargo test --release --locked
cargo run --release --locked -- check
../tools/apt-install.sh libssl-dev # the module is built with its headers
openssl=$(cargo build --release --locked --message-format json |
    sed -n 's/.*"out_dir":"\([^"]*hornet-bench-openssl[^"]*\)".*/\1/p')
(cd .. && HORNET_OPENSSL="$openssl/openssl-build/install" build/venv/bin/pytest -k openssl-provider-gcc)
cargo run --release --locked -- run --only lengths,keys,batch,pieces --sections best --peers hornet,openssl \
    --processes 1 --rounds 1 --out "$out"
cargo run --release --locked -- run --only seal,open,aead-sweep,packets,aead-batch,evp --sections avx2 --peers hornet,openssl \
    --processes 1 --rounds 1 --out "$out/avx2"
cargo run --release --locked -- run --only aes,edit,file,tree --small --sections best \
    --processes 1 --rounds 1 --into "$out"/*.json
cargo run --release --locked -- tune --longest 300 --step 64 --rounds 3
# Compares the tree with itself.
cargo run --release --locked -- compare .. .. --compiler gcc --lengths 0..16 --processes 2 --rounds 3
