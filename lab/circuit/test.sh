#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Simulates the circuit's cores, and proves their arithmetic. Arguments are pytest's.
set -eu
cd "$(dirname "$0")/../.."
lab/circuit/install.sh --check
exec build/circuit/venv/bin/python -m pytest -q -p no:cacheprovider lab/circuit/tests "$@"
