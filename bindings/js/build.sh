#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the npm package into dist/: the JavaScript as ES modules, for require and for workerd, the library as WebAssembly, in
# base64 and as it is, and the type declarations. The same sources and the same compilers give the same files.
#
#     bindings/js/build.sh
set -eu
cd "$(dirname "$0")"
root=../..
for tool in clang-19 wasm-ld-19 node; do
    command -v "$tool" > /dev/null || { echo "$0: needs $tool (bindings/js/install.sh installs it)" >&2; exit 1; }
done
for tool in esbuild tsc; do
    [ -x node_modules/.bin/$tool ] || { echo "$0: needs $tool (bindings/js/install.sh installs it)" >&2; exit 1; }
done

version=$(node --print 'require("./package.json").version')
rm -rf dist
mkdir dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The stack of 2 KiB, of which 1.7 are used, is at the beginning of the memory, so that a stack overflow is an out-of-bounds
# access.
LC_ALL=C
export LC_ALL
clang-19 --target=wasm32 -ffreestanding -nostdlib -O2 -mbulk-memory -DHORNET_SIMD128=1 -Wall -Wextra -Werror \
    "-DPACKAGE_VERSION=\"$version\"" -I$root/include \
    -Wl,--no-entry,--stack-first,-z,stack-size=2048,--export=__stack_pointer,--fatal-warnings \
    -o "$work/hornet.wasm" src/module.c $root/src/*/*.c $root/src/*/*/*.c

node embed.js "$work/hornet.wasm" dist
cp src/*.js dist/
rm dist/compile-workerd.js

# tsc also checks types. Only the declarations of index.js and of the files that it exports are public.
node_modules/typescript/bin/tsc --project tsconfig.json
rm dist/compile.d.ts dist/module.d.ts dist/staging.d.ts dist/wasm.d.ts

# One file for programs that use require, and one for workerd.
bundle() {
    node_modules/.bin/esbuild --log-level=warning --bundle --target=es2022 --charset=utf8 \
        '--banner:js=// SPDX-License-Identifier: Apache-2.0 OR MIT' "$@"
}
bundle --format=cjs --outfile=dist/index.cjs dist/index.js
for name in index aead stream; do
    sed 's/\.js"/.cjs"/' dist/$name.d.ts > dist/$name.d.cts
done
mv dist/compile.js "$work"
cp src/compile-workerd.js dist/compile.js
bundle --format=esm '--external:*.wasm' --outfile=dist/workerd.js dist/index.js
mv "$work/compile.js" dist

cp $root/LICENSE-APACHE $root/LICENSE-MIT .
