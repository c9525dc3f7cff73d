#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what is missing to build and test the npm package on Debian 12: Debian packages with apt-get, and the packages of
# package-lock.json with npm, into node_modules/. Prints first what it will do. Does nothing, and needs no network, if nothing
# is missing.
#
#     bindings/js/install.sh [--check]      --check: only prints what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/../.."

# Any Node from 18 on will do, wherever it comes from.
node=
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
    node='nodejs npm'
fi

# shellcheck disable=SC2086 # an option or nothing, and packages
tools/apt-install.sh ${1-} $node clang-19 lld-19

if ! npm ls --prefix bindings/js > /dev/null 2>&1; then
    if [ "${1-}" = --check ]; then
        echo "missing what bindings/js/package.json names (tests/install.sh installs it)" >&2
        exit 1
    fi
    echo "installing into bindings/js/node_modules with npm"
    # No script of these packages is needed.
    npm ci --prefix bindings/js --ignore-scripts --no-audit --no-fund
fi
