#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Writes the crate's declarations of the library's functions, or checks that they are those of its headers:
#
#     bindings/rust/ffi.sh [--check]
set -eu
cd "$(dirname "$0")/../.."
file=bindings/rust/hornet/src/ffi/declarations.rs

declare_all() {
    cat << END
// SPDX-License-Identifier: Apache-2.0 OR MIT

// Written by bindings/rust/ffi.sh from the headers in include/, which document everything here. Do not edit.

END
    # The same libclang and headers on every machine.
    LIBCLANG_PATH=/usr/lib/llvm-19/lib CLANG_PATH=$(command -v clang-19) build/tools/bin/bindgen include/hornet_poly1305_aes.h \
        --allowlist-item '(hornet|HORNET)_.*' --rust-edition 2024 --rust-target 1.85 --use-core --generate-cstr \
        --no-layout-tests --no-doc-comments --no-prepend-enum-name --no-copy 'hornet_.*_state' --no-derive-debug \
        --default-visibility public --merge-extern-blocks --disable-header-comment --formatter rustfmt -- -std=c11 \
        -include include/hornet_kernels.h -include include/hornet_ssh.h -include include/hornet_stream.h
}

if [ "${1-}" = --check ]; then
    declare_all | diff "$file" - || { echo "$file is not that of include/: run bindings/rust/ffi.sh" >&2; exit 1; }
else
    declare_all > "$file.new"
    mv "$file.new" "$file"
fi
