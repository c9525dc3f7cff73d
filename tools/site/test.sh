#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the site and tests it in Chromium. Arguments are pytest's.
set -eu
cd "$(dirname "$0")/../.."
make --silent site
make --silent library BUILD=build/sphinx/library
build/sphinx/venv/bin/python -m pytest -q -p no:cacheprovider -c /dev/null --rootdir . tools/site/tests "$@"
