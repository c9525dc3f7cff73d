#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Checks the bench: its tests, what all its peers compute, and that each of its commands runs on few inputs. Times nothing
# that counts.
set -eu
cd "$(dirname "$0")"
./install.sh
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo clippy --release --locked --all-targets -- -D warnings
cargo test --release --locked
cargo run --release --locked -- check
cargo run --release --locked -- run --only lengths,keys,batch,pieces --sections best --peers hornet,openssl \
    --processes 1 --rounds 1 --out "$out"
cargo run --release --locked -- run --only seal,open,aead-sweep,packets,aead-batch --sections avx2 --peers hornet,openssl \
    --processes 1 --rounds 1 --out "$out/avx2"
cargo run --release --locked -- run --only aes,edit,file,tree --small --sections best \
    --processes 1 --rounds 1 --into "$out"/*.json
cargo run --release --locked -- tune --longest 300 --step 64 --rounds 3
# The tree with itself.
cargo run --release --locked -- compare .. .. --compiler gcc --lengths 0..16 --processes 2 --rounds 3
