#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests the schedules and checks their types. Arguments are pytest's.
set -eu
cd "$(dirname "$0")/../.."
lab/schedules/install.sh --check
exec build/schedules/venv/bin/python -m pytest -q -p no:cacheprovider lab/schedules/tests "$@"
