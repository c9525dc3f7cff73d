#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what is missing to build the site and to test it: Debian packages with apt-get, Chromium and minisign for the tests; the Python
# packages of requirements.txt into build/sphinx/venv; the packages of package-lock.json with npm, into node_modules/; and what
# the packages in Python and JavaScript, and the pages of results, are made with. Prints first what it will do. Does nothing, and
# needs no network, if nothing is missing.
#
#     tools/site/install.sh
set -eu
cd "$(dirname "$0")/../.."
tools/apt-install.sh python3-venv mandoc chromium minisign
tools/venv.sh tests/requirements.txt build/venv
tools/venv.sh tools/site/requirements.txt build/sphinx/venv
bindings/python/install.sh
bindings/js/install.sh
if ! npm ls --prefix tools/site > /dev/null 2>&1; then
    echo "installing into tools/site/node_modules with npm"
    # No script of these packages is needed.
    npm ci --prefix tools/site --ignore-scripts --no-audit --no-fund
fi
