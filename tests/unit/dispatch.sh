#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The choice among all kernels and among the default ones, tested with records that count their calls: test_dispatch.c.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
mkdir -p "$root/build/tests"
for all in 1 0; do
    mapfile -t kernels < <("$root/tests/support/kernel_names.sh" "gcc -DHORNET_ALL_KERNELS=$all" records)
    gcc -O2 -Wall -Wextra -Werror "-DHORNET_ALL_KERNELS=$all" -o "$root/build/tests/dispatch" \
        "$root/tests/unit/test_dispatch.c" "${sources[@]}" "${kernels[@]/#/-Wl,--wrap=hornet_poly1305_kernel_}"
    "$root/build/tests/dispatch"
done
