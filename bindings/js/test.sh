#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the npm package, runs its tests, and uses it as it is packed, in a temporary folder, as its README says.
#
#     bindings/js/test.sh
set -euo pipefail
cd "$(dirname "$0")"
tests=$PWD/tests readme=$PWD/README.md tsc=$PWD/node_modules/.bin/tsc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./build.sh
node --test tests/poly1305.test.js
cp -r dist "$work/built"

# Builds it anew.
npm pack --silent --pack-destination "$work"
diff -r dist "$work/built" || { echo "two builds differ" >&2; exit 1; }
tar -t -z -f "$work"/hornet-poly1305-*.tgz | sort > "$work/files"
printf 'package/%s\n' LICENSE-APACHE LICENSE-MIT README.md dist/index.d.ts dist/index.js dist/module.js dist/wasm.js \
    package.json | diff - "$work/files" || { echo "the files in the package (>) are not those expected (<)" >&2; exit 1; }

mkdir "$work/client"
cd "$work/client"
echo '{"type": "module", "private": true}' > package.json
npm install --silent --offline --no-audit --no-fund "$work"/hornet-poly1305-*.tgz
cmp "$readme" node_modules/hornet-poly1305/README.md
# shellcheck disable=SC2016 # backticks of Markdown
sed -n '/^```js$/,/^```$/p' "$readme" | grep -v '^```' > readme.js
[ -s readme.js ]
node readme.js
cp "$tests/types.ts" .
"$tsc" --noEmit --strict --target es2022 --module nodenext types.ts
# From 20.19 on, Node gives an ES module to require, unless it waits for something.
node --input-type=commonjs --eval '
    if (process.features.require_module) {
        require("hornet-poly1305").mac(new Uint8Array(32), new Uint8Array(5));
    }'

# The lock file names no registry, so that whoever installs may have another one.
if grep -n '"resolved"' "$tests/../package-lock.json"; then
    echo "package-lock.json names a registry" >&2
    exit 1
fi
echo "the package is built, tested, packed and used"
