#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the environments other than Node in which tests/integration/test_js.py uses the npm package, from package-lock.json:
# Deno, Bun, Jest, Vitest, and Wrangler, which contains workerd; and what checks its types. Does nothing, and needs no network,
# if nothing is missing.
#
#     bindings/js/tests/hosts/install.sh
set -eu
cd "$(dirname "$0")"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
    { echo "$0: needs Node 20 or newer, and finds $(node --version)" >&2; exit 1; }
if ! npm ls > /dev/null 2>&1; then
    echo "installing into bindings/js/tests/hosts/node_modules with npm"
    # No script of these packages is needed.
    npm ci --ignore-scripts --no-audit --no-fund
fi
