#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests hornet-cluster, as bindings/python/build.sh has built it, and checks its types. Arguments are pytest's.
set -eu
cd "$(dirname "$0")/../../.."
bin=$PWD/build/python/cluster/venv/bin
"$bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall build/python/wheels/*.whl
(cd "$bin/.." && "$bin/mypy" --strict --cache-dir ../../mypy --config-file ../../../../bindings/python/pyproject.toml -p hornet_poly1305.dask -m hornet_poly1305._cluster)
"$bin/python" -m pytest -q -c bindings/python/pyproject.toml -p no:cacheprovider --tb=short --timeout 600 --durations 5 \
    bindings/python/cluster/tests "$@"
