#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Prints the folder of mini-gmp, GMP's functions in plain C, in the crate named in tests/cross/mini-gmp/Cargo.toml.
root=$(cd "$(dirname "$0")/../.." && pwd)
cargo metadata --locked --format-version 1 --manifest-path "$root/tests/cross/mini-gmp/Cargo.toml" |
    python3 -c 'import json, pathlib, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "gmp-mpfr-sys":
        print(next(pathlib.Path(package["manifest_path"]).parent.glob("gmp-*/mini-gmp")))'
