#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what the npm package needs to be built and tested on Debian 12 and this machine lacks, and says before what it will
# do: Debian packages with apt-get, and what package-lock.json names with npm, into node_modules/. Does nothing, and needs no
# network, when all is there.
#
#     bindings/js/install.sh [--check]      --check: only says what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/../.."

# Of whatever origin, from Node 18 on.
node=
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
    node='nodejs npm'
fi

# shellcheck disable=SC2086 # an option or nothing, and packages
tools/apt-install.sh ${1-} $node clang-19 lld-19

if ! npm ls --prefix bindings/js > /dev/null 2>&1; then
    if [ "${1-}" = --check ]; then
        echo "missing what bindings/js/package.json names (make deps installs it)" >&2
        exit 1
    fi
    echo "installing into bindings/js/node_modules with npm"
    npm ci --prefix bindings/js --no-audit --no-fund
fi
