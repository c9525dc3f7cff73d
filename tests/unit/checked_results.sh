#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Checks that gcc and clang warn about an ignored result of each function in hornet.h that returns a bool.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/ignores.c" << 'EOF'
#include "hornet.h"
void ignores(void *p, size_t n);
void ignores(void *p, size_t n)
{
    hornet_poly1305_verify(p, p, n, p);
    hornet_poly1305_final_verify(p, p);
    hornet_poly1305_verify_batch(p, p, p, p, p, n);
    hornet_poly1305_r_is_clamped(p);
    hornet_poly1305_aes(p, p, n, p, p);
    hornet_poly1305_aes_verify(p, p, n, p, p);
    hornet_poly1305_aes_init(p, p, p);
    hornet_poly1305_aes_batch(p, p, p, p, p, n);
    hornet_poly1305_aes_verify_batch(p, p, p, p, p, p, n);
    hornet_poly1305_pad(p, p, n, p, p);
    hornet_poly1305_pad_verify(p, p, n, p, p);
    hornet_poly1305_pad_init(p, p, p);
    hornet_poly1305_partial_compute(p, p, n, p);
    hornet_poly1305_partial_append(p, p, p);
    hornet_poly1305_partial_replace(p, p, p, n, p);
    hornet_poly1305_partial_verify(p, p, p);
    hornet_chacha20_poly1305_seal(p, p, p, n, p, n, p, p);
    hornet_chacha20_poly1305_open(p, p, n, p, p, n, p, p);
    hornet_xchacha20_poly1305_seal(p, p, p, n, p, n, p, p);
    hornet_xchacha20_poly1305_open(p, p, n, p, p, n, p, p);
    hornet_aead_aad(p, p, n);
    hornet_aead_encrypt(p, p, p, n);
    hornet_aead_decrypt(p, p, p, n);
    hornet_aead_encryptv(p, p, n);
    hornet_aead_decryptv(p, p, n);
    hornet_aead_final(p, p);
    hornet_aead_final_verify(p, p);
    hornet_aead_final_verify_truncated(p, p, n);
    hornet_chacha20_poly1305_seal_batch(p, n);
    hornet_chacha20_poly1305_open_batch(p, p, n);
    hornet_chacha20(p, p, n, 0, p, p);
    hornet_equal(p, p, n);
    hornet_kernel_at(p, HORNET_POLY1305, n);
    hornet_kernel_force(HORNET_POLY1305, p);
    hornet_cpu_feature_at(p, n);
}
EOF
calls=$(grep -c '^    hornet_' "$work/ignores.c")
declared=$(gcc -E -P "$root/include/hornet.h" | tr '\n' ' ' | grep -o '_Bool hornet_[a-z0-9_]*(' | wc -l)
[ "$calls" = "$declared" ] || { echo "hornet.h declares $declared functions that return a bool; $calls are here" >&2; exit 1; }
for compiler in gcc clang-19; do
    "$compiler" -Wall -I"$root/include" -c -o "$work/ignores.o" "$work/ignores.c" 2> "$work/warnings"
    warned=$(grep -c "warning: ignoring return value" "$work/warnings" || true)
    [ "$warned" = "$calls" ] || { echo "$compiler warns of $warned in $calls" >&2; cat "$work/warnings" >&2; exit 1; }
done
echo "$calls functions warn when their result is ignored"
