#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Builds the npm package into dist/: the JavaScript, the library as WebAssembly in base64, and the type declarations. The same
# sources and the same compiler give the same files.
#
#     bindings/js/build.sh
set -eu
cd "$(dirname "$0")"
root=../..
for tool in clang-19 wasm-ld-19 node; do
    command -v "$tool" > /dev/null || { echo "$0: needs $tool (bindings/js/install.sh installs it)" >&2; exit 1; }
done
[ -x node_modules/typescript/bin/tsc ] || { echo "$0: needs typescript (bindings/js/install.sh installs it)" >&2; exit 1; }

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

node embed.js "$work/hornet.wasm" > dist/wasm.js
cp src/*.js dist/

# tsc also checks types. Only the declarations of index.js and of the files that it exports are public.
node_modules/typescript/bin/tsc --project tsconfig.json
rm dist/module.d.ts dist/staging.d.ts dist/wasm.d.ts

cp $root/LICENSE-APACHE $root/LICENSE-MIT .
