#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests coconut/ and checks its types. Arguments are pytest's: -m release for what CI has no time for.
set -eu
cd "$(dirname "$0")/.."
coconut/install.sh --check
exec build/coconut/venv/bin/python -m pytest -q -p no:cacheprovider -m "not release" coconut/tests "$@"
