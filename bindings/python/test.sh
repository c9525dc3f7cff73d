#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests what build.sh has built, checks the types that it declares, and lints the module. Arguments are pytest's: -m release for
# what CI has no time for.
set -eu
cd "$(dirname "$0")/../.."
bindings/python/install.sh --check
bin=$PWD/build/python/venv/bin

"$bin/python" -m pytest -q -c bindings/python/pyproject.toml -p no:cacheprovider -m "not release" \
    bindings/python/tests "$@"
cd bindings/python
"$bin/mypy" --strict --cache-dir ../../build/python/mypy python/hornet_poly1305
# Away from the sources: of the package that is installed.
(cd "$bin/.." && "$bin/stubtest" hornet_poly1305._native)
cargo clippy --quiet --locked --package hornet-poly1305-python --target-dir ../../build/python/target -- -D warnings
