#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the npm package, runs its tests, and installs the packed package in a temporary folder, where it runs the examples of
# the README.
#
#     bindings/js/test.sh
set -euo pipefail
cd "$(dirname "$0")"
tests=$PWD/tests readme=$PWD/README.md modules=$PWD/node_modules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./build.sh
node --test tests/*.test.js
cp -r dist "$work/built"

# npm pack builds the package again.
npm pack --silent --json --pack-destination "$work" > "$work/pack.json"
diff -r dist "$work/built" || { echo "two builds differ" >&2; exit 1; }
tar -t -z -f "$work"/hornet-poly1305-*.tgz | sort > "$work/files"
printf 'package/%s\n' LICENSE-APACHE LICENSE-MIT README.md dist/aead.d.ts dist/aead.js dist/index.d.ts dist/index.js \
    dist/module.js dist/staging.js dist/wasm.js package.json | diff - "$work/files" || { echo "the files in the package (>) are not those expected (<)" >&2; exit 1; }

# The README states the size. Other versions of npm and zlib pack differently, so 2 % are allowed.
node --input-type=commonjs - "$work/pack.json" "$readme" << 'end'
const { readFileSync } = require("node:fs");
const [{ size, unpackedSize }] = JSON.parse(readFileSync(process.argv[2], "utf8"));
const said = /The package has (\d+) KB packed, (\d+) KB unpacked/.exec(readFileSync(process.argv[3], "utf8"));
if (said === null || Math.abs(said[1] * 1000 - size) > size / 50 || Math.abs(said[2] * 1000 - unpackedSize) > unpackedSize / 50) {
    console.error(`README.md says "${said?.[0]}", but it has ${size} bytes packed, ${unpackedSize} unpacked`);
    process.exitCode = 1;
}
end

mkdir "$work/client"
cd "$work/client"
echo '{"type": "module", "private": true}' > package.json
npm install --silent --offline --no-audit --no-fund "$work"/hornet-poly1305-*.tgz
cmp "$readme" node_modules/hornet-poly1305/README.md
# examples FILE: prints the blocks of JavaScript in FILE.
examples() {
    # shellcheck disable=SC2016 # backticks of Markdown
    sed -n '/^```js$/,/^```$/p' "$1" | grep -v '^```'
}
examples "$readme" > readme.js
node readme.js
{
    echo 'import { randomBytes } from "node:crypto";'
    echo 'const [key, nonce, message, header, onceKey, otherKey] = [32, 24, 5, 7, 32, 32].map((n) => randomBytes(n));'
    examples "$tests/../../../README.md"
    echo 'function reject() { throw new Error("refused"); }'
    echo 'if (Buffer.compare(opened, message) !== 0 || whole.length !== 16) reject();'
} > root.js
node root.js

# Compilers from before and after Uint8Array had a type parameter, each with modules resolved as by Node, as by bundlers, and by
# main and types, the predecessors of exports. TypeScript 6.0 calls the last deprecated unless told to ignore that.
cp "$tests/types.ts" .
for typescript in typescript-5.6 typescript typescript-6.0; do
    for resolution in "nodenext --moduleResolution nodenext" "esnext --moduleResolution bundler" \
        "esnext --moduleResolution node10"; do
        [ "$typescript $resolution" != "typescript-6.0 esnext --moduleResolution node10" ] ||
            resolution="$resolution --ignoreDeprecations 6.0"
        # shellcheck disable=SC2086 # words
        node "$modules/$typescript/bin/tsc" --noEmit --skipDefaultLibCheck --strict --target es2022 --lib es2022,dom --module $resolution \
            types.ts || { echo "$typescript, --module $resolution: types.ts does not compile" >&2; exit 1; }
    done
done
# From 20.19 on, Node can require an ES module without a top-level await.
node --input-type=commonjs --eval '
    if (process.features.require_module) {
        require("hornet-poly1305").mac(new Uint8Array(32), new Uint8Array(5));
    }'

# On a fresh clone, `make js` installs what is missing, and then builds the same files. This npm is a stub that links the
# packages installed here.
mkdir "$work/clone" "$work/bin"
cat > "$work/bin/npm" << end
#!/bin/sh
case "\$*" in
    "ls --prefix bindings/js") [ -e bindings/js/node_modules ] ;;
    "ci --prefix bindings/js "*) ln -s '$modules' bindings/js/node_modules ;;
    *) echo "npm \$*: not expected" >&2; exit 1 ;;
esac
end
chmod +x "$work/bin/npm"
cd "$tests/../../.."
git ls-files -z Makefile LICENSE-APACHE LICENSE-MIT bindings/js include src tools |
    xargs -0 cp --parents --target-directory="$work/clone"
PATH=$work/bin:$PATH make --silent -C "$work/clone" js
diff -r bindings/js/dist "$work/clone/bindings/js/dist" || { echo "what make js builds differs" >&2; exit 1; }

# The lock file must not name a registry, so that users can install from another one.
if grep -n '"resolved"' "$tests/../package-lock.json"; then
    echo "package-lock.json names a registry" >&2
    exit 1
fi
echo "the package is built, tested, packed and used"
